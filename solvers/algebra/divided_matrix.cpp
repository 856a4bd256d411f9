#include "solvers/algebra/divided_matrix.hpp"

#include "device/error.hpp"
#include "device/kernels.hpp"
#include "solvers/algebra/matrix_kernels.hpp"
#include "solvers/algebra/vector_kernels.hpp"

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
  ranges_ = ritz::inner_rows(rows_.offsets.data(), rows_.column.data(), rows_.rows);
  inner_ = pieces(ranges_.inner);
  border_ = pieces(ranges_.border);
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

std::vector<DividedMatrix::Piece> DividedMatrix::pieces(const std::vector<RowRange>& ranges) const {
  std::vector<Piece> result;
  const Index* const offsets = rows_.offsets.data();
  for (const RowRange& range : ranges) {
    Piece& piece = result.emplace_back(Piece{range.first, offsets[range.last] - offsets[range.first],
                                             Array<Index>(device(), range.last - range.first + 1, "pattern")});
    for (Index row = range.first; row <= range.last; ++row)
      piece.offsets.data()[row - range.first] = offsets[row] - offsets[range.first];
  }
  return result;
}

void DividedMatrix::multiply(const Piece& piece, Vector& y) const {
  const Index begin = rows_.offsets.data()[piece.first], C = rows_.row_block;
  const MatrixView view{piece.rows(),
                        piece.nonzeros,
                        rows_.row_block,
                        piece.offsets.data(),
                        rows_.column.data() + begin,
                        rows_.values.data() + begin * C * C};
  kernels_for(rows_).multiply(device(), view, extended_.data(), y.data() + piece.first * C);
}

void DividedMatrix::apply(const Vector& x, Vector& y) const {
  if (x.size() != rows()) throw_size_mismatch(rows(), x.size());
  if (y.size() != rows()) throw_size_mismatch(rows(), y.size());
  device().profile().count(bytes_of(owned_rows(), nonzeros()) + 2 * extended_.bytes() +
                           2 * rows() * Index{sizeof(double)});
  device().machine().copy_on_device(extended_.data(), x.data(), x.bytes());
  ghosts_->begin_fetch(extended_.data(), rows_.row_block);
  for (const Piece& piece : inner_) {
    multiply(piece, y);
    ghosts_->look();
  }
  ghosts_->finish_fetch();
  for (const Piece& piece : border_) multiply(piece, y);
}

void DividedMatrix::apply_dot(const Vector& x, Vector& y, double* xy) const {
  apply(x, y);
  device().profile().count(2 * x.bytes());
  kernels<VectorKernels>(device(), solver_kernels, "vector").dot(device(), x.size(), x.data(), y.data(), xy);
}

Vector DividedMatrix::diagonal() const {
  Vector result(device(), rows(), "vectors");
  device().profile().count(bytes_of(owned_rows(), nonzeros()));
  kernels_for(rows_).diagonal(device(), view_of(rows_), result.data());
  return result;
}

BlockMatrix owned_rows_of(SparseMatrix K, Index owned) {
  const Device& device = K.device();
  const SparsityPattern& pattern = K.pattern();
  BlockMatrix rows{
      .rows = owned, .columns = pattern.rows(), .row_block = K.block_size(), .column_block = K.block_size()};
  const Index* const offsets = pattern.offsets().data();
  const std::span<const std::int32_t> columns(pattern.columns().data(), static_cast<std::size_t>(offsets[owned]));
  rows.offsets = Array<Index>(device, rows.columns + 1, "pattern");
  std::copy_n(offsets, owned + 1, rows.offsets.data());
  rows.column = Array<std::int32_t>(device, offsets[owned] + DividedMatrix::ghost_entries(columns, owned), "pattern");
  std::ranges::copy(columns, rows.column.data());
  rows.values = std::move(K.values());
  return rows;
}

}  // namespace ritz
