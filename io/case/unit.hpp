// Units of numbers that are written as texts: young = "210 GPa".
//
//   quantity_in("210 GPa")                 // {"210", "GPa"}
//   in_si("210", *unit_named("GPa"))       // 210e9, the number that "210e9" is
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>

namespace ritz {

// factor * 10^exponent times powers of kg, m, s, K and rad.
struct Unit {
  double factor = 1;
  int exponent = 0;
  std::array<int, 5> powers = {};
  bool measures_the_same_as(const Unit& other) const { return powers == other.powers; }
};

// The system that the numbers of a case are in: SI; mm, N, s and t, with stresses in MPa; one that is not known.
enum class UnitSystem { si, mm, none };
UnitSystem unit_system_named(std::string_view name);  // "SI", "mm", "none"

// " MPa" for " Pa" in mm, N, s and t; empty where the system is not known.
std::string in_system(std::string_view si_unit, UnitSystem system);

// Products, quotients and whole powers of m, g, s, K, N, Pa, J, W, Hz and rad with the prefixes from n to G, and of
// min, h, deg, %, bar, t, in, ft, lb, lbf, psi and ksi: "W/(m K)", "kg/m^3", "N mm". nullopt: no unit.
std::optional<Unit> unit_named(std::string_view text);

// A number with a unit after it; nullopt for a number, a formula or any other text. The unit may be an unknown one.
struct Quantity {
  std::string number, unit;
};
std::optional<Quantity> quantity_in(const std::string& text);

// The number in SI units. Prefixes move the decimal point before the digits become a number, so that "0.3 mm" is
// 0.3e-3. NaN where it is beyond the numbers of 64 bit.
double in_si(const std::string& number, const Unit& unit);
// The number in another unit of the same kind: 0.5 rad in degrees. "5 deg" is 5 degrees to the last bit.
double in_unit(const std::string& number, const Unit& unit, const Unit& other);

// "Pa" of "Young's modulus [Pa]"; empty where brackets hold no unit.
std::string unit_in(std::string_view about);

// The known unit with the same letters in other cases, "GPa" for "Gpa"; else empty.
std::string unit_like(const std::string& text);

}  // namespace ritz
