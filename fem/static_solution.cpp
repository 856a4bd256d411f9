#include "fem/static_solution.hpp"

#include "solvers/vectors.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace ritz {
namespace {

// "node 17 (0.1, 0.2, 0) in 'steel'": the regions of cells around it name its material.
std::string place_of_unknown(const FunctionSpace& space, Index unknown) {
  const auto node = static_cast<Node>(unknown / space.components());
  std::vector<std::string> regions;
  for (const Region& region : space.mesh().regions())
    if (region.kind == RegionKind::cells && std::ranges::binary_search(space.nodes_in(region), node)) regions.push_back(region.name);
  return space.name_of(node) + (regions.empty() ? "" : " in " + quoted_list(regions));
}

[[noreturn]] void throw_not_converged(const FunctionSpace& space, const SolveReport& report) {
  if (report.reason == StopReason::not_finite && report.entry >= 0)
    throw Error(Exit::model, fmt::format("the equations at {} are not finite: {}", place_of_unknown(space, report.entry), report.where),
                "a material value, a coefficient or the shape of a cell overflows there", advice_for(report.reason));
  throw Error(Exit::not_converged,
              fmt::format("the linear solver ({}{}{}) did not converge: {} after {} iterations, relative residual {:.2e}", report.method,
                          report.preconditioner.empty() ? "" : ", ", report.preconditioner, name_of(report.reason), report.iterations,
                          report.true_relative_residual),
              report.where, advice_for(report.reason));
}

void check_finite(const Operator& equations, const Vector& r) {
  const Index bad = first_not_finite(r);
  if (bad < 0) return;
  throw Error(Exit::model, fmt::format("the loads at {} are not finite", place_of_unknown(equations.space(), bad)),
              "a load, a coefficient or a prescribed value overflows there", "check the values of the case file");
}

std::vector<double> component_sums(const std::vector<double>& values, int components) {
  std::vector<double> sums(static_cast<std::size_t>(components), 0.0);
  for (std::size_t i = 0; i < values.size(); ++i) sums[i % static_cast<std::size_t>(components)] += values[i];
  return sums;
}

}  // namespace

StaticSolution solve_static(const Operator& equations, const Constraints& constraints, const LinearSolverOptions& options,
                            const std::function<void(const std::string&)>& progress) {
  const FunctionSpace& space = equations.space();
  Profile& profile = space.device().profile();
  const auto say = [&](const char* text) {
    if (progress) progress(text);
  };
  StaticSolution s;
  s.u = space.zeros();
  Vector r = space.zeros();
  say("assembling");
  SparseMatrix K = [&] {
    auto phase = profile.phase("assembly");
    constraints.set_values(s.u);
    equations.residual(s.u, r);
    check_finite(equations, r);
    SparseMatrix matrix = equations.make_matrix();
    equations.assemble(s.u, matrix);
    return matrix;
  }();
  double load = 0;
  {
    auto phase = profile.phase("constraints");
    s.applied = component_sums(r.host(), space.components());
    for (double& value : s.applied) value = -value;
    constraints.set_zero(r);
    axpby(0.0, r, -1.0, r);  // the right-hand side: minus the residual
    load = norm2(r);
    K.eliminate(constraints.mask(), max_abs(K.diagonal()));
  }
  say("solving");
  {
    auto phase = profile.phase("solve");
    Vector du = space.zeros();
    LinearSolverOptions known = options;
    if (known.promise == MatrixPromise::none && equations.symmetric()) known.promise = MatrixPromise::symmetric;
    s.report = solve_linear(K, r, du, known, {&space.coordinates(), space.mesh().dimension()});
    if (!s.report.converged()) throw_not_converged(space, s.report);
    axpy(1.0, du, s.u);
  }
  {
    auto phase = profile.phase("reactions");
    equations.residual(s.u, r);
    Vector free(space.device(), r.size(), "vectors");
    copy(r, free);
    constraints.set_zero(free);
    s.certificate = load > 0 ? norm2(free) / load : norm2(free);
    constraints.keep_prescribed(r);
    s.reaction = space.to_mesh(r);
  }
  return s;
}

}  // namespace ritz
