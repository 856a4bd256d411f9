// The matrix that a DirectSolver factorises: one of this process, or the rows that this rank has of a divided one,
// which all ranks factorise together. It refers to the matrix.
//
//   DirectSolver whole(K, kind);   DirectSolver over_ranks(divided, kind);    // both become a DirectInput
#pragma once

#include "device/function_ref.hpp"
#include "solvers/algebra/divided_matrix.hpp"
#include "solvers/algebra/rank_rows.hpp"
#include "solvers/algebra/sparse_matrix.hpp"

#include <functional>
#include <vector>

namespace ritz {

class DirectInput {
 public:
  DirectInput(const SparseMatrix& A) : operator_(&A), whole_(&A) {}
  DirectInput(const DividedMatrix& A) : operator_(&A), divided_(&A) {}

  const LinearOperator& matrix() const { return *operator_; }
  const Device& device() const { return operator_->device(); }
  Index rows() const { return operator_->rows(); }  // of this rank
  int block_size() const;
  Index value_bytes() const;  // of this rank
  bool is_divided() const { return divided_ != nullptr; }
  RankRows rank_rows() const;  // scalar

  // Scalar rows of this rank, with the columns of the whole. Throws Error: Exit::model for an entry that is not finite.
  HostMatrix entries() const;
  // Nested dissection by the positions of the nodes of the blocks [block row][dimension], after which those of ghosts
  // may stand: [position] block, on the first rank. All ranks call it.
  std::vector<std::int32_t> elimination(const Vector& coordinates, int dimension) const;

  // Ranks::agree, or the phase alone in one process.
  void together(FunctionRef<void()> phase) const;

 private:
  const LinearOperator* operator_;
  const SparseMatrix* whole_ = nullptr;
  const DividedMatrix* divided_ = nullptr;
};

}  // namespace ritz
