#include "fem/analysis/linear_system.hpp"

#include "device/host_memory.hpp"
#include "device/memory_shortage.hpp"
#include "fem/operator/abilities.hpp"
#include "fem/operator/linearisation.hpp"
#include "fem/operator/task_plans.hpp"
#include "fem/analysis/transposed_tangent.hpp"
#include "device/process/stop_request.hpp"
#include "fem/space/nested_nodes.hpp"
#include "fem/space/pattern_size.hpp"
#include "solvers/algebra/vectors.hpp"
#include "solvers/linear/memory_steps.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace ritz {

LinearSystem::LinearSystem(const Operator& equations, const LinearSolverOptions& options, Keeps keeps,
                           const OwnField* part, Tangent tangent)
    : equations_(equations), space_(equations.space()), keeps_(keeps), part_(part), tangent_(tangent) {
  const LongWork making_pattern;
  if (part == nullptr && options.ranks != nullptr)
    throw Error(ErrorKind::internal, "a linear system over ranks of equations that are not those of a part");
  if (part == nullptr && !without_matrix(equations, options)) K_.emplace(equations.make_matrix());
  if (keeps != Keeps::nothing || part != nullptr) cache_.emplace();
  set_options(options);
}

LinearSystem::~LinearSystem() { end_part(); }

// A factor goes by all ranks together, unless one is lost.
void LinearSystem::end_part() noexcept {
  try {
    if (part_ != nullptr && std::uncaught_exceptions() == unwinding_) cache_->end();
  } catch (const Error&) {  // the job ends
  }
}

void LinearSystem::set_options(const LinearSolverOptions& options) {
  options_ = part_ != nullptr ? options_over_ranks(*part_, options) : options;
  if (part_ == nullptr && options_.promise == MatrixPromise::none && equations_.facts().symmetric)
    options_.promise = MatrixPromise::symmetric;
}

void LinearSystem::begin(const std::string& stage) {
  stage_ = stage;
  without_matrix_.reset();
  if (cache_ && part_ == nullptr) cache_.emplace();
}

// Equations between unknowns may join others than before: the matrix has another pattern then.
void LinearSystem::hold(const Supports& constraints) {
  const bool is_first = !constraints_;
  constraints_ = dynamic_cast<const Constraints&>(constraints.eliminating());
  if (is_first) return;
  begin(stage_);
  of_part_.reset();
  if (!K_) return;
  equations_.plans().forget_assembly();
  K_.emplace(equations_.make_matrix());
}

void LinearSystem::linearise(const Vector& u, const Constraints& constraints, bool alike) {
  const LongWork assembling;
  constraints_ = constraints;
  beside_.tangent_changed();
  if (ground_) ground_->tangent_changed();
  if (part_ != nullptr) {
    linearise_part(u, alike);
  } else if (K_) {
    assemble(u);
    if (cache_) cache_->values_changed(alike);
  } else if (without_matrix_) {
    without_matrix_->move_to(u);
  } else {
    without_matrix_.emplace(equations_, constraints, u);
  }
  // Before the matrix loses its rows.
  beside_.find_stop_columns([this](const Vector& x, Vector& y) { multiply_alone(x, y); }, *constraints_);
}

void LinearSystem::assemble(const Vector& u) {
  if (keeps_ == Keeps::nothing) Linearisation(equations_, u).assemble_once(*K_);
  else equations_.assemble(u, *K_);
  if (tangent_ == Tangent::transposed) transpose(*K_);
  eliminated_ = false;
}

void LinearSystem::linearise_part(const Vector& u, bool alike) {
  if (!of_part_ || !alike) {
    without_matrix_.reset();
    end_part();
    cache_.emplace();
    of_part_.emplace(*part_, options_);
    first_solution_ = {};
  }
  of_part_->find_nested_levels();
  point_ = {};
  if (!part_->equations_of_all().facts().linear && !u.empty()) {
    point_ = equations_.zeros();
    copy(u, point_);
  }
  cache_->matrix_replaced();
  rows_.reset();
  const Operator& own = part_->equations();
  if (of_part_->has_matrix()) {
    of_part_->check_room();
    SparseMatrix K = tangent_matrix(own, part_->divided().with_ghosts(point_));
    if (tangent_ == Tangent::transposed) transpose(K);  // columns of owned nodes are complete, too
    const double pivot = std::max(max_abs(K.diagonal()), 1e-300);
    rows_ = of_part_->eliminated(std::move(K), pivot);
  } else {
    auto phase = space_.device().profile().phase("assembly");
    const Vector point = part_->divided().with_ghosts(point_);
    if (without_matrix_) without_matrix_->move_to(point);
    else without_matrix_.emplace(own, part_->supports(), point, &of_part_->field());
  }
  space_.device().memory().trim();
  return_freed_host_memory();
}

void LinearSystem::eliminate() {
  if (std::exchange(eliminated_, true)) return;
  auto phase = space_.device().profile().phase("constraints");
  constraints_->eliminate(*K_, std::max(max_abs(K_->diagonal()), 1e-300));
}

void LinearSystem::act(const Vector& x, Vector& y) const {
  equations_.action(part_ != nullptr ? point_ : *without_matrix_->point(), x, y);
}

void LinearSystem::multiply_alone(const Vector& x, Vector& y) const {
  if (K_) K_->apply(x, y);
  else act(x, y);
}

void LinearSystem::multiply(const Vector& x, Vector& y) const {
  multiply_alone(x, y);
  beside_.add_product(x, y);
}

void LinearSystem::set_beside(std::shared_ptr<const Attached> attached, double stiffness, double mass) {
  beside_.set(std::move(attached), stiffness, mass);
}

SolveReport LinearSystem::solve(const Vector& b, Vector& x, const std::optional<LinearTolerance>& tolerance) {
  return beside_.solve(
      [this](const Vector& force, Vector& u, const auto& to) { return solve_tangent(force, u, to); },
      [this](const auto& forces, const auto& us, const LinearTolerance& to) { return solve_tangents(forces, us, to); },
      b, x, tolerance, *constraints_, equations_.facts().symmetric);
}

// Together, where there is a matrix.
std::vector<SolveReport> LinearSystem::solve_tangents(std::span<const Vector* const> b, std::span<Vector* const> x,
                                                      const LinearTolerance& tolerance) {
  std::vector<SolveReport> reports;
  if (!K_ || b.size() < 2) {
    for (std::size_t i = 0; i < b.size(); ++i) reports.push_back(solve_tangent(*b[i], *x[i], tolerance));
    return reports;
  }
  const auto count = static_cast<int>(b.size());
  MultiVector B(b[0]->device(), b[0]->size(), count), X(b[0]->device(), b[0]->size(), count);
  for (int i = 0; i < count; ++i) {
    B.set_column(i, *b[static_cast<std::size_t>(i)]);
    X.set_column(i, *x[static_cast<std::size_t>(i)]);
  }
  const LinearSolverOptions kept = options_;
  options_.relative = tolerance.relative;
  options_.rounding_error = tolerance.rounding_error;
  reports = solve(B, X, {});
  options_ = kept;
  for (int i = 0; i < count; ++i) X.get_column(i, *x[static_cast<std::size_t>(i)]);
  return reports;
}

void LinearSystem::set_ground(GroundMotions motions) {
  ground_.reset();
  if (motions != nullptr && !motions->empty()) ground_.emplace(std::move(motions));
}

// A factor needs no correction.
void LinearSystem::correct(const SolveReport& report, const Vector& b, Vector& x) {
  if (!ground_ || !report.converged() || report.preconditioner.empty() || !(K_ || can_act(equations_))) return;
  if (options_.promise == MatrixPromise::none) return;  // its stiffness is symmetric
  auto phase = space_.device().profile().phase("rigid motions");
  Vector field;
  const auto multiply = [&](const Vector& from, Vector& to) {
    if (K_) {
      K_->apply(from, to);
    } else {
      if (field.empty()) field = equations_.zeros();
      copy(from, field);
      constraints_->set_linear(field);
      act(field, to);
      constraints_->gather(to);
    }
    constraints_->set_zero(to);
  };
  ground_->apply(multiply, b, x);
}

SolveReport LinearSystem::solve_tangent(const Vector& b, Vector& x, const std::optional<LinearTolerance>& tolerance) {
  const SolveReport report = solve_uncorrected(b, x, tolerance);
  correct(report, b, x);
  return report;
}

SolveReport LinearSystem::solve_uncorrected(const Vector& b, Vector& x,
                                            const std::optional<LinearTolerance>& tolerance) {
  LinearSolverOptions options = options_;
  if (tolerance) {
    options.relative = tolerance->relative;
    options.rounding_error = tolerance->rounding_error;
    options.ends_when_indefinite = tolerance->ends_when_indefinite;
  }
  if (part_ != nullptr) return solve_part({b, x}, options).front();
  if (!K_) return solve_without_matrix(b, x, options);
  eliminate();
  if (cache_) options.cache = &*cache_;
  const bool projects = keeps_ == Keeps::solver_and_solutions && options.promise == MatrixPromise::positive_definite;
  SolveReport report;
  if (projects) {
    report.true_relative_residual = guess_.start(*K_, b, x);
    if (report.true_relative_residual <= 0.99 * options.relative) {
      report.method = "combination of earlier solutions";
      report.reason = StopReason::converged;
      return report;
    }
  }
  report = solve_linear(*K_, b, x, options, tangent_ == Tangent::itself ? solver_geometry(space_) : SolverGeometry());
  options_.say = {};                                     // said once
  const bool iterated = !report.preconditioner.empty();  // a factor needs no initial guess
  if (projects && report.converged() && iterated) guess_.add(x);
  return report;
}

std::vector<SolveReport> LinearSystem::solve_part(const Columns& columns, LinearSolverOptions options) {
  Ranks& ranks = part_->divided().ranks();
  const ExchangeCounts before = ranks.counts();
  std::vector<SolveReport> reports;
  if (without_matrix_) {
    reports = {without_matrix_->solve(columns.b(), columns.x(), options)};
    reports.front().choice =
        fmt::format("divided among {} ranks; elements of order {} need no matrix", ranks.count(), space_.order());
  } else {
    options.cache = &*cache_;
    const SolverGeometry geometry = of_part_->geometry();
    reports = columns.together() ? solve_linear(*rows_, columns.B(), columns.X(), options, geometry)
                                 : std::vector{solve_linear(*rows_, columns.b(), columns.x(), options, geometry)};
  }
  if (first_solution_.messages == 0 && !columns.together())
    first_solution_ = {ranks.counts().messages - before.messages, ranks.counts().bytes - before.bytes};
  of_part_->report(rows_.get(), &*cache_, first_solution_);
  return reports;
}

SolveReport LinearSystem::solve_without_matrix(const Vector& b, Vector& x, const LinearSolverOptions& options) {
  const bool may_turn = !no_room_ && may_turn_to_a_matrix(equations_, options);
  const IterationVerdict verdict = may_turn ? slower_than_with_a_matrix(equations_, options) : IterationVerdict();
  std::string reason;
  std::optional<Error> failure;
  try {
    SolveReport report = without_matrix_->solve(b, x, options, verdict);
    if (report.converged() || !may_turn || report.entry >= 0) return report;
    if (options.ends_when_indefinite && report.reason == StopReason::indefinite_matrix) return report;
    reason = fmt::format("the linear solver ({}, {}) stopped after {} iterations: {}", report.method,
                         report.preconditioner, report.iterations, name_of(report.reason));
  } catch (const Error& error) {  // preconditioners may find that the tangent is not definite
    const bool indefinite = error.exit() == Exit::model && options.promise != MatrixPromise::positive_definite;
    if (!may_turn || !(indefinite || error.exit() == Exit::not_converged)) throw;
    failure = error;
    reason = error.message();
  }
  return turn_to_matrix(reason, failure, b, x, options);
}

// A tangent that is not definite, or a hard one, is factorised.
SolveReport LinearSystem::turn_to_matrix(const std::string& reason, const std::optional<Error>& failure,
                                         const Vector& b, Vector& x, const LinearSolverOptions& options) {
  const std::string text = fmt::format("with a matrix{}, since without one {}", stage_, reason);
  if (options.say) options.say(text);
  const std::shared_ptr<const Vector> u = without_matrix_->point();
  without_matrix_.reset();
  equations_.plans().forget(Operator::Task::action);
  equations_.plans().forget(Operator::Task::diagonal);
  if (keeps_ == Keeps::nothing) equations_.plans().forget(Operator::Task::residual);
  MemoryPool& pool = space_.device().memory();
  pool.trim();
  x.fill_zero();
  SolveReport report;
  const std::optional<Error> shortage = memory_shortage([&] {
    check_room_for_matrix(space_);
    {
      auto phase = space_.device().profile().phase("assembly");
      K_.emplace(equations_.make_matrix());
      const Vector zero = u->empty() ? space_.zeros() : Vector();
      assemble(u->empty() ? zero : *u);
    }
    cache_.emplace();
    options_.slow_multigrid = true;
    report = solve_uncorrected(b, x, LinearTolerance{options.relative, options.rounding_error});
  });
  if (!shortage) {
    turned_ = text;
    return report;
  }
  if (failure) throw *failure;
  cache_.reset();
  K_.reset();
  space_.forget_pattern();
  pool.trim();
  no_room_ = true;
  MemorySavings savings{.needs_matrix = false};
  const std::string step = *step_down(MemoryLevel::system, savings, *shortage);
  if (options.say) options.say(step);
  without_matrix_.emplace(equations_, *constraints_, *u);
  x.fill_zero();
  report = without_matrix_->solve(b, x, options);  // however long that takes
  report.fallbacks.insert(report.fallbacks.begin(), step);
  return report;
}

std::vector<SolveReport> LinearSystem::solve(const MultiVector& B, MultiVector& X, const AfterColumns& after_columns) {
  if (part_ != nullptr && options_.method != LinearMethod::direct) return TangentSystem::solve(B, X, after_columns);
  if (part_ != nullptr) return solve_part({B, X}, options_);
  eliminate();
  LinearSolverOptions options = options_;
  if (cache_) options.cache = &*cache_;
  options.after_columns = after_columns;
  const std::vector<SolveReport> reports = solve_linear(*K_, B, X, options, solver_geometry(space_));
  if (!ground_) return reports;
  Vector b = space_.zeros(), x = space_.zeros();
  for (int column = 0; column < B.columns(); ++column) {
    B.get_column(column, b);
    X.get_column(column, x);
    correct(reports[static_cast<std::size_t>(column)], b, x);
    X.set_column(column, x);
  }
  return reports;
}

void check_room_for_matrix(const FunctionSpace& space) {
  auto phase = space.device().profile().phase("checks");
  const Index b = space.components();
  Index pairs = 0;
  MemoryNeeds needs;
  if (space.has_pattern()) {
    pairs = space.pattern()->nonzeros();
  } else {
    const PatternSize size = pattern_size(entity_counts(space.mesh()), space.isoparametric() ? 0 : space.order());
    pairs = size.pairs;
    needs.array<Index>("pattern", size.nodes + 1).array<std::int32_t>("pattern", size.pairs);
  }
  needs.array<double>("matrix", pairs * b * b).array<double>("vectors", space.unknown_count(), 4);
  const Index available = space.device().memory().available();
  if (needs.total() <= available) return;
  throw Error(ErrorKind::device_memory,
              fmt::format("a matrix needs {:.1f} MB, and {:.1f} MB are available", 1e-6 * double(needs.total()),
                          1e-6 * double(available)),
              "counted from the mesh", "solve without a matrix: [solver] operator = \"matrix_free\"");
}

}  // namespace ritz
