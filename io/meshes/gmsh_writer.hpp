// A mesh as Gmsh MSH 4.1, with its regions as physical groups: for users who want to look at a generated mesh in
// Gmsh, and for tests. The file appears complete or not at all. Throws Error: Exit::output.
#pragma once

#include "mesh/mesh.hpp"

#include <string>

namespace ritz {

struct GmshOptions {
  bool binary = true;
};

void write_gmsh(const std::string& path, const Mesh& mesh, const GmshOptions& options = {});

}  // namespace ritz
