// Meshes from files, in the formats of docs/formats.md. The format is recognised by the content and then by the
// extension. Throws Error: Exit::mesh with the place in the file when it cannot be read.
//
//   Mesh bracket = read_mesh("bracket.msh", {.scale = 1e-3});  // drawn in millimetres
//
// Regions: every named group of the file, and "all" with every cell. Groups without a name are called
// "volume_3", "surface_7", "curve_2" or "point_1" after their dimension and number; VTU regions "region_<id>".
#pragma once

#include "mesh/mesh.hpp"

#include <set>
#include <string>
#include <vector>

namespace ritz {

struct ReadOptions {
  double scale = 1;  // points are multiplied by it: file units to metres
  MeshChecks checks = {};
  // lines and surfaces are bodies of their own, beams and shells (MeshData::structural); not of VTK, MEDIT and MFEM
  bool structural = false;
  std::vector<std::string>* notices = nullptr;  // receives what the reader found odd; see also Mesh::notices()
  // receives the names of regions of nodes that the file gives as single points (physical points of Gmsh)
  std::vector<std::string>* points = nullptr;
  // Keys of the case, "orientation" and "offset", that stand for what a file of beams and shells gives beyond their
  // nodes. What changes results and has no such key is an error; null: it is a notice.
  const std::set<std::string>* section_keys = nullptr;
};

Mesh read_mesh(const std::string& path, const ReadOptions& options = {});

// The same before Mesh checks it, without scale; `notices` (may be null) receives what was odd.
MeshData read_mesh_data(const std::string& path, std::vector<std::string>* notices = nullptr, bool structural = false,
                        std::vector<std::string>* points = nullptr,
                        const std::set<std::string>* section_keys = nullptr);

}  // namespace ritz
