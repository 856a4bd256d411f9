// `ritz mesh check FILE`: everything that can be wrong with a mesh, with the offending cells as a picture for ParaView.
#pragma once

#include "apps/ritz/mesh_info.hpp"

#include <string>
#include <vector>

namespace ritz {

struct MeshCheckOptions {
  double scale = 1;
  double least_jacobian = 0;  // cells with a scaled Jacobian below are errors too; 0: none
  // the VTU of the offending cells; empty: the mesh's name with "-problems.vtu", in this folder
  std::string picture;
  std::string quality;  // a VTU of the whole mesh with scaled Jacobians and aspects of the cells; empty: none
};

struct MeshCheck {
  MeshInfo info;
  Index offender_count = 0;  // cells
  std::string picture;       // written; empty when there is no offending cell
};

// Throws Error for a file that cannot be read or a picture that cannot be written.
MeshCheck check_mesh(const std::string& file, const MeshCheckOptions& options);
std::string text_of(const MeshCheck& check);
std::string json_of(const MeshCheck& check);

}  // namespace ritz
