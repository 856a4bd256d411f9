#include "solvers/algebra/divided_matrix.hpp"

#include "device/error.hpp"
#include "device/kernels.hpp"
#include "solvers/algebra/matrix_kernels.hpp"

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

namespace ritz {
namespace {

MatrixView view_of(const BlockMatrix& A) {
  return {A.rows, A.offsets.data()[A.rows], A.row_block, A.offsets.data(), A.column.data(), A.values.data()};
}

const MatrixKernels& kernels_for(const BlockMatrix& A) {
  return kernels<MatrixKernels>(A.values.device(), solver_kernels, "matrix");
}

}  // namespace

DividedMatrix::DividedMatrix(std::shared_ptr<const Ghosts> ghosts, BlockMatrix rows)
    : ghosts_(std::move(ghosts)), rows_(std::move(rows)) {
  if (rows_.rows != ghosts_->owned() || rows_.columns != ghosts_->size())
    throw Error(Exit::internal, "the rows of a divided matrix do not suit the nodes of its rank");
  append_ghost_rows();
  extended_ = Vector(device(), rows_.columns * rows_.column_block, "vectors");
}

Index DividedMatrix::ghost_entries(std::span<const std::int32_t> columns, Index owned) {
  return std::ranges::count_if(columns, [owned](std::int32_t column) { return column >= owned; });
}

BlockMatrixView<double> DividedMatrix::owned_rows() const { return rows_.view(); }

BlockMatrixView<double> DividedMatrix::with_ghost_rows() const {
  BlockMatrixView<double> view = rows_.view();
  view.rows = rows_.columns;
  return view;
}

// Transposes of the entries that reach ghosts, halved, in the order of the owned rows.
void DividedMatrix::append_ghost_rows() {
  const Index owned = rows_.rows, C = rows_.row_block, block = C * C;
  Index* const offsets = rows_.offsets.data();
  std::int32_t* const column = rows_.column.data();
  double* const values = rows_.values.data();
  std::vector<Index> next(static_cast<std::size_t>(rows_.columns - owned) + 1, 0);
  for (Index e = 0; e < offsets[owned]; ++e)
    if (column[e] >= owned) ++next[static_cast<std::size_t>(column[e] - owned) + 1];
  next[0] = offsets[owned];
  std::partial_sum(next.begin(), next.end(), next.begin());
  if (next.back() != rows_.column.size())
    throw Error(Exit::internal, "the arrays of a divided matrix have no room for the rows of its ghosts");
  std::copy(next.begin() + 1, next.end(), offsets + owned + 1);
  for (Index i = 0; i < owned; ++i)
    for (Index e = offsets[i]; e < offsets[i + 1]; ++e) {
      if (column[e] < owned) continue;
      const Index to = next[static_cast<std::size_t>(column[e] - owned)]++;
      column[to] = static_cast<std::int32_t>(i);
      for (Index c = 0; c < C; ++c)
        for (Index d = 0; d < C; ++d) values[to * block + d * C + c] = 0.5 * values[e * block + c * C + d];
    }
}

const double* DividedMatrix::with_ghosts(const Vector& x) const {
  if (x.size() != rows()) throw_size_mismatch(rows(), x.size());
  device().machine().copy_on_device(extended_.data(), x.data(), x.bytes());
  ghosts_->fetch(extended_.data(), rows_.row_block);
  return extended_.data();
}

void DividedMatrix::count_product() const {
  device().profile().count(bytes_of(owned_rows(), nonzeros()) + 2 * extended_.bytes() +
                           2 * rows() * Index{sizeof(double)});
}

void DividedMatrix::apply(const Vector& x, Vector& y) const {
  if (y.size() != rows()) throw_size_mismatch(rows(), y.size());
  const double* const extended = with_ghosts(x);
  count_product();
  kernels_for(rows_).multiply(device(), view_of(rows_), extended, y.data());
}

void DividedMatrix::apply_dot(const Vector& x, Vector& y, double* xy) const {
  if (y.size() != rows()) throw_size_mismatch(rows(), y.size());
  const double* const extended = with_ghosts(x);
  count_product();
  kernels_for(rows_).multiply_dot(device(), view_of(rows_), extended, y.data(), xy);
}

Vector DividedMatrix::diagonal() const {
  Vector result(device(), rows(), "vectors");
  device().profile().count(bytes_of(owned_rows(), nonzeros()));
  kernels_for(rows_).diagonal(device(), view_of(rows_), result.data());
  return result;
}

}  // namespace ritz
