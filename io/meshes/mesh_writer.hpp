// A mesh into a file, in the format that the file's extension names: .msh (Gmsh MSH 4.1), .vtu (VTK) or .inp (Abaqus
// and CalculiX). Regions of cells, facets and nodes are kept in all of them.
//
//   write_mesh("bracket.inp", read_mesh("bracket.msh"));
//
// Throws Error: Exit::input for another extension, Error: Exit::mesh when the format has no such cells, and
// Error: Exit::output when the file cannot be written. The file appears complete or not at all.
#pragma once

#include "mesh/mesh.hpp"

#include <string>
#include <vector>

namespace ritz {

struct WriteOptions {
  bool text = false;                            // .msh: numbers as text, not binary
  std::string plane_type = "CPS";               // .inp: the elements of plane meshes; "CPS", "CPE" or "CAX"
  std::vector<std::string>* notices = nullptr;  // receives what was changed or left out
};

// Throws Error: Exit::input when the format of this file name cannot be written.
void check_writable_format(const std::string& path);

void write_mesh(const std::string& path, const Mesh& mesh, const WriteOptions& options = {});

}  // namespace ritz
