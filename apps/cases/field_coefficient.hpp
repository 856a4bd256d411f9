// Fields of files in a case: results of another run, or arrays of a mesh file, on the mesh of this run or another one.
//
//   [thermal]                               [[field]]                     # "k" in formulas
//   file = "results/heat/heat.pvd"          name = "k"
//   field = "temperature"                   file = "scan.vtu"
//   time = 60                               field = "conductivity"
#pragma once

#include "apps/cases/run.hpp"
#include "fem/physics/mesh_field.hpp"

#include <map>
#include <string>

namespace ritz {

// The keys file, field (`name` by default), at, component, time and scale of a table that has a file. The log says how
// far nodes of this mesh lie outside of the other, and both integrals. What is wrong is added to the case.
Coefficient read_field_coefficient(Run& run, const Case::Table& t, const std::string& name);

// [[field]]: from here on formulas of the case may use them by their names.
void read_fields(Run& run, const Mesh& mesh);

// Arrays of a calling program: from here on formulas of the case may be their names. The mesh outlives their use; other
// values follow by MeshField::set().
std::map<std::string, MeshField> take_arrays(const GivenArrays& arrays, const Mesh& mesh, Case& input);
// Makes the number that the case has at this key an array of one value in each cell, in Run::arrays().
void vary_by_cells(Run& run, const Mesh& mesh, const std::string& key);
// Throws Error: Exit::input that names an array with another number of values.
void require_one_each(const std::string& name, const GivenArray& array, const Mesh& mesh);

}  // namespace ritz
