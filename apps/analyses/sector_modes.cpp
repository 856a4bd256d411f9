#include "apps/analyses/modal.hpp"
#include "fem/analysis/sector_modes.hpp"
#include "fem/analysis/whole_of_sector.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <numbers>
#include <utility>

namespace ritz {
namespace {

constexpr const char* sine = "_sine";        // the part that varies with the sine of the waves
constexpr const char* quarter = "_quarter";  // the shape a quarter of a wave on

// Copies of the mesh in that of the whole body: sectors, or turned meridians.
int copies_of(const Model& model, const std::vector<int>& waves) {
  if (!model.waves) return sector_count(model);
  return std::max(48, 12 * std::ranges::max(waves));
}

WholeOfSector whole_of(const CaseModel& read, const std::vector<int>& waves) {
  const Mesh& mesh = read.space().mesh();
  const int copies = copies_of(read.model, waves);
  if (read.model.waves) return WholeOfSector::of_meridian(mesh, copies);
  return {mesh, read.model.cyclic.front().rotation, copies};
}

class SectorModalAnalysis final : public CaseAnalysis {
 public:
  SectorModalAnalysis(ModalInput input, bool revolved) : input_(std::move(input)), revolved_(revolved) {}

  std::string beyond_linear_statics() const override { return "[modal]"; }
  // The loaded state of a body of revolution has no torsion to be held: its static solution checks supports and loads.
  ModelDemands demands() const override {
    const bool loaded = input_.preload.has_value() && !revolved_;
    return {.held = loaded, .loaded = loaded};
  }
  void check(const Model& model) const override {
    check_modes(model, input_);
    ritz::check(model, analysis());
  }
  Rates rates() const override { return Rates::beside; }
  Forecast forecast(Run&, const CaseModel& read, const Prepared& prepared) const override {
    return ritz::forecast(read.model, analysis(), prepared);
  }
  // Shapes of the sector stay for those of the whole, of which one number of waves at a time is there.
  Index host_of_shown(Run&, const CaseModel& read, const Forecast& foreseen) const override {
    const Index waves = std::ssize(*input_.nodal_diameters);
    return foreseen.host_of_columns * (input_.whole ? waves + copies_of(read.model, *input_.nodal_diameters) : 1);
  }
  void begin(const CaseModel&, StepBegin begin) override { input_.eigen.begin = std::move(begin.from); }

  State solve(Run& run, const CaseModel& read, Observer observer, const Prepared& prepared) override {
    find_preload(read, observer, prepared, input_);
    State about = run.step().is_last() ? State{} : input_.eigen.begin;
    if (!revolved_) run.results().facts()["sectors"] = fmt::format("{}", sector_count(read.model));
    std::vector<SectorModes> all;
    std::vector<std::vector<Field>> shapes;  // [number of waves] of the sector, for the whole
    for (const int n : *input_.nodal_diameters) {
      SectorModal one = analysis();
      one.waves = {n};
      all.push_back(std::move(ritz::solve(read.model, one, observer, prepared).front()));
      const SectorModes& found = all.back();
      record(run.results(), found.modes.eigen, (found.pairs && !revolved_ ? 2 : 1) * read.space().unknown_count());
      std::vector<Field> parts;
      if (!revolved_ || input_.whole) parts = in_two_parts(run.results(), read.space(), found);
      if (input_.whole) shapes.push_back(parts);
      if (revolved_) parts = mode_fields(run.results(), read.space(), found.modes.eigen, input_.shapes);
      run.results().write(std::move(parts), {}, n);
    }
    print(run, read.model, all);
    if (input_.whole) write_whole(run.results(), read, whole_of(read, *input_.nodal_diameters), shapes);
    return about;
  }

 private:
  std::vector<Field> in_two_parts(Results& results, const FunctionSpace& space, const SectorModes& found) const {
    return fields_of(results, motion_in(results, space),
                     {.count = found.modes.frequencies.size(),
                      .of =
                          [&](std::size_t k) {
                            return std::array{found.part(k, false), found.part(k, true)};
                          },
                      .suffix = sine},
                     input_.shapes);
  }

  // A mode's fields of a, then as many of b, become one of each on the whole body: the shape at a phase.
  static std::vector<Field> on_whole(const WholeOfSector& whole, std::span<const Field> of_mode, int waves,
                                     double phase, const char* suffix) {
    std::vector<Field> result;
    const std::size_t count = of_mode.size() / 2;
    for (std::size_t i = 0; i < count; ++i) {
      const Field &a = of_mode[i], &b = of_mode[count + i];
      result.push_back({a.name + suffix, a.components, whole.shape(a.values, b.values, a.components, waves, phase)});
    }
    return result;
  }

  void write_whole(Results& results, const CaseModel& read, const WholeOfSector& whole,
                   const std::vector<std::vector<Field>>& shapes) const {
    const std::size_t size = has_rotations(read.space()) ? 4 : 2;  // fields of a mode
    const std::vector<int>& waves = *input_.nodal_diameters;
    const auto of_mode = [&](std::size_t number, std::size_t mode) {
      return std::span(shapes[number]).subspan(mode * size, size);
    };
    results.write_series(
        "whole", static_cast<int>(waves.size()),
        [&](int number) {
          const auto i = static_cast<std::size_t>(number);
          std::vector<Field> fields;
          for (std::size_t k = 0; k < shapes[i].size() / size; ++k)
            for (const bool next : {false, true})
              std::ranges::move(
                  on_whole(whole, of_mode(i, k), waves[i], next ? -std::numbers::pi / 2 : 0, next ? quarter : ""),
                  std::back_inserter(fields));
          return std::pair{static_cast<double>(waves[i]), std::move(fields)};
        },
        &whole.mesh());
    for (std::size_t i = 0; i < waves.size() && input_.shapes.phases > 0; ++i)
      for (std::size_t k = 0; k < shapes[i].size() / size; ++k)
        results.write_series(
            fmt::format("{}_n{}", mode_name(k), waves[i]), input_.shapes.phases,
            [&](int step) {
              const double part = static_cast<double>(step) / input_.shapes.phases;  // of a period
              return std::pair{part, wave_at(whole, of_mode(i, k), waves[i], -2 * std::numbers::pi * part)};
            },
            &whole.mesh());
  }

  std::vector<Field> wave_at(const WholeOfSector& whole, std::span<const Field> of_mode, int waves,
                             double phase) const {
    std::vector<Field> fields = on_whole(whole, of_mode, waves, phase, "");
    const double largest = largest_of_parts(of_mode.front(), of_mode[of_mode.size() / 2]),
                 scale = largest > 0 ? animated_displacement(input_.shapes, whole.mesh()) / largest : 1;
    for (std::size_t i = 0; i < fields.size(); ++i) {
      fields[i].name = i == 0 ? "displacement" : "rotation";
      for (double& value : fields[i].values) value *= scale;
    }
    return fields;
  }

  SectorModal analysis() const { return {input_.eigen, *input_.nodal_diameters}; }

  static void print(Run& run, const Model& model, const std::vector<SectorModes>& all) {
    const std::string body =
        model.waves ? std::string("a body of revolution") : fmt::format("{} sectors", sector_count(model));
    run.log().line("modes of {} by nodal diameters; with a * the whole body has two of each", body);
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
  bool revolved_;
};

}  // namespace

std::unique_ptr<CaseAnalysis> sector_modal_analysis(Run& run, CaseModel& read, ModalInput input) {
  if (input.shapes.phases > 0 && !input.whole)
    run.log().notice("[modal] animate has no effect: shapes are those of one sector or meridian; add whole = true");
  for (std::size_t k = 0; k < static_cast<std::size_t>(input.eigen.count); ++k)
    for (Field& name : read.model.waves ? mode_names(read.space(), k) : mode_names(read.space(), k, sine))
      read.nodal_results.push_back(std::move(name));
  return std::make_unique<SectorModalAnalysis>(std::move(input), read.model.waves.has_value());
}

}  // namespace ritz
