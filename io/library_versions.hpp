// The libraries that this build was made with, for diagnosis: "VTK 9.1.0, fmt 9.1.0".
#pragma once

#include <string>

namespace ritz {

std::string library_versions();

}  // namespace ritz
