// Fields of files in a case: results of another run, or arrays of a mesh file, on the mesh of this run or another one.
//
//   [thermal]                               [[field]]                     # "k" in formulas
//   file = "results/heat/heat.pvd"          name = "k"
//   field = "temperature"                   file = "scan.vtu"
//   time = 60                               field = "conductivity"
#pragma once

#include "apps/cases/run.hpp"
#include "fem/physics/coefficient.hpp"

#include <string>

namespace ritz {

// The keys file, field (`name` by default), at, component, time and scale of a table that has a file. The log says how
// far nodes of this mesh lie outside of the other, and both integrals. What is wrong is added to the case.
Coefficient read_field_coefficient(Run& run, const Case::Table& t, const std::string& name);

// [[field]]: from here on formulas of the case may use them by their names.
void read_fields(Run& run, const Mesh& mesh);

}  // namespace ritz
