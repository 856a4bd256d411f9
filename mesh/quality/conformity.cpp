#include "mesh/quality/conformity.hpp"

#include "device/parallel_errors.hpp"
#include "mesh/facets.hpp"
#include "mesh/point_algebra.hpp"
#include "mesh/point_grid.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <map>
#include <numeric>

namespace ritz {
namespace {

bool before(const FacetOfCell& a, const FacetOfCell& b) {
  return std::pair(a.cell, a.facet) < std::pair(b.cell, b.facet);
}
bool pair_before(const std::pair<FacetOfCell, FacetOfCell>& a, const std::pair<FacetOfCell, FacetOfCell>& b) {
  return a.first == b.first ? before(a.second, b.second) : before(a.first, b.first);
}

Point at(const Mesh& mesh, Node node) {
  const auto x = mesh.point(node);
  return {x[0], x[1], x[2]};
}

// A facet without a vector of its own: boundaries of thin bodies have as many facets as these have cells.
struct FacetNodes {
  CellKind kind;
  std::size_t corner_count;
  std::size_t count;
  std::array<Node, 9> node;

  std::span<const Node> all() const { return std::span(node).first(count); }
  std::span<const Node> corners() const { return std::span(node).first(corner_count); }
};

FacetNodes facet_nodes(const Mesh& mesh, FacetOfCell facet) {
  const CellKind cell_kind = mesh.kind_of(facet.cell);
  const FacetTable::Entry& entry = facet_table(cell_kind).facets[static_cast<std::size_t>(facet.facet)];
  const std::span<const Node> cell = mesh.nodes_of(facet.cell);
  FacetNodes nodes{
      traits(cell_kind).facets[static_cast<std::size_t>(facet.facet)].kind, entry.corner_count, entry.node_count, {}};
  for (std::size_t i = 0; i < nodes.count; ++i) nodes.node[i] = cell[entry.nodes[i]];
  return nodes;
}

std::vector<Node> nodes_of_facets(const Mesh& mesh, std::span<const FacetOfCell> facets) {
  std::vector<std::uint8_t> is_there(static_cast<std::size_t>(mesh.node_count()), 0);
  for (const FacetOfCell& facet : facets)
    for (const Node node : facet_nodes(mesh, facet).all()) is_there[static_cast<std::size_t>(node)] = 1;
  std::vector<Node> nodes;
  for (std::size_t node = 0; node < is_there.size(); ++node)
    if (is_there[node] != 0) nodes.push_back(static_cast<Node>(node));
  return nodes;
}

struct EdgeSizes {
  double shortest = std::numeric_limits<double>::max(), mean = 0;
};

EdgeSizes edge_sizes(const Mesh& mesh, std::span<const FacetOfCell> facets) {
  EdgeSizes sizes;
  double count = 0;
  if (mesh.dimension() == 1) {  // facets are points
    for (const CellBlock& block : mesh.blocks())
      for (Index c = 0; c < block.cell_count(); ++c) {
        sizes.shortest = std::min(sizes.shortest, distance(at(mesh, block.cell(c)[0]), at(mesh, block.cell(c)[1])));
        sizes.mean = sizes.shortest;
      }
    return sizes;
  }
  for (const FacetOfCell& facet : facets) {
    const FacetNodes nodes = facet_nodes(mesh, facet);
    const std::size_t n = nodes.corner_count, edges = n > 2 ? n : n - 1;
    for (std::size_t i = 0; i < edges; ++i) {
      const double length = distance(at(mesh, nodes.node[i]), at(mesh, nodes.node[(i + 1) % n]));
      sizes.shortest = std::min(sizes.shortest, length);
      sizes.mean += length;
      ++count;
    }
  }
  sizes.mean /= std::max(count, 1.0);
  return sizes;
}

// For every one of the nodes the lowest that coincides with it, directly or through others.
std::map<Node, Node> coinciding_nodes(const Mesh& mesh, const std::vector<Node>& nodes, double tolerance,
                                      double spacing) {
  const PointGrid grid(mesh, nodes, spacing);
  std::map<Node, Node> lowest;  // only of those that coincide with a lower one
  for (const Node node : nodes) {
    const Point x = at(mesh, node);
    Node partner = node;
    grid.for_each_in({x[0] - tolerance, x[1] - tolerance, x[2] - tolerance},
                     {x[0] + tolerance, x[1] + tolerance, x[2] + tolerance}, [&](Node other) {
                       if (other < partner && distance(x, at(mesh, other)) <= tolerance) partner = other;
                     });
    if (partner == node) continue;
    const auto through = lowest.find(partner);  // partners are lower: theirs are known
    lowest[node] = through == lowest.end() ? partner : through->second;
  }
  return lowest;
}

// The point of a facet that is nearest to p, by Gauss-Newton steps: its reference coordinates and its distance.
struct Projection {
  Point xi;
  double distance;
};

Projection project(CellKind kind, std::span<const Point> x, const Point& p) {
  Projection result{reference_centroid(kind), 0};
  for (int step = 0; step < 20; ++step) {
    const std::vector<double> N = shape_values(kind, result.xi);
    const std::vector<Point> dN = shape_gradients(kind, result.xi);
    Point r = p, u{}, v{};
    for (std::size_t i = 0; i < x.size(); ++i)
      for (std::size_t k = 0; k < 3; ++k) {
        r[k] -= N[i] * x[i][k];
        u[k] += dN[i][0] * x[i][k];
        v[k] += dN[i][1] * x[i][k];
      }
    result.distance = std::hypot(r[0], r[1], r[2]);
    const auto dot = [](const Point& a, const Point& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; };
    const double uu = dot(u, u), uv = dot(u, v), vv = dot(v, v), ur = dot(u, r), vr = dot(v, r);
    const bool line = traits(kind).dimension == 1;
    const double det = line ? uu : uu * vv - uv * uv;
    if (!(det > 0)) break;
    const double du = line ? ur / det : (vv * ur - uv * vr) / det, dv = line ? 0 : (uu * vr - uv * ur) / det;
    result.xi[0] += du;
    result.xi[1] += dv;
    if (std::abs(du) + std::abs(dv) < 1e-12) break;
  }
  return result;
}

bool inside(CellKind kind, const Point& xi) {
  constexpr double slack = 1e-6;
  if (traits(kind).linear == CellKind::tri3) return xi[0] > -slack && xi[1] > -slack && xi[0] + xi[1] < 1 + slack;
  return std::abs(xi[0]) < 1 + slack && std::abs(xi[1]) < 1 + slack;
}

}  // namespace

Cracks find_cracks(const Mesh& mesh, double tolerance) {
  const std::vector<FacetOfCell> boundary = boundary_facets(mesh);
  const EdgeSizes sizes = edge_sizes(mesh, boundary);
  if (tolerance < 0) tolerance = 1e-6 * sizes.shortest;
  const std::map<Node, Node> lowest =
      coinciding_nodes(mesh, nodes_of_facets(mesh, boundary), tolerance, std::max(sizes.mean, 2 * tolerance));
  Cracks cracks;
  if (lowest.empty()) return cracks;

  const auto same = [&lowest](Node node) {
    const auto found = lowest.find(node);
    return found == lowest.end() ? node : found->second;
  };
  std::map<FewNodes, FacetOfCell> seen;
  for (const FacetOfCell& facet : boundary) {
    FewNodes corners;
    const FacetNodes nodes = facet_nodes(mesh, facet);
    for (const Node corner : nodes.corners()) corners.insert(same(corner));
    const auto [other, is_new] = seen.emplace(corners, facet);
    if (is_new) continue;
    cracks.facets.emplace_back(other->second, facet);
    for (const Node a : nodes.all())
      for (const Node b : mesh.nodes_of(other->second))
        if (a != b && same(a) == same(b)) cracks.nodes.emplace_back(std::min(a, b), std::max(a, b));
  }
  std::sort(cracks.facets.begin(), cracks.facets.end(), pair_before);
  std::sort(cracks.nodes.begin(), cracks.nodes.end());
  cracks.nodes.erase(std::unique(cracks.nodes.begin(), cracks.nodes.end()), cracks.nodes.end());
  return cracks;
}

std::vector<std::pair<Node, Node>> find_unjoined_nodes(const Mesh& mesh) {
  std::vector<std::uint8_t> is_used(static_cast<std::size_t>(mesh.node_count()), 0);
  double shortest = std::numeric_limits<double>::max();  // from the first node of a cell to another
  for (const CellBlock& block : mesh.blocks())
    for (Index c = 0; c < block.cell_count(); ++c)
      for (const Node node : block.cell(c)) {
        is_used[static_cast<std::size_t>(node)] = 1;
        if (node != block.cell(c)[0])
          shortest = std::min(shortest, distance(at(mesh, block.cell(c)[0]), at(mesh, node)));
      }
  std::vector<Node> used;
  for (std::size_t node = 0; node < is_used.size(); ++node)
    if (is_used[node] != 0) used.push_back(static_cast<Node>(node));
  std::vector<std::pair<Node, Node>> pairs;
  for (const auto& [node, partner] : coinciding_nodes(mesh, used, 1e-6 * shortest, shortest))
    pairs.emplace_back(partner, node);
  std::ranges::sort(pairs);
  return pairs;
}

namespace {

// How far the nodes between the corners are from where they would be on straight edges, all together.
double bend(std::span<const Point> x, std::size_t corners) {
  const auto off = [](const Point& p, std::span<const Point> between) {
    Point gap = p;
    for (const Point& each : between)
      for (std::size_t k = 0; k < 3; ++k) gap[k] -= each[k] / static_cast<double>(between.size());
    return std::hypot(gap[0], gap[1], gap[2]);
  };
  double sum = 0;
  for (std::size_t i = corners; i < x.size(); ++i) {
    const std::size_t edge = i - corners;
    sum += edge < corners ? off(x[i], std::array{x[edge], x[(edge + 1) % corners]}) : off(x[i], x.first(corners));
  }
  return sum;
}

// The nodes that hang on one facet.
void find_on(const Mesh& mesh, const FacetOfCell& facet, const PointGrid& grid, double tolerance,
             std::vector<HangingNode>& found) {
  const FacetNodes nodes = facet_nodes(mesh, facet);
  if (nodes.corner_count < 2) return;
  std::array<Point, 9> x;
  Point low = at(mesh, nodes.node[0]), high = low;
  for (std::size_t i = 0; i < nodes.count; ++i) {
    x[i] = at(mesh, nodes.node[i]);
    for (std::size_t k = 0; k < 3; ++k) {
      low[k] = std::min(low[k], x[i][k]);
      high[k] = std::max(high[k], x[i][k]);
    }
  }
  const std::span points = std::span(x).first(nodes.count);
  const double size = distance(low, high), near = tolerance < 0 ? 1e-6 * size : tolerance;
  const double margin = near + 2 * bend(points, nodes.corner_count);  // curved facets leave the box of their nodes
  for (std::size_t k = 0; k < 3; ++k) low[k] -= margin, high[k] += margin;
  grid.for_each_in(low, high, [&](Node node) {
    if (std::ranges::find(nodes.all(), node) != nodes.all().end()) return;
    const Point p = at(mesh, node);
    if (std::ranges::any_of(points, [&](const Point& corner) { return distance(p, corner) <= near; })) return;
    const Projection projection = project(nodes.kind, points, p);
    if (projection.distance <= near && inside(nodes.kind, projection.xi)) found.push_back({node, facet});
  });
}

}  // namespace

std::vector<HangingNode> find_hanging_nodes(const Mesh& mesh, double tolerance) {
  const std::vector<FacetOfCell> boundary = boundary_facets(mesh);
  const PointGrid grid(mesh, nodes_of_facets(mesh, boundary), std::max(edge_sizes(mesh, boundary).mean, 1e-300));
  std::map<Node, FacetOfCell> hanging;
  ParallelErrors errors;
#pragma omp parallel
  {
    std::vector<HangingNode> found;
#pragma omp for schedule(static) nowait
    for (Index f = 0; f < std::ssize(boundary); ++f)
      errors.run([&] { find_on(mesh, boundary[static_cast<std::size_t>(f)], grid, tolerance, found); });
#pragma omp critical
    errors.run([&] {
      for (const auto& [node, facet] : found) {
        const auto [first, is_new] = hanging.emplace(node, facet);
        if (!is_new && before(facet, first->second)) first->second = facet;
      }
    });
  }
  errors.rethrow();
  std::vector<HangingNode> list;
  for (const auto& [node, facet] : hanging) list.push_back({node, facet});
  return list;
}

std::vector<std::pair<FacetOfCell, FacetOfCell>> find_split_faces(const Mesh& mesh) {
  std::vector<std::pair<FacetOfCell, FacetOfCell>> split;
  if (mesh.dimension() != 3) return split;
  const std::vector<FacetOfCell> boundary = boundary_facets(mesh);
  const auto has = [&mesh](std::size_t corners) {
    return std::ranges::any_of(mesh.blocks(), [corners](const CellBlock& block) {
      const FacetTable& table = facet_table(block.kind);
      return std::any_of(table.facets, table.facets + table.facet_count,
                         [corners](const FacetTable::Entry& facet) { return facet.corner_count == corners; });
    });
  };
  if (!has(3) || !has(4)) return split;
  std::map<FewNodes, FacetOfCell> triangles;
  for (const FacetOfCell& facet : boundary) {
    const FacetNodes nodes = facet_nodes(mesh, facet);
    if (nodes.corner_count != 3) continue;
    FewNodes corners;
    for (const Node corner : nodes.corners()) corners.insert(corner);
    triangles.emplace(corners, facet);
  }
  if (triangles.empty()) return split;
  for (const FacetOfCell& facet : boundary) {
    const FacetNodes nodes = facet_nodes(mesh, facet);
    if (nodes.corner_count != 4) continue;
    for (std::size_t left_out = 0; left_out < 4; ++left_out) {
      FewNodes corners;
      for (std::size_t i = 0; i < 4; ++i)
        if (i != left_out) corners.insert(nodes.node[i]);
      if (const auto found = triangles.find(corners); found != triangles.end())
        split.emplace_back(facet, found->second);
    }
  }
  std::sort(split.begin(), split.end(), pair_before);
  return split;
}

}  // namespace ritz
