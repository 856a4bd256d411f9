#include "apps/analyses/direct_harmonic.hpp"

#include "apps/analyses/harmonic_results.hpp"
#include "fem/analysis/direct_harmonic.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <utility>

namespace ritz {
namespace {

class DirectHarmonicAnalysis final : public CaseAnalysis {
 public:
  DirectHarmonicAnalysis(Run& run, CaseModel& read, CaseSolvers& solvers, const Case::Table& t) {
    if (run.options().survey) {  // so that the schema has these tables with either method
      read_modal(run, read, solvers);
      solvers.linear();
    }
    const FrequencyRange range = read_frequencies(t, "[lowest, highest] of the excitation [Hz]", true);
    const int count = read_frequency_count(t, "of frequencies in equal steps; more lie around each mode");
    for (int i = 0; i < count; ++i) frequencies_.push_back(range.low + (range.high - range.low) * i / (count - 1));
    fields_at_ =
        t.vector("fields_at", "frequencies of the fields in the results [Hz]; without it that of the largest motion",
                 {.fallback = std::vector<double>{}, .minimum = 0});
    frequencies_.insert(frequencies_.end(), fields_at_.begin(), fields_at_.end());
    std::ranges::sort(frequencies_);
    const auto same = std::ranges::unique(frequencies_);
    frequencies_.erase(same.begin(), same.end());
    tolerance_ = t.number("tolerance",
                          "largest estimated error of frequencies between those that are solved, relative to the "
                          "motion; 0: all are solved",
                          {.fallback = 1e-6, .minimum = 0, .below = 1});
    if (t.has("engine_order"))
      t.refuse(ErrorKind::modal_options, "engine_order", "an engine order with method = \"direct\"",
               "the copies of a sector that answer it are solved for on their modes",
               "omit the method, and add [modal]");
    if (t.has("residual_vectors"))
      t.refuse(ErrorKind::modal_options, "residual_vectors", "residual vectors were given with method = \"direct\"",
               "there are no modes to add to", "omit them");
    if (const Case::Table root = run.input().root(); !run.options().survey && root.has("modal"))
      root.refuse(ErrorKind::modal_options, "modal", "[modal] next to [harmonic] method = \"direct\"",
                  "no modes are found; the state of a preload is that of a step before", "omit one of them");
    analysis_.loads_excite = outside_loads_excite(run, read);
    analysis_.ranks = run.options().ranks;
    analysis_.say = [&run](const std::string& line) { run.log().line("{}", line); };
    excitations_ =
        read_excitations(t, ResponseKind::harmonic, read, analysis_.loads_excite, mode_components(read.space()));
    read_direct_damping(run, read.model, analysis_);
    read_response_format(run);
    name_motions(read);
    read.nodal_results.push_back({"displacement_phase", mode_components(read.space())});
  }

  std::string beyond_linear_statics() const override { return "[harmonic]"; }
  ModelDemands demands() const override { return {.held = false, .loaded = false}; }
  void check(const Model& model) const override { ritz::check(model, analysis_); }
  Rates rates() const override { return Rates::beside; }
  Forecast forecast(Run&, const CaseModel& read, const Prepared& prepared) const override {
    Forecast result = ritz::forecast(read.model, analysis_, static_cast<int>(frequencies_.size()), prepared);
    result.results = std::max<int>(1, static_cast<int>(fields_at_.size()));
    return result;
  }
  // Four matrices, and the real system of four times as many entries.
  MemoryNeeds beside_system(const FieldsOfModel& fields) const override {
    MemoryNeeds needs;
    for (int matrices = 0; matrices < 7; ++matrices) needs += matrix_needs(*fields.equations);
    return needs.array<double>("eigenvectors", fields.equations->layout().total(), 2 * std::ssize(frequencies_));
  }
  Index host_of_shown(Run& run, const CaseModel& read, const Forecast& foreseen) const override {
    return CaseAnalysis::host_of_shown(run, read, foreseen) + host_of_combined(run, read, *this);
  }
  void begin(const CaseModel&, StepBegin begin) override { analysis_.begin = std::move(begin.from); }

  State solve(Run& run, const CaseModel& read, Observer observer, const Prepared& prepared) override {
    if (observer.progress) observer.progress("solving");
    DirectHarmonicSystem system(read.model, analysis_, prepared);
    const DirectResponse response = system.solve(frequencies_, numbered(run, excitations_, system.loads()), tolerance_);
    run.log().line("harmonic response: {} frequencies from {:g} to {:g} Hz, {} of them solved directly",
                   frequencies_.size(), frequencies_.front(), frequencies_.back(), response.solved);
    if (response.solved < static_cast<int>(frequencies_.size()))
      run.log().line("estimated error of the others: {:.2g} of the motion", response.error);
    run.results().facts()["solved_frequencies"] = fmt::format("{}", response.solved);
    const std::vector<ProbedQuantity> probes = probed_quantities(run, read, response.space);
    tabulate_harmonic(run, response.motions, probes);
    for (const ProbedQuantity& each : probes) {
      const HarmonicMotion& at =
          largest(response, [&](const HarmonicMotion& m) { return std::abs(m.of(each.quantity)); });
      report_largest(run, each, std::abs(at.of(each.quantity)), at.frequency);
    }
    if (fields_at_.empty())
      write_harmonic(run, read, response.space,
                     largest(response, [&](const HarmonicMotion& m) { return size_of(response.space, m); }));
    for (const double frequency : fields_at_)
      write_harmonic(run, read, response.space,
                     *std::ranges::find(response.motions, frequency, &HarmonicMotion::frequency));
    return run.step().is_last() ? State{} : analysis_.begin;
  }

 private:
  template <class Size>
  static const HarmonicMotion& largest(const DirectResponse& response, const Size& size) {
    return *std::ranges::max_element(response.motions, {}, size);
  }

  DirectHarmonic analysis_;
  std::vector<NamedExcitation> excitations_;
  std::vector<double> frequencies_, fields_at_;
  double tolerance_;
};

}  // namespace

std::unique_ptr<CaseAnalysis> direct_harmonic_analysis(Run& run, CaseModel& read, CaseSolvers& solvers,
                                                       const Case::Table& harmonic) {
  return std::make_unique<DirectHarmonicAnalysis>(run, read, solvers, harmonic);
}

}  // namespace ritz
