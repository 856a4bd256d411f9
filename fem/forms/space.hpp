// The spaces that bodies live in.
#pragma once

namespace ritz {

// A body of revolution has the axis y: x = r, zz = hoop.
enum class Space { solid, plane, revolution };

}  // namespace ritz
