#include "fem/analysis/mixed_statics.hpp"

#include "solvers/algebra/vectors.hpp"
#include "solvers/direct/direct_solver.hpp"

#include <algorithm>

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

SparseMatrix tangent(const MixedOperator& equations, const MixedConstraints& supports, const Vector& u) {
  auto phase = equations.device().profile().phase("assembly");
  BlockOperator K = equations.make_matrix();
  equations.assemble(u, K);
  double largest = 0;
  for (int field = 0; field < equations.field_count(); ++field)
    if (const SparseMatrix* block = K.square(field)) largest = std::max(largest, max_abs(block->diagonal()));
  supports.eliminate(K, largest > 0 ? largest : 1);
  return sparse_matrix(K.device(), host_matrix(K));
}

}  // namespace

MixedSolution solve(const MixedOperator& equations, const MixedConstraints& supports,
                    const LinearSolverOptions& options) {
  if (!equations.linear())
    throw Error(Exit::model, "linear statics of nonlinear equations of several fields",
                "their matrix depends on the solution", "take a form that is linear, or write a program");
  Profile& profile = equations.device().profile();
  MixedSolution s{.u = equations.zeros()};
  Vector r = equations.zeros(), du = equations.zeros();
  supports.set_values(s.u);
  equations.residual(s.u, r);
  supports.set_zero(r);
  const double asked = norm2(r);
  {
    const SparseMatrix K = tangent(equations, supports, s.u);
    auto phase = profile.phase("solve");
    DirectSolver solver(K, equations.symmetric() ? DirectKind::symmetric : DirectKind::general,
                        {.memory_limit = options.direct_memory, .say = options.say});
    solver.relative = options.relative;
    solver.rounding_error = options.rounding_error;
    s.report = solver.solve(r, du);
  }
  if (!s.report.converged() && options.on_failure) options.on_failure(s.report, s.u.size());
  throw_unless_converged(s.report);
  axpy(-1.0, du, s.u);
  auto phase = profile.phase("reactions");
  equations.residual(s.u, r);
  s.reaction = held_part(supports, r);
  supports.set_zero(r);
  s.residual = asked > 0 ? norm2(r) / asked : 0;
  return s;
}

MemoryNeeds mixed_statics_needs(const MixedOperator& equations) {
  constexpr Index vectors = 8;  // of the solution, and of the refinement
  const MemoryNeeds matrix = equations.matrix_needs();
  // Blocks and their scalar copy, with the columns of each entry.
  return matrix + matrix + equations.list_needs(true, true) +
         MemoryNeeds().array<double>("vectors", equations.layout().total(), vectors);
}

}  // namespace ritz
