#include "fem/space/unknown_lists.hpp"

#include <algorithm>
#include <numeric>
#include <span>

namespace ritz {

UnknownLists::UnknownLists(const Device& device, const Host& host)
    : unknown(device, std::span<const std::int32_t>(host.unknown), "constraints"),
      other(device, std::span<const std::int32_t>(host.other), "constraints"),
      begin(device, std::span<const Index>(host.begin), "constraints"),
      factor(device, std::span<const double>(host.factor), "constraints") {}

UnknownLists::Host UnknownLists::Host::by_targets(std::vector<Share> shares) {
  std::ranges::stable_sort(shares, {}, &Share::target);
  Host lists;
  for (const Share& each : shares) {
    if (lists.unknown.empty() || lists.unknown.back() != each.target) lists.begin_row(each.target);
    lists.add(each.source, each.factor);
  }
  return lists;
}

UnknownLists::Host UnknownLists::Host::transposed() const {
  std::vector<std::size_t> row_of(other.size()), order(other.size());
  for (std::size_t row = 0; row < unknown.size(); ++row)
    std::fill(row_of.begin() + begin[row], row_of.begin() + begin[row + 1], row);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, [&](std::size_t k) { return other[k]; });
  Host result;
  for (const std::size_t k : order) {
    if (result.unknown.empty() || result.unknown.back() != other[k]) result.begin_row(other[k]);
    result.add(unknown[row_of[k]], factor[k]);
  }
  return result;
}

}  // namespace ritz
