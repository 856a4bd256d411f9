#include "device/communicator.hpp"
#include "fem/analysis/implicit_evolution.hpp"
#include "solvers/algebra/vectors.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace ritz {
namespace {

constexpr int most_stages = DiagonallyImplicitMethod::most_stages;

// Components of all fields, one field after the other.
class Components {
 public:
  explicit Components(const Layout& layout) : layout_(layout) {}
  // use(unknown, component)
  template <class Use>
  void each(const Use& use) const {
    std::size_t component = 0;
    for (int field = 0; field < layout_.count(); ++field) {
      const auto first = static_cast<std::size_t>(layout_.first(field)),
                 size = static_cast<std::size_t>(layout_.size(field)),
                 width = static_cast<std::size_t>(layout_.width(field));
      for (std::size_t i = 0; i < size; ++i) use(first + i, component + i % width);
      component += width;
    }
  }

 private:
  const Layout& layout_;
};

// d/dt m(u) + r(u, t) = 0 by a diagonally implicit method.
class FirstOrderEvolution final : public ImplicitEvolution {
 public:
  FirstOrderEvolution(const TransientModel& model, Transient options, const Observer& observer,
                      const DiagonallyImplicitMethod& method)
      : ImplicitEvolution(model, std::move(options), observer, method.name, method.error_order),
        method_(method),
        components_(equations_->layout()),
        u_(equations_->zeros()),
        before_(equations_->zeros()),
        prescribed_(equations_->zeros()),
        known_(equations_->zeros()),
        stored_(equations_->zeros()),
        stored_before_(equations_->zeros()),
        work_(equations_->zeros()) {
    for (Vector& each : r_) each = equations_->zeros();
  }

 private:
  void start() override {
    auto phase = profile().phase("assembly");
    u_ = Vector(equations_->device(), std::span<const double>(state_.u), "vectors");
    copy(u_, before_);
    set_time(begin_, begin_);
    supports_->set_values(u_);
    supports_->set_values(prescribed_);
    find_rates();
    // Values that jump at the begin leave no rate to go on with, nor do fields without rates, such as a pressure, which
    // need not satisfy their equations there: the first step is one of backward Euler.
    axpy(-1.0, u_, before_);
    const Layout& layout = equations_->layout();
    jumps_ = std::ranges::find(has_rates_, false) != has_rates_.end();
    for (int field = 0; field < layout.count() && !jumps_; ++field)
      jumps_ = layout.count() == 1 ? max_abs(before_) > 1e-12 * max_abs(u_)
                                   : max_abs(layout.part(before_, field)) > 1e-12 * max_abs(layout.part(u_, field));
    set_points_at_begin();
    set_factors(0);
    residual_of(u_, r_[0]);
    check_residual_at_begin(r_[0]);
    rates_->residual(u_, stored_);
    const std::size_t components = has_rates_.size();
    state_.balance = {std::vector(components, 0.0), std::vector(components, 0.0), std::vector(components, 0.0),
                      std::vector(components, 0.0)};
    state_.lowest.assign(components, INFINITY);
    state_.highest.assign(components, -INFINITY);
    widen(u_.host(), state_.lowest, state_.highest);
    set_first_size();
    reaction_.assign(equations_->forces_for_results(known_).size(), 0.0);  // known_ is zero
  }

  void resume() override {
    u_ = Vector(equations_->device(), std::span<const double>(state_.u), "vectors");
    r_[0] = Vector(equations_->device(), std::span<const double>(state_.r), "vectors");
    find_rates();
    supports_->set_values(prescribed_);
    rates_->residual(u_, stored_);
  }

  // Fields of saddle points and fields in balance at any time have equations without rates.
  void find_rates() {
    const Layout& layout = equations_->layout();
    std::size_t count = 0;
    for (int field = 0; field < layout.count(); ++field) count += at(layout.width(field));
    has_rates_.assign(count, layout.count() == 1);
    if (layout.count() == 1) return;
    fill_start_vector(work_);
    rates_->action(u_, work_, known_);
    const std::vector<double> changes = known_.host();
    std::vector<double> largest(count, 0.0);
    components_.each([&](std::size_t i, std::size_t c) { largest[c] = std::max(largest[c], std::abs(changes[i])); });
    for (std::size_t c = 0; c < count; ++c) has_rates_[c] = all_ranks().largest_of(largest[c]) > 0;
    fill(0.0, known_);
    fill(0.0, work_);
  }

  void begin_step() override {
    begin_system();
    copy(u_, before_);
    std::swap(stored_, stored_before_);
  }
  void return_to_begin() override { copy(before_, u_); }

  void residual_of(const Vector& u, Vector& r) const {
    equations_->residual(u, r);
    if (options_.forces != nullptr) axpy(-1.0, *options_.forces, r);
  }

  double take(const TimeStep& step) override {
    const bool first = state_.steps == 0 && jumps_;
    const DiagonallyImplicitMethod& method = first ? backward_euler : method_;
    use(1 / (method.diagonal * step.dt), step.dt);
    in_use_ = &method;
    take_stages(method, step);
    return judges_ ? estimate(method, step.dt, first || state_.control.rejected) : 0;
  }

  // All stages; u_ ends as the last, and stored_ as what it stores.
  void take_stages(const DiagonallyImplicitMethod& method, const TimeStep& step) {
    // Forces in this step, to which its residuals are relative.
    newton_.set_reference(norm2(r_[0]));
    newton_.forget_steps();
    for (int i = 1; i < method.stages; ++i) {
      const auto stage = at(i);
      const double t = i == method.last() ? step.end : state_.time + method.time[stage] * (step.end - state_.time);
      set_time(t, state_.time);
      supports_->set_values(prescribed_);
      axpby(factor_, stored_before_, 0.0, known_);
      for (std::size_t j = 0; j < stage; ++j)
        if (const double weight = method.weight[stage][j]; weight != 0) axpy(-weight / method.diagonal, r_[j], known_);
      const auto residual = [this](const Vector& u, Vector& r) {
        residual_of(u, r);
        axpy(-1.0, known_, r);
      };
      balance(residual, prescribed_, place_of(step), u_);
      residual_in_step_ = std::max(i == 1 ? 0.0 : residual_in_step_, last_residual());
      // The rest of the residual, without the capacity.
      Vector& r = r_[stage];
      rates_->residual(u_, stored_);
      copy(newton_.free_residual(), r);
      axpy(1.0, newton_.held_residual(), r);
      axpy(1.0, known_, r);
      axpy(-factor_, stored_, r);
      if (is_traced()) trace({t, state_.time, u_.host()});
    }
  }

  // The local error of u at any node, over the tolerance: that of m, dt sum_i error_i r_i, through the tangent. A
  // second time through it where stiff parts of the begin would speak, which the method damps (Hairer and Wanner II,
  // IV.8).
  double estimate(const DiagonallyImplicitMethod& method, double dt, bool twice) {
    auto phase = profile().phase("error estimate");
    if (!linear_ && newton_.steps().empty()) system_->linearise(u_);
    fill(0.0, known_);
    for (int i = 0; i < method.stages; ++i) axpy(-method.error[at(i)] / method.diagonal, r_[at(i)], known_);
    filter(known_, work_);
    if (twice) {
      rates_->action(u_, work_, known_);
      axpby(0.0, known_, factor_, known_);
      filter(known_, work_);
    }
    const std::vector<double> error = work_.host(), u = u_.host();
    std::vector<double> lowest = state_.lowest, highest = state_.highest;
    widen(u, lowest, highest);
    const std::vector<double> ranges = ranges_in_fields(lowest, highest);
    double worst = 0;
    components_.each([&](std::size_t i, std::size_t c) {
      const double range = highest[c] - lowest[c];
      if (!has_rates_[c]) return;  // what has no rate follows from the others
      if (range <= 1e-10 * std::max(std::abs(highest[c]), std::abs(lowest[c]))) return;  // it does not change
      if (range <= 1e-12 * ranges[c]) return;  // nor does what is rounding of other components of its field
      const double ratio = std::abs(error[i]) / (options_.tolerance * range);
      if (!(ratio <= worst)) worst = std::isfinite(ratio) ? ratio : INFINITY;
    });
    worst = all_ranks().largest_of(worst);
    if (shows_scale(dt) && std::isfinite(worst)) {
      state_.lowest = std::move(lowest);
      state_.highest = std::move(highest);
    }
    return worst;
  }

  void step_back(Taken& taken, Index number, Adjoint& adjoint) override {
    const DiagonallyImplicitMethod& method = number == 0 && jumps_ ? backward_euler : method_;
    use(1 / (method.diagonal * taken.step.dt), taken.step.dt);
    std::array<Vector, most_stages> lambda;
    Vector sum = equations_->zeros();
    const auto weighted = [&](int stage) {  // what stages after this one give it
      Vector weights = equations_->zeros();
      for (int k = std::max(stage + 1, 1); k < method.stages; ++k)
        axpy(method.weight[at(k)][at(stage)] / method.diagonal, lambda[at(k)], weights);
      return weights;
    };
    for (int i = method.last(); i > 0; --i) {
      const bool is_end = i == method.last();
      Stage& stage = taken.stages[at(i - 1)];
      const Vector u = on_device(stage.u);
      set_time(stage.time, stage.since);
      Vector of_residual = is_end ? on_device(adjoint.of_residual) : weighted(i);
      Vector of_rates = is_end ? on_device(adjoint.of_rates) : equations_->zeros();
      const std::vector<double> direct = is_end ? adjoint.g : std::vector<double>(adjoint.g.size(), 0.0);
      lambda[at(i)] = solve_transposed(u, derivative_at(u, direct, of_residual, of_rates));
      axpy(1.0, lambda[at(i)], of_residual);
      axpy(factor_, lambda[at(i)], of_rates);
      axpy(-factor_, lambda[at(i)], sum);
      add_prescribed(derivative_at(u, direct, of_residual, of_rates), adjoint.by_prescribed);
      stage.of_residual = of_residual.host();
      stage.of_rates = of_rates.host();
    }
    adjoint.of_residual = weighted(0).host();
    adjoint.of_rates = sum.host();
    std::ranges::fill(adjoint.g, 0.0);
  }

  // dJ/du of a stage: direct, less the transposed tangents of what these weights do work on. The equations hold the
  // rates times the present factor.
  Vector derivative_at(const Vector& u, const std::vector<double>& g, const Vector& of_residual,
                       const Vector& of_rates) {
    Vector result = on_device(g), beside = equations_->zeros();
    axpy(-1.0, transposed_action(*equations_, u, of_residual), result);
    copy(of_rates, beside);
    axpy(-std::max(factor_, 0.0), of_residual, beside);
    axpy(-1.0, transposed_action(*rates_, u, beside), result);
    return result;
  }

  // The begin has no equations.
  std::vector<double> end_at(std::vector<Stage>& begin, Adjoint& adjoint) override {
    Stage& stage = begin.front();
    set_time(stage.time, stage.since);
    Vector g = derivative_at(on_device(stage.u), adjoint.g, on_device(adjoint.of_residual),
                             on_device(adjoint.of_rates)),
           held = equations_->zeros();
    copy(g, held);
    add_prescribed(std::move(held), adjoint.by_prescribed);
    stage.of_residual = adjoint.of_residual;
    stage.of_rates = adjoint.of_rates;
    supports_->gather(g);
    supports_->set_zero(g);
    return g.host();
  }

  void accept(const TimeStep& step) override {
    add_to_balance(step.dt);
    if (equations_->facts().has_states) equations_->states().commit(u_);
    std::swap(r_[0], r_[at(in_use_->last())]);
    state_.u = u_.host();
    state_.r = r_[0].host();
    widen(state_.u, state_.lowest, state_.highest);
  }

  // m_new - m_old + dt sum_i b_i r_i: what enters where values are prescribed, and nothing elsewhere.
  void add_to_balance(double dt) {
    const DiagonallyImplicitMethod& method = *in_use_;
    const auto& b = method.weight[at(method.last())];
    copy(stored_, work_);
    axpy(-1.0, stored_before_, work_);
    const std::vector<double> stored = work_.host();
    for (int i = 0; i < method.stages; ++i)
      if (b[at(i)] != 0) axpy(dt * b[at(i)], r_[at(i)], work_);
    supports_->gather(work_);
    const std::vector<double> unbalanced = work_.host();
    const std::size_t components = has_rates_.size();
    std::vector<double> change(components, 0), all(components, 0), held(components, 0), moved(components, 0);
    components_.each([&](std::size_t i, std::size_t c) {
      if (!has_rates_[c]) return;  // they store nothing
      change[c] += stored[i];
      all[c] += unbalanced[i];
      if (supports_->host_mask()[i] != 0) {
        held[c] += unbalanced[i];
        moved[c] += std::abs(unbalanced[i]);
      }
    });
    for (std::vector<double>* const each : {&change, &all, &held, &moved})
      for (double& sum : *each) sum = all_ranks().sum_of(sum);
    TransientBalance& sums = state_.balance;
    for (std::size_t c = 0; c < components; ++c) {
      const double supplied = change[c] - all[c];
      sums.stored[c] += change[c];
      sums.supplied[c] += supplied;
      sums.prescribed[c] += held[c];
      sums.moved[c] += moved[c] + std::abs(change[c]) + std::abs(supplied);
    }
    supports_->keep_prescribed(work_);
    axpby(0.0, work_, 1 / dt, work_);
    held_dirty_ = true;
  }

  SolutionView view() override {
    if (held_dirty_) {
      auto phase = profile().phase("reactions");
      reaction_ = equations_->forces_for_results(work_);
      held_dirty_ = false;
    }
    return {.u = u_,
            .reaction = reaction_,
            .residual = state_.residual,
            .tolerance = options_.newton.relative,
            .time = state_.time};
  }

  Stage present() override { return {state_.time, state_.time - state_.dt, u_.host()}; }

  // [component] the largest range of the components of its field.
  std::vector<double> ranges_in_fields(const std::vector<double>& lowest, const std::vector<double>& highest) const {
    std::vector<double> ranges;
    for (int field = 0; field < equations_->layout().count(); ++field) {
      const std::size_t first = ranges.size(), width = at(equations_->layout().width(field));
      double largest = 0;
      for (std::size_t c = first; c < first + width; ++c) largest = std::max(largest, highest[c] - lowest[c]);
      ranges.resize(first + width, largest);
    }
    return ranges;
  }

  // Over ranks each has the unknowns that it owns.
  Communicator all_ranks() const { return Communicator(equations_->device()); }

  void widen(const std::vector<double>& u, std::vector<double>& lowest, std::vector<double>& highest) const {
    components_.each([&](std::size_t i, std::size_t c) {
      lowest[c] = std::min(lowest[c], u[i]);
      highest[c] = std::max(highest[c], u[i]);
    });
    for (std::size_t c = 0; c < lowest.size(); ++c) {
      lowest[c] = -all_ranks().largest_of(-lowest[c]);
      highest[c] = all_ranks().largest_of(highest[c]);
    }
  }

  const DiagonallyImplicitMethod& method_;
  const Components components_;
  std::vector<bool> has_rates_;                       // [component]
  const DiagonallyImplicitMethod* in_use_ = nullptr;  // in the last step
  Vector u_, before_, prescribed_, known_;            // known_: right-hand side of a stage
  Vector stored_, stored_before_;                     // m at the present stage, and at the begin of the step
  Vector work_;                                       // between steps: what held prescribed values in the last one
  std::array<Vector, most_stages> r_;                 // of each stage
  std::vector<double> reaction_;
  bool jumps_ = false, held_dirty_ = false;
};

}  // namespace

std::unique_ptr<ImplicitEvolution> first_order(const TransientModel& model, Transient options,
                                               const Observer& observer) {
  const DiagonallyImplicitMethod& method = *options.method;
  return std::make_unique<FirstOrderEvolution>(model, std::move(options), observer, method);
}

MemoryNeeds first_order_vector_needs(Index unknowns) {
  constexpr Index vectors = 4 + most_stages;  // right-hand side, stored quantity at both ends, work; stages
  return MemoryNeeds().array<double>("vectors", unknowns, vectors);
}

}  // namespace ritz
