#include "fem/analysis/mixed_statics.hpp"

#include "fem/preconditioners/block_norms.hpp"
#include "fem/ranks/divided_fields.hpp"
#include "fem/preconditioners/edge_preconditioner.hpp"
#include "fem/preconditioners/mixed_preconditioner.hpp"
#include "fem/space/rigid_motion.hpp"
#include "solvers/algebra/box_around.hpp"
#include "solvers/algebra/vectors.hpp"
#include "solvers/direct/direct_solver.hpp"
#include "solvers/linear/linear_solver.hpp"
#include "solvers/linear/solver_plan.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <map>
#include <numeric>
#include <optional>

namespace ritz {
namespace {

// The prescribed rows of r alone.
Vector held_part(const MixedConstraints& supports, const Vector& r) {
  Vector free = Vector(r.device(), r.size(), "vectors"), held = Vector(r.device(), r.size(), "vectors");
  copy(r, free);
  supports.set_zero(free);
  copy(r, held);
  axpy(-1.0, free, held);
  return held;
}

// The tangent with its supports, and what they put on the diagonal.
BlockOperator assembled(const MixedOperator& equations, const Vector& u) {
  auto phase = equations.device().profile().phase("assembly");
  BlockOperator K = equations.make_matrix();
  equations.assemble(u, K);
  return K;
}

// [node of the space] number of the body, of cells that share nodes of the mesh; nodes without cells are in the first.
std::vector<std::int32_t> body_of_nodes(const FunctionSpace& space) {
  const Mesh& mesh = space.mesh();
  std::vector<Node> parent(static_cast<std::size_t>(mesh.node_count()));
  std::iota(parent.begin(), parent.end(), 0);
  const auto root = [&](Node node) {
    while (parent[static_cast<std::size_t>(node)] != node) {
      Node& up = parent[static_cast<std::size_t>(node)];
      node = up = parent[static_cast<std::size_t>(up)];
    }
    return node;
  };
  for (Index cell = 0; cell < mesh.cell_count(); ++cell) {
    const auto nodes = mesh.nodes_of(cell);
    for (const Node node : nodes) parent[static_cast<std::size_t>(root(node))] = root(nodes[0]);
  }
  std::map<Node, std::int32_t> number;
  std::vector<std::int32_t> body(static_cast<std::size_t>(space.node_count()), 0);
  FunctionSpace::CellNodes nodes_of(space);
  for (Index cell = 0; cell < mesh.cell_count(); ++cell) {
    const auto found = number.try_emplace(root(mesh.nodes_of(cell)[0]), static_cast<std::int32_t>(number.size()));
    for (const Node node : nodes_of(cell)) body[static_cast<std::size_t>(node)] = found.first->second;
  }
  return body;
}

Index entries_of(const MixedOperator& equations) {
  return equations.matrix_needs().of("matrix") / Index{sizeof(double)};
}

SystemSize size_of(const MixedOperator& equations) {
  const int dimension = equations.space(0).mesh().dimension();
  SystemSize size{.unknowns = equations.layout().total(), .nonzeros = entries_of(equations), .dimension = dimension};
  for (int field = 0; field < equations.field_count(); ++field)
    size.block = std::max(size.block, equations.space(field).components());
  size.extent = box_around(equations.space(0).geometry_coordinates(), dimension).extent;
  return size;
}

// Seconds of a core, of which only ratios count: a hundred iterations, each of two products and a cycle.
double predicted_iteration(const SystemSize& size) {
  const double n = double(size.unknowns), entries = double(size.nonzeros);
  return 1e-7 * entries + 100 * (1e-5 + 3e-9 * entries + 2e-8 * n);
}

// The method of an iteration: MINRES where the matrix is symmetric.
LinearMethod iteration_of(const MixedOperator& equations, const LinearSolverOptions& options) {
  const LinearMethod fitting = equations.symmetric() ? LinearMethod::minres : LinearMethod::gmres;
  if (options.method == LinearMethod::minres && !equations.symmetric())
    throw Error(Exit::input, "the method 'minres' was asked for, but the matrix is not symmetric",
                "a form does not claim it", "use 'gmres', 'direct' or 'auto'");
  return options.method == LinearMethod::automatic ? fitting : options.method;
}

std::vector<MethodChoice> methods_of(const MixedOperator& equations, const LinearSolverOptions& options) {
  using Method = LinearMethod;
  if (options.method == Method::direct)
    return {{.method = Method::direct, .why = "as asked", .operations_limit = options.direct_operations}};
  if (options.method == Method::minres || options.method == Method::gmres)
    return {{.method = iteration_of(equations, options), .why = "as asked"}};
  if (options.method != Method::automatic)
    throw Error(Exit::input,
                fmt::format("the method '{}' was asked for, and the equations have several fields, or those of facets "
                            "or edges",
                            name_of(options.method)),
                "their matrix need not be positive definite, and each field has a preconditioner of its own",
                "use 'minres', 'gmres', 'direct' or 'auto'");
  const SystemSize size = size_of(equations);
  const double factorisation = predicted_factorisation(size, equations.symmetric()),
               iteration = predicted_iteration(size);
  constexpr double operations_per_second = 8e9, patience = 2e13;
  const double named = options.direct_operations;
  const Method iterative = iteration_of(equations, options);
  if (factorisation <= iteration)
    return {{.method = Method::direct,
             .why = fmt::format("a factorisation of {} unknowns is predicted to cost less than an iteration",
                                size.unknowns),
             .operations_limit = named > 0 ? named : std::max(1e12, 4 * iteration * operations_per_second)},
            {.method = iterative, .why = "the matrix is too large to factorise"}};
  return {{.method = iterative,
           .why = fmt::format("{} unknowns are too many to factorise quickly", size.unknowns),
           .max_iterations = 1000},
          {.method = Method::direct,
           .why = "the iteration has not converged",
           .operations_limit = named > 0 ? named : patience}};
}

bool has_one_unknown_for_each_edge(const MixedOperator& equations) {
  const FunctionSpace& space = equations.space(0);
  return std::ranges::all_of(space.mesh().blocks(), [&](const CellBlock& block) {
    return space.element(block.kind).node_count() == std::ssize(traits(block.kind).edges);
  });
}

// K du = r
class MixedStatics final : public PlannedSystem {
 public:
  // singular: the matrix maps gradients to zero, which an iteration bears and a factorisation does not
  MixedStatics(const MixedOperator& equations, const MixedConstraints& supports, const LinearSolverOptions& options,
               bool singular, const Vector& u, const Vector& r, Vector& du)
      : equations_(equations), supports_(supports), options_(options), singular_(singular), u_(u), columns_(r, du) {}

  SolveReport solve() { return solve_by_plan(*this, {.promise = MatrixPromise::none, .report = options_.say}).front(); }

  const Columns& columns() const override { return columns_; }
  bool over_ranks() const override { return options_.ranks != nullptr; }

  std::vector<MethodChoice> plan(bool) override {
    std::vector<MethodChoice> choices = methods_of(equations_, options_);
    if (singular_)
      std::erase_if(choices, [](const MethodChoice& choice) { return choice.method == LinearMethod::direct; });
    if (choices.empty())
      throw Error(
          Exit::model,
          fmt::format("the matrix is singular: gradients may be added to the field '{}'", equations_.field_name(0)),
          "curls alone enter the equations, so a factorisation lacks a gauge",
          "take the method 'minres' or 'auto', or give a term without derivatives a small factor (b of "
          "curl_curl3)");
    if (options_.ranks == nullptr) return choices;
    const int count = options_.ranks->count();
    for (MethodChoice& choice : choices)
      choice.why +=
          choice.method == LinearMethod::direct
              ? fmt::format("; factorised by {} ranks together, whose last digits differ from run to run", count)
              : fmt::format("; divided among {} ranks", count);
    return choices;
  }

  Reports factorise(const MethodChoice& choice) override {
    const DirectKind kind = equations_.symmetric() ? DirectKind::symmetric : DirectKind::general;
    free_preconditioners();
    if (over_ranks()) {
      const FieldsTangent K(divide_among_ranks(equations_, *options_.ranks), supports_,
                            {.multigrid = options_.multigrid}, options_.say);
      require_no_free_motions(K, K.sizes());
      auto phase = profile().phase("solve");
      return {K.factorise(columns_.b(), columns_.x(),
                          {.kind = kind,
                           .relative = options_.relative,
                           .rounding_error = options_.rounding_error,
                           .memory_limit = options_.direct_memory,
                           .operations_limit = choice.operations_limit})};
    }
    std::optional<BlockOperator> blocks = assembled(equations_, u_);
    {
      const BlockNorms sizes(*blocks);
      supports_.eliminate(*blocks, sizes.pivot());
      require_no_free_motions(*blocks, sizes);
    }
    const SparseMatrix K = joined_matrix(*blocks);
    blocks.reset();
    auto phase = profile().phase("solve");
    DirectSolver solver(
        K, kind,
        {.memory_limit = options_.direct_memory, .operations_limit = choice.operations_limit, .say = options_.say});
    solver.relative = options_.relative;
    solver.rounding_error = options_.rounding_error;
    return {solver.solve(columns_.b(), columns_.x())};
  }

  // Each field has a preconditioner of its own kind: there are no other precisions or relatives to try.
  Cycle cycle(const MethodChoice&) const override { return {}; }
  bool may_be_refused(const MethodChoice&) const override { return false; }
  bool gives_way(const Error& error) const override {  // no preconditioner is known for a field
    return PlannedSystem::gives_way(error) || error.exit() == Exit::input;
  }

  void prepare(const MethodChoice& choice, PreconditionerBasis, const Cycle&) override {
    const bool minres = choice.method == LinearMethod::minres;
    const MixedShape shape = minres ? MixedShape::diagonal : MixedShape::triangular;
    columns_.clear();
    if (over_ranks()) {
      divided_.emplace(divide_among_ranks(equations_, *options_.ranks), supports_,
                       FieldsPlan{.shape = shape, .multigrid = options_.multigrid}, options_.say);
      require_no_free_motions(*divided_, divided_->sizes());
      return;
    }
    K_.emplace(assembled(equations_, u_));
    sizes_.emplace(*K_);
    auto phase = profile().phase("set-up");
    M_.emplace(equations_, supports_, *K_, sizes_->pivot(), shape, options_.multigrid);
    require_no_free_motions(*K_, *sizes_);
  }

  Iteration iterate(const MethodChoice& choice) override {
    const int most =
        choice.max_iterations > 0 ? std::min(choice.max_iterations, options_.max_iterations) : options_.max_iterations;
    if (over_ranks())
      return {{refined([&](const Vector& b, Vector& x,
                           const KrylovOptions& options) { return divided_->iterate(choice.method, b, x, options); },
                       *divided_, divided_->sizes(), most)}};
    auto phase = profile().phase("iteration");
    return {{refined(
        [&](const Vector& b, Vector& x, const KrylovOptions& options) {
          SolveReport report = solve_by(choice.method, *K_, b, x, &M_->get(), options);
          report.preconditioner = M_->get().name();
          return report;
        },
        *K_, *sizes_, most)}};
  }

  void free_preconditioners() override {
    M_.reset();
    K_.reset();
    divided_.reset();
  }

  const LinearOperator& matrix() const override {
    if (divided_) return *divided_;
    return *K_;
  }

 private:
  Profile& profile() const { return equations_.device().profile(); }

  // One norm over fields of several units is that of the largest: what it leaves in the equations of the others is
  // solved for again, until those of each field are met. K: the tangent.
  using Solve = std::function<SolveReport(const Vector& b, Vector& x, const KrylovOptions& options)>;
  SolveReport refined(const Solve& solve, const LinearOperator& K, const BlockNorms& sizes, int most) const {
    const Vector& r = columns_.b();
    Vector& du = columns_.x();
    const BlockLayout& layout = equations_.layout();
    SolveReport report = solve(r, du, {options_.relative, most, options_.restart, {}});
    Vector rest = equations_.zeros(), correction = equations_.zeros();
    std::vector<double> solution(static_cast<std::size_t>(equations_.field_count()), 0.0);  // its largest parts so far
    for (int round = 0; report.converged(); ++round) {
      K.apply(du, rest);
      axpby(1.0, r, -1.0, rest);
      for (int k = 0; k < equations_.field_count(); ++k)
        solution[std::size_t(k)] = std::max(solution[std::size_t(k)], norm2(layout.part(du, k)));
      const Unmet unmet = find_unmet(layout, sizes, r, solution, rest);
      if (unmet.field < 0) break;
      if (round == 8) {
        report.reason = StopReason::stagnated;
        report.where = fmt::format("equations of the field '{}'", equations_.field_name(unmet.field));
        break;
      }
      const double relative = std::max(options_.relative, 0.5 * unmet.allowed / norm2(rest));
      correction.fill_zero();
      const SolveReport more = solve(rest, correction, {relative, most - report.iterations, options_.restart, {}});
      report.iterations += more.iterations;
      report.reason = more.reason;
      report.where = more.where;
      axpy(1.0, correction, du);
    }
    return report;
  }

  struct Unmet {
    int field = -1;      // none
    double allowed = 0;  // norm of its residual
  };
  // The field with the least tolerance that is exceeded: that of their loads and of typical sums of their terms. A sum
  // of K v is typically |K| |v| / sqrt(n) with the norm of Frobenius, whatever the units; v may cancel in it, and
  // become small where its field is at rest. Then the rounding of its own equations is left in it.
  Unmet find_unmet(const BlockLayout& layout, const BlockNorms& sizes, const Vector& r,
                   const std::vector<double>& solution, const Vector& rest) const {
    constexpr double rounding = 1e-13;
    const int count = equations_.field_count();
    std::vector<double> terms;
    for (int k = 0; k < count; ++k) {
      terms.push_back(norm2(layout.part(r, k)));
      for (int j = 0; j < count; ++j)
        if (layout.size(j) > 0)
          terms.back() =
              std::max(terms.back(), sizes.norm(k, j) * solution[std::size_t(j)] / std::sqrt(double(layout.size(j))));
    }
    Unmet worst;
    for (int k = 0; k < count; ++k) {
      double allowed = options_.relative * terms[std::size_t(k)];
      for (int j = 0; j < count; ++j)
        if (sizes.norm(j, j) > 0)
          allowed = std::max(allowed, rounding * terms[std::size_t(j)] * sizes.norm(k, j) / sizes.norm(j, j));
      if (norm2(layout.part(rest, k)) > allowed && (worst.field < 0 || allowed < worst.allowed)) worst = {k, allowed};
    }
    return worst;
  }

  // A constant or a rigid motion of one body that the matrix maps to zero would stay what the iteration makes of it,
  // and a factorisation would name no field.
  void require_no_free_motions(const LinearOperator& K, const BlockNorms& sizes) const {
    for (int k = 0; k < equations_.field_count(); ++k) {
      if (equations_.family(k) == Family::facet || equations_.family(k) == Family::edge) continue;
      require_no_free_levels(K, sizes, k);
      if (equations_.family(k) == Family::lagrange) require_no_free_rotations(K, sizes, k);
    }
  }

  void require_no_free_levels(const LinearOperator& K, const BlockNorms& sizes, int k) const {
    const FunctionSpace& space = equations_.space(k);
    const std::vector<std::int32_t> body = body_of_nodes(space);
    const int bodies = body.empty() ? 0 : *std::ranges::max_element(body) + 1, components = space.components();
    std::vector<std::uint8_t> held(static_cast<std::size_t>(bodies * components), 0);
    for (std::size_t node = 0; node < body.size(); ++node)
      for (int c = 0; c < components; ++c)
        if (supports_[k].is_prescribed(static_cast<Node>(node), c))
          held[static_cast<std::size_t>(body[node] * components + c)] = 1;
    constexpr int most = 50;  // products
    int tried = 0;
    for (std::size_t i = 0; i < held.size() && tried < most; ++i)
      if (held[i] == 0) {
        require_no_free_level(K, sizes, k, body, static_cast<int>(i) / components, static_cast<int>(i) % components);
        ++tried;
      }
  }

  void require_no_free_level(const LinearOperator& K, const BlockNorms& sizes, int k,
                             const std::vector<std::int32_t>& body, int number, int component) const {
    const int components = equations_.space(k).components();
    const Vector level = level_of(K.device(), body, number, components, component);
    const bool is_null = maps_to_zero(K, sizes, k, level);
    if (!is_null && (equations_.symmetric() || !sums_to_zero(K, k, level))) return;
    throw Error(Exit::model,
                fmt::format("the matrix is singular: a constant may be added to the field '{}'{}{}",
                            equations_.field_name(k), components == 1 ? "" : fmt::format(", component {}", component),
                            is_null ? "" : ", with what follows from it in the others"),
                "its gradient alone enters the equations of a body",
                "prescribe its value at one node, or in one cell, of each body");
  }

  // 1 in a component of a body, and zero elsewhere.
  static Vector level_of(const Device& device, const std::vector<std::int32_t>& body, int number, int components,
                         int component) {
    Vector level(device, std::ssize(body) * components, "vectors");
    if (components == 1 && std::ranges::all_of(body, [&](std::int32_t of_node) { return of_node == number; })) {
      fill(1, level);
      return level;
    }
    std::vector<double> values(body.size() * std::size_t(components), 0.0);
    for (std::size_t node = 0; node < body.size(); ++node)
      if (body[node] == number) values[node * std::size_t(components) + std::size_t(component)] = 1;
    level.upload(values);
    return level;
  }

  // A field of as many components as dimensions, which may be a displacement or a velocity.
  void require_no_free_rotations(const LinearOperator& K, const BlockNorms& sizes, int k) const {
    const FunctionSpace& space = equations_.space(k);
    const int dimension = space.mesh().dimension();
    constexpr std::size_t most = 16;  // bodies, whose motions are kept at once
    if (space.components() != dimension || dimension < 2) return;
    const RigidModes modes = dimension == 3 ? RigidModes::solid : RigidModes::plane;
    std::vector<std::uint8_t> held = supports_[k].host_mask();
    held.resize(static_cast<std::size_t>(space.unknown_count()), 0);
    const std::vector<FreePart> parts = free_parts(space, held, {}, modes);
    if (parts.empty() || parts.size() > most) return;
    std::vector<std::string> words;
    for (const FreePart& part : parts) words.insert(words.end(), part.motions.begin(), part.motions.end());
    const std::vector<std::vector<double>> motions = free_motions(space, held, {}, modes);
    for (std::size_t i = 0; i < motions.size(); ++i)
      if (maps_to_zero(K, sizes, k, Vector(K.device(), motions[i], "vectors")))
        throw Error(Exit::model,
                    fmt::format("the matrix is singular: a rigid motion may be added to the field '{}'{}",
                                equations_.field_name(k), i < words.size() ? ": " + words[i] : ""),
                    "nothing in the equations holds it", "prescribe values of the field that exclude the motion");
  }

  // Is K z zero beside the blocks by which z is multiplied? z: of the field k, with values of the size of 1.
  bool maps_to_zero(const LinearOperator& K, const BlockNorms& sizes, int k, const Vector& values) const {
    const BlockLayout& layout = equations_.layout();
    Vector z = equations_.zeros(), y = equations_.zeros();
    layout.put(values, k, z);
    K.apply(z, y);
    for (int j = 0; j < equations_.field_count(); ++j)
      if (max_abs(layout.part(y, j)) > 1e-10 * sizes.largest(j, k)) return false;
    return true;
  }

  // Do these equations of the field k sum to zero for every solution? Then the matrix is singular, too, as the level of
  // a temperature that expands a body and is not prescribed. Tried with random numbers of each field; the sum is seen
  // beside what it is at most.
  bool sums_to_zero(const LinearOperator& K, int k, const Vector& equations) const {
    const BlockLayout& layout = equations_.layout();
    Vector terms(K.device(), equations.size(), "vectors");
    for (int j = 0; j < equations_.field_count(); ++j) {
      if (!equations_.has_block(k, j)) continue;
      Vector random(K.device(), layout.size(j), "vectors"), x = equations_.zeros(), y = equations_.zeros();
      fill_start_vector(random);
      layout.put(random, j, x);
      K.apply(x, y);
      const Vector of_field = layout.part(y, k);
      multiply(equations, of_field, terms);
      const double most = norm2(terms) * std::sqrt(double(terms.size()));
      if (std::abs(dot(equations, of_field)) > 1e-12 * most) return false;
    }
    return true;
  }

  const MixedOperator& equations_;
  const MixedConstraints& supports_;
  const LinearSolverOptions& options_;
  const bool singular_;
  const Vector& u_;
  const Columns columns_;
  // Parts of an iteration: in one process, or over ranks.
  std::optional<BlockOperator> K_;
  std::optional<BlockNorms> sizes_;
  std::optional<MixedPreconditioner> M_;
  std::optional<FieldsTangent> divided_;
};

// Gradients in the field of one space of edges of order 1.
struct Gauge {
  bool free = false;  // the matrix maps gradients to zero
  Vector removed;     // from the right-hand side; empty: nothing
  std::string notice = {};
};

// The magnetic vector potential: what a current does on gradients has no counterpart in curls. r: the right-hand side,
// from which a small part of this kind, of rounding and of curved conductors, is removed.
Gauge gauge_of(const MixedOperator& equations, const MixedConstraints& supports, Vector& r) {
  constexpr double weak = 1e-4, nothing = 1e-10, small = 0.02, zero = 1e-13;
  if (equations.field_count() != 1 || equations.family(0) != Family::edge || !has_one_unknown_for_each_edge(equations))
    return {};
  const EdgeGradients gradients(equations.space(0), supports[0]);
  const Vector none = equations.zeros();
  Vector at_none = equations.zeros();
  equations.residual(none, at_none);
  const double stiffness = gradients.stiffness(equations.device(), [&](const Vector& x, Vector& y) {
    equations.residual(x, y);
    axpy(-1.0, at_none, y);
    supports.set_zero(y);
  });
  // Edges along the body: gradients are held over its size, about b L^2 / (30 a).
  const int dimension = equations.space(0).mesh().dimension();
  const double along = std::pow(static_cast<double>(gradients.corner_count()), 1.0 / dimension);
  if (stiffness * along * along > weak) return {};
  Gauge gauge{.free = stiffness < zero};
  const double size = norm2(r);
  Vector part(r.device(), std::span<const double>(gradients.part_of(r.host())), "vectors");
  const double share = size > 0 ? norm2(part) / size : 0;
  if (share > small)
    throw Error(Exit::model,
                fmt::format("the load of '{}' is not free of divergence: {:.2g} % of it works on gradients",
                            equations.field_name(0), 100 * share),
                gauge.free ? "the matrix maps gradients to zero, so the equations have no solution"
                           : "only a small term, a gauge, holds gradients: they would be most of the solution, and "
                             "depend on that term alone",
                "close the current within the mesh, or let it leave where the field is prescribed along the surface; "
                "give currents per area that follow the conductor");
  if (share <= nothing) return gauge;
  axpy(-1.0, part, r);
  gauge.notice = fmt::format(
      "the load of '{}' is not quite free of divergence: {:.2g} % of it, which works on gradients, was left out",
      equations.field_name(0), 100 * share);
  gauge.removed = std::move(part);
  return gauge;
}

}  // namespace

Index krylov_vectors(const MixedOperator& equations, const LinearSolverOptions& options) {
  const bool gmres =
      options.method == LinearMethod::gmres || (options.method == LinearMethod::automatic && !equations.symmetric());
  return gmres ? 2 * ((options.restart + 8) / 8 * 8 + 4) : 8;
}

MixedPath first_path(const MixedOperator& equations, const LinearSolverOptions& options) {
  const bool direct = methods_of(equations, options).front().method == LinearMethod::direct;
  return direct ? MixedPath::direct : MixedPath::iterative;
}

MixedSolution solve(const MixedOperator& equations, const MixedConstraints& supports,
                    const LinearSolverOptions& options) {
  if (!equations.linear())
    throw Error(Exit::model, "linear statics of nonlinear equations of several fields",
                "their matrix depends on the solution", "take a form that is linear, or write a program");
  MixedSolution s{.u = equations.zeros()};
  if (options.ranks != nullptr) divide_among_ranks(equations, *options.ranks);  // for its residuals, too
  Vector r = equations.zeros(), du = equations.zeros();
  supports.set_values(s.u);
  equations.residual(s.u, r);
  supports.set_zero(r);
  const double asked = norm2(r);
  Gauge gauge = gauge_of(equations, supports, r);
  s.notice = std::move(gauge.notice);
  s.report = MixedStatics(equations, supports, options, gauge.free, s.u, r, du).solve();
  if (!s.report.converged() && options.on_failure) options.on_failure(s.report, s.u.size());
  throw_unless_converged(s.report);
  axpy(-1.0, du, s.u);
  auto phase = equations.device().profile().phase("reactions");
  equations.residual(s.u, r);
  s.reaction = held_part(supports, r);
  supports.set_zero(r);
  if (gauge.removed.size() > 0) axpy(-1.0, gauge.removed, r);
  s.residual = asked > 0 ? norm2(r) / asked : 0;
  return s;
}

MemoryNeeds mixed_statics_needs(const MixedOperator& equations, MixedPath path, const LinearSolverOptions& options) {
  const Index n = equations.layout().total();
  const MemoryNeeds matrix = equations.matrix_needs(), lists = equations.list_needs(true, true),
                    solution = MemoryNeeds().array<double>("vectors", n, 3);
  if (path == MixedPath::iterative) {
    const MixedPreconditionerNeeds preconditioner = mixed_preconditioner_needs(equations, options.multigrid);
    const MemoryNeeds iteration =
        preconditioner.live + MemoryNeeds().array<double>("vectors", n, 3 + krylov_vectors(equations, options));
    return matrix + lists + solution + larger(iteration, preconditioner.set_up);
  }
  const Index entries = entries_of(equations);
  // Blocks and their scalar copy, with the columns of each entry and the places of rows; afterwards vectors of the
  // refinement.
  const MemoryNeeds copy = MemoryNeeds()
                               .array<double>("matrix", entries)
                               .array<std::int32_t>("pattern", entries)
                               .array<Index>("pattern", n + 1, 2);
  return matrix + lists + solution + copy;
}

MixedFactorNeeds mixed_factor_needs(const MixedOperator& equations) {
  auto phase = equations.device().profile().phase("analysis");
  const SparseMatrix A = joined_matrix(equations.make_matrix());
  const Index copy = A.pattern().offsets().bytes() + A.pattern().columns().bytes() + A.values().bytes();
  return {DirectSolver::needs(A, equations.symmetric() ? DirectKind::symmetric : DirectKind::general).memory,
          A.device().is_gpu() ? 0 : 2 * copy};
}

}  // namespace ritz
