#include "mesh/conformity.hpp"

#include "mesh/facets.hpp"
#include "mesh/point_algebra.hpp"
#include "mesh/point_grid.hpp"

#include <algorithm>
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

CellKind kind_of(const Mesh& mesh, FacetOfCell facet) {
  return traits(mesh.kind_of(facet.cell)).facets[static_cast<std::size_t>(facet.facet)].kind;
}
std::size_t corner_count(const Mesh& mesh, FacetOfCell facet) {
  return static_cast<std::size_t>(traits(kind_of(mesh, facet)).corner_count);
}

std::vector<Node> nodes_of_facets(const Mesh& mesh, std::span<const FacetOfCell> facets) {
  std::vector<Node> nodes;
  for (const FacetOfCell& facet : facets)
    for (const Node node : mesh.nodes_of(facet)) nodes.push_back(node);
  std::sort(nodes.begin(), nodes.end());
  nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
  return nodes;
}

struct EdgeSizes {
  double shortest = std::numeric_limits<double>::max(), mean = 0;
};

EdgeSizes edge_sizes(const Mesh& mesh, std::span<const FacetOfCell> facets) {
  EdgeSizes sizes;
  double count = 0;
  for (const FacetOfCell& facet : facets) {
    const std::vector<Node> nodes = mesh.nodes_of(facet);
    for (const auto& [a, b] : traits(kind_of(mesh, facet)).edges) {
      const double length =
          distance(at(mesh, nodes[static_cast<std::size_t>(a)]), at(mesh, nodes[static_cast<std::size_t>(b)]));
      sizes.shortest = std::min(sizes.shortest, length);
      sizes.mean += length;
      ++count;
    }
  }
  sizes.mean /= std::max(count, 1.0);
  return sizes;
}

// For every node of the boundary the lowest node that coincides with it, directly or through others.
std::map<Node, Node> coinciding_nodes(const Mesh& mesh, std::span<const FacetOfCell> boundary, double tolerance,
                                      double spacing) {
  std::vector<Node> nodes = nodes_of_facets(mesh, boundary);
  const PointGrid grid(mesh.points(), nodes, spacing);
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

// Where the point nearest to p lies on a facet, by Gauss-Newton steps; the reference coordinates and the distance.
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
  const std::map<Node, Node> lowest = coinciding_nodes(mesh, boundary, tolerance, std::max(sizes.mean, 2 * tolerance));
  Cracks cracks;
  if (lowest.empty()) return cracks;

  const auto same = [&lowest](Node node) {
    const auto found = lowest.find(node);
    return found == lowest.end() ? node : found->second;
  };
  std::map<FewNodes, FacetOfCell> seen;
  for (const FacetOfCell& facet : boundary) {
    FewNodes corners;
    const std::vector<Node> nodes = mesh.nodes_of(facet);
    for (std::size_t i = 0; i < corner_count(mesh, facet); ++i) corners.insert(same(nodes[i]));
    const auto [other, is_new] = seen.emplace(corners, facet);
    if (is_new) continue;
    cracks.facets.emplace_back(other->second, facet);
    for (const Node a : nodes)
      for (const Node b : mesh.nodes_of(other->second))
        if (a != b && same(a) == same(b)) cracks.nodes.emplace_back(std::min(a, b), std::max(a, b));
  }
  std::sort(cracks.facets.begin(), cracks.facets.end(), pair_before);
  std::sort(cracks.nodes.begin(), cracks.nodes.end());
  cracks.nodes.erase(std::unique(cracks.nodes.begin(), cracks.nodes.end()), cracks.nodes.end());
  return cracks;
}

std::vector<HangingNode> find_hanging_nodes(const Mesh& mesh, double tolerance) {
  const std::vector<FacetOfCell> boundary = boundary_facets(mesh);
  const double spacing = std::max(edge_sizes(mesh, boundary).mean, 1e-300);
  const PointGrid grid(mesh.points(), nodes_of_facets(mesh, boundary), spacing);
  std::map<Node, FacetOfCell> hanging;
  for (const FacetOfCell& facet : boundary) {
    const CellKind kind = kind_of(mesh, facet);
    if (traits(kind).dimension == 0) continue;
    const std::vector<Node> nodes = mesh.nodes_of(facet);
    std::vector<Point> x;
    Point low = at(mesh, nodes[0]), high = low;
    for (const Node node : nodes) {
      x.push_back(at(mesh, node));
      for (std::size_t k = 0; k < 3; ++k) {
        low[k] = std::min(low[k], x.back()[k]);
        high[k] = std::max(high[k], x.back()[k]);
      }
    }
    const double size = distance(low, high), near = tolerance < 0 ? 1e-6 * size : tolerance;
    const double margin = traits(kind).order == 2 ? 0.25 * size : near;  // curved facets leave the box of their nodes
    for (std::size_t k = 0; k < 3; ++k) low[k] -= margin, high[k] += margin;
    grid.for_each_in(low, high, [&](Node node) {
      const Point p = at(mesh, node);
      if (std::any_of(x.begin(), x.end(), [&](const Point& corner) { return distance(p, corner) <= near; })) return;
      const Projection projection = project(kind, x, p);
      if (projection.distance <= near && inside(kind, projection.xi)) hanging.emplace(node, facet);
    });
  }
  std::vector<HangingNode> list;
  for (const auto& [node, facet] : hanging) list.push_back({node, facet});
  return list;
}

std::vector<std::pair<FacetOfCell, FacetOfCell>> find_split_faces(const Mesh& mesh) {
  std::vector<std::pair<FacetOfCell, FacetOfCell>> split;
  if (mesh.dimension() != 3) return split;
  const std::vector<FacetOfCell> boundary = boundary_facets(mesh);
  std::map<FewNodes, FacetOfCell> triangles;
  for (const FacetOfCell& facet : boundary) {
    if (corner_count(mesh, facet) != 3) continue;
    const std::vector<Node> nodes = mesh.nodes_of(facet);
    FewNodes corners;
    for (std::size_t i = 0; i < 3; ++i) corners.insert(nodes[i]);
    triangles.emplace(corners, facet);
  }
  if (triangles.empty()) return split;
  for (const FacetOfCell& facet : boundary) {
    if (corner_count(mesh, facet) != 4) continue;
    const std::vector<Node> nodes = mesh.nodes_of(facet);
    for (std::size_t left_out = 0; left_out < 4; ++left_out) {
      FewNodes corners;
      for (std::size_t i = 0; i < 4; ++i)
        if (i != left_out) corners.insert(nodes[i]);
      if (const auto found = triangles.find(corners); found != triangles.end())
        split.emplace_back(facet, found->second);
    }
  }
  std::sort(split.begin(), split.end(), pair_before);
  return split;
}

}  // namespace ritz
