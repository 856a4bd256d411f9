// Cells that a large displacement turns inside out. The equations of large displacements have such solutions; bodies
// do not. Nonlinear statics and evolutions in time check each state that they show.
//
//   require_no_reversed_cells(model, solution.u);
#pragma once

#include "fem/physics/model.hpp"

namespace ritz {

// Has one of the equations a law of large displacements (Kinematics::large)?
bool has_large_displacements(const Model& model);

// u: [unknown] of all fields. Throws Error(ErrorKind::newton_not_converged) where cells of such a law are inside out,
// with their number and the place of the first one. Moves the nodes of the mesh alone: curvature of a higher order of
// the field does not count.
void require_no_reversed_cells(const Model& model, const Vector& u);

}  // namespace ritz
