// Derived quantities of a solution, strain and stress for example, at the nodes and in the cells of the mesh.
//
//   const DerivedFields stress = evaluate(equations, u);
#pragma once

#include "device/array.hpp"
#include "fem/launch/law_results.hpp"

#include <string>
#include <vector>

namespace ritz {

class Operator;

// On the host (FormFacts::derived).
struct DerivedFields {
  int components = 0;
  std::vector<double> at_nodes;  // [mesh node][component]: mean over the cells around the node of extrapolated values
  std::vector<double> at_cells;  // [cell][component]: mean over the cell
  // [node][component]: as at_nodes, at those of the space; none when they are the mesh's
  std::vector<double> at_space_nodes = {};
};

// Results of the forms on cells, or only of those with this name, on cells or facets; those of several forms on the
// same cells add up. Without such forms, numbers at nodes and cells are zero. Those of facets are at nodes only.
// Forms of laws with different internal variables give at once what all of them have: strain and stress. Throws
// an internal Error for other forms with different numbers of results. LawResults::deformation: forms of laws have the
// deformation gradient in place of strain and stress; those of other forms add to it.
DerivedFields evaluate(const Operator& equations, const Vector& u, const std::string& form = {},
                       LawResults of_laws = LawResults::stress);
// [component] At nodes without such forms: zero, and internal variables as they started.
std::vector<double> results_elsewhere(const Operator& equations, const std::string& form, int components);

}  // namespace ritz
