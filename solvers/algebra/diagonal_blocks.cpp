#include "solvers/algebra/diagonal_blocks.hpp"

#include "device/communicator.hpp"
#include "device/kernels.hpp"
#include "solvers/algebra/diagonal_blocks_kernels.hpp"
#include "solvers/algebra/multi_vector.hpp"

namespace ritz {
namespace {

const DiagonalBlocksKernels& diagonal_kernels(const Device& device) {
  return kernels<DiagonalBlocksKernels>(device, solver_kernels, "diagonal blocks");
}

}  // namespace

DiagonalBlocks::DiagonalBlocks(std::shared_ptr<const SparsityPattern> pattern, int block_size)
    : pattern_(std::move(pattern)),
      block_size_(block_size),
      values_(pattern_->device(), pattern_->nonzeros() * block_size, "matrix") {}

std::optional<DiagonalBlocks> DiagonalBlocks::of(const SparseMatrix& A) {
  if (A.block_size() < 2 || A.block_size() > 3 || A.rows() == 0) return std::nullopt;
  Vector full(A.device(), 1, "reductions");
  A.device().profile().count(A.values().bytes());
  diagonal_kernels(A.device()).count_full(A.device(), matrix_view(A), full.data());
  if (Communicator(A.device()).sum(full.data()) != 0) return std::nullopt;
  DiagonalBlocks result(A.shared_pattern(), A.block_size());
  A.device().profile().count(A.values().bytes() + result.values_.bytes());
  diagonal_kernels(A.device()).take(A.device(), matrix_view(A), result.values_.data());
  return result;
}

void DiagonalBlocks::apply(const Vector& x, Vector& y) const {
  MultiVector X(device(), rows(), 1), Y(device(), rows(), 1);
  X.set_column(0, x);
  apply_block(X, Y);
  Y.get_column(0, y);
}

void DiagonalBlocks::apply_block(const MultiVector& X, MultiVector& Y) const {
  check_block(*this, X, Y);
  const MatrixView view{pattern_->rows(),           pattern_->nonzeros(),       block_size_,
                        pattern_->offsets().data(), pattern_->columns().data(), values_.data()};
  for (int g = 0; g < X.groups(); ++g) {
    device().profile().count(values_.bytes() + pattern_->columns().bytes() + pattern_->offsets().bytes() +
                             2 * MultiVector::lanes * X.rows() * Index{sizeof(double)});
    diagonal_kernels(device()).multiply_lanes(device(), view, X.group(g), Y.group(g));
  }
}

}  // namespace ritz
