#include "solvers/multigrid/summed_rows.hpp"

#include "solvers/multigrid/global_rows.hpp"

#include <algorithm>
#include <utility>

namespace ritz {
namespace {

std::size_t at(Index i) { return static_cast<std::size_t>(i); }

using Entries = std::vector<std::pair<Index, double>>;  // column, value

// Entries of one column become one.
void append_row(Entries& entries, BlockRows& rows) {
  std::ranges::stable_sort(entries, {}, &Entries::value_type::first);
  for (std::size_t k = 0; k < entries.size(); ++k)
    if (k > 0 && entries[k].first == entries[k - 1].first) rows.values.back() += entries[k].second;
    else {
      rows.columns.push_back(static_cast<std::int32_t>(entries[k].first));
      rows.values.push_back(entries[k].second);
    }
  rows.offsets.push_back(std::ssize(rows.columns));
}

}  // namespace

BlockRows summed_by_owners(const HostMatrix& A, std::span<const Index> global, std::span<const Index> first,
                           Ranks& ranks) {
  std::vector<GlobalRows> sent(at(ranks.count()));
  for (std::size_t row = 0; row < at(A.rows()); ++row) {
    const Index begin = A.offsets[row], count = A.offsets[row + 1] - begin;
    if (count == 0) continue;
    sent[rank_of(global[row], first)].append(global[row], std::span(A.columns).subspan(at(begin), at(count)),
                                             std::span(A.values).subspan(at(begin), at(count)),
                                             [&](std::int32_t column) { return global[at(column)]; });
  }
  const auto mine = at(ranks.rank());
  GlobalRows own = std::exchange(sent[mine], {});
  std::vector<GlobalRows> received = swap_rows(ranks, sent);
  received[mine] = std::move(own);
  std::vector<Entries> rows(at(first[mine + 1] - first[mine]));
  for (GlobalRows& part : received) {
    std::size_t entry = 0;
    for (std::size_t i = 0; i < part.row.size(); ++i) {
      Entries& row = rows[at(part.row[i] - first[mine])];
      for (Index k = 0; k < part.count[i]; ++k, ++entry) row.emplace_back(part.column[entry], part.values[entry]);
    }
    part = {};
  }
  BlockRows result;
  for (Entries& row : rows) append_row(row, result);
  return result;
}

}  // namespace ritz
