// How each field of equations of several fields is preconditioned: the matrix, which is its own block or an approximate
// Schur complement, and the cycle that stands for its inverse, which FieldsPreconditioner makes (its header lists
// them).
//
//   const FieldBlocks parts(equations, supports, K, pivot, MixedShape::diagonal);   parts.of_field(0).matrix
//
// Over ranks all make theirs together, and come to the same choices; parts.owned_rows(0) are the rows of this rank.
#pragma once

#include "device/function_ref.hpp"
#include "fem/operator/fields_operator.hpp"
#include "fem/space/fields_constraints.hpp"
#include "solvers/algebra/block_rows.hpp"
#include "solvers/linear/block_preconditioner.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

namespace ritz {

enum class MixedShape { diagonal, triangular };  // positive definite for MINRES, or with the couplings, for GMRES

// Multigrid of nodes, with their positions and motions; of scalars without them; auxiliary spaces; Chebyshev.
enum class FieldCycle : std::uint8_t { nodes, scalars, edges, polynomial };

struct FieldBlock {
  FieldCycle cycle = FieldCycle::polynomial;
  const SparseMatrix* matrix = nullptr;  // of the part, over ranks; null: its rows were summed by their owners
  double factor = 1;
  // Fields whose inverses between couplings the matrix approximates up to a factor, which largest_ratio() gives; empty:
  // it counts as it is.
  std::vector<int> scaled_by = {};
};

class FieldBlocks {
 public:
  // K is assembled; constraints are eliminated from it here, with this pivot. All must outlive this. Throws
  // Error: Exit::input for fields that have no preconditioner.
  FieldBlocks(const FieldsOperator& equations, const FieldsConstraints& supports, BlockOperator& K, double pivot,
              MixedShape shape);
  ~FieldBlocks();

  const FieldBlock& of_field(int field) const { return fields_.at(static_cast<std::size_t>(field)); }
  const std::vector<int>& order() const { return order_; }  // in which fields are eliminated
  BlockTriangle triangle() const { return triangle_; }
  // Over ranks: rows of the field's matrix that this rank owns, with the columns of all ranks.
  BlockRows owned_rows(int field) const;

 private:
  std::vector<FieldBlock> fields_;
  std::vector<int> order_;
  BlockTriangle triangle_ = BlockTriangle::none;
  std::vector<std::unique_ptr<SparseMatrix>> schur_;
  const Layout layout_;
  std::vector<BlockRows> summed_rows_;  // [field] where owners have summed them
};

// Does the matrix of the field differentiate, like a diffusion, or not, like a mass? Divergences of facets are what
// couples them to a pressure.
bool differentiates(const FieldsOperator& equations, int field);

// The largest eigenvalue of S~^-1 S by the power method, where schur(x, y): y = S x, by cycles in place of inverses.
// It brings both parts to the same scale. x is overwritten.
double largest_ratio(FunctionRef<void(const Vector& x, Vector& y)> schur, const LinearOperator& inverse, Vector& x);

}  // namespace ritz
