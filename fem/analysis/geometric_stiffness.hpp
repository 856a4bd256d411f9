// The stiffness of a model in a state: the tangent of its equations at the displacement u, and where their strains are
// small the geometric stiffness K_sigma of the stress at u, which a tangent of small displacements leaves out. Of a
// body that turns also that of centrifugal forces, which grow with the displacement.
//
//   const std::vector<Integral> geometric = geometric_integrals(model, "linear buckling");
//   SparseMatrix K_sigma = tangent_matrix(Operator(space, geometric), u);
//   SparseMatrix K = stiffness_at(equations, geometric, u);      // of modes under preload, of a further step
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

// On the pattern of the space, prescribed unknowns not eliminated. geometric: on the space of the equations.
SparseMatrix stiffness_at(const Operator& equations, std::vector<Integral> geometric, const Vector& u);

}  // namespace ritz
