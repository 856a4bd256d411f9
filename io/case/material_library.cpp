#include "io/case/material_library.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace ritz {
namespace {

constexpr const char* structural_steel =
    "EN 1993-1-1:2005, 3.2.6 (E, nu, expansion); EN 1991-1-1:2002, table A.4 (density); EN 1993-1-2:2005, 3.4.1 at 20 "
    "degrees Celsius (thermal)";
constexpr const char* stainless_steel =
    "EN 10088-1:2014, physical properties at 20 degrees Celsius; EN 1993-1-4:2006, "
    "2.1.3 (nu)";
constexpr const char* wrought_aluminium =
    "EN 1999-1-1:2007, 3.2.5 (E, nu, expansion, density); EN 1999-1-2:2007, 3.3.1 at 20 degrees Celsius (thermal)";
constexpr const char* asm_aluminium =
    "Aluminum Association, typical properties of this alloy, as in ASM Handbook, volume 2, 1990";
constexpr const char* concrete =
    "EN 1992-1-1:2004, table 3.1 and 3.1.3 (E, nu uncracked, expansion); EN 1991-1-1:2002, table A.1 (density); EN ISO "
    "10456:2007, table 3 (thermal, dense concrete)";
constexpr const char* pure_metal =
    "CRC Handbook of Chemistry and Physics, 97th edition, pure metals (density, thermal); Cardarelli, Materials "
    "Handbook, "
    "2018 (E, nu)";
constexpr const char* copper_alloy =
    "Copper Development Association, properties of this alloy, in tension and at 20 degrees Celsius; nu of E and the "
    "modulus of rigidity";
constexpr const char* die_casting =
    "NADCA Product Specification Standards for Die Castings, 2015, properties of this alloy";

// name, density, young, poisson, expansion, conductivity, specific heat, source, what was not found there
constexpr std::array library{
    LibraryMaterial{"steel S235", 7850, 210e9, 0.3, 12e-6, 53.3, 440, structural_steel},
    LibraryMaterial{"steel S355", 7850, 210e9, 0.3, 12e-6, 53.3, 440, structural_steel},
    LibraryMaterial{"stainless steel 1.4016", 7700, 220e9, 0.3, 10.0e-6, 25, 460, stainless_steel, "poisson"},
    LibraryMaterial{"stainless steel 1.4301", 7900, 200e9, 0.3, 16.0e-6, 15, 500, stainless_steel, "poisson"},
    LibraryMaterial{"stainless steel 1.4404", 8000, 200e9, 0.3, 16.0e-6, 15, 500, stainless_steel, "poisson"},
    LibraryMaterial{"stainless steel 1.4462", 7800, 200e9, 0.3, 13.0e-6, 15, 500, stainless_steel, "poisson"},
    LibraryMaterial{"cast iron EN-GJL-250", 7200, 110e9, 0.26, 11.7e-6, 48.5, 460,
                    "EN 1561:2011, annex on properties; E: middle of its range; conductivity at 100 degrees Celsius",
                    "all"},
    LibraryMaterial{"cast iron EN-GJS-400-15", 7100, 169e9, 0.275, 12.5e-6, 36.2, 515,
                    "EN 1563:2018, annex on properties; expansion from 20 to 400, conductivity at 300 degrees Celsius",
                    "poisson, expansion, conductivity, specific_heat"},
    LibraryMaterial{"aluminium EN AW-5083", 2700, 70e9, 0.3, 23e-6, 142, 911, wrought_aluminium,
                    "conductivity, specific_heat"},
    LibraryMaterial{"aluminium EN AW-6082", 2700, 70e9, 0.3, 23e-6, 191, 911, wrought_aluminium,
                    "conductivity, specific_heat"},
    LibraryMaterial{"aluminium 2024-T3", 2780, 73.1e9, 0.33, 23.2e-6, 121, 875, asm_aluminium},
    LibraryMaterial{"aluminium 6061-T6", 2700, 68.9e9, 0.33, 23.6e-6, 167, 896, asm_aluminium},
    LibraryMaterial{"aluminium 7075-T6", 2810, 71.7e9, 0.33, 23.6e-6, 130, 960, asm_aluminium},
    LibraryMaterial{"aluminium casting A380", 2710, 71e9, 0.33, 21.8e-6, 96.2, 963, die_casting, "poisson"},
    LibraryMaterial{"magnesium casting AZ91D", 1810, 44.8e9, 0.35, 25.0e-6, 72, 1050, die_casting,
                    "density, poisson, expansion, conductivity, specific_heat"},
    LibraryMaterial{"copper C11000", 8890, 117e9, 0.33, 17.0e-6, 391, 385, copper_alloy},
    LibraryMaterial{"brass C36000", 8490, 96.5e9, 0.32, 20.5e-6, 116, 380, copper_alloy},
    LibraryMaterial{"titanium Ti-6Al-4V", 4430, 113.8e9, 0.342, 8.6e-6, 6.7, 526,
                    "ASM International, material data sheet of Ti-6Al-4V (grade 5), annealed"},
    LibraryMaterial{"nickel Inconel 718", 8190, 200e9, 0.29, 13.2e-6, 11.1, 435,
                    "Special Metals, publication SMC-045, tables 2 to 5, annealed, at 21 degrees Celsius"},
    LibraryMaterial{"tungsten", 19300, 411e9, 0.28, 4.5e-6, 174, 132, pure_metal},
    LibraryMaterial{"concrete C25/30", 2400, 31e9, 0.2, 10e-6, 2.0, 1000, concrete,
                    "poisson, expansion, specific_heat"},
    LibraryMaterial{"concrete C30/37", 2400, 33e9, 0.2, 10e-6, 2.0, 1000, concrete,
                    "poisson, expansion, specific_heat"},
    LibraryMaterial{"glass soda-lime", 2500, 70e9, 0.2, 9e-6, 1.0, 720, "EN 572-1:2012, general physical properties"},
    LibraryMaterial{"glass fused silica", 2203, 73.1e9, 0.17, 0.55e-6, 1.38, 703,
                    "Crystran, Handbook of Optical Materials, 5th edition, 2023, fused silica"},
    LibraryMaterial{"alumina 99.5", 3900, 370e9, 0.22, 8.2e-6, 30, 880,
                    "CoorsTek, data sheet of AD-995; expansion from 25 to 1000 degrees Celsius",
                    "density, young, poisson"},
    LibraryMaterial{
        "polycarbonate", 1200, 2.4e9, 0.37, 65e-6, 0.2, 1200,
        "Covestro, data sheet of Makrolon 2405 (density, E, expansion); EN ISO 10456:2007, table 3 (thermal); nu: "
        "common for the polymer",
        "poisson, expansion"},
};

std::string folded(std::string_view text) {
  std::string small;
  for (const char c : text) small += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return small;
}

}  // namespace

std::optional<double> LibraryMaterial::constant(std::string_view key) const {
  for (const auto& [each, value] : {std::pair{"density", density},
                                    {"young", young},
                                    {"poisson", poisson},
                                    {"expansion", expansion},
                                    {"conductivity", conductivity},
                                    {"specific_heat", specific_heat}})
    if (key == each) return value;
  return std::nullopt;
}

std::span<const LibraryMaterial> material_library() { return library; }

const LibraryMaterial* find_material(std::string_view name) {
  const auto found =
      std::ranges::find_if(library, [&](const LibraryMaterial& each) { return folded(each.name) == folded(name); });
  return found == library.end() ? nullptr : &*found;
}

Error unknown_material(const std::string& name) {
  std::vector<std::string> names, with_it;
  for (const LibraryMaterial& each : library) {
    names.emplace_back(each.name);
    if (!name.empty() && folded(each.name).find(folded(name)) != std::string::npos) with_it.emplace_back(each.name);
  }
  std::vector<std::string> small;
  for (const std::string& each : names) small.push_back(folded(each));
  const std::string near = nearest_match(folded(name), small);
  if (with_it.empty() && !near.empty()) with_it.emplace_back(find_material(near)->name);
  return Error(ErrorKind::unknown_material, fmt::format("there is no material '{}' in the library", name),
               with_it.size() > 1 ? fmt::format("with this in their names there are {}", quoted_list(with_it))
                                  : fmt::format("there are {} materials; 'ritz materials' lists them", library.size()),
               with_it.empty()       ? "take one of these, or give its constants in place of the name"
               : with_it.size() == 1 ? fmt::format("did you mean '{}'?", with_it.front())
                                     : "write one of these names whole");
}

std::string materials_as_text() {
  std::string text = fmt::format("{:<25}{:>9}{:>8}{:>8}{:>11}{:>9}{:>9}\n{:<25}{:>9}{:>8}{:>8}{:>11}{:>9}{:>9}\n",
                                 "name", "density", "young", "poisson", "expansion", "conduct.", "spec.h.", "",
                                 "kg/m^3", "GPa", "", "1e-6/K", "W/(m K)", "J/(kg K)");
  for (const LibraryMaterial& m : library)
    text += fmt::format("{:<25}{:>9}{:>8.4g}{:>8}{:>11.4g}{:>9}{:>9}{}\n", m.name, m.density, m.young / 1e9, m.poisson,
                        m.expansion * 1e6, m.conductivity, m.specific_heat, *m.unconfirmed == '\0' ? "" : " *");
  return text +
         "\nTypical values at room temperature. *: some of them are not compared with the source that is named. The "
         "source, and\nwhich they are: ritz materials \"steel S235\". In a case: material = \"steel S235\",\nor name = "
         "\"steel S235\" in [[material]], material = \"steel S235\" in [[section]]. Keys that are "
         "given come first.\n";
}

std::string materials_as_json() {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const LibraryMaterial& m : library)
    list.push_back({{"name", m.name},
                    {"density", m.density},
                    {"young", m.young},
                    {"poisson", m.poisson},
                    {"expansion", m.expansion},
                    {"conductivity", m.conductivity},
                    {"specific_heat", m.specific_heat},
                    {"source", m.source},
                    {"unconfirmed", m.unconfirmed}});
  return list.dump(2) + "\n";
}

std::string material_as_toml(const std::string& name) {
  const LibraryMaterial* m = find_material(name);
  if (m == nullptr) throw Error(unknown_material(name));
  return fmt::format(
      "# {}\n# {}\n{}young = {:.4e}           # Pa\npoisson = {}\ndensity = {}               # kg/m^3\n"
      "expansion = {:.3e}         # 1/K, with [thermal]\nconductivity = {}          # W/(m K), in "
      "ritz-heat\nspecific_heat = {}         # J/(kg K), in ritz-heat\n",
      m->name, m->source,
      *m->unconfirmed == '\0' ? "" : fmt::format("# Not compared with this source: {}\n", m->unconfirmed), m->young,
      m->poisson, m->density, m->expansion, m->conductivity, m->specific_heat);
}

}  // namespace ritz
