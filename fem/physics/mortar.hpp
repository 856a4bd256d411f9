// Mortar equations of two surfaces whose meshes do not match: the own field u is that of the other side in the mean,
//
//   integral of psi_a (u - u_other) = 0   for the dual function psi_a of each node a,
//
// over the pairs of facets of mesh/search/facet_pairs.hpp. The integrals of psi_a N_b vanish for all other own nodes b
// (Wohlmuth, SIAM J. Numer. Anal. 38 (2000) 989), so that each equation has one own unknown; of facets of order 2 the
// nodes on edges have those of the ends, too. Ties solve these equations for the own unknowns (fem/physics/tie.hpp).
//
// Fields linear in space satisfy the equations where the sides touch. A constant traction on the own side acts on the
// other side as the nodal forces of that side. Both hold to rounding between flat facets.
//
// Across a gap r, from the other side to the own one, the field of the other side has u_other + theta x r, where theta
// is the rotation of its surface. This needs no nodes but those of the surface. Rigid motions satisfy the equations, so
// forces keep their resultant and their moment. A constant strain e satisfies them up to a displacement of the own body
// of e r, and a constant normal traction passes on. A tangential one does, too, but for the moment of its lever: forces
// along the normal at the border of the surface take that. Other fields than displacements are continued as constant.
#pragma once

#include "fem/space/function_space.hpp"
#include "mesh/search/nearest_facet.hpp"

#include <array>
#include <span>
#include <utility>
#include <vector>

namespace ritz {

struct MortarTerm {
  Node node;
  double factor;
  std::array<Point, 3> turn{};  // [component of the node][component of the row], in addition, across gaps
};

// sum of factor times u over `own` = sum over `others`: the integral of a node's dual function times either field
struct MortarRow {
  Node node;
  bool has_dual;                             // else only the sum with rows of other nodes can be solved for the node
  std::vector<std::pair<Node, double>> own;  // the node first
  std::vector<MortarTerm> others;
  std::vector<Node> neighbours;  // nodes with a row that share a facet with this one; ascending
};

struct MortarOptions {
  // [length] From the other side. Each facet may be farther off by a part of its size, as bent surfaces are.
  double reach = 0;
  bool rotates = false;        // the field is a displacement
  bool of_revolution = false;  // integrals of a body of revolution about x = 0
};

// Rows for the nodes of those facets of which at least half lies within reach of the other side; ascending. Nodes of
// which the function has no positive integral (on whole facets of order 1 and 2 all have) have no dual.
std::vector<MortarRow> mortar_rows(const FunctionSpace& space, std::span<const FacetOfCell> facets,
                                   const NearestFacet& onto, const MortarOptions& options);

}  // namespace ritz
