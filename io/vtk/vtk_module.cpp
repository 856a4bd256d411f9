#include "io/vtk/vtk_library.hpp"

#include <vtkVersion.h>

extern "C" __attribute__((visibility("default")))
const ritz::VtkLibrary ritz_vtk{ritz::with_vtk::read, ritz::with_vtk::write_mesh, ritz::with_vtk::write_cells,
                                ritz::with_vtk::write_piece, vtkVersion::GetVTKVersion};
