// The direct solver with each ordering: seconds, entries of the factor, memory foreseen and held, residual.
#include "apps/bench/systems.hpp"
#include "apps/bench/tasks.hpp"
#include "io/results/report.hpp"
#include "solvers/direct/direct_solver.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace ritz {
namespace {

using Ordering = DirectOrdering;

DirectKind kind_of(const SystemRecipe& recipe) {
  return recipe.traits == "definite"     ? DirectKind::positive_definite
         : recipe.traits == "indefinite" ? DirectKind::symmetric
                                         : DirectKind::general;
}

// ||b - A x|| / (||A|| ||x|| + ||b||) in the largest norm (Rigal, Gaches 1967): 1e-16 is what rounding x alone does.
double backward_error(const BenchSystem& system, const Vector& x) {
  const HostMatrix A = host_matrix(system.A);
  const std::vector<double> u = x.host(), b = system.b.host();
  double residual = 0, norm = 0, u_norm = 0, b_norm = 0;
  for (Index row = 0; row < A.rows(); ++row) {
    const auto i = static_cast<std::size_t>(row);
    double r = b[i], sum = 0;
    for (auto k = static_cast<std::size_t>(A.offsets[i]); k < static_cast<std::size_t>(A.offsets[i + 1]); ++k) {
      r -= A.values[k] * u[static_cast<std::size_t>(A.columns[k])];
      sum += std::abs(A.values[k]);
    }
    residual = std::max(residual, std::abs(r));
    norm = std::max(norm, sum);
    u_norm = std::max(u_norm, std::abs(u[i]));
    b_norm = std::max(b_norm, std::abs(b[i]));
  }
  return residual / (norm * u_norm + b_norm);
}

void print_row(const SystemRecipe& recipe, const BenchSystem& system, const std::string& name, Ordering ordering) {
  Record record = begin_record(recipe.name, system.A.device());
  const Index before = host_memory_peak();
  DirectSolver solver(system.A, kind_of(recipe),
                      {.ordering = ordering, .coordinates = &system.coordinates, .dimension = system.dimension});
  Vector x(system.A.device(), system.A.rows(), "vectors");
  SolveReport report;
  const Samples solve = time(system.A.device(), 1, [&] { report = solver.solve(system.b, x); });
  end_record(record, system.A.device());
  fmt::print(
      "| {} | {} | {} | {:.2f} | {:.2f} | {:.2f} | {:.0f} | {:.1f} | {:.0f} | {:.0f} | {:.0f} | {:.1e} | {:.1e} |\n",
      recipe.name, system.A.rows(), name, solver.analysis_seconds(), solver.factor_seconds(),
      solve.median() / (1 + report.iterations), 1e-6 * double(solver.factor_entries()), 1e-9 * solver.operations(),
      1e-6 * double(solver.memory_needed()), 1e-6 * double(solver.memory_bytes()),
      1e-6 * double(record.host_peak - before), report.true_relative_residual, backward_error(system, x));
  std::fflush(stdout);
}

}  // namespace

void run_direct_table(const Device& device, const BenchOptions& options) {
  fmt::print(
      "| system | unknowns | ordering | analysis s | factor s | solve s | factor, million entries | Gflop | foreseen "
      "MB | held MB | rise of the "
      "resident peak MB | residual | backward error |\n|---|---|---|---|---|---|---|---|---|---|---|---|---|\n");
  for (const SystemRecipe& recipe : direct_table_systems()) {
    const BenchSystem system = recipe.make(device, options.size);
    for (const auto& [name, ordering] : {std::pair{"coordinates", Ordering::coordinates},
                                         {"library", Ordering::library},
                                         {"SCOTCH", Ordering::scotch},
                                         {"PORD", Ordering::pord},
                                         {"AMD", Ordering::minimum_degree}})
      print_row(recipe, system, name, ordering);
  }
}

}  // namespace ritz
