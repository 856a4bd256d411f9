#include "apps/cases/plausible.hpp"

#include "mesh/quality/quality.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <sstream>
#include <string_view>

namespace ritz {
namespace {

// The mass of a solid mesh; NaN unless every cell has one density that is a number.
double mass_of(const Case& input, const Mesh& mesh, const std::vector<double>& volumes) {
  constexpr double unknown = std::numeric_limits<double>::quiet_NaN();
  std::vector<double> density(volumes.size(), unknown);
  for (const GivenNumber& given : input.given_numbers("material", "density"))
    for (const std::string& name : given.regions) {
      if (!mesh.has_region(name)) return unknown;
      for (const Index cell : mesh.region(name).cells) density[static_cast<std::size_t>(cell)] = given.value;
    }
  double mass = 0;
  for (std::size_t cell = 0; cell < volumes.size(); ++cell) mass += density[cell] * volumes[cell];
  return mass;
}

struct DoubtfulRange {
  const char *table, *key, *unit;
  double low, high;  // outside of it a number is doubtful
  const char *too_low, *too_high;
};

constexpr DoubtfulRange doubtful_ranges[] = {
    {"material", "young", "Pa", 1e6, 2e12, "softer than rubber; steel has 2.1e11 Pa, which is 210000 MPa or 210 GPa",
     "stiffer than diamond; steel has 2.1e11 Pa"},
    {"section", "young", "Pa", 1e6, 2e12, "softer than rubber; steel has 2.1e11 Pa, which is 210000 MPa or 210 GPa",
     "stiffer than diamond; steel has 2.1e11 Pa"},
    {"material", "density", "kg/m^3", 0.05, 3e4,
     "that of a gas; steel has 7850 kg/m^3, which is 7.85e-9 t/mm^3 or 7.85 g/cm^3",
     "heavier than any metal; steel has 7850 kg/m^3"},
    {"section", "density", "kg/m^3", 0.05, 3e4,
     "that of a gas; steel has 7850 kg/m^3, which is 7.85e-9 t/mm^3 or 7.85 g/cm^3",
     "heavier than any metal; steel has 7850 kg/m^3"},
    {"material", "conductivity", "W/(m K)", 1e-3, 1e4,
     "less than any insulator; steel has 50 W/(m K), which is 0.05 W/(mm K)",
     "more than diamond; copper has 400 W/(m K)"},
};

// Gases conduct heat. What bears loads is a solid, and aerogels alone are lighter.
constexpr double lightest_solid = 20;  // [kg/m^3]

bool bears_loads(const Case& input) {
  return !input.given_numbers("material", "young").empty() || !input.given_numbers("section", "young").empty();
}

bool has_word(std::string_view text, std::string_view word) {
  const auto inside = [&](std::size_t at) {
    return at < text.size() && (std::isalnum(static_cast<unsigned char>(text[at])) != 0 || text[at] == '_');
  };
  for (std::size_t at = text.find(word); at != std::string_view::npos; at = text.find(word, at + 1))
    if ((at == 0 || !inside(at - 1)) && !inside(at + word.size())) return true;
  return false;
}

}  // namespace

std::string size_line(const Case& input, const Mesh& mesh) {
  const BoundingBox box = bounding_box(mesh);
  std::string text = "part: ";
  for (std::size_t d = 0; d < 3; ++d)
    if (const double length = box.high[d] - box.low[d]; d < static_cast<std::size_t>(mesh.dimension()))
      text += fmt::format("{}{:.4g}", d > 0 ? " x " : "", length);
  const auto unit = [system = input.root().units()](std::string_view si) { return in_system(si, system); };
  text += unit(" m");
  if (mesh.structural() || mesh.dimension() < 2) return text;
  const std::vector<double> volumes = cell_volumes(mesh);
  double volume = 0;
  for (const double each : volumes) volume += each;
  const bool named = !unit(" m").empty();  // without units the numbers need names
  const std::string size = mesh.dimension() == 3 ? "volume " : "area ";
  text += fmt::format(", {}{:.4g}{}", named ? "" : size, volume, unit(mesh.dimension() == 3 ? " m^3" : " m^2"));
  if (mesh.dimension() < 3) return text;
  const double mass = mass_of(input, mesh, volumes);
  return std::isnan(mass) ? text : text + fmt::format(", {}{:.4g}{}", named ? "" : "mass ", mass, unit(" kg"));
}

std::vector<std::string> doubtful_numbers(const Case& input, const Mesh& mesh, double scale) {
  std::vector<std::string> notices;
  if (input.root().units() != UnitSystem::si) return notices;  // what is doubtful there is not known
  const double size = bounding_box(mesh).diagonal();
  if (scale == 1 && size > (mesh.structural() ? 2000 : 100))
    notices.push_back(fmt::format(
        "the part measures {:.4g} m from corner to corner: is its mesh in mm? Then [mesh] scale = 0.001", size));
  if (scale != 1 && size < 1e-3)
    notices.push_back(
        fmt::format("the part measures {:.2g} m from corner to corner after [mesh] scale = {:g}: is its "
                    "mesh in m already? Then leave out the scale",
                    size, scale));
  for (const DoubtfulRange& range : doubtful_ranges)
    for (const GivenNumber& given : input.given_numbers(range.table, range.key)) {
      const bool is_gas = std::string_view(range.key) == "density" && given.value < lightest_solid;
      if (given.value <= 0) continue;
      if (given.value >= range.low && given.value <= range.high && !(is_gas && bears_loads(input))) continue;
      notices.push_back(fmt::format("{} = {:g} {} is {}: {}", range.key, given.value, range.unit,
                                    given.value > range.high ? range.too_high : range.too_low, given.where));
    }
  return notices;
}

std::vector<std::string> unused_names(const Case& input) {
  struct Named {
    std::string table, name;
  };
  std::vector<Named> named;
  std::string table, rest;  // the values of all other keys
  std::istringstream lines(input.resolved());
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("[")) table = line;
    const std::size_t equals = line.find(" = ");
    if (line.starts_with("[") || equals == std::string::npos) {
      rest += line.starts_with("[") ? "" : line + "\n";
      continue;
    }
    const std::string key = line.substr(0, equals), value = line.substr(equals + 3);
    const bool names = table == "[[table]]" || table == "[[field]]" || table == "[[orientation]]";
    if (!names) rest += value + "\n";
    else if (key == "name" && value.size() > 2) named.push_back({table, value.substr(1, value.size() - 2)});
  }
  std::vector<std::string> notices;
  for (const Named& each : named)
    if (!has_word(rest, each.name))
      notices.push_back(fmt::format("{} '{}' is used nowhere: {}", each.table, each.name,
                                    each.table == "[[orientation]]"
                                        ? "a material takes its axes by orientation = \"" + each.name + "\""
                                        : "formulas call it by its name"));
  return notices;
}

}  // namespace ritz
