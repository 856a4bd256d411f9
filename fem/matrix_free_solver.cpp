#include "fem/matrix_free_solver.hpp"

#include "device/memory_shortage.hpp"
#include "fem/p_multigrid.hpp"
#include "fem/pattern_size.hpp"
#include "solvers/chebyshev.hpp"
#include "solvers/conjugate_gradient.hpp"
#include "solvers/jacobi.hpp"
#include "solvers/memory_steps.hpp"
#include "solvers/method_choice.hpp"
#include "solvers/vectors.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace ritz {

MatrixFreeSolver::MatrixFreeSolver(const Operator& equations, const Constraints& constraints, const Vector& u)
    : equations_(equations), operator_(equations, constraints, u) {}

void MatrixFreeSolver::move_to(const Vector& u) {
  operator_.move_to(u);
  use_.matrix_changed(true);
}

SolveReport MatrixFreeSolver::solve(const Vector& b, Vector& x, const LinearSolverOptions& options, const IterationVerdict& give_up) {
  if (options.method != LinearMethod::automatic && options.method != LinearMethod::conjugate_gradient)
    throw Error(Exit::input, fmt::format("method '{}' was asked for without a matrix", name_of(options.method)),
                "without a matrix there are conjugate gradients", "use method = \"cg\", or operator = \"matrix\"");
  if (!equations_.symmetric())
    throw Error(Exit::model, "a tangent that is not symmetric was asked for without a matrix", "without a matrix there are conjugate gradients",
                "use operator = \"matrix\"; or claim symmetric = true in the form, where it is");
  SolveReport report = iterate(b, x, options, give_up);
  estimate_error(report, dot(x, b));
  report.choice = options.operator_kind == OperatorKind::matrix_free ? "as asked"
                                                                     : fmt::format("elements of order {} need no matrix", equations_.space().order());
  return report;
}

// With a cheaper preconditioner where memory is short, and once more in double precision where a cycle in single precision fails; what
// has been tried is not tried again for the next right-hand side.
SolveReport MatrixFreeSolver::iterate(const Vector& b, Vector& x, const LinearSolverOptions& options, const IterationVerdict& give_up) {
  const int order = equations_.space().order();
  if (kind_ == PreconditionerKind::automatic) {
    kind_ = options.preconditioner;
    single_precision_ = options.multigrid.single_precision;
  }
  if (kind_ == PreconditionerKind::automatic || (kind_ == PreconditionerKind::multigrid && order < 2))
    kind_ = order > 1 ? PreconditionerKind::multigrid : PreconditionerKind::chebyshev;
  std::vector<std::string> steps;
  while (true) {
    SolveReport report;
    const std::optional<Error> shortage = memory_shortage([&] { report = attempt(b, x, options, give_up); });
    std::optional<std::string> step;
    if (shortage) {
      step = step_down(*shortage, kind_, single_precision_);
      if (!step) throw *shortage;
    } else if (kind_ == PreconditionerKind::multigrid && single_precision_ && !single_failed_ && may_be_rounding(report)) {
      single_failed_ = true;
      single_precision_ = false;
      step = fmt::format("single precision was not enough for the multigrid cycle ({} after {} iterations): repeated in double", name_of(report.reason), report.iterations);
    } else {
      report.fallbacks = std::move(steps);
      return report;
    }
    preconditioner_.reset();
    if (options.say) options.say(*step);
    steps.push_back(*step);
    x.fill_zero();
  }
}

// With the preconditioner at hand, be it that of another tangent; and with one of this tangent where that one does not lead to the end.
SolveReport MatrixFreeSolver::attempt(const Vector& b, Vector& x, const LinearSolverOptions& options, const IterationVerdict& give_up) {
  Profile& profile = equations_.space().device().profile();
  while (true) {
    if (preconditioner_ && !use_.serves()) preconditioner_.reset();
    if (!preconditioner_) {
      auto phase = profile.phase("set-up");
      if (!use_.current()) operator_.refresh();
      preconditioner_ = make_preconditioner(options);
      use_.made_anew();
    }
    const int most = use_.patience(-std::log10(options.relative));
    const ConjugateGradient method{.relative = options.relative, .max_iterations = most > 0 ? std::min(most, options.max_iterations) : options.max_iterations, .give_up = give_up};
    auto phase = profile.phase("iteration");
    SolveReport report = method.solve(operator_, b, x, preconditioner_.get());
    if (use_.judge({report})) return report;
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

namespace {

// On such cells actions cost so little, and matrices so much, that nothing else is worth a thought.
bool by_sum_factorisation(const Operator& equations) { return !equations.space().isoparametric() && equations.sum_factorised(); }

}  // namespace

bool needs_no_matrix(const Operator& equations, bool many) {
  const FunctionSpace& space = equations.space();
  if (!equations.symmetric() || space.order() < 2) return false;
  if (by_sum_factorisation(equations)) return true;
  constexpr Index few = 30'000;  // unknowns that are factorised quickly
  return !many && equations.can_act() && equations.acts_quickly() && space.mesh().dimension() == 3 && !space.mesh().structural() && space.unknown_count() >= few;
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

bool may_turn_to_a_matrix(const Operator& equations, const LinearSolverOptions& options) {
  return options.operator_kind == OperatorKind::automatic && !by_sum_factorisation(equations) && without_matrix(equations, options);
}

namespace {

std::array<double, 3> extent_of(const FunctionSpace& space) {  // from what the host has: iterations copy nothing
  Point low = space.point(0), high = low;
  for (Node n = 1; n < static_cast<Node>(space.node_count()); ++n) {
    const Point x = space.point(n);
    for (std::size_t d = 0; d < 3; ++d) {
      low[d] = std::min(low[d], x[d]);
      high[d] = std::max(high[d], x[d]);
    }
  }
  return {high[0] - low[0], high[1] - low[1], high[2] - low[2]};
}

}  // namespace

IterationVerdict slower_than_with_a_matrix(const FunctionSpace& space, double relative) {
  constexpr double seconds = 6e-8;  // of a cycle and a product, per unknown of quadratic cells
  constexpr int few = 25;           // nothing is judged before
  return [&space, relative, verdict = std::optional<IterationVerdict>()](int iterations, double log_reduction) mutable {
    if (iterations < few) return false;
    if (!verdict) {
      const int dimension = space.mesh().dimension(), block = space.components();
      const Index pairs = space.has_pattern() ? space.pattern()->nonzeros() : pattern_size(entity_counts(space.mesh()), space.isoparametric() ? 0 : space.order()).pairs;
      const SystemSize size{space.unknown_count(), pairs * block * block, dimension, block, extent_of(space)};
      verdict = slower_than_factorising(size, seconds * double(size.unknowns), relative);
    }
    return *verdict && (*verdict)(iterations, log_reduction);
  };
}

}  // namespace ritz
