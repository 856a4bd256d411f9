// Shear coefficients: Cowper, J. Applied Mechanics 33 (1966) 335. Torsion: Roark's Formulas for Stress and Strain,
// table 10.1; thin walls by Bredt's formula and as the sum of their strips.
#include "apps/cases/structures/beam_profile.hpp"

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <numbers>

namespace ritz {
namespace {

struct Section {
  double area, inertia_y, inertia_z, torsion, shear_area_y, shear_area_z;
};

double size(const Case::Table& t, const char* key, const char* about) {
  return t.number(key, about, {.above = 0, .out_of_bounds = ErrorKind::material_value});
}

// A wall that leaves no room is an error, unless a value is missing, which is one already; returns false.
bool fits(const Case::Table& t, const char* key, double twice, std::initializer_list<const char*> wholes,
          double whole) {
  if (twice < whole) return true;
  const std::vector<std::string> given = t.keys();
  const auto is_given = [&](const char* each) { return std::ranges::find(given, each) != given.end(); };
  if (is_given(key) && std::ranges::all_of(wholes, is_given))
    t.error(ErrorKind::material_value, key, "the walls are thicker than the section", {}, "give a smaller thickness");
  return false;
}

Section rectangle(double width, double height, double nu) {
  const double area = width * height, k = 10 * (1 + nu) / (12 + 11 * nu);
  const double a = std::max(width, height), c = std::min(width, height), q = c / a;
  const double torsion = a * c * c * c * (1.0 / 3 - 0.21 * q * (1 - q * q * q * q / 12));
  return {area, height * std::pow(width, 3) / 12, width * std::pow(height, 3) / 12, torsion, k * area, k * area};
}

// Section of a ring; inner = 0: a full circle.
Section ring(double outer, double inner, double nu) {
  const double area = std::numbers::pi / 4 * (outer * outer - inner * inner);
  const double inertia = std::numbers::pi / 64 * (std::pow(outer, 4) - std::pow(inner, 4));
  const double m = inner / outer, q = (1 + m * m) * (1 + m * m);
  const double k = 6 * (1 + nu) * q / ((7 + 6 * nu) * q + (20 + 12 * nu) * m * m);
  return {area, inertia, inertia, 2 * inertia, k * area, k * area};
}

Section box(double width, double height, double wall) {
  const double b = width - 2 * wall, h = height - 2 * wall, bm = width - wall, hm = height - wall;
  return {width * height - b * h,
          (height * std::pow(width, 3) - h * std::pow(b, 3)) / 12,
          (width * std::pow(height, 3) - b * std::pow(h, 3)) / 12,
          2 * wall * bm * bm * hm * hm / (bm + hm),
          2 * wall * hm,
          2 * wall * bm};
}

Section i_section(double width, double height, double web, double flange) {
  const double h = height - 2 * flange;
  return {2 * width * flange + h * web,
          (2 * flange * std::pow(width, 3) + h * std::pow(web, 3)) / 12,
          (width * std::pow(height, 3) - (width - web) * std::pow(h, 3)) / 12,
          (2 * width * std::pow(flange, 3) + h * std::pow(web, 3)) / 3,
          web * (height - flange),
          5.0 / 6 * 2 * width * flange};
}

}  // namespace

std::map<std::string, double> read_profile(const Case::Table& t, double nu) {
  const std::string shape = t.choice("profile",
                                     "profile of a beam, instead of area, inertias, torsion and shear areas: height "
                                     "along local y, width along local z",
                                     {"none", "rectangle", "circle", "tube", "box", "i"}, "none");
  if (shape == "none") return {};
  const bool round = shape == "circle" || shape == "tube";
  const double diameter = round ? size(t, "diameter", "of a circle or tube, outside [m]") : 1;
  const double width = round ? 1 : size(t, "width", "along local z [m]"),
               height = round ? 1 : size(t, "height", "along local y [m]");
  const double wall = shape == "tube" || shape == "box" ? size(t, "wall", "of a tube or box [m]") : 0;
  const double web = shape == "i" ? size(t, "web", "thickness of the web of an i [m]") : 0;
  const double flange = shape == "i" ? size(t, "flange", "thickness of the flanges of an i [m]") : 0;
  const bool has_room = round ? fits(t, "wall", 2 * wall, {"diameter"}, diameter)
                              : fits(t, "wall", 2 * wall, {"width", "height"}, std::min(width, height));
  if (!has_room || !fits(t, "flange", 2 * flange, {"height"}, height) || !fits(t, "web", web, {"width"}, width))
    return {{"area", 1},    {"inertia_y", 1},    {"inertia_z", 1},
            {"torsion", 1}, {"shear_area_y", 1}, {"shear_area_z", 1}};  // not asked for as well
  const Section s = shape == "rectangle" ? rectangle(width, height, nu)
                    : shape == "box"     ? box(width, height, wall)
                    : shape == "i"       ? i_section(width, height, web, flange)
                                         : ring(diameter, shape == "tube" ? diameter - 2 * wall : 0, nu);
  return {{"area", s.area},       {"inertia_y", s.inertia_y},       {"inertia_z", s.inertia_z},
          {"torsion", s.torsion}, {"shear_area_y", s.shear_area_y}, {"shear_area_z", s.shear_area_z}};
}

}  // namespace ritz
