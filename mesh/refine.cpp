// Children are described on the reference cell: their corners, and from them the lattice of all points that they need.
// A point on the boundary of a cell is known by the corners that it lies between and its linear weights there, which is
// the same for all cells that share it.
#include "mesh/refine.hpp"

#include "mesh/cell_geometry.hpp"
#include "mesh/hash.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

namespace ritz {
namespace {

struct Child {
  CellKind linear;
  std::vector<Point> corners;  // on the reference cell of the parent
};

Point middle(const Point& a, const Point& b) { return {(a[0] + b[0]) / 2, (a[1] + b[1]) / 2, (a[2] + b[2]) / 2}; }

// Lines, quadrilaterals, hexahedra: the halves, quarters, eighths of the cube.
std::vector<Child> children_of_cube(CellKind linear) {
  const auto corners = reference_nodes(linear);
  std::vector<Child> children;
  for (const Point& towards : corners) {
    Child child{linear, {}};
    for (const Point& corner : corners) child.corners.push_back(middle(corner, towards));
    children.push_back(std::move(child));
  }
  return children;
}

std::vector<Child> children_of_triangle() {
  const auto x = reference_nodes(CellKind::tri3);
  const Point a = middle(x[0], x[1]), b = middle(x[1], x[2]), c = middle(x[2], x[0]);
  return {{CellKind::tri3, {x[0], a, c}}, {CellKind::tri3, {a, x[1], b}}, {CellKind::tri3, {c, b, x[2]}}, {CellKind::tri3, {a, b, c}}};
}

std::vector<Child> children_of_prism() {
  std::vector<Child> children;
  for (const double bottom : {-1.0, 0.0})
    for (const Child& triangle : children_of_triangle()) {
      Child child{CellKind::prism6, {}};
      for (const double z : {bottom, bottom + 1})
        for (const Point& x : triangle.corners) child.corners.push_back({x[0], x[1], z});
      children.push_back(std::move(child));
    }
  return children;
}

double orientation(const std::vector<Point>& x) {
  double e[3][3];
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t k = 0; k < 3; ++k) e[i][k] = x[i + 1][k] - x[0][k];
  return e[0][0] * (e[1][1] * e[2][2] - e[1][2] * e[2][1]) + e[0][1] * (e[1][2] * e[2][0] - e[1][0] * e[2][2]) +
         e[0][2] * (e[1][0] * e[2][1] - e[1][1] * e[2][0]);
}

Child tetrahedron(std::vector<Point> corners) {
  if (orientation(corners) < 0) std::swap(corners[2], corners[3]);
  return {CellKind::tet4, std::move(corners)};
}

// The diagonals of the inner octahedron by the edges whose middles they join (numbers of CellTraits::edges).
constexpr int diagonals[3][2] = {{0, 5}, {2, 4}, {3, 1}};

// Four tetrahedra at the corners and four around a diagonal (Bey, "Tetrahedral grid refinement", 1995).
std::vector<Child> children_of_tetrahedron(int diagonal) {
  const auto x = reference_nodes(CellKind::tet4);
  std::vector<Point> m;  // in the order of the edges 01 12 20 03 13 23
  for (const auto& [a, b] : traits(CellKind::tet4).edges) m.push_back(middle(x[static_cast<std::size_t>(a)], x[static_cast<std::size_t>(b)]));
  std::vector<Child> children = {tetrahedron({x[0], m[0], m[2], m[3]}), tetrahedron({m[0], x[1], m[1], m[4]}),
                                 tetrahedron({m[2], m[1], x[2], m[5]}), tetrahedron({m[3], m[4], m[5], x[3]})};
  const auto& [from, to] = diagonals[diagonal];
  const auto& [b0, b1] = diagonals[(diagonal + 1) % 3];
  const auto& [c0, c1] = diagonals[(diagonal + 2) % 3];
  const int ring[4] = {b0, c0, b1, c1};
  const auto at = [&m](int edge) { return m[static_cast<std::size_t>(edge)]; };
  for (int i = 0; i < 4; ++i) children.push_back(tetrahedron({at(from), at(to), at(ring[i]), at(ring[(i + 1) % 4])}));
  return children;
}

// Four pyramids on the base, one on top of them, one upside down between, and a tetrahedron in each gap at the sides.
std::vector<Child> children_of_pyramid() {
  const auto x = reference_nodes(CellKind::pyramid5);
  const Point centre{0, 0, 0}, apex = x[4];
  std::vector<Child> children;
  const auto base = [&x](std::size_t i) { return x[i % 4]; };
  const auto up = [&](std::size_t i) { return middle(base(i), apex); };
  for (std::size_t i = 0; i < 4; ++i)
    children.push_back({CellKind::pyramid5, {base(i), middle(base(i), base(i + 1)), centre, middle(base(i), base(i + 3)), up(i)}});
  children.push_back({CellKind::pyramid5, {up(0), up(1), up(2), up(3), apex}});
  children.push_back({CellKind::pyramid5, {up(0), up(3), up(2), up(1), centre}});
  for (std::size_t i = 0; i < 4; ++i) children.push_back(tetrahedron({centre, middle(base(i), base(i + 1)), up(i), up(i + 1)}));
  return children;
}

std::vector<Child> children_of(CellKind linear, int variant) {
  switch (linear) {
    case CellKind::tri3: return children_of_triangle();
    case CellKind::tet4: return children_of_tetrahedron(variant);
    case CellKind::prism6: return children_of_prism();
    case CellKind::pyramid5: return children_of_pyramid();
    default: return children_of_cube(linear);
  }
}

// The kind of the children of that shape: tet10 beside the pyramid13 of a pyramid13.
CellKind child_kind(CellKind parent, CellKind linear) {
  if (traits(parent).order == 1) return linear;
  return linear == traits(parent).linear ? parent : CellKind::tet10;
}

struct LatticePoint {
  Point xi;
  int old_node = -1;              // of the parent, when it has a node there
  bool shared = false;            // with the cells around: it lies on a facet
  int corner_count = 0;           // that it lies between, when shared
  int corners[4] = {};
  int weights[4] = {};            // in sixteenths
  std::vector<double> values;     // shape functions of the parent
  std::vector<int> nodes_around;  // of the parent: those of the edge, face or cell that it lies in
};

struct FacetChild {
  std::size_t child;
  int facet;
};

// What becomes of a cell of one kind.
struct Recipe {
  std::vector<LatticePoint> points;
  std::vector<CellKind> kinds;                     // of the children's blocks
  std::vector<std::size_t> block_of_child;         // [child]
  std::vector<Index> place_of_child, per_block;    // within its parent's children in the block; [block]
  struct Variant {
    std::vector<std::vector<int>> children;        // [child][node] -> point
    std::vector<std::vector<FacetChild>> facets;   // [facet of the parent]
  };
  std::vector<Variant> variants;                   // 3 for tetrahedra, one per diagonal
};

class RecipeMaker {
 public:
  explicit RecipeMaker(CellKind kind) : kind_(kind), parent_(traits(kind)) {}

  Recipe make() {
    for (int variant = 0; variant < (parent_.linear == CellKind::tet4 ? 3 : 1); ++variant) add_variant(variant);
    return std::move(recipe_);
  }

 private:
  void add_variant(int number) {
    Recipe::Variant variant;
    variant.facets.resize(parent_.facets.size());
    const std::vector<Child> children = children_of(parent_.linear, number);
    for (std::size_t c = 0; c < children.size(); ++c) {
      const CellKind kind = child_kind(kind_, children[c].linear);
      if (number == 0) place_child(kind);
      std::vector<int> nodes;
      for (const Point& r : reference_nodes(kind)) nodes.push_back(point_at(carried(children[c], r)));
      for (std::size_t f = 0; f < traits(kind).facets.size(); ++f)
        if (const int facet = parent_facet(nodes, traits(kind).facets[f]); facet >= 0)
          variant.facets[static_cast<std::size_t>(facet)].push_back({c, static_cast<int>(f)});
      variant.children.push_back(std::move(nodes));
    }
    recipe_.variants.push_back(std::move(variant));
  }

  void place_child(CellKind kind) {
    auto block = static_cast<std::size_t>(std::find(recipe_.kinds.begin(), recipe_.kinds.end(), kind) - recipe_.kinds.begin());
    if (block == recipe_.kinds.size()) {
      recipe_.kinds.push_back(kind);
      recipe_.per_block.push_back(0);
    }
    recipe_.block_of_child.push_back(block);
    recipe_.place_of_child.push_back(recipe_.per_block[block]++);
  }

  static Point carried(const Child& child, const Point& r) {
    const std::vector<double> N = shape_values(child.linear, r);
    Point x{};
    for (std::size_t i = 0; i < N.size(); ++i)
      for (std::size_t k = 0; k < 3; ++k) x[k] += N[i] * child.corners[i][k];
    return x;
  }

  int point_at(const Point& xi) {
    for (std::size_t i = 0; i < recipe_.points.size(); ++i)
      if (recipe_.points[i].xi == xi) return static_cast<int>(i);
    recipe_.points.push_back(make_point(xi));
    return static_cast<int>(recipe_.points.size()) - 1;
  }

  // Corners with a weight; on a facet these are corners of that facet only.
  std::vector<int> support(const std::vector<double>& weights) const {
    std::vector<int> corners;
    for (std::size_t i = 0; i < weights.size(); ++i)
      if (std::abs(weights[i]) > 1e-12) corners.push_back(static_cast<int>(i));
    return corners;
  }

  static bool contains(std::span<const int> all, std::span<const int> some) {
    return std::all_of(some.begin(), some.end(), [&](int i) { return std::find(all.begin(), all.end(), i) != all.end(); });
  }

  std::span<const int> corners_of(const Facet& facet) const {
    return std::span(facet.nodes).first(static_cast<std::size_t>(traits(facet.kind).corner_count));
  }

  LatticePoint make_point(const Point& xi) const {
    LatticePoint point;
    point.xi = xi;
    point.values = shape_values(kind_, xi);
    const auto nodes = reference_nodes(kind_);
    if (const auto at = std::find(nodes.begin(), nodes.end(), xi); at != nodes.end()) point.old_node = static_cast<int>(at - nodes.begin());
    const std::vector<double> weights = shape_values(parent_.linear, xi);
    const std::vector<int> corners = support(weights);
    for (std::size_t i = 0; i < nodes.size(); ++i)
      if (contains(corners, support(shape_values(parent_.linear, nodes[i])))) point.nodes_around.push_back(static_cast<int>(i));
    for (const Facet& facet : parent_.facets) point.shared = point.shared || contains(corners_of(facet), corners);
    if (!point.shared) return point;
    for (const int corner : corners) {
      point.corners[point.corner_count] = corner;
      point.weights[point.corner_count++] = static_cast<int>(std::lround(16 * weights[static_cast<std::size_t>(corner)]));
    }
    return point;
  }

  int parent_facet(const std::vector<int>& child_nodes, const Facet& facet) const {
    for (std::size_t f = 0; f < parent_.facets.size(); ++f) {
      bool on = true;
      for (const int i : corners_of(facet)) {
        const Point& xi = recipe_.points[static_cast<std::size_t>(child_nodes[static_cast<std::size_t>(i)])].xi;
        on = on && contains(corners_of(parent_.facets[f]), support(shape_values(parent_.linear, xi)));
      }
      if (on) return static_cast<int>(f);
    }
    return -1;
  }

  CellKind kind_;
  const CellTraits& parent_;
  Recipe recipe_;
};

const Recipe& recipe_of(CellKind kind) {
  static const std::vector<Recipe> all = [] {
    std::vector<Recipe> list;
    for (const CellKind k : all_cell_kinds()) list.push_back(traits(k).dimension == 0 ? Recipe{} : RecipeMaker(k).make());
    return list;
  }();
  return all[static_cast<std::size_t>(kind)];
}

// New nodes that several cells share, by corners and weights: open addressing, at most half full.
class SharedNodes {
 public:
  struct Key {
    FewNodes corners;
    std::uint32_t weights = 0;  // six bits for each corner, in the order of `corners`
    bool operator==(const Key&) const = default;
  };
  // The node known by the key, or -1 after remembering `candidate` for it.
  Node find_or_insert(const Key& key, Node candidate) {
    if (2 * (entries_.size() + 1) > slots_.size()) grow();
    for (std::size_t slot = hash(key) & (slots_.size() - 1);; slot = (slot + 1) & (slots_.size() - 1)) {
      if (slots_[slot] < 0) {
        slots_[slot] = static_cast<Index>(entries_.size());
        entries_.push_back({key, candidate});
        return -1;
      }
      const Entry& entry = entries_[static_cast<std::size_t>(slots_[slot])];
      if (entry.key == key) return entry.node;
    }
  }

 private:
  struct Entry {
    Key key;
    Node node;
  };
  static std::uint64_t hash(const Key& key) {
    std::uint64_t sum = key.weights;
    for (int i = 0; i < key.corners.count; ++i) sum = mix(sum + static_cast<std::uint64_t>(key.corners.node[i]));
    return sum;
  }
  void grow() {
    slots_.assign(std::max<std::size_t>(1024, 2 * slots_.size()), -1);
    for (std::size_t i = 0; i < entries_.size(); ++i) {
      std::size_t slot = hash(entries_[i].key) & (slots_.size() - 1);
      while (slots_[slot] >= 0) slot = (slot + 1) & (slots_.size() - 1);
      slots_[slot] = static_cast<Index>(i);
    }
  }
  std::vector<Index> slots_;
  std::vector<Entry> entries_;
};

class Refinement {
 public:
  explicit Refinement(const MeshData& data) : old_(data) {}

  MeshData run() {
    new_.dimension = old_.dimension;
    new_.source = old_.source;
    new_.points = old_.points;
    for (const Region& region : old_.regions)
      new_.regions.push_back({region.name, region.kind, {}, {}, region.kind == RegionKind::nodes ? region.nodes : std::vector<Node>()});
    mark_node_regions();
    for (const CellBlock& block : old_.blocks) refine_block(block);
    Index first = 0;
    for (CellBlock& block : new_.blocks) {
      block.first_cell = first;
      first += block.cell_count();
    }
    for (std::size_t r = 0; r < old_.regions.size(); ++r) renew_region(old_.regions[r], new_.regions[r]);
    return std::move(new_);
  }

 private:
  struct Origin {  // of the children of an old block
    std::size_t first_block;
    std::vector<std::uint8_t> variant;  // [cell]
  };

  void mark_node_regions() {
    for (std::size_t r = 0; r < old_.regions.size(); ++r) {
      if (old_.regions[r].kind != RegionKind::nodes) continue;
      node_regions_.push_back({r, std::vector<std::uint8_t>(old_.points.size() / 3)});
      for (const Node node : old_.regions[r].nodes) node_regions_.back().member[static_cast<std::size_t>(node)] = 1;
    }
  }

  void refine_block(const CellBlock& block) {
    const Recipe& recipe = recipe_of(block.kind);
    Origin origin{new_.blocks.size(), {}};
    origin.variant.resize(static_cast<std::size_t>(block.cell_count()));
    for (std::size_t b = 0; b < recipe.kinds.size(); ++b) {
      new_.blocks.push_back({recipe.kinds[b], {}, 0});
      new_.blocks.back().nodes.reserve(static_cast<std::size_t>(block.cell_count() * recipe.per_block[b] * traits(recipe.kinds[b]).node_count));
    }
    std::vector<Node> at(recipe.points.size());
    for (Index c = 0; c < block.cell_count(); ++c) {
      const auto cell = block.cell(c);
      for (std::size_t i = 0; i < at.size(); ++i) at[i] = node_for(recipe.points[i], cell);
      const std::size_t variant = recipe.variants.size() == 1 ? 0 : shortest_diagonal(recipe, at);
      origin.variant[static_cast<std::size_t>(c)] = static_cast<std::uint8_t>(variant);
      for (std::size_t child = 0; child < recipe.block_of_child.size(); ++child) {
        std::vector<Node>& nodes = new_.blocks[origin.first_block + recipe.block_of_child[child]].nodes;
        for (const int point : recipe.variants[variant].children[child]) nodes.push_back(at[static_cast<std::size_t>(point)]);
      }
    }
    origins_.push_back(std::move(origin));
  }

  Node node_for(const LatticePoint& point, std::span<const Node> cell) {
    if (point.old_node >= 0) return cell[static_cast<std::size_t>(point.old_node)];
    const auto next = static_cast<Index>(new_.points.size() / 3);
    if (next > std::numeric_limits<Node>::max())
      throw Error(Exit::mesh, fmt::format("{} would have more than {} nodes", old_.source, next), "node numbers have 32 bits",
                  "refine a coarser mesh, or split it");
    if (point.shared)
      if (const Node known = shared_.find_or_insert(key_of(point, cell), static_cast<Node>(next)); known >= 0) return known;
    Point x{};
    for (std::size_t i = 0; i < cell.size(); ++i)
      for (std::size_t k = 0; k < 3; ++k) x[k] += point.values[i] * old_.points[3 * static_cast<std::size_t>(cell[i]) + k];
    new_.points.insert(new_.points.end(), x.begin(), x.end());
    for (const NodeRegion& region : node_regions_)
      if (std::all_of(point.nodes_around.begin(), point.nodes_around.end(), [&](int i) {
            return region.member[static_cast<std::size_t>(cell[static_cast<std::size_t>(i)])] != 0;
          }))
        new_.regions[region.number].nodes.push_back(static_cast<Node>(next));
    return static_cast<Node>(next);
  }

  static SharedNodes::Key key_of(const LatticePoint& point, std::span<const Node> cell) {
    SharedNodes::Key key;
    for (int i = 0; i < point.corner_count; ++i) {
      const Node corner = cell[static_cast<std::size_t>(point.corners[i])];
      int at = 0;
      while (at < key.corners.count && key.corners.node[at] < corner) ++at;
      const std::uint32_t above = key.weights >> (6 * at) << (6 * at), below = key.weights ^ above;
      key.weights = above << 6 | static_cast<std::uint32_t>(point.weights[i]) << (6 * at) | below;
      key.corners.insert(corner);
    }
    return key;
  }

  std::size_t shortest_diagonal(const Recipe& recipe, const std::vector<Node>& at) const {
    double best = std::numeric_limits<double>::infinity();
    std::size_t variant = 0;
    for (std::size_t v = 0; v < 3; ++v) {  // child 4 starts with the two ends of the diagonal
      const std::vector<int>& child = recipe.variants[v].children[4];
      double squared = 0;
      for (std::size_t k = 0; k < 3; ++k) {
        const double d = coordinate(at[static_cast<std::size_t>(child[0])], k) - coordinate(at[static_cast<std::size_t>(child[1])], k);
        squared += d * d;
      }
      if (squared < best * (1 - 1e-12)) best = squared, variant = v;
    }
    return variant;
  }
  double coordinate(Node node, std::size_t k) const { return new_.points[3 * static_cast<std::size_t>(node) + k]; }

  Index new_cell(const Recipe& recipe, const Origin& origin, Index cell, std::size_t child) const {
    const std::size_t block = recipe.block_of_child[child];
    return new_.blocks[origin.first_block + block].first_cell + cell * recipe.per_block[block] + recipe.place_of_child[child];
  }

  std::size_t block_number(Index cell) const {
    return static_cast<std::size_t>(&block_holding(old_, cell) - old_.blocks.data());
  }

  void renew_region(const Region& old, Region& region) const {
    for (const Index cell : old.cells) {
      const std::size_t b = block_number(cell);
      const Recipe& recipe = recipe_of(old_.blocks[b].kind);
      for (std::size_t child = 0; child < recipe.block_of_child.size(); ++child)
        region.cells.push_back(new_cell(recipe, origins_[b], cell - old_.blocks[b].first_cell, child));
    }
    std::sort(region.cells.begin(), region.cells.end());
    for (const FacetOfCell& facet : old.facets) {
      const std::size_t b = block_number(facet.cell);
      const Recipe& recipe = recipe_of(old_.blocks[b].kind);
      const Index cell = facet.cell - old_.blocks[b].first_cell;
      const Recipe::Variant& variant = recipe.variants[origins_[b].variant[static_cast<std::size_t>(cell)]];
      for (const FacetChild& child : variant.facets[static_cast<std::size_t>(facet.facet)])
        region.facets.push_back({new_cell(recipe, origins_[b], cell, child.child), child.facet});
    }
    std::sort(region.facets.begin(), region.facets.end(), [](const FacetOfCell& a, const FacetOfCell& b) {
      return std::pair(a.cell, a.facet) < std::pair(b.cell, b.facet);
    });
  }

  struct NodeRegion {
    std::size_t number;
    std::vector<std::uint8_t> member;  // [old node]
  };
  const MeshData& old_;
  MeshData new_;
  std::vector<Origin> origins_;
  std::vector<NodeRegion> node_regions_;
  SharedNodes shared_;
};

}  // namespace

MeshData refine(const MeshData& data) { return Refinement(data).run(); }

Mesh refine(const Mesh& mesh) {
  return Mesh(refine(MeshData{.dimension = mesh.dimension(),
                              .points = {mesh.points().begin(), mesh.points().end()},
                              .blocks = {mesh.blocks().begin(), mesh.blocks().end()},
                              .regions = {mesh.regions().begin(), mesh.regions().end()},
                              .source = mesh.source()}));
}

}  // namespace ritz
