// Of a simplex that is cut at the middles of its edges, a node is either a corner or a middle. Corners have middles around them
// only, and a middle lies between two corners, the ends of its edge. From one corner a, all others follow: of the nodes around a middle m,
// the other end is the one that shares no cell at m with a or a neighbour of a. (Those neighbours are middles of edges at a; each other
// middle at m, of the third edge of a triangle or of the opposite edge of a tetrahedron, meets one of them in a cell at m.)
#include "mesh/nested_simplices.hpp"

#include "mesh/hash.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>

namespace ritz {
namespace {

constexpr Node none = -1;

class SimplexSearch {
 public:
  SimplexSearch(int dimension, std::span<const Node> cells, Index node_count)
      : corners_(static_cast<std::size_t>(dimension) + 1), cells_(cells), ends_(static_cast<std::size_t>(node_count), {none, none}),
        is_corner_(static_cast<std::size_t>(node_count), false), near_(static_cast<std::size_t>(node_count), none), beside_(static_cast<std::size_t>(node_count), 0) {
    begin_.assign(static_cast<std::size_t>(node_count) + 1, 0);
    for (const Node node : cells_) ++begin_[static_cast<std::size_t>(node) + 1];
    for (std::size_t i = 1; i < begin_.size(); ++i) begin_[i] += begin_[i - 1];
    around_.resize(cells_.size());
    std::vector<Index> next(begin_.begin(), begin_.end() - 1);
    for (std::size_t i = 0; i < cells_.size(); ++i) around_[static_cast<std::size_t>(next[static_cast<std::size_t>(cells_[i])]++)] = static_cast<std::int32_t>(i / corners_);
  }

  // Corners and middles of each component, from one of its corners.
  bool find_corners() {
    for (Index cell = 0; cell < cell_count(); ++cell) {
      const std::span<const Node> nodes = cell_nodes(cell);
      if (is_known(nodes[0])) continue;
      if (!std::ranges::any_of(candidates(cell), [this](Node start) { return spread_from(start); })) return false;
    }
    return true;
  }

  // The coarser cells, each from its part at its first corner; nothing where parts are missing.
  std::optional<NestedCells> result() {
    NestedCells r;
    std::vector<Node> coarse(ends_.size(), none);
    for (std::size_t node = 0; node < ends_.size(); ++node)
      if (is_corner_[node]) {
        coarse[node] = static_cast<Node>(r.same.size());
        r.same.push_back(static_cast<Node>(node));
      }
    for (Index cell = 0; cell < cell_count(); ++cell) {  // the part at the first corner stands for the whole, whose nodes follow in the same order
      const std::span<const Node> nodes = cell_nodes(cell);
      const auto at = std::ranges::find_if(nodes, [this](Node n) { return is_corner_[static_cast<std::size_t>(n)]; });
      if (at == nodes.end()) continue;
      std::array<Node, 4> whole{};
      for (std::size_t i = 0; i < corners_; ++i) whole[i] = nodes[i] == *at ? *at : other_end(nodes[i], *at);
      const auto used = std::span(whole).first(corners_);
      const Node least = std::ranges::min(used);
      if (least == none) return std::nullopt;
      if (least != *at) continue;
      for (const Node node : used) r.cells.push_back(coarse[static_cast<std::size_t>(node)]);
    }
    if (!all_parts_are_there(coarse, r.cells, r.node_count())) return std::nullopt;
    r.first.assign(1, 0);
    for (std::size_t node = 0; node < ends_.size(); ++node) {
      if (is_corner_[node]) r.parents.push_back(coarse[node]);
      else if (ends_[node][0] != none)
        for (const Node end : ends_[node]) r.parents.push_back(coarse[static_cast<std::size_t>(end)]);
      r.first.push_back(static_cast<Index>(r.parents.size()));
    }
    return r;
  }

 private:
  Index cell_count() const { return static_cast<Index>(cells_.size() / corners_); }
  std::span<const Node> cell_nodes(Index cell) const { return cells_.subspan(static_cast<std::size_t>(cell) * corners_, corners_); }
  std::span<const std::int32_t> cells_around(Node node) const {
    const auto n = static_cast<std::size_t>(node);
    return {around_.data() + begin_[n], static_cast<std::size_t>(begin_[n + 1] - begin_[n])};
  }
  bool is_known(Node node) const { return is_corner_[static_cast<std::size_t>(node)] || ends_[static_cast<std::size_t>(node)][0] != none; }

  // A cell has a corner among its nodes or, where it stands in the middle, among those of a neighbour.
  std::vector<Node> candidates(Index cell) const {
    std::vector<Node> nodes;
    for (const Node node : cell_nodes(cell))
      for (const std::int32_t other : cells_around(node)) nodes.insert(nodes.end(), cell_nodes(other).begin(), cell_nodes(other).end());
    std::ranges::sort(nodes, {}, [this](Node n) { return std::pair(cells_around(n).size(), n); });  // corners of the body first
    const auto repeated = std::ranges::unique(nodes);
    nodes.erase(repeated.begin(), repeated.end());
    return nodes;
  }

  template <class Use>
  void each_neighbour(Node node, const Use& use) const {  // as often as cells share it
    for (const Index cell : cells_around(node))
      for (const Node other : cell_nodes(cell))
        if (other != node) use(other);
  }

  bool spread_from(Node start) {
    std::vector<Node> found = {start}, middles;
    is_corner_[static_cast<std::size_t>(start)] = true;
    for (std::size_t i = 0; i < found.size(); ++i)
      if (!find_middles(found[i], found, middles)) {
        for (const Node node : found) is_corner_[static_cast<std::size_t>(node)] = false;
        for (const Node node : middles) ends_[static_cast<std::size_t>(node)] = {none, none};
        return false;
      }
    return true;
  }

  // All neighbours of a corner are middles; their other ends become known.
  bool find_middles(Node a, std::vector<Node>& found, std::vector<Node>& middles) {
    bool sound = true;
    each_neighbour(a, [&](Node m) {
      near_[static_cast<std::size_t>(m)] = a;
      sound = sound && !is_corner_[static_cast<std::size_t>(m)];
    });
    near_[static_cast<std::size_t>(a)] = a;
    if (!sound) return false;
    for (const Index cell : cells_around(a))
      for (const Node m : cell_nodes(cell)) {
        if (m == a) continue;
        auto& ends = ends_[static_cast<std::size_t>(m)];
        if (ends[0] == a || ends[1] == a) continue;
        if (ends[0] != none) return false;  // the end of another edge, and here are two more
        const Node b = opposite(a, m);
        if (b == none) return false;
        ends = {a, b};
        middles.push_back(m);
        if (is_corner_[static_cast<std::size_t>(b)]) continue;
        if (is_known(b)) return false;
        is_corner_[static_cast<std::size_t>(b)] = true;
        found.push_back(b);
      }
    return true;
  }

  // The other end of the edge at a whose middle is m: near_ marks a and its neighbours.
  Node opposite(Node a, Node m) {
    ++search_;
    for (const std::int32_t cell : cells_around(m)) {
      const std::span<const Node> nodes = cell_nodes(cell);
      if (std::ranges::any_of(nodes, [&](Node n) { return n != m && near_[static_cast<std::size_t>(n)] == a; }))
        for (const Node n : nodes) beside_[static_cast<std::size_t>(n)] = search_;
    }
    Node end = none;
    for (const std::int32_t cell : cells_around(m))
      for (const Node n : cell_nodes(cell)) {
        if (beside_[static_cast<std::size_t>(n)] == search_ || n == end) continue;
        if (end != none) return none;
        end = n;
      }
    return end;
  }

  Node other_end(Node middle, Node a) const {
    const auto& ends = ends_[static_cast<std::size_t>(middle)];
    return ends[0] == a ? ends[1] : ends[1] == a ? ends[0] : none;
  }
  // The corners of the coarser cell that a cell is part of; none where it is part of none.
  FewNodes whole_of(std::span<const Node> nodes) const {
    FewNodes whole;
    const auto add = [&](Node corner) {
      for (int k = 0; k < whole.count; ++k)
        if (whole.node[k] == corner) return true;
      if (corner == none || whole.count == static_cast<int>(corners_)) return false;
      whole.insert(corner);
      return true;
    };
    for (const Node node : nodes) {
      const auto& ends = ends_[static_cast<std::size_t>(node)];
      if (is_corner_[static_cast<std::size_t>(node)] ? !add(node) : !add(ends[0]) || !add(ends[1])) return {};
    }
    return whole.count == static_cast<int>(corners_) ? whole : FewNodes{};
  }

  // Each coarser cell has its parts: one at each corner, the others between. wholes: [coarser cell][corner].
  bool all_parts_are_there(const std::vector<Node>& coarse, std::span<const Node> wholes, Index coarse_count) const {
    const std::size_t count = wholes.size() / corners_;
    std::vector<FewNodes> keys(count);
    std::vector<std::int32_t> begin(static_cast<std::size_t>(coarse_count) + 1, 0), by_first(count);
    for (std::size_t i = 0; i < count; ++i) {
      for (const Node node : wholes.subspan(i * corners_, corners_)) keys[i].insert(node);
      ++begin[static_cast<std::size_t>(keys[i].node[0]) + 1];
    }
    for (std::size_t i = 1; i < begin.size(); ++i) begin[i] += begin[i - 1];
    std::vector<std::int32_t> next(begin.begin(), begin.end() - 1);
    for (std::size_t i = 0; i < count; ++i) by_first[static_cast<std::size_t>(next[static_cast<std::size_t>(keys[i].node[0])]++)] = static_cast<std::int32_t>(i);
    std::vector<std::int8_t> parts(count, 0), at_corners(count, 0);
    for (Index cell = 0; cell < cell_count(); ++cell) {
      FewNodes key;
      const FewNodes of_finer = whole_of(cell_nodes(cell));
      if (of_finer.count == 0) return false;
      for (int k = 0; k < of_finer.count; ++k) key.insert(coarse[static_cast<std::size_t>(of_finer.node[k])]);
      const auto first = static_cast<std::size_t>(key.node[0]);
      std::int32_t at = begin[first];
      while (at < begin[first + 1] && keys[static_cast<std::size_t>(by_first[static_cast<std::size_t>(at)])] != key) ++at;
      if (at == begin[first + 1]) return false;
      const auto whole = static_cast<std::size_t>(by_first[static_cast<std::size_t>(at)]);
      ++parts[whole];
      at_corners[whole] += std::ranges::any_of(cell_nodes(cell), [this](Node n) { return is_corner_[static_cast<std::size_t>(n)]; });
    }
    const auto expected = 1 << (corners_ - 1);
    return std::ranges::all_of(parts, [&](std::int8_t n) { return n == expected; }) &&
           std::ranges::all_of(at_corners, [&](std::int8_t n) { return n == static_cast<std::int8_t>(corners_); });
  }

  std::size_t corners_;               // of a cell
  std::span<const Node> cells_;
  std::vector<std::array<Node, 2>> ends_;  // [node] of the edge in whose middle it lies
  std::vector<bool> is_corner_;
  std::vector<Index> begin_;          // [node + 1]
  std::vector<std::int32_t> around_;  // cells around nodes
  std::vector<Node> near_;            // [node] the last corner whose neighbour it is
  std::vector<Index> beside_;         // [node] the last search in which it was found beside the corner
  Index search_ = 0;
};

}  // namespace

std::optional<NestedCells> coarser_simplices(int dimension, std::span<const Node> cells, Index node_count) {
  const std::size_t corners = static_cast<std::size_t>(dimension) + 1;
  if (cells.empty() || cells.size() % (corners << dimension) != 0 || cells.size() / corners > std::numeric_limits<std::int32_t>::max()) return std::nullopt;
  SimplexSearch search(dimension, cells, node_count);
  if (!search.find_corners()) return std::nullopt;
  return search.result();
}

}  // namespace ritz
