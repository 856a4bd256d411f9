// A preconditioner of several fields, made of one for each: diagonal, or triangular with the couplings of the matrix.
// For a saddle point, the part of the second field approximates the Schur complement: of Stokes' equations a pressure
// mass over the viscosity (Elman, Silvester and Wathen, Finite Elements and Fast Iterative Solvers, 2014, section 4.2).
//
//   BlockPreconditioner M(K, {{.by = "multigrid", .matrix = K.square(0), .multigrid = {...}},
//                             {.by = "chebyshev", .matrix = &pressure_mass}});
//   Minres{}.solve(K, b, x, &M);
#pragma once

#include "solvers/algebra/block_operator.hpp"
#include "solvers/linear/chosen_preconditioner.hpp"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace ritz {

// The preconditioner of one field: `factor` times that of `matrix` by its name (preconditioner_names()).
struct BlockPart {
  std::string by = "multigrid";
  const SparseMatrix* matrix = nullptr;  // of the field's size: K's own block, or an approximate Schur complement
  double factor = 1;  // -1: of a Schur complement -B A^-1 B^T in a triangle. Diagonal ones for MINRES are positive
  SmoothedAggregationOptions multigrid = {};
  std::shared_ptr<const LinearOperator> made =
      nullptr;  // a preconditioner of the field's size, in place of one by name
};

// lower, upper: the matrix's blocks below or above the diagonal take part. These are not symmetric: for GMRES, which is
// flexible here.
enum class BlockTriangle { none, lower, upper };

class BlockPreconditioner final : public LinearOperator {
 public:
  // K must outlive this, and so must the parts' matrices. Throws Error: Exit::input for unknown names, Exit::internal
  // when a part's matrix is missing or has another size, and what ChosenPreconditioner throws.
  BlockPreconditioner(const BlockOperator& K, std::vector<BlockPart> parts,
                      BlockTriangle triangle = BlockTriangle::none);

  const Device& device() const override { return K_.device(); }
  Index rows() const override { return K_.rows(); }
  void apply(const Vector& x, Vector& y) const override;
  std::string name() const override;

 private:
  const BlockOperator& K_;
  std::vector<BlockPart> parts_;
  BlockTriangle triangle_;
  std::vector<std::optional<ChosenPreconditioner>> preconditioners_;  // [block]; none: made elsewhere
  mutable std::vector<Vector> x_, y_, product_;                       // parts
};

}  // namespace ritz
