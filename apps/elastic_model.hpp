// What the executables for elastic bodies read alike: materials and supports.
#pragma once

#include "apps/model.hpp"
#include "fem/forms/elasticity.hpp"

namespace ritz {

struct ElasticMaterial {
  const Region* region;  // cells
  Lame lame;             // [Pa]
  double density;        // [kg/m^3]
};

// [[material]]: every cell has one. Without a fallback the density must be given.
std::vector<ElasticMaterial> elastic_materials(Run& run, const Mesh& mesh, const std::string& about_density, std::optional<double> density_fallback);

FormValue stiffness_form(const PlaneModel& plane, Lame lame);

// [[displacement]], and the axis of revolution. With `only_zero`, other values are errors.
void read_supports(Run& run, const Mesh& mesh, const PlaneModel& plane, Constraints& fixed, bool only_zero = false);

// The rigid motions that a body of this model can have.
RigidModes rigid_modes(const Mesh& mesh, const PlaneModel& plane);

}  // namespace ritz
