#include "apps/cases/responses.hpp"

#include "apps/cases/motion.hpp"

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
  if (kind == ResponseKind::harmonic) {
    result.excitation.size =
        read_over_frequency(t, "amplitude", "factor of the load, or \"name(f)\"", scale, {.fallback = 1});
    result.excitation.phase = read_phase(t);
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
  const SizeKey size = size_of_base(t, kind);
  result.excitation.motion = size.motion;
  result.excitation.size = read_over_frequency(t, size.key, size.about, scale, {.minimum = 0});
  if (kind == ResponseKind::harmonic) result.excitation.phase = read_phase(t);
  return result;
}

}  // namespace

bool responds(Run& run) {
  if (run.options().survey) {  // the tables that all answers have are asked for once
    read_modal_damping(run.input());
    return true;
  }
  const Case::Table root = run.input().root();
  const char* found = nullptr;
  for (const char* key : {"harmonic", "random", "spectrum"}) {
    if (!root.has(key)) continue;
    if (found != nullptr)
      root.error(ErrorKind::modal_options, key, fmt::format("a case has [{}] and [{}]", found, key),
                 "a case, or a step, is one analysis", "make two cases or steps");
    else if (!root.has("modal"))
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
  } catch (const Error& error) { table.error(error.kind(), key, error.message(), error.why(), error.fix()); }
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

std::vector<NamedExcitation> read_excitations(const Case::Table& table, ResponseKind kind, const CaseModel& read,
                                              bool outside_excites, int dimension) {
  const bool of_spectra = kind != ResponseKind::harmonic;
  const auto scale = table.choice("interpolation", "between the rows of tables over the frequency", {"linear", "log"},
                                  of_spectra ? "log" : "linear") == "log"
                         ? FrequencyTable::Scale::log
                         : FrequencyTable::Scale::linear;
  const std::vector<std::string> names = load_names(read, outside_excites);
  std::vector<NamedExcitation> all;
  if (kind != ResponseKind::spectrum)
    for (const Case::Table& t : table.tables("load", "a load that excites"))
      all.push_back(read_load(t, kind, scale, names));
  for (const Case::Table& t : table.tables("base", "a motion of the base: of all supports together"))
    all.push_back(read_base(t, kind, scale, dimension));
  if (all.empty() && kind == ResponseKind::harmonic)
    for (const std::string& each : names) all.push_back({each, {}});
  if (all.empty())
    table.error(ErrorKind::modal_options, "base", "nothing excites the modes", {},
                kind == ResponseKind::spectrum ? fmt::format("add a [[{}.base]]", table.name())
                                               : fmt::format("add a [[{0}.load]] or a [[{0}.base]]", table.name()));
  return all;
}

std::vector<Excitation> numbered(const std::vector<NamedExcitation>& excitations, const ModalSpace& space) {
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
