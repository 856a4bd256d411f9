#include "fem/multigrid/matrix_free_solver.hpp"

#include "fem/multigrid/p_multigrid.hpp"
#include "fem/multigrid/p_multigrid_needs.hpp"
#include "fem/operator/abilities.hpp"
#include "fem/space/pattern_size.hpp"
#include "solvers/smoothers/chebyshev.hpp"
#include "solvers/smoothers/jacobi.hpp"
#include "solvers/algebra/vectors.hpp"
#include "solvers/linear/method_choice.hpp"
#include "solvers/linear/solver_plan.hpp"
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
  const bool symmetric = equations_.facts().symmetric;
  switch (asked) {
    case LinearMethod::automatic: return symmetric ? LinearMethod::conjugate_gradient : LinearMethod::gmres;
    case LinearMethod::gmres:
    case LinearMethod::bicgstab: return asked;
    case LinearMethod::conjugate_gradient:
      if (symmetric) return asked;
      throw Error(ErrorKind::solver_options, "the method 'cg' was asked for, but the tangent is not symmetric",
                  "not all forms claim that theirs is",
                  "use 'gmres', 'bicgstab' or 'auto'; or claim symmetric = true in the form, where it is");
    default:
      throw Error(ErrorKind::solver_options, fmt::format("method '{}' was asked for without a matrix", name_of(asked)),
                  "without a matrix there are conjugate gradients, GMRES and BiCGSTAB",
                  "use one of these or 'auto'; or operator = \"matrix\", below order 4 on hexahedra");
  }
}

// A right-hand side of the tangent, as a system that is solved by a plan.
class MatrixFreeSolver::Planned final : public PlannedSystem {
 public:
  Planned(MatrixFreeSolver& solver, const Vector& b, Vector& x, const LinearSolverOptions& options,
          const IterationVerdict& give_up)
      : solver_(solver),
        method_(solver.method_for(options.method)),
        columns_(b, x),
        options_(options),
        give_up_(give_up) {}

  const LinearOperator& matrix() const override { return solver_.operator_; }
  const Columns& columns() const override { return columns_; }
  bool over_ranks() const override { return solver_.operator_.field() != nullptr; }

  // Cycles are made for definite tangents: if none can be made for another, the diagonal takes its place, or nothing.
  std::vector<MethodChoice> plan(bool) override {
    using enum PreconditionerKind;
    const std::string why =
        options_.operator_kind == OperatorKind::matrix_free
            ? "as asked"
            : fmt::format("elements of order {} need no matrix", solver_.equations_.space().order());
    const PreconditionerKind first = solver_.cycle_.memory.preconditioner;
    std::vector<MethodChoice> choices = {{method_, first, why, 0, 0, give_up_}};
    for (const PreconditionerKind kind : {jacobi, none})
      if (kind != first && first != none) choices.push_back({method_, kind, why, 0, 0, give_up_, false, true});
    return choices;
  }

  Reports factorise(const MethodChoice&) override {
    throw Error(ErrorKind::internal, "no matrix to factorise", "", "");
  }

  Cycle cycle(const MethodChoice& choice) const override {
    Cycle cycle = solver_.cycle_;
    cycle.memory.preconditioner = choice.preconditioner;
    return cycle;
  }
  void keep(const Cycle& cycle) override {
    solver_.cycle_ = cycle;
    free_preconditioners();
  }
  void free_preconditioners() override { solver_.preconditioner_.reset(); }

  // Conjugate gradients have no use for another preconditioner of an indefinite tangent.
  bool may_be_refused(const MethodChoice& choice) const override {
    return method_ != LinearMethod::conjugate_gradient && choice.preconditioner != PreconditionerKind::none;
  }

  // The preconditioner at hand, be it that of another tangent.
  void prepare(const MethodChoice& choice, PreconditionerBasis, const Cycle& cycle) override {
    if (choice.preconditioner != solver_.cycle_.memory.preconditioner) keep(cycle);
    if (choice.preconditioner != PreconditionerKind::multigrid) solver_.operator_.keep_no_tangents();
    if (solver_.preconditioner_ && !solver_.use_.serves()) free_preconditioners();
    if (solver_.preconditioner_) return;
    if (over_ranks()) solver_.check_room_on_all_ranks();
    auto phase = profile().phase("set-up");
    if (!solver_.use_.current()) solver_.operator_.refresh();
    solver_.preconditioner_ = solver_.make_preconditioner(options_);
    solver_.use_.made_anew();
  }

  Iteration iterate(const MethodChoice& choice) override {
    const LinearOperator* const M = solver_.preconditioner_.get();
    const int patience = solver_.use_.patience(-std::log10(options_.relative));
    const int limit = patience > 0 ? std::min(patience, options_.max_iterations) : options_.max_iterations;
    auto phase = profile().phase("iteration");
    const SolveReport report = solve_by(method_, solver_.operator_, columns_.b(), columns_.x(), M,
                                        {options_.relative, limit, options_.restart, choice.give_up});
    return {{report}, solver_.use_.judge({report})};
  }

 private:
  Profile& profile() const { return solver_.equations_.space().device().profile(); }

  MatrixFreeSolver& solver_;
  const LinearMethod method_;
  const Columns columns_;
  const LinearSolverOptions& options_;
  const IterationVerdict& give_up_;
};

SolveReport MatrixFreeSolver::solve(const Vector& b, Vector& x, const LinearSolverOptions& options,
                                    const IterationVerdict& give_up) {
  Planned planned(*this, b, x, options, give_up);
  if (!chosen_) choose_preconditioner(options);
  return solve_by_plan(
             planned,
             {.promise = options.promise, .ends_when_indefinite = options.ends_when_indefinite, .report = options.say})
      .front();
}

// Ranks predict what p-multigrid needs, so that all take a step down or none does. A rank that is short all the same
// ends the job.
void MatrixFreeSolver::check_room_on_all_ranks() const {
  if (cycle_.memory.preconditioner != PreconditionerKind::multigrid) return;
  const DividedField& field = *operator_.field();
  field.ghosts->ranks().agree([&] {
    const MemoryPool& pool = equations_.space().device().memory();
    const Index available = pool.available();
    if (available > 8 * pool.statistics().live) return;  // plenty
    const Index needed = p_multigrid_needs(equations_, field).set_up.total();
    if (needed <= available) return;
    throw Error(ErrorKind::device_memory,
                fmt::format("p-multigrid needs {:.1f} MB, and {:.1f} MB are available", 1e-6 * double(needed),
                            1e-6 * double(available)),
                "predicted from the cells of this rank", "start more ranks, or give them more memory");
  });
}

void MatrixFreeSolver::choose_preconditioner(const LinearSolverOptions& options) {
  using enum PreconditionerKind;
  const bool has_orders = on_all_ranks(operator_, can_coarsen(equations_));
  cycle_.memory = {.preconditioner = options.preconditioner,
                   .single_precision = options.multigrid.single_precision,
                   .matrix = false};
  PreconditionerKind& kind = cycle_.memory.preconditioner;
  if (kind == automatic || (kind == multigrid && !has_orders)) kind = has_orders ? multigrid : chebyshev;
  chosen_ = true;
}

std::unique_ptr<LinearOperator> MatrixFreeSolver::make_preconditioner(const LinearSolverOptions& options) const {
  switch (cycle_.memory.preconditioner) {
    case PreconditionerKind::jacobi: return std::make_unique<JacobiPreconditioner>(operator_.diagonal());
    case PreconditionerKind::chebyshev:
      return std::make_unique<ChebyshevPreconditioner>(operator_, operator_.diagonal(),
                                                       chebyshev_options(cycle_.sure_bounds));
    case PreconditionerKind::multigrid: {
      PMultigridOptions cycle{.single_precision = cycle_.memory.single_precision, .coarsest = options.multigrid};
      cycle.coarsest.single_precision = cycle.single_precision;
      cycle.coarsest.sure_bounds = cycle_.sure_bounds;
      if (cycle_.sure_bounds) cycle.estimate_steps = sure_estimate_steps;
      return std::make_unique<PMultigrid>(operator_, cycle);
    }
    default: return nullptr;
  }
}

namespace {

// On such cells actions cost so little, and matrices so much, that nothing else is worth a thought.
bool by_sum_factorisation(const Operator& equations) {
  return !equations.space().isoparametric() && sum_factorised(equations);
}

}  // namespace

bool needs_no_matrix(const Operator& equations, bool many) {
  const FunctionSpace& space = equations.space();
  if (!can_assemble(equations)) return true;
  if (!equations.facts().symmetric || space.order() < 2) return false;
  if (by_sum_factorisation(equations)) return true;
  constexpr Index few = 30'000;  // unknowns that are factorised quickly
  return !many && can_coarsen(equations) && acts_quickly(equations) && space.mesh().dimension() == 3 &&
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
  if (options.operator_kind == OperatorKind::automatic && !can_assemble(equations)) return true;
  return !asks_for_matrix(equations.space(), options) && needs_no_matrix(equations, options.one_of_many);
}

bool may_turn_to_a_matrix(const Operator& equations, const LinearSolverOptions& options) {
  return options.operator_kind == OperatorKind::automatic && can_assemble(equations) &&
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
