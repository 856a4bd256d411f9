#include "fem/multigrid/coarser_constraints.hpp"

#include "mesh/cell_geometry.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

namespace ritz {
namespace {

// Nodes of `coarse` whose neighbourhood on the cell - the smallest vertex, edge, facet or inside that holds them - has
// only prescribed nodes of `fine`: on a cell of a kind, for each coarse node the fine nodes there.
std::vector<std::vector<int>> nodes_around(const ReferenceElement& coarse, const ReferenceElement& fine) {
  const CellTraits& t = traits(coarse.shape);
  const auto corners = reference_nodes(coarse.shape);
  std::vector<std::vector<int>> entities;  // by corners, small ones first
  for (int c = 0; c < t.corner_count; ++c) entities.push_back({c});
  for (const auto& edge : t.edges) entities.push_back({edge[0], edge[1]});
  if (t.dimension > 2)
    for (const Facet& f : t.facets)
      entities.push_back({f.nodes.begin(), f.nodes.begin() + traits(f.kind).corner_count});
  // Is x in the convex hull of the corners? Entities are segments, triangles and parallelograms.
  const auto lies_on = [&](const Point& x, const std::vector<int>& entity) {
    const Point o = corners[static_cast<std::size_t>(entity[0])];
    double rest[3] = {x[0] - o[0], x[1] - o[1], x[2] - o[2]};
    if (entity.size() > 1) {
      const Point &p = corners[static_cast<std::size_t>(entity[1])],
                  &q = corners[static_cast<std::size_t>(entity.back())];
      double a[3], b[3], aa = 0, ab = 0, bb = 0, ar = 0, br = 0;
      for (std::size_t i = 0; i < 3; ++i) {
        a[i] = p[i] - o[i];
        b[i] = entity.size() > 2 ? q[i] - o[i] : 0;
        aa += a[i] * a[i];
        ab += a[i] * b[i];
        bb += b[i] * b[i];
        ar += a[i] * rest[i];
        br += b[i] * rest[i];
      }
      const double determinant = entity.size() > 2 ? aa * bb - ab * ab : aa;
      const double s = (entity.size() > 2 ? bb * ar - ab * br : ar) / determinant;
      const double u = entity.size() > 2 ? (aa * br - ab * ar) / determinant : 0;
      for (std::size_t i = 0; i < 3; ++i) rest[i] -= s * a[i] + u * b[i];
    }
    return std::abs(rest[0]) + std::abs(rest[1]) + std::abs(rest[2]) < 1e-9;
  };
  std::vector<std::vector<int>> result;
  for (const Point& x : coarse.nodes) {
    const auto holder = std::ranges::find_if(entities, [&](const auto& entity) { return lies_on(x, entity); });
    result.emplace_back();
    for (int a = 0; a < fine.node_count(); ++a)
      if (holder == entities.end() || lies_on(fine.nodes[static_cast<std::size_t>(a)], *holder))
        result.back().push_back(a);
  }
  return result;
}

// All shape functions of an element at a point.
std::vector<double> values_at(const ReferenceElement& element, const Point& x) {
  const auto count = static_cast<std::size_t>(element.node_count());
  std::vector<double> values(count);
  std::vector<Point> gradients(count);
  element.evaluate(x, values, gradients);
  return values;
}

// A node of a space in one of its cells.
struct NodeInCell {
  Index cell = -1;
  int local = 0;
};

// For the marked nodes of a space, one of their cells.
std::vector<NodeInCell> cells_of(const FunctionSpace& space, const std::vector<std::uint8_t>& marked) {
  std::vector<NodeInCell> result(marked.size());
  std::vector<Node> nodes;
  for (Index cell = 0; cell < space.mesh().cell_count(); ++cell) {
    space.nodes_of(cell, nodes);
    for (std::size_t a = 0; a < nodes.size(); ++a)
      if (marked[static_cast<std::size_t>(nodes[a])] != 0)
        result[static_cast<std::size_t>(nodes[a])] = {cell, static_cast<int>(a)};
  }
  return result;
}

// Unknowns of the coarse space that follow others: those at nodes around which all fine nodes follow or are prescribed.
// A coarse node has the value of the fine field there, sum_b phi_b(x) u_b, the u_b follow other fine unknowns, and
// these have the values of the coarse field, sum_a psi_a u_a.
class CoarserEquations {
 public:
  CoarserEquations(const Constraints& fine, const FunctionSpace& coarse)
      : fine_(fine), fine_space_(fine.space()), coarse_(coarse), rows_(fine.dependent_rows()) {
    const auto components = static_cast<std::size_t>(coarse.components());
    row_of_.assign(static_cast<std::size_t>(fine_space_.unknown_count()), -1);
    std::vector<std::uint8_t> followed(static_cast<std::size_t>(fine_space_.node_count()), 0);
    for (std::size_t row = 0; row < rows_.unknown.size(); ++row)
      row_of_[static_cast<std::size_t>(rows_.unknown[row])] = static_cast<std::int32_t>(row);
    for (const std::int32_t unknown : rows_.followed) followed[static_cast<std::size_t>(unknown) / components] = 1;
    place_ = cells_of(fine_space_, followed);
  }

  LinearEquations list() {
    LinearEquations result{.origin = "coarser level"};
    std::vector<std::uint8_t> done(static_cast<std::size_t>(coarse_.node_count()), 0);
    std::vector<Node> nodes, fine_nodes;
    for (Index cell = 0; cell < coarse_.mesh().cell_count(); ++cell) {
      fine_space_.nodes_of(cell, fine_nodes);
      if (std::ranges::none_of(fine_nodes, [&](Node node) { return follows_somehow(node); })) continue;
      coarse_.nodes_of(cell, nodes);
      const ReferenceElement &from = coarse_.element(coarse_.mesh().kind_of(cell)),
                             &to = fine_space_.element(coarse_.mesh().kind_of(cell));
      const std::vector<std::vector<int>> around = nodes_around(from, to);
      for (std::size_t a = 0; a < nodes.size(); ++a) {
        if (std::exchange(done[static_cast<std::size_t>(nodes[a])], 1) != 0) continue;
        for (int c = 0; c < coarse_.components(); ++c)
          add(nodes[a], c, around[a], fine_nodes, to, from.nodes[a], result);
      }
    }
    return result;
  }

 private:
  std::int32_t row_at(Node node, int c) const {
    return row_of_[static_cast<std::size_t>(Index{node} * coarse_.components() + c)];
  }
  bool follows_somehow(Node node) const {
    for (int c = 0; c < coarse_.components(); ++c)
      if (row_at(node, c) >= 0) return true;
    return false;
  }

  void add(Node node, int c, const std::vector<int>& around, const std::vector<Node>& fine_nodes,
           const ReferenceElement& fine_element, const Point& x, LinearEquations& result) const {
    bool follows = false;
    for (const int b : around) {
      const Node fine_node = fine_nodes[static_cast<std::size_t>(b)];
      const bool here = row_at(fine_node, c) >= 0;
      if (!here && !fine_.is_prescribed(fine_node, c)) return;
      follows = follows || here;
    }
    if (!follows) return;
    std::vector<UnknownTerm> terms{{node, c, 1.0}};
    const std::vector<double> phi = values_at(fine_element, x);
    for (const int b : around) {
      const std::int32_t row = row_at(fine_nodes[static_cast<std::size_t>(b)], c);
      if (row < 0 || phi[static_cast<std::size_t>(b)] == 0) continue;
      for (auto k = static_cast<std::size_t>(rows_.begin[static_cast<std::size_t>(row)]);
           k < static_cast<std::size_t>(rows_.begin[static_cast<std::size_t>(row) + 1]); ++k)
        add_coarse_field(rows_.followed[k], -phi[static_cast<std::size_t>(b)] * rows_.factor[k], terms);
    }
    result.add(terms);
  }

  // factor times the coarse field at a fine unknown.
  void add_coarse_field(std::int32_t unknown, double factor, std::vector<UnknownTerm>& terms) const {
    const int c = unknown % coarse_.components();
    const NodeInCell& at = place_[static_cast<std::size_t>(unknown / coarse_.components())];
    const CellKind kind = coarse_.mesh().kind_of(at.cell);
    const std::vector<double> psi =
        values_at(coarse_.element(kind), fine_space_.element(kind).nodes[static_cast<std::size_t>(at.local)]);
    std::vector<Node> nodes;
    coarse_.nodes_of(at.cell, nodes);
    for (std::size_t a = 0; a < nodes.size(); ++a)
      if (std::abs(psi[a]) > 1e-12) terms.push_back({nodes[a], c, factor * psi[a]});
  }

  const Constraints& fine_;
  const FunctionSpace &fine_space_, &coarse_;
  const DependentRows& rows_;
  std::vector<std::int32_t> row_of_;  // [fine unknown]
  std::vector<NodeInCell> place_;     // of the fine nodes that are followed
};

}  // namespace

std::unique_ptr<Constraints> coarser_constraints(const Constraints& fine, const FunctionSpace& space,
                                                 const CoarserRelations& over_ranks) {
  const FunctionSpace& fine_space = fine.space();
  const Mesh& mesh = space.mesh();
  auto coarse = std::make_unique<Constraints>(space);
  std::map<CellKind, std::vector<std::vector<int>>> around;
  std::vector<Node> nodes, fine_nodes;
  std::vector<std::vector<Node>> prescribed(static_cast<std::size_t>(space.components()));
  for (Index cell = 0; cell < mesh.cell_count(); ++cell) {
    const CellKind kind = mesh.kind_of(cell);
    auto& lists = around[kind];
    if (lists.empty()) lists = nodes_around(space.element(kind), fine_space.element(kind));
    space.nodes_of(cell, nodes);
    fine_space.nodes_of(cell, fine_nodes);
    for (std::size_t a = 0; a < nodes.size(); ++a)
      for (int c = 0; c < space.components(); ++c)
        if (std::ranges::all_of(lists[a],
                                [&](int b) { return fine.is_prescribed(fine_nodes[static_cast<std::size_t>(b)], c); }))
          prescribed[static_cast<std::size_t>(c)].push_back(nodes[a]);
  }
  for (int c = 0; c < space.components(); ++c) {
    auto& list = prescribed[static_cast<std::size_t>(c)];
    std::ranges::sort(list);
    list.erase(std::ranges::unique(list).begin(), list.end());
    coarse->prescribe_nodes(list, c, 0, "coarser level");
  }
  if (over_ranks.ghosts != nullptr) coarse->relate(over_ranks.rows, *over_ranks.ghosts);
  else if (fine.dependent() != nullptr) coarse->relate(CoarserEquations(fine, space).list());
  coarse->finish();
  return coarse;
}

}  // namespace ritz
