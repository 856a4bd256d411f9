// Phases are timed apart: mesh, space, pattern, lists (what an operator makes once), assembly, Dirichlet rows,
// products, right-hand side, solve.
#include "apps/bench/tasks.hpp"
#include "apps/bench/triplets.hpp"
#include "device/host_memory.hpp"
#include "fem/forms/loads.hpp"
#include "fem/forms/mass.hpp"
#include "fem/operator/operator.hpp"
#include "fem/operator/linearisation.hpp"
#include "fem/space/nested_nodes.hpp"
#include "io/meshes/mesh_reader.hpp"
#include "solvers/smoothers/jacobi.hpp"
#include "solvers/algebra/vectors.hpp"
#include "solvers/krylov/conjugate_gradient.hpp"
#include "solvers/multigrid/smoothed_aggregation.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <numbers>
#include <optional>

namespace ritz {
namespace {

// speed.md 2.4: connectivity, shared coordinates, one-byte slots, values written once.
Floor assembly_floor(const Mesh& mesh, const SparseMatrix& K, int nodes_per_cell) {
  const double E = double(mesh.cell_count()), n = nodes_per_cell, N = double(K.pattern().rows()), b = K.block_size();
  return {E * (4 * n + n * n) + 24 * N + 8 * b * b * double(K.pattern().nonzeros()),
          "4 n E + 24 N + n^2 E + 8 b^2 nnz; n nodes per element, b x b blocks"};
}

// speed.md 2.5: values and columns once; x read, y written, offsets.
Floor product_floor(const SparseMatrix& K) {
  const double b = K.block_size(), N = double(K.pattern().rows());
  return {(8 * b * b + 4) * double(K.pattern().nonzeros()) + (16 * b + 4) * N, "(8 b^2 + 4) nnz + (16 b + 4) N"};
}

// Plus the vectors of an iteration with Jacobi's preconditioner fused into two kernels: 88 B per unknown
// (speed.md 2.3).
Floor solve_floor(const SparseMatrix& K, int iterations) {
  return {iterations * (product_floor(K).bytes + 88 * double(K.rows())),
          "iterations x ((8 b^2 + 4) nnz + (16 b + 4) N + 88 b N)"};
}

// The system of a problem as far as it is made.
struct BuiltProblem {
  const Problem& problem;
  Device device;
  const BenchOptions& options;
  std::optional<Mesh> mesh = {};
  std::optional<FunctionSpace> space = {};
  std::optional<Operator> equations = {};
  std::optional<SparseMatrix> K = {};
  Array<std::uint8_t> mask = {};
  Vector free = {};  // [unknown] 1 where it is not prescribed

  bool is_given() const { return !options.meshes.empty() && problem.components == 1; }

  // The cube or cantilever of the problem, or the body that was named.
  Mesh read_or_make_mesh() const {
    if (!is_given()) return Mesh(mesh_data(problem, options.size));
    Mesh mesh = read_mesh(options.meshes.front());
    for (const CellBlock& block : mesh.blocks())
      if (block.kind != problem.kind)
        throw Error(ErrorKind::model_options,
                    fmt::format("'{}' acts on {}, and {} has {}", problem.name, traits(problem.kind).name,
                                options.meshes.front(), traits(block.kind).name),
                    {}, "name another task (--only) or mesh");
    return mesh;
  }

  std::vector<Node> fixed() const {
    if (!is_given()) return fixed_nodes(problem, *mesh);
    return nodes_in(*mesh, Region{"boundary", RegionKind::facets, {}, boundary_facets(*mesh), {}});
  }

  void make_space() { space.emplace(*mesh, problem.components, device); }

  void make_mask() {
    std::vector<std::uint8_t> host(static_cast<std::size_t>(space->unknown_count()), 0);
    for (const Node node : fixed())
      for (int c = 0; c < problem.components; ++c)
        host[static_cast<std::size_t>(Index{space->node_of(node)} * problem.components + c)] = 1;
    mask = Array<std::uint8_t>(device, std::span<const std::uint8_t>(host), "constraints");
    std::vector<double> is_free(host.size());
    for (std::size_t i = 0; i < host.size(); ++i) is_free[i] = host[i] == 0 ? 1 : 0;
    free = Vector(device, std::span<const double>(is_free), "constraints");
  }
};

Record assembly(BuiltProblem& s) {
  Record record = begin_record("asm-" + s.problem.name, s.device);
  const int few = s.options.few();
  record.add("mesh", time(
                         s.device, few, [&] { s.mesh.emplace(s.read_or_make_mesh()); }, [&] { s.mesh.reset(); }));
  const double elements = double(s.mesh->cell_count());
  record.add("space", time(
                          s.device, few, [&] { s.make_space(); }, [&] { s.space.reset(); }));
  record.add("pattern",
             time(
                 s.device, few, [&] { s.space->pattern(); }, [&] { s.make_space(); }),
             elements, "elements");
  s.K.emplace(s.space->pattern(), s.problem.components);
  const Vector u = s.space->zeros();
  const Samples first = time(
      s.device, few,
      [&] {
        s.equations.emplace(*s.space, std::vector<Integral>{Integral::over_all_cells(form_of(s.problem))});
        s.equations->assemble(u, *s.K);
      },
      [&] { s.equations.reset(); });
  const Samples assembly = time(s.device, s.options.repeat, [&] { s.equations->assemble(u, *s.K); });
  Samples lists;
  for (const double seconds : first.seconds) lists.seconds.push_back(seconds - assembly.median());
  record.add("lists", lists);
  record.add("assembly", assembly, elements, "elements",
             assembly_floor(*s.mesh, *s.K, traits(s.problem.kind).node_count));
  s.make_mask();
  record.add("assembly + Dirichlet",
             time(s.device, s.options.repeat,
                  [&] {
                    s.equations->assemble(u, *s.K);
                    s.K->eliminate(s.mask, 1);
                  }),
             elements, "elements");
  record.facts = {{"elements", elements},
                  {"unknowns", double(s.K->rows())},
                  {"nonzeros", double(s.K->pattern().nonzeros()) * s.problem.components * s.problem.components}};
  end_record(record, s.device);
  return record;
}

// From a mesh to a matrix that is assembled once: the parts, and all of them in one go.
Record first_matrix(BuiltProblem& s) {
  Record record = begin_record("first-" + s.problem.name, s.device);
  const int few = s.options.few();
  s.mesh.emplace(s.read_or_make_mesh());
  const double elements = double(s.mesh->cell_count());
  const auto assemble = [&] {
    Operator equations(*s.space, {Integral::over_all_cells(form_of(s.problem))});
    s.K.emplace(equations.make_matrix());
    Linearisation(equations, Vector()).assemble_once(*s.K);
  };
  const auto forget = [&] {
    s.K.reset();
    s.space.reset();
    s.device.memory().trim();
    return_freed_host_memory();
  };
  record.add("space", time(
                          s.device, few, [&] { s.make_space(); }, forget));
  record.add("pattern", time(
                            s.device, few, [&] { s.space->pattern(); },
                            [&] {
                              forget();
                              s.make_space();
                            }));
  record.add("assembly", time(s.device, few, assemble, [&] {
               forget();
               s.make_space();
               s.space->pattern();
             }));
  record.add("first matrix",
             time(
                 s.device, few,
                 [&] {
                   s.make_space();
                   assemble();
                 },
                 forget),
             elements, "elements");
  record.facts = {{"elements", elements}, {"unknowns", double(s.K->rows())}};
  end_record(record, s.device);
  forget();
  return record;
}

void add_triplets(const BuiltProblem& s, Record& record) {  // at most 20 M triplets, so that it ends
  const Index rows = Index{traits(s.problem.kind).node_count} * s.problem.components;
  const Index cells = std::min(s.mesh->cell_count(), Index{20000000} / (rows * rows) + 1);
  record.add("triplets, 1 thread", time(s.device, 1, [&] { assemble_with_triplets(s.problem, *s.mesh, cells); }),
             double(cells), "elements");
}

Record product(const BuiltProblem& s) {
  Record record = begin_record("spmv-" + s.problem.name, s.device);
  constexpr int batch = 10;
  Vector x = s.space->zeros(), y = s.space->zeros();
  fill_start_vector(x);
  const auto add = [&](const char* name, const SparseMatrix& K) {
    K.apply(x, y);
    Samples samples = time(s.device, s.options.repeat, [&] {
      for (int i = 0; i < batch; ++i) K.apply(x, y);
    });
    for (double& seconds : samples.seconds) seconds /= batch;
    samples.calls = samples.calls.each(batch);
    record.add(name, samples, double(K.rows()), "unknowns", product_floor(K));
  };
  add("product", *s.K);
  if (s.device.is_gpu()) {  // beside it, that of the vendor's library
    SparseMatrix theirs(s.K->shared_pattern(), s.K->block_size());
    theirs.values().copy_from(s.K->values());
    if (theirs.use_vendor_product().empty()) add("product by cuSPARSE", theirs);
  }
  record.facts = {{"unknowns", double(s.K->rows())}, {"block_size", double(s.problem.components)}};
  end_record(record, s.device);
  return record;
}

// The weight of the cantilever, (0, 0, -1) per volume.
void make_weight(const BuiltProblem& s, Vector& b) {
  Vector full = s.space->zeros();
  Operator(*s.space, {Integral::over_all_cells(Load<3, 3, 0>{{0, 0, 1}})}).residual(s.space->zeros(), full);
  multiply(full, s.free, b);
}

// -lap u = 3 pi^2 sin sin sin with u = sin sin sin; the source is interpolated.
void make_load(const BuiltProblem& s, Vector& b) {
  if (s.problem.components == 3) return make_weight(s, b);
  std::vector<double> source;
  source.reserve(static_cast<std::size_t>(s.mesh->node_count()));
  const auto wave = [](double t) { return std::sin(std::numbers::pi * t); };
  for (Node node = 0; node < s.mesh->node_count(); ++node) {
    const auto x = s.mesh->point(node);
    source.push_back(3 * std::numbers::pi * std::numbers::pi * wave(x[0]) * wave(x[1]) * wave(x[2]));
  }
  Vector full = s.space->zeros();
  Operator(*s.space, {Integral::over_all_cells(Mass<1, 3>{1})}).residual(s.space->from_mesh(source), full);
  multiply(full, s.free, b);
}

Samples solve_with(const BuiltProblem& s, const std::string& name, const LinearOperator& preconditioner,
                   const Vector& b, Vector& x, Record& record) {
  SolveReport report;
  const Samples samples = time(
      s.device, s.options.few(),
      [&] { report = ConjugateGradient{.relative = 1e-8}.solve(*s.K, b, x, &preconditioner); }, [&] { x.fill_zero(); });
  throw_unless_converged(report);
  const bool jacobi = name == "Jacobi";
  record.add(name + " CG", samples, double(s.K->rows()), "unknowns",
             jacobi ? std::optional(solve_floor(*s.K, report.iterations)) : std::nullopt);
  record.facts.emplace_back(name + " iterations", report.iterations);
  record.facts.emplace_back(name + " residual", report.true_relative_residual);
  record.facts.emplace_back(name + " max |u|", max_abs(x));
  return samples;
}

Record solve(const BuiltProblem& s, const std::string& name, const Record& assembly) {
  Record record = begin_record(name, s.device);
  Vector b = s.space->zeros(), x = s.space->zeros();
  record.add("right-hand side", time(s.device, 1, [&] { make_load(s, b); }));
  record.facts = {{"unknowns", double(s.K->rows())}};
  if (s.problem.components == 1) {
    std::optional<JacobiPreconditioner> jacobi;
    record.add("Jacobi set-up", time(s.device, s.options.few(), [&] { jacobi.emplace(*s.K); }));
    solve_with(s, "Jacobi", *jacobi, b, x, record);
  }
  std::optional<SmoothedAggregation> multigrid;
  const SmoothedAggregationOptions setting{
      .coordinates = &s.space->coordinates(), .dimension = 3, .nested = [&s] { return nested_nodes(*s.space); }};
  const Samples setup = time(
      s.device, s.options.few(), [&] { multigrid.emplace(*s.K, setting); }, [&] { multigrid.reset(); });
  record.add("multigrid set-up", setup, double(s.K->rows()), "unknowns");
  record.add("multigrid refresh", time(s.device, s.options.few(), [&] { multigrid->refresh(); }), double(s.K->rows()),
             "unknowns");
  const Samples cg = solve_with(s, "multigrid", *multigrid, b, x, record);
  record.facts.emplace_back("multigrid operator complexity", multigrid->operator_complexity());
  record.facts.emplace_back("multigrid bytes per unknown", double(multigrid->bytes()) / double(s.K->rows()));
  double total = record.measurements.front().samples.median() + setup.median() + cg.median();
  for (const Measurement& m : assembly.measurements)
    if (m.name == "mesh" || m.name == "space" || m.name == "pattern" || m.name == "lists" ||
        m.name == "assembly + Dirichlet")
      total += m.samples.median();
  record.facts.emplace_back("seconds, mesh to u with multigrid", total);
  end_record(record, s.device);
  record.host_peak = std::max(record.host_peak, assembly.host_peak);
  return record;
}

// The cycle in single precision, with matrices in 16 bits, and in double, in turns.
Record precision(const BuiltProblem& s, const std::string& name) {
  Record record = begin_record(name, s.device);
  Vector b = s.space->zeros(), x = s.space->zeros();
  make_load(s, b);
  record.facts = {{"unknowns", double(s.K->rows())}};
  for (const std::string label : {"single", "half", "double"}) {
    std::optional<SmoothedAggregation> multigrid;
    const SmoothedAggregationOptions setting{.coordinates = &s.space->coordinates(),
                                             .dimension = 3,
                                             .single_precision = label != "double",
                                             .half_storage = label == "half"};
    record.add(label + " set-up",
               time(
                   s.device, s.options.few(), [&] { multigrid.emplace(*s.K, setting); }, [&] { multigrid.reset(); }));
    solve_with(s, label, *multigrid, b, x, record);
    record.facts.emplace_back(label + " bytes per unknown", double(multigrid->bytes()) / double(s.K->rows()));
  }
  end_record(record, s.device);
  return record;
}

std::string named(const std::string& task, const Problem& problem) {
  return task + (problem.components == 1 ? "-poisson-" : "-elastic-") + problem.name.substr(problem.name.size() - 2);
}
std::string solve_name(const Problem& problem) { return named("solve", problem); }
bool is_solved(const Problem& problem) { return !problem.deformed; }

}  // namespace

bool BenchOptions::wants(const std::string& name) const {
  return only.empty() ||
         std::any_of(only.begin(), only.end(), [&](const std::string& start) { return name.starts_with(start); });
}

bool BenchOptions::names(const std::string& table) const {
  return std::find(only.begin(), only.end(), table) != only.end();
}

namespace {

bool needs_matrix(const Problem& problem, const BenchOptions& options) {
  return options.wants("asm-" + problem.name) || options.wants("spmv-" + problem.name) ||
         (is_solved(problem) && (options.wants(solve_name(problem)) || options.names(named("precision", problem))));
}

}  // namespace

bool wants_any(const Problem& problem, const BenchOptions& options) {
  return options.wants("first-" + problem.name) || needs_matrix(problem, options);
}

void run_problem(const Problem& problem, const Device& device, const BenchOptions& options, const Publish& publish) {
  BuiltProblem built{problem, device, options};
  if (options.wants("first-" + problem.name)) publish(first_matrix(built));
  if (!needs_matrix(problem, options)) return;
  Record assembled = assembly(built);
  if (options.triplets && options.wants(assembled.name)) add_triplets(built, assembled);
  if (options.wants(assembled.name)) publish(assembled);
  if (options.wants("spmv-" + problem.name)) publish(product(built));
  if (is_solved(problem) && options.wants(solve_name(problem))) publish(solve(built, solve_name(problem), assembled));
  if (is_solved(problem) && options.names(named("precision", problem)))
    publish(precision(built, named("precision", problem)));
}

}  // namespace ritz
