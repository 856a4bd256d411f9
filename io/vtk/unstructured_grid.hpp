// Contents of a file of VTK, in whichever of VTK's formats, as plain arrays. The readers fill it, and nothing of it is
// checked yet: mesh_of_grid() (io/vtk/vtu_reader.hpp) does that. Private to io.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace ritz {

struct GridArray {
  int components = 1;
  std::vector<double> values;  // [tuple][component]
};

struct UnstructuredGrid {
  std::vector<double> points;                     // [point][3]
  std::vector<std::uint8_t> types;                // [cell], VTK's numbers
  std::vector<std::int64_t> offsets;              // [cell + 1], into connectivity
  std::vector<std::int64_t> connectivity;         // points
  std::map<std::string, GridArray> cell_arrays;   // of region_array_names, and the one that was asked for
  std::map<std::string, GridArray> point_arrays;  // the one that was asked for
  std::vector<std::string> cell_array_names;      // all of the file
  std::vector<std::string> point_array_names;     // likewise
  GridArray degrees;                              // of Lagrange cells, [cell][axis]; empty: all the same
  std::vector<std::uint8_t> ghosts;               // [cell]; empty: there are none
  std::map<std::string, GridArray> field_arrays;  // whose names begin with region_
  std::map<std::string, std::vector<std::string>> field_texts;
  bool has_pieces = false;  // which repeat the points between them
};

// Cell arrays that number regions, the first that is there.
constexpr std::array<std::string_view, 7> region_array_names{
    "region", "material", "MaterialIds", "gmsh:physical", "CellEntityIds", "attribute", "medit:ref"};

}  // namespace ritz
