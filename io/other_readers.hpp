// Readers of formats that need no more than one file of source each; docs/formats.md says what becomes what.
// All throw Error(Exit::mesh) with the place in the file; `notices` receives what was odd or left out.
#pragma once

#include "mesh/mesh.hpp"

#include <string>
#include <vector>

namespace ritz {

// MEDIT (INRIA), text .mesh and binary .meshb, order 1 and P2 simplices. References become "volume_3", "surface_7", ...
MeshData read_medit(const std::string& path, std::vector<std::string>& notices);
MeshData read_medit_binary(const std::string& path, std::vector<std::string>& notices);

// Nastran bulk data, small, large and free field. Properties become "volume_3", "surface_7", ...
MeshData read_nastran(const std::string& path, std::vector<std::string>& notices);

// MFEM mesh v1.0 to v1.3, conforming; nodes of order 1 and 2. Attributes become "volume_3", ...; attribute sets keep their names.
MeshData read_mfem(const std::string& path, std::vector<std::string>& notices);

// "volume_3", "surface_3", "curve_3" or "point_3" after the dimension: groups that only have a number.
std::string numbered_group(int dimension, std::int64_t number);

}  // namespace ritz
