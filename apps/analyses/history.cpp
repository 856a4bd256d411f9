#include "apps/analyses/modal_response.hpp"
#include "fem/analysis/time_history.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <iterator>
#include <optional>
#include <span>
#include <utility>

namespace ritz {
namespace {

constexpr double most_rows = 1e6;

class HistoryAnalysis final : public ModalResponse {
 public:
  HistoryAnalysis(Run& run, CaseModel& read, CaseSolvers& solvers, const Case::Table& t)
      : ModalResponse(run, read, solvers, ResponseKind::history, t), row_times_(run.input().row_times()) {
    end_ = t.number("end", "[s], the motion begins at rest at t = 0", {.above = 0});
    step_ = t.number("step",
                     "[s] between the rows of the table of probes; loads are linear between them and the rows of their "
                     "tables; 0: a twentieth of the period of the highest mode",
                     {.fallback = 0, .minimum = 0});
    if (step_ > 0 && end_ / step_ > most_rows)
      t.error(ErrorKind::modal_options, "step",
              fmt::format("{:g} s in steps of {:g} s make {:.0f} rows", end_, step_, end_ / step_), {},
              "make it longer");
    fields_at_ = t.vector("fields_at", "times of the fields in the results [s]; without it that of the largest motion",
                          {.fallback = std::vector<double>{}, .minimum = 0});
    for (const double time : fields_at_)
      if (time > end_)
        t.error(ErrorKind::modal_options, "fields_at", fmt::format("{:g} s is after the end, {:g} s", time, end_), {},
                "make the end later, or omit it");
  }

  std::string beyond_linear_statics() const override { return "[history]"; }

 private:
  int results() const override { return std::max<int>(1, static_cast<int>(fields_at_.size())); }

  void respond(Run& run, const CaseModel& read, const ModalSpace& space,
               const std::vector<Excitation>& excitations) override {
    const TimeHistory history = history_of(space, excitations);
    run.log().line("time history: {} times from 0 to {:g} s", history.times.size(), end_);
    if (damping().structural > 0)
      run.log().notice(
          "[damping] structural is that of a viscous force at the frequency of each mode here: a loss "
          "factor has no meaning in time");
    const double largest = tabulate(run, space, history, probed_quantities(run, read, space));
    std::vector<double> left = fields_at_;
    if (left.empty()) left.push_back(largest);
    std::ranges::sort(left);
    auto next = left.begin();
    for (MotionInTime motion(space, history);; motion.advance()) {
      while (next != left.end() && motion.now().time >= *next - 1e-9 * end_) {
        write(run, read, space, motion.now());
        ++next;
      }
      if (motion.at_end()) return;
    }
  }

  // Equal steps, the rows of tables, and the times of fields.
  std::vector<double> times_of(const ModalSpace& space) const {
    const double step = step_ > 0 ? step_ : std::max(0.05 / space.modes.frequencies.back(), end_ / most_rows);
    std::vector<double> times;
    for (int i = 0; i * step < end_; ++i) times.push_back(i * step);
    times.push_back(end_);
    for (const std::vector<double>* more : {&row_times_, &fields_at_})
      std::ranges::copy_if(*more, std::back_inserter(times), [&](double t) { return t > 0 && t < end_; });
    std::ranges::sort(times);
    const auto same = std::ranges::unique(times, [&](double a, double b) { return b - a <= 1e-9 * end_; });
    times.erase(same.begin(), same.end());
    return times;
  }

  TimeHistory history_of(const ModalSpace& space, const std::vector<Excitation>& excitations) const {
    TimeHistory history{.damping = damping(), .times = times_of(space)};
    const std::array<double, 3> origin = {};
    for (std::size_t i = 0; i < excitations.size(); ++i) {
      ForceInTime& force = history.forces.emplace_back(ForceInTime{excitations[i], {}});
      for (const double time : history.times) {
        double value = 0;
        this->excitations()[i].over_time.at(std::span<const double>(origin), {&value, 1}, time);
        force.amplitude.push_back(value);
      }
    }
    return history;
  }

  // Returns the time of the largest motion: of the mean square over the mass.
  double tabulate(Run& run, const ModalSpace& space, const TimeHistory& history,
                  const std::vector<ProbedQuantity>& probes) const {
    struct Peak {
      double value = 0, time = 0;
      void take(double next, double at) {
        if (std::abs(next) > std::abs(value)) value = next, time = at;
      }
    };
    Peak motion_peak;
    std::vector<Peak> peaks(probes.size());
    ResponseTable table{ResponseTable::Kind::time, history.times};
    for (const ProbedQuantity& each : probes) table.add(each.name);
    for (MotionInTime motion(space, history);; motion.advance()) {
      const HistoryMotion& now = motion.now();
      double square = 0;
      for (std::size_t k = 0; k < now.q.size(); ++k) square += space.mass[k] * now.q[k] * now.q[k];
      motion_peak.take(square, now.time);
      for (std::size_t i = 0; i < probes.size(); ++i) {
        const double value = now.of(probes[i].quantity);
        table.series[i].values.push_back(value);
        peaks[i].take(value, now.time);
      }
      if (motion.at_end()) break;
    }
    for (std::size_t i = 0; i < probes.size(); ++i) {
      run.log().line("largest {}: {:.6g}{} at {:.6g} s", probes[i].name, peaks[i].value, probes[i].unit, peaks[i].time);
      run.results().facts()["largest_" + probes[i].name] = fmt::format("{:.10g}", peaks[i].value);
      run.results().facts()["largest_" + probes[i].name + "_s"] = fmt::format("{:.10g}", peaks[i].time);
    }
    write_response(run, table);
    return motion_peak.time;
  }

  static void write(Run& run, const CaseModel& read, const ModalSpace& space, const HistoryMotion& motion) {
    std::optional<Profile::Phase> phase(std::in_place, run.device().profile(), "fields");
    const Vector acceleration = space.motion(motion.acceleration, motion.carried);
    EvaluatedFields fields = fields_of_motion(run, read, space.motion(motion.q), &acceleration);
    run.log().line("fields at {:.6g} s:", motion.time);
    print_peaks(run, fields, "largest");
    phase.reset();
    run.results().write(std::move(fields.nodal), std::move(fields.cells), motion.time);
  }

  std::vector<double> row_times_, fields_at_;
  double end_, step_;
};

}  // namespace

std::unique_ptr<CaseAnalysis> history_analysis(Run& run, CaseModel& read, CaseSolvers& solvers) {
  if (!read.motion.moved || !run.input().root().has("history")) return nullptr;
  const Case::Table t = run.input().table(
      "history", "motion of the modes in time under loads and accelerations of the base (docs/vibration.md)");
  return std::make_unique<HistoryAnalysis>(run, read, solvers, t);
}

}  // namespace ritz
