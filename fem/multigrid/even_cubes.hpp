// Whether a field is the one on which point smoothers do best: diffusion with one constant coefficient on cells that
// are nearly cubes. Voxels and plain boxes are such meshes.
#pragma once

#include "fem/operator/operator.hpp"

namespace ritz {

bool is_diffusion_on_cubes(const Operator& equations);

}  // namespace ritz
