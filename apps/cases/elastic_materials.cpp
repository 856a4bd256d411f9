#include "apps/cases/elastic_materials.hpp"

#include "apps/cases/field_coefficient.hpp"
#include "apps/cases/formulas.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <map>

namespace ritz {
namespace {

template <std::size_t N>
std::array<double, N> numbers(const Case::Table& t, const char* key, const char* about, VectorRule rule = {}) {
  rule.size = N;
  const std::vector<double> given = t.vector(key, about, rule);
  std::array<double, N> result{};
  std::copy_n(given.begin(), std::min(given.size(), N), result.begin());
  return result;
}

// In a plane case the third coordinate is zero.
Point point(const Case::Table& t, const char* key, const char* about, int dimension,
            std::optional<std::vector<double>> fallback = {}) {
  const std::vector<double> given = t.vector(key, about, {.size = dimension, .fallback = std::move(fallback)});
  Point result{};
  std::copy_n(given.begin(), std::min<std::size_t>(given.size(), 3), result.begin());
  return result;
}

using Orientations = std::map<std::string, std::optional<Orientation>>;  // by name; none: its error was said

// Material axes of one entry; nothing after an error.
std::optional<Orientation> orientation_of(const Case::Table& t, int dimension) {
  const std::vector<double> origin(static_cast<std::size_t>(dimension), 0.0);
  const bool round = t.has("cylindrical"), spherical = dimension == 3 && t.has("spherical");
  try {
    if (round) {
      const Case::Table about = t.table("cylindrical", "axes 1, 2, 3 are radial, hoop and axial");
      const Point at = point(about, "origin", "a point on the axis [m]", dimension, origin);
      const Point axis =
          dimension == 3 ? point(about, "axis", "direction of the axis, of any length", 3) : Point{0, 0, 1};
      return Orientation::cylindrical(at, axis);
    }
    if (spherical) {
      const Case::Table about = t.table("spherical", "axis 1 is radial, 2 along the meridian, 3 along the parallel");
      const Point at = point(about, "origin", "the centre [m]", 3, origin);
      return Orientation::spherical(at, point(about, "axis", "direction of the pole", 3));
    }
    const Point first = point(t, "axis1", "direction of axis 1, of any length", dimension);
    if (dimension == 2) return Orientation::along(first, {-first[1], first[0], 0});
    return Orientation::along(first, point(t, "axis2", "a direction in the plane of axes 1 and 2", 3));
  } catch (const Error& error) {
    t.error(round       ? "cylindrical"
            : spherical ? "spherical"
                        : "axis1",
            error.message(), error.why(), error.fix(), error.exit());
  }
  return std::nullopt;
}

Orientations read_orientations(Case& input, int dimension) {
  Orientations result;
  for (const Case::Table& t : input.tables("orientation", "axes that materials name; without one they are x, y, z")) {
    const std::string name = t.text("name", "by which materials call it");
    if (!result.emplace(name, orientation_of(t, dimension)).second)
      t.error("name", fmt::format("two orientations are called '{}'", name), {}, "give each a name of its own");
  }
  return result;
}

std::optional<Orientation> named_orientation(const Case::Table& t, const Orientations& all) {
  if (!t.has("orientation")) return std::nullopt;
  const std::string name = t.text("orientation", "name of an [[orientation]]: the axes of the material");
  if (const auto found = all.find(name); found != all.end()) return found->second;
  std::vector<std::string> names;
  for (const auto& [each, axes] : all) names.push_back(each);
  const std::string near = nearest_match(name, names);
  t.error("orientation", fmt::format("there is no [[orientation]] '{}'", name),
          names.empty() ? "the case has none" : fmt::format("there are {}", quoted_list(names)),
          near.empty() ? fmt::format("add an [[orientation]] with name = \"{}\"", name)
                       : fmt::format("did you mean '{}'?", near));
  return std::nullopt;
}

// Orthotropic constants or 21 numbers, and what expands along the axes.
void read_axes_of(const Case::Table& t, ElasticMaterial& material) {
  if (t.has("orthotropic")) {
    const Case::Table o = t.table("orthotropic", "constants along the material axes, in place of young and poisson");
    OrthotropicConstants constants{
        .young = numbers<3>(o, "young", "E1, E2, E3 [Pa]", {.above = 0}),
        .poisson = numbers<3>(o, "poisson", "nu12, nu13, nu23: contraction along 2 (3) under tension along 1 (2)"),
        .shear = numbers<3>(o, "shear", "G12, G13, G23 [Pa]", {.above = 0})};
    const bool sound = std::ranges::all_of(constants.young, [](double e) { return e > 0; }) &&
                       std::ranges::all_of(constants.shear, [](double g) { return g > 0; });
    material.stiffness = sound ? StiffnessTensor::orthotropic(constants) : StiffnessTensor::isotropic(1, 0);
  } else {
    const Case::Table a =
        t.table("anisotropic", "the stiffness along the material axes, in place of young and poisson");
    const auto all = numbers<21>(a, "stiffness",
                                 "[Pa] D1111, D1122, D2222, D1133, D2233, D3333, D1112, D2212, D3312, D1212, D1113, "
                                 "D2213, D3313, D1213, D1313, D1123, D2223, D3323, D1223, D1323, D2323");
    material.stiffness = StiffnessTensor::anisotropic(all);
  }
}

void read_expansion(const Case::Table& t, ElasticMaterial& material) {
  if (t.has("expansion_along")) {
    for (const double each : numbers<3>(t, "expansion_along", "alpha along material axes 1, 2, 3 [1/K]"))
      material.expansion.emplace_back(Coefficient(each));
    if (t.has("expansion"))
      t.refuse("expansion", "'expansion' was given with 'expansion_along'", "both say how the material expands",
               "omit one of them");
  } else if (t.has("expansion")) {
    material.expansion = {property_of(
        t, "expansion",
        t.property("expansion", "alpha [1/K], with [thermal]; or \"name(T)\", a [[table]] of secant coefficients",
                   "T"))};
  }
  if (t.has("expansion_zero"))
    material.expansion_zero = t.number(
        "expansion_zero", "temperature from which secant coefficients count; not given: the reference of [thermal]");
}

}  // namespace

void read_elastic_materials(Run& run, const char* about_density, bool needs_density, ElasticBody& body) {
  Case& input = run.input();
  const Mesh& mesh = run.mesh();
  const Orientations orientations = read_orientations(input, mesh.dimension());
  for (const Case::Table& t : input.tables("material", "material of the cells")) {
    const Region* region = t.region("region", "cells", mesh, {RegionKind::cells});
    ElasticMaterial material{.origin = t.where()};
    if (t.has("orthotropic") || t.has("anisotropic")) {
      read_axes_of(t, material);
    } else {
      const NumberRule above_zero{.above = 0, .out_of_bounds = Exit::model};
      material.young =
          property_of(t, "young",
                      t.property("young", "Young's modulus [Pa]; or \"name(T)\", a [[table]] over the temperature", "T",
                                 above_zero));
      material.poisson = property_of(
          t, "poisson",
          t.property("poisson", "Poisson's ratio, below 0.5: incompressible materials need a mixed formulation", "T",
                     {.above = -1, .below = 0.5, .out_of_bounds = Exit::model}));
    }
    read_expansion(t, material);
    material.orientation = named_orientation(t, orientations);
    NumberRule rule{.above = 0, .out_of_bounds = Exit::model};
    if (!needs_density) rule.fallback = 1;
    const bool weighs =
        needs_density || t.has("density");  // else not giving it is no value, in the resolved case either
    const Formula density = t.formula("density", about_density, rule);
    if (weighs) material.density = coefficient(density);
    body.material(region, std::move(material));
  }
}

void read_thermal(Run& run, const Case::Table& from, ElasticLoads& loads) {
  const Case::Table t = from.table("thermal", "temperature of the body, by which its materials expand");
  if (!t.present()) return;
  const Coefficient value = t.has("file") ? read_field_coefficient(run, t, "temperature")
                                          : coefficient(t.formula("temperature", "of the body: a number or a formula"));
  if (t.has("file") && t.has("temperature"))
    t.refuse("temperature", "'temperature' was given with a file", "both are the temperature of the body",
             "omit one of them");
  loads.temperature(value, t.number("reference", "temperature without thermal strain, in the same unit"), t.where());
}

}  // namespace ritz
