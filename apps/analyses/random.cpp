#include "apps/analyses/modal_response.hpp"
#include "fem/analysis/random_response.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <optional>
#include <numbers>
#include <utility>

namespace ritz {
namespace {

double hypotenuse(double x, double y) { return std::hypot(x, y); }

class RandomAnalysis final : public ModalResponse {
 public:
  RandomAnalysis(Run& run, CaseModel& read, CaseSolvers& solvers, const Case::Table& t)
      : ModalResponse(run, read, solvers, ResponseKind::random, t) {
    range_ = read_frequencies(t, "[lowest, highest] of the excitation [Hz]; without it those of its tables", false);
    if (!range_.given &&
        std::ranges::any_of(excitations(), [](const auto& each) { return each.excitation.size.constant(); }))
      t.error(ErrorKind::modal_options, "frequencies", "a constant spectral density without a range of frequencies",
              "its mean square may be infinite", "give frequencies = [lowest, highest], or a table");
    correlations_ = read_correlations(t, this->excitations());
    count_ = read_frequency_count(t, "of frequencies in the table of densities; more lie around each mode");
  }

  std::string beyond_linear_statics() const override { return "[random]"; }

 private:
  void respond(Run& run, const CaseModel& read, const ModalSpace& space,
               const std::vector<Excitation>& excitations) override {
    const Random analysis{.damping = damping(),
                          .excitations = excitations,
                          .correlations = correlations_,
                          .low = range_.low,
                          .high = range_.high};
    const auto [low, high] = range_of(analysis);
    const RandomResponse response = random_response(space, analysis);
    run.log().line("random response to {} excitation{} from {:g} to {:g} Hz", excitations.size(),
                   excitations.size() == 1 ? "" : "s", low, high);
    report_beyond_modes(run, space, high);
    tabulate(run, space, analysis, response, probed_quantities(run, read, space));
    write(run, read, space, response);
  }

  void tabulate(Run& run, const ModalSpace& space, const Random& analysis, const RandomResponse& response,
                const std::vector<ProbedQuantity>& probes) const {
    if (probes.empty()) return;
    const auto [low, high] = range_of(analysis);
    ResponseTable table{ResponseTable::Kind::density, frequencies_around_peaks(space, damping(), low, high, count_)};
    for (const ProbedQuantity& each : probes) {
      std::vector<Complex>& densities = table.add(each.name);
      double largest = 0, at = low;
      for (const double f : table.at) {
        const double density = response_density(space, analysis, each.quantity, f);
        densities.push_back(density);
        if (density > largest) largest = density, at = f;
      }
      const double rms = std::sqrt(response.mean_square(each.quantity));
      const double rate = std::sqrt(response.mean_square_rate(each.quantity));
      const double crossings = rms > 0 ? rate / rms / (2 * std::numbers::pi) : 0;
      run.log().line("{}: rms {:.6g}{}, {:.5g} zero crossings upwards per second, largest density {:.6g} at {:.6g} Hz",
                     each.name, rms, each.unit, crossings, largest, at);
      auto& facts = run.results().facts();
      facts["rms_" + each.name] = fmt::format("{:.10g}", rms);
      facts["crossings_" + each.name] = fmt::format("{:.10g}", crossings);
      facts["largest_density_" + each.name] = fmt::format("{:.10g}", largest);
    }
    write_response(run, table);
  }

  static void write(Run& run, const CaseModel& read, const ModalSpace& space, const RandomResponse& response) {
    std::optional<Profile::Phase> phase(std::in_place, run.device().profile(), "fields");
    const auto n = static_cast<std::ptrdiff_t>(space.columns());
    EvaluatedFields rms;
    for (const std::vector<double>& q : covariance_roots(response.displacement))
      combine_fields(hypotenuse, fields_of_motion(run, read, space.motion(q), nullptr), rms);
    EvaluatedFields accelerations;
    for (const std::vector<double>& a : covariance_roots(response.acceleration)) {
      const Vector u = space.motion({a.begin(), a.begin() + n}, {a.begin() + n, a.end()});
      combine_fields(hypotenuse, {read.motion.moved(run, u), {}}, accelerations);
    }
    make_positive(rms);
    make_positive(accelerations);
    if (rms.nodal.empty()) throw Error(ErrorKind::vibration, "the random excitation moves nothing");
    rms.nodal.push_back(std::move(accelerations.nodal.front()));
    rms.nodal.back().name = "acceleration";
    print_peaks(run, rms, "rms of");
    phase.reset();
    run.results().write(std::move(rms.nodal), std::move(rms.cells));
  }

  FrequencyRange range_;
  std::vector<Correlation> correlations_;
  int count_;
};

}  // namespace

std::unique_ptr<CaseAnalysis> random_analysis(Run& run, CaseModel& read, CaseSolvers& solvers) {
  if (!read.motion.moved || !run.input().root().has("random")) return nullptr;
  const Case::Table t = run.input().table(
      "random", "answers of the modes to stationary random loads and motions of the base (docs/vibration.md)");
  return std::make_unique<RandomAnalysis>(run, read, solvers, t);
}

}  // namespace ritz
