// Gmsh MSH 2.2 and 4.1, ASCII and binary, read by our own parser: the file is mapped into memory and every count is
// checked against the rest of the file before anything is allocated. Physical groups become regions. Throws
// Error: Exit::mesh with the line (ASCII) or the byte (binary) and the section.
#pragma once

#include "mesh/mesh.hpp"

#include <string>
#include <vector>

namespace ritz {

MeshData read_gmsh(const std::string& path, std::vector<std::string>* notices = nullptr, bool structural = false,
                   std::vector<std::string>* points = nullptr);

}  // namespace ritz
