#include "io/foreign_cells.hpp"

#include <algorithm>
#include <array>
#include <numeric>

namespace ritz {

std::span<const int> verticals_before_top(CellKind kind) {
  static constexpr std::array hexahedron{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 16, 17, 18, 19, 12, 13, 14, 15};
  static constexpr std::array wedge{0, 1, 2, 3, 4, 5, 6, 7, 8, 12, 13, 14, 9, 10, 11, 15, 16, 17};
  if (kind == CellKind::hex20) return hexahedron;
  if (kind == CellKind::prism18) return wedge;
  if (kind == CellKind::prism15) return std::span(wedge).first(15);
  return {};
}

void append_cells(std::vector<Node>& nodes, std::span<const std::int64_t> numbers, int node_count, std::span<const int> order) {
  const auto width = static_cast<std::size_t>(node_count);
  const std::size_t before = nodes.size();
  nodes.resize(before + numbers.size() / width * width);
  for (std::size_t cell = 0; cell + width <= numbers.size(); cell += width)
    for (std::size_t i = 0; i < width; ++i)
      nodes[before + cell + i] = node_of_number(numbers[cell + (order.empty() ? i : static_cast<std::size_t>(order[i]))]);
}

std::vector<Node> first_in_place(std::span<const double> points, Index& joined) {
  std::vector<Node> order(points.size() / 3), first(order.size());
  std::iota(order.begin(), order.end(), Node{0});
  const auto at = [&points](Node node) { return points.subspan(3 * static_cast<std::size_t>(node), 3); };
  const auto less = [&at](Node a, Node b) {
    return std::lexicographical_compare(at(a).begin(), at(a).end(), at(b).begin(), at(b).end());
  };
  std::stable_sort(order.begin(), order.end(), less);
  joined = 0;
  for (std::size_t i = 0; i < order.size(); ++i) {
    const bool is_new = i == 0 || less(order[i - 1], order[i]);
    first[static_cast<std::size_t>(order[i])] = is_new ? order[i] : first[static_cast<std::size_t>(order[i - 1])];
    joined += !is_new;
  }
  return first;
}

}  // namespace ritz
