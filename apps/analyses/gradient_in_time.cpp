#include "apps/analyses/gradient_parts.hpp"
#include "apps/results/checkpoint_states.hpp"
#include "io/files/byte_size.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <memory>
#include <numeric>
#include <utility>

namespace ritz {
namespace {

// The part of a gradient in time that a checkpoint has: the way so far, and where the way back has begun, how far it
// has come.
struct WayThereAndBack {
  Trajectory path;
  std::vector<double> values;  // [step] of the probe, 0: at the begin; where its integral is asked for
  AdjointState adjoint;
  std::vector<std::vector<double>> direct;  // [key][cell] by what the probe takes of the numbers directly

  void put_into(CheckpointState& state) const {
    const auto add = [&](const std::string& name, std::vector<double> numbers) {
      state.numbers[name] = std::make_shared<const std::vector<double>>(std::move(numbers));
    };
    put(path, state);
    add("gradient.values", values);
    if (adjoint.parts < 0) return;
    add("gradient.parts", {static_cast<double>(adjoint.parts)});
    for (const auto& [name, numbers] : adjoint.numbers) add(of_adjoint + name, numbers);
    for (std::size_t i = 0; i < direct.size(); ++i) add(fmt::format("gradient.direct.{}", i), direct[i]);
  }
  // The analysis goes on from the state of the checkpoint, which may lie before the last step.
  void resume(const CheckpointState& state, std::size_t keys) {
    path = path_of(state);
    path.cut(state_of(state).steps);
    if (const auto found = state.numbers.find("gradient.values"); found != state.numbers.end()) values = *found->second;
    values.resize(std::min(values.size(), static_cast<std::size_t>(path.step_count()) + 1));
    const auto parts = state.numbers.find("gradient.parts");
    if (parts == state.numbers.end()) return;
    adjoint.parts = static_cast<Index>(parts->second->at(0));
    for (const auto& [name, numbers] : state.numbers)
      if (name.starts_with(of_adjoint)) adjoint.numbers[name.substr(of_adjoint.size())] = *numbers;
    for (std::size_t i = 0; i < keys; ++i) direct.push_back(*state.numbers.at(fmt::format("gradient.direct.{}", i)));
  }

 private:
  inline static const std::string of_adjoint = "gradient.adjoint.";
};

// Follows an evolution, and takes the gradient at its end.
class GradientInTime {
 public:
  GradientInTime(Run& run, const CaseModel& read, const Transient& options)
      : run_(run), read_(read), options_(options), probe_(*probe_of(run, read)), field_(derived_of(read, probe_)) {
    if (field_ == nullptr) weights_ = weights_of_unknowns(read, probe_);
    options_.linear = accurate_adjoint(options_.linear);
    options_.newton.least_linear = std::min(options_.newton.least_linear, options_.linear.relative);
    if (is_linear_in_time(read.model)) options_.newton.relative = options_.linear.relative;
    if (const std::optional<CheckpointState>& resumed = run.results().resumed()) {
      kept_->resume(*resumed, read.gradient->keys.size());
      has_begun_ = resumed->steps > 0;
    }
    // It may be written after this has gone, where the run is stopped.
    run.results().keep_beside([kept = kept_](CheckpointState& state) { kept->put_into(state); });
  }

  Observer following(Observer observer) {
    observer.keep = [this, keep = observer.keep](const State& s) {
      if (!is_over_) kept_->path.keep(s);
      if (!is_over_ && s.steps > 0) add_value({s.time, s.dt}, s.u, s.v);
      if (keep) keep(s);
    };
    observer.step = [this, step = observer.step](const AnalysisStep& s) {
      if (s.accepted) last_ = {s.dt, s.time};
      if (step) step(s);
    };
    observer.show = [this, show = observer.show](const SolutionView& s) {
      is_over_ = *s.time == options_.end;
      if (!has_begun_ || is_over_)
        add_value({*s.time, is_over_ ? last_.dt : 0}, s.u.host(),
                  s.velocity != nullptr ? s.velocity->host() : std::vector<double>());
      has_begun_ = true;
      if (is_over_) kept_->path.finish(last_);
      carry_gradient(run_, read_, is_over_ ? take() : gradient_without_values(read_));
      show(s);
    };
    return observer;
  }

 private:
  // The way there is kept before the way back begins, so that it is not lost.
  void keep_way_back(const std::string& where, Results::Writing writing) {
    run_.results().keep_again(fmt::format("t = {:g}, {}", kept_->path.end_of(kept_->path.step_count() - 1), where),
                              writing);
  }

  bool of_velocity() const { return field_ == nullptr && probe_.field == "velocity"; }

  // Values of the probe after each step, where its integral is asked for.
  void add_value(const Time& time, const std::vector<double>& u, const std::vector<double>& v) {
    if (!read_.gradient->over_time) return;
    if (field_ != nullptr) return kept_->values.push_back(work_at(time, u).value(u));
    const std::vector<double>& x = of_velocity() ? v : u;
    kept_->values.push_back(std::inner_product(x.begin(), x.end(), weights_.begin(), 0.0));
  }

  // Over time the probe is linear in what is derived: its weights stay.
  DerivedWork& work_at(const Time& time, const std::vector<double>& u) {
    if (!work_)
      work_.emplace(derived_work(read_, *field_, probe_, {}, time,
                                 Vector(read_.space().device(), std::span<const double>(u), "vectors")));
    work_->set_time(time);
    return *work_;
  }

  // Half of the steps beside it: the trapezoidal rule.
  double weight_of(Index step) const {
    if (!read_.gradient->over_time) return step == kept_->path.step_count() ? 1 : 0;
    const auto time = [this](Index at) { return at == 0 ? kept_->path.begin() : kept_->path.end_of(at - 1); };
    return 0.5 * (time(std::min(step + 1, kept_->path.step_count())) - time(std::max<Index>(step - 1, 0)));
  }

  std::vector<Field> take() {
    auto phase = run_.phase("gradient");
    run_.log().progress("gradient");
    const GradientNumbers numbers(run_, read_);
    if (kept_->direct.empty())
      for (const DifferentiatedNumber& each : numbers.all())
        kept_->direct.emplace_back(each.size(read_.space().mesh()), 0.0);
    if (kept_->adjoint.parts < 0) keep_way_back("before the way back of the gradient", Results::Writing::at_once);
    const TransientDerivatives d = differentiate(
        read_.model, options_, kept_->path,
        [&](const ReachedState& s, const StateDerivative& g) { add_derivative(s, g, numbers.all()); }, numbers.all(),
        {.begin = kept_->adjoint, .keep = [this](const AdjointState& s) {
           kept_->adjoint = s;
           run_.log().detail("gradient: {} of {} parts of the way back to go", s.parts, kept_->path.part_count());
           keep_way_back(
               fmt::format("{} of {} parts of the way back of the gradient to go", s.parts, kept_->path.part_count()),
               Results::Writing::now_and_then);
         }});
    std::vector<Field> fields = gradient_fields(read_);
    for (std::size_t i = 0; i < fields.size(); ++i) {
      fields[i].values = kept_->direct[i];
      for (std::size_t k = 0; k < d.numbers[i].size(); ++k) fields[i].values[k] += d.numbers[i][k];
    }
    run_.log().end_progress();
    report_value(d);
    report_gradient(run_, *read_.gradient, fields);
    return fields;
  }

  void add_derivative(const ReachedState& s, const StateDerivative& g, std::span<const DifferentiatedNumber> numbers) {
    const double weight = weight_of(s.step);
    if (weight == 0) return;
    const auto add = [weight](const std::vector<double>& values, std::vector<double>& sum) {
      for (std::size_t i = 0; i < values.size(); ++i) sum[i] += weight * values[i];
    };
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      std::vector<double> of_areas(kept_->direct[i].size(), 0.0);
      add_by_areas(read_, numbers[i], field_, probe_, {}, s.time, s.u, of_areas);
      add(of_areas, kept_->direct[i]);
    }
    if (field_ == nullptr) return add(weights_, of_velocity() ? g.by_v : g.by_u);
    DerivedWork& work = work_at(s.time, s.u);
    add(work.by_unknowns(s.u), g.by_u);
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      std::vector<double> direct(kept_->direct[i].size(), 0.0);
      add_derived(work, numbers[i], read_.model, {}, s.u, direct);
      add(direct, kept_->direct[i]);
    }
  }

  void report_value(const TransientDerivatives& d) const {
    run_.log().line("gradient of {} steps backwards in time: states on the host took {} at most",
                    kept_->path.step_count(), text_of_bytes(d.bytes));
    if (!read_.gradient->over_time) return;
    double integral = 0;
    for (std::size_t i = 0; i < kept_->values.size(); ++i)
      integral += weight_of(static_cast<Index>(i)) * kept_->values[i];
    run_.log().line("integral of '{}' over time: {:.8g}", read_.gradient->probe, integral);
    run_.results().facts()["integral " + read_.gradient->probe] = fmt::format("{:.12g}", integral);
  }

  Run& run_;
  const CaseModel& read_;
  Transient options_;
  const ProbeWeights probe_;
  const DerivedResult* field_;       // of the probe; null: the unknown or its rate
  std::vector<double> weights_;      // [unknown] of these
  std::optional<DerivedWork> work_;  // of a derived field
  bool has_begun_ = false;
  const std::shared_ptr<WayThereAndBack> kept_ = std::make_shared<WayThereAndBack>();
  TimeStep last_{};
  bool is_over_ = false;
};

}  // namespace

TransientResult solve_with_gradient(Run& run, const CaseModel& read, const Transient& analysis, Observer observer,
                                    const Prepared& prepared) {
  GradientInTime gradient(run, read, analysis);
  return solve(read.model, analysis, gradient.following(std::move(observer)), prepared);
}

}  // namespace ritz
