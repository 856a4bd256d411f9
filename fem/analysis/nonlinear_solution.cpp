#include "fem/analysis/nonlinear_solution.hpp"

#include "solvers/algebra/vectors.hpp"

#include <fmt/format.h>
#include <optional>
#include <utility>

namespace ritz {
namespace {

// A path of increments, each of which Newton's method brings into balance.
class Path {
 public:
  Path(const Operator& equations, const Constraints& constraints, const NonlinearOptions& options,
       const std::function<void(const std::string&)>& progress)
      : equations_(equations),
        constraints_(constraints),
        options_(options),
        progress_(progress),
        space_(equations.space()),
        u_(space_.zeros()),
        prescribed_(space_.zeros()),
        start_(space_.zeros()) {
    auto phase = space_.device().profile().phase("assembly");
    equations.reset_state();
    if (options.halvings > 0) begin_ = space_.zeros();
    if (options_.start) turned_ = options_.start->turned;
    const LinearSolverOptions linear = linear_options();
    system_.emplace(equations, linear, LinearSystem::Keeps::solver);
    const NewtonOptions newton{.relative = options.relative,
                               .rounding_error = options.rounding_error,
                               .max_steps = options.max_steps,
                               .least_linear = linear.relative};
    newton_.emplace(equations, constraints, *system_, newton, progress);
    constraints.set_values(prescribed_);
    whole_residual(u_, start_);
    if (const Index bad = first_not_finite(start_); bad >= 0)
      throw Error(Exit::model,
                  fmt::format("the residual at {} is not finite where the unknown is zero",
                              space_.name_of(static_cast<Node>(bad / space_.components()))),
                  "a load, a coefficient or the form itself overflows there",
                  "check the values of the case file and the form");
  }

  // Steps share no matrix. A run that has changed to a matrix keeps it.
  LinearSolverOptions linear_options() const {
    LinearSolverOptions linear = options_.linear;
    linear.one_of_many = false;
    linear.slow_multigrid = !turned_.empty();
    if (linear.slow_multigrid) linear.operator_kind = OperatorKind::matrix;
    return linear;
  }

  NonlinearSolution solve() {
    if (options_.start) go_on_from(*options_.start);
    const int count = options_.increment_count();
    for (int i = increment_ + 1; i <= count; ++i) {
      increment_ = i;
      system_->begin(fmt::format(" from increment {} on", i));
      advance(options_.part_of_loads(i - 1), options_.part_of_loads(i), options_.halvings);
      system_->begin();  // solvers go before anything else needs their memory
      if (i == count || options_.after_increment) find_reaction();
      if (equations_.has_state()) equations_.commit(u_);
      if (options_.after_increment && i < count) options_.after_increment(solution());
    }
    return solution();
  }

 private:
  // From one part of the loads to another; where Newton's method fails, in two halves.
  void advance(double from, double to, int halvings) {
    fraction_ = to;
    if (halvings == 0) return balance();
    copy(u_, begin_);
    try {
      balance();
    } catch (const Error& error) {
      if (error.exit() != Exit::not_converged) throw;
      if (progress_) progress_(fmt::format("increment {} is halved: {}", increment_, error.message()));
      copy(begin_, u_);
      const double middle = 0.5 * (from + to);
      advance(from, middle, halvings - 1);
      if (equations_.has_state()) equations_.commit(u_);
      advance(middle, to, halvings - 1);
    }
  }

  // Uses the state at the beginning of the increment: the committed one may give other forces if time matters.
  void find_reaction() {
    auto phase = space_.device().profile().phase("reactions");
    Vector r = space_.zeros();
    residual(u_, r);
    constraints_.keep_prescribed(r);
    reaction_ = space_.forces_to_mesh(r);
  }

  NonlinearSolution solution() {
    auto phase = space_.device().profile().phase("reactions");
    NonlinearSolution s;
    s.u = space_.zeros();
    copy(u_, s.u);
    s.reaction = reaction_;
    s.steps = newton_->steps();
    s.certificate = newton_->relative_residual();
    s.reference = newton_->reference();
    s.increment = increment_;
    s.last_solve = newton_->last_solve();
    s.last_solve.fallbacks = newton_->fallbacks();
    s.turned = turned_;
    s.remark = newton_->remark();
    return s;
  }

  void go_on_from(const NonlinearState& state) {
    increment_ = state.increment;
    u_ = Vector(space_.device(), std::span<const double>(state.u), "vectors");
    newton_->set_reference(state.reference);
    newton_->set_steps(state.steps);
    equations_.set_state(state.state);
  }

  void whole_residual(const Vector& u, Vector& r) const {
    equations_.residual(u, r);
    if (options_.forces != nullptr) axpy(-1.0, *options_.forces, r);
  }

  // The residual that is to vanish in this increment: r(u) less the part of r(0), the loads, that is yet to come.
  void residual(const Vector& u, Vector& r) const {
    whole_residual(u, r);
    if (fraction_ != 1) axpy(fraction_ - 1, start_, r);
  }

  void balance() {
    newton_->solve({.residual = [this](const Vector& u, Vector& r) { residual(u, r); },
                    .prescribed = prescribed_,
                    .part = fraction_,
                    .increment = increment_,
                    .place = fmt::format("increment {} of {}", increment_, options_.increment_count())},
                   u_);
    if (turned_.empty()) turned_ = system_->turned();
  }

  const Operator& equations_;
  const Constraints& constraints_;
  NonlinearOptions options_;
  const std::function<void(const std::string&)>& progress_;
  const FunctionSpace& space_;
  std::vector<double> reaction_;
  Vector begin_;  // u at the begin of an increment that may be halved
  Vector u_, prescribed_, start_;
  std::optional<LinearSystem> system_;
  std::optional<Newton> newton_;
  std::string turned_;
  double fraction_ = 1;
  int increment_ = 0;
};

}  // namespace

double NonlinearOptions::part_of_loads(int increment) const {
  if (increment == 0) return 0;
  const auto stage = static_cast<std::size_t>((increment - 1) / increments);
  const double from = stage == 0 ? 0 : path[stage - 1];
  return from + (path[stage] - from) * (double(increment - static_cast<int>(stage) * increments) / increments);
}

NonlinearSolution solve_nonlinear(const Operator& equations, const Constraints& constraints,
                                  const NonlinearOptions& options,
                                  const std::function<void(const std::string&)>& progress) {
  return Path(equations, constraints, options, progress).solve();
}

}  // namespace ritz
