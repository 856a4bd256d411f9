#include "solvers/algebra/block_operator.hpp"

#include "device/error.hpp"
#include "solvers/algebra/vectors.hpp"

#include <fmt/format.h>
#include <limits>
#include <map>

namespace ritz {
namespace {

void check_fits(const LinearOperator& matrix, Index rows, Index columns, int row, int column) {
  if (matrix.rows() == rows && matrix.columns() == columns) return;
  throw Error(Exit::internal, fmt::format("block ({}, {}) of a matrix has {} x {} numbers, its place {} x {}", row,
                                          column, matrix.rows(), matrix.columns(), rows, columns));
}

}  // namespace

BlockOperator::BlockOperator(const Device& device, BlockLayout layout)
    : device_(device),
      layout_(std::move(layout)),
      square_(static_cast<std::size_t>(layout_.count())),
      coupling_(square_.size() * square_.size()) {}

const LinearOperator* BlockOperator::block(int row, int column) const {
  if (row == column) return square(row);
  return coupling(row, column);
}

void BlockOperator::set(int block, std::unique_ptr<SparseMatrix> matrix) {
  if (matrix) check_fits(*matrix, layout_.size(block), layout_.size(block), block, block);
  square_.at(place(block)) = std::move(matrix);
}

void BlockOperator::set(int row, int column, std::unique_ptr<RectangularMatrix> matrix) {
  if (row == column)
    throw Error(Exit::internal, "a coupling was given for a diagonal block", {}, "give a SparseMatrix");
  if (matrix) check_fits(*matrix, layout_.size(row), layout_.size(column), row, column);
  coupling_.at(place(row, column)) = std::move(matrix);
}

void BlockOperator::add_couplings(int row, int first, int last, double factor, const std::vector<Vector>& x, Vector& y,
                                  Vector& product) const {
  for (int column = first; column < last; ++column) {
    if (column == row || coupling(row, column) == nullptr) continue;
    coupling(row, column)->apply(x[place(column)], product);
    axpy(factor, product, y);
  }
}

void BlockOperator::apply(const Vector& x, Vector& y) const {
  layout_.check(x);
  layout_.check(y);
  if (&x == &y) throw Error(Exit::internal, "y = A x was asked for with x and y in the same vector");
  const int count = layout_.count();
  if (x_.empty())
    for (int k = 0; k < count; ++k)
      for (auto* parts : {&x_, &y_, &product_}) parts->emplace_back(device_, layout_.size(k), "vectors");
  for (int k = 0; k < count; ++k) layout_.take(x, k, x_[place(k)]);
  for (int row = 0; row < count; ++row) {
    Vector& sum = y_[place(row)];
    if (square(row) != nullptr) square(row)->apply(x_[place(row)], sum);
    else sum.fill_zero();
    add_couplings(row, 0, count, 1, x_, sum, product_[place(row)]);
    layout_.put(sum, row, y);
  }
}

HostMatrix host_matrix(const BlockOperator& matrix) {
  const BlockLayout& layout = matrix.layout();
  if (layout.total() > std::numeric_limits<std::int32_t>::max())
    throw Error(Exit::resources, fmt::format("a matrix of {} rows does not fit 32-bit columns", layout.total()),
                "the host copy stores scalar columns in 32 bits", "use an iterative solver");
  HostMatrix all;
  all.offsets.push_back(0);
  for (int row = 0; row < layout.count(); ++row) {
    std::vector<HostMatrix> blocks(static_cast<std::size_t>(layout.count()));
    for (int column = 0; column < layout.count(); ++column) {
      HostMatrix& block = blocks[static_cast<std::size_t>(column)];
      if (row == column && matrix.square(row) != nullptr) block = host_matrix(*matrix.square(row));
      else if (row != column && matrix.coupling(row, column) != nullptr)
        block = host_matrix(*matrix.coupling(row, column));
    }
    for (Index i = 0; i < layout.size(row); ++i) {
      std::map<std::int32_t, double> entries{{static_cast<std::int32_t>(layout.first(row) + i), 0.0}};
      for (int column = 0; column < layout.count(); ++column) {
        const HostMatrix& block = blocks[static_cast<std::size_t>(column)];
        if (block.offsets.empty()) continue;
        for (Index k = block.offsets[static_cast<std::size_t>(i)]; k < block.offsets[static_cast<std::size_t>(i) + 1];
             ++k)
          entries[static_cast<std::int32_t>(layout.first(column) + block.columns[static_cast<std::size_t>(k)])] =
              block.values[static_cast<std::size_t>(k)];
      }
      for (const auto& [column, value] : entries) {
        all.columns.push_back(column);
        all.values.push_back(value);
      }
      all.offsets.push_back(static_cast<Index>(all.values.size()));
    }
  }
  return all;
}

}  // namespace ritz
