#include "apps/ritz/deck_materials.hpp"

#include "io/files/text_case.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <map>
#include <span>

namespace ritz {
namespace {

std::vector<double> numbers_on(const DeckCard& card) {
  std::vector<double> numbers;
  for (std::size_t line = 0; line < card.data.size(); ++line)
    for (std::size_t field = 0; field < card.data[line].size(); ++field) numbers.push_back(card.number(line, field));
  return numbers;
}

std::string toml_list(std::span<const double> numbers) { return fmt::format("[{}]", fmt::join(numbers, ", ")); }

std::vector<std::string> stiffness_lines(std::span<const double> numbers) {
  return {"[material.anisotropic]", "stiffness = " + toml_list(numbers)};
}

// D1111, D1122, D2222, D1133, D2233, D3333, D1212, D1313, D2323 among the 21 of an anisotropic material.
std::vector<std::string> orthotropic_lines(std::span<const double> numbers) {
  static constexpr std::array<std::size_t, 9> places{0, 1, 2, 3, 4, 5, 9, 14, 20};
  std::array<double, 21> all{};
  for (std::size_t i = 0; i < places.size(); ++i) all[places[i]] = numbers[i];
  return stiffness_lines(all);
}

std::vector<std::string> engineering_lines(std::span<const double> numbers) {
  return {"[material.orthotropic]", "young = " + toml_list(numbers.subspan(0, 3)),
          "poisson = " + toml_list(numbers.subspan(3, 3)), "shear = " + toml_list(numbers.subspan(6, 3))};
}

std::vector<std::string> conductivity_lines(std::span<const double> numbers) {
  return {"conductivity_along = " + toml_list(numbers)};
}

struct Directed {
  const char* keyword;
  const char* type;  // its first letters
  std::size_t count;
  std::vector<std::string> (*lines)(std::span<const double>);
};

constexpr std::array directed_kinds{
    Directed{"ELASTIC", "ANISO", 21, stiffness_lines}, Directed{"ELASTIC", "ORTHO", 9, orthotropic_lines},
    Directed{"ELASTIC", "ENGINEERING", 9, engineering_lines}, Directed{"CONDUCTIVITY", "ORTHO", 3, conductivity_lines}};

}  // namespace

std::optional<DirectedNumbers> directed_numbers(const DeckCard& card) {
  const std::string type = upper(card.parameter("TYPE"));
  const std::vector<double> numbers = numbers_on(card);
  for (const Directed& kind : directed_kinds)
    if (card.keyword == kind.keyword && type.starts_with(kind.type) && numbers.size() >= kind.count)
      return DirectedNumbers{kind.lines(std::span(numbers).first(kind.count)), card.data.size() > (kind.count + 7) / 8};
  return {};
}

namespace {

DeckLaw plastic_law(const DeckCard& card) {
  const std::string hardening = upper(card.parameter("HARDENING"));
  if (!hardening.empty() && hardening != "ISOTROPIC")
    return {{}, fmt::format("its HARDENING={} is not translated: law = \"chaboche\" (docs/materials.md)", hardening)};
  std::map<double, std::vector<std::string>> rows;  // by temperature
  for (std::size_t line = 0; line < card.data.size(); ++line)
    rows[card.number(line, 2)].push_back(fmt::format("[{}, {}]", card.number(line, 1), card.number(line, 0)));
  if (rows.size() == 1)
    return {{"law = \"j2\"", fmt::format("hardening = [{}]", fmt::join(rows.begin()->second, ", "))}};
  std::vector<std::string> curves;
  for (const auto& [temperature, points] : rows)
    curves.push_back(fmt::format("{{temperature = {}, hardening = [{}]}}", temperature, fmt::join(points, ", ")));
  return {{"law = \"j2_rate\"", fmt::format("hardening_at = [{}]", fmt::join(curves, ", "))}};
}

// a q^n t^m. CalculiX hardens with the time whatever LAW is, Abaqus with the strain unless LAW=TIME.
DeckLaw creep_law(const DeckCard& card) {
  const std::string law = upper(card.parameter("LAW"));
  const double a = card.number(0, 0), n = card.number(0, 1), m = card.number(0, 2);
  if (!law.empty() && law != "NORTON" && law != "TIME" && law != "STRAIN")
    return {{}, fmt::format("LAW={} is not translated: NORTON, TIME and STRAIN are", law)};
  for (std::size_t line = 1; line < card.data.size(); ++line)
    if (card.number(line, 0) != a || card.number(line, 1) != n || card.number(line, 2) != m)
      return {{}, "its values depend on the temperature: write a [[table]] for 'a' of the law (docs/materials.md)"};
  if (n < 1) return {{}, fmt::format("its exponent of the stress, {}, is below 1, which laws of Ritz do not have", n)};
  if (m <= -1 || (law == "STRAIN" && m > 0))
    return {{}, fmt::format("its exponent of the time, {}, is not one of the laws of Ritz", m)};
  if (law.empty() && m != 0)
    return {{}, "without LAW it hardens with the strain in Abaqus and with the time in CalculiX: name LAW"};
  const bool by_strain = law == "STRAIN" && m != 0;
  DeckLaw made{{by_strain ? "law = \"norton_strain\"" : "law = \"norton\"", fmt::format("a = {}", a),
                fmt::format("n = {}", n), fmt::format("m = {}", m)}};
  if (by_strain) made.note = "LAW=STRAIN hardens with the strain, as in Abaqus; CalculiX takes it as LAW=TIME";
  return made;
}

// Keys of a law by the numbers of the card; 1 / D times two is the bulk modulus.
struct Rubber {
  const char *parameter, *law;
  std::vector<const char*> keys;
  std::size_t compressibilities;  // D1, D2, ... after the numbers of the keys
};

DeckLaw rubber_law(const DeckCard& card) {
  const auto terms = static_cast<std::size_t>(card.parameters.contains("N") ? std::stoi(card.parameter("N")) : 1);
  std::vector<const char*> ogden = {"mu1", "alpha1", "mu2", "alpha2", "mu3", "alpha3"};
  ogden.resize(2 * std::min<std::size_t>(terms, 3));
  std::vector<const char*> polynomial = {"c10", "c01", "c20", "c11", "c02", "c30", "c21", "c12", "c03"},
                           reduced = {"c10", "c20", "c30"};
  polynomial.resize(terms * (terms + 3) / 2 < polynomial.size() ? terms * (terms + 3) / 2 : polynomial.size());
  reduced.resize(std::min<std::size_t>(terms, 3));
  const std::vector<Rubber> kinds = {{"NEO HOOKE", "mooney_rivlin", {"c10"}, 1},
                                     {"MOONEY-RIVLIN", "mooney_rivlin", {"c10", "c01"}, 1},
                                     {"POLYNOMIAL", "polynomial", polynomial, terms},
                                     {"REDUCED POLYNOMIAL", "yeoh", reduced, terms},
                                     {"YEOH", "yeoh", {"c10", "c20", "c30"}, 3},
                                     {"ARRUDA-BOYCE", "arruda_boyce", {"shear", "locking_stretch"}, 1},
                                     {"OGDEN", "ogden", ogden, terms}};
  for (const Rubber& kind : kinds) {
    if (!card.parameters.contains(kind.parameter) || terms > 3) continue;
    const std::vector<double> numbers = numbers_on(card);
    const std::size_t first = kind.keys.size(), count = first + kind.compressibilities;
    const auto number = [&](std::size_t i) { return i < numbers.size() ? numbers[i] : 0; };
    if (card.data.size() > (count + 7) / 8) return {{}, "its values depend on the temperature"};
    if (!(number(first) > 0)) return {{}, "it is incompressible, D1 = 0: give a compressibility 2 / bulk modulus"};
    for (std::size_t i = first + 1; i < count; ++i)
      if (number(i) != 0) return {{}, "its D2 and D3 are not translated: laws of Ritz have one bulk modulus"};
    DeckLaw law{{fmt::format("law = \"{}\"", kind.law)}};
    for (std::size_t i = 0; i < first; ++i) law.lines.push_back(fmt::format("{} = {}", kind.keys[i], number(i)));
    law.lines.push_back(fmt::format("bulk = {}", 2 / number(first)));
    return law;
  }
  return {{}, "this strain energy is not translated: docs/materials.md lists the laws"};
}

}  // namespace

DeckLaw law_of(const DeckCard& card) {
  if (card.keyword == "CREEP") return creep_law(card);
  return card.keyword == "PLASTIC" ? plastic_law(card) : rubber_law(card);
}

// Points a and b, and c in place of the origin, are on axis 1 and in the plane of axes 1 and 2, or on the axis of a
// cylinder.
std::vector<std::string> orientation_lines(const DeckCard& card) {
  const std::string system = upper(card.parameter("SYSTEM")), definition = upper(card.parameter("DEFINITION"));
  const bool round = system.starts_with("CYLINDRICAL") || system == "C";
  if ((!system.empty() && !system.starts_with("R") && !round) || (!definition.empty() && definition != "COORDINATES") ||
      card.number(1, 1) != 0)
    return {};
  std::array<double, 3> a{}, b{}, from{};
  for (std::size_t i = 0; i < 3; ++i) {
    from[i] = card.number(0, (round ? 0 : 6) + i);
    a[i] = card.number(0, i) - from[i];
    b[i] = card.number(0, 3 + i) - from[i];
  }
  if (round) return {fmt::format("cylindrical = {{origin = {}, axis = {}}}", toml_list(from), toml_list(b))};
  return {"axis1 = " + toml_list(a), "axis2 = " + toml_list(b)};
}

}  // namespace ritz
