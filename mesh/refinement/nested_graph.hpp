// Finds the uniform refinement in a mesh of triangles or tetrahedra: every node is a coarser one, or the middle of
// a coarser edge. Only the edges and the places of the nodes are used, so the origin and the numbering do not
// matter.
//
//   while (const auto coarser = coarser_graph(graph, places, 3)) { ...; graph = coarser->graph; }
#pragma once

#include "mesh/mesh.hpp"

#include <optional>

namespace ritz {

// Nodes that share a cell; a node may be among its own neighbours.
struct NodeNeighbours {
  std::vector<Index> offsets;  // [node + 1]
  std::vector<Node> neighbours;
  Index node_count() const { return static_cast<Index>(offsets.size()) - 1; }
};

struct NestedGraph {
  NodeNeighbours graph;        // of the coarser nodes
  std::vector<double> places;  // [coarser node][dimension]
  std::vector<Node> same;      // [coarser node] the finer node at its place, ascending
  std::vector<Index> first;    // [finer node + 1] first of its parents
  // the ends of the edge in whose middle the node lies, or the coarser node at its place
  std::vector<Node> parents;
};

// places: [node][dimension]. Returns nothing if a node is neither, if a coarser node has another one as its neighbour,
// or if a node between lies a quarter of an edge off the middle. Linear time.
std::optional<NestedGraph> coarser_graph(std::span<const Index> offsets, std::span<const Node> neighbours,
                                         std::span<const double> places, int dimension);

}  // namespace ritz
