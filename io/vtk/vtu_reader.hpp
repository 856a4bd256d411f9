// VTK unstructured grids: XML (.vtu) and parallel XML (.pvtu, the points that its pieces share are joined) through VTK
// in a child process, legacy (.vtk) by a reader of our own. A cell array "region", "material", "MaterialIds",
// "gmsh:physical", "CellEntityIds", "attribute" or "medit:ref" gives regions; cells of a lower dimension become facet
// regions. Throws Error(Exit::mesh).
#pragma once

#include "mesh/mesh.hpp"

#include <string>
#include <vector>

namespace ritz {

enum class VtkFormat { xml, parallel, legacy };

MeshData read_vtu(const std::string& path, std::vector<std::string>* notices = nullptr,
                  VtkFormat format = VtkFormat::xml);

}  // namespace ritz
