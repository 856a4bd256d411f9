// Materials and supports of elastic bodies, as all programs read them.
#pragma once

#include "apps/cases/formulas.hpp"
#include "apps/cases/load_cases.hpp"
#include "apps/cases/model.hpp"
#include "fem/forms/elasticity.hpp"

namespace ritz {

struct ElasticMaterial {
  const Region* region;    // cells
  Formula young, poisson;  // [Pa], []
  Formula density;         // [kg/m^3]
};

// [[material]]: every cell has one. Without a fallback the density must be given.
std::vector<ElasticMaterial> elastic_materials(Run& run, const Mesh& mesh, const std::string& about_density,
                                               std::optional<double> density_fallback);

// A notice where cells are too stiff for what can hardly be compressed.
void tell_locking(Run& run, const FunctionSpace& space, const PlaneModel& plane,
                  const std::vector<ElasticMaterial>& materials);

FormValue stiffness_form(const PlaneModel& plane, const ElasticMaterial& material);

// [[displacement]] of the case or of a load case. With `only_zero`, other values are errors.
std::vector<PrescribedValue> read_displacements(const Case::Table& from, const Mesh& mesh, bool only_zero = false);
// Nodes on the axis of revolution, where there is one: it does not move away from itself.
std::vector<Node> nodes_on_axis(const PlaneModel& plane, const FunctionSpace& space);

// The rigid motions that a body of this model can have.
RigidModes rigid_modes(const Mesh& mesh, const PlaneModel& plane);

}  // namespace ritz
