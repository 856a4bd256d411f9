#include "apps/analyses/modal.hpp"

#include "apps/cases/regions_of_fields.hpp"
#include "apps/cases/responses.hpp"

#include "apps/results/field_results.hpp"
#include "fem/analysis/geometric_stiffness.hpp"
#include "fem/analysis/modal_space.hpp"
#include "fem/analysis/sector_modes.hpp"
#include "fem/operator/fields_operator_needs.hpp"
#include "fem/physics/body.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <iterator>
#include <numbers>
#include <optional>
#include <utility>

namespace ritz {
namespace {

std::optional<std::vector<int>> read_nodal_diameters(const Case::Table& t, bool has_band) {
  const bool is_given = t.has("nodal_diameters");
  VectorRule rule{.minimum = 0};
  if (!is_given) rule.fallback = std::vector<double>{};
  std::vector<int> numbers;
  for (const double each : t.vector("nodal_diameters",
                                    "waves around the axis: of a body of revolution, or of a sector with [[periodic]] "
                                    "rotation from 0 to half of its sectors; the modes of each",
                                    rule)) {
    if (each != std::floor(each) || each > 1e6)
      t.error(ErrorKind::wrong_value, "nodal_diameters", fmt::format("{:g} nodal diameters", each), {},
              "give whole numbers");
    else numbers.push_back(static_cast<int>(each));
  }
  if (is_given && has_band)
    t.error(ErrorKind::modal_options, "band", "a band of modes with nodal diameters",
            "each diameter has the same number of modes", "give a count");
  return is_given ? std::optional(numbers) : std::nullopt;
}

bool read_whole(const Case::Table& t, bool has_diameters) {
  const bool whole =
      t.flag("whole",
             "with nodal_diameters: shapes of all sectors, or all around, too, as a series of files on a mesh of the "
             "whole body; "
             "with animate as waves that go around",
             false);
  if (whole && !has_diameters)
    t.error(ErrorKind::modal_options, "whole", "shapes of the whole body without nodal_diameters",
            "modes without them are of the mesh as it is", "give nodal_diameters, or omit it");
  return whole;
}

ModalInput read_settings(Case& input) {
  const Case::Table t = input.table("modal", "number, method and output of the modes");
  ModalInput s;
  const bool has_band = t.has("band");
  if (has_band && t.has("count"))
    t.error(ErrorKind::modal_options, "count", "a count and a band are given", "a band holds as many modes as it holds",
            "remove one of them");
  s.eigen.count = static_cast<int>(t.integer("count", "number of lowest modes, rigid motions included",
                                             {.fallback = 10, .minimum = 1, .maximum = 10000}));
  if (has_band) {
    const std::vector<double> band =
        t.vector("band", "instead: all modes from a frequency to another [Hz]", {.size = 2, .minimum = 0});
    if (band.size() == 2 && !(band[0] < band[1]))
      t.error(ErrorKind::modal_options, "band", fmt::format("the band from {:g} to {:g} Hz is empty", band[0], band[1]),
              {}, "give the lower frequency first");
    else if (band.size() == 2)
      s.eigen.band =
          EigenBand{std::pow(2 * std::numbers::pi * band[0], 2), std::pow(2 * std::numbers::pi * band[1], 2)};
  } else {
    t.vector("band", "instead of a count: all modes from a frequency to another [Hz]",
             {.fallback = std::vector<double>{}});
  }
  const std::string method =
      t.choice("method", "lanczos factorises and counts, lobpcg iterates with multigrid; auto chooses by size",
               {"auto", "lanczos", "lobpcg"}, "auto");
  s.eigen.method = method == "lanczos"  ? EigenMethod::lanczos
                   : method == "lobpcg" ? EigenMethod::lobpcg
                                        : EigenMethod::automatic;
  if (has_band && s.eigen.method == EigenMethod::lobpcg)
    t.error(ErrorKind::modal_options, "method", "lobpcg finds the lowest modes, not those of a band", {},
            "give a count, or use lanczos");
  const std::string products =
      t.choice("operator",
               "of lobpcg: matrices, or elements computed in each product, which take a third of the memory; auto "
               "chooses by memory",
               {"auto", "matrix", "matrix_free"}, "auto");
  s.eigen.operator_kind = products == "matrix"        ? OperatorKind::matrix
                          : products == "matrix_free" ? OperatorKind::matrix_free
                                                      : OperatorKind::automatic;
  s.eigen.relative = t.number(
      "tolerance",
      "limit of the residual of a mode, relative to its inertia forces; the frequency is off by about the square of it",
      {.fallback = 1e-6, .above = 0, .below = 1});
  s.eigen.max_iterations = static_cast<int>(
      t.integer("max_iterations", "largest number of iterations of lobpcg; with lanczos, of blocks of eight solves",
                {.fallback = 500, .minimum = 1, .maximum = 1000000}));
  s.eigen.verify = t.flag("verify", "count the modes by the inertia of one more factor, with lanczos", true);
  s.nodal_diameters = read_nodal_diameters(t, has_band);
  s.whole = read_whole(t, s.nodal_diameters.has_value());
  s.shapes.unit_maximum = t.choice("normalise", "mode shapes to unit modal mass, or to a largest displacement of 1",
                                   {"mass", "maximum"}, "mass") == "maximum";
  s.shapes.phases =
      static_cast<int>(t.integer("animate", "steps of a period in a series of files for each mode; 0: none",
                                 {.fallback = 0, .minimum = 0, .maximum = 360}));
  s.shapes.factor =
      t.number("animate_displacement", "largest displacement in those files; 0: a tenth of the size of the part",
               {.fallback = 0, .minimum = 0});
  return s;
}

void check_mass(const VibrationModes& modes, double expected) {
  for (std::size_t d = 0; d < modes.directions.size(); ++d)
    if (!(std::abs(modes.total_mass[d] - expected) <= 1e-8 * expected))
      throw Error(ErrorKind::internal,
                  fmt::format("the mass matrix moves {:.10g} along {}, but density times volume is {:.10g}",
                              modes.total_mass[d], "xyz"[modes.directions[d]], expected),
                  "this is a bug in Ritz", "please report it with the case file");
}

// Modes beyond the rigid motions that are as good as zero beside the highest.
int count_loose(const VibrationModes& modes) {
  const std::vector<double>& values = modes.eigen.values;
  const auto is_loose = [&](double value) { return std::abs(value) <= 1e-10 * std::abs(values.back()); };
  return static_cast<int>(std::ranges::count_if(values, is_loose)) - modes.rigid_count;
}

}  // namespace

void report_modes(Run& run, const CaseModel& read, VibrationModes& modes, const ModalInput& input, Index unknowns) {
  if (input.factorised)
    modes.eigen.choice = read.preloaded || run.step().continues()
                             ? "factors count the modes of a loaded state"
                             : "beams and thin shells are ill-conditioned, so they are factorised";
  auto phase = run.device().profile().phase("fields");
  const std::optional<double> known = read.mass ? read.mass() : std::nullopt;
  if (known) check_mass(modes, *known);
  const bool translates = !modes.total_mass.empty();  // several fields may have none
  const double mass = known ? *known : translates ? modes.total_mass.front() : 0;
  record(run.results(), modes, unknowns, mass, input.eigen.relative);
  if (translates)
    run.log().line("mass: {:.8g}{}; rigid motions left by the supports: {}", mass,
                   run.report().program == "ritz-solve" ? "" : units_of(run.report()).of(" kg"), modes.rigid_motions);
  if (modes.frequencies.empty()) run.log().notice("there is no mode in the band");
  if (const int loose = count_loose(modes); loose > 0)
    run.log().notice(fmt::format(
        "modes without stiffness beyond the rigid motions: {}. A part is loose, or bars form a mechanism", loose));
  print_table(run.results(), modes);
  if (!read.judge_shape || !modes.eigen.vectors || modes.rigid_count >= std::ssize(modes.frequencies)) return;
  read.judge_shape(run, modes.eigen.vector(static_cast<std::size_t>(modes.rigid_count)));
}

void check_modes(const Model& model, const ModalInput& input) {
  check(model, input.eigen);
  if (!input.preload) return;
  Model outside = model.without_waves ? *model.without_waves : model;
  outside.load_cases.clear();
  check(outside, *input.preload);
  geometric_integrals(model, "modes under preload");
}

void find_preload(const CaseModel& read, const Observer& observer, const Prepared& prepared, ModalInput& input) {
  if (!input.preload) return;
  if (read.model.without_waves) {
    if (!read.preload_means.empty())
      throw Error(ErrorKind::conflicting_conditions, "couplings hold a preloaded body that is found with waves around",
                  "its preload is found without their springs and held motions", "support the surface itself");
    input.eigen.begin.u =
        state_around(read.model, *input.preload, {.record = observer.record, .progress = observer.progress});
    return;
  }
  Model outside = read.model;
  outside.load_cases.clear();
  outside.means = read.preload_means;
  const StaticSolution state =
      solve(outside, *input.preload, {.record = observer.record, .progress = observer.progress},
            {.equations = prepared.equations, .supports = prepared.supports, .fields = prepared.fields});
  input.eigen.begin.u = state.u.host();
}

void name_mode(std::size_t k, CaseModel& read, const char* suffix) {
  if (is_body(read.model) || !read.model.has_fields()) {
    read.nodal_results.push_back({mode_name(k) + suffix, mode_components(read.space())});
    if (has_rotations(read.model)) read.nodal_results.push_back({rotation_name(k) + suffix, 3});
    return;
  }
  for (const FieldFacts& field : facts_of(read.model)) {
    const bool vector = field.family == Family::facet || field.family == Family::edge;
    (field.family == Family::lagrange ? read.nodal_results : read.cell_results)
        .push_back({mode_name(k, field.name), vector ? 3 : field.components});
  }
}

MemoryNeeds needs_of_modes(const FieldsOfModel& fields, const ModalInput& input, Index more) {
  constexpr Index search = 16;
  return matrix_needs(*fields.rates) + MemoryNeeds().array<double>("vectors", fields.equations->layout().total(),
                                                                   2 * Index{input.eigen.count} + search + 3 * more);
}

LinearSolverOptions linear_of_answers(const CaseModel& read, CaseSolvers& solvers) {
  LinearSolverOptions linear = solvers.linear();
  linear.method = method_of_answers(linear.method, read.model);
  return linear;
}

MotionOf motion_in(const Model& body) {
  return [spaces = body.spaces()](const Vector& u) {
    BodyMotion motion = motion_of(spaces, u);
    std::vector<Field> fields = {{"", 3, std::move(motion.displacement)}};
    if (!motion.rotation.empty()) fields.push_back({"", 3, std::move(motion.rotation)});
    return fields;
  };
}

MotionOf motion_of(Run& run, const CaseModel& read) {
  return is_body(read.model) ? motion_in(read.model) : motion_in(run.results(), read.space());
}

namespace {

class ModalAnalysis final : public CaseAnalysis {
 public:
  explicit ModalAnalysis(ModalInput input) : input_(std::move(input)) {}

  std::string beyond_linear_statics() const override { return "[modal]"; }
  ModelDemands demands() const override {
    return {.held = input_.preload.has_value(), .loaded = input_.preload.has_value()};
  }
  void check(const Model& model) const override { check_modes(model, input_); }

  Rates rates() const override { return Rates::beside; }

  Forecast forecast(Run& run, const CaseModel& read, const Prepared& prepared) const override {
    if (input_.eigen.band)
      run.log().notice(
          fmt::format("how many modes the band holds is known only when they are counted: the forecast is for {}",
                      input_.eigen.count));
    return ritz::forecast(read.model, input_.eigen, prepared);
  }
  MemoryNeeds beside_system(const FieldsOfModel& fields) const override { return needs_of_modes(fields, input_); }
  Index host_of_shown(Run&, const CaseModel&, const Forecast& foreseen) const override {
    return foreseen.host_of_columns;
  }

  void begin(const CaseModel&, StepBegin begin) override { input_.eigen.begin = std::move(begin.from); }

  State solve(Run& run, const CaseModel& read, Observer observer, const Prepared& prepared) override {
    const Index unknowns = unknown_count(read.model);
    find_preload(read, observer, prepared, input_);
    State about = run.step().is_last() ? State{} : input_.eigen.begin;
    if (!input_.eigen.begin.points.empty())
      run.log().line("modes: of the tangent in the state, without the stiffness of its stress");
    VibrationModes modes = ritz::solve(read.model, input_.eigen, observer, prepared);
    report_modes(run, read, modes, input_, unknowns);
    if (is_body(read.model)) write_modes(run.results(), run.mesh(true), motion_in(read.model), modes, input_.shapes);
    else if (prepared.fields != nullptr) write_modes(run.results(), *prepared.fields, modes, input_.shapes);
    else write_modes(run.results(), read.space(), modes, input_.shapes);
    return about;
  }

 private:
  ModalInput input_;
};

}  // namespace

ModalInput read_modal(Run& run, const CaseModel& read, CaseSolvers& solvers) {
  ModalInput input = read_settings(run.input());
  if (input.shapes.factor != 0 && input.shapes.phases == 0)
    run.log().notice("[modal] animate_displacement has no effect: [modal] animate is 0");
  input.factorised = (read.model.ill_conditioned || read.preloaded || run.step().continues()) &&
                     input.eigen.method == EigenMethod::automatic;
  if (input.factorised) input.eigen.method = EigenMethod::lanczos;
  const bool two_copies = (input.nodal_diameters && !read.model.waves) || has_engine_order(run);
  if (two_copies && input.eigen.method == EigenMethod::automatic) input.eigen.method = EigenMethod::lanczos;
  input.eigen.ranks = run.options().ranks;
  input.eigen.say = [&run](const std::string& line) {
    run.log().end_progress();
    run.log().line("{}", line);
  };
  const bool springs =
      std::ranges::any_of(read.model.attached, [](const AttachedMotion& each) { return each.stiffness > 0; });
  const bool may_iterate =
      input.eigen.method == EigenMethod::automatic && !input.eigen.band && !springs && !read.model.has_fields();
  if (input.eigen.ranks != nullptr && may_iterate) input.eigen.method = EigenMethod::lobpcg;
  if (read.preloaded) input.preload = Static{.linear = solvers.linear()};
  return input;
}

void require_program_of_modes(Run& run) {
  const std::string& program = run.info().name;
  const bool is_case_of_modes = program == "ritz-modal" || program == "ritz-solve" || run.step().is_of_steps();
  if (is_case_of_modes || run.options().survey || run.options().describe) return;
  run.input().root().error(ErrorKind::other_program, "modal",
                           fmt::format("'{}' is a case for ritz-modal, and {} was called", run.input().path(), program),
                           "it has [modal] outside of a [[step]]",
                           fmt::format("run: ritz-modal {}, or make a [[step]] of it", run.input().path()));
}

std::unique_ptr<CaseAnalysis> modal_analysis(Run& run, CaseModel& read, CaseSolvers& solvers) {
  if (!read.modes) return nullptr;
  require_program_of_modes(run);
  ModalInput input = read_modal(run, read, solvers);
  if (input.nodal_diameters) return sector_modal_analysis(run, read, std::move(input));
  if (!read.model.cyclic.empty())
    run.log().notice(
        "modes of the sector are those that all sectors share (no nodal diameter); [modal] nodal_diameters finds the "
        "others");
  const int count = input.eigen.band ? 1000 : input.eigen.count;
  for (std::size_t k = 0; k < static_cast<std::size_t>(count); ++k) name_mode(k, read);
  return std::make_unique<ModalAnalysis>(std::move(input));
}

}  // namespace ritz
