#include "apps/analyses/modal.hpp"
#include "apps/cases/regions_of_fields.hpp"
#include "apps/cases/responses.hpp"
#include "fem/analysis/complex_modes.hpp"

#include <array>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <numbers>
#include <utility>

namespace ritz {
namespace {

constexpr const char* imaginary = "_imaginary";

double largest_of_ratios(const std::vector<ComplexMode>& modes) {
  double largest = 0;
  for (const ComplexMode& each : modes) largest = std::max(largest, -each.ratio());
  return largest;
}

Point read_axis(const Case::Table& t) {
  const std::vector<double> v =
      t.vector("axis", "direction of the axis", {.size = 3, .fallback = std::vector<double>{0, 0, 1}});
  if (v.size() != 3) return {0, 0, 1};
  if (v[0] == 0 && v[1] == 0 && v[2] == 0)
    t.error(ErrorKind::region_definition, "axis", "an axis of length 0", {}, "give a direction, as [0, 0, 1]");
  return {v[0], v[1], v[2]};
}

double read_speed(const Case::Table& t) { return t.number("speed", "by the right-hand rule about the axis [rad/s]"); }

class ComplexAnalysis final : public CaseAnalysis {
 public:
  ComplexAnalysis(Run& run, CaseModel& read, CaseSolvers& solvers, const Case::Table& t)
      : input_(read_modal(run, read, solvers)) {
    if (input_.nodal_diameters)
      run.input()
          .table("modal", "")
          .error(ErrorKind::modal_options, "nodal_diameters", "[complex] of a sector with nodal diameters", {},
                 "omit nodal_diameters");
    if (input_.shapes.phases > 0) run.log().notice("[modal] animate has no effect: shapes have two parts");
    analysis_.damping = read_modal_damping(run.input());
    analysis_.dashpots = read_dashpots(run, read.model);
    for (const Case::Table& each : t.tables("disc", "turns, and resists the tilting of its axis")) {
      const Region* region =
          each.region("region", "nodes of beams or shells, in equal parts", named_mesh(run, read.model),
                      {RegionKind::facets, RegionKind::nodes, RegionKind::cells});
      SpinningDisc disc;
      for (const RegionOfField& part : regions_of_fields(read.model, region)) {  // of a body those of sections
        disc.field = part.field;
        disc.nodes = read.model.spaces()[static_cast<std::size_t>(part.field)].nodes_in(*part.region);
      }
      disc.polar = each.number("polar_inertia", "about the axis, in total [kg m^2]; it is no mass", {.above = 0});
      disc.axis = read_axis(each);
      disc.speed = read_speed(each);
      if (!disc.nodes.empty()) analysis_.discs.push_back(std::move(disc));
    }
    const Case::Table frame = t.table("frame", "turns with the body: Coriolis' and centrifugal forces");
    if (frame.present()) {
      const Point axis = read_axis(frame);
      analysis_.frame = TurningFrame{axis, read_speed(frame)};
    }
    basis_ = {.loads_excite = false,
              .residual_vectors = t.flag("residual_vectors",
                                         "adds the static answers to dashpots and motions of the base that the modes "
                                         "lack",
                                         true),
              .linear = linear_of_answers(read, solvers)};
    const auto count = static_cast<std::size_t>(input_.eigen.band ? 1000 : input_.eigen.count);
    for (std::size_t k = 0; k < count; ++k) name_mode(k, read, imaginary);
  }

  std::string beyond_linear_statics() const override { return "[complex]"; }
  const LinearSolverOptions* linear() const override { return &basis_.linear; }
  ModelDemands demands() const override {
    return {.held = input_.preload.has_value(), .loaded = input_.preload.has_value()};
  }
  void check(const Model& model) const override {
    check_modes(model, input_);
    ModalBasis basis = basis_;
    basis.modal.ranks = input_.eigen.ranks;
    ritz::check(model, basis);
    ritz::check(model, analysis_);
  }
  Rates rates() const override { return Rates::beside; }
  MemoryNeeds beside_system(const FieldsOfModel& fields) const override {
    return needs_of_modes(fields, input_, std::ssize(analysis_.dashpots));
  }
  Forecast forecast(Run&, const CaseModel& read, const Prepared& prepared) const override {
    ModalBasis basis = basis_;
    basis.modal = input_.eigen;
    Forecast result = ritz::forecast(read.model, basis, prepared);
    result.host_of_columns = 4 * 8 * read.space().mesh().node_count() * read.space().components() * basis.modal.count;
    return result;
  }
  void begin(const CaseModel&, StepBegin begin) override { input_.eigen.begin = std::move(begin.from); }

  State solve(Run& run, const CaseModel& read, Observer observer, const Prepared& prepared) override {
    find_preload(read, observer, prepared, input_);
    State about = run.step().is_last() ? State{} : input_.eigen.begin;
    basis_.modal = input_.eigen;
    ModalSpace space = ritz::solve(read.model, complex_basis(read.model, basis_, analysis_), observer, prepared);
    report_modes(run, read, space.modes, input_, unknown_count(read.model));
    const std::vector<ComplexMode> modes = complex_modes(read.model, space, analysis_);
    print(run, space, modes);
    const auto part = [&](std::size_t k, bool of_imaginary) {
      std::vector<double> q;
      for (const std::complex<double>& each : modes[k].q) q.push_back(of_imaginary ? each.imag() : each.real());
      return space.motion(q);
    };
    write_modes(run.results(), motion_of(run, read),
                {.count = modes.size(),
                 .of =
                     [&](std::size_t k) {
                       return std::array{part(k, false), part(k, true)};
                     },
                 .suffix = imaginary},
                input_.shapes);
    return about;
  }

 private:
  static void print(Run& run, const ModalSpace& space, const std::vector<ComplexMode>& modes) {
    run.log().line("complex modes on {} columns, of which {} are residual vectors", space.columns(),
                   space.columns() - space.mode_count());
    run.log().line("mode  frequency [Hz]  damping ratio [%]  decay [1/s]");
    std::vector<double> frequencies, ratios, decays;
    for (std::size_t k = 0; k < modes.size(); ++k) {
      frequencies.push_back(modes[k].frequency());
      ratios.push_back(modes[k].ratio());
      decays.push_back(-modes[k].value.real());
      run.log().line("{:4}  {:14.7g}  {:17.6g}  {:11.6g}", k + 1, frequencies.back(), 100 * ratios.back(),
                     decays.back());
    }
    auto& facts = run.results().facts();
    facts["complex_frequencies_hz"] = fmt::format("{:.12g}", fmt::join(frequencies, " "));
    facts["damping_ratios"] = fmt::format("{:.12g}", fmt::join(ratios, " "));
    facts["decays"] = fmt::format("{:.12g}", fmt::join(decays, " "));
    if (largest_of_ratios(modes) > 1e-9)
      run.log().notice("a mode grows: its damping ratio is negative, and the state is unstable");
  }

  ModalInput input_;
  ModalBasis basis_;
  ComplexModal analysis_;
};

}  // namespace

std::unique_ptr<CaseAnalysis> complex_analysis(Run& run, CaseModel& read, CaseSolvers& solvers) {
  if (!read.motion.moved || !run.input().root().has("complex")) return nullptr;
  const Case::Table t =
      run.input().table("complex", "modes with damping and gyroscopic forces, of those of [modal] (docs/vibration.md)");
  return std::make_unique<ComplexAnalysis>(run, read, solvers, t);
}

}  // namespace ritz
