#include "apps/show/units.hpp"

#include <array>
#include <utility>

#include <fmt/format.h>

namespace ritz {

std::string unit_of_field(std::string_view program, std::string_view field) {
  if (program == "ritz-solve") return "";
  if (field == "reaction") return program == "ritz-heat" ? " W" : program == "ritz-modal" ? "" : " N";
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
    if (name == field) return std::string(unit);
  return "";
}

std::string unit_of_component(std::string_view program, std::string_view field, std::string_view component) {
  if (program == "ritz-solve") return "";
  const bool is_moment = component.starts_with('M') || component.starts_with('T');
  if (field == "bar_force" || field == "spring_force") return " N";
  if (field == "beam_force") return is_moment ? " N m" : " N";
  if (field == "shell_force") return is_moment ? " N m/m" : " N/m";
  return unit_of_field(program, field);
}

std::string unit_of_measure(const std::string& unit, std::string_view measure, int dimension) {
  if (unit.empty() || measure != "integral" || dimension == 0) return unit;
  return dimension == 1 ? unit + " m" : fmt::format("{} m^{}", unit, dimension);
}

}  // namespace ritz
