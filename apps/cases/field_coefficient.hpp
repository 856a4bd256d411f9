// A number of a case that is a field of another run: at the nodes of its results, on the mesh of this run or another.
//
//   file = "results/heat/heat.pvd"      field = "temperature"      time = 60
#pragma once

#include "apps/cases/run.hpp"
#include "fem/physics/coefficient.hpp"

#include <string>

namespace ritz {

// The keys file, field (`name` by default) and time of a table that has a file. The log says how far nodes of this mesh
// lie outside of the other. What is wrong is added to the case.
Coefficient read_field_coefficient(Run& run, const Case::Table& t, const std::string& name);

}  // namespace ritz
