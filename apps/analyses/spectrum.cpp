#include "apps/analyses/modal_response.hpp"
#include "fem/analysis/response_spectrum.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <optional>
#include <utility>

namespace ritz {
namespace {

class SpectrumAnalysis final : public ModalResponse {
 public:
  SpectrumAnalysis(Run& run, CaseModel& read, CaseSolvers& solvers, const Case::Table& t)
      : ModalResponse(run, read, solvers, ResponseKind::spectrum, t) {
    const std::string sum = t.choice("sum",
                                     "of the modes: root of the sum of squares, the same with correlations of "
                                     "modes that are near each other, or sum of absolute values",
                                     {"srss", "cqc", "absolute"}, "cqc");
    sum_ = sum == "srss" ? ModalSum::srss : sum == "cqc" ? ModalSum::cqc : ModalSum::absolute;
    by_parts_ = t.choice("directions",
                         "sum of the motions of the base: root of the sum of squares, or the largest of "
                         "the sums of all of one and 40 % of the others",
                         {"srss", "100-40-40"}, "srss") == "100-40-40";
    missing_mass_ =
        t.flag("missing_mass", "residual vectors answer statically to the acceleration at the highest frequency", true);
    std::erase_if(read.nodal_results, [](const Field& each) { return each.name == "acceleration"; });
  }

  std::string beyond_linear_statics() const override { return "[spectrum]"; }

 private:
  void respond(Run& run, const CaseModel& read, const ModalSpace& space,
               const std::vector<Excitation>& excitations) override {
    std::optional<Profile::Phase> phase(std::in_place, run.device().profile(), "fields");
    const std::vector<SpectrumPart> parts = response_spectrum(
        space, {.damping = damping(), .excitations = excitations, .sum = sum_, .missing_mass = missing_mass_});
    std::vector<EvaluatedFields> of_parts;
    for (const SpectrumPart& part : parts) {
      EvaluatedFields& sum = of_parts.emplace_back();
      for (const std::vector<double>& q : part.terms) {
        EvaluatedFields term = fields_of_motion(run, read, space.motion(q), nullptr);
        make_positive(term);
        combine_fields([&](double x, double y) { return part.absolute ? x + y : std::hypot(x, y); }, std::move(term),
                       sum);
      }
    }
    EvaluatedFields all = by_parts_ ? hundred_forty_forty(of_parts) : root_of_squares(std::move(of_parts));
    if (all.nodal.empty()) throw Error(ErrorKind::vibration, "the spectrum moves nothing");
    run.log().line("response spectrum of {} motion{} of the base", excitations.size(),
                   excitations.size() == 1 ? "" : "s");
    print_peaks(run, all, "largest");
    phase.reset();
    run.results().write(std::move(all.nodal), std::move(all.cells));
  }

  static EvaluatedFields root_of_squares(std::vector<EvaluatedFields> parts) {
    EvaluatedFields sum;
    for (EvaluatedFields& part : parts)
      combine_fields([](double x, double y) { return std::hypot(x, y); }, std::move(part), sum);
    return sum;
  }

  // ASCE 4-98.
  static EvaluatedFields hundred_forty_forty(const std::vector<EvaluatedFields>& parts) {
    EvaluatedFields largest;
    for (std::size_t whole = 0; whole < parts.size(); ++whole) {
      EvaluatedFields sum = parts[whole];
      for (std::size_t other = 0; other < parts.size(); ++other)
        if (other != whole) combine_fields([](double x, double y) { return x + 0.4 * y; }, parts[other], sum);
      combine_fields([](double x, double y) { return std::max(x, y); }, std::move(sum), largest);
    }
    return largest;
  }

  ModalSum sum_;
  bool by_parts_, missing_mass_;
};

}  // namespace

std::unique_ptr<CaseAnalysis> spectrum_analysis(Run& run, CaseModel& read, CaseSolvers& solvers) {
  if (!read.motion.moved || !run.input().root().has("spectrum")) return nullptr;
  const Case::Table t =
      run.input().table("spectrum",
                        "largest answers of the modes to motions of the base that are known by response spectra "
                        "(docs/vibration.md)");
  return std::make_unique<SpectrumAnalysis>(run, read, solvers, t);
}

}  // namespace ritz
