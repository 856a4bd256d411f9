// The displacement gradient that a law of materials takes at the points of a linear hexahedron or quadrilateral, in
// place of the cell's own (fem/launch/cell_gradients.hpp).
#pragma once

namespace ritz {

enum class CellGradient { own, mean_dilatation, incompatible_modes, uniform };

}  // namespace ritz
