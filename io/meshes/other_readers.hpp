// Readers of formats that need no more than one file of source each; docs/formats.md says what becomes what.
// All throw Error: Exit::mesh with the place in the file; `notices` receives what was odd or left out.
#pragma once

#include "mesh/mesh.hpp"

#include <set>
#include <string>
#include <vector>

namespace ritz {

// MEDIT (INRIA), text .mesh and binary .meshb, order 1 and P2 simplices. References become "volume_3", "surface_7", ...
MeshData read_medit(const std::string& path, std::vector<std::string>& notices);
MeshData read_medit_binary(const std::string& path, std::vector<std::string>& notices);

// Nastran bulk data, small, large and free field. Properties become "volume_3", "surface_7", ... `structural`: see
// MeshData::structural. section_keys: see ReadOptions.
MeshData read_nastran(const std::string& path, std::vector<std::string>& notices, bool structural = false,
                      const std::set<std::string>* section_keys = nullptr);

// MFEM mesh v1.0 to v1.3, conforming; nodes of order 1 and 2. Attributes become "volume_3", ...; attribute sets keep
// their names.
MeshData read_mfem(const std::string& path, std::vector<std::string>& notices);

// Exodus II, in netCDF's classic formats and in netCDF-4. Blocks, side sets, node sets and element sets keep their
// names, or become "block_7", "sideset_7", "nodeset_7", "elemset_7".
MeshData read_exodus(const std::string& path, std::vector<std::string>& notices, bool structural = false);

// MED 3 and 4. Groups of elements and of nodes become regions.
MeshData read_med(const std::string& path, std::vector<std::string>& notices, bool structural = false);

// CGNS kept in HDF5, unstructured zones. Sections, boundary conditions and their families become regions, and zones
// when there are several, whose points in the same place are joined.
MeshData read_cgns(const std::string& path, std::vector<std::string>& notices, bool structural = false);

// I-DEAS universal files. Groups keep their names; in files without groups physical properties become "volume_3", ...
MeshData read_universal(const std::string& path, std::vector<std::string>& notices, bool structural = false);

// "volume_3", "surface_3", "curve_3" or "point_3" after the dimension: groups that only have a number.
std::string numbered_group(int dimension, std::int64_t number);

}  // namespace ritz
