#include "solvers/algebra/divided_matrix.hpp"

#include "device/error.hpp"
#include "device/host_view.hpp"
#include "device/kernels.hpp"
#include "solvers/algebra/ghost_kernels.hpp"
#include "solvers/algebra/matrix_kernels.hpp"
#include "solvers/algebra/vector_kernels.hpp"

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

namespace ritz {
namespace {

const MatrixKernels& kernels_for(const BlockMatrix& A) {
  return kernels<MatrixKernels>(A.values.device(), solver_kernels, "matrix");
}

}  // namespace

DividedMatrix::DividedMatrix(std::shared_ptr<const Ghosts> ghosts, BlockMatrix rows)
    : ghosts_(std::move(ghosts)), rows_(std::move(rows)) {
  if (rows_.rows != ghosts_->owned() || rows_.columns != ghosts_->size())
    throw Error(ErrorKind::internal, "the rows of a divided matrix do not suit the nodes of its rank");
  const HostView<Index> offsets(device(), rows_.offsets.data(), rows_.rows + 1);
  nonzeros_ = offsets[rows_.rows];
  const HostView<std::int32_t> column(device(), rows_.column.data(), nonzeros_);
  append_ghost_rows(offsets.span(), column.span());
  ranges_ = ritz::inner_rows(offsets.data(), column.data(), rows_.rows);
  inner_ = pieces(ranges_.inner, offsets.span());
  border_ = pieces(ranges_.border, offsets.span());
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
void DividedMatrix::append_ghost_rows(std::span<const Index> offsets, std::span<const std::int32_t> column) {
  const Index owned = rows_.rows, ghosts = rows_.columns - owned;
  std::vector<Index> next(static_cast<std::size_t>(ghosts) + 1, 0);
  for (const std::int32_t c : column)
    if (c >= owned) ++next[static_cast<std::size_t>(c - owned) + 1];
  std::partial_sum(next.begin(), next.end(), next.begin());
  const Index count = next.back();
  if (nonzeros_ + count != rows_.column.size())
    throw Error(ErrorKind::internal, "the arrays of a divided matrix have no room for the rows of its ghosts");
  if (count == 0 && ghosts == 0) return;
  std::vector<Index> from(static_cast<std::size_t>(count)), ends;
  std::vector<std::int32_t> rows(from.size());
  for (const Index end : std::span(next).subspan(1)) ends.push_back(nonzeros_ + end);
  for (Index i = 0; i < owned; ++i)
    for (Index e = offsets[static_cast<std::size_t>(i)]; e < offsets[static_cast<std::size_t>(i) + 1]; ++e) {
      const std::int32_t c = column[static_cast<std::size_t>(e)];
      if (c < owned) continue;
      const auto to = static_cast<std::size_t>(next[static_cast<std::size_t>(c - owned)]++);
      rows[to] = static_cast<std::int32_t>(i);
      from[to] = e;
    }
  copy_to_device(device(), rows_.offsets.data() + owned + 1, ends.data(), ghosts * Index{sizeof(Index)});
  if (count == 0) return;
  copy_to_device(device(), rows_.column.data() + nonzeros_, rows.data(), count * Index{sizeof(std::int32_t)});
  const Array<Index> at(device(), std::span<const Index>(from), "pattern");
  const int C = rows_.row_block;
  kernels<GhostKernels>(device(), solver_kernels, "ghosts")
      .halve_transposed(device(), count, at.data(), C, rows_.values.data(), rows_.values.data() + nonzeros_ * C * C);
}

std::vector<DividedMatrix::Piece> DividedMatrix::pieces(const std::vector<RowRange>& ranges,
                                                        std::span<const Index> offsets) const {
  std::vector<Piece> result;
  for (const RowRange& range : ranges) {
    const auto rows =
        offsets.subspan(static_cast<std::size_t>(range.first), static_cast<std::size_t>(range.last - range.first + 1));
    std::vector<Index> own;
    for (const Index offset : rows) own.push_back(offset - rows.front());
    result.push_back(
        {range.first, rows.front(), own.back(), Array<Index>(device(), std::span<const Index>(own), "pattern")});
  }
  return result;
}

void DividedMatrix::multiply(const Piece& piece, Vector& y) const {
  const Index C = rows_.row_block;
  const MatrixView view{piece.rows(),
                        piece.nonzeros,
                        rows_.row_block,
                        piece.offsets.data(),
                        rows_.column.data() + piece.begin,
                        rows_.values.data() + piece.begin * C * C};
  kernels_for(rows_).multiply(device(), view, extended_.data(), y.data() + piece.first * C);
}

void DividedMatrix::apply(const Vector& x, Vector& y) const {
  if (x.size() != rows()) throw_size_mismatch(rows(), x.size());
  if (y.size() != rows()) throw_size_mismatch(rows(), y.size());
  device().profile().count(bytes_of(owned_rows(), nonzeros()) + 2 * extended_.bytes() +
                           2 * rows() * Index{sizeof(double)});
  device().machine().copy_on_device(extended_.data(), x.data(), x.bytes());
  ghosts_->begin_fetch(extended_, rows_.row_block);
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
  const MatrixView view{rows_.rows,           nonzeros_,           rows_.row_block,
                        rows_.offsets.data(), rows_.column.data(), rows_.values.data()};
  kernels_for(rows_).diagonal(device(), view, result.data());
  return result;
}

BlockMatrix owned_rows_of(SparseMatrix K, Index owned) {
  const Device& device = K.device();
  const SparsityPattern& pattern = K.pattern();
  BlockMatrix rows{
      .rows = owned, .columns = pattern.rows(), .row_block = K.block_size(), .column_block = K.block_size()};
  Index nonzeros = 0;
  {
    const HostView<Index> end(device, pattern.offsets().data() + owned, 1);
    nonzeros = end[0];
    const HostView<std::int32_t> columns(device, pattern.columns().data(), nonzeros);
    const Index places = nonzeros + DividedMatrix::ghost_entries(columns.span(), owned);
    rows.column = Array<std::int32_t>(device, places, "pattern");
  }
  rows.offsets = Array<Index>(device, rows.columns + 1, "pattern");
  Machine& machine = device.machine();
  machine.copy_on_device(rows.offsets.data(), pattern.offsets().data(), (owned + 1) * Index{sizeof(Index)});
  machine.copy_on_device(rows.column.data(), pattern.columns().data(), nonzeros * Index{sizeof(std::int32_t)});
  rows.values = std::move(K.values());
  return rows;
}

}  // namespace ritz
