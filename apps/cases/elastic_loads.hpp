// Loads and prescribed displacements of solids, of a case or of a load case. Errors are added to the case.
#pragma once

#include "apps/cases/relations.hpp"
#include "fem/physics/elastic_body.hpp"

#include <vector>

namespace ritz {

// [[displacement]]. With `only_zero`, other values are errors. `oblique`: takes supports along other directions; none
// in a load case.
void read_displacements(const Case::Table& from, const Mesh& mesh, int components, bool only_zero, ElasticLoads& loads,
                        std::vector<ObliqueSupport>* oblique);
// [gravity]: is there any?
bool read_gravity(const Case::Table& from, int dimension, ElasticLoads& loads);
// One [[force]]: with a point or a moment the statically equivalent traction of a remote force.
void read_force_on_body(const Case::Table& t, const Mesh& mesh, ElasticLoads& loads);
void read_pressure_on_body(const Case::Table& t, const Mesh& mesh, ElasticLoads& loads);  // one [[pressure]]
void read_densities_on_body(const Case::Table& from, const Mesh& mesh,
                            ElasticLoads& loads);  // [[body_force]], [[traction]]
void read_loads_on_body(const Case::Table& from, const Mesh& mesh, ElasticLoads& loads);  // all of these but gravity

}  // namespace ritz
