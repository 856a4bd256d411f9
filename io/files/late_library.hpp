// VTK and HDF5, with all that they need themselves, take three times as long to load as everything else of a program,
// and most starts write or read no file of theirs. So what uses them lies in modules beside this library, each with a
// table of functions, and the first who needs a table loads its module (io/vtk/vtk_library.hpp,
// io/hdf5/hdf5_library.hpp). Private to io.
#pragma once

namespace ritz {

// The object called `symbol` in `module` ("ritz_vtk"), which stays loaded. `library` is what it brings, for people.
// Throws Error(Exit::environment) with the loader's reason, and std::bad_alloc where that is memory.
const void* late_library(const char* module, const char* symbol, const char* library);

}  // namespace ritz
