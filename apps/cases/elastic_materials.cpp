#include "apps/cases/elastic_materials.hpp"

#include "apps/cases/field_coefficient.hpp"
#include "apps/cases/formulas.hpp"
#include "apps/cases/law_material.hpp"
#include "apps/cases/named_material.hpp"
#include "apps/cases/orientations.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <set>
#include <span>

namespace ritz {
namespace {

using Constants = std::vector<CaseProperty>;

// Rows where one of the constants has a row, as far as all of them have values; each is linear between its own.
std::vector<double> temperatures_of(const Constants& constants) {
  std::set<double> all;
  for (const CaseProperty& each : constants)
    if (each.table)
      for (const auto& row : each.table->rows) all.insert(row[0]);
  for (const CaseProperty& each : constants)
    if (each.table && !each.table->continued)
      std::erase_if(all, [rows = PiecewiseLinear::through(each.table->rows)](double temperature) {
        return temperature < rows.lowest() || temperature > rows.highest();
      });
  return {all.begin(), all.end()};
}

std::vector<double> values_at(const Constants& constants, double temperature) {
  std::vector<double> values;
  for (const CaseProperty& each : constants)
    values.push_back(each.table ? PiecewiseLinear::through(each.table->rows).value(temperature)
                                : each.formula.number());
  return values;
}

// The stiffness, or the table of it where one of the constants is a table.
template <class Tensor>
void set_stiffness(const Case::Table& t, const char* key, const Constants& constants, const Tensor& tensor,
                   ElasticMaterial& material) {
  const auto is_table = [](const CaseProperty& each) { return each.table.has_value(); };
  try {
    if (std::ranges::none_of(constants, is_table)) {
      material.stiffness = tensor(values_at(constants, 0));
      return;
    }
    const std::vector<double> temperatures = temperatures_of(constants);
    if (temperatures.size() < 2)
      throw Error(ErrorKind::table_data,
                  "the tables of the elastic constants have less than two temperatures in common",
                  "each has values between its first row and its last one", "add rows, or give numbers");
    StiffnessTable table{{}, std::ranges::all_of(constants, [&](const CaseProperty& each) {
                           return !is_table(each) || each.table->continued;
                         })};
    for (const double each : temperatures) table.rows.push_back({each, tensor(values_at(constants, each))});
    material.stiffness_table = std::move(table);
  } catch (const Error& error) {
    t.error(key, error);
    material.stiffness = StiffnessTensor::isotropic(1, 0);
  }
}

// Orthotropic constants or 21 numbers, and what expands along the axes.
void read_axes_of(const Case::Table& t, ElasticMaterial& material) {
  const auto three = [](const Case::Table& from, const char* key, const char* about, VectorRule rule) {
    rule.size = 3;
    return from.properties(key, about, "T", rule);
  };
  if (t.has("orthotropic")) {
    const Case::Table o = t.table("orthotropic", "constants along the material axes, in place of young and poisson");
    Constants constants = three(o, "young", "E1, E2, E3 [Pa]; each a number or \"name(T)\", a [[table]]", {.above = 0});
    for (const CaseProperty& each :
         three(o, "poisson", "nu12, nu13, nu23: contraction along 2 (3) under tension along 1 (2)", {}))
      constants.push_back(each);
    for (const CaseProperty& each : three(o, "shear", "G12, G13, G23 [Pa]", {.above = 0})) constants.push_back(each);
    set_stiffness(
        t, "orthotropic", constants,
        [](const std::vector<double>& v) {
          return StiffnessTensor::orthotropic({{v[0], v[1], v[2]}, {v[3], v[4], v[5]}, {v[6], v[7], v[8]}});
        },
        material);
  } else {
    const Case::Table a =
        t.table("anisotropic", "the stiffness along the material axes, in place of young and poisson");
    const Constants all = a.properties(
        "stiffness",
        "[Pa] D1111, D1122, D2222, D1133, D2233, D3333, D1112, D2212, D3312, D1212, D1113, D2213, D3313, "
        "D1213, D1313, D1123, D2223, D3323, D1223, D1323, D2323; each a number or \"name(T)\", a [[table]]",
        "T", {.size = 21});
    set_stiffness(
        t, "anisotropic", all,
        [](const std::vector<double>& v) {
          return StiffnessTensor::anisotropic(std::span<const double, 21>(v.data(), 21));
        },
        material);
  }
}

void read_expansion(const Case::Table& t, const LibraryMaterial* known, ElasticMaterial& material) {
  if (t.has("expansion_along")) {
    for (const double each : numbers<3>(t, "expansion_along", "alpha along material axes 1, 2, 3 [1/K]"))
      material.expansion.emplace_back(Coefficient(each));
    if (t.has("expansion"))
      t.refuse(ErrorKind::model_options, "expansion", "'expansion' was given with 'expansion_along'",
               "both say how the material expands", "omit one of them");
  } else if (t.has("expansion") || known != nullptr) {
    material.expansion = {property_of(
        t, "expansion",
        t.property("expansion", "alpha [1/K], with [thermal]; or \"name(T)\", a [[table]] of secant coefficients", "T",
                   with_constant({}, known, &LibraryMaterial::expansion)))};
  }
  if (t.has("expansion_zero"))
    material.expansion_zero = t.number(
        "expansion_zero", "temperature from which secant coefficients count; not given: the reference of [thermal]");
}

void read_integration(const Case::Table& t, const Mesh& mesh, const Region* region, ElasticMaterial& material) {
  const std::string integration = t.choice(
      "integration",
      "full; reduced: two points a direction in place of three, in hexahedra of 20 nodes and quadrilaterals of 8, "
      "which "
      "do not become too stiff then where volumes hardly change; mean_dilatation: one change of volume a cell, in "
      "hexahedra of 8 nodes and quadrilaterals of 4, likewise; incompatible_modes: quadratic displacements inside "
      "these, "
      "which do not become too stiff in bending; reduced in hexahedra of 8 nodes: one gradient a cell, and a stiffness "
      "against hourglasses",
      {"full", "reduced", "mean_dilatation", "incompatible_modes"}, "full");
  const bool of_hexahedra = region != nullptr && std::ranges::any_of(region->cells, [&](Index cell) {
                              return mesh.kind_of(cell) == CellKind::hex8;
                            });
  if (integration == "mean_dilatation") material.gradient = CellGradient::mean_dilatation;
  if (integration == "incompatible_modes") material.gradient = CellGradient::incompatible_modes;
  if (integration == "reduced" && of_hexahedra) material.gradient = CellGradient::uniform;
  material.reduced = integration == "reduced" && !of_hexahedra;
}

NumberRule bounds_of_poisson(bool mixed) {
  NumberRule rule{.above = -1, .out_of_bounds = ErrorKind::material_value};
  if (mixed) rule.maximum = 0.5;
  else rule.below = 0.5;
  return rule;
}

}  // namespace

void read_elastic_materials(Run& run, const Mesh& mesh, const char* about_density, bool needs_density,
                            ElasticBody& body) {
  Case& input = run.input();
  const Orientations orientations = read_orientations(input, mesh.dimension());
  for (const Case::Table& t : input.tables("material", "material of the cells")) {
    const Region* region = t.region("region", "cells", mesh, {RegionKind::cells});
    ElasticMaterial material{.origin = t.where()};
    const LibraryMaterial* known = named_material(t);
    material.mixed =
        t.choice("formulation",
                 "displacement; mixed: with the pressure as a second field, for materials that keep their volume or "
                 "nearly so, in cells of order 1 and 2",
                 {"displacement", "mixed"}, "displacement") == "mixed";
    read_integration(t, mesh, region, material);
    if (t.has("law") || t.has("umat")) {
      material.law = read_law(run.device(), run.log(), t, known, &material.law_numbers);
    } else if (t.has("orthotropic") || t.has("anisotropic")) {
      read_axes_of(t, material);
    } else {
      const NumberRule above_zero{.above = 0, .out_of_bounds = ErrorKind::material_value};
      material.young =
          property_of(t, "young",
                      t.property("young", "Young's modulus [Pa]; or \"name(T)\", a [[table]] over the temperature", "T",
                                 with_constant(above_zero, known, &LibraryMaterial::young)));
      material.poisson =
          property_of(t, "poisson",
                      t.property("poisson", "Poisson's ratio, below 0.5; of formulation = \"mixed\" 0.5, too", "T",
                                 with_constant(bounds_of_poisson(material.mixed), known, &LibraryMaterial::poisson)));
    }
    read_expansion(t, known, material);
    material.orientation = named_orientation(t, orientations);
    const bool along_axes = material.law ? !material.law->record->isotropic : material.has_axes();
    if (material.orientation && !along_axes && material.expansion.size() < 3)
      t.refuse(ErrorKind::model_options, "orientation", "'orientation' was given without numbers along axes",
               "the material is isotropic",
               "omit it, or give [material.orthotropic], [material.anisotropic], expansion_along or a law along axes");
    if (material.expansion_zero && input.sound() &&  // a table that could not be read is no table here
        std::ranges::none_of(material.expansion, [](const MaterialProperty& p) { return table_in(p) != nullptr; }))
      t.refuse(ErrorKind::model_options, "expansion_zero",
               "'expansion_zero' was given without a table of the expansion",
               "a constant coefficient counts from the reference", "omit it, or give expansion = \"name(T)\"");
    NumberRule rule{.above = 0, .out_of_bounds = ErrorKind::material_value};
    if (known != nullptr) rule.fallback = known->density;
    else if (!needs_density) rule.fallback = 1;
    // Not asked where there is a value: not giving it is no value, in the resolved case either.
    const bool weighs = needs_density || known != nullptr || t.has("density");
    const Formula density = t.formula("density", about_density, rule);
    if (weighs) material.density = constant_in_time(t, "density", density);
    body.material(region, std::move(material));
  }
}

void refuse_warming_laws(Run& run, const ElasticBody& body) {
  if (!run.step().continues() || !body.has_warming_laws()) return;
  run.input().add_error(Error(ErrorKind::law_kinematics,
                              fmt::format("a law that depends on the temperature in step '{}'", run.step().name),
                              "its temperature grows from the reference along the load path of the first step alone",
                              "give one step, or a temperature with [time]"));
}

void read_thermal(Run& run, const Case::Table& from, ElasticLoads& loads) {
  const Case::Table t = from.table("thermal", "temperature of the body, by which its materials expand");
  if (!t.present()) return;
  const Coefficient value = t.has("file") ? read_field_coefficient(run, t, "temperature")
                                          : coefficient(t.formula("temperature", "of the body: a number or a formula"));
  if (t.has("file") && t.has("temperature"))
    t.refuse(ErrorKind::model_options, "temperature", "'temperature' was given with a file",
             "both are the temperature of the body", "omit one of them");
  loads.temperature(value, t.number("reference", "temperature without thermal strain, in the same unit"), t.where());
}

}  // namespace ritz
