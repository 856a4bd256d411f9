// Cells of order 1 that repeat nodes, as preprocessors write wedges into a format of hexahedra. Private to io.
#pragma once

#include "io/meshes/raw_mesh.hpp"

#include <string>
#include <vector>

namespace ritz {

// Hexahedra become wedges, pyramids or tetrahedra, quadrilaterals triangles; groups follow, and a notice counts them.
// Cells that are none of these stay, for Mesh to report.
void replace_collapsed_cells(RawMesh& raw, std::vector<std::string>& notices);

}  // namespace ritz
