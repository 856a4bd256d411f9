// [rotation]: a body of solids, or a shaft of beams, that turns at a constant speed.
//
//   if (const std::optional<Rotation> r = read_rotation(run.input(), 3, false)) body.rotates(*r);
#pragma once

#include "fem/physics/model.hpp"
#include "io/case/case.hpp"

#include <optional>

namespace ritz {

// None where the case has no such table. In two dimensions the axis is known.
std::optional<Rotation> read_rotation(Case& input, int dimension, bool of_revolution);

// Adds errors of parts that turn along and whose forces are not known.
void check_rotation(Case& input, const Model& model);

}  // namespace ritz
