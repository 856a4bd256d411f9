// Finds places where a mesh looks whole but is not: cells on the two sides do not share nodes or facets, and the
// solution may be discontinuous. Only free facets are examined; the cost grows with the boundary, not with the volume.
//
//   for (const auto& [a, b] : find_cracks(mesh).facets) ...
#pragma once

#include "mesh/mesh.hpp"

#include <utility>
#include <vector>

namespace ritz {

// Coincident free facets, corner by corner, with different nodes: a crack by accident, or two bodies in touch.
// `tolerance` is a distance; by default a millionth of the shortest edge on the boundary.
struct Cracks {
  std::vector<std::pair<FacetOfCell, FacetOfCell>> facets;  // ascending
  std::vector<std::pair<Node, Node>> nodes;                 // of those facets: lower and higher number, ascending
};
Cracks find_cracks(const Mesh& mesh, double tolerance = -1);

// Nodes of free facets that lie on another free facet or edge: one side is refined, the other is not. `tolerance` is
// the distance from the facet, by default a millionth of the facet's size. Each node once, ascending.
struct HangingNode {
  Node node;
  FacetOfCell facet;
  bool operator==(const HangingNode&) const = default;
};
std::vector<HangingNode> find_hanging_nodes(const Mesh& mesh, double tolerance = -1);

// Free quadrilaterals with a free triangle on three of their corners: a hexahedron, prism or pyramid that meets two
// tetrahedra without a pyramid between them. Pairs (quadrilateral, triangle), ascending.
std::vector<std::pair<FacetOfCell, FacetOfCell>> find_split_faces(const Mesh& mesh);

// Coincident nodes of frames and shells (structural meshes): parts that only look joined. Pairs (lower, higher),
// ascending.
std::vector<std::pair<Node, Node>> find_unjoined_nodes(const Mesh& mesh);

// All findings in words. Errors separate what should be one body: hanging nodes on a facet of their own body,
// quadrilaterals on triangles. Notices may be intended: cracks, and bodies in touch, each solved on its own.
struct Conformity {
  std::vector<std::string> notices;
  std::vector<Error> errors;
};
Conformity check_conformity(const Mesh& mesh);

}  // namespace ritz
