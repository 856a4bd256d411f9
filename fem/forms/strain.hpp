// Measures of strain that laws of materials know.
#pragma once

namespace ritz {

enum class Strain { small, green_lagrange, logarithmic };

}  // namespace ritz
