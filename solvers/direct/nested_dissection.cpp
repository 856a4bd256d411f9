#include "solvers/direct/nested_dissection.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

namespace ritz {
namespace {

using Node = std::int32_t;

// Edges between two sides, from one to the other; sides are numbered from 0 each.
struct CutEdges {
  std::vector<Node> left, right;      // the nodes that have such edges
  std::vector<Index> offsets{0};      // [left + 1]
  std::vector<std::int32_t> targets;  // indices into right
};

// A largest matching of a bipartite graph (Hopcroft and Karp 1973), and from it a smallest vertex cover (Koenig 1931).
class VertexCover {
 public:
  explicit VertexCover(const CutEdges& edges)
      : edges_(edges),
        mate_of_left_(edges.left.size(), -1),
        mate_of_right_(edges.right.size(), -1),
        next_(edges.left.size()) {
    match_greedily();
    while (find_layers()) {
      std::copy(edges_.offsets.begin(), edges_.offsets.end() - 1, next_.begin());
      for (std::size_t u = 0; u < mate_of_left_.size(); ++u)
        if (mate_of_left_[u] < 0) augment(static_cast<std::int32_t>(u));
    }
  }

  std::vector<Node> nodes() {
    find_layers();  // nodes that alternating paths from unmatched left nodes reach
    std::vector<Node> cover;
    for (std::size_t u = 0; u < layer_.size(); ++u)
      if (layer_[u] < 0) cover.push_back(edges_.left[u]);
    for (std::size_t v = 0; v < mate_of_right_.size(); ++v)
      if (mate_of_right_[v] >= 0 && layer_[static_cast<std::size_t>(mate_of_right_[v])] >= 0)
        cover.push_back(edges_.right[v]);
    return cover;
  }

 private:
  void match_greedily() {
    for (std::size_t u = 0; u < mate_of_left_.size(); ++u)
      for (Index k = edges_.offsets[u]; k < edges_.offsets[u + 1]; ++k) {
        const std::int32_t v = edges_.targets[static_cast<std::size_t>(k)];
        if (mate_of_right_[static_cast<std::size_t>(v)] >= 0) continue;
        join(static_cast<std::int32_t>(u), v);
        break;
      }
  }

  void join(std::int32_t u, std::int32_t v) {
    mate_of_left_[static_cast<std::size_t>(u)] = v;
    mate_of_right_[static_cast<std::size_t>(v)] = u;
  }

  // Distances of left nodes from the unmatched ones along alternating paths, -1 where none leads; whether a path can be
  // augmented.
  bool find_layers() {
    layer_.assign(mate_of_left_.size(), -1);
    queue_.clear();
    for (std::size_t u = 0; u < layer_.size(); ++u)
      if (mate_of_left_[u] < 0) {
        layer_[u] = 0;
        queue_.push_back(static_cast<std::int32_t>(u));
      }
    bool found = false;
    for (std::size_t first = 0; first < queue_.size(); ++first) {
      const auto u = static_cast<std::size_t>(queue_[first]);
      for (Index k = edges_.offsets[u]; k < edges_.offsets[u + 1]; ++k) {
        const std::int32_t mate = mate_of_right_[static_cast<std::size_t>(edges_.targets[static_cast<std::size_t>(k)])];
        if (mate < 0) found = true;
        else if (layer_[static_cast<std::size_t>(mate)] < 0) {
          layer_[static_cast<std::size_t>(mate)] = layer_[u] + 1;
          queue_.push_back(mate);
        }
      }
    }
    return found;
  }

  // Depth first along the layers, without recursion: paths can be as long as the cut.
  bool augment(std::int32_t start) {
    path_.assign(1, start);
    while (!path_.empty()) {
      const auto u = static_cast<std::size_t>(path_.back());
      if (next_[u] == edges_.offsets[u + 1]) {
        layer_[u] = -1;
        path_.pop_back();
        if (!path_.empty()) ++next_[static_cast<std::size_t>(path_.back())];
        continue;
      }
      const std::int32_t v = edges_.targets[static_cast<std::size_t>(next_[u])];
      const std::int32_t mate = mate_of_right_[static_cast<std::size_t>(v)];
      if (mate < 0) {
        for (const std::int32_t w : path_) {  // each takes its current edge
          const std::int32_t target = edges_.targets[static_cast<std::size_t>(next_[static_cast<std::size_t>(w)])];
          join(w, target);
        }
        return true;
      }
      if (layer_[static_cast<std::size_t>(mate)] == layer_[u] + 1) path_.push_back(mate);
      else ++next_[u];
    }
    return false;
  }

  const CutEdges& edges_;
  std::vector<std::int32_t> mate_of_left_, mate_of_right_, layer_, queue_, path_;
  std::vector<Index> next_;
};

class Dissection {
 public:
  Dissection(const BlockGraph& graph, std::span<const double> coordinates, int dimension)
      : graph_(graph),
        coordinates_(coordinates),
        dimension_(dimension),
        nodes_(static_cast<std::size_t>(graph.size())),
        side_(nodes_.size(), 0),
        local_(nodes_.size(), -1) {
    std::iota(nodes_.begin(), nodes_.end(), 0);
  }

  std::vector<std::int32_t> order() {
    dissect(nodes_);
    return std::move(nodes_);
  }

 private:
  // Below this a front gains nothing from further cuts; measured on P1 and P2 elasticity.
  static constexpr std::size_t leaf_size = 8;

  struct Cut {
    std::vector<Node> left, right, separator;
    double cost = std::numeric_limits<double>::infinity();
  };

  double coordinate(Node node, int axis) const {
    return coordinates_[static_cast<std::size_t>(node) * static_cast<std::size_t>(dimension_) +
                        static_cast<std::size_t>(axis)];
  }

  // [part] becomes: left half, right half, separator, each half in its own order.
  void dissect(std::span<Node> part) {
    if (part.size() <= leaf_size) return;
    Cut best;
    for (const int axis : axes_of(part)) {
      Cut cut = cut_across(part, axis);
      if (cut.cost < best.cost) best = std::move(cut);
    }
    if (best.left.empty() || best.right.empty()) return;
    std::copy(best.left.begin(), best.left.end(), part.begin());
    std::copy(best.right.begin(), best.right.end(), part.begin() + static_cast<std::ptrdiff_t>(best.left.size()));
    std::copy(best.separator.begin(), best.separator.end(),
              part.end() - static_cast<std::ptrdiff_t>(best.separator.size()));
    for (const Node node : best.separator) side_[static_cast<std::size_t>(node)] = 0;
    const std::size_t left = best.left.size(), right = best.right.size();
    best = {};
    dissect(part.subspan(0, left));
    dissect(part.subspan(left, right));
  }

  // The axes along which the part is at least half as long as it is at most; the longest first.
  std::vector<int> axes_of(std::span<const Node> part) const {
    std::vector<std::pair<double, int>> extents;
    for (int axis = 0; axis < dimension_; ++axis) {
      double low = std::numeric_limits<double>::infinity(), high = -low;
      for (const Node node : part) {
        low = std::min(low, coordinate(node, axis));
        high = std::max(high, coordinate(node, axis));
      }
      extents.emplace_back(low - high, axis);
    }
    std::sort(extents.begin(), extents.end());
    std::vector<int> axes;
    for (const auto& [negative, axis] : extents)
      if (axes.empty() || negative <= 0.5 * extents[0].first) axes.push_back(axis);
    return axes;
  }

  Cut cut_across(std::span<const Node> part, int axis) {
    std::vector<Node> sorted(part.begin(), part.end());
    const std::size_t half = split(sorted, axis);
    const std::int32_t left = ++stamp_, right = ++stamp_;
    for (std::size_t i = 0; i < sorted.size(); ++i)
      side_[static_cast<std::size_t>(sorted[i])] = i < half ? left : right;
    Cut cut;
    cut.separator = VertexCover(edges_between(std::span(sorted).first(half), right)).nodes();
    std::sort(cut.separator.begin(), cut.separator.end());
    const std::int32_t separating = ++stamp_;
    for (const Node node : cut.separator) side_[static_cast<std::size_t>(node)] = separating;
    for (const Node node : sorted) {
      const std::int32_t side = side_[static_cast<std::size_t>(node)];
      if (side == left) cut.left.push_back(node);
      if (side == right) cut.right.push_back(node);
    }
    if (cut.left.empty() || cut.right.empty()) return cut;
    const double more = static_cast<double>(std::max(cut.left.size(), cut.right.size())),
                 all = static_cast<double>(part.size());
    cut.cost = (1 + static_cast<double>(cut.separator.size())) * (0.5 + more / all);
    return cut;
  }

  // Moves the lower half to the front, by coordinate, then by the other coordinates, then by number; where the middle
  // falls into a plane of nodes, the whole plane goes to the side that keeps the halves more equal. Returns its length.
  std::size_t split(std::vector<Node>& part, int axis) const {
    const auto less = [&](Node a, Node b) {
      for (int k = 0; k < dimension_; ++k) {
        const double p = coordinate(a, (axis + k) % dimension_), q = coordinate(b, (axis + k) % dimension_);
        if (p != q) return p < q;
      }
      return a < b;
    };
    const std::size_t half = part.size() / 2;
    std::nth_element(part.begin(), part.begin() + static_cast<std::ptrdiff_t>(half), part.end(), less);
    const double middle = coordinate(part[half], axis);
    const auto below = static_cast<std::size_t>(
        std::count_if(part.begin(), part.end(), [&](Node n) { return coordinate(n, axis) < middle; }));
    const auto up_to = static_cast<std::size_t>(
        std::count_if(part.begin(), part.end(), [&](Node n) { return coordinate(n, axis) <= middle; }));
    const std::size_t whole = half - below < up_to - half ? below : up_to;
    if (3 * whole < part.size() || 3 * (part.size() - whole) < part.size()) return half;
    std::nth_element(part.begin(), part.begin() + static_cast<std::ptrdiff_t>(std::min(whole, part.size() - 1)),
                     part.end(), less);
    return whole;
  }

  CutEdges edges_between(std::span<const Node> left, std::int32_t right) {
    CutEdges edges;
    for (const Node node : left) {
      const std::size_t before = edges.targets.size();
      for (Index k = graph_.offsets[static_cast<std::size_t>(node)];
           k < graph_.offsets[static_cast<std::size_t>(node) + 1]; ++k) {
        const Node other = graph_.columns[static_cast<std::size_t>(k)];
        if (side_[static_cast<std::size_t>(other)] != right) continue;
        std::int32_t& number = local_[static_cast<std::size_t>(other)];
        if (number < 0) {
          number = static_cast<std::int32_t>(edges.right.size());
          edges.right.push_back(other);
        }
        edges.targets.push_back(number);
      }
      if (edges.targets.size() == before) continue;
      edges.left.push_back(node);
      edges.offsets.push_back(static_cast<Index>(edges.targets.size()));
    }
    for (const Node node : edges.right) local_[static_cast<std::size_t>(node)] = -1;
    return edges;
  }

  const BlockGraph& graph_;
  std::span<const double> coordinates_;
  int dimension_;
  std::vector<Node> nodes_;
  std::vector<std::int32_t> side_, local_;  // [node]: the stamp of its part, 0 in separators; its number in a cut
  std::int32_t stamp_ = 0;
};

}  // namespace

std::vector<std::int32_t> nested_dissection(const BlockGraph& graph, std::span<const double> coordinates,
                                            int dimension) {
  if (graph.size() <= 0) return {};
  return Dissection(graph, coordinates, dimension).order();
}

}  // namespace ritz
