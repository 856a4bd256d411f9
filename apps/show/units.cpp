#include "apps/show/units.hpp"

#include <array>
#include <utility>

#include <fmt/format.h>

namespace ritz {

std::string Units::of_field(std::string_view field) const {
  if (program_ == "ritz-solve") return "";
  if (field == "reaction") return program_ == "ritz-heat" ? of(" W") : program_ == "ritz-modal" ? "" : of(" N");
  static constexpr std::array<std::pair<std::string_view, std::string_view>, 13> units{
      {{"displacement", " m"},
       {"rotation", " rad"},
       {"stress", " Pa"},
       {"von_mises", " Pa"},
       {"von Mises stress", " Pa"},
       {"principal_stress", " Pa"},
       {"reaction_moment", " N m"},
       {"velocity", " m/s"},
       {"angular_velocity", " rad/s"},
       {"acceleration", " m/s^2"},
       {"angular_acceleration", " rad/s^2"},
       {"temperature", " degrees"},
       {"heat_flux", " W/m^2"}}};
  for (const auto& [name, unit] : units)
    if (name == field) return of(unit);
  if (field == "pressure" || field.find("_stress") != field.npos) return of(" Pa");  // of mixed solids; kept by laws
  return "";
}

std::string Units::of_component(std::string_view field, std::string_view component) const {
  if (program_ == "ritz-solve") return "";
  const bool is_moment = component.starts_with('M') || component.starts_with('T');
  if (field == "bar_force" || field == "spring_force") return of(" N");
  if (field == "beam_force") return of(is_moment ? " N m" : " N");
  if (field == "shell_force") return of(is_moment ? " N m/m" : " N/m");
  return of_field(field);
}

std::string Units::of_measure(const std::string& unit, std::string_view measure, int dimension) const {
  if (unit.empty() || measure != "integral" || dimension == 0) return unit;
  return unit + (dimension == 1 ? of(" m") : fmt::format("{}^{}", of(" m"), dimension));
}

Units units_of(const RunReport& report) { return Units(report.program, unit_system_named(report.units)); }

}  // namespace ritz
