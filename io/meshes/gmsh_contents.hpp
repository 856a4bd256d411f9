// Contents of a Gmsh file, before it becomes a mesh: points, cells by kind in VTK's node order, runs of cells that
// share an entity, and the physical groups. Private to io: the MSH 2 and MSH 4 parsers fill it, gmsh_regions.cpp reads
// it.
#pragma once

#include "mesh/lower_order.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace ritz {

// Consecutive cells of one kind on one geometric entity.
struct GmshRun {
  CellKind kind;
  Index first, count;     // positions among the cells of this kind
  std::int64_t entity;    // elementary tag
  std::int64_t physical;  // MSH 2: the group of these very cells, 0 for none; MSH 4: not used
};

// Which of Gmsh's types the cells of each kind have; 0: none yet.
using TypesOfKinds = std::array<int, cell_kind_count>;

// False if this kind has elements of another type already: hexahedra of order 2 and of order 3, which are both taken at
// order 2.
inline bool claim(TypesOfKinds& types, CellKind kind, std::int64_t type) {
  int& claimed = types[static_cast<std::size_t>(kind)];
  if (claimed == 0) claimed = static_cast<int>(type);
  return claimed == type;
}

using DimensionAndTag = std::pair<int, std::int64_t>;

struct GmshContents {
  bool groups_by_entity = true;  // MSH 4
  // lines and surfaces are bodies (MeshData::structural)
  bool structural = false;
  std::vector<double> points;  // [node][3]
  // [kind][cell][node]; of order 3 and more in Gmsh's order
  CellsByKind nodes;
  TypesOfKinds types{};
  std::vector<GmshRun> runs;
  std::map<DimensionAndTag, std::string> group_names;
  std::map<DimensionAndTag, std::vector<std::int64_t>> groups_of_entity;
  // Gmsh type -> count; also types that become a kind that others are of already
  std::map<std::int64_t, Index> unsupported;
};

// Names of groups of points alone. gmsh_regions.cpp.
std::vector<std::string> point_groups(const GmshContents& contents);

// Regions, dimension and blocks; throws Error: Exit::mesh. gmsh_regions.cpp.
MeshData mesh_of(GmshContents contents, const std::string& path, std::vector<std::string>& notices);

}  // namespace ritz
