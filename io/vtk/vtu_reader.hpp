// VTK unstructured grids: XML (.vtu) and parallel XML (.pvtu, the points that its pieces share are joined) through VTK
// in a child process, legacy (.vtk) by a reader of our own. A cell array "region", "material", "MaterialIds",
// "gmsh:physical", "CellEntityIds", "attribute" or "medit:ref" gives regions; cells of a lower dimension become facet
// regions. Throws Error: Exit::mesh.
#pragma once

#include "mesh/mesh.hpp"

#include <string>
#include <vector>

namespace ritz {

enum class VtkFormat { xml, parallel, legacy };

MeshData read_vtu(const std::string& path, std::vector<std::string>* notices = nullptr,
                  VtkFormat format = VtkFormat::xml);

// The mesh of a file (.vtu, or .pvtu and its pieces), and an array of it: for each node, or for each cell of the mesh.
struct VtuField {
  MeshData mesh;
  bool in_cells;
  int components;
  std::vector<double> values;  // [node or cell][component]
};
// Names of the arrays at points, then of those in cells.
std::vector<std::string> vtu_fields(const std::string& path);
enum class FieldPlace { any, nodes, cells, nodes_first };  // the last: in cells where nodes have none
// structures: a file of lines, or of surfaces that leave one plane z = constant, is one of bars and shells; so are
// these cells beside solids in results of Ritz. Throws also Error: Exit::input: no such array there, arrays of the name
// at nodes and in cells where either would do, cells of order 3 and more, of which the mesh has no such nodes; points
// of pieces at one place with several values.
VtuField read_vtu_field(const std::string& path, const std::string& array, FieldPlace place = FieldPlace::any,
                        bool structures = false);

}  // namespace ritz
