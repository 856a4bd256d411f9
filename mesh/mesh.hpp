// A mesh: points, blocks of equal cells, and named regions of cells, facets and nodes. It is immutable and
// checks itself on construction. Plain host memory; it knows neither unknowns nor devices. Copies share their contents:
// whoever keeps a mesh keeps a copy.
//
//   Mesh mesh = read_mesh("bracket.msh");   mesh.region("clamp").size();
//
// Cells are numbered through all blocks: cell = block.first_cell + position in the block.
#pragma once

#include "device/error.hpp"
#include "mesh/cell_kind.hpp"
#include "mesh/curved_cells.hpp"

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace ritz {

using Index = std::int64_t;

// Nodes fit 32 bits (checked when a Mesh is made); everything that counts entries or bytes is an Index.
using Node = std::int32_t;

struct CellBlock {
  CellKind kind;
  std::vector<Node> nodes;  // [cell][node], in the order of CellTraits
  Index first_cell = 0;     // set by Mesh
  CurvedCells curved = {};  // those whose map is of order 3 or more
  Index cell_count() const { return static_cast<Index>(nodes.size()) / traits(kind).node_count; }
  std::span<const Node> cell(Index position) const {
    const auto n = static_cast<std::size_t>(traits(kind).node_count);
    return {nodes.data() + static_cast<std::size_t>(position) * n, n};
  }
};

// A facet of a cell: the local facet number refers to CellTraits::facets.
struct FacetOfCell {
  Index cell;
  int facet;
  bool operator==(const FacetOfCell&) const = default;
};

enum class RegionKind { cells, facets, nodes };

struct Region {
  std::string name;
  RegionKind kind;
  std::vector<Index> cells;         // kind == cells, ascending
  std::vector<FacetOfCell> facets;  // kind == facets, ascending by (cell, facet)
  std::vector<Node> nodes;          // kind == nodes, ascending
  bool has_all_cells = false;       // of the mesh; set by Mesh
  Index size() const;
};

// Input of a Mesh, from a reader or a generator. Cells of a lower dimension than the mesh serve only to name facets and
// nodes; they become facet regions (or node regions) when the Mesh is made.
struct MeshData {
  int dimension = 3;  // 2 or 3 (1 for bars alone): cells of this dimension carry the physics
  // with dimension 3: so do surfaces and lines in space, as shells and beams; many may meet
  bool structural = false;
  std::vector<double> points;  // [node][3], z = 0 in two dimensions
  // cells of `dimension` only (of lines and surfaces too when structural); equal kinds may appear in several blocks
  std::vector<CellBlock> blocks;
  std::vector<Region> regions;
  std::string source = "mesh";  // file name or generator, for messages
};

// move(std::span<double, 3>), an affine map, for all points, also those of curved cells.
template <class Move>
void transform_points(MeshData& data, const Move& move) {
  for (std::size_t i = 0; i + 3 <= data.points.size(); i += 3) move(std::span<double, 3>(&data.points[i], 3));
  for (CellBlock& block : data.blocks)
    for (Point& x : block.curved.points) move(std::span<double, 3>(x));
}

struct MeshChecks {
  bool allow_orphan_nodes = true;  // points that no cell uses: dropped from the unknowns, with a notice
  bool fix_inverted = true;        // all cells of a block inside out: renumbered, with a notice
};

class Mesh {
 public:
  // Checks node numbers, region contents, finite coordinates, duplicate cells, facets in more than two cells, facets
  // whose two cells disagree about the nodes between the corners, and that every cell has a positive Jacobian at its
  // corners, edge nodes and centroid. Throws Error: Exit::mesh naming the first ten cells and their count.
  // When no region of cells is given, one named "all" is made, with a notice.
  explicit Mesh(MeshData data, MeshChecks checks = {});

  bool operator==(const Mesh&) const = default;  // a copy of the other
  auto operator<=>(const Mesh&) const = default;

  int dimension() const { return data().dimension; }
  bool structural() const { return data().structural; }  // cells of several dimensions, all in space
  Index node_count() const { return static_cast<Index>(data().points.size()) / 3; }
  Index cell_count() const { return contents_->cell_count; }
  const std::string& source() const { return data().source; }
  std::span<const double> points() const { return data().points; }  // [node][3]
  std::span<const double, 3> point(Index node) const {
    return std::span<const double, 3>(data().points.data() + 3 * node, 3);
  }
  std::span<const CellBlock> blocks() const { return data().blocks; }
  const CellBlock& block_of(Index cell) const;
  CellKind kind_of(Index cell) const { return block_of(cell).kind; }
  std::span<const Node> nodes_of(Index cell) const;
  std::vector<Node> nodes_of(FacetOfCell facet) const;  // in the facet kind's order

  std::span<const Region> regions() const { return data().regions; }
  bool has_region(std::string_view name) const;
  // Throws Error: Exit::input listing what exists and the nearest name. Names are unique per kind; when a name
  // is used for several kinds (a surface and its nodes), the highest dimension is returned.
  const Region& region(std::string_view name) const;
  std::vector<std::string> region_names() const;

  std::span<const std::string> notices() const { return contents_->notices; }     // repairs and oddities
  std::span<const Node> orphan_nodes() const { return contents_->orphan_nodes; }  // ascending

 private:
  struct Contents {
    MeshData data;
    Index cell_count = 0;
    std::vector<std::string> notices = {};
    std::vector<Node> orphan_nodes = {};
    std::vector<FacetOfCell> boundary_facets = {};  // ascending; a by-product of the checks
  };
  const MeshData& data() const { return contents_->data; }

  std::shared_ptr<Contents> contents_;  // constant once the mesh is made
  friend std::vector<FacetOfCell> boundary_facets(const Mesh& mesh);
  friend Mesh with_regions(Mesh mesh, std::vector<Region> regions);
};

// The mesh with more regions after its own; one of the same name and kind is replaced. Throws Error: Exit::mesh when
// they refer to entities outside the mesh.
Mesh with_regions(Mesh mesh, std::vector<Region> regions);

// The nodes of a region, ascending and unique, whatever its kind.
std::vector<Node> nodes_in(const Mesh& mesh, const Region& region);

// The facets that belong to one cell only, ascending by (cell, facet).
std::vector<FacetOfCell> boundary_facets(const Mesh& mesh);

// Component of every cell, none where there is only one; cells that share a node are in one. Returns the count of them.
Index connected_components(const Mesh& mesh, std::vector<Index>& component_of_cell);

}  // namespace ritz
