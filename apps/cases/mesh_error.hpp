// "Is my mesh fine enough?": the estimated error by the mesh (fem/results/error_estimate.hpp) of a model of these
// materials, for the log, the report and the results.
#pragma once

#include "apps/cases/elastic_model.hpp"
#include "apps/cases/run.hpp"
#include "fem/results/error_estimate.hpp"

#include <vector>

namespace ritz {

struct ThermalMaterial {
  const Region* region;  // cells
  Formula conductivity;  // [W/(m K)]
};

// The model of a run's estimate. Nothing is averaged between two materials, unless they have the same numbers. Formulas
// count with their values at the cells' centres.
struct MeshErrorModel {
  PlaneModel plane;
  std::vector<ElasticMaterial> elastic;  // or:
  std::vector<ThermalMaterial> thermal = {};
};

// [output] error_estimate
bool wants_mesh_error(Run& run);

// The estimate for a solution, as a phase.
DiscretisationError mesh_error(Run& run, const FunctionSpace& space, const Vector& u, const MeshErrorModel& model);

// In the log and among the facts: how large it is, where, and what a finer mesh would bring, where that can be said.
void tell_mesh_error(Run& run, const FunctionSpace& space, const DiscretisationError& error);

}  // namespace ritz
