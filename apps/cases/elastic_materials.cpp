#include "apps/cases/elastic_materials.hpp"

#include "apps/cases/field_coefficient.hpp"
#include "apps/cases/formulas.hpp"
#include "apps/cases/orientations.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace ritz {
namespace {

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
    if (material.orientation && !material.stiffness && material.expansion.size() < 3)
      t.refuse("orientation", "'orientation' was given without numbers along axes", "the material is isotropic",
               "omit it, or give [material.orthotropic], [material.anisotropic] or expansion_along");
    if (material.expansion_zero &&
        std::ranges::none_of(material.expansion, [](const MaterialProperty& p) { return table_in(p) != nullptr; }))
      t.refuse("expansion_zero", "'expansion_zero' was given without a table of the expansion",
               "a constant coefficient counts from the reference", "omit it, or give expansion = \"name(T)\"");
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
