#include "python/bind/caller_numbering.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace ritz::python {

CallerNumbering::CallerNumbering(const FunctionSpace& space) : space_(space) {
  if (space.isoparametric()) {
    for (Node n = 0; n < space.mesh().node_count(); ++n) node_.push_back(space.node_of(n));
  } else {
    node_.resize(static_cast<std::size_t>(space.node_count()));
    std::iota(node_.begin(), node_.end(), Node{0});
  }
}

std::vector<double> CallerNumbering::nodal_in(std::span<const double> values, int components) const {
  const auto c = static_cast<std::ptrdiff_t>(components);
  std::vector<double> result(static_cast<std::size_t>(space_.node_count() * components), 0.0);
  for (std::size_t i = 0; i < node_.size(); ++i)
    if (node_[i] >= 0)
      std::copy_n(values.begin() + static_cast<std::ptrdiff_t>(i) * c, c, result.begin() + node_[i] * c);
  return result;
}

std::vector<double> CallerNumbering::nodal_out(std::span<const double> values, int components) const {
  const auto c = static_cast<std::ptrdiff_t>(components);
  std::vector<double> result(node_.size() * static_cast<std::size_t>(components), 0.0);
  for (std::size_t i = 0; i < node_.size(); ++i)
    if (node_[i] >= 0)
      std::copy_n(values.begin() + node_[i] * c, c, result.begin() + static_cast<std::ptrdiff_t>(i) * c);
  return result;
}

std::vector<double> CallerCells::in(std::span<const double> values, int components) const {
  std::vector<double> result(values.begin(), values.end());
  if (values.size() != row_.size() * static_cast<std::size_t>(components)) return result;
  for (std::size_t cell = 0; cell < row_.size(); ++cell)
    std::copy_n(values.begin() + row_[cell] * components, components,
                result.begin() + static_cast<std::ptrdiff_t>(cell) * components);
  return result;
}

std::vector<double> CallerCells::out(std::span<const double> values, int components) const {
  std::vector<double> result(values.begin(), values.end());
  if (values.size() != row_.size() * static_cast<std::size_t>(components)) return result;
  for (std::size_t cell = 0; cell < row_.size(); ++cell)
    std::copy_n(values.begin() + static_cast<std::ptrdiff_t>(cell) * components, components,
                result.begin() + row_[cell] * components);
  return result;
}

Vector CallerNumbering::in(std::span<const double> values) const {
  const std::vector<double> result = nodal_in(values, space_.components());
  return Vector(space_.device(), std::span<const double>(result), "vectors");
}

std::vector<double> CallerNumbering::out(const Vector& x) const { return nodal_out(x.host(), space_.components()); }

void CallerNumbering::export_matrix(const SparseMatrix& K, double pivot, std::vector<Index>& offsets,
                                    std::vector<std::int32_t>& columns, std::vector<double>& values) const {
  const std::vector<Index> from = K.pattern().offsets().host();
  const std::vector<std::int32_t> column = K.pattern().columns().host();
  const std::vector<double> blocks = K.values().host();
  std::vector<std::int32_t> caller(static_cast<std::size_t>(space_.node_count()));  // of the space -> of the caller
  for (std::size_t i = 0; i < node_.size(); ++i)
    if (node_[i] >= 0) caller[static_cast<std::size_t>(node_[i])] = static_cast<std::int32_t>(i);
  const auto width = static_cast<std::size_t>(space_.components()), size = width * width;
  columns.reserve(column.size());
  values.reserve(blocks.size());
  offsets.assign(1, 0);
  std::vector<std::pair<std::int32_t, std::size_t>> row;
  for (std::size_t i = 0; i < node_.size(); ++i) {
    row.clear();
    if (node_[i] >= 0) {
      const auto n = static_cast<std::size_t>(node_[i]);
      for (auto k = static_cast<std::size_t>(from[n]); k < static_cast<std::size_t>(from[n + 1]); ++k)
        row.emplace_back(caller[static_cast<std::size_t>(column[k])], k);
      std::ranges::sort(row);
    } else if (pivot > 0) {
      columns.push_back(static_cast<std::int32_t>(i));
      for (std::size_t e = 0; e < size; ++e) values.push_back(e % (width + 1) == 0 ? pivot : 0);
    }
    for (const auto& [at, k] : row) {
      columns.push_back(at);
      values.insert(values.end(), blocks.begin() + static_cast<std::ptrdiff_t>(k * size),
                    blocks.begin() + static_cast<std::ptrdiff_t>((k + 1) * size));
    }
    offsets.push_back(static_cast<Index>(columns.size()));
  }
}

}  // namespace ritz::python
