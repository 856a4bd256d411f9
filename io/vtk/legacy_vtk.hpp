// VTK's legacy files (.vtk), text and binary, versions 1 to 5: unstructured grids (VTK File Formats, "Simple Legacy
// Formats"; vtkDataReader for what is not written there). A reader of our own, as VTK's believes the counts in a file:
// a wrong one corrupts its memory, and of a file that is cut short it returns what lay there. Private to io.
#pragma once

#include "io/vtk/unstructured_grid.hpp"

#include <string>

namespace ritz {

// Throws Error: Exit::mesh with the line, or the byte of binary data.
UnstructuredGrid read_legacy_vtk(const std::string& path);

}  // namespace ritz
