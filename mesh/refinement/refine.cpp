// Children are described on the reference cell by their corners, from which the lattice of all required points follows.
// A point on the boundary of a cell is identified by the corners around it and its linear weights there, which are the
// same for all cells that share it.
#include "mesh/refinement/refine.hpp"

#include "mesh/cell_geometry.hpp"
#include "mesh/refinement/children.hpp"
#include "mesh/hash.hpp"
#include "mesh/lagrange_cells.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <map>
#include <memory>

namespace ritz {
namespace {

// The kind of the children of that shape: tet10 as well as pyramid13 for a pyramid13.
CellKind child_kind(CellKind parent, CellKind linear) {
  if (traits(parent).order == 1) return linear;
  return linear == traits(parent).linear ? parent : CellKind::tet10;
}

struct LatticePoint {
  Point xi;
  int old_node = -1;     // of the parent, when it has a node there
  bool shared = false;   // with the cells around: it lies on a facet
  bool joins = true;     // regions that hold all nodes around: not between the ends of a line, which no facet joins
  int corner_count = 0;  // that it lies between; 0 inside a solid cell
  int corners[4] = {};
  int weights[4] = {};            // in sixteenths
  std::vector<double> values;     // shape functions of the parent
  std::vector<int> nodes_around;  // of the parent: those of the edge, face or cell that it lies in
};

struct FacetChild {
  std::size_t child;
  int facet;
};

// The division of a cell of one kind.
struct Recipe {
  std::vector<LatticePoint> points;
  std::vector<CellKind> kinds;                   // of the children's blocks
  std::vector<std::size_t> block_of_child;       // [child]
  std::vector<Index> place_of_child, per_block;  // within its parent's children in the block; [block]
  struct Variant {
    std::vector<std::vector<int>> children;       // [child][node] -> point
    std::vector<std::vector<FacetChild>> facets;  // [facet of the parent]
  };
  std::vector<Variant> variants;  // 3 for tetrahedra, one per diagonal
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
      for (const Point& r : reference_nodes(kind)) nodes.push_back(point_at(place_in_parent(children[c], r)));
      for (std::size_t f = 0; f < traits(kind).facets.size(); ++f)
        if (const int facet = parent_facet(nodes, traits(kind).facets[f]); facet >= 0)
          variant.facets[static_cast<std::size_t>(facet)].push_back({c, static_cast<int>(f)});
      variant.children.push_back(std::move(nodes));
    }
    recipe_.variants.push_back(std::move(variant));
  }

  void place_child(CellKind kind) {
    auto block =
        static_cast<std::size_t>(std::find(recipe_.kinds.begin(), recipe_.kinds.end(), kind) - recipe_.kinds.begin());
    if (block == recipe_.kinds.size()) {
      recipe_.kinds.push_back(kind);
      recipe_.per_block.push_back(0);
    }
    recipe_.block_of_child.push_back(block);
    recipe_.place_of_child.push_back(recipe_.per_block[block]++);
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
    return std::all_of(some.begin(), some.end(),
                       [&](int i) { return std::find(all.begin(), all.end(), i) != all.end(); });
  }

  std::span<const int> corners_of(const Facet& facet) const {
    return std::span(facet.nodes).first(static_cast<std::size_t>(traits(facet.kind).corner_count));
  }

  LatticePoint make_point(const Point& xi) const {
    LatticePoint point;
    point.xi = xi;
    point.joins = parent_.dimension > 1;
    point.values = shape_values(kind_, xi);
    const auto nodes = reference_nodes(kind_);
    if (const auto at = std::find(nodes.begin(), nodes.end(), xi); at != nodes.end())
      point.old_node = static_cast<int>(at - nodes.begin());
    const std::vector<double> weights = shape_values(parent_.linear, xi);
    const std::vector<int> corners = support(weights);
    for (std::size_t i = 0; i < nodes.size(); ++i)
      if (contains(corners, support(shape_values(parent_.linear, nodes[i]))))
        point.nodes_around.push_back(static_cast<int>(i));
    for (const Facet& facet : parent_.facets) point.shared = point.shared || contains(corners_of(facet), corners);
    if (corners.size() > std::size(point.corners)) return point;
    for (const int corner : corners) {
      point.corners[point.corner_count] = corner;
      point.weights[point.corner_count++] =
          static_cast<int>(std::lround(16 * weights[static_cast<std::size_t>(corner)]));
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
    for (const CellKind k : all_cell_kinds())
      list.push_back(traits(k).dimension == 0 ? Recipe{} : RecipeMaker(k).make());
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

Point combined(const std::vector<double>& values, std::span<const Point> points) {
  Point x{};
  for (std::size_t i = 0; i < values.size(); ++i)
    for (std::size_t k = 0; k < 3; ++k) x[k] += values[i] * points[i][k];
  return x;
}

// The own maps of the children of curved cells of one block: the parent's, at the places of their points.
class ChildMaps {
 public:
  explicit ChildMaps(std::shared_ptr<const LagrangePolynomials> parent) : parent_(std::move(parent)) {}

  void append(std::span<const Point> parent_points, int variant, std::size_t child, Index position,
              CurvedCells& curved) {
    const Table& table = table_of(variant, child);
    curved.functions = table.functions;
    curved.cells.push_back(position);
    for (const std::vector<double>& values : table.values) curved.points.push_back(combined(values, parent_points));
  }

 private:
  struct Table {
    std::shared_ptr<const LagrangePolynomials> functions;
    std::vector<std::vector<double>> values;  // [node of the child][node of the parent]
  };
  const Table& table_of(int variant, std::size_t child) {
    const auto [at, fresh] = tables_.try_emplace({variant, child});
    if (!fresh) return at->second;
    const Child cell = children_of(parent_->shape(), variant)[child];
    Table& table = at->second;
    table.functions = cell.linear == parent_->shape() ? parent_ : tetrahedra();
    for (const Point& xi : table.functions->nodes()) table.values.push_back(parent_->at(place_in_parent(cell, xi)));
    return table;
  }
  const std::shared_ptr<const LagrangePolynomials>& tetrahedra() {  // of pyramids
    if (!tetrahedra_)
      tetrahedra_ = std::make_shared<const LagrangePolynomials>(CellKind::tet4, parent_->order(),
                                                                lagrange_nodes(CellKind::tet4, parent_->order()));
    return tetrahedra_;
  }

  std::shared_ptr<const LagrangePolynomials> parent_, tetrahedra_;
  std::map<std::pair<int, std::size_t>, Table> tables_;
};

struct Origin {  // of the children of an old block
  std::size_t first_block;
  std::vector<std::uint8_t> variant;  // [cell]
};

Point place(const std::vector<double>& values, std::span<const Node> cell, const std::vector<double>& points) {
  Point x{};
  for (std::size_t i = 0; i < cell.size(); ++i)
    for (std::size_t k = 0; k < 3; ++k) x[k] += values[i] * points[3 * static_cast<std::size_t>(cell[i]) + k];
  return x;
}

SharedNodes::Key key_of(const LatticePoint& point, std::span<const Node> cell) {
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

std::size_t shortest_diagonal(const Recipe& recipe, const std::vector<Node>& at, const std::vector<double>& points) {
  double best = std::numeric_limits<double>::infinity();
  std::size_t variant = 0;
  for (std::size_t v = 0; v < 3; ++v) {  // child 4 starts with the two ends of the diagonal
    const std::vector<int>& child = recipe.variants[v].children[4];
    double squared = 0;
    for (std::size_t k = 0; k < 3; ++k) {
      const auto end = [&](std::size_t i) {
        return points[3 * static_cast<std::size_t>(at[static_cast<std::size_t>(child[i])]) + k];
      };
      const double d = end(0) - end(1);
      squared += d * d;
    }
    if (squared < best * (1 - 1e-12)) best = squared, variant = v;
  }
  return variant;
}

Index new_cell(const Recipe& recipe, const Origin& origin, const std::vector<CellBlock>& blocks, Index cell,
               std::size_t child) {
  const std::size_t block = recipe.block_of_child[child];
  return blocks[origin.first_block + block].first_cell + cell * recipe.per_block[block] + recipe.place_of_child[child];
}

// Cells and facets of the region of a mesh become those of their children.
void renew_region(const MeshData& mesh, const Region& old, const std::vector<Origin>& origins,
                  const std::vector<CellBlock>& blocks, Region& region) {
  for (const Index cell : old.cells) {
    const std::size_t b = static_cast<std::size_t>(&block_holding(mesh, cell) - mesh.blocks.data());
    const Recipe& recipe = recipe_of(mesh.blocks[b].kind);
    for (std::size_t child = 0; child < recipe.block_of_child.size(); ++child)
      region.cells.push_back(new_cell(recipe, origins[b], blocks, cell - mesh.blocks[b].first_cell, child));
  }
  std::sort(region.cells.begin(), region.cells.end());
  for (const FacetOfCell& facet : old.facets) {
    const std::size_t b = static_cast<std::size_t>(&block_holding(mesh, facet.cell) - mesh.blocks.data());
    const Recipe& recipe = recipe_of(mesh.blocks[b].kind);
    const Index cell = facet.cell - mesh.blocks[b].first_cell;
    const Recipe::Variant& variant = recipe.variants[origins[b].variant[static_cast<std::size_t>(cell)]];
    for (const FacetChild& child : variant.facets[static_cast<std::size_t>(facet.facet)])
      region.facets.push_back({new_cell(recipe, origins[b], blocks, cell, child.child), child.facet});
  }
  std::sort(region.facets.begin(), region.facets.end(), [](const FacetOfCell& a, const FacetOfCell& b) {
    return std::pair(a.cell, a.facet) < std::pair(b.cell, b.facet);
  });
}

class Refinement {
 public:
  Refinement(const MeshData& data, std::span<const std::string> points) : old_(data), points_(points) {}

  MeshData run() {
    new_.dimension = old_.dimension;
    new_.structural = old_.structural;
    new_.source = old_.source;
    new_.points = old_.points;
    for (const Region& region : old_.regions)
      new_.regions.push_back(
          {region.name, region.kind, {}, {}, region.kind == RegionKind::nodes ? region.nodes : std::vector<Node>()});
    mark_node_regions();
    for (const CellBlock& block : old_.blocks) refine_block(block);
    Index first = 0;
    for (CellBlock& block : new_.blocks) {
      block.first_cell = first;
      first += block.cell_count();
    }
    for (std::size_t r = 0; r < old_.regions.size(); ++r)
      renew_region(old_, old_.regions[r], origins_, new_.blocks, new_.regions[r]);
    return std::move(new_);
  }

 private:
  void mark_node_regions() {
    for (std::size_t r = 0; r < old_.regions.size(); ++r) {
      if (old_.regions[r].kind != RegionKind::nodes || std::ranges::count(points_, old_.regions[r].name) > 0) continue;
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
      new_.blocks.back().nodes.reserve(
          static_cast<std::size_t>(block.cell_count() * recipe.per_block[b] * traits(recipe.kinds[b]).node_count));
    }
    std::vector<Node> at(recipe.points.size());
    ChildMaps maps(block.curved.functions);
    std::vector<std::vector<double>> at_points;  // [point][node of the own map]
    if (!block.curved.empty())
      for (const LatticePoint& point : recipe.points) at_points.push_back(block.curved.functions->at(point.xi));
    for (Index c = 0; c < block.cell_count(); ++c) {
      const auto cell = block.cell(c);
      const std::span<const Point> own = block.curved.of(c);
      for (std::size_t i = 0; i < at.size(); ++i)
        at[i] = node_for(recipe.points[i], cell, [&] {
          return own.empty() ? place(recipe.points[i].values, cell, old_.points) : combined(at_points[i], own);
        });
      const std::size_t variant = recipe.variants.size() == 1 ? 0 : shortest_diagonal(recipe, at, new_.points);
      origin.variant[static_cast<std::size_t>(c)] = static_cast<std::uint8_t>(variant);
      for (std::size_t child = 0; child < recipe.block_of_child.size(); ++child) {
        CellBlock& children = new_.blocks[origin.first_block + recipe.block_of_child[child]];
        if (!own.empty()) maps.append(own, static_cast<int>(variant), child, children.cell_count(), children.curved);
        std::vector<Node>& nodes = children.nodes;
        for (const int point : recipe.variants[variant].children[child])
          nodes.push_back(at[static_cast<std::size_t>(point)]);
      }
    }
    origins_.push_back(std::move(origin));
  }

  template <class Place>
  Node node_for(const LatticePoint& point, std::span<const Node> cell, const Place& place) {
    if (point.old_node >= 0) return cell[static_cast<std::size_t>(point.old_node)];
    const auto next = static_cast<Index>(new_.points.size() / 3);
    if (next > std::numeric_limits<Node>::max())
      throw Error(ErrorKind::mesh_too_large, fmt::format("{} would have more than {} nodes", old_.source, next),
                  "node numbers have 32 bits", "refine a coarser mesh, or split it");
    // Beams run along edges of shells, and shells lie on faces of solids.
    if (point.shared || (old_.structural && point.corner_count > 0))
      if (const Node known = shared_.find_or_insert(key_of(point, cell), static_cast<Node>(next)); known >= 0) {
        if (old_.structural) join(point, cell, known);  // a beam may have made it, along an edge of a shell
        return known;
      }
    const Point x = place();
    new_.points.insert(new_.points.end(), x.begin(), x.end());
    join(point, cell, static_cast<Node>(next));
    return static_cast<Node>(next);
  }

  void join(const LatticePoint& point, std::span<const Node> cell, Node node) {
    for (const NodeRegion& region : node_regions_)
      if (point.joins && std::all_of(point.nodes_around.begin(), point.nodes_around.end(), [&](int i) {
            return region.member[static_cast<std::size_t>(cell[static_cast<std::size_t>(i)])] != 0;
          }))
        new_.regions[region.number].nodes.push_back(node);
  }

  struct NodeRegion {
    std::size_t number;
    std::vector<std::uint8_t> member;  // [old node]
  };
  const MeshData& old_;
  std::span<const std::string> points_;
  MeshData new_;
  std::vector<Origin> origins_;
  std::vector<NodeRegion> node_regions_;
  SharedNodes shared_;
};

}  // namespace

MeshData refine(const MeshData& data, std::span<const std::string> points) { return Refinement(data, points).run(); }

Mesh refine(const Mesh& mesh, std::span<const std::string> points) {
  return Mesh(refine(MeshData{.dimension = mesh.dimension(),
                              .structural = mesh.structural(),
                              .points = {mesh.points().begin(), mesh.points().end()},
                              .blocks = {mesh.blocks().begin(), mesh.blocks().end()},
                              .regions = {mesh.regions().begin(), mesh.regions().end()},
                              .source = mesh.source()},
                     points));
}

}  // namespace ritz
