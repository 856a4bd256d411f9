// Ritz and the libraries that this build was made with and that are loaded, for diagnosis: "Ritz 0.1.0 (b08f531),
// VTK 9.1.0, HDF5 1.10.8, fmt 9.1.0".
#pragma once

#include <string>

namespace ritz {

std::string library_versions();

}  // namespace ritz
