#include "io/files/version.hpp"

namespace ritz {

const char* ritz_version() { return RITZ_VERSION_TEXT; }  // from cmake/RitzVersion.cmake

}  // namespace ritz
