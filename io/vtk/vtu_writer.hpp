// Results for ParaView: one VTU file through VTK, raw appended data with 64-bit headers. Arrays are handed over
// without copying where VTK can take them as they are. The file appears complete or not at all (.tmp, flush, rename).
//
//   write_vtu("result.vtu", mesh, {{"temperature", 1, T}, {"displacement", 3, u}});
//
// Throws Error: Exit::output with the path when the file cannot be written.
#pragma once

#include "mesh/lagrange_cells.hpp"
#include "mesh/mesh.hpp"

#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace ritz {

// Values at nodes or cells, [entry][component]. Two components are a plane vector and are written with a zero third;
// six are a symmetric tensor xx yy zz xy yz xz, nine a full one, row by row; other meanings say their names.
struct Field {
  std::string name;
  int components = 1;
  std::vector<double> values;
  std::vector<std::string> component_names = {};  // empty: X Y Z, XX YY ..., or 0 1 2 ...
  bool forces = false;                            // each value acts at its entry: there is nothing between them
  // of a field in cells: in which of them it has values (0 elsewhere); empty: in all
  std::vector<char> given = {};
  // at the points of finer cells than the mesh's (apps/results/result_fields.hpp)
  std::vector<double> finer_values = {};
};

enum class Compression { none, lz4, zlib };

struct VtuOptions {
  Compression compression = Compression::none;
  bool single_precision = false;  // fields as 32-bit numbers; points stay double
  // data as base64 within the XML, and no texts: what meshio reads. No names of regions, no load case.
  bool inline_data = false;
  bool regions = true;  // cell array "region" (1, 2, ... of region_names, 0: none) and its names
  // all regions, also overlapping ones, of facets and of nodes: read_mesh gets them back
  bool region_tables = false;
  std::optional<double> time = {};       // written as TimeValue
  std::string load_case = {};            // written as the text "load_case", unless empty
  const LagrangeCells* cells = nullptr;  // points and cells instead of the mesh's: point fields have values there
  bool staged = false;                   // leave the file under temporary_path(path), for the caller to commit
};

void write_vtu(const std::string& path, const Mesh& mesh, std::span<const Field> point_fields,
               std::span<const Field> cell_fields = {}, const VtuOptions& options = {});
void write_vtu(const std::string& path, const Mesh& mesh, std::initializer_list<Field> point_fields,
               std::initializer_list<Field> cell_fields = {}, const VtuOptions& options = {});

// Cells that are not a mesh, or not yet: for pictures of faults. Regions are not written.
void write_vtu(const std::string& path, const MeshData& data, std::span<const Field> cell_fields);

// "result.vtu" of piece 2 is "result.p2.vtu".
std::string piece_path(const std::string& path, int piece);

}  // namespace ritz
