#include "solvers/algebra/multi_vector.hpp"

#include "device/communicator.hpp"
#include "device/error.hpp"
#include "device/kernels.hpp"
#include "solvers/algebra/matrix_kernels.hpp"
#include "solvers/algebra/multi_vector_kernels.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace ritz {
namespace {

constexpr int lanes = MultiVector::lanes;

const MultiVectorKernels& kernels_for(const MultiVector& X) {
  return kernels<MultiVectorKernels>(X.device(), solver_kernels, "multi vector");
}

Index checked_size(Index rows, int columns) {
  if (rows < 0 || columns < 0)
    throw Error(ErrorKind::internal, fmt::format("{} vectors of length {} were asked for", columns, rows));
  return rows * lanes * ((columns + lanes - 1) / lanes);
}

// Vectors that kernels read or write.
void count(const MultiVector& X, Index vectors) {
  X.device().profile().count(vectors * X.rows() * Index{sizeof(double)});
}

// The 8 x 8 products of all pairs of groups, on the device.
void queue_gram(const MultiVector& X, const MultiVector& Y, double* blocks) {
  for (int i = 0; i < X.groups(); ++i)
    for (int j = 0; j < Y.groups(); ++j, blocks += lanes * lanes) {
      count(X, &X == &Y && i == j ? lanes : 2 * lanes);
      kernels_for(X).gram(X.device(), X.rows(), X.group(i), Y.group(j), blocks);
    }
}

std::vector<double> unpack_gram(const MultiVector& X, const MultiVector& Y, const double* blocks) {
  std::vector<double> result(static_cast<std::size_t>(X.columns()) * Y.columns());
  for (int i = 0; i < X.columns(); ++i)
    for (int j = 0; j < Y.columns(); ++j)
      result[static_cast<std::size_t>(i) * Y.columns() + j] =
          blocks[((i / lanes) * Y.groups() + j / lanes) * lanes * lanes + (i % lanes) * lanes + j % lanes];
  return result;
}

}  // namespace

MultiVector::MultiVector(const Device& device, Index rows, int columns, const char* tag)
    : device_(device), rows_(rows), columns_(columns), values_(device, checked_size(rows, columns), tag) {
  values_.fill_zero();
  count(*this, Index{groups()} * lanes);
}

void MultiVector::swap(MultiVector& other) noexcept {
  std::swap(device_, other.device_);
  std::swap(rows_, other.rows_);
  std::swap(columns_, other.columns_);
  values_.swap(other.values_);
}

void MultiVector::recount(int columns) {
  if (checked_size(rows_, columns) != values_.size())
    throw Error(ErrorKind::internal, fmt::format("{} columns were to fit where {} are", columns, columns_));
  columns_ = columns;
}

void MultiVector::check_column(int column, const Vector& x) const {
  if (column < 0 || column >= columns_)
    throw Error(ErrorKind::internal, fmt::format("column {} of {} vectors was asked for", column, columns_));
  if (x.size() != rows_) throw_size_mismatch(rows_, x.size());
}

void MultiVector::set_column(int column, const Vector& x) {
  check_column(column, x);
  count(*this, 2);
  if (rows_ > 0) kernels_for(*this).set_lane(device_, rows_, column % lanes, x.data(), group(column / lanes));
}

void MultiVector::get_column(int column, Vector& x) const {
  check_column(column, x);
  count(*this, 2);
  if (rows_ > 0) kernels_for(*this).get_lane(device_, rows_, column % lanes, group(column / lanes), x.data());
}

void check_same_rows(const MultiVector& X, const MultiVector& Y) {
  if (X.rows() != Y.rows()) throw_size_mismatch(X.rows(), Y.rows());
}

void check_same_shape(const MultiVector& X, const MultiVector& Y) {
  check_same_rows(X, Y);
  if (X.columns() != Y.columns()) throw_size_mismatch(X.columns(), Y.columns());
}

std::vector<double> gram(const MultiVector& X, const MultiVector& Y) { return std::move(grams({{&X, &Y}}).front()); }

std::vector<std::vector<double>> grams(const std::vector<std::pair<const MultiVector*, const MultiVector*>>& pairs) {
  Index count = 0;
  for (const auto& [X, Y] : pairs) {
    check_same_rows(*X, *Y);
    count += Index{X->groups()} * Y->groups() * lanes * lanes;
  }
  std::vector<double> numbers(static_cast<std::size_t>(count));
  if (count > 0) {
    const Device& device = pairs.front().first->device();
    Vector blocks(device, count, "reductions");
    Index offset = 0;
    for (const auto& [X, Y] : pairs) {
      queue_gram(*X, *Y, blocks.data() + offset);
      offset += Index{X->groups()} * Y->groups() * lanes * lanes;
    }
    Communicator(device).sum(blocks.data(), numbers);
  }
  std::vector<std::vector<double>> results;
  Index offset = 0;
  for (const auto& [X, Y] : pairs) {
    results.push_back(unpack_gram(*X, *Y, numbers.data() + offset));
    offset += Index{X->groups()} * Y->groups() * lanes * lanes;
  }
  return results;
}

void combine(const MultiVector& X, const std::vector<double>& C, double beta, MultiVector& Y) {
  check_same_rows(X, Y);
  if (static_cast<Index>(C.size()) != Index{X.columns()} * Y.columns())
    throw_size_mismatch(Index{X.columns()} * Y.columns(), static_cast<Index>(C.size()));
  if (&X == &Y) throw Error(ErrorKind::internal, "Y = X C + beta Y was asked for with X and Y in the same vectors");
  if (Y.values().empty()) return;
  for (int target = 0; target < Y.groups(); ++target)
    for (int first = 0; first == 0 || first < X.groups(); first += LaneMatrices::most) {  // once when X has no columns
      LaneMatrices small;
      small.count = std::min(LaneMatrices::most, X.groups() - first);
      for (int i = 0; i < lanes * small.count && first * lanes + i < X.columns(); ++i)
        for (int j = 0; j < lanes && target * lanes + j < Y.columns(); ++j)
          small.value[i][j] = C[static_cast<std::size_t>(first * lanes + i) * Y.columns() + target * lanes + j];
      count(X, lanes * (small.count + (first == 0 && beta == 0 ? 1 : 2)));
      kernels_for(X).combine(X.device(), X.rows(), X.group(first), small, first == 0 ? beta : 1.0, Y.group(target));
    }
}

std::vector<double> column_dots(const MultiVector& X, const MultiVector& Y) {
  check_same_shape(X, Y);
  std::vector<double> dots(static_cast<std::size_t>(X.groups()) * lanes);
  if (!X.values().empty()) {
    Vector results(X.device(), static_cast<Index>(dots.size()), "reductions");
    for (int g = 0; g < X.groups(); ++g) {
      count(X, &X == &Y ? lanes : 2 * lanes);
      kernels_for(X).dots(X.device(), X.rows(), X.group(g), Y.group(g), results.data() + g * lanes);
    }
    Communicator(X.device()).sum(results.data(), dots);
  }
  dots.resize(static_cast<std::size_t>(X.columns()));
  return dots;
}

std::vector<double> column_norms(const MultiVector& X) {
  std::vector<double> norms = column_dots(X, X);
  for (double& value : norms) value = std::sqrt(value);
  return norms;
}

}  // namespace ritz
