#include "io/case/case.hpp"
#include "io/case/unit.hpp"

#include <gmock/gmock.h>
#include <cmath>
#include <numbers>

using namespace ritz;
using ::testing::HasSubstr;

namespace {

double si(const std::string& text) {
  const auto quantity = quantity_in(text);
  return quantity && unit_named(quantity->unit) ? in_si(quantity->number, *unit_named(quantity->unit)) : NAN;
}

std::string refusal(const std::string& value, const char* about) {
  const Case input = Case::from_text("[a]\nkey = " + value + "\n");
  input.table("a", "").number("key", about);
  try {
    input.throw_if_any();
  } catch (const Error& error) { return error.what(); }
  return "";
}

}  // namespace

TEST(Unit, PrefixesMoveTheDecimalPointOnly) {
  EXPECT_EQ(si("210 GPa"), 210e9);
  EXPECT_EQ(si("0.3 mm"), 0.3e-3);  // 0.3 * 0.001 is another number
  EXPECT_EQ(si("-1.5e2 kN"), -150e3);
  EXPECT_EQ(si("7.85 g/cm^3"), 7850);
  EXPECT_EQ(si("7.85kg/dm3"), 7850);
  EXPECT_EQ(si("2 t"), 2000);
  EXPECT_EQ(si("3 bar"), 3e5);
  EXPECT_EQ(si("5 %"), 0.05);
}

TEST(Unit, ProductsQuotientsAndPowersAreThoseOfPhysics) {
  EXPECT_EQ(si("50 W/(m K)"), 50);
  EXPECT_EQ(si("50 W/m/K"), 50);
  EXPECT_EQ(si("12 1/MK"), 12e-6);
  EXPECT_EQ(si("9.81 m s^-2"), 9.81);
  EXPECT_EQ(si("1 N·mm"), 1e-3);
  EXPECT_EQ(si("4 mm²"), 4e-6);
  EXPECT_DOUBLE_EQ(si("1 psi"), 4.4482216152605 / (0.0254 * 0.0254));
  EXPECT_DOUBLE_EQ(si("180 deg"), std::numbers::pi);
  EXPECT_DOUBLE_EQ(si("36 km/h"), 10);
  EXPECT_TRUE(unit_named("N m")->measures_the_same_as(*unit_named("J")));
  EXPECT_FALSE(unit_named("Hz")->measures_the_same_as(*unit_named("rad/s")));  // they differ by 2 pi
  EXPECT_TRUE(unit_named("min")->measures_the_same_as(*unit_named("s")));      // no milli-inch
}

TEST(Unit, WhatIsBeyondTheNumbersOf64BitIsAnError) {
  for (const char* text :
       {"\"1e308 kPa\"", "\"-1e306 GPa\"", "\"0e99999999999 Pa\"", "\"1e-330 Pa\"", "\"1e+999999 Pa\""})
    EXPECT_THAT(refusal(text, "modulus [Pa]"), HasSubstr("beyond the numbers of 64 bit")) << text;
  EXPECT_EQ(refusal("\"1e+300 kPa\"", "modulus [Pa]"), "");
  EXPECT_EQ(refusal("\"1e-320 kPa\"", "modulus [Pa]"), "");
}

TEST(Unit, OtherTextsAreNoQuantities) {
  for (const char* text : {"", "210", "x", "2 * x", "1/x", "-x", "3 + 4", "3 4", "sin(x)", ".", "-"})
    EXPECT_FALSE(quantity_in(text)) << text;
  for (const char* text :
       {"", "Q", "Gpa", "m/", "/m", "m^", "(m", "m)", "m^99", "1e3", "kmin", "table", "mesh", "time"})
    EXPECT_FALSE(unit_named(text)) << text;
  EXPECT_FALSE(unit_named(std::string(100, '(') + "m"));
}

TEST(Unit, AKeyTellsItsUnitInBrackets) {
  EXPECT_EQ(unit_in("Young's modulus [Pa]; or \"name(T)\", a [[table]]"), "Pa");
  EXPECT_EQ(unit_in("[W/(m K)]"), "W/(m K)");
  EXPECT_EQ(unit_in("a [[table]] with [time]"), "");
  EXPECT_EQ(unit_in("Poisson's ratio"), "");
}

TEST(Unit, NumbersOfACaseAreReadInTheUnitOfTheirKey) {
  const Case input = Case::from_text(
      "[a]\none = \"210 GPa\"\nlist = [\"1 mm\", 2, \"1 km\"]\nformula = \"2 kN\"\nproperty = \"200 GPa\"\n"
      "formulas = [\"1 kN\", \"x\", 3]\nproperties = [\"1 GPa\", 2]\n");
  const Case::Table a = input.table("a", "");
  EXPECT_EQ(a.number("one", "[Pa]", {.above = 0}), 210e9);
  EXPECT_THAT(a.vector("list", "[m]", {.size = 3}), ::testing::ElementsAre(1e-3, 2, 1000));
  EXPECT_EQ(a.formula("formula", "[N]").number(), 2000);
  EXPECT_EQ(a.property("property", "[Pa]", "T").formula.number(), 200e9);
  EXPECT_EQ(a.formulas("formulas", "[N]", 3)[0].number(), 1000);
  EXPECT_EQ(a.properties("properties", "[Pa]", "T", {.size = 2})[0].formula.number(), 1e9);
  EXPECT_NO_THROW(input.throw_if_any());
  EXPECT_THAT(input.resolved(), HasSubstr("one = 210000000000"));
}

TEST(Unit, AnglesMayBeKeptInDegrees) {
  const Case input = Case::from_text("[a]\nten = \"10.1 deg\"\nsign = \"5°\"\nright = \"1570.7963267948966 mrad\"\n");
  const Case::Table a = input.table("a", "");
  EXPECT_EQ(a.number("ten", "angle [deg]"), 10.1);
  EXPECT_EQ(a.number("sign", "angle [deg]"), 5);
  EXPECT_DOUBLE_EQ(a.number("right", "angle [deg]"), 90);
  EXPECT_NO_THROW(input.throw_if_any());
  EXPECT_THAT(refusal("\"5 m\"", "angle [deg]"), HasSubstr("'a.key' is '5 m', and its unit is deg,"));
}

TEST(Unit, WrongUnitsAreErrorsWithARemedy) {
  EXPECT_THAT(refusal("\"210 Gpa\"", "[Pa]"),
              HasSubstr("'a.key' is '210 Gpa', with the unknown unit 'Gpa', at case.toml:2"));
  EXPECT_THAT(refusal("\"210 Gpa\"", "[Pa]"), HasSubstr("did you mean 'GPa'?"));
  EXPECT_THAT(refusal("\"210 mm\"", "[Pa]"), HasSubstr("'a.key' is '210 mm', and its unit is Pa,"));
  EXPECT_THAT(refusal("\"0.3 m\"", "Poisson's ratio"), HasSubstr("and this key has no unit,"));
  EXPECT_THAT(refusal("\"abc\"", "[Pa]"), HasSubstr("give a number"));
}

// mm, N, s and t are consistent: 1 MPa = 1 N/mm^2, 1 mJ = 1 N mm, 1 mW = 1 N mm/s, 1 t = 1 N s^2/mm. A unit is a
// product of these four.
TEST(UnitSystem, OfMillimetresIsConsistent) {
  const auto in_mm = [](const Unit& unit) { return std::pow(1e3, unit.powers[1]) * std::pow(1e-3, unit.powers[0]); };
  for (const char* text : {"m", "Pa", "N", "kg", "J", "W", "N m", "N/m", "kg/m^3", "W/(m K)", "J/(kg K)", "W/m^2",
                           "m/s^2", "Pa s", "m^4", "K", "rad"}) {
    const Unit unit = *unit_named(text);
    const auto other = unit_named(in_system(text, UnitSystem::mm));
    ASSERT_TRUE(other) << in_system(text, UnitSystem::mm);
    EXPECT_TRUE(other->measures_the_same_as(unit)) << text;
    EXPECT_NEAR(in_unit("1", unit, *other), in_mm(unit), 1e-12 * in_mm(unit)) << text;
    EXPECT_EQ(in_system(text, UnitSystem::si), text);
    EXPECT_EQ(in_system(text, UnitSystem::none), "");
  }
}

TEST(UnitSystem, TextsAreTurnedIntoItsUnits) {
  Case input = Case::from_text("[a]\nyoung = \"210 GPa\"\ndensity = \"7850 kg/m^3\"\n");
  input.set_units(UnitSystem::mm);
  const Case::Table a = input.table("a", "");
  EXPECT_EQ(a.number("young", "[Pa]"), 210000);
  EXPECT_DOUBLE_EQ(a.number("density", "[kg/m^3]"), 7.85e-9);
  EXPECT_NO_THROW(input.throw_if_any());
}

TEST(UnitSystem, ATextWithAUnitIsAnErrorWhereTheSystemIsNotKnown) {
  Case input = Case::from_text("[a]\nyoung = \"210 GPa\"\n");
  input.set_units(UnitSystem::none);
  input.table("a", "").number("young", "[Pa]");
  try {
    input.throw_if_any();
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("'a.young' is '210 GPa', and [output] units is \"none\", at case.toml:2"));
    EXPECT_THAT(error.what(), HasSubstr("give the number alone"));
  }
}
