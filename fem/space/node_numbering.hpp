// Numbers the nodes of a space of any order: those on a common vertex, edge or facet of several cells once, whichever
// way round these cells see it.
#pragma once

#include "fem/cells/reference_element.hpp"
#include "mesh/mesh.hpp"

#include <map>
#include <span>
#include <vector>

namespace ritz {

struct NodeNumbering {
  Index node_count = 0;
  std::vector<Index> block_begin;  // [block of the mesh] its first entry in cell_nodes
  std::vector<Node> cell_nodes;    // [cell][node of its element]
};

// Nodes are numbered in the order in which the cells of cell_order meet them. Throws Error: Exit::input when two cells
// disagree about the nodes on a common edge or facet.
NodeNumbering number_nodes(const Mesh& mesh, std::span<const Index> cell_order,
                           const std::map<CellKind, ReferenceElement>& elements);

}  // namespace ritz
