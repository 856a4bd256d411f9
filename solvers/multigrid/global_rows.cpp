#include "solvers/multigrid/global_rows.hpp"

#include <algorithm>
#include <cstring>

namespace ritz {
namespace {

template <class T>
void write(const std::vector<T>& numbers, std::vector<std::byte>& bytes) {
  const auto size = static_cast<Index>(numbers.size());
  const std::span<const std::byte> head = std::as_bytes(std::span(&size, 1)), body = std::as_bytes(std::span(numbers));
  bytes.insert(bytes.end(), head.begin(), head.end());
  bytes.insert(bytes.end(), body.begin(), body.end());
}

template <class T>
void read(std::span<const std::byte>& bytes, std::vector<T>& numbers) {
  Index size = 0;
  std::memcpy(&size, bytes.data(), sizeof size);
  bytes = bytes.subspan(sizeof size);
  numbers.resize(static_cast<std::size_t>(size));
  if (size > 0) std::memcpy(numbers.data(), bytes.data(), numbers.size() * sizeof(T));
  bytes = bytes.subspan(numbers.size() * sizeof(T));
}

}  // namespace

std::vector<GlobalRows> swap_rows(Ranks& ranks, std::span<const GlobalRows> to_each) {
  std::vector<std::vector<std::byte>> sent(to_each.size());
  for (std::size_t rank = 0; rank < to_each.size(); ++rank) {
    const GlobalRows& rows = to_each[rank];
    if (rows.row.empty()) continue;
    for (const std::vector<Index>* each : {&rows.row, &rows.count, &rows.column}) write(*each, sent[rank]);
    write(rows.values, sent[rank]);
  }
  const std::vector<std::vector<std::byte>> received = ranks.swap(sent);
  std::vector<GlobalRows> result(received.size());
  for (std::size_t rank = 0; rank < received.size(); ++rank) {
    std::span<const std::byte> bytes = received[rank];
    if (bytes.empty()) continue;
    for (std::vector<Index>* each : {&result[rank].row, &result[rank].count, &result[rank].column}) read(bytes, *each);
    read(bytes, result[rank].values);
  }
  return result;
}

std::size_t rank_of(Index number, std::span<const Index> first) {
  return static_cast<std::size_t>(std::ranges::upper_bound(first, number) - first.begin() - 1);
}

}  // namespace ritz
