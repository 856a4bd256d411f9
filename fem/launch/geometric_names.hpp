// Names of geometric stiffnesses among kernels.
#pragma once

#include <string>

namespace ritz {

inline std::string geometric_name(const std::string& form) { return "geometric_" + form; }

}  // namespace ritz
