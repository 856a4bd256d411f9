#include "fem/multigrid/matrix_free_solver.hpp"

#include "fem/multigrid/p_multigrid.hpp"
#include "fem/multigrid/p_multigrid_needs.hpp"
#include "fem/space/pattern_size.hpp"
#include "solvers/smoothers/chebyshev.hpp"
#include "solvers/smoothers/jacobi.hpp"
#include "solvers/algebra/vectors.hpp"
#include "solvers/linear/method_choice.hpp"
#include "solvers/multigrid/hierarchy_needs.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace ritz {

MatrixFreeSolver::MatrixFreeSolver(const Operator& equations, const Constraints& constraints, const Vector& u,
                                   const DividedField* field)
    : equations_(equations), operator_(equations, constraints, u, {}, field) {}

void MatrixFreeSolver::move_to(const Vector& u) {
  operator_.move_to(u);
  use_.matrix_changed(true);
}

LinearMethod MatrixFreeSolver::method_for(LinearMethod asked) const {
  const bool symmetric = equations_.symmetric();
  switch (asked) {
    case LinearMethod::automatic: return symmetric ? LinearMethod::conjugate_gradient : LinearMethod::gmres;
    case LinearMethod::gmres:
    case LinearMethod::bicgstab: return asked;
    case LinearMethod::conjugate_gradient:
      if (symmetric) return asked;
      throw Error(Exit::input, "the method 'cg' was asked for, but the tangent is not symmetric",
                  "not all forms claim that theirs is",
                  "use 'gmres', 'bicgstab' or 'auto'; or claim symmetric = true in the form, where it is");
    default:
      throw Error(Exit::input, fmt::format("method '{}' was asked for without a matrix", name_of(asked)),
                  "without a matrix there are conjugate gradients, GMRES and BiCGSTAB",
                  "use one of these or 'auto'; or operator = \"matrix\", below order 4 on hexahedra");
  }
}

// Steps down where memory is short, and iterates once more in double precision where a cycle in single precision fails.
// Failed methods are not tried again for the next right-hand side. Cycles are made for definite tangents: if none can
// be made for another, the diagonal takes its place, or nothing.
SolveReport MatrixFreeSolver::solve(const Vector& b, Vector& x, const LinearSolverOptions& options,
                                    const IterationVerdict& give_up) {
  const LinearMethod method = method_for(options.method);
  PreconditionerKind& kind = memory_.preconditioner;
  if (!chosen_) choose_preconditioner(options);
  SolveReport report;
  std::vector<std::string> steps;
  const auto again = [&](const std::string& step) {
    preconditioner_.reset();
    if (options.say) options.say(step);
    steps.push_back(step);
    x.fill_zero();
  };
  const auto attempt_once = [&] {
    if (kind != PreconditionerKind::multigrid) operator_.keep_no_tangents();
    report = attempt(method, b, x, options, give_up);
  };
  while (true) {
    try {
      if (operator_.field() != nullptr) attempt_together(attempt_once, again);
      else within_memory(MemoryLevel::cycle, memory_, attempt_once, again);
    } catch (const Error& error) {
      const bool indefinite = error.exit() == Exit::model || error.exit() == Exit::not_converged;
      if (!indefinite || method == LinearMethod::conjugate_gradient || kind == PreconditionerKind::none) throw;
      const bool cycle = kind == PreconditionerKind::multigrid;
      again(fmt::format("no preconditioner '{}' could be made ({}): {} instead", name_of(kind), error.message(),
                        cycle ? "the diagonal" : "none"));
      kind = cycle ? PreconditionerKind::jacobi : PreconditionerKind::none;
      continue;
    }
    const bool in_single = kind == PreconditionerKind::multigrid && memory_.single_precision && !single_failed_;
    if (!in_single || !may_be_rounding(report)) break;
    single_failed_ = true;
    memory_.single_precision = false;
    again(fmt::format(
        "single precision was not enough for the multigrid cycle ({} after {} iterations): repeated in double",
        name_of(report.reason), report.iterations));
  }
  if (method == LinearMethod::conjugate_gradient) estimate_error(report, dot(x, b));
  report.choice = options.operator_kind == OperatorKind::matrix_free
                      ? "as asked"
                      : fmt::format("elements of order {} need no matrix", equations_.space().order());
  report.fallbacks = std::move(steps);
  return report;
}

// Over ranks all take a step, or none does: they foretell what p-multigrid needs. A rank that is short all the same
// ends the job.
void MatrixFreeSolver::attempt_together(const std::function<void()>& attempt,
                                        const std::function<void(const std::string&)>& taken) {
  while (true) {
    try {
      check_room_on_all_ranks();
      return attempt();
    } catch (const AgreedError& shortage) {
      const std::optional<std::string> step =
          shortage.exit() == Exit::resources ? step_down(MemoryLevel::cycle, memory_, shortage) : std::nullopt;
      if (!step) throw;
      taken(*step);
    }
  }
}

void MatrixFreeSolver::check_room_on_all_ranks() const {
  if (memory_.preconditioner != PreconditionerKind::multigrid || preconditioner_) return;
  const DividedField& field = *operator_.field();
  field.ghosts->ranks().agree([&] {
    const MemoryPool& pool = equations_.space().device().memory();
    const Index available = pool.available();
    if (available > 8 * pool.statistics().live) return;  // plenty
    const Index needed = p_multigrid_needs(equations_, field).set_up.total();
    if (needed <= available) return;
    throw Error(Exit::resources,
                fmt::format("p-multigrid needs {:.1f} MB, and {:.1f} MB are available", 1e-6 * double(needed),
                            1e-6 * double(available)),
                "predicted from the cells of this rank", "start more ranks, or give them more memory");
  });
}

void MatrixFreeSolver::choose_preconditioner(const LinearSolverOptions& options) {
  using enum PreconditionerKind;
  const bool has_orders = on_all_ranks(operator_, equations_.can_coarsen());
  memory_ = {.preconditioner = options.preconditioner,
             .single_precision = options.multigrid.single_precision,
             .matrix = false};
  PreconditionerKind& kind = memory_.preconditioner;
  if (kind == automatic || (kind == multigrid && !has_orders)) kind = has_orders ? multigrid : chebyshev;
  chosen_ = true;
}

// With the preconditioner at hand, be it that of another tangent; and with one of this tangent where that one does not
// lead to the end.
SolveReport MatrixFreeSolver::attempt(LinearMethod method, const Vector& b, Vector& x,
                                      const LinearSolverOptions& options, const IterationVerdict& give_up) {
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
    const int limit = most > 0 ? std::min(most, options.max_iterations) : options.max_iterations;
    auto phase = profile.phase("iteration");
    const SolveReport report =
        solve_by(method, operator_, b, x, preconditioner_.get(), {options.relative, limit, options.restart, give_up});
    if (use_.judge({report})) return report;
    x.fill_zero();
  }
}

std::unique_ptr<LinearOperator> MatrixFreeSolver::make_preconditioner(const LinearSolverOptions& options) const {
  switch (memory_.preconditioner) {
    case PreconditionerKind::jacobi: return std::make_unique<JacobiPreconditioner>(operator_.diagonal());
    case PreconditionerKind::chebyshev:
      return std::make_unique<ChebyshevPreconditioner>(operator_, operator_.diagonal());
    case PreconditionerKind::multigrid: {
      PMultigridOptions cycle{.single_precision = memory_.single_precision, .coarsest = options.multigrid};
      cycle.coarsest.single_precision = cycle.single_precision;
      return std::make_unique<PMultigrid>(operator_, cycle);
    }
    default: return nullptr;
  }
}

namespace {

// On such cells actions cost so little, and matrices so much, that nothing else is worth a thought.
bool by_sum_factorisation(const Operator& equations) {
  return !equations.space().isoparametric() && equations.sum_factorised();
}

}  // namespace

bool needs_no_matrix(const Operator& equations, bool many) {
  const FunctionSpace& space = equations.space();
  if (!equations.can_assemble()) return true;
  if (!equations.symmetric() || space.order() < 2) return false;
  if (by_sum_factorisation(equations)) return true;
  constexpr Index few = 30'000;  // unknowns that are factorised quickly
  return !many && equations.can_coarsen() && equations.acts_quickly() && space.mesh().dimension() == 3 &&
         !space.mesh().structural() && space.unknown_count() >= few;
}

bool asks_for_matrix(const FunctionSpace& space, const LinearSolverOptions& options) {
  if (options.operator_kind != OperatorKind::automatic) return options.operator_kind == OperatorKind::matrix;
  const bool method_named = options.method != LinearMethod::automatic;
  if (space.isoparametric()) return method_named || options.preconditioner != PreconditionerKind::automatic;
  return method_named && options.method != LinearMethod::conjugate_gradient;
}

bool without_matrix(const Operator& equations, const LinearSolverOptions& options) {
  if (options.operator_kind == OperatorKind::matrix_free) return true;
  if (options.operator_kind == OperatorKind::automatic && !equations.can_assemble()) return true;
  return !asks_for_matrix(equations.space(), options) && needs_no_matrix(equations, options.one_of_many);
}

bool may_turn_to_a_matrix(const Operator& equations, const LinearSolverOptions& options) {
  return options.operator_kind == OperatorKind::automatic && equations.can_assemble() &&
         without_matrix(equations, options);
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

IterationVerdict slower_than_with_a_matrix(const Operator& equations, const LinearSolverOptions& options) {
  if (!may_turn_to_a_matrix(equations, options)) return {};
  constexpr double seconds = 6e-8;  // of a cycle and a product, per unknown of quadratic cells
  constexpr int few = 25;           // nothing is judged before
  return [&space = equations.space(), relative = options.relative, verdict = std::optional<IterationVerdict>()](
             int iterations, double log_reduction) mutable {
    if (iterations < few) return false;
    if (!verdict) {
      const int dimension = space.mesh().dimension(), block = space.components();
      const Index pairs =
          space.has_pattern()
              ? space.pattern()->nonzeros()
              : pattern_size(entity_counts(space.mesh()), space.isoparametric() ? 0 : space.order()).pairs;
      const SystemSize size{space.unknown_count(), pairs * block * block, dimension, block, extent_of(space)};
      verdict = slower_than_factorising(size, seconds * double(size.unknowns), relative);
    }
    return *verdict && (*verdict)(iterations, log_reduction);
  };
}

}  // namespace ritz
