#include "solvers/algebra/host_products.hpp"

#include "device/parallel_errors.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace ritz {
namespace {

// Entries of one row, summed by column.
class RowSum {
 public:
  explicit RowSum(Index column_count) : place_(static_cast<std::size_t>(column_count), -1) {}
  void add(std::int32_t column, double value) {
    std::int32_t& place = place_[static_cast<std::size_t>(column)];
    if (place < 0) {
      place = static_cast<std::int32_t>(entries_.size());
      entries_.emplace_back(column, 0.0);
    }
    entries_[static_cast<std::size_t>(place)].second += value;
  }
  // The entries by ascending columns.
  const std::vector<std::pair<std::int32_t, double>>& sorted() {
    std::ranges::sort(entries_);
    return entries_;
  }
  void clear() {
    for (const auto& entry : entries_) place_[static_cast<std::size_t>(entry.first)] = -1;
    entries_.clear();
  }

 private:
  std::vector<std::int32_t> place_;
  std::vector<std::pair<std::int32_t, double>> entries_;
};

// The matrix whose rows fill(row, sum) makes, in blocks of rows by several threads.
template <class Fill>
HostMatrix made_of_rows(Index rows, Index column_count, const Fill& fill) {
  constexpr Index block = 4096;
  const Index blocks = (rows + block - 1) / block;
  std::vector<HostMatrix> parts(static_cast<std::size_t>(blocks));
  ParallelErrors errors;
#pragma omp parallel
  {
    RowSum sum(column_count);
#pragma omp for schedule(dynamic)
    for (Index b = 0; b < blocks; ++b)
      errors.run([&] {
        HostMatrix& part = parts[static_cast<std::size_t>(b)];
        for (Index row = b * block; row < std::min(rows, (b + 1) * block); ++row) {
          fill(row, sum);
          for (const auto& [column, value] : sum.sorted()) {
            part.columns.push_back(column);
            part.values.push_back(value);
          }
          part.offsets.push_back(static_cast<Index>(part.columns.size()));
          sum.clear();
        }
      });
  }
  errors.rethrow();
  HostMatrix all;
  all.offsets.push_back(0);
  for (HostMatrix& part : parts) {
    const Index before = static_cast<Index>(all.columns.size());
    for (const Index end : part.offsets) all.offsets.push_back(before + end);
    all.columns.insert(all.columns.end(), part.columns.begin(), part.columns.end());
    all.values.insert(all.values.end(), part.values.begin(), part.values.end());
    part = {};
  }
  return all;
}

template <class Use>
void each_entry(const HostMatrix& A, Index row, const Use& use) {
  for (Index k = A.offsets[static_cast<std::size_t>(row)]; k < A.offsets[static_cast<std::size_t>(row) + 1]; ++k)
    use(A.columns[static_cast<std::size_t>(k)], A.values[static_cast<std::size_t>(k)]);
}

}  // namespace

HostMatrix product(const HostMatrix& A, const HostMatrix& B, Index column_count) {
  return made_of_rows(A.rows(), column_count, [&](Index row, RowSum& sum) {
    each_entry(A, row, [&](std::int32_t middle, double a) {
      each_entry(B, middle, [&](std::int32_t column, double b) { sum.add(column, a * b); });
    });
  });
}

}  // namespace ritz
