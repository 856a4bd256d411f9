// Results of one of several fields: at nodes, or in cells, as mean values, or vectors of facets and edges.
//
//   const Field velocity = field_result(results, equations, 0, u, "velocity");
#pragma once

#include "apps/results/results.hpp"
#include "fem/operator/fields_operator.hpp"
#include "fem/physics/model.hpp"

#include <string>
#include <vector>

namespace ritz {

// [field] of a model that has fields, as its form declares them.
const std::vector<FieldFacts>& facts_of(const Model& model);

// Field `field` of u [unknown of all fields]. Values of the first field at nodes are polynomials of the field itself,
// where probes and files look closely; those of others are values at the nodes of the mesh.
Field field_result(Results& results, const FieldsOperator& equations, int field, const Vector& u, std::string name);

// Field `field` of forces [unknown of all fields], at the nodes of the mesh.
std::vector<double> field_forces(const FieldsOperator& equations, int field, const std::vector<double>& forces);

}  // namespace ritz
