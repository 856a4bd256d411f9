#include "fem/matrix_free_solver.hpp"

#include "device/memory_shortage.hpp"
#include "fem/p_multigrid.hpp"
#include "solvers/chebyshev.hpp"
#include "solvers/conjugate_gradient.hpp"
#include "solvers/jacobi.hpp"
#include "solvers/memory_steps.hpp"
#include "solvers/vectors.hpp"

#include <fmt/format.h>

namespace ritz {

MatrixFreeSolver::MatrixFreeSolver(const Operator& equations, const Constraints& constraints, const Vector& u)
    : equations_(equations), operator_(equations, constraints, u) {}

SolveReport MatrixFreeSolver::solve(const Vector& b, Vector& x, const LinearSolverOptions& options) {
  if (options.method != LinearMethod::automatic && options.method != LinearMethod::conjugate_gradient)
    throw Error(Exit::input, fmt::format("method '{}' was asked for without a matrix", name_of(options.method)),
                "without a matrix there are conjugate gradients", "use method = \"cg\", or operator = \"matrix\"");
  if (!equations_.symmetric())
    throw Error(Exit::model, "a tangent that is not symmetric was asked for without a matrix", "without a matrix there are conjugate gradients",
                "use operator = \"matrix\"; or claim symmetric = true in the form, where it is");
  SolveReport report = iterate(b, x, options);
  estimate_error(report, dot(x, b));
  report.choice = options.operator_kind == OperatorKind::matrix_free ? "as asked"
                                                                     : fmt::format("elements of order {} need no matrix", equations_.space().order());
  return report;
}

// With a cheaper preconditioner where memory is short; what has been tried is not tried again for the next right-hand side.
SolveReport MatrixFreeSolver::iterate(const Vector& b, Vector& x, const LinearSolverOptions& options) {
  const int order = equations_.space().order();
  if (kind_ == PreconditionerKind::automatic) {
    kind_ = options.preconditioner;
    single_precision_ = options.multigrid.single_precision;
  }
  if (kind_ == PreconditionerKind::automatic || (kind_ == PreconditionerKind::multigrid && order < 2))
    kind_ = order > 1 ? PreconditionerKind::multigrid : PreconditionerKind::chebyshev;
  const ConjugateGradient method{.relative = options.relative, .max_iterations = options.max_iterations};
  std::vector<std::string> steps;
  while (true) {
    SolveReport report;
    const std::optional<Error> shortage = memory_shortage([&] {
      if (!preconditioner_) preconditioner_ = make_preconditioner(options);
      report = method.solve(operator_, b, x, preconditioner_.get());
    });
    if (!shortage) {
      report.fallbacks = std::move(steps);
      return report;
    }
    preconditioner_.reset();
    const std::optional<std::string> step = step_down(*shortage, kind_, single_precision_);
    if (!step) throw *shortage;
    if (options.say) options.say(*step);
    steps.push_back(*step);
    x.fill_zero();
  }
}

std::unique_ptr<LinearOperator> MatrixFreeSolver::make_preconditioner(const LinearSolverOptions& options) const {
  switch (kind_) {
    case PreconditionerKind::jacobi: return std::make_unique<JacobiPreconditioner>(operator_.diagonal());
    case PreconditionerKind::chebyshev: return std::make_unique<ChebyshevPreconditioner>(operator_, operator_.diagonal());
    case PreconditionerKind::multigrid:
      return std::make_unique<PMultigrid>(operator_, PMultigridOptions{.single_precision = single_precision_, .coarsest = options.multigrid});
    default: return nullptr;
  }
}

bool needs_no_matrix(const Operator& equations, bool many) {
  const FunctionSpace& space = equations.space();
  if (!equations.symmetric() || space.order() < 2) return false;
  if (!space.isoparametric()) return equations.can_act_in_single();
  constexpr Index few = 30'000;  // unknowns that are factorised quickly
  return !many && space.components() > 1 && space.mesh().dimension() == 3 && !space.mesh().structural() && space.unknown_count() >= few;
}

bool asks_for_matrix(const FunctionSpace& space, const LinearSolverOptions& options) {
  if (options.operator_kind != OperatorKind::automatic) return options.operator_kind == OperatorKind::matrix;
  const bool method_named = options.method != LinearMethod::automatic;
  if (space.isoparametric()) return method_named || options.preconditioner != PreconditionerKind::automatic;
  return method_named && options.method != LinearMethod::conjugate_gradient;
}

bool without_matrix(const Operator& equations, const LinearSolverOptions& options) {
  if (options.operator_kind == OperatorKind::matrix_free) return true;
  return !asks_for_matrix(equations.space(), options) && needs_no_matrix(equations, options.one_of_many);
}

}  // namespace ritz
