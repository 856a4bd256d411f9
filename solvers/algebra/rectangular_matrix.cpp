#include "solvers/algebra/rectangular_matrix.hpp"

#include "device/error.hpp"
#include "device/kernels.hpp"
#include "solvers/algebra/matrix_kernels.hpp"
#include "solvers/algebra/rectangular_kernels.hpp"

#include <fmt/format.h>
#include <limits>
#include <utility>

namespace ritz {
namespace {

// Throws on a pattern that the kernels cannot trust.
void check_pattern(std::span<const Index> offsets, std::span<const std::int32_t> columns, Index column_count) {
  if (column_count > std::numeric_limits<std::int32_t>::max())
    throw Error(ErrorKind::device_memory, fmt::format("a matrix of {} columns does not fit 32 bits", column_count),
                "columns are stored in 32 bits", "use a coarser mesh");
  if (offsets.empty() || offsets.front() != 0 || offsets.back() != static_cast<Index>(columns.size()))
    throw Error(ErrorKind::internal,
                fmt::format("the offsets of a sparsity pattern must run from 0 to its {} columns", columns.size()));
  for (std::size_t row = 0; row + 1 < offsets.size(); ++row) {
    if (offsets[row] > offsets[row + 1] || offsets[row + 1] > static_cast<Index>(columns.size()))
      throw Error(ErrorKind::internal, fmt::format("the offsets of a sparsity pattern decrease at row {}", row));
    Index previous = -1;
    for (Index k = offsets[row]; k < offsets[row + 1]; ++k) {
      const Index column = columns[static_cast<std::size_t>(k)];
      if (column <= previous || column >= column_count)
        throw Error(ErrorKind::internal,
                    fmt::format("row {} of a sparsity pattern holds column {} after {}, of {} columns", row, column,
                                previous, column_count));
      previous = column;
    }
  }
}

}  // namespace

RectangularMatrix::RectangularMatrix(const Device& device, std::span<const Index> offsets,
                                     std::span<const std::int32_t> columns, Index column_count)
    : column_count_(column_count) {
  check_pattern(offsets, columns, column_count);
  pattern_ = std::make_shared<const RectangularPattern>(
      RectangularPattern{Array<Index>(device, offsets, "pattern"), Array<std::int32_t>(device, columns, "pattern")});
  values_ = Vector(device, static_cast<Index>(columns.size()), "matrix");
  values_.fill_zero();
}

RectangularMatrix::RectangularMatrix(BlockMatrix scalars)
    : column_count_(scalars.columns),
      pattern_(std::make_shared<const RectangularPattern>(
          RectangularPattern{std::move(scalars.offsets), std::move(scalars.column)})),
      values_(std::move(scalars.values)) {}

MatrixView matrix_view(const RectangularMatrix& A) {
  return {A.rows(), A.values().size(), 1, A.row_offsets().data(), A.column_of_entries().data(), A.values().data()};
}

void RectangularMatrix::apply(const Vector& x, Vector& y) const {
  if (x.size() != columns()) throw_size_mismatch(columns(), x.size());
  if (y.size() != rows()) throw_size_mismatch(rows(), y.size());
  if (y.empty()) return;
  device().profile().count(values_.bytes() + column_of_entries().bytes() + row_offsets().bytes() + x.bytes() +
                           y.bytes());
  kernels<MatrixKernels>(device(), solver_kernels, "matrix").multiply(device(), matrix_view(*this), x.data(), y.data());
}

void RectangularMatrix::eliminate(const Array<std::uint8_t>& rows, const Array<std::uint8_t>& columns) {
  if (!rows.empty() && rows.size() != this->rows()) throw_size_mismatch(this->rows(), rows.size());
  if (!columns.empty() && columns.size() != this->columns()) throw_size_mismatch(this->columns(), columns.size());
  device().profile().count(column_of_entries().bytes() + row_offsets().bytes() + values_.bytes());
  kernels<RectangularKernels>(device(), solver_kernels, "rectangular matrix")
      .eliminate(device(), this->rows(), row_offsets().data(), column_of_entries().data(), rows.data(), columns.data(),
                 values_.data());
}

HostMatrix host_matrix(const RectangularMatrix& matrix) {
  return {matrix.row_offsets().host(), matrix.column_of_entries().host(), matrix.values().host()};
}

}  // namespace ritz
