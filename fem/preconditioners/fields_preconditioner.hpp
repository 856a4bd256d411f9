// The preconditioner that equations of several fields get where none is named: a part for each field by its elements,
// and for fields of saddle points an approximate Schur complement.
//
//   nodes                multigrid, with rigid motions where the field is a displacement or a velocity
//   nodes of structures  a factor: beams and shells are ill-conditioned, and few next to the solids that they join
//   edges of order 1     auxiliary spaces (edge_preconditioner.hpp)
//   facets               a Chebyshev polynomial: their matrix is like a mass
//   Schur complements    a mass of the field, scaled by the diagonal of B diag(A)^-1 B^T, where the fields before it
//                        enter by their gradients (Elman, Silvester and Wathen, Finite Elements and Fast Iterative
//                        Solvers, 2014, section 4.2); else multigrid of B diag(A)^-1 B^T itself, which is like a
//                        diffusion (Rusten and Winther, SIAM J. Matrix Anal. 13, 1992)
//
//   BlockOperator K = equations.make_matrix();   equations.assemble(u, K);
//   const FieldsPreconditioner M(equations, supports, K, pivot);   Minres{}.solve(K, b, x, &M.get());
//
// Over ranks, where the equations are those of a part of the mesh, all ranks make theirs together.
#pragma once

#include "fem/preconditioners/divided_edges.hpp"
#include "fem/preconditioners/field_blocks.hpp"
#include "solvers/multigrid/nested_levels.hpp"

#include <functional>
#include <memory>

namespace ritz {

// Facts of the whole mesh about a field, for its cycle over ranks: nested levels, corners of edges. All ranks call them
// together.
struct WholeMeshCalls {
  std::function<NestedLevels(int field)> nesting = {};
  std::function<CornersOfPart(int field)> corners = {};
};

class FieldsPreconditioner {
 public:
  // K is assembled; constraints are eliminated from it here, with this pivot. All must outlive this. Throws
  // Error: Exit::input for fields that have no preconditioner, and what multigrid throws.
  FieldsPreconditioner(const FieldsOperator& equations, const FieldsConstraints& supports, BlockOperator& K,
                       double pivot, MixedShape shape = MixedShape::diagonal,
                       const SmoothedAggregationOptions& multigrid = {}, const WholeMeshCalls& whole = {});
  ~FieldsPreconditioner();
  const LinearOperator& get() const { return *all_; }

 private:
  FieldBlocks parts_;
  std::unique_ptr<BlockPreconditioner> all_;
};

}  // namespace ritz
