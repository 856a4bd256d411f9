// A field from a file: one step of a run's results, an array of a VTU file at its points or in its cells, or a dataset
// of an HDF5 file.
//
//   const FileField warm = read_file_field("results/steady.pvd", {.name = "temperature"});   // the last step
#pragma once

#include "io/vtk/vtu_reader.hpp"

#include <optional>
#include <string>
#include <vector>

namespace ritz {

struct FileField {
  std::string file;  // VTU or HDF5
  bool in_cells = false;
  int components = 1;
  std::vector<double> values;         // [node or cell][component]
  std::optional<MeshData> mesh = {};  // of a VTU; HDF5: none, the rows are those of another mesh
  std::size_t count() const { return values.size() / static_cast<std::size_t>(components); }
};

struct FieldName {
  std::string name;  // of an array; in HDF5 the path of a dataset
  FieldPlace place = FieldPlace::any;
  std::optional<double> time = {};  // of a step in a .pvd; else the last one
  bool structures = false;          // lines, and surfaces out of one plane, are the cells of a mesh
};

// `path` ends in .pvd, .vtu, .pvtu, .h5, .hdf5 or .vtkhdf. Throws Error: Exit::input for other files, for times and
// fields that are not there, naming those that are; and the errors of read_vtu().
FileField read_file_field(const std::string& path, const FieldName& field);

// The first field at points, else in cells. Throws Error: Exit::input where there is none, or for other files.
std::string first_field(const std::string& path, std::optional<double> time = {});

// Results in pieces have nodes and cells in an order of their own: this one gives them that of `mesh`, where each node
// of its cells, and each cell, is found there at the same place. Fields of other files, and on other meshes, stay.
void put_in_order_of(const Mesh& mesh, FileField& field);

// The files of all steps that a .pvd lists. Throws Error: Exit::input where it cannot be read.
std::vector<std::string> files_of_series(const std::string& path);

}  // namespace ritz
