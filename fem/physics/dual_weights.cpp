#include "fem/physics/dual_weights.hpp"

#include "device/parallel_errors.hpp"
#include "mesh/point_algebra.hpp"
#include "mesh/quadrature.hpp"
#include "mesh/search/cell_search.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <optional>
#include <utility>

namespace ritz {
namespace {

// A rule of that degree on each of n parts along every axis, so that kinks of the other side's functions weigh less.
QuadratureRule divided_rule(CellKind kind, int degree, int n) {
  const QuadratureRule whole = quadrature(kind, degree);
  QuadratureRule result{degree, {}, {}};
  const auto add = [&](const std::array<double, 3>& corner, double scale, double size) {
    for (std::size_t q = 0; q < whole.points.size(); ++q) {
      std::array<double, 3> x = corner;
      for (std::size_t d = 0; d < 2; ++d) x[d] += scale * whole.points[q][d];
      result.points.push_back(x);
      result.weights.push_back(whole.weights[q] * size);
    }
  };
  for (int i = 0; i < n; ++i) {
    if (kind == CellKind::line2) {
      add({(2.0 * i + 1) / n - 1, 0, 0}, 1.0 / n, 1.0 / n);
      continue;
    }
    for (int j = 0; j < n; ++j) {
      if (kind == CellKind::quad4) add({(2.0 * i + 1) / n - 1, (2.0 * j + 1) / n - 1, 0}, 1.0 / n, 1.0 / (n * n));
      else if (i + j < n) {
        add({double(i) / n, double(j) / n, 0}, 1.0 / n, 1.0 / (n * n));
        if (i + j + 1 < n) add({(i + 1.0) / n, (j + 1.0) / n, 0}, -1.0 / n, 1.0 / (n * n));
      }
    }
  }
  return result;
}

// A convex polygon on a reference facet; of a line two ends.
using Corner = std::array<double, 2>;
using Polygon = std::vector<Corner>;

double twice_area(const Corner& a, const Corner& b, const Corner& c) {
  return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
}

// The part to the left of the line from a to b (Sutherland and Hodgman, Comm. ACM 17, 1974).
Polygon left_of(const Polygon& polygon, const Corner& a, const Corner& b) {
  Polygon result;
  for (std::size_t i = 0; i < polygon.size(); ++i) {
    const Corner &p = polygon[i], &q = polygon[(i + 1) % polygon.size()];
    const double at_p = twice_area(a, b, p), at_q = twice_area(a, b, q);
    if (at_p >= 0) result.push_back(p);
    if ((at_p > 0 && at_q < 0) || (at_p < 0 && at_q > 0)) {
      const double s = at_p / (at_p - at_q);
      result.push_back({p[0] + s * (q[0] - p[0]), p[1] + s * (q[1] - p[1])});
    }
  }
  return result;
}

Polygon reference_polygon(CellKind facet) {
  if (facet == CellKind::line2) return {{-1, 0}, {1, 0}};
  if (facet == CellKind::tri3) return {{0, 0}, {1, 0}, {0, 1}};
  return {{-1, -1}, {1, -1}, {1, 1}, {-1, 1}};
}

// A rule on the parts of a facet that lie under one facet of the other side each, so that it meets no kink of that
// side's functions: exact for flat facets with straight edges.
class RuleByParts {
 public:
  RuleByParts(const FunctionSpace& space, const SurfaceProjection& onto, const FacetMap& map, CellKind shape)
      : space_(space), onto_(onto), map_(map), shape_(shape), own_(reference_polygon(shape)) {}

  // nullopt: the facets found under it do not cover it
  std::optional<QuadratureRule> rule(int degree) const {
    const bool line = shape_ == CellKind::line2;
    const QuadratureRule each = quadrature(line ? CellKind::line2 : CellKind::tri3, degree);
    QuadratureRule result{degree, {}, {}};
    double covered = 0;
    for (const FacetOfCell& other : under()) {
      const std::optional<Polygon> polygon = projected(other);
      if (!polygon) return std::nullopt;
      covered += line ? add_line(*polygon, each, result) : add_triangles(clipped(*polygon), each, result);
    }
    const double all = line ? 2 : shape_ == CellKind::tri3 ? 0.5 : 4;
    if (std::abs(covered - all) > 1e-9 * all) return std::nullopt;
    return result;
  }

 private:
  // The facets nearest to points inside, and close to its edges, where narrow parts lie.
  std::vector<FacetOfCell> under() const {
    std::vector<std::array<double, 3>> points = divided_rule(shape_, 2, 4).points;
    Corner centre{};
    for (const Corner& corner : own_)
      for (std::size_t d = 0; d < 2; ++d) centre[d] += corner[d] / static_cast<double>(own_.size());
    constexpr int along = 12;
    constexpr double inside = 1e-4;
    for (std::size_t i = 0; i < own_.size(); ++i)
      for (int k = 0; k < along; ++k) {
        const Corner &p = own_[i], &q = own_[(i + 1) % own_.size()];
        std::array<double, 3> x{};
        for (std::size_t d = 0; d < 2; ++d)
          x[d] = (1 - inside) * (p[d] + (k + 0.5) / along * (q[d] - p[d])) + inside * centre[d];
        points.push_back(x);
        if (shape_ == CellKind::line2) points.push_back({(1 - inside) * p[0], 0, 0});
      }
    std::map<std::pair<Index, int>, FacetOfCell> found;
    for (const auto& x : points) {
      const FacetOfCell facet = onto_.foot_of(map_.at(x)).place.facet;
      found.emplace(std::pair{facet.cell, facet.facet}, facet);
    }
    std::vector<FacetOfCell> result;
    for (const auto& [key, facet] : found) result.push_back(facet);
    return result;
  }

  // Its corners on the own reference facet; nullopt: they have no places there.
  std::optional<Polygon> projected(const FacetOfCell& other) const {
    const Mesh& mesh = space_.mesh();
    const CellMap cell(mesh, other.cell);
    const CellKind shape = other.facet < 0 ? traits(cell.kind()).linear
                                           : traits(traits(cell.kind()).facets[std::size_t(other.facet)].kind).linear;
    Polygon result;
    for (const Corner& corner : reference_polygon(shape)) {
      const Point xi{corner[0], corner[1], 0};
      const std::optional<Corner> place = place_of(other.facet < 0 ? cell.at(xi) : FacetMap(cell, other.facet).at(xi));
      if (!place) return std::nullopt;
      result.push_back(*place);
    }
    return result;
  }
  // By the method of Gauss and Newton: one step where the map is affine.
  std::optional<Corner> place_of(const Point& x) const {
    const int dimension = shape_ == CellKind::line2 ? 1 : 2;
    Point xi{};
    if (shape_ == CellKind::tri3) xi = {1.0 / 3, 1.0 / 3, 0};
    for (int iteration = 0; iteration < 30; ++iteration) {
      const std::array<Point, 3> t = map_.tangents(xi);
      const Point step = step_towards(minus(x, map_.at(xi)), t, dimension);
      for (std::size_t d = 0; d < static_cast<std::size_t>(dimension); ++d) xi[d] += step[d];
      if (std::abs(step[0]) + (dimension > 1 ? std::abs(step[1]) : 0) < 1e-13) return Corner{xi[0], xi[1]};
    }
    return std::nullopt;
  }

  Polygon clipped(Polygon polygon) const {
    for (std::size_t i = 0; i < own_.size() && !polygon.empty(); ++i)
      polygon = left_of(polygon, own_[i], own_[(i + 1) % own_.size()]);
    return polygon;
  }
  static double add_line(const Polygon& ends, const QuadratureRule& each, QuadratureRule& rule) {
    const double low = std::max(-1.0, std::min(ends[0][0], ends[1][0])),
                 high = std::min(1.0, std::max(ends[0][0], ends[1][0]));
    if (!(high > low)) return 0;
    for (std::size_t q = 0; q < each.points.size(); ++q) {
      rule.points.push_back({0.5 * (low + high) + 0.5 * (high - low) * each.points[q][0], 0, 0});
      rule.weights.push_back(0.5 * (high - low) * each.weights[q]);
    }
    return high - low;
  }
  static double add_triangles(const Polygon& polygon, const QuadratureRule& each, QuadratureRule& rule) {
    double area = 0;
    for (std::size_t i = 2; i < polygon.size(); ++i) {
      const Corner &a = polygon[0], &b = polygon[i - 1], &c = polygon[i];
      const double size = std::abs(twice_area(a, b, c));
      if (size < 1e-14) continue;
      area += 0.5 * size;
      for (std::size_t q = 0; q < each.points.size(); ++q) {
        std::array<double, 3> x{};
        for (std::size_t d = 0; d < 2; ++d)
          x[d] = a[d] + each.points[q][0] * (b[d] - a[d]) + each.points[q][1] * (c[d] - a[d]);
        rule.points.push_back(x);
        rule.weights.push_back(size * each.weights[q]);
      }
    }
    return area;
  }

  const FunctionSpace& space_;
  const SurfaceProjection& onto_;
  const FacetMap& map_;
  CellKind shape_;
  Polygon own_;
};

// x = M^-1 b of a symmetric positive matrix [row][column], both overwritten; b [row][right-hand side].
void solve_small(std::vector<double>& M, std::vector<double>& b, std::size_t n) {
  for (std::size_t k = 0; k < n; ++k)
    for (std::size_t i = 0; i < n; ++i) {
      if (i == k) continue;
      const double factor = M[i * n + k] / M[k * n + k];
      for (std::size_t j = k; j < n; ++j) M[i * n + j] -= factor * M[k * n + j];
      for (std::size_t j = 0; j < n; ++j) b[i * n + j] -= factor * b[k * n + j];
    }
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j) b[i * n + j] /= M[i * n + i];
}

struct Share {
  double size = 0;                // integral of the node's function
  std::map<Node, double> others;  // integrals of psi times functions of the other side
  bool usable = true;
};

// The integral of a corner's function over a facet of 6 or 8 nodes is not positive, so it has no dual function. Each
// corner takes this part of the functions on its edges (Popp, Wohlmuth, Gee and Wall, SIAM J. Sci. Comput. 34 (2012)
// B421). The functions span the same space: the value in the middle of an edge is that of its own function times 1 less
// two parts, and a part of those of its ends.
constexpr double part_of_edge = 0.2;

// [node] of the ends of the edge in whose middle it lies; -1: of none that shares its function.
std::vector<std::array<int, 2>> edges_that_share(const ReferenceElement& facet) {
  const Polygon corners = reference_polygon(facet.shape);
  const std::size_t n = facet.nodes.size();
  std::vector<std::array<int, 2>> ends(n, {-1, -1});
  if (facet.order != 2 || n != 2 * corners.size() || facet.dimension() != 2) return ends;
  const auto node_at = [&](double x, double y) {
    const auto found = std::ranges::find_if(
        facet.nodes, [&](const Point& node) { return std::abs(node[0] - x) + std::abs(node[1] - y) < 1e-12; });
    return static_cast<int>(found - facet.nodes.begin());
  };
  for (std::size_t i = 0; i < corners.size(); ++i) {
    const Corner &a = corners[i], &b = corners[(i + 1) % corners.size()];
    ends.at(static_cast<std::size_t>(node_at(0.5 * (a[0] + b[0]), 0.5 * (a[1] + b[1])))) = {node_at(a[0], a[1]),
                                                                                            node_at(b[0], b[1])};
  }
  return ends;
}

void share_with_corners(const std::vector<std::array<int, 2>>& ends, std::vector<double>& values) {
  for (std::size_t e = 0; e < ends.size(); ++e) {
    if (ends[e][0] < 0) continue;
    for (const int corner : ends[e]) values[static_cast<std::size_t>(corner)] += part_of_edge * values[e];
    values[e] *= 1 - 2 * part_of_edge;
  }
}

// One facet of the side that follows: its part in the shares of its nodes.
struct FacetShares {
  std::vector<Node> nodes;
  std::vector<std::array<int, 2>> ends;  // as above
  std::vector<Share> shares;
};

class DualIntegration {
 public:
  DualIntegration(const FunctionSpace& space, const SurfaceProjection& onto, std::optional<double> tolerance,
                  double share)
      : space_(space), onto_(onto), tolerance_(tolerance), share_(share) {}

  FacetShares over(const FacetOfCell& f) const {
    constexpr int parts = 4;
    const CellMap cell(space_.mesh(), f.cell);
    const FacetMap map(cell, f.facet);
    const FunctionSpace::FacetElement& facet = space_.facet_element(cell.kind(), f.facet);
    const std::size_t n = facet.nodes.size();
    FacetShares result{{}, edges_that_share(*facet.element), std::vector<Share>(n)};
    std::vector<Node> cell_nodes;
    space_.nodes_of(f.cell, cell_nodes);
    for (const int a : facet.nodes) result.nodes.push_back(cell_nodes[static_cast<std::size_t>(a)]);
    const int order = facet.element->order, degree = facet.element->dimension() == 1 ? 2 * order : 4 * order;
    const std::optional<QuadratureRule> by_parts =
        RuleByParts(space_, onto_, map, facet.element->shape).rule(degree + 1);
    const QuadratureRule rule = by_parts ? *by_parts : divided_rule(facet.element->shape, 2 * order, parts);
    std::vector<double> M(n * n, 0.0), D(n * n, 0.0), values(n), weights(rule.weights);
    std::vector<std::vector<double>> at_points;
    std::vector<Point> slopes(n);
    for (std::size_t q = 0; q < rule.points.size(); ++q) {
      facet.element->evaluate(rule.points[q], values, slopes);
      share_with_corners(result.ends, values);
      const std::array<Point, 3> t = map.tangents(rule.points[q]);
      weights[q] *= facet.element->dimension() == 1 ? length(t[0]) : length(cross(t[0], t[1]));
      for (std::size_t a = 0; a < n; ++a) {
        result.shares[a].size += weights[q] * values[a];
        for (std::size_t b = 0; b < n; ++b) M[a * n + b] += weights[q] * values[a] * values[b];
      }
      at_points.push_back(values);
    }
    double area = 0;
    for (const double w : weights) area += w;
    bool usable = true;
    for (std::size_t a = 0; a < n; ++a) {
      D[a * n + a] = result.shares[a].size;
      usable = usable && result.shares[a].size > 1e-3 * area / static_cast<double>(n);
    }
    if (usable) solve_small(M, D, n);  // psi_a = sum_b D[b][a] N_b
    for (std::size_t q = 0; usable && q < rule.points.size(); ++q) {
      const SurfaceProjection::Foot foot = onto_.foot_of(map.at(rule.points[q]));
      usable = foot.place.distance <= tolerance_.value_or(share_ * foot.size);
      const PointWeights other = onto_.weights(foot);
      for (std::size_t a = 0; a < n; ++a) {
        double psi = 0;
        for (std::size_t b = 0; b < n; ++b) psi += D[b * n + a] * at_points[q][b];
        for (std::size_t m = 0; m < other.nodes.size(); ++m)
          result.shares[a].others[other.nodes[m]] += weights[q] * psi * other.weights[m];
      }
    }
    for (Share& each : result.shares) each.usable = usable;
    return result;
  }

 private:
  const FunctionSpace& space_;
  const SurfaceProjection& onto_;
  std::optional<double> tolerance_;
  double share_;
};

}  // namespace

std::vector<NodeWeights> dual_weights(const FunctionSpace& space, const Region& region, const SurfaceProjection& onto,
                                      std::optional<double> tolerance, double share) {
  constexpr double nothing = 1e-12;
  const DualIntegration integration(space, onto, tolerance, share);
  std::vector<FacetShares> facets(region.facets.size());
  ParallelErrors errors;
#pragma omp parallel for schedule(dynamic, 16)
  for (std::size_t i = 0; i < region.facets.size(); ++i)
    errors.run([&] { facets[i] = integration.over(region.facets[i]); });
  errors.rethrow();
  std::map<Node, Share> sums;
  std::map<Node, std::array<Node, 2>> ends;
  for (const FacetShares& each : facets)
    for (std::size_t a = 0; a < each.nodes.size(); ++a) {
      if (each.ends[a][0] >= 0)
        ends[each.nodes[a]] = {each.nodes[static_cast<std::size_t>(each.ends[a][0])],
                               each.nodes[static_cast<std::size_t>(each.ends[a][1])]};
      Share& sum = sums[each.nodes[a]];
      sum.size += each.shares[a].size;
      sum.usable = sum.usable && each.shares[a].usable;
      for (const auto& [node, part] : each.shares[a].others) sum.others[node] += part;
    }
  std::vector<NodeWeights> result;
  for (const auto& [node, sum] : sums) {
    std::map<Node, double> weights;
    bool usable = true;
    const auto add = [&](const Share& share, double factor) {
      usable = usable && share.usable;
      for (const auto& [other, part] : share.others) weights[other] += factor * part / share.size;
    };
    const auto edge = ends.find(node);
    add(sum, edge == ends.end() ? 1 : 1 - 2 * part_of_edge);
    if (edge != ends.end())
      for (const Node corner : edge->second) add(sums.at(corner), part_of_edge);
    if (!usable) continue;
    NodeWeights& found = result.emplace_back(NodeWeights{node, {}});
    for (const auto& [other, weight] : weights)
      if (std::abs(weight) > nothing) {
        found.at.nodes.push_back(other);
        found.at.weights.push_back(weight);
      }
  }
  return result;
}

}  // namespace ritz
