// Contents of a mesh file in the terms that most formats share: points, cells by kind, and named groups of cells,
// facets and nodes. The parsers fill it; `mesh_of` decides which cells carry the physics and turns the groups into
// regions. Private to io.
#pragma once

#include "mesh/lower_order.hpp"
#include "mesh/mesh.hpp"

#include <initializer_list>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace ritz {

// Consecutive cells of one kind; positions count the cells of this kind.
struct CellRun {
  CellKind kind;
  Index first, count;
};

struct FacetPlace {
  CellKind kind;
  Index position;  // among the cells of this kind
  int facet;       // of CellTraits::facets
};

struct RawGroup {
  std::string name;
  std::vector<CellRun> cells;  // of any dimension: cells of the mesh, its facets, or lines in a solid mesh
  std::vector<FacetPlace> facets;
  std::vector<CellRun> free_facets_of;  // all facets of these cells that belong to one cell only
  std::vector<Node> nodes;
};

struct RawMesh {
  std::string source;            // file name, for messages
  std::vector<double> points;    // [node][3]
  CellsByKind nodes;             // [kind][cell][node], in VTK's order
  NodeSets node_sets;            // of cells of order 3 and more, which are taken at order 2
  std::vector<RawGroup> groups;  // in the order of the file
  bool structural = false;       // lines and surfaces are bodies (MeshData::structural)

  std::vector<Node>& nodes_of(CellKind kind) { return nodes[static_cast<std::size_t>(kind)]; }
  Index cell_count(CellKind kind) const {
    return static_cast<Index>(nodes[static_cast<std::size_t>(kind)].size()) / file_node_count(node_sets, kind);
  }
  RawGroup& group(const std::string& name);  // made when it is not there yet

 private:
  std::map<std::string, std::size_t> group_number_;
};

// Appends a cell or a run of cells, joining neighbours.
void append(std::vector<CellRun>& runs, const CellRun& run);

// The facet of a kind that has these corners (local numbers from 0, in any order); empty when there is none.
std::optional<int> facet_with_corners(CellKind kind, std::span<const int> corners);

// Node numbers outside 0 ... node count - 1 and files without cells are Error: Exit::mesh. Groups of cells of a lower
// dimension become regions of facets or nodes; a notice counts the cells in no group that are not used.
MeshData mesh_of(RawMesh raw, std::vector<std::string>& notices);

}  // namespace ritz
