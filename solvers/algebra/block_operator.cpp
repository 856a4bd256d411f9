#include "solvers/algebra/block_operator.hpp"

#include "device/error.hpp"
#include "device/host_view.hpp"
#include "device/kernels.hpp"
#include "solvers/algebra/matrix_kernels.hpp"
#include "solvers/algebra/scalar_rows_kernels.hpp"
#include "solvers/algebra/vectors.hpp"

#include <fmt/format.h>
#include <limits>

namespace ritz {
namespace {

void check_fits(const LinearOperator& matrix, Index rows, Index columns, int row, int column) {
  if (matrix.rows() == rows && matrix.columns() == columns) return;
  throw Error(ErrorKind::internal, fmt::format("block ({}, {}) of a matrix has {} x {} numbers, its place {} x {}", row,
                                               column, matrix.rows(), matrix.columns(), rows, columns));
}

// Calls visit(row, column, view, add_diagonal) for every block, by columns in each row, and for a diagonal block that
// is missing, with an empty view. add_diagonal: rows of the block may lack a diagonal entry.
template <class Visit>
void each_block(const BlockOperator& matrix, const Visit& visit) {
  for (int row = 0; row < matrix.layout().count(); ++row)
    for (int column = 0; column < matrix.layout().count(); ++column) {
      if (row != column) {
        if (const RectangularMatrix* A = matrix.coupling(row, column)) visit(row, column, matrix_view(*A), false);
      } else if (const SparseMatrix* A = matrix.square(row)) {
        visit(row, column, matrix_view(*A), !A->pattern().has_full_diagonal());
      } else {
        visit(row, column, MatrixView{}, true);
      }
    }
}

}  // namespace

BlockOperator::BlockOperator(const Device& device, Layout layout)
    : device_(device),
      layout_(std::move(layout)),
      local_(layout_.local()),
      square_(static_cast<std::size_t>(layout_.count())),
      coupling_(square_.size() * square_.size()) {}

const LinearOperator* BlockOperator::block(int row, int column) const {
  if (row == column) return square(row);
  return coupling(row, column);
}

void BlockOperator::set(int block, std::unique_ptr<SparseMatrix> matrix) {
  if (matrix) check_fits(*matrix, local_.size(block), local_.size(block), block, block);
  square_.at(place(block)) = std::move(matrix);
  entries_.clear();
}

void BlockOperator::set(int row, int column, std::unique_ptr<RectangularMatrix> matrix) {
  if (row == column)
    throw Error(ErrorKind::internal, "a coupling was given for a diagonal block", {}, "give a SparseMatrix");
  if (matrix) check_fits(*matrix, local_.size(row), local_.size(column), row, column);
  coupling_.at(place(row, column)) = std::move(matrix);
  entries_.clear();
}

const Vector& BlockOperator::with_ghosts(int field, const Vector& x) const {
  if (!layout_.is_divided()) return x;
  if (all_.empty())
    for (int k = 0; k < layout_.count(); ++k) all_.emplace_back(device_, local_.size(k), "vectors");
  layout_.fetch(field, x, all_[place(field)]);
  return all_[place(field)];
}

Index BlockOperator::entries_of_owned_rows(int row, int column) const {
  if (entries_.empty()) entries_.assign(coupling_.size(), -1);
  Index& entries = entries_[place(row, column)];
  if (entries >= 0) return entries;
  const SparseMatrix* const A = row == column ? square(row) : nullptr;
  const Array<Index>& offsets = A != nullptr ? A->pattern().offsets() : coupling(row, column)->row_offsets();
  const Index rows = layout_.size(row) / (A != nullptr ? A->block_size() : 1);
  entries = HostView<Index>(device_, offsets.data() + rows, 1)[0];
  return entries;
}

// x: with the ghosts of its field.
void BlockOperator::multiply_local(int row, int column, const Vector& x, Vector& y) const {
  if (!layout_.is_divided()) return block(row, column)->apply(x, y);
  MatrixView A = row == column ? matrix_view(*square(row)) : matrix_view(*coupling(row, column));
  A.rows = layout_.size(row) / A.block_size;
  A.nonzeros = entries_of_owned_rows(row, column);
  if (A.rows == 0) return;
  device_.profile().count(
      A.nonzeros * (Index{A.block_size} * A.block_size * Index{sizeof(double)} + Index{sizeof(std::int32_t)}) +
      x.bytes() + y.bytes());
  kernels<MatrixKernels>(device_, solver_kernels, "matrix").multiply(device_, A, x.data(), y.data());
}

void BlockOperator::multiply(int row, int column, const Vector& x, Vector& y) const {
  multiply_local(row, column, with_ghosts(column, x), y);
}

void BlockOperator::add_couplings(int row, int first, int last, double factor, const std::vector<Vector>& x, Vector& y,
                                  Vector& product) const {
  for (int column = first; column < last; ++column) {
    if (column == row || coupling(row, column) == nullptr) continue;
    multiply(row, column, x[place(column)], product);
    axpy(factor, product, y);
  }
}

void BlockOperator::apply(const Vector& x, Vector& y) const {
  layout_.check(x);
  layout_.check(y);
  if (&x == &y) throw Error(ErrorKind::internal, "y = A x was asked for with x and y in the same vector");
  const int count = layout_.count();
  if (x_.empty())
    for (int k = 0; k < count; ++k)
      for (auto* parts : {&x_, &y_, &product_}) parts->emplace_back(device_, layout_.size(k), "vectors");
  for (int k = 0; k < count; ++k) layout_.take(x, k, x_[place(k)]);
  for (int k = 0; k < count; ++k) with_ghosts(k, x_[place(k)]);
  const std::vector<Vector>& all = layout_.is_divided() ? all_ : x_;
  for (int row = 0; row < count; ++row) {
    Vector& sum = y_[place(row)];
    if (square(row) != nullptr) multiply_local(row, row, all[place(row)], sum);
    else sum.fill_zero();
    for (int column = 0; column < count; ++column) {
      if (column == row || coupling(row, column) == nullptr) continue;
      multiply_local(row, column, all[place(column)], product_[place(row)]);
      axpy(1, product_[place(row)], sum);
    }
    layout_.put(sum, row, y);
  }
}

// Entries of a row come block after block: the first pass counts them, the second one appends them.
SparseMatrix joined_matrix(const BlockOperator& matrix) {
  const Layout& layout = matrix.layout();
  const Device& device = matrix.device();
  const Index rows = layout.total();
  if (layout.is_divided())
    throw Error(ErrorKind::internal, "the blocks of one rank were to be joined like a whole matrix");
  if (rows > std::numeric_limits<std::int32_t>::max())
    throw Error(ErrorKind::device_memory, fmt::format("a matrix of {} rows does not fit 32-bit columns", rows),
                "columns of the joined matrix are stored in 32 bits", "use an iterative solver");
  const auto& kernel = kernels<ScalarRowKernels>(device, solver_kernels, "scalar rows");
  Array<Index> offsets(device, rows + 1, "pattern");
  {
    Array<std::int32_t> counts(device, rows, "pattern");
    counts.fill_zero();
    each_block(matrix, [&](int row, int, const MatrixView& A, bool add_diagonal) {
      device.profile().count(Index{sizeof(Index)} * layout.size(row));
      kernel.count(device, A, add_diagonal, layout.size(row), counts.data() + layout.first(row));
    });
    kernel.offsets(device, counts.data(), rows, offsets.data());
  }
  Index entries = 0;
  device.machine().copy_to_host(&entries, offsets.data() + rows, Index{sizeof entries});
  Array<std::int32_t> columns(device, entries, "pattern");
  std::int32_t* const column = columns.data();
  Array<Index> next(device, rows + 1, "pattern");  // place of a row's next entry
  next.copy_from(offsets);
  SparseMatrix joined(std::make_shared<SparsityPattern>(std::move(offsets), std::move(columns), true), 1,
                      SparseMatrix::Values::undefined);
  each_block(matrix, [&](int block_row, int block_column, const MatrixView& A, bool add_diagonal) {
    device.profile().count(2 * A.nonzeros * A.block_size * A.block_size * Index{sizeof(double)});
    kernel.append(device, A, add_diagonal, layout.first(block_column), layout.size(block_row),
                  next.data() + layout.first(block_row), column, joined.values().data());
  });
  return joined;
}

HostMatrix host_matrix(const BlockOperator& matrix) { return host_matrix(joined_matrix(matrix)); }

}  // namespace ritz
