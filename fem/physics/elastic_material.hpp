// A material of a body, linear elastic (isotropic or along material axes) or of any law, and the integrals that it
// makes: the stiffness, and the stress that a free thermal strain takes away.
//
//   ElasticMaterial steel{.young = 210e9, .poisson = 0.3, .density = 7850, .expansion = {12e-6}};
//   ElasticMaterial ply{.stiffness = StiffnessTensor::orthotropic(constants), .orientation = fibres};
//   ElasticMaterial rubber{.law = NeoHooke{1e6, 0.45}};
//   ElasticMaterial hot{.law = J2{.young = 210e9, ...}, .law_numbers = {{"young", TemperatureTable{...}}}};
#pragma once

#include "fem/forms/in_plane.hpp"
#include "fem/operator/integral.hpp"
#include "fem/physics/material_law.hpp"
#include "fem/physics/material_property.hpp"
#include "fem/physics/orientation.hpp"
#include "fem/results/region_points.hpp"

#include <optional>
#include <string>
#include <vector>

namespace ritz {

// A stiffness along material axes over the temperature, linear between two rows or more of ascending temperatures.
struct StiffnessTable {
  struct Row {
    double temperature;
    StiffnessTensor stiffness;
  };
  std::vector<Row> rows;
  bool continued = false;  // constant outside of the rows; else a temperature out there is an error

  // The row below a temperature, and how far it lies towards the next one. Throws Error: Exit::model as value_at()
  // does.
  struct Place {
    std::size_t row;
    double share;
  };
  Place place_of(double temperature, const std::string& origin) const;
  StiffnessTensor at(double temperature, const std::string& origin) const;
  // The temperature, which throws likewise where it is evaluated.
  PointExpression inside(const PointExpression& temperature, const std::string& origin) const;
  StiffnessTable from_axes(const Axes& axes) const;
};

// A number of a law that varies over the body, or with its temperature.
struct LawNumber {
  std::string name;
  MaterialProperty value;
};

struct ElasticMaterial {
  std::optional<MaterialLaw> law = {};  // in place of linear elasticity and its constants
  // In place of the law's own numbers of these names.
  std::vector<LawNumber> law_numbers = {};
  // Isotropic: Young's modulus [Pa] and Poisson's ratio. Not used where there is a stiffness.
  MaterialProperty young = Coefficient(0), poisson = Coefficient(0);
  std::optional<Coefficient> density = {};             // [kg/m^3] for gravity, modes and motion
  std::optional<StiffnessTensor> stiffness = {};       // along the material axes
  std::optional<StiffnessTable> stiffness_table = {};  // the same over the temperature, in place of it
  std::optional<Orientation> orientation = {};         // of the material axes; those of space by default
  // Thermal expansion [1/K]: one number, or one along each material axis; none: the material does not expand. Tables
  // are of secant coefficients.
  std::vector<MaterialProperty> expansion = {};
  // Temperature from which secant coefficients count; the reference temperature by default.
  std::optional<double> expansion_zero = {};
  bool mixed = false;  // by displacement and pressure (fem/physics/mixed_solid.hpp)
  // In hexahedra of 20 nodes and quadrilaterals of 8 stresses count at two points a direction in place of three, so
  // that volumes that hardly change do not stiffen them. Hughes, The Finite Element Method, 2000, section 4.4.
  bool reduced = false;
  // The gradient of the law in hexahedra of 8 nodes and quadrilaterals of 4, so that they do not lock; the material is
  // one of a law then.
  CellGradient gradient = CellGradient::own;
  std::string origin = {};

  bool has_axes() const { return !law && (stiffness || stiffness_table); }
  // Does the law depend on the temperature, by its own table or by one of its numbers?
  bool law_needs_temperature() const;
};

// The temperature of a body, and that at which it is free of thermal strain, in the same unit.
struct BodyTemperature {
  Coefficient value;
  double reference = 0;
};

// Meanings of a mesh of two dimensions.
struct ElasticSetting {
  int dimension = 3;
  PlaneKind plane = PlaneKind::strain;
  BodyMeasure measure = {};
  bool large_displacements = false;
  bool waves = false;  // around a body of revolution
};

// Does the material have a named law, or large displacements or an assumed gradient, where linear elasticity is a law,
// too?
bool is_of_law(const ElasticMaterial& material, const ElasticSetting& setting);
// The integral of such a material. A temperature makes its free strains; the factor multiplies them. Throws what
// MaterialLaw::form does.
Integral law_integral(const ElasticMaterial& material, const BodyTemperature* temperature, const Coefficient& factor,
                      const ElasticSetting& setting, const Region& region);

// Young's modulus and Poisson's ratio of an isotropic material at the temperature of the body, or at none.
struct IsotropicConstants {
  Coefficient young, poisson;
};
IsotropicConstants isotropic_constants(const ElasticMaterial& material, const Coefficient* temperature);

// f.gradient = sigma(eps) over a region of cells; of a table of stiffnesses one for each interval. A table needs a
// temperature, and in the plane axes that do not vary.
std::vector<Integral> stiffness_integrals(const ElasticMaterial& material, const Coefficient* temperature,
                                          const ElasticSetting& setting, const Region& region);

// The free thermal strain along material axis `axis`: alpha(T) (T - zero) - alpha(reference) (reference - zero).
Coefficient thermal_strain(const ElasticMaterial& material, std::size_t axis, const BodyTemperature& temperature);

// The integrals whose stress is that of the prevented thermal strain; none where the material does not expand. They
// derive strain and stress as the stiffness does, and add to what it derives.
std::vector<Integral> thermal_integrals(const ElasticMaterial& material, const BodyTemperature& temperature,
                                        const ElasticSetting& setting, const Region& region);

// The stress -pressure in all directions; a strain of zero.
Integral even_stress(const Coefficient& pressure, const ElasticSetting& setting, const Region& region);

// One that changes nothing: where others on the same field derive stresses, each cell must derive some.
Integral no_thermal_stress(const ElasticSetting& setting, const Region& region);

}  // namespace ritz
