// A sparse matrix on one device: block CSR with b x b blocks, b = 1 to 6 (b = 1 is plain CSR). The pattern is sorted,
// shared between matrices of the same space, and never changes; values are overwritten in place.
// Row and column of a scalar unknown i: block i / b, component i % b.
#pragma once

#include "solvers/algebra/linear_operator.hpp"

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace ritz {

// Which blocks a matrix holds. Offsets are 64-bit; columns are 32-bit and checked to fit.
class SparsityPattern {
 public:
  // offsets: [row_count + 1], columns: ascending within each row and below row_count. Throws Error: Exit::internal
  // when they are not.
  SparsityPattern(const Device& device, std::span<const Index> offsets, std::span<const std::int32_t> columns);
  // The same of arrays that are known to be so, and are not checked.
  SparsityPattern(Array<Index> offsets, Array<std::int32_t> columns, bool has_full_diagonal);

  const Device& device() const { return offsets_.device(); }
  Index rows() const { return offsets_.size() - 1; }  // block rows
  Index nonzeros() const { return columns_.size(); }  // blocks
  const Array<Index>& offsets() const { return offsets_; }
  const Array<std::int32_t>& columns() const { return columns_; }
  bool has_full_diagonal() const { return has_full_diagonal_; }  // every diagonal block exists

 private:
  Array<Index> offsets_;
  Array<std::int32_t> columns_;
  bool has_full_diagonal_ = false;
};

class SparseMatrix final : public LinearOperator {
 public:
  // Values are zero, or undefined: for a matrix that is assembled next.
  enum class Values { zero, undefined };
  SparseMatrix(std::shared_ptr<const SparsityPattern> pattern, int block_size, Values values = Values::zero);

  const Device& device() const override { return pattern_->device(); }
  Index rows() const override { return pattern_->rows() * block_size_; }
  void apply(const Vector& x, Vector& y) const override;
  void apply_block(const MultiVector& X, MultiVector& Y) const override;  // reads A once per 8 columns
  void apply_dot(const Vector& x, Vector& y, double* xy) const override;
  std::string name() const override { return "matrix"; }

  int block_size() const { return block_size_; }
  const SparsityPattern& pattern() const { return *pattern_; }
  std::shared_ptr<const SparsityPattern> shared_pattern() const { return pattern_; }
  Vector& values() { return values_; }  // [block][b][b], row-major blocks
  const Vector& values() const { return values_; }

  // From now on y = A x is cuSPARSE's, where it multiplies with this matrix: its bits may differ from run to run, and
  // products with their dot take two passes. Returns why not; empty: it does. RITZ_CUSPARSE=1 asks for it for every
  // matrix; 'ritz-bench' and 'ritz doctor' compare it with our own.
  std::string use_vendor_product();

  Vector diagonal() const;  // [rows]
  // (A + A^T) / 2, on the same pattern: an entry without a mirror image in the pattern becomes zero. With
  // `diagonally_dominant`, every diagonal entry is raised a little above the sum of the magnitudes of the others in its
  // row: positive definite (Gershgorin), whatever A is. Needs a pattern with a full diagonal.
  SparseMatrix symmetric_part(bool diagonally_dominant) const;
  // Replaces row and column i by zero for every i with constrained[i] != 0, and its diagonal entry by `pivot`
  // (keeps the pattern and the symmetry). constrained: [rows]. Needs a pattern with a full diagonal.
  void eliminate(const Array<std::uint8_t>& constrained, double pivot);

 private:
  bool apply_by_vendor(const Vector& x, Vector& y) const;  // false: not available for this matrix
  void check_vectors(const Vector& x, const Vector& y) const;

  std::shared_ptr<const SparsityPattern> pattern_;
  int block_size_;
  Vector values_;
  mutable std::shared_ptr<void> vendor_;  // data of the vendor's product for this matrix
};

struct MatrixView;  // matrix_kernels.hpp
MatrixView matrix_view(const SparseMatrix& A);

// A host copy in scalar CSR, for direct solvers, tests and files.
struct HostMatrix {
  std::vector<Index> offsets;
  std::vector<std::int32_t> columns;
  std::vector<double> values;
  Index rows() const { return static_cast<Index>(offsets.size()) - 1; }
};
HostMatrix host_matrix(const SparseMatrix& matrix);

// The way back: scalar CSR (columns ascending in each row) as a matrix with blocks of one.
SparseMatrix sparse_matrix(const Device& device, const HostMatrix& matrix);

}  // namespace ritz
