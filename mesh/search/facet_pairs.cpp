#include "mesh/search/facet_pairs.hpp"

#include "mesh/lagrange_cells.hpp"
#include "mesh/point_algebra.hpp"
#include "mesh/search/nearest_point.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <span>

namespace ritz {
namespace {

// Functions of the position in the plane are rational on facets that are bent or no parallelograms.
constexpr int more_degrees_of_curved = 6;

using PlanePoint = std::array<double, 2>;      // of lines the second coordinate is 0
using PlanePolygon = std::vector<PlanePoint>;  // convex, counterclockwise; of lines the two ends, ascending

double twice_area(const PlanePoint& a, const PlanePoint& b, const PlanePoint& c) {
  return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
}

// Area, or the length of a line.
double extent_of(const PlanePolygon& polygon) {
  if (polygon.size() == 2) return polygon[1][0] - polygon[0][0];
  double twice = 0;
  for (std::size_t i = 2; i < polygon.size(); ++i) twice += twice_area(polygon[0], polygon[i - 1], polygon[i]);
  return 0.5 * twice;
}

// The part to the left of the line from a to b (Sutherland and Hodgman, Comm. ACM 17, 1974).
PlanePolygon left_of(const PlanePolygon& polygon, const PlanePoint& a, const PlanePoint& b) {
  PlanePolygon result;
  for (std::size_t i = 0; i < polygon.size(); ++i) {
    const PlanePoint &p = polygon[i], &q = polygon[(i + 1) % polygon.size()];
    const double at_p = twice_area(a, b, p), at_q = twice_area(a, b, q);
    if (at_p >= 0) result.push_back(p);
    if ((at_p > 0 && at_q < 0) || (at_p < 0 && at_q > 0)) {
      const double s = at_p / (at_p - at_q);
      result.push_back({p[0] + s * (q[0] - p[0]), p[1] + s * (q[1] - p[1])});
    }
  }
  return result;
}

PlanePolygon common_part(const PlanePolygon& a, PlanePolygon b) {
  if (a.size() == 2) {
    b = {{std::max(a[0][0], b[0][0]), 0}, {std::min(a[1][0], b[1][0]), 0}};
    return b[1][0] > b[0][0] ? b : PlanePolygon{};
  }
  for (std::size_t i = 0; i < a.size() && !b.empty(); ++i) b = left_of(b, a[i], a[(i + 1) % a.size()]);
  return b.size() < 3 ? PlanePolygon{} : b;
}

// The corners of n parts along each axis of a reference facet.
std::vector<std::vector<Point>> parts_of(CellKind kind, int n) {
  const std::span<const Point> corners = reference_nodes(kind);
  if (n == 1) return {{corners.begin(), corners.end()}};
  std::vector<std::vector<Point>> parts;
  const auto add = [&](std::initializer_list<std::array<int, 2>> at) {
    std::vector<Point>& part = parts.emplace_back();
    for (const auto& [i, j] : at) {
      const double x = static_cast<double>(i) / n, y = static_cast<double>(j) / n;
      part.push_back(kind == CellKind::tri3 ? Point{x, y, 0} : Point{2 * x - 1, 2 * y - 1, 0});
    }
  };
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) {
      if (kind == CellKind::quad4) add({{i, j}, {i + 1, j}, {i + 1, j + 1}, {i, j + 1}});
      else if (i + j < n) {
        add({{i, j}, {i + 1, j}, {i, j + 1}});
        if (i + j + 1 < n) add({{i + 1, j}, {i + 1, j + 1}, {i, j + 1}});
      }
    }
  return parts;
}

// The plane of a facet at its centre, of a line the line along it, onto which others are projected along the normal.
class FacetPlane {
 public:
  explicit FacetPlane(const LocatedShape& facet) : dimension_(traits(facet.kind).dimension) {
    const CellMap::Place centre = with_tangents_at(facet, reference_centroid(facet.kind));
    origin_ = centre.at;
    axes_[0] = unit(centre.tangents[0]);
    if (dimension_ == 2) axes_[1] = cross(unit(cross(centre.tangents[0], centre.tangents[1])), axes_[0]);
  }
  int dimension() const { return dimension_; }

  // Returns whether the outward normals are opposite to each other within 60 degrees. Cells have no outward side.
  bool is_faced_by(const LocatedShape& facet) const {
    if (traits(facet.kind).dimension != dimension_) return false;
    const std::array<Point, 3> t = with_tangents_at(facet, reference_centroid(facet.kind)).tangents;
    const double cosine =
        dimension_ == 1 ? dot(axes_[0], unit(t[0])) : dot(cross(axes_[0], axes_[1]), unit(cross(t[0], t[1])));
    return (facet.corners.empty() ? -std::abs(cosine) : cosine) <= -0.5;
  }

  // Projections of a facet: one polygon where its edges are straight in the plane, else those of parts of it.
  std::vector<PlanePolygon> polygons_of(const LocatedShape& facet) const {
    std::vector<PlanePolygon> result;
    for (const std::vector<Point>& part : parts_of(facet.kind, count_of_parts(facet))) {
      PlanePolygon polygon;
      for (const Point& corner : part) polygon.push_back(of(point_at(facet, corner)));
      if (extent_of(polygon) < 0) std::ranges::reverse(polygon);
      result.push_back(std::move(polygon));
    }
    return result;
  }

  struct Place {
    Point xi;
    CellMap::Place at;
    double stretch;  // of the facet's area to that of the plane
  };
  // The place on a facet above a point, by Newton's method; none: it wanders.
  std::optional<Place> above(const LocatedShape& facet, const PlanePoint& point) const {
    constexpr int most_steps = 30;
    constexpr double settled = 1e-13, nearly = 1e-9;  // the next step is the square of this
    Point xi = reference_centroid(facet.kind);
    for (int i = 0; i < most_steps; ++i) {
      CellMap::Place at = with_tangents_at(facet, xi);
      const Point step = step_to(point, at);
      const double size = std::abs(step[0]) + std::abs(step[1]);
      if (!(size < 1e6)) return std::nullopt;
      for (std::size_t k = 0; k < 2; ++k) xi[k] += step[k];
      if (size >= nearly) continue;
      if (size >= settled) at = with_tangents_at(facet, xi);
      const Point normal = cross(at.tangents[0], at.tangents[1]);
      const double area = dimension_ == 1 ? length(at.tangents[0]) : length(normal);
      return Place{xi, at, std::abs(area / determinant(at.tangents))};
    }
    return std::nullopt;
  }

 private:
  static Point unit(const Point& x) {
    const double size = length(x);
    return {x[0] / size, x[1] / size, x[2] / size};
  }
  PlanePoint of(const Point& x) const {
    const Point from = minus(x, origin_);
    return {dot(from, axes_[0]), dimension_ == 1 ? 0 : dot(from, axes_[1])};
  }
  double determinant(const std::array<Point, 3>& t) const {
    if (dimension_ == 1) return dot(axes_[0], t[0]);
    return dot(axes_[0], t[0]) * dot(axes_[1], t[1]) - dot(axes_[0], t[1]) * dot(axes_[1], t[0]);
  }
  Point step_to(const PlanePoint& point, const CellMap::Place& from) const {
    const PlanePoint here = of(from.at);
    const double x = point[0] - here[0], y = point[1] - here[1], by = determinant(from.tangents);
    if (dimension_ == 1) return {x / by, 0, 0};
    const std::array<Point, 3>& t = from.tangents;
    return {(x * dot(axes_[1], t[1]) - y * dot(axes_[0], t[1])) / by,
            (y * dot(axes_[0], t[0]) - x * dot(axes_[1], t[0])) / by, 0};
  }

  // Parts along each axis whose edges deviate from straight ones by 1e-3 of the facet's edges and less.
  int count_of_parts(const LocatedShape& facet) const {
    constexpr double straight = 1e-9, enough = 1e-3;
    constexpr int most = 8;
    if (dimension_ == 1 || order_of(*facet.cell) == 1) return 1;
    const std::span<const Point> corners = reference_nodes(facet.kind);
    double deviation = 0;
    for (std::size_t i = 0; i < corners.size(); ++i) {
      const Point &p = corners[i], &q = corners[(i + 1) % corners.size()];
      const PlanePoint a = of(point_at(facet, p)), b = of(point_at(facet, q));
      const double square = (b[0] - a[0]) * (b[0] - a[0]) + (b[1] - a[1]) * (b[1] - a[1]);
      for (const double s : {0.25, 0.5, 0.75}) {
        const Point xi{p[0] + s * (q[0] - p[0]), p[1] + s * (q[1] - p[1]), 0};
        deviation = std::max(deviation, std::abs(twice_area(a, b, of(point_at(facet, xi)))) / square);
      }
    }
    if (!(deviation > straight)) return 1;
    return std::clamp(static_cast<int>(std::ceil(std::sqrt(deviation / enough))), 2, most);
  }
  static int order_of(const CellMap& cell) {
    return cell.functions() != nullptr ? cell.functions()->order() : traits(cell.kind()).order;
  }

  int dimension_;
  Point origin_;
  std::array<Point, 2> axes_{};
};

// Returns whether the derivatives of its map are the same everywhere.
bool is_affine(const LocatedShape& facet) {
  constexpr double rounding = 1e-10;
  const std::array<Point, 3> centre = with_tangents_at(facet, reference_centroid(facet.kind)).tangents;
  const int dimension = traits(facet.kind).dimension;
  return std::ranges::all_of(lagrange_nodes(facet.kind, 2), [&](const Point& xi) {
    const std::array<Point, 3> here = with_tangents_at(facet, xi).tangents;
    for (std::size_t k = 0; k < static_cast<std::size_t>(dimension); ++k)
      if (length(minus(here[k], centre[k])) > rounding * length(centre[k])) return false;
    return true;
  });
}

// visit(point, weight) for a rule on a polygon.
template <class Visit>
void each_point(const PlanePolygon& polygon, const QuadratureRule& rule, const Visit& visit) {
  if (polygon.size() == 2) {
    const double middle = 0.5 * (polygon[0][0] + polygon[1][0]), half = 0.5 * extent_of(polygon);
    for (std::size_t q = 0; q < rule.points.size(); ++q)
      visit(PlanePoint{middle + half * rule.points[q][0], 0}, half * rule.weights[q]);
    return;
  }
  for (std::size_t i = 2; i < polygon.size(); ++i) {
    const PlanePoint &a = polygon[0], &b = polygon[i - 1], &c = polygon[i];
    const double twice = twice_area(a, b, c);
    for (std::size_t q = 0; q < rule.points.size() && twice > 0; ++q) {
      PlanePoint x = a;
      for (std::size_t d = 0; d < 2; ++d) x[d] += rule.points[q][0] * (b[d] - a[d]) + rule.points[q][1] * (c[d] - a[d]);
      visit(x, twice * rule.weights[q]);
    }
  }
}

}  // namespace

FacetPairs::FacetPairs(const Mesh& mesh, const NearestFacet& others, int degree) : mesh_(mesh), others_(others) {
  const int more = degree + more_degrees_of_curved;
  lines_ = {quadrature(CellKind::line2, degree), quadrature(CellKind::line2, more)};
  triangles_ = {quadrature(CellKind::tri3, degree), quadrature(CellKind::tri3, more)};
}

FacetCover FacetPairs::of(const FacetOfCell& own, double reach) const {
  constexpr double nothing = 1e-14;
  const CellMap own_cell(mesh_, own.cell);
  const LocatedShape facet = shape_of(own_cell, own.facet);
  const FacetPlane plane(facet);
  const std::vector<PlanePolygon> polygons = plane.polygons_of(facet);
  const bool own_is_affine = is_affine(facet);
  double area = 0, covered = 0;
  for (const PlanePolygon& each : polygons) area += extent_of(each);
  FacetCover cover;
  for (const FacetOfCell& each : others_.near(own, reach)) {
    const CellMap other_cell(mesh_, each.cell);
    const LocatedShape other = shape_of(other_cell, each.facet);
    if (each == own || !plane.is_faced_by(other)) continue;
    const Rules& rules = plane.dimension() == 1 ? lines_ : triangles_;
    const std::vector<PlanePolygon> others = plane.polygons_of(other);
    // Parts of facets with bent edges are small, and their polygons not exact.
    const bool has_parts = polygons.size() + others.size() > 2;
    const QuadratureRule& rule = has_parts || (own_is_affine && is_affine(other)) ? rules.flat : rules.curved;
    FacetPair pair{each, {}};
    const auto add = [&](const PlanePoint& x, double weight) {
      const std::optional<FacetPlane::Place> here = plane.above(facet, x), there = plane.above(other, x);
      if (!here || !there) return;
      const Point gap = minus(here->at.at, there->at.at);
      if (length(gap) > reach) return;
      covered += weight;
      pair.points.push_back({here->xi, there->xi, here->at.at, gap, there->at.tangents, weight * here->stretch});
    };
    for (const PlanePolygon& theirs : others)
      for (const PlanePolygon& ours : polygons) {
        const PlanePolygon common = common_part(ours, theirs);
        if (!common.empty() && extent_of(common) > nothing * area) each_point(common, rule, add);
      }
    if (!pair.points.empty()) cover.pairs.push_back(std::move(pair));
  }
  cover.share = covered / area;
  return cover;
}

}  // namespace ritz
