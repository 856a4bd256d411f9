// Phases are timed apart: mesh, space, pattern, lists (what an operator makes once), assembly, Dirichlet rows,
// products, right-hand side, solve.
#include "apps/bench/tasks.hpp"
#include "apps/bench/triplets.hpp"
#include "device/host_memory.hpp"
#include "fem/forms/loads.hpp"
#include "fem/forms/mass.hpp"
#include "fem/operator/operator.hpp"
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

class ProblemRun {
 public:
  ProblemRun(const Problem& problem, const Device& device, const BenchOptions& options)
      : problem_(problem), device_(device), options_(options) {}

  Record assembly() {
    Record record = begin_record("asm-" + problem_.name, device_);
    const int few = options_.few();
    record.add("mesh", time(
                           device_, few, [&] { mesh_.emplace(make_mesh()); }, [&] { mesh_.reset(); }));
    const double elements = double(mesh_->cell_count());
    record.add("space", time(
                            device_, few, [&] { make_space(); }, [&] { space_.reset(); }));
    record.add("pattern",
               time(
                   device_, few, [&] { space_->pattern(); }, [&] { make_space(); }),
               elements, "elements");
    K_.emplace(space_->pattern(), problem_.components);
    const Vector u = space_->zeros();
    const Samples first = time(
        device_, few,
        [&] {
          operator_.emplace(*space_, std::vector<Integral>{Integral::over_all_cells(form_of(problem_))});
          operator_->assemble(u, *K_);
        },
        [&] { operator_.reset(); });
    const Samples assembly = time(device_, options_.repeat, [&] { operator_->assemble(u, *K_); });
    Samples lists;
    for (const double seconds : first.seconds) lists.seconds.push_back(seconds - assembly.median());
    record.add("lists", lists);
    record.add("assembly", assembly, elements, "elements",
               assembly_floor(*mesh_, *K_, traits(problem_.kind).node_count));
    make_mask();
    record.add("assembly + Dirichlet",
               time(device_, options_.repeat,
                    [&] {
                      operator_->assemble(u, *K_);
                      K_->eliminate(mask_, 1);
                    }),
               elements, "elements");
    record.facts = {{"elements", elements},
                    {"unknowns", double(K_->rows())},
                    {"nonzeros", double(K_->pattern().nonzeros()) * problem_.components * problem_.components}};
    end_record(record, device_);
    return record;
  }

  // From a mesh to a matrix that is assembled once: the parts, and all of them in one go.
  Record first_matrix() {
    Record record = begin_record("first-" + problem_.name, device_);
    const int few = options_.few();
    mesh_.emplace(make_mesh());
    const double elements = double(mesh_->cell_count());
    const auto assemble = [&] {
      Operator equations(*space_, {Integral::over_all_cells(form_of(problem_))});
      K_.emplace(equations.make_matrix());
      equations.assemble_once(Vector(), *K_);
    };
    const auto forget = [&] {
      K_.reset();
      space_.reset();
      device_.memory().trim();
      return_freed_host_memory();
    };
    record.add("space", time(
                            device_, few, [&] { make_space(); }, forget));
    record.add("pattern", time(
                              device_, few, [&] { space_->pattern(); },
                              [&] {
                                forget();
                                make_space();
                              }));
    record.add("assembly", time(device_, few, assemble, [&] {
                 forget();
                 make_space();
                 space_->pattern();
               }));
    record.add("first matrix",
               time(
                   device_, few,
                   [&] {
                     make_space();
                     assemble();
                   },
                   forget),
               elements, "elements");
    record.facts = {{"elements", elements}, {"unknowns", double(K_->rows())}};
    end_record(record, device_);
    forget();
    return record;
  }

  void add_triplets(Record& record) const {  // at most 20 M triplets, so that it ends
    const Index rows = Index{traits(problem_.kind).node_count} * problem_.components;
    const Index cells = std::min(mesh_->cell_count(), Index{20000000} / (rows * rows) + 1);
    record.add("triplets, 1 thread", time(device_, 1, [&] { assemble_with_triplets(problem_, *mesh_, cells); }),
               double(cells), "elements");
  }

  Record product() const {
    Record record = begin_record("spmv-" + problem_.name, device_);
    constexpr int batch = 10;
    Vector x = space_->zeros(), y = space_->zeros();
    fill_start_vector(x);
    const auto add = [&](const char* name, const SparseMatrix& K) {
      K.apply(x, y);
      Samples samples = time(device_, options_.repeat, [&] {
        for (int i = 0; i < batch; ++i) K.apply(x, y);
      });
      for (double& seconds : samples.seconds) seconds /= batch;
      samples.calls = samples.calls.each(batch);
      record.add(name, samples, double(K.rows()), "unknowns", product_floor(K));
    };
    add("product", *K_);
    if (device_.is_gpu()) {  // beside it, that of the vendor's library
      SparseMatrix theirs(K_->shared_pattern(), K_->block_size());
      theirs.values().copy_from(K_->values());
      if (theirs.use_vendor_product().empty()) add("product by cuSPARSE", theirs);
    }
    record.facts = {{"unknowns", double(K_->rows())}, {"block_size", double(problem_.components)}};
    end_record(record, device_);
    return record;
  }

  Record solve(const std::string& name, const Record& assembly) const {
    Record record = begin_record(name, device_);
    Vector b = space_->zeros(), x = space_->zeros();
    record.add("right-hand side", time(device_, 1, [&] { make_load(b); }));
    record.facts = {{"unknowns", double(K_->rows())}};
    if (problem_.components == 1) {
      std::optional<JacobiPreconditioner> jacobi;
      record.add("Jacobi set-up", time(device_, options_.few(), [&] { jacobi.emplace(*K_); }));
      solve_with("Jacobi", *jacobi, b, x, record);
    }
    std::optional<SmoothedAggregation> multigrid;
    const SmoothedAggregationOptions setting{
        .coordinates = &space_->coordinates(), .dimension = 3, .nested = [this] { return nested_nodes(*space_); }};
    const Samples setup = time(
        device_, options_.few(), [&] { multigrid.emplace(*K_, setting); }, [&] { multigrid.reset(); });
    record.add("multigrid set-up", setup, double(K_->rows()), "unknowns");
    record.add("multigrid refresh", time(device_, options_.few(), [&] { multigrid->refresh(); }), double(K_->rows()),
               "unknowns");
    const Samples cg = solve_with("multigrid", *multigrid, b, x, record);
    record.facts.emplace_back("multigrid operator complexity", multigrid->operator_complexity());
    record.facts.emplace_back("multigrid bytes per unknown", double(multigrid->bytes()) / double(K_->rows()));
    double total = record.measurements.front().samples.median() + setup.median() + cg.median();
    for (const Measurement& m : assembly.measurements)
      if (m.name == "mesh" || m.name == "space" || m.name == "pattern" || m.name == "lists" ||
          m.name == "assembly + Dirichlet")
        total += m.samples.median();
    record.facts.emplace_back("seconds, mesh to u with multigrid", total);
    end_record(record, device_);
    record.host_peak = std::max(record.host_peak, assembly.host_peak);
    return record;
  }

  // The cycle in single precision, with matrices in 16 bits, and in double, in turns.
  Record precision(const std::string& name) const {
    Record record = begin_record(name, device_);
    Vector b = space_->zeros(), x = space_->zeros();
    make_load(b);
    record.facts = {{"unknowns", double(K_->rows())}};
    for (const std::string label : {"single", "half", "double"}) {
      std::optional<SmoothedAggregation> multigrid;
      const SmoothedAggregationOptions setting{.coordinates = &space_->coordinates(),
                                               .dimension = 3,
                                               .single_precision = label != "double",
                                               .half_storage = label == "half"};
      record.add(label + " set-up",
                 time(
                     device_, options_.few(), [&] { multigrid.emplace(*K_, setting); }, [&] { multigrid.reset(); }));
      solve_with(label, *multigrid, b, x, record);
      record.facts.emplace_back(label + " bytes per unknown", double(multigrid->bytes()) / double(K_->rows()));
    }
    end_record(record, device_);
    return record;
  }

 private:
  bool is_given() const { return !options_.meshes.empty() && problem_.components == 1; }

  // The cube or cantilever of the problem, or the body that was named.
  Mesh make_mesh() const {
    if (!is_given()) return Mesh(mesh_data(problem_, options_.size));
    Mesh mesh = read_mesh(options_.meshes.front());
    for (const CellBlock& block : mesh.blocks())
      if (block.kind != problem_.kind)
        throw Error(ErrorKind::model_options,
                    fmt::format("'{}' acts on {}, and {} has {}", problem_.name, traits(problem_.kind).name,
                                options_.meshes.front(), traits(block.kind).name),
                    {}, "name another task (--only) or mesh");
    return mesh;
  }

  std::vector<Node> fixed() const {
    if (!is_given()) return fixed_nodes(problem_, *mesh_);
    return nodes_in(*mesh_, Region{"boundary", RegionKind::facets, {}, boundary_facets(*mesh_), {}});
  }

  void make_space() { space_.emplace(*mesh_, problem_.components, device_); }

  void make_mask() {
    std::vector<std::uint8_t> mask(static_cast<std::size_t>(space_->unknown_count()), 0);
    for (const Node node : fixed())
      for (int c = 0; c < problem_.components; ++c)
        mask[static_cast<std::size_t>(Index{space_->node_of(node)} * problem_.components + c)] = 1;
    mask_ = Array<std::uint8_t>(device_, std::span<const std::uint8_t>(mask), "constraints");
    std::vector<double> free(mask.size());
    for (std::size_t i = 0; i < mask.size(); ++i) free[i] = mask[i] == 0 ? 1 : 0;
    free_ = Vector(device_, std::span<const double>(free), "constraints");
  }

  // The weight of the cantilever, (0, 0, -1) per volume.
  void make_weight(Vector& b) const {
    Vector full = space_->zeros();
    Operator(*space_, {Integral::over_all_cells(Load<3, 3, 0>{{0, 0, 1}})}).residual(space_->zeros(), full);
    multiply(full, free_, b);
  }

  // -lap u = 3 pi^2 sin sin sin with u = sin sin sin; the source is interpolated.
  void make_load(Vector& b) const {
    if (problem_.components == 3) return make_weight(b);
    std::vector<double> source;
    source.reserve(static_cast<std::size_t>(mesh_->node_count()));
    const auto wave = [](double t) { return std::sin(std::numbers::pi * t); };
    for (Node node = 0; node < mesh_->node_count(); ++node) {
      const auto x = mesh_->point(node);
      source.push_back(3 * std::numbers::pi * std::numbers::pi * wave(x[0]) * wave(x[1]) * wave(x[2]));
    }
    Vector full = space_->zeros();
    Operator(*space_, {Integral::over_all_cells(Mass<1, 3>{1})}).residual(space_->from_mesh(source), full);
    multiply(full, free_, b);
  }

  Samples solve_with(const std::string& name, const LinearOperator& preconditioner, const Vector& b, Vector& x,
                     Record& record) const {
    SolveReport report;
    const Samples samples = time(
        device_, options_.few(),
        [&] { report = ConjugateGradient{.relative = 1e-8}.solve(*K_, b, x, &preconditioner); },
        [&] { x.fill_zero(); });
    throw_unless_converged(report);
    const bool jacobi = name == "Jacobi";
    record.add(name + " CG", samples, double(K_->rows()), "unknowns",
               jacobi ? std::optional(solve_floor(*K_, report.iterations)) : std::nullopt);
    record.facts.emplace_back(name + " iterations", report.iterations);
    record.facts.emplace_back(name + " residual", report.true_relative_residual);
    record.facts.emplace_back(name + " max |u|", max_abs(x));
    return samples;
  }

  const Problem& problem_;
  Device device_;
  const BenchOptions& options_;
  std::optional<Mesh> mesh_;
  std::optional<FunctionSpace> space_;
  std::optional<Operator> operator_;
  std::optional<SparseMatrix> K_;
  Array<std::uint8_t> mask_;
  Vector free_;
};

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
  ProblemRun run(problem, device, options);
  if (options.wants("first-" + problem.name)) publish(run.first_matrix());
  if (!needs_matrix(problem, options)) return;
  Record assembly = run.assembly();
  if (options.triplets && options.wants(assembly.name)) run.add_triplets(assembly);
  if (options.wants(assembly.name)) publish(assembly);
  if (options.wants("spmv-" + problem.name)) publish(run.product());
  if (is_solved(problem) && options.wants(solve_name(problem))) publish(run.solve(solve_name(problem), assembly));
  if (is_solved(problem) && options.names(named("precision", problem)))
    publish(run.precision(named("precision", problem)));
}

}  // namespace ritz
