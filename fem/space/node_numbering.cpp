#include "fem/space/node_numbering.hpp"

#include "device/error.hpp"
#include "mesh/hash.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <utility>
#include <numeric>

namespace ritz {
namespace {

// An edge or a facet of a reference cell (or a vertex, or the inside), with the element's nodes inside it.
struct Entity {
  std::vector<int> corners;
  // [orientation] local nodes in the order that all cells around the entity agree on. The orientation gives the corner
  // with the lowest number in the mesh and the side of its lower neighbour: 2 * corner + (0: next, 1: previous).
  std::vector<std::vector<int>> ordered;
  std::vector<std::array<int, 2>> key;  // coordinates of the nodes in that order, rounded: what cells must agree on
};

int orientation_of(const Entity& entity, const Node* corner_nodes) {
  const int n = static_cast<int>(entity.corners.size());
  if (n == 1) return 0;
  if (n == 2) return corner_nodes[entity.corners[1]] < corner_nodes[entity.corners[0]] ? 2 : 0;
  int lowest = 0;
  const auto at = [&](int i) { return corner_nodes[entity.corners[static_cast<std::size_t>((i + n) % n)]]; };
  for (int i = 1; i < n; ++i)
    if (at(i) < at(lowest)) lowest = i;
  return 2 * lowest + (at(lowest + 1) <= at(lowest - 1) ? 0 : 1);
}

// Coordinates of x on the entity seen in an orientation: from its first corner towards the two neighbours (one for
// edges).
std::array<double, 2> coordinates_on(const std::vector<Point>& corners, int orientation, const Point& x) {
  const int n = static_cast<int>(corners.size()), first = orientation / 2, step = orientation % 2 == 0 ? 1 : -1;
  const auto corner = [&](int i) { return corners[static_cast<std::size_t>((i + n) % n)]; };
  const Point origin = corner(first);
  Point axis[2] = {corner(first + step), corner(first - step)};
  double gram[3] = {0, 0, 0}, right[2] = {0, 0};
  for (std::size_t i = 0; i < 3; ++i) {
    axis[0][i] -= origin[i];
    axis[1][i] -= origin[i];
    gram[0] += axis[0][i] * axis[0][i];
    gram[1] += axis[0][i] * axis[1][i];
    gram[2] += axis[1][i] * axis[1][i];
    right[0] += axis[0][i] * (x[i] - origin[i]);
    right[1] += axis[1][i] * (x[i] - origin[i]);
  }
  if (n == 2) return {right[0] / gram[0], 0};
  const double determinant = gram[0] * gram[2] - gram[1] * gram[1];
  return {(gram[2] * right[0] - gram[1] * right[1]) / determinant,
          (gram[0] * right[1] - gram[1] * right[0]) / determinant};
}

// Is x on the edge or facet, but not on its border?
bool inside(const std::vector<Point>& corners, const Point& x) {
  constexpr double tolerance = 1e-9;
  const std::array<double, 2> s = coordinates_on(corners, 0, x);
  const std::size_t n = corners.size();
  const Point &o = corners[0], &a = corners[1], &b = corners[n - 1];
  double distance = 0;
  for (std::size_t i = 0; i < 3; ++i)
    distance = std::max(distance, std::abs(o[i] + s[0] * (a[i] - o[i]) + (n > 2 ? s[1] * (b[i] - o[i]) : 0) - x[i]));
  if (distance > tolerance) return false;
  if (n == 2) return s[0] > tolerance && s[0] < 1 - tolerance;
  if (n == 3) return s[0] > tolerance && s[1] > tolerance && s[0] + s[1] < 1 - tolerance;
  return s[0] > tolerance && s[1] > tolerance && s[0] < 1 - tolerance && s[1] < 1 - tolerance;
}

std::array<int, 2> rounded(std::array<double, 2> s) {
  return {static_cast<int>(std::lround(1e7 * s[0])), static_cast<int>(std::lround(1e7 * s[1]))};
}

Entity make_entity(const ReferenceElement& element, std::vector<int> corners, const std::vector<int>& nodes) {
  Entity entity;
  entity.corners = std::move(corners);
  std::vector<Point> points;
  for (const int c : entity.corners) points.push_back(reference_nodes(element.shape)[static_cast<std::size_t>(c)]);
  if (points.size() == 1) {
    entity.ordered = {nodes};
    entity.key.resize(nodes.size());
    return entity;
  }
  for (int orientation = 0; orientation < 2 * static_cast<int>(points.size()); ++orientation) {
    std::vector<std::pair<std::array<int, 2>, int>> sorted;
    for (const int node : nodes)
      sorted.emplace_back(rounded(coordinates_on(points, orientation, element.nodes[static_cast<std::size_t>(node)])),
                          node);
    std::ranges::sort(sorted);
    std::vector<std::array<int, 2>> key;
    entity.ordered.emplace_back();
    for (const auto& [place, node] : sorted) {
      key.push_back(place);
      entity.ordered.back().push_back(node);
    }
    if (orientation == 0) entity.key = key;
    if (key != entity.key)
      throw Error(
          ErrorKind::plugin,
          fmt::format("the nodes of element '{}' do not lie symmetrically on its edges or facets", element.name),
          "two cells that see an edge from its two ends must find the same nodes on it",
          "place nodes on edges and facets so that turning and mirroring them changes nothing");
  }
  return entity;
}

struct ElementEntities {
  std::vector<Entity> shared;  // vertices, edges, facets
  std::vector<int> interior;
};

ElementEntities entities_of(const ReferenceElement& element) {
  const CellTraits& t = traits(element.shape);
  ElementEntities result;
  std::vector<bool> taken(element.nodes.size(), false);
  const auto add = [&](const std::vector<int>& corners) {
    std::vector<Point> points;
    for (const int c : corners) points.push_back(reference_nodes(element.shape)[static_cast<std::size_t>(c)]);
    std::vector<int> nodes;
    for (std::size_t a = 0; a < taken.size(); ++a) {
      if (taken[a]) continue;
      const Point& x = element.nodes[a];
      const bool on = points.size() == 1
                          ? std::hypot(x[0] - points[0][0], x[1] - points[0][1], x[2] - points[0][2]) < 1e-9
                          : inside(points, x);
      if (!on) continue;
      nodes.push_back(static_cast<int>(a));
      taken[a] = true;
    }
    result.shared.push_back(make_entity(element, corners, nodes));
  };
  for (int c = 0; c < t.corner_count; ++c) add({c});
  if (t.dimension > 1)
    for (const auto& edge : t.edges) add({edge[0], edge[1]});
  if (t.dimension > 2)
    for (const Facet& facet : t.facets)
      add({facet.nodes.begin(), facet.nodes.begin() + traits(facet.kind).corner_count});
  for (std::size_t a = 0; a < taken.size(); ++a)
    if (!taken[a]) result.interior.push_back(static_cast<int>(a));
  return result;
}

// First node number of every edge and facet met so far, by its (up to three lowest) corners; open addressing. Entities
// lie in the order of their lowest corners' numbers, so that neighbours along the curve are neighbours here. After a
// few full slots there the search goes on anywhere: corners with many edges do not slow it down.
class EntityTable {
 public:
  // number_of_corner: [mesh node] known before the corner's first entity is looked for, and unchanged from then on.
  explicit EntityTable(const std::vector<Index>& number_of_corner) : number_(number_of_corner) {}

  struct Slot {
    std::array<Node, 3> corners{-1, -1, -1};
    std::int32_t count = 0;  // nodes
    Index first = 0;
  };
  Slot& find(const std::array<Node, 3>& corners) {
    if (2 * (used_ + 1) > slots_.size()) grow();
    Slot& slot = slots_[position(corners)];
    if (slot.corners[0] < 0) {
      slot.corners = corners;
      ++used_;
    }
    return slot;
  }

 private:
  std::size_t position(const std::array<Node, 3>& c) const {
    constexpr std::size_t near = 16;
    const std::size_t mask = slots_.size() - 1;
    const auto ends_at = [&](std::size_t i) {
      const std::array<Node, 3>& there = slots_[i].corners;
      return there[0] < 0 || (there[0] == c[0] && there[1] == c[1] && there[2] == c[2]);
    };
    const std::uint64_t others = mix(c[1]) + 7 * mix(c[2]);
    std::size_t i = (2 * static_cast<std::size_t>(number_[static_cast<std::size_t>(c[0])]) + others % near) & mask;
    for (std::size_t probe = 0; probe < near; ++probe, i = (i + 1) & mask)
      if (ends_at(i)) return i;
    i = mix(mix(c[0]) + 3 * others) & mask;
    while (!ends_at(i)) i = (i + 1) & mask;
    return i;
  }
  void grow() {
    std::vector<Slot> old(std::max<std::size_t>(1024, 2 * slots_.size()));
    old.swap(slots_);
    for (const Slot& slot : old)
      if (slot.corners[0] >= 0) slots_[position(slot.corners)] = slot;
  }
  const std::vector<Index>& number_;
  std::vector<Slot> slots_;
  std::size_t used_ = 0;
};

// The corners that name an entity, ascending: all of a vertex, edge or triangle, the three lowest of a quadrilateral.
std::array<Node, 3> name_of(const Entity& entity, const Node* nodes) {
  FewNodes sorted;
  for (const int corner : entity.corners) sorted.insert(nodes[corner]);
  return {sorted.node[0], sorted.node[1], sorted.node[2]};
}

using EntitiesOfKinds = std::map<CellKind, ElementEntities>;

// Keeps entities that have nodes. Throws where two elements disagree about the nodes of an entity that they may share.
void keep_agreed(EntitiesOfKinds& entities, const std::map<CellKind, ReferenceElement>& elements) {
  // The layout that cells must agree on, per number of corners; the first element with such an entity defines it.
  std::array<std::vector<std::array<int, 2>>, 5> agreed;
  std::array<bool, 5> known{};
  for (auto& [kind, list] : entities) {
    for (const Entity& entity : list.shared) {
      const std::size_t n = entity.corners.size();
      if (!known[n]) agreed[n] = entity.key;
      if (known[n] && agreed[n] != entity.key)
        throw Error(
            ErrorKind::plugin,
            fmt::format("element '{}' does not match its neighbours: it has {} nodes inside an entity of {} corners, "
                        "where another element has {} or has them elsewhere",
                        elements.at(kind).name, entity.key.size(), n, agreed[n].size()),
            "a field would jump between cells", "give all shapes of the mesh elements that match");
      known[n] = true;
    }
    std::erase_if(list.shared, [](const Entity& entity) { return entity.key.empty(); });
  }
}

// Numbers nodes where a cell is the first to have them.
class FirstNumbers {
 public:
  explicit FirstNumbers(Index mesh_nodes) : vertex_(static_cast<std::size_t>(mesh_nodes), -1) {}

  // The first of `count` nodes of an entity.
  Index of(const Entity& entity, const Node* corners, std::size_t count) {
    if (entity.corners.size() == 1) {
      Index& first = vertex_[static_cast<std::size_t>(corners[entity.corners[0]])];
      if (first < 0) first = take(count);
      return first;
    }
    EntityTable::Slot& slot = table_.find(name_of(entity, corners));
    if (slot.count == 0) {
      slot.first = take(count);
      slot.count = static_cast<std::int32_t>(count);
    }
    return slot.first;
  }
  Index take(std::size_t count) { return std::exchange(next_, next_ + static_cast<Index>(count)); }
  Index count() const { return next_; }

 private:
  std::vector<Index> vertex_;  // [mesh node] its first node, or -1
  EntityTable table_{vertex_};
  Index next_ = 0;
};

}  // namespace

NodeNumbering number_nodes(const Mesh& mesh, std::span<const Index> cell_order,
                           const std::map<CellKind, ReferenceElement>& elements) {
  EntitiesOfKinds entities;
  for (const auto& [kind, element] : elements) entities.emplace(kind, entities_of(element));
  keep_agreed(entities, elements);
  NodeNumbering result;
  Index total = 0;
  for (const CellBlock& block : mesh.blocks()) {
    result.block_begin.push_back(total);
    total += block.cell_count() * elements.at(block.kind).node_count();
  }
  result.cell_nodes.assign(static_cast<std::size_t>(total), -1);

  FirstNumbers numbers(mesh.node_count());
  const auto blocks = mesh.blocks();
  for (const Index cell : cell_order) {
    const auto after = std::upper_bound(blocks.begin(), blocks.end(), cell,
                                        [](Index c, const CellBlock& b) { return c < b.first_cell; });
    const CellBlock& block = *std::prev(after);
    const ElementEntities& list = entities.at(block.kind);
    const Index n = elements.at(block.kind).node_count();
    const Node* corners = block.cell(cell - block.first_cell).data();
    Node* out = result.cell_nodes.data() + result.block_begin[static_cast<std::size_t>(&block - blocks.data())] +
                (cell - block.first_cell) * n;
    for (const Entity& entity : list.shared) {
      const std::vector<int>& nodes = entity.ordered[static_cast<std::size_t>(orientation_of(entity, corners))];
      const Index first = numbers.of(entity, corners, nodes.size());
      for (std::size_t i = 0; i < nodes.size(); ++i) out[nodes[i]] = static_cast<Node>(first + static_cast<Index>(i));
    }
    for (const int a : list.interior) out[a] = static_cast<Node>(numbers.take(1));
    if (numbers.count() > std::numeric_limits<Node>::max())
      throw Error(ErrorKind::device_memory,
                  fmt::format("the space has more than {} nodes", std::numeric_limits<Node>::max()),
                  "node numbers are 32-bit", "use a lower order or a coarser mesh");
  }
  result.node_count = numbers.count();
  return result;
}

}  // namespace ritz
