// Loads VTK and HDF5 at their first use. With their own libraries they take three times as long to load as everything
// else of a program, and most starts read or write no file of theirs. So the code that uses them is in modules in the
// folder of this library, each with a table of functions; the first use of a table loads its module
// (io/vtk/vtk_library.hpp, io/hdf5/hdf5_library.hpp). Private to io.
#pragma once

namespace ritz {

// The object called `symbol` in `module` ("ritz_vtk"), which stays loaded. `library` is what it brings, for people.
// Throws Error: Exit::environment with the loader's reason, and std::bad_alloc where that is memory.
const void* late_library(const char* module, const char* symbol, const char* library);

}  // namespace ritz
