#include "fem/analysis/first_order.hpp"

#include "device/communicator.hpp"
#include "solvers/algebra/vectors.hpp"

#include <algorithm>
#include <cmath>

namespace ritz {
namespace {

// use(unknown, component): components of all fields, one field after the other.
template <class Use>
void each_component(const Layout& layout, const Use& use) {
  std::size_t component = 0;
  for (int field = 0; field < layout.count(); ++field) {
    const auto first = static_cast<std::size_t>(layout.first(field)),
               size = static_cast<std::size_t>(layout.size(field)),
               width = static_cast<std::size_t>(layout.width(field));
    for (std::size_t i = 0; i < size; ++i) use(first + i, component + i % width);
    component += width;
  }
}

std::size_t at(Index i) { return static_cast<std::size_t>(i); }

// Over ranks each has the unknowns that it owns.
Communicator all_ranks(const Equations& equations) { return Communicator(equations.device()); }

}  // namespace

FirstOrder::FirstOrder(TimeProblem& problem, const TransientModel& model, const MessageSink& progress)
    : Integrator(problem.options.method->name, problem.options.method->error_order),
      problem_(problem),
      state_(problem.state),
      equations_(*problem.equations),
      rates_(*problem.rates),
      supports_(*problem.supports),
      steps_(problem, model, progress),
      method_(*problem.options.method),
      u_(equations_.zeros()),
      before_(equations_.zeros()),
      prescribed_(equations_.zeros()),
      known_(equations_.zeros()),
      stored_(equations_.zeros()),
      stored_before_(equations_.zeros()),
      work_(equations_.zeros()) {
  for (Vector& each : r_) each = equations_.zeros();
}

void FirstOrder::start() {
  auto phase = problem_.profile().phase("assembly");
  u_ = problem_.on_device(state_.u);
  copy(u_, before_);
  problem_.set_time(problem_.begin, problem_.begin);
  supports_.set_values(u_);
  supports_.set_values(prescribed_);
  find_rates();
  // Values that jump at the begin leave no rate to go on with, nor do fields without rates, such as a pressure, which
  // need not satisfy their equations there: the first step is one of backward Euler.
  axpy(-1.0, u_, before_);
  const Layout& layout = equations_.layout();
  jumps_ = std::ranges::find(has_rates_, false) != has_rates_.end();
  for (int field = 0; field < layout.count() && !jumps_; ++field)
    jumps_ = layout.count() == 1 ? max_abs(before_) > 1e-12 * max_abs(u_)
                                 : max_abs(layout.part(before_, field)) > 1e-12 * max_abs(layout.part(u_, field));
  problem_.set_points_at_begin();
  steps_.set_factor(0);
  residual_of(u_, r_[0]);
  problem_.check_residual_at_begin(r_[0]);
  rates_.residual(u_, stored_);
  const std::size_t components = has_rates_.size();
  state_.balance = {std::vector(components, 0.0), std::vector(components, 0.0), std::vector(components, 0.0),
                    std::vector(components, 0.0)};
  state_.lowest.assign(components, INFINITY);
  state_.highest.assign(components, -INFINITY);
  widen(u_.host(), state_.lowest, state_.highest);
  problem_.set_first_size();
  reaction_.assign(equations_.forces_for_results(known_).size(), 0.0);  // known_ is zero
}

void FirstOrder::resume() {
  u_ = problem_.on_device(state_.u);
  r_[0] = problem_.on_device(state_.r);
  find_rates();
  supports_.set_values(prescribed_);
  rates_.residual(u_, stored_);
}

// Fields of saddle points and fields in balance at any time have equations without rates.
void FirstOrder::find_rates() {
  const Layout& layout = equations_.layout();
  std::size_t count = 0;
  for (int field = 0; field < layout.count(); ++field) count += at(layout.width(field));
  has_rates_.assign(count, layout.count() == 1);
  if (layout.count() == 1) return;
  fill_start_vector(work_);
  rates_.action(u_, work_, known_);
  const std::vector<double> changes = known_.host();
  std::vector<double> largest(count, 0.0);
  each_component(equations_.layout(),
                 [&](std::size_t i, std::size_t c) { largest[c] = std::max(largest[c], std::abs(changes[i])); });
  for (std::size_t c = 0; c < count; ++c) has_rates_[c] = all_ranks(equations_).largest_of(largest[c]) > 0;
  fill(0.0, known_);
  fill(0.0, work_);
}

void FirstOrder::begin_step() {
  steps_.begin_step();
  copy(u_, before_);
  std::swap(stored_, stored_before_);
}

void FirstOrder::residual_of(const Vector& u, Vector& r) const {
  equations_.residual(u, r);
  if (problem_.options.forces != nullptr) axpy(-1.0, *problem_.options.forces, r);
}

const DiagonallyImplicitMethod& FirstOrder::use_step(Index number, double dt) {
  const DiagonallyImplicitMethod& method = number == 0 && jumps_ ? backward_euler : method_;
  steps_.use(1 / (method.diagonal * dt), dt);
  return method;
}

double FirstOrder::take(const TimeStep& step) {
  const bool first = state_.steps == 0 && jumps_;
  const DiagonallyImplicitMethod& method = use_step(state_.steps, step.dt);
  in_use_ = &method;
  take_stages(method, step);
  return problem_.judges ? estimate(method, step.dt, first || state_.control.rejected) : 0;
}

// All stages; u_ ends as the last, and stored_ as what it stores.
void FirstOrder::take_stages(const DiagonallyImplicitMethod& method, const TimeStep& step) {
  // Forces in this step, to which its residuals are relative.
  steps_.newton().set_reference(norm2(r_[0]));
  steps_.newton().forget_steps();
  for (int i = 1; i < method.stages; ++i) {
    const auto stage = at(i);
    const double t = i == method.last() ? step.end : state_.time + method.time[stage] * (step.end - state_.time);
    problem_.set_time(t, state_.time);
    supports_.set_values(prescribed_);
    axpby(steps_.factor(), stored_before_, 0.0, known_);
    for (std::size_t j = 0; j < stage; ++j)
      if (const double weight = method.weight[stage][j]; weight != 0) axpy(-weight / method.diagonal, r_[j], known_);
    const auto residual = [this](const Vector& u, Vector& r) {
      residual_of(u, r);
      axpy(-1.0, known_, r);
    };
    steps_.balance(residual, prescribed_, steps_.place_of(step), u_);
    problem_.residual_in_step = std::max(i == 1 ? 0.0 : problem_.residual_in_step, steps_.last_residual());
    // The rest of the residual, without the capacity.
    Vector& r = r_[stage];
    rates_.residual(u_, stored_);
    copy(steps_.newton().free_residual(), r);
    axpy(1.0, steps_.newton().held_residual(), r);
    axpy(1.0, known_, r);
    axpy(-steps_.factor(), stored_, r);
    if (steps_.is_traced()) steps_.trace({t, state_.time, u_.host()});
  }
}

// The local error of u at any node, over the tolerance: that of m, dt sum_i error_i r_i, through the tangent. A
// second time through it where stiff parts of the begin would speak, which the method damps (Hairer and Wanner II,
// IV.8).
double FirstOrder::estimate(const DiagonallyImplicitMethod& method, double dt, bool twice) {
  auto phase = problem_.profile().phase("error estimate");
  steps_.need_tangent_at(u_);
  fill(0.0, known_);
  for (int i = 0; i < method.stages; ++i) axpy(-method.error[at(i)] / method.diagonal, r_[at(i)], known_);
  steps_.filter(known_, work_);
  if (twice) {
    rates_.action(u_, work_, known_);
    axpby(0.0, known_, steps_.factor(), known_);
    steps_.filter(known_, work_);
  }
  const std::vector<double> error = work_.host(), u = u_.host();
  std::vector<double> lowest = state_.lowest, highest = state_.highest;
  widen(u, lowest, highest);
  const std::vector<double> ranges = ranges_in_fields(lowest, highest);
  double worst = 0;
  each_component(equations_.layout(), [&](std::size_t i, std::size_t c) {
    const double range = highest[c] - lowest[c];
    if (!has_rates_[c]) return;  // what has no rate follows from the others
    if (range <= 1e-10 * std::max(std::abs(highest[c]), std::abs(lowest[c]))) return;  // it does not change
    if (range <= 1e-12 * ranges[c]) return;  // nor does what is rounding of other components of its field
    const double ratio = std::abs(error[i]) / (problem_.options.tolerance * range);
    if (!(ratio <= worst)) worst = std::isfinite(ratio) ? ratio : INFINITY;
  });
  worst = all_ranks(equations_).largest_of(worst);
  if (steps_.shows_scale(dt) && std::isfinite(worst)) {
    state_.lowest = std::move(lowest);
    state_.highest = std::move(highest);
  }
  return worst;
}

void FirstOrder::accept(const TimeStep& step) {
  add_to_balance(step.dt);
  if (equations_.facts().has_states) equations_.states().commit(u_);
  std::swap(r_[0], r_[at(in_use_->last())]);
  state_.u = u_.host();
  state_.r = r_[0].host();
  widen(state_.u, state_.lowest, state_.highest);
}

// m_new - m_old + dt sum_i b_i r_i: what enters where values are prescribed, and nothing elsewhere.
void FirstOrder::add_to_balance(double dt) {
  const DiagonallyImplicitMethod& method = *in_use_;
  const auto& b = method.weight[at(method.last())];
  copy(stored_, work_);
  axpy(-1.0, stored_before_, work_);
  const std::vector<double> stored = work_.host();
  for (int i = 0; i < method.stages; ++i)
    if (b[at(i)] != 0) axpy(dt * b[at(i)], r_[at(i)], work_);
  supports_.gather(work_);
  const std::vector<double> unbalanced = work_.host();
  const std::size_t components = has_rates_.size();
  std::vector<double> change(components, 0), all(components, 0), held(components, 0), moved(components, 0);
  each_component(equations_.layout(), [&](std::size_t i, std::size_t c) {
    if (!has_rates_[c]) return;  // they store nothing
    change[c] += stored[i];
    all[c] += unbalanced[i];
    if (supports_.host_mask()[i] != 0) {
      held[c] += unbalanced[i];
      moved[c] += std::abs(unbalanced[i]);
    }
  });
  for (std::vector<double>* const each : {&change, &all, &held, &moved})
    for (double& sum : *each) sum = all_ranks(equations_).sum_of(sum);
  TransientBalance& sums = state_.balance;
  for (std::size_t c = 0; c < components; ++c) {
    const double supplied = change[c] - all[c];
    sums.stored[c] += change[c];
    sums.supplied[c] += supplied;
    sums.prescribed[c] += held[c];
    sums.moved[c] += moved[c] + std::abs(change[c]) + std::abs(supplied);
  }
  supports_.keep_prescribed(work_);
  axpby(0.0, work_, 1 / dt, work_);
  held_dirty_ = true;
}

SolutionView FirstOrder::view() {
  if (held_dirty_) {
    auto phase = problem_.profile().phase("reactions");
    reaction_ = equations_.forces_for_results(work_);
    held_dirty_ = false;
  }
  return {.u = u_,
          .reaction = reaction_,
          .residual = state_.residual,
          .tolerance = problem_.options.newton.relative,
          .time = state_.time};
}

// [component] the largest range of the components of its field.
std::vector<double> FirstOrder::ranges_in_fields(const std::vector<double>& lowest,
                                                 const std::vector<double>& highest) const {
  std::vector<double> ranges;
  for (int field = 0; field < equations_.layout().count(); ++field) {
    const std::size_t first = ranges.size(), width = at(equations_.layout().width(field));
    double largest = 0;
    for (std::size_t c = first; c < first + width; ++c) largest = std::max(largest, highest[c] - lowest[c]);
    ranges.resize(first + width, largest);
  }
  return ranges;
}

void FirstOrder::widen(const std::vector<double>& u, std::vector<double>& lowest, std::vector<double>& highest) const {
  each_component(equations_.layout(), [&](std::size_t i, std::size_t c) {
    lowest[c] = std::min(lowest[c], u[i]);
    highest[c] = std::max(highest[c], u[i]);
  });
  for (std::size_t c = 0; c < lowest.size(); ++c) {
    lowest[c] = -all_ranks(equations_).largest_of(-lowest[c]);
    highest[c] = all_ranks(equations_).largest_of(highest[c]);
  }
}

MemoryNeeds first_order_vector_needs(Index unknowns) {
  constexpr Index vectors =
      4 + DiagonallyImplicitMethod::most_stages;  // right-hand side, stored quantity at both ends, work; stages
  return MemoryNeeds().array<double>("vectors", unknowns, vectors);
}

}  // namespace ritz
