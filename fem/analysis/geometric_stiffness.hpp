// The stiffness of a model in a state: the tangent of its equations at the displacement u, and where their strains are
// small the geometric stiffness K_sigma of the stress at u, which a tangent of small displacements leaves out.
//
//   SparseMatrix K = stiffness_at(model, equations, u);      // of modes under preload, of a further step
//   SparseMatrix K_sigma = geometric_stiffness(model, u);    // of linear buckling
//
// Loads are dead: they keep their size and direction.
#pragma once

#include "fem/operator/operator.hpp"
#include "fem/physics/model.hpp"

#include <string>
#include <vector>

namespace ritz {

// The tangent at u, which is the geometric stiffness, is that of these integrals. Forms on facets and at nodes, and
// loads, have none. `analysis`: "linear buckling", for messages. Throws Error: Exit::model for a form on cells that
// has a stiffness of small displacements and no geometric one, for internal variables, and for a model of several
// fields.
std::vector<Integral> geometric_integrals(const Model& model, const std::string& analysis);

// On the pattern of the model's space, prescribed unknowns not eliminated.
SparseMatrix geometric_stiffness(const Model& model, const Vector& u, const std::string& analysis);
// `equations`: those of the model.
SparseMatrix stiffness_at(const Model& model, const Operator& equations, const Vector& u, const std::string& analysis);

}  // namespace ritz
