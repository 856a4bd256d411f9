#include "apps/analyses/modal.hpp"
#include "fem/analysis/sector_modes.hpp"

#include <array>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <utility>

namespace ritz {
namespace {

constexpr const char* sine = "_sine";  // the part that varies with the sine of the waves

class SectorModalAnalysis final : public CaseAnalysis {
 public:
  explicit SectorModalAnalysis(ModalInput input) : input_(std::move(input)) {}

  std::string beyond_linear_statics() const override { return "[modal]"; }
  ModelDemands demands() const override {
    return {.held = input_.preload.has_value(), .loaded = input_.preload.has_value()};
  }
  void check(const Model& model) const override {
    check_modes(model, input_);
    ritz::check(model, analysis());
  }
  Rates rates() const override { return Rates::beside; }
  Forecast forecast(Run&, const CaseModel& read, const Prepared& prepared) const override {
    return ritz::forecast(read.model, analysis(), prepared);
  }
  Index host_of_shown(Run&, const CaseModel&, const Forecast& foreseen) const override {
    return foreseen.host_of_columns;
  }
  void begin(const CaseModel&, StepBegin begin) override { input_.eigen.begin = std::move(begin.from); }

  State solve(Run& run, const CaseModel& read, Observer observer, const Prepared& prepared) override {
    find_preload(read, observer, prepared, input_);
    State about = run.step().is_last() ? State{} : input_.eigen.begin;
    const int sectors = sector_count(read.model);
    run.results().facts()["sectors"] = fmt::format("{}", sectors);
    std::vector<SectorModes> all;
    for (const int n : *input_.nodal_diameters) {
      SectorModal one = analysis();
      one.waves = {n};
      all.push_back(std::move(ritz::solve(read.model, one, observer, prepared).front()));
      record(run.results(), all.back().modes.eigen, (all.back().pairs ? 2 : 1) * read.space().unknown_count());
      const SectorModes& found = all.back();
      write_modes(run.results(), read.space(),
                  {.count = found.modes.frequencies.size(),
                   .of =
                       [&](std::size_t k) {
                         return std::array{found.part(k, false), found.part(k, true)};
                       },
                   .suffix = sine,
                   .time = n},
                  input_.shapes);
    }
    print(run, sectors, all);
    return about;
  }

 private:
  SectorModal analysis() const { return {input_.eigen, *input_.nodal_diameters}; }

  static void print(Run& run, int sectors, const std::vector<SectorModes>& all) {
    run.log().line("modes of {} sectors by nodal diameters; with a * the whole body has two of each", sectors);
    run.log().line("diameters  mode  frequency [Hz]     omega^2 [1/s^2]  residual");
    auto& facts = run.results().facts();
    for (const SectorModes& each : all) {
      const VibrationModes& modes = each.modes;
      for (std::size_t k = 0; k < modes.frequencies.size(); ++k)
        run.log().line("{:8}{}  {:4}  {:14.7g}  {:18.8e}  {:8.1e}{}", each.waves, each.pairs ? '*' : ' ', k + 1,
                       modes.frequencies[k], modes.eigen.values[k], modes.eigen.residuals[k],
                       static_cast<int>(k) < modes.rigid_count ? "  rigid-body mode" : "");
      facts[fmt::format("frequencies_hz_n{}", each.waves)] = fmt::format("{:.12g}", fmt::join(modes.frequencies, " "));
      facts[fmt::format("mode_count_n{}", each.waves)] = modes.eigen.verification;
    }
  }

  ModalInput input_;
};

}  // namespace

std::unique_ptr<CaseAnalysis> sector_modal_analysis(Run& run, CaseModel& read, ModalInput input) {
  if (input.shapes.phases > 0)
    run.log().notice("[modal] animate has no effect: with nodal_diameters shapes are those of one sector");
  for (std::size_t k = 0; k < static_cast<std::size_t>(input.eigen.count); ++k)
    for (Field& name : mode_names(read.space(), k, sine)) read.nodal_results.push_back(std::move(name));
  return std::make_unique<SectorModalAnalysis>(std::move(input));
}

}  // namespace ritz
