#include "apps/analyses/direct_harmonic.hpp"
#include "apps/analyses/harmonic_results.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <utility>

namespace ritz {
namespace {

class HarmonicAnalysis final : public ModalResponse {
 public:
  HarmonicAnalysis(Run& run, CaseModel& read, CaseSolvers& solvers, const Case::Table& t)
      : ModalResponse(run, read, solvers, ResponseKind::harmonic, t) {
    const FrequencyRange range = read_frequencies(t, "[lowest, highest] of the excitation [Hz]", true);
    low_ = range.low, high_ = range.high;
    count_ = read_frequency_count(t, "of frequencies in equal steps; more lie around each mode");
    fields_at_ =
        t.vector("fields_at", "frequencies of the fields in the results [Hz]; without it that of the largest motion",
                 {.fallback = std::vector<double>{}, .minimum = 0});
    read_engine_order(run, read, t);
    read.nodal_results.push_back({"displacement_phase", mode_components(read.space())});
  }

  std::string beyond_linear_statics() const override { return "[harmonic]"; }

 private:
  void read_engine_order(Run& run, const CaseModel& read, const Case::Table& t) {
    if (!t.has("engine_order")) return;
    const int order = static_cast<int>(t.integer(
        "engine_order",
        "of a sector with [[periodic]] by a rotation: waves around that the loads go with, from sector to sector",
        {.minimum = 0, .maximum = 100000}));
    if (run.options().survey || !run.input().sound()) return;
    const auto is_base = [](const NamedExcitation& each) { return each.load.empty(); };
    if (std::ranges::any_of(excitations(), is_base))
      t.error(ErrorKind::modal_options, "engine_order", "an engine order of a motion of the base",
              "the base moves all sectors alike", "omit [[harmonic.base]], or the engine order");
    try {
      set_engine_order(engine_order(read.model, order));
    } catch (const Error& error) { t.error("engine_order", error); }
  }

  int results() const override { return std::max<int>(1, static_cast<int>(fields_at_.size())); }

  void respond(Run& run, const CaseModel& read, const ModalSpace& space,
               const std::vector<Excitation>& excitations) override {
    const Harmonic analysis{.damping = damping(), .excitations = excitations};
    require_damping(space);
    const std::vector<double> frequencies = frequencies_around_peaks(space, damping(), low_, high_, count_);
    run.log().line("harmonic response: {} frequencies from {:g} to {:g} Hz", frequencies.size(), low_, high_);
    report_beyond_modes(run, space, high_);
    tabulate(run, space, analysis, frequencies, probed_quantities(run, read, space));
    std::vector<double> at = fields_at_;
    if (at.empty()) at.push_back(largest_motion(space, analysis, frequencies));
    for (const double frequency : at) write_harmonic(run, read, space, harmonic_response(space, analysis, frequency));
  }

  void require_damping(const ModalSpace& space) const {
    for (int k = space.modes.rigid_count; k < space.columns(); ++k)
      if (const double f = space.frequency(k); f >= low_ && f <= high_ && !(damping().ratio_of(space, k) > 0))
        throw Error(ErrorKind::vibration,
                    fmt::format("mode {} at {:.6g} Hz is in resonance, and nothing damps it", k + 1, f),
                    "its answer is infinite", "give [damping] ratio, or a range of frequencies without it");
  }

  double largest_motion(const ModalSpace& space, const Harmonic& analysis,
                        const std::vector<double>& frequencies) const {
    return peak(frequencies, [&](double f) { return size_of(space, harmonic_response(space, analysis, f)); });
  }

  template <class F>
  static double peak(const std::vector<double>& frequencies, const F& f) {
    std::size_t best = 0;
    double largest = -1;
    for (std::size_t i = 0; i < frequencies.size(); ++i)
      if (const double value = f(frequencies[i]); value > largest) largest = value, best = i;
    const double before = frequencies[best > 0 ? best - 1 : 0],
                 after = frequencies[std::min(best + 1, frequencies.size() - 1)];
    const double inside = peak_between(before, after, f);
    return f(inside) > largest ? inside : frequencies[best];
  }

  static void tabulate(Run& run, const ModalSpace& space, const Harmonic& analysis,
                       const std::vector<double>& frequencies, const std::vector<ProbedQuantity>& probes) {
    if (probes.empty()) return;
    std::vector<HarmonicMotion> motions;
    for (const double f : frequencies) motions.push_back(harmonic_response(space, analysis, f));
    tabulate_harmonic(run, motions, probes);
    for (const ProbedQuantity& each : probes) {
      const auto size = [&](double f) { return std::abs(harmonic_response(space, analysis, f).of(each.quantity)); };
      const double at = peak(frequencies, size);
      report_largest(run, each, size(at), at);
    }
  }

  double low_, high_;
  int count_;
  std::vector<double> fields_at_;
};

}  // namespace

std::unique_ptr<CaseAnalysis> harmonic_analysis(Run& run, CaseModel& read, CaseSolvers& solvers) {
  if (!read.motion.moved || !run.input().root().has("harmonic")) return nullptr;
  const Case::Table t = harmonic_table(run.input());
  if (is_direct(t)) return direct_harmonic_analysis(run, read, solvers, t);
  return std::make_unique<HarmonicAnalysis>(run, read, solvers, t);
}

}  // namespace ritz
