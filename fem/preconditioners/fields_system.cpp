#include "fem/preconditioners/fields_system.hpp"

#include "device/communicator.hpp"
#include "device/host_memory.hpp"
#include "fem/operator/fields_operator_needs.hpp"
#include "fem/preconditioners/block_norms.hpp"
#include "fem/preconditioners/over_ranks.hpp"
#include "solvers/algebra/block_rows.hpp"
#include "solvers/algebra/box_around.hpp"
#include "solvers/algebra/vectors.hpp"
#include "solvers/direct/direct_solver.hpp"
#include "solvers/linear/linear_solver.hpp"
#include "solvers/linear/solver_plan.hpp"

#include <algorithm>
#include <cmath>
#include <exception>
#include <fmt/format.h>
#include <optional>
#include <utility>

namespace ritz {
namespace {

Index entries_of(const FieldsOperator& equations) {
  return matrix_needs(equations).of("matrix") / Index{sizeof(double)};
}

// All ranks meet the same error of the equations: each throws it, and they go on alike.
template <class Phase>
auto agreed(const Phase& phase) {
  try {
    return phase();
  } catch (const AgreedError&) { throw; } catch (const LostRank&) {
    throw;
  } catch (const Error& error) {
    if (error.exit() == Exit::input || error.exit() == Exit::model || error.exit() == Exit::not_converged)
      throw AgreedError(error);
    throw;
  }
}

// Seconds of a core, of which only ratios count: a hundred iterations, each of two products and a cycle.
double predicted_iteration(const SystemSize& size) {
  const double n = double(size.unknowns), entries = double(size.nonzeros);
  return 1e-7 * entries + 100 * (1e-5 + 3e-9 * entries + 2e-8 * n);
}

// One field whose matrix is promised to be positive definite.
bool is_definite(const FieldsOperator& equations, const LinearSolverOptions& options) {
  return equations.field_count() == 1 && equations.facts().symmetric &&
         options.promise == MatrixPromise::positive_definite;
}

// The method of an iteration: conjugate gradients where the matrix is definite, MINRES where it is symmetric.
LinearMethod iteration_of(const FieldsOperator& equations, const LinearSolverOptions& options) {
  if (options.method == LinearMethod::minres && !equations.facts().symmetric)
    throw Error(ErrorKind::solver_options, "the method 'minres' was asked for, but the matrix is not symmetric",
                "a form does not claim it", "use 'gmres', 'direct' or 'auto'");
  if (options.method != LinearMethod::automatic) return options.method;
  if (is_definite(equations, options)) return LinearMethod::conjugate_gradient;
  return equations.facts().symmetric ? LinearMethod::minres : LinearMethod::gmres;
}

// Factors of rows and columns, by field, with which the largest block of each row and column is about 1: equations of
// several fields have units that differ, and a factor is judged by one norm of all of them. Of a symmetric matrix both
// are the same. Ruiz, A scaling algorithm to equilibrate both rows and columns norms in matrices, RAL-TR-2001-034;
// powers of two, so that nothing is rounded.
class Scaling {
 public:
  Scaling(const BlockNorms& sizes, const Layout& layout) : layout_(layout) {
    const auto count = static_cast<std::size_t>(layout.count());
    rows_.assign(count, 1.0);
    columns_.assign(count, 1.0);
    if (count == 1) return;
    const auto size = [&](std::size_t i, std::size_t j) {
      const int row = static_cast<int>(i), column = static_cast<int>(j);
      const double unknowns = double(layout.size_over_all(row)) * double(layout.size_over_all(column));
      return sizes.norm(row, column) / std::pow(std::max(unknowns, 1.0), 0.25) * rows_[i] * columns_[j];
    };
    for (int round = 0; round < 60; ++round) {
      std::vector<double> of_rows(count, 0.0), of_columns(count, 0.0);
      for (std::size_t i = 0; i < count; ++i)
        for (std::size_t j = 0; j < count; ++j) {
          of_rows[i] = std::max(of_rows[i], size(i, j));
          of_columns[j] = std::max(of_columns[j], size(i, j));
        }
      for (std::size_t i = 0; i < count; ++i) {
        if (of_rows[i] > 0) rows_[i] /= std::sqrt(of_rows[i]);
        if (of_columns[i] > 0) columns_[i] /= std::sqrt(of_columns[i]);
      }
    }
    for (std::vector<double>* const each : {&rows_, &columns_})
      for (double& factor : *each) factor = std::exp2(std::round(std::log2(factor)));
  }

  void apply(BlockOperator& K) const {
    for (int i = 0; i < layout_.count(); ++i)
      for (int j = 0; j < layout_.count(); ++j) {
        if (K.block(i, j) == nullptr) continue;
        Vector& values = i == j ? K.square(i)->values() : K.coupling(i, j)->values();
        axpby(0.0, values, rows_[std::size_t(i)] * columns_[std::size_t(j)], values);
      }
  }
  // y [owned unknown] = x times the factors of rows, or of columns.
  void by_rows(const Vector& x, Vector& y) const { multiply(x, rows_, y); }
  void by_columns(const Vector& x, Vector& y) const { multiply(x, columns_, y); }

 private:
  void multiply(const Vector& x, const std::vector<double>& factors, Vector& y) const {
    for (int k = 0; k < layout_.count(); ++k) {
      Vector part = layout_.part(x, k);
      axpby(0.0, part, factors[static_cast<std::size_t>(k)], part);
      layout_.put(part, k, y);
    }
  }

  const Layout& layout_;
  std::vector<double> rows_, columns_;
};

struct Unmet {
  int field = -1;      // none
  double allowed = 0;  // norm of its residual
};
// The field with the least tolerance that is exceeded: that of their loads and of typical sums of their terms. A sum
// of K v is typically |K| |v| / sqrt(n) with the norm of Frobenius, whatever the units; v may cancel in it, and
// become small where its field is at rest. Then the rounding of the field's equations is left in it.
Unmet find_unmet(const Layout& layout, const BlockNorms& sizes, double relative, const Vector& r,
                 const std::vector<double>& solution, const Vector& rest) {
  constexpr double rounding = 1e-13;
  const int count = layout.count();
  std::vector<double> terms;
  for (int k = 0; k < count; ++k) {
    terms.push_back(norm2(layout.part(r, k)));
    for (int j = 0; j < count; ++j)
      if (const double size = double(layout.size_over_all(j)); size > 0)
        terms.back() = std::max(terms.back(), sizes.norm(k, j) * solution[std::size_t(j)] / std::sqrt(size));
  }
  Unmet worst;
  for (int k = 0; k < count; ++k) {
    double allowed = relative * terms[std::size_t(k)];
    for (int j = 0; j < count; ++j)
      if (sizes.norm(j, j) > 0)
        allowed = std::max(allowed, rounding * terms[std::size_t(j)] * sizes.norm(k, j) / sizes.norm(j, j));
    if (norm2(layout.part(rest, k)) > allowed && (worst.field < 0 || allowed < worst.allowed)) worst = {k, allowed};
  }
  return worst;
}

struct Iterated {
  LinearMethod method;
  int most, restart;  // iterations
  double relative;
};

// One norm over fields of several units is that of the largest: what it leaves in the equations of the others is
// solved for again, until those of each field are met.
SolveReport refined(const FieldsOperator& equations, const LinearOperator& K, const BlockNorms& sizes,
                    const LinearOperator& M, const Iterated& how, const Vector& r, Vector& du) {
  const Layout& layout = equations.layout();
  const auto solve = [&](const Vector& b, Vector& x, const KrylovOptions& options) {
    return solve_by(how.method, K, b, x, &M, options);
  };
  SolveReport report = solve(r, du, {how.relative, how.most, how.restart, {}});
  Vector rest = equations.zeros(), correction = equations.zeros();
  std::vector<double> solution(static_cast<std::size_t>(equations.field_count()), 0.0);  // its largest parts so far
  for (int round = 0; report.converged(); ++round) {
    K.apply(du, rest);
    axpby(1.0, r, -1.0, rest);
    for (int k = 0; k < equations.field_count(); ++k)
      solution[std::size_t(k)] = std::max(solution[std::size_t(k)], norm2(layout.part(du, k)));
    const Unmet unmet = find_unmet(layout, sizes, how.relative, r, solution, rest);
    if (unmet.field < 0) break;
    if (round == 8) {
      report.reason = StopReason::stagnated;
      report.where = fmt::format("equations of the field '{}'", equations.terms().field_name(unmet.field));
      break;
    }
    const double relative = std::max(how.relative, 0.5 * unmet.allowed / norm2(rest));
    correction.fill_zero();
    const SolveReport more = solve(rest, correction, {relative, how.most - report.iterations, how.restart, {}});
    report.iterations += more.iterations;
    report.reason = more.reason;
    report.where = more.where;
    axpy(1.0, correction, du);
  }
  report.preconditioner = M.name();
  return report;
}

// The division among ranks, by numbers of the rank with the most.
std::string description_of_division(const FieldsOperator& equations) {
  const Layout& layout = equations.layout();
  Ranks& ranks = layout.ranks();
  const auto most = [&](Index mine) { return std::ranges::max(ranks.of_all(mine)); };
  Index here = 0;
  int others = 0;
  for (int k = 0; k < layout.count(); ++k) {
    here += layout.ghosts(k)->count() * layout.width(k);
    others = std::max(others, static_cast<int>(layout.ghosts(k)->neighbours().size()));
  }
  const Index unknowns = most(layout.total()), cells = most(equations.space(0).mesh().cell_count()),
              ghosts = most(here), neighbours = most(others);
  return fmt::format("{} ranks by {}: at most {} unknowns, {} ghosts, {} cells and {} neighbours each", ranks.count(),
                     ranks.transport(), unknowns, ghosts, cells, neighbours);
}

// A factor of the tangent, and the matrix that it is made of: of one process, or its rows over ranks.
class FactorOfFields {
 public:
  explicit FactorOfFields(const Layout& layout) : layout_(layout) {}
  bool is_made() const { return solver_.has_value(); }
  void free() {
    if (solver_ && layout_.is_divided()) solver_->end();
    solver_.reset();
    rows_.reset();
    joined_.reset();
  }

  // Takes over the tangent with its supports, scaled.
  void take(std::optional<BlockOperator>& K, const BlockNorms& sizes) {
    const Device device = K->device();
    scaling_.emplace(sizes, layout_);
    scaling_->apply(*K);
    BlockRows mine;
    if (layout_.is_divided()) mine = joined_rows(*K);
    else joined_.emplace(joined_matrix(*K));
    K.reset();
    if (layout_.is_divided()) rows_ = divided_matrix(layout_.ranks(), device, std::move(mine));
  }
  // A factor of one process gives its analysis to the next.
  void factorise(DirectKind kind, const DirectOptions& options) {
    if (rows_) factorise(*rows_, kind, options);
    else factorise(*joined_, kind, options);
  }
  SolveReport solve(const Vector& b, Vector& x, double relative, double rounding_error) {
    solver_->relative = relative;
    solver_->rounding_error = rounding_error;
    Vector scaled(b.device(), b.size(), "vectors");
    scaling_->by_rows(b, scaled);
    SolveReport report = solver_->solve(scaled, x);
    scaling_->by_columns(x, x);
    if (!layout_.is_divided()) return report;
    const Communicator all(b.device());
    report.memory_needed = all.total(report.memory_needed);
    report.memory_used = all.total(report.memory_used);
    return report;
  }

 private:
  template <class Matrix>
  void factorise(const Matrix& K, DirectKind kind, const DirectOptions& options) {
    if (solver_) solver_->refactorise(K);
    else solver_.emplace(K, kind, options);
  }

  const Layout& layout_;
  std::optional<Scaling> scaling_;
  std::optional<SparseMatrix> joined_;
  std::unique_ptr<DividedMatrix> rows_;
  std::optional<DirectSolver> solver_;
};

}  // namespace

SystemSize size_of_system(const FieldsOperator& equations) {
  const int dimension = equations.space(0).mesh().dimension();
  SystemSize size{.unknowns = equations.layout().total(), .nonzeros = entries_of(equations), .dimension = dimension};
  for (int field = 0; field < equations.field_count(); ++field)
    size.block = std::max(size.block, equations.space(field).components());
  size.extent = box_around(equations.space(0).geometry_coordinates(), dimension).extent;
  return size;
}

std::vector<MethodChoice> methods_of(const FieldsOperator& equations, const LinearSolverOptions& options,
                                     const SystemSize& size) {
  using Method = LinearMethod;
  if (options.method == Method::direct)
    return {{.method = Method::direct, .why = "as asked", .operations_limit = options.direct_operations}};
  if (options.method == Method::minres || options.method == Method::gmres ||
      (options.method == Method::conjugate_gradient && is_definite(equations, options)))
    return {{.method = iteration_of(equations, options), .why = "as asked"}};
  if (options.method != Method::automatic)
    throw Error(ErrorKind::several_fields,
                fmt::format("the method '{}' was asked for, and the equations have several fields, or those of facets "
                            "or edges",
                            name_of(options.method)),
                "their matrix need not be positive definite, and each field has a separate preconditioner",
                "use 'minres', 'gmres', 'direct' or 'auto'");
  const double factorisation = predicted_factorisation(size, equations.facts().symmetric),
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

WholeProblem whole_problem(const FieldsOperator& equations, const FieldsConstraints& supports) {
  return {.size = size_of_system(equations), .motions = motions_left(equations, supports)};
}

namespace {

std::vector<MethodChoice> possible_methods(const FieldsOperator& equations, const LinearSolverOptions& options,
                                           const WholeProblem& whole) {
  std::vector<MethodChoice> choices = methods_of(equations, options, whole.size);
  if (whole.singular)
    std::erase_if(choices, [](const MethodChoice& choice) { return choice.method == LinearMethod::direct; });
  if (!choices.empty()) return choices;
  throw Error(
      ErrorKind::singular_matrix,
      fmt::format("the matrix is singular: gradients may be added to the field '{}'", equations.terms().field_name(0)),
      "curls alone enter the equations, so a factorisation lacks a gauge",
      "take the method 'minres' or 'auto', or give a term without derivatives a small factor (b of curl_curl3)");
}

void add_ranks_to_reasons(int count, std::vector<MethodChoice>& choices) {
  for (MethodChoice& choice : choices)
    choice.why +=
        choice.method == LinearMethod::direct
            ? fmt::format("; factorised by {} ranks together, whose last digits differ from run to run", count)
            : fmt::format("; divided among {} ranks", count);
}

}  // namespace

class FieldsSystem::Solver final : public PlannedSystem {
 public:
  Solver(const FieldsOperator& equations, const FieldsConstraints& supports, LinearSolverOptions options,
         WholeProblem whole)
      : equations_(equations),
        supports_(supports),
        options_(std::move(options)),
        whole_(std::move(whole)),
        factor_(equations.layout()) {}

  // A factor of one process gives its analysis to the next.
  void linearise(const Vector& u) {
    if (over_ranks()) release();
    free_preconditioners();
    method_.reset();
    u_ = Vector();
    if (u.empty() || equations_.facts().linear) return;
    u_ = equations_.zeros();
    copy(u, u_);
  }
  const Vector& point() const { return u_; }

  void release() {
    factor_.free();
    free_preconditioners();
    method_.reset();
  }

  SolveReport solve(const Vector& r, Vector& x, const LinearTolerance& tolerance) {
    columns_.emplace(r, x);
    options_.relative = tolerance.relative;
    options_.rounding_error = tolerance.rounding_error;
    if (method_) return again();
    SolveReport report = solve_by_plan(*this, {.promise = MatrixPromise::none, .report = options_.say}).front();
    if (over_ranks()) say(arrays_of_ranks(layout().ranks(), device()));
    options_.say = {};  // said once
    return report;
  }

  const Columns& columns() const override { return *columns_; }
  bool over_ranks() const override { return layout().is_divided(); }

  std::vector<MethodChoice> plan(bool) override {
    std::vector<MethodChoice> choices = agreed([&] { return possible_methods(equations_, options_, whole_); });
    if (over_ranks()) add_ranks_to_reasons(layout().ranks().count(), choices);
    return choices;
  }

  Reports factorise(const MethodChoice& choice) override {
    free_preconditioners();
    return agreed([&] { return Reports{factorised(choice)}; });
  }

  void remember(const MethodChoice& choice) override { method_ = choice; }

  // Each field has a separate preconditioner: there are no other precisions or relatives to try.
  Cycle cycle(const MethodChoice&) const override { return {}; }
  bool may_be_refused(const MethodChoice&) const override { return false; }
  bool gives_way(const Error& error) const override {  // no preconditioner is known for a field
    return PlannedSystem::gives_way(error) || error.exit() == Exit::input;
  }

  void prepare(const MethodChoice& choice, PreconditionerBasis, const Cycle&) override {
    const MixedShape shape = choice.method == LinearMethod::gmres ? MixedShape::triangular : MixedShape::diagonal;
    columns_->clear();
    factor_.free();
    agreed([&] {
      assemble();
      auto phase = device().profile().phase("set-up");
      M_.emplace(equations_, supports_, *K_, sizes_->pivot(), shape, options_.multigrid, whole_.calls);
      require_none_is_free(equations_, *K_, *sizes_, whole_.motions);
    });
    if (!over_ranks()) return;
    device().memory().trim();
    return_freed_host_memory();
  }

  Iteration iterate(const MethodChoice& choice) override {
    const int most =
        choice.max_iterations > 0 ? std::min(choice.max_iterations, options_.max_iterations) : options_.max_iterations;
    auto phase = device().profile().phase("iteration");
    const Iterated how{choice.method, most, options_.restart, options_.relative};
    return {{refined(equations_, *K_, *sizes_, M_->get(), how, columns_->b(), columns_->x())}};
  }

  void free_preconditioners() override {
    M_.reset();
    K_.reset();
  }

  const LinearOperator& matrix() const override { return *K_; }

 private:
  const Layout& layout() const { return equations_.layout(); }
  const Device& device() const { return equations_.device(); }
  void say(const std::string& text) const {
    if (options_.say) options_.say(text);
  }

  // With the factor or the preconditioner of the last solution.
  SolveReport again() {
    if (!factor_.is_made()) return agreed([&] { return iterate(*method_).reports.front(); });
    auto phase = device().profile().phase("solve");
    return agreed([&] { return solved_by_factor(); });
  }

  // The tangent, without its supports.
  void assemble() {
    auto phase = device().profile().phase("assembly");
    K_.emplace(equations_.make_matrix());
    equations_.assemble(u_, *K_);
    if (over_ranks()) {
      forget_assembly(equations_);
      return_freed_host_memory();
      say(description_of_division(equations_));
    }
    sizes_.emplace(*K_);
  }

  SolveReport factorised(const MethodChoice& choice) {
    if (over_ranks())
      say(fmt::format("{} ranks factorise together: the last digits differ from run to run", layout().ranks().count()));
    assemble();
    supports_.eliminate(*K_, sizes_->pivot());
    require_none_is_free(equations_, *K_, *sizes_, whole_.motions);
    factor_.take(K_, *sizes_);
    auto phase = device().profile().phase("solve");
    factor_.factorise(
        equations_.facts().symmetric ? DirectKind::symmetric : DirectKind::general,
        {.memory_limit = options_.direct_memory, .operations_limit = choice.operations_limit, .say = options_.say});
    return solved_by_factor();
  }

  SolveReport solved_by_factor() {
    return factor_.solve(columns_->b(), columns_->x(), options_.relative, options_.rounding_error);
  }

  FieldsOperator equations_;
  FieldsConstraints supports_;
  LinearSolverOptions options_;
  const WholeProblem whole_;
  Vector u_;  // empty: zero
  std::optional<Columns> columns_;
  std::optional<BlockOperator> K_;
  std::optional<BlockNorms> sizes_;
  std::optional<FieldsPreconditioner> M_;
  FactorOfFields factor_;
  std::optional<MethodChoice> method_;  // of the last solution, whose factor or preconditioner is there
};

FieldsSystem::FieldsSystem(const FieldsOperator& equations, const FieldsConstraints& supports,
                           LinearSolverOptions options, WholeProblem whole)
    : solver_(std::make_unique<Solver>(equations, supports, std::move(options), std::move(whole))) {}

// An error on one rank alone must not wait for the others.
FieldsSystem::~FieldsSystem() {
  if (solver_ && std::uncaught_exceptions() == 0) solver_->release();
}

void FieldsSystem::linearise(const Vector& u) { solver_->linearise(u); }
const Vector& FieldsSystem::point() const { return solver_->point(); }
void FieldsSystem::release() { solver_->release(); }
SolveReport FieldsSystem::solve(const Vector& r, Vector& x, const LinearTolerance& tolerance) {
  return solver_->solve(r, x, tolerance);
}

}  // namespace ritz
