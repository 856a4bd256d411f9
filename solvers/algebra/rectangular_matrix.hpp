// A sparse matrix with another number of columns than of rows, in scalar CSR: the coupling between two fields. Its
// pattern never changes; values are overwritten in place.
#pragma once

#include "solvers/algebra/block_matrix.hpp"
#include "solvers/algebra/sparse_matrix.hpp"

#include <cstdint>
#include <memory>
#include <span>

namespace ritz {

struct RectangularPattern {
  Array<Index> offsets;         // [row + 1]
  Array<std::int32_t> columns;  // [nonzero] ascending within each row
};

class RectangularMatrix final : public LinearOperator {
 public:
  // offsets: [rows + 1], columns: ascending within each row and below column_count. Values are zero. Throws
  // Error: Exit::internal when they are not, Error: Exit::resources for more columns than 32 bits count.
  RectangularMatrix(const Device& device, std::span<const Index> offsets, std::span<const std::int32_t> columns,
                    Index column_count);
  // The same of arrays that are known to be so, with their values: blocks of one.
  explicit RectangularMatrix(BlockMatrix scalars);

  const Device& device() const override { return pattern_->offsets.device(); }
  Index rows() const override { return pattern_->offsets.size() - 1; }
  Index columns() const override { return column_count_; }
  void apply(const Vector& x, Vector& y) const override;
  std::string name() const override { return "rectangular matrix"; }

  Vector& values() { return values_; }  // [nonzero]
  const Vector& values() const { return values_; }
  const Array<Index>& row_offsets() const { return pattern_->offsets; }               // [row + 1]
  const Array<std::int32_t>& column_of_entries() const { return pattern_->columns; }  // [nonzero]
  const std::shared_ptr<const RectangularPattern>& shared_pattern() const { return pattern_; }
  // Zero rows i with rows[i] != 0 and columns j with columns[j] != 0. An empty mask: none.
  void eliminate(const Array<std::uint8_t>& rows, const Array<std::uint8_t>& columns);

 private:
  Index column_count_;
  std::shared_ptr<const RectangularPattern> pattern_;
  Vector values_;
};

MatrixView matrix_view(const RectangularMatrix& A);

// A host copy in scalar CSR.
HostMatrix host_matrix(const RectangularMatrix& matrix);

}  // namespace ritz
