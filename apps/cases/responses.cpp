#include "apps/cases/responses.hpp"

#include "apps/cases/motion.hpp"
#include "apps/cases/regions_of_fields.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <numbers>

namespace ritz {
namespace {

constexpr const char* outside = "loads";

std::vector<std::string> load_names(const CaseModel& read, bool outside_excites) {
  std::vector<std::string> names;
  if (outside_excites) names.emplace_back(outside);
  for (const LoadCaseInput& each : read.load_cases.cases) names.push_back(each.name);
  return names;
}

// The key that has the size of the excitation, in the words of the analysis.
struct SizeKey {
  const char* key;
  const char* about;
  Excitation::Motion motion = Excitation::Motion::acceleration;
};

double read_phase(const Case::Table& t) {
  return t.number("phase", "[degrees] by which it leads", {.fallback = 0}) * std::numbers::pi / 180;
}

// A number or a formula of t alone.
Formula read_over_time(const Case::Table& t, const char* key, const char* about, const NumberRule& rule) {
  Formula result = t.formula(key, about, rule);
  if (result.depends_on_position())
    t.error(ErrorKind::wrong_value, key, fmt::format("'{}' depends on the position", result.text()),
            "it is one factor at each time", "write a formula of t");
  return result;
}

std::string read_name(const Case::Table& t, const std::string& fallback) {
  return t.text("name", "by which [[random.correlation]] knows it; not given: that of the load case, or \"base\"",
                {.fallback = fallback});
}

NamedExcitation read_load(const Case::Table& t, ResponseKind kind, FrequencyTable::Scale scale,
                          const std::vector<std::string>& names) {
  NamedExcitation result;
  result.load =
      t.text("load_case", "load case that excites; without it the loads outside of load cases", {.fallback = outside});
  if (std::ranges::find(names, result.load) == names.end()) {
    const std::string near = nearest_match(result.load, names);
    t.error(ErrorKind::modal_options, "load_case",
            result.load == outside ? std::string("no load outside of load cases excites")
                                   : fmt::format("there is no load case '{}'", result.load),
            names.empty()
                ? "the case has no load that excites; those of a preload, or of a step before, are of the state"
                : fmt::format("there are {}", quoted_list(names)),
            near.empty() ? "add a [[load_case]] of this name" : fmt::format("did you mean '{}'?", near));
  }
  if (kind == ResponseKind::random) result.name = read_name(t, result.load);
  if (kind == ResponseKind::harmonic) {
    result.excitation.size =
        read_over_frequency(t, "amplitude", "factor of the load, or \"name(f)\"", scale, {.fallback = 1});
    result.excitation.phase = read_phase(t);
  } else if (kind == ResponseKind::history) {
    result.over_time =
        read_over_time(t, "amplitude", "factor of the load, a number or a formula of t", {.fallback = 1});
  } else {
    result.excitation.size =
        read_over_frequency(t, "density", "one-sided spectral density of the factor of the load [1/Hz], or \"name(f)\"",
                            scale, {.minimum = 0});
  }
  return result;
}

SizeKey size_of_base(const Case::Table& t, ResponseKind kind) {
  if (kind == ResponseKind::random)
    return {"density", "one-sided spectral density of the acceleration of the base [(m/s^2)^2/Hz], or \"name(f)\""};
  if (kind == ResponseKind::spectrum)
    return {"acceleration", "largest acceleration of an oscillator over its frequency [m/s^2], \"name(f)\""};
  static constexpr SizeKey keys[] = {
      {"velocity", "instead: amplitude of the velocity of the base [m/s], or \"name(f)\"",
       Excitation::Motion::velocity},
      {"displacement", "instead: amplitude of the displacement of the base [m], or \"name(f)\"",
       Excitation::Motion::displacement}};
  for (const SizeKey& each : keys)
    if (t.has(each.key)) return each;
  return {"acceleration", "amplitude of the acceleration of the base [m/s^2], or \"name(f)\""};
}

NamedExcitation read_base(const Case::Table& t, ResponseKind kind, FrequencyTable::Scale scale, int dimension) {
  NamedExcitation result;
  const std::vector<double> direction =
      t.vector("direction", "of the motion of the base; its length is a factor", {.size = dimension});
  std::ranges::copy(direction, result.excitation.direction.begin());
  if (std::ranges::all_of(direction, [](double each) { return each == 0; }))
    t.error(ErrorKind::region_definition, "direction", "a direction of length 0", {}, "give a direction, as [0, 0, 1]");
  if (kind == ResponseKind::history) {
    result.over_time =
        read_over_time(t, "acceleration", "of the base [m/s^2], a number or a formula of t, as \"quake(t)\"", {});
    return result;
  }
  if (kind == ResponseKind::random) result.name = read_name(t, "base");
  const SizeKey size = size_of_base(t, kind);
  result.excitation.motion = size.motion;
  result.excitation.size = read_over_frequency(t, size.key, size.about, scale, {.minimum = 0});
  if (kind == ResponseKind::harmonic) result.excitation.phase = read_phase(t);
  return result;
}

}  // namespace

Case::Table harmonic_table(Case& input) {
  return input.table("harmonic", "answers to loads and motions of the base that vary harmonically (docs/vibration.md)");
}

bool is_direct(const Case::Table& harmonic) {
  return harmonic.choice("method",
                         "sums of the modes of [modal]; or the whole system solved at each frequency, which takes "
                         "damping that differs from place to place",
                         {"modal", "direct"}, "modal") == "direct";
}

bool has_engine_order(Run& run) {
  return !run.options().survey && run.input().root().has("harmonic") && harmonic_table(run.input()).has("engine_order");
}

bool vibrates(Run& run) {
  const Case::Table root = run.input().root();
  return root.has("modal") || (!run.options().survey && (root.has("harmonic") || root.has("substructure")));
}

bool responds(Run& run) {
  if (run.options().survey) {  // the tables that all answers have are asked for once
    read_modal_damping(run.input());
    return true;
  }
  const Case::Table root = run.input().root();
  const char* found = nullptr;
  for (const char* key : {"harmonic", "random", "spectrum", "history", "complex", "substructure"}) {
    if (!root.has(key)) continue;
    if (found != nullptr)
      root.error(ErrorKind::modal_options, key, fmt::format("a case has [{}] and [{}]", found, key),
                 "a case, or a step, is one analysis", "make two cases or steps");
    else if (!root.has("modal") && !(key == std::string_view("harmonic") && is_direct(harmonic_table(run.input()))) &&
             key != std::string_view("substructure"))
      root.error(ErrorKind::modal_options, key, fmt::format("[{}] without [modal]", key), "answers are sums of modes",
                 "add [modal] with the number of modes");
    found = key;
  }
  return found != nullptr;
}

bool outside_loads_excite(Run& run, const CaseModel& read) { return !read.preloaded && !run.step().continues(); }

LoadCaseInputs read_exciting_loads(Run& run, const std::vector<std::string>& load_tables,
                                   const std::vector<MatrixTable>& matrix_tables) {
  LoadCaseInputs inputs = read_load_cases(run.input(), load_tables, matrix_tables);
  if (!inputs.combinations.empty())
    run.input().root().error(ErrorKind::modal_options, "combination", "combinations of load cases that excite modes",
                             "each load case has its amplitude and phase", "give them in [[harmonic.load]]");
  return inputs;
}

FrequencyTable read_over_frequency(const Case::Table& table, const char* key, const char* about,
                                   FrequencyTable::Scale scale, const NumberRule& rule) {
  const CaseProperty given = table.property(key, about, "f", rule);
  try {
    if (given.table) return {given.table->rows, scale};
  } catch (const Error& error) { table.error(key, error); }
  if (!given.formula.is_number())
    table.error(ErrorKind::modal_options, key,
                fmt::format("'{}' is a formula where tables over the frequency are taken", key), {},
                "make a [[table]] of it: \"name(f)\"");
  return given.formula.is_number() ? given.formula.number() : 0.0;
}

ModalDamping read_modal_damping(Case& input) {
  const Case::Table t = damping_table(input);
  ModalDamping damping;
  const bool rayleigh = t.has("rayleigh") || t.has("ratios") || t.has("frequencies");
  damping.ratio = read_over_frequency(t, "ratio", "of the critical damping of each mode, or \"name(f)\"",
                                      FrequencyTable::Scale::linear, {.fallback = 0, .minimum = 0, .below = 1});
  damping.structural = t.number("structural", "loss factor: the part of the elastic forces in phase with the velocity",
                                {.fallback = 0, .minimum = 0});
  if (rayleigh) damping.rayleigh = read_rayleigh(t);
  return damping;
}

std::vector<Dashpot> read_dashpots(Run& run, const Model& model) {
  const Case::Table t = damping_table(run.input());
  const Spaces spaces = model.spaces();
  std::vector<Dashpot> dashpots;
  for (const Case::Table& each : t.tables("dashpot", "forces against the velocity")) {
    const Region* region =
        each.region("region", "facets, nodes or cells: their nodes, in equal parts", named_mesh(run, model),
                    {RegionKind::facets, RegionKind::nodes, RegionKind::cells});
    const int dimension = std::min(model.space.components(), 3);
    const std::vector<double> value =
        each.vector("value", "in total, along the axes [N s/m]", {.size = dimension, .minimum = 0});
    std::vector<Dashpot> own;
    std::size_t nodes = 0;
    for (const RegionOfField& part : regions_of_fields(model, region)) {
      own.push_back({spaces[static_cast<std::size_t>(part.field)].nodes_in(*part.region), {}, part.field});
      nodes += own.back().nodes.size();
    }
    for (Dashpot& dashpot : own) {
      for (std::size_t d = 0; d < value.size(); ++d)
        dashpot.viscosity[d] = value[d] * static_cast<double>(dashpot.nodes.size()) / static_cast<double>(nodes);
      if (!dashpot.nodes.empty()) dashpots.push_back(std::move(dashpot));
    }
  }
  return dashpots;
}

void read_direct_damping(Run& run, const Model& model, DirectHarmonic& analysis) {
  const Case::Table t = damping_table(run.input());
  const ModalDamping of_all = read_modal_damping(run.input());
  if (t.has("ratio"))
    t.error(ErrorKind::damping, "ratio", "a damping ratio of modes where no modes are found", {},
            "give rayleigh, structural, [[damping.region]] or [[damping.dashpot]], or take method = \"modal\"");
  analysis.rayleigh = of_all.rayleigh;
  analysis.structural = of_all.structural;
  const Mesh& mesh = named_mesh(run, model);
  for (const Case::Table& each : t.tables("region", "cells with a loss factor, which joins that of all")) {
    const Region* region = each.region("region", "cells", mesh, {RegionKind::cells});
    const double factor = each.number("structural", "loss factor of these cells", {.minimum = 0});
    for (const RegionOfField& part : regions_of_fields(model, region))
      if (part.region->kind == RegionKind::cells) analysis.losses.push_back({part.region->cells, factor, part.field});
  }
  analysis.dashpots = read_dashpots(run, model);
}

std::vector<NamedExcitation> read_excitations(const Case::Table& table, ResponseKind kind, const CaseModel& read,
                                              bool outside_excites, int dimension) {
  const bool of_spectra = kind == ResponseKind::random || kind == ResponseKind::spectrum;
  FrequencyTable::Scale scale = FrequencyTable::Scale::linear;
  if (kind != ResponseKind::history && table.choice("interpolation", "between the rows of tables over the frequency",
                                                    {"linear", "log"}, of_spectra ? "log" : "linear") == "log")
    scale = FrequencyTable::Scale::log;
  const std::vector<std::string> names = load_names(read, outside_excites);
  std::vector<NamedExcitation> all;
  if (kind != ResponseKind::spectrum)
    for (const Case::Table& t : table.tables("load", "a load that excites"))
      all.push_back(read_load(t, kind, scale, names));
  for (const Case::Table& t : table.tables("base", "a motion of the base: of all supports together"))
    all.push_back(read_base(t, kind, scale, dimension));
  if (all.empty() && !of_spectra)
    for (const std::string& each : names) all.push_back({each, {}});
  if (all.empty())
    table.error(ErrorKind::modal_options, "base", "nothing excites the modes", {},
                kind == ResponseKind::spectrum ? fmt::format("add a [[{}.base]]", table.name())
                                               : fmt::format("add a [[{0}.load]] or a [[{0}.base]]", table.name()));
  return all;
}

std::vector<Correlation> read_correlations(const Case::Table& random, const std::vector<NamedExcitation>& excitations) {
  std::vector<Correlation> result;
  for (const Case::Table& t : random.tables("correlation", "two excitations that are correlated; others are not")) {
    const std::vector<std::string> names = t.texts("between", "names of the two excitations");
    std::vector<int> numbers;
    for (const std::string& name : names)
      for (std::size_t i = 0; i < excitations.size(); ++i)
        if (excitations[i].name == name) numbers.push_back(static_cast<int>(i));
    Correlation each;
    each.coherence = read_over_frequency(t, "coherence", "gamma^2, a part of 1 or \"name(f)\"",
                                         FrequencyTable::Scale::linear, {.minimum = 0, .maximum = 1});
    each.phase = read_over_frequency(t, "phase", "[degrees] by which the first leads the second, or \"name(f)\"",
                                     FrequencyTable::Scale::linear, {.fallback = 0});
    if (names.size() != 2 || numbers.size() != 2) {
      std::vector<std::string> all;
      for (const NamedExcitation& excitation : excitations) all.push_back(excitation.name);
      t.error(ErrorKind::modal_options, "between", "a correlation that is not between two excitations",
              fmt::format("there are {}", quoted_list(all)), "name two; give each a separate name");
      continue;
    }
    each.first = numbers[0], each.second = numbers[1];
    result.push_back(std::move(each));
  }
  return result;
}

std::vector<Excitation> numbered(Run& run, const std::vector<NamedExcitation>& excitations, const ModalSpace& space) {
  for (const std::string& load : space.load_names)
    if (std::ranges::find(excitations, load, &NamedExcitation::load) == excitations.end())
      run.log().notice(load == outside
                           ? "the loads outside of load cases do not act: they are not among what excites"
                           : fmt::format("load case '{}' does not act: it is not among what excites", load));
  std::vector<Excitation> result;
  for (const NamedExcitation& each : excitations) {
    Excitation& excitation = result.emplace_back(each.excitation);
    if (each.load.empty()) continue;
    const auto found = std::ranges::find(space.load_names, each.load);
    if (found == space.load_names.end())
      throw Error(ErrorKind::vibration, fmt::format("nothing acts in '{}', which is to excite the modes", each.load),
                  {}, "add a load, or a motion of the base");
    excitation.load = static_cast<int>(found - space.load_names.begin());
  }
  return result;
}

}  // namespace ritz
