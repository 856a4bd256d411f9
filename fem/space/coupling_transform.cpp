#include "fem/space/coupling_transform.hpp"

#include "device/error.hpp"
#include "device/kernels.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <limits>

namespace ritz {
namespace {

std::size_t at(Index i) { return static_cast<std::size_t>(i); }

class EntriesOfTransform {
 public:
  EntriesOfTransform(const RectangularMatrix& K, const DependentRows& of_rows, const DependentRows& of_columns)
      : offsets_(K.row_offsets().host()),
        columns_(K.column_of_entries().host()),
        of_rows_(of_rows),
        of_columns_(of_columns),
        row_of_column_(at(K.columns()), -1) {
    if (K.values().size() > std::numeric_limits<std::int32_t>::max())
      throw Error(ErrorKind::device_memory,
                  fmt::format("equations between unknowns change a coupling of {} numbers", K.values().size()),
                  "their places are counted in 32 bits", "use a coarser mesh");
    for (std::size_t row = 0; row < of_columns.unknown.size(); ++row)
      row_of_column_[at(of_columns.unknown[row])] = static_cast<std::int32_t>(row);
  }

  std::array<UnknownLists, 2> lists(const Device& device) const {
    return {UnknownLists(device, columns()), UnknownLists(device, rows())};
  }

 private:
  // K T_j
  UnknownLists::Host columns() const {
    std::vector<UnknownLists::Share> shares;
    for (Index row = 0; row + 1 < std::ssize(offsets_); ++row)
      for (Index k = offsets_[at(row)]; k < offsets_[at(row) + 1]; ++k) {
        const std::int32_t dependent = row_of_column_[at(columns_[at(k)])];
        if (dependent < 0) continue;
        for (Index t = of_columns_.begin[at(dependent)]; t < of_columns_.begin[at(dependent) + 1]; ++t)
          shares.push_back(
              {entry(row, of_columns_.followed[at(t)]), static_cast<std::int32_t>(k), of_columns_.factor[at(t)]});
      }
    return UnknownLists::Host::by_targets(std::move(shares));
  }

  // T_i^T K in the columns that stay
  UnknownLists::Host rows() const {
    std::vector<UnknownLists::Share> shares;
    for (std::size_t dependent = 0; dependent < of_rows_.unknown.size(); ++dependent) {
      const Index row = of_rows_.unknown[dependent];
      for (Index k = offsets_[at(row)]; k < offsets_[at(row) + 1]; ++k) {
        if (row_of_column_[at(columns_[at(k)])] >= 0) continue;
        for (Index t = of_rows_.begin[dependent]; t < of_rows_.begin[dependent + 1]; ++t)
          shares.push_back(
              {entry(of_rows_.followed[at(t)], columns_[at(k)]), static_cast<std::int32_t>(k), of_rows_.factor[at(t)]});
      }
    }
    return UnknownLists::Host::by_targets(std::move(shares));
  }

  std::int32_t entry(Index row, std::int32_t column) const {
    const auto first = columns_.begin() + offsets_[at(row)], last = columns_.begin() + offsets_[at(row) + 1];
    const auto found = std::lower_bound(first, last, column);
    if (found == last || *found != column)
      throw Error(ErrorKind::internal,
                  fmt::format("the pattern of a coupling has no entry in row {} and column {}", row, column),
                  "equations between unknowns join them", "finish the supports before the matrix is made");
    return static_cast<std::int32_t>(found - columns_.begin());
  }

  std::vector<Index> offsets_;
  std::vector<std::int32_t> columns_;
  const DependentRows &of_rows_, &of_columns_;
  std::vector<std::int32_t> row_of_column_;  // [column] of a dependent unknown in of_columns_, or -1
};

}  // namespace

CouplingTransform::CouplingTransform(const RectangularMatrix& K, const DependentRows& of_rows,
                                     const DependentRows& of_columns)
    : pattern_(K.shared_pattern()), lists_(EntriesOfTransform(K, of_rows, of_columns).lists(K.device())) {}

void CouplingTransform::apply(RectangularMatrix& K) const {
  const auto& kernel = kernels<DependentKernels<double>>(K.device(), "ritz_fem_kernels", "dependent double");
  double* const values = K.values().data();
  for (const UnknownLists& lists : lists_) {
    K.device().profile().count(2 * lists.unknown.bytes() + lists.other.bytes() + 3 * lists.factor.bytes());
    kernel.add(K.device(), lists.count(), lists.view(), values, values);
  }
}

}  // namespace ritz
