#include "io/meshes/foreign_cells.hpp"

#include <algorithm>
#include <array>
#include <numeric>

#include <fmt/format.h>

namespace ritz {

std::span<const int> verticals_before_top(CellKind kind) {
  static constexpr std::array hexahedron{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 16, 17, 18, 19, 12, 13, 14, 15};
  static constexpr std::array wedge{0, 1, 2, 3, 4, 5, 6, 7, 8, 12, 13, 14, 9, 10, 11, 15, 16, 17};
  if (kind == CellKind::hex20) return hexahedron;
  if (kind == CellKind::prism18) return wedge;
  if (kind == CellKind::prism15) return std::span(wedge).first(15);
  return {};
}

void append_cells(std::vector<Node>& nodes, std::span<const std::int64_t> numbers, int node_count,
                  std::span<const int> order) {
  const auto width = static_cast<std::size_t>(node_count);
  const std::size_t before = nodes.size();
  nodes.resize(before + numbers.size() / width * width);
  for (std::size_t cell = 0; cell + width <= numbers.size(); cell += width)
    for (std::size_t i = 0; i < width; ++i)
      nodes[before + cell + i] =
          node_of_number(numbers[cell + (order.empty() ? i : static_cast<std::size_t>(order[i]))]);
}

std::vector<Node> join_points(std::vector<double>& points, Index& joined) {
  std::vector<Node> order(points.size() / 3), first(order.size());
  std::iota(order.begin(), order.end(), Node{0});
  const auto at = [&points](Node node) { return std::span(points).subspan(3 * static_cast<std::size_t>(node), 3); };
  const auto less = [&at](Node a, Node b) {
    return std::lexicographical_compare(at(a).begin(), at(a).end(), at(b).begin(), at(b).end());
  };
  std::stable_sort(order.begin(), order.end(), less);
  for (std::size_t i = 0; i < order.size(); ++i) {
    const bool is_new = i == 0 || less(order[i - 1], order[i]);
    first[static_cast<std::size_t>(order[i])] = is_new ? order[i] : first[static_cast<std::size_t>(order[i - 1])];
    joined += !is_new;
  }
  Node next = 0;
  for (std::size_t i = 0; i < first.size(); ++i) {  // the first in a place comes before the others
    const bool stays = first[i] == static_cast<Node>(i);
    if (stays)
      std::copy_n(points.begin() + static_cast<std::ptrdiff_t>(3 * i), 3, points.begin() + 3 * std::ptrdiff_t{next});
    first[i] = stays ? next++ : first[static_cast<std::size_t>(first[i])];
  }
  points.resize(3 * static_cast<std::size_t>(next));
  return first;
}

void report_unit_of_length(const std::string& path, std::string unit, std::vector<std::string>& notices) {
  struct Unit {
    std::string_view name;
    double metres;
  };
  constexpr std::array units{Unit{"km", 1e3},          Unit{"dm", 0.1},          Unit{"cm", 0.01},
                             Unit{"centimeter", 0.01}, Unit{"mm", 1e-3},         Unit{"millimeter", 1e-3},
                             Unit{"um", 1e-6},         Unit{"micrometer", 1e-6}, Unit{"nm", 1e-9},
                             Unit{"in", 0.0254},       Unit{"inch", 0.0254},     Unit{"ft", 0.3048},
                             Unit{"foot", 0.3048}};
  for (char& c : unit)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  const auto known = std::ranges::find(units, unit, &Unit::name);
  if (known == units.end()) return;
  notices.push_back(fmt::format(
      "'{}' says that its lengths are in {}, and they are taken as they are: [mesh] scale = {} makes them metres", path,
      unit, known->metres));
}

}  // namespace ritz
