// VTK unstructured grids (.vtu) through VTK. A cell array "region", "material", "MaterialIds" or "gmsh:physical" gives
// regions; cells of a lower dimension become facet regions. Throws Error(Exit::mesh).
#pragma once

#include "mesh/mesh.hpp"

#include <string>
#include <vector>

namespace ritz {

MeshData read_vtu(const std::string& path, std::vector<std::string>* notices = nullptr);

}  // namespace ritz
