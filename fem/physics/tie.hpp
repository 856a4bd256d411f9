// Ties: the nodes of one region move, or are as hot, as the surface of another part at the same place, where the meshes
// of the two do not match. Every node is projected onto the nearest facet of the other side and takes the field there.
//
//   const Tie tied = tie(space, mesh.region("rim"), mesh.region("hub"));
//   model.relations.push_back(tied.equations);
#pragma once

#include "fem/space/function_space.hpp"
#include "fem/space/linear_equations.hpp"

#include <optional>
#include <string>
#include <vector>

namespace ritz {

struct TieOptions {
  std::optional<double> tolerance = {};  // [length] nodes farther off are not tied; none: 5 % of the facet at the foot
  std::vector<int> components = {};      // of the unknown; empty: all
  bool leave_far_nodes = false;          // nodes outside of the tolerance stay free; else they are an error
  // Integrates over the facets of the region where they lie opposite to the other side (fem/physics/mortar.hpp); nodes
  // without such facets take the field at their foot. Then prescribed unknowns have no equation: `held` [unknown] 1.
  bool integrated = false;
  std::vector<std::uint8_t> held = {};
  bool displacements = true;   // a field of as many components as dimensions is one, whose rotations pass across gaps
  bool of_revolution = false;  // integrals of a body of revolution
  std::vector<std::uint8_t> acting = {};  // [unknown] 0: no element acts there, and no equation either; empty: all act
  std::string origin = {};
};

struct Tie {
  LinearEquations equations;
  std::vector<Node> tied, left;   // nodes of the space; those on both sides are neither
  Index shared = 0;               // nodes that both sides have
  Index integrated = 0;           // of the tied nodes, those on facets that are integrated
  std::vector<double> distances;  // [tied, then left] from the other side [length]
  // Nodes of the other side that tied nodes take the field from, and those of them at which no tied node stands: where
  // there are some, the fields of the two sides differ between the nodes.
  Index others = 0, unmatched = 0;
  double largest_gap = 0;  // of the tied nodes
  double tolerance = 0;    // the largest that held
};

// `region`: facets, nodes or cells, whose nodes depend on `onto`: facets (or cells that are surfaces in space). Throws
// Error: Exit::model for nodes outside of the tolerance, unless they may stay free, and where no node is tied.
Tie tie(const FunctionSpace& space, const Region& region, const Region& onto, const TieOptions& options = {});

// [mesh node] for looking at it: the distance from the other side, and 1: tied, -1: left, 0: all others.
std::vector<double> tie_distances(const FunctionSpace& space, const Tie& tie);
std::vector<double> tied_nodes(const FunctionSpace& space, const Tie& tie);

}  // namespace ritz
