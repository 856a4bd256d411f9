// `ritz mesh convert A B` and `ritz mesh refine A B`: a mesh file into another.
#pragma once

#include "io/meshes/mesh_writer.hpp"

#include <string>

namespace ritz {

struct MeshChange {
  std::string from, to;
  double scale = 1;
  int order = 0;             // 0: as it is
  bool serendipity = false;  // mid nodes on edges only; also of cells that are quadratic already
  int refinements = 0;
  bool text = false, overwrite = false;
  std::string plane_type = "CPS";
};

// Reads, changes and writes; returns what was done, for people. Throws Error.
std::string change_mesh(const MeshChange& change);

}  // namespace ritz
