#include "apps/analyses/modal_response.hpp"

#include "apps/cases/regions_of_fields.hpp"
#include "apps/show/field_component.hpp"
#include "fem/analysis/sector_modes.hpp"
#include "io/case/csv.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <utility>

namespace ritz {
namespace {

// A field of the results of a response.
std::vector<Field> moved_names(const CaseModel& read) {
  const int dimension = mode_components(read.space());
  std::vector<Field> names = {{"displacement", dimension}, {"acceleration", dimension}};
  if (has_rotations(read.model)) names.push_back({"rotation", 3});
  return names;
}

// Adds names of fields that a motion alone does not have.
void add_names(const std::vector<Field>& all, std::vector<Field>& fields) {
  for (const Field& each : all)
    if (std::ranges::find(fields, each.name, &Field::name) == fields.end()) fields.push_back(each);
}

void log_space(Run& run, const ModalSpace& space) {
  std::string missing;
  for (std::size_t d = 0; d < space.base.size(); ++d)
    missing +=
        fmt::format("{}{} {:.2f} %", d == 0 ? "" : ", ", "xyz"[space.modes.directions[d]], 100 * space.missing_mass(d));
  run.log().line("modal space: {} modes and {} residual vectors; mass that no mode moves: {}", space.mode_count(),
                 space.columns() - space.mode_count(), missing);
  auto& facts = run.results().facts();
  facts["residual_vectors"] = fmt::format("{}", space.columns() - space.mode_count());
  std::vector<double> shares;
  for (std::size_t d = 0; d < space.base.size(); ++d) shares.push_back(space.missing_mass(d));
  facts["missing_mass"] = fmt::format("{:.6g}", fmt::join(shares, " "));
}

// Each frequency of pairs is there twice.
void report_order(Run& run, const ModalSpace& space, const EngineOrder& order, int sectors) {
  std::vector<double> frequencies;
  for (std::size_t k = 0; k < space.modes.frequencies.size(); k += order.pair ? 2 : 1)
    frequencies.push_back(space.modes.frequencies[k]);
  run.log().line("engine order {} on {} sectors: {} nodal diameters{}", order.order, sectors, order.waves,
                 !order.pair      ? ""
                 : order.backward ? ", waves that go backwards"
                                  : ", waves that go forwards");
  run.log().line("modes [Hz]: {:.7g}; residual vectors: {}", fmt::join(frequencies, ", "),
                 space.columns() - space.mode_count());
  auto& facts = run.results().facts();
  facts["sectors"] = fmt::format("{}", sectors);
  facts["nodal_diameters"] = fmt::format("{}", order.waves);
  facts["residual_vectors"] = fmt::format("{}", space.columns() - space.mode_count());
  facts[fmt::format("frequencies_hz_n{}", order.waves)] = fmt::format("{:.12g}", fmt::join(frequencies, " "));
}

}  // namespace

ModalResponse::ModalResponse(Run& run, CaseModel& read, CaseSolvers& solvers, ResponseKind kind,
                             const Case::Table& table)
    : input_(read_modal(run, read, solvers)), damping_(read_modal_damping(run.input())) {
  if (input_.nodal_diameters)
    run.input()
        .table("modal", "")
        .error(ErrorKind::modal_options, "nodal_diameters",
               fmt::format("[{}] of a sector with nodal diameters", table.name()),
               "answers are of motions that all sectors share", "omit nodal_diameters, or model the whole body");
  if (input_.shapes.phases > 0 || input_.shapes.unit_maximum)
    run.log().notice("[modal] animate and normalise have no effect: the results are answers, not shapes of modes");
  const bool outside = outside_loads_excite(run, read);
  basis_ = {.loads_excite = outside,
            .residual_vectors =
                table.flag("residual_vectors", "adds the static answers to the excitations that the modes lack", true),
            .linear = linear_of_answers(read, solvers)};
  if (kind == ResponseKind::history) run.input().allow_time();
  excitations_ = read_excitations(table, kind, read, outside, mode_components(read.space()));
  read_response_format(run);
  name_motions(read);
}

void name_motions(CaseModel& read) {
  std::ranges::move(moved_names(read), std::back_inserter(read.nodal_results));
  std::ranges::copy(read.motion.names.nodal, std::back_inserter(read.nodal_results));
  std::ranges::copy(read.motion.names.cells, std::back_inserter(read.cell_results));
}

ModelDemands ModalResponse::demands() const {
  return {.held = input_.preload.has_value(), .loaded = input_.preload.has_value()};
}

void ModalResponse::check(const Model& model) const {
  check_modes(model, input_);
  ModalBasis basis = basis_;
  basis.modal.ranks = input_.eigen.ranks;
  if (!order_) return ritz::check(model, basis);
  basis.modal.method = input_.eigen.method;
  ritz::check(model, basis, *order_);
}

MemoryNeeds ModalResponse::beside_system(const FieldsOfModel& fields) const {
  return needs_of_modes(fields, input_, std::ssize(fields.supports_of_cases) + 4);
}

Index ModalResponse::host_of_shown(Run& run, const CaseModel& read, const Forecast& foreseen) const {
  return CaseAnalysis::host_of_shown(run, read, foreseen) + host_of_combined(run, read, *this);
}

Forecast ModalResponse::forecast(Run&, const CaseModel& read, const Prepared& prepared) const {
  ModalBasis basis = basis_;
  basis.modal = input_.eigen;
  Forecast result =
      order_ ? ritz::forecast(read.model, basis, *order_, prepared) : ritz::forecast(read.model, basis, prepared);
  result.results = results();
  return result;
}

State ModalResponse::solve(Run& run, const CaseModel& read, Observer observer, const Prepared& prepared) {
  find_preload(read, observer, prepared, input_);
  State about = run.step().is_last() ? State{} : input_.eigen.begin;
  basis_.modal = input_.eigen;
  if (order_) {
    const ModalSpace space = ritz::solve(read.model, basis_, *order_, observer, prepared);
    report_order(run, space, *order_, sector_count(read.model));
    respond(run, read, space, around(numbered(run, excitations_, space), space, *order_));
    return about;
  }
  ModalSpace space = ritz::solve(read.model, basis_, observer, prepared);
  report_modes(run, read, space.modes, input_, unknown_count(read.model));
  log_space(run, space);
  respond(run, read, space, numbered(run, excitations_, space));
  return about;
}

namespace {

EvaluatedFields moved_fields(Run& run, const CaseModel& read, const Vector& u, const Vector* acceleration) {
  EvaluatedFields fields{read.motion.moved(run, u), {}};
  if (acceleration == nullptr) return fields;
  fields.nodal.push_back(read.motion.moved(run, *acceleration).front());
  fields.nodal.back().name = "acceleration";
  return fields;
}

}  // namespace

EvaluatedFields fields_of_motion(Run& run, const CaseModel& read, const Vector& u, const Vector* acceleration) {
  EvaluatedFields fields = moved_fields(run, read, u, acceleration);
  add(read.motion.derived(run, u), fields);
  return fields;
}

std::vector<ProbedQuantity> probed_quantities(Run& run, const CaseModel& read, const ModalSpace& space) {
  std::vector<Field> linear = moved_names(read);
  for (const std::vector<Field>* names : {&read.motion.names.nodal, &read.motion.names.cells})
    std::ranges::copy_if(*names, std::back_inserter(linear), [&](const Field& each) {
      return std::ranges::find(read.motion.roots, each.name) == read.motion.roots.end();
    });
  // The columns, then translations of the base, of which accelerations alone are asked.
  EvaluatedFields fields;
  const auto is_derived = [&](const std::string& name) {
    const auto has = [&](const std::vector<Field>& names) {
      return std::ranges::find(names, name, &Field::name) != names.end();
    };
    return has(read.motion.names.nodal) || has(read.motion.names.cells);
  };
  const auto make = [&](int set, const std::set<std::string>& named) {
    std::vector<double> q(static_cast<std::size_t>(space.columns()), 0.0), carried(space.base.size(), 0.0);
    if (set < space.columns()) q[static_cast<std::size_t>(set)] = 1;
    else carried[static_cast<std::size_t>(set - space.columns())] = 1;
    const Vector u = space.motion(q, carried);
    fields =
        std::ranges::any_of(named, is_derived) ? fields_of_motion(run, read, u, &u) : moved_fields(run, read, u, &u);
    add_names(read.nodal_results, fields.nodal);
    add_names(read.cell_results, fields.cells);
    return ProbeFields{fields.nodal, fields.cells, run.results().measure(), run.results().fields().finer()};
  };
  const int sets = space.columns() + static_cast<int>(space.base.size());
  const std::vector<LinearProbe> probes = evaluate_linear_probes(run.input(), run.mesh(), linear, sets, make);
  const std::map<std::string, std::string> units =
      probes.empty() ? std::map<std::string, std::string>()
                     : probe_units(run.input(), run.mesh(), make(0, {}), units_of(run.report()));
  std::vector<ProbedQuantity> result;
  for (const LinearProbe& probe : probes)
    for (std::size_t i = 0; i < probe.numbers.front().size(); ++i) {
      const bool several = probe.numbers.front().size() > 1;
      ProbedQuantity& each = result.emplace_back();
      each.name = several ? fmt::format("{}.{}", probe.name, i) : probe.name;
      if (const auto unit = units.find(probe.name); unit != units.end()) each.unit = unit->second;
      each.quantity.is_acceleration = probe.field == "acceleration";
      for (int set = 0; set < sets; ++set)
        (set < space.columns() ? each.quantity.columns : each.quantity.carried)
            .push_back(probe.numbers[static_cast<std::size_t>(set)][i]);
    }
  return result;
}

Index host_of_combined(Run& run, const CaseModel& read, const CaseAnalysis& analysis) {
  constexpr int sets = 3;
  const auto host_of = [&](int steps) {
    return host_of_results(run.results(), read.space(), integrals_of(read.model, analysis), steps);
  };
  return sets * (host_of(2) - host_of(1));
}

void make_positive(EvaluatedFields& fields) {
  for (std::vector<Field>* some : {&fields.nodal, &fields.cells})
    for (Field& field : *some)
      for (const auto values : {&Field::values, &Field::finer_values})
        for (double& each : field.*values) each = std::abs(each);
}

void print_peaks(Run& run, const EvaluatedFields& fields, const std::string& what) {
  for (const Field& field : fields.nodal) {
    if (field.name == "displacement" || field.name == "acceleration")
      print_peak(run, run.mesh(), fmt::format("{} {}", what, field.name), magnitudes(field.values, field.components));
    if (field.name == "von_mises" && !field.values.empty())
      print_peak(run, run.mesh(), what + " von Mises stress", field.values);
  }
}

FrequencyRange read_frequencies(const Case::Table& table, const char* about, bool needed) {
  if (!needed && !table.has("frequencies")) {
    table.vector("frequencies", about, {.fallback = std::vector<double>{}, .minimum = 0});
    return {};
  }
  const std::vector<double> range = table.vector("frequencies", about, {.size = 2, .minimum = 0});
  if (range.size() != 2) return {};  // an error of the case
  if (!(range.front() < range.back()))
    table.error(ErrorKind::modal_options, "frequencies",
                fmt::format("the range from {:g} to {:g} Hz is empty", range.front(), range.back()), {},
                "give the lower frequency first");
  return {range.front(), range.back(), true};
}

int read_frequency_count(const Case::Table& table, const char* about) {
  return static_cast<int>(table.integer("count", about, {.fallback = 100, .minimum = 2, .maximum = 1000000}));
}

void report_beyond_modes(Run& run, const ModalSpace& space, double high) {
  const double highest = space.modes.frequencies.back();
  if (high > highest)
    run.log().notice(
        fmt::format("the highest mode has {:.6g} Hz, and answers up to {:g} Hz are asked for: beyond it "
                    "residual vectors alone move; find more modes",
                    highest, high));
}

namespace {

Case::Table output_of(Run& run) { return run.input().table("output", "what is written"); }

bool wants_universal_file(Run& run) {
  return output_of(run).choice(
             "response", "tables of probes over the frequency or the time: csv; or a universal file, type 58, as well",
             {"csv", "universal"}, "csv") == "universal";
}

}  // namespace

void read_response_format(Run& run) { wants_universal_file(run); }

void write_response(Run& run, const ResponseTable& table) {
  if (table.series.empty()) return;
  run.results().add_table("response.csv", csv_of(table));
  if (wants_universal_file(run)) run.results().add_table("response.uff", universal_file_of(table));
}

}  // namespace ritz
