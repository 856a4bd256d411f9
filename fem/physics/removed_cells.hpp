// A model without some of its cells: a part that is removed, or not there yet. Nothing acts in them and on their
// facets; unknowns that only they had are held at zero, and equations between unknowns that need one of these are gone.
//
//   remove_cells({mesh.region("filler").cells}, model);
#pragma once

#include "fem/physics/model.hpp"

#include <span>

namespace ritz {

// Throws Error: Exit::model for models of several fields, and where a mean motion or a reference point needs nodes that
// only these cells have.
void remove_cells(std::span<const Index> cells, Model& model);

}  // namespace ritz
