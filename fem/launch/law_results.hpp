// Numbers that the task of results leaves at a point of a law: results_of_law, then its internal variables.
#pragma once

namespace ritz {

// stress: strain and Cauchy's stress. deformation: the deformation gradient by rows, then the elastic energy per
// undeformed volume [J/m^3] of a law that is linear in its elastic strain, its first six internal variables being the
// rest of the strain; then zeros.
enum class LawResults { stress, deformation };

}  // namespace ritz
