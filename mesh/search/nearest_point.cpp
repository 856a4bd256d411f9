#include "mesh/search/nearest_point.hpp"

#include "mesh/point_algebra.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace ritz {

namespace {

// Newton's method from `start`, kept inside the reference cell, with steps halved until they pay; until the point is
// far within `enough`.
Nearest descend(const LocatedShape& shape, const Point& target, const Point& start, double enough) {
  constexpr int most_steps = 50, most_halvings = 6;
  const int dimension = traits(shape.kind).dimension;
  CellMap::Place place = with_tangents_at(shape, start);
  Nearest best{start, length(minus(target, place.at))};
  for (int step = 0; step < most_steps && dimension > 0 && best.distance > 1e-3 * enough; ++step) {
    Point d = step_towards(minus(target, place.at), place.tangents, dimension);
    Nearest next{best.xi, best.distance};
    // Within `enough` a whole step that does not pay meets rounding.
    const int tries = best.distance <= enough ? 1 : most_halvings;
    for (int halving = 0; halving < tries && next.distance >= best.distance; ++halving) {
      next.xi = moved_inside(shape.kind, {best.xi[0] + d[0], best.xi[1] + d[1], best.xi[2] + d[2]});
      place = with_tangents_at(shape, next.xi);
      next.distance = length(minus(target, place.at));
      for (double& component : d) component /= 2;
    }
    if (!(next.distance < best.distance)) break;
    const bool settled = length(minus(next.xi, best.xi)) < 1e-15;
    best = next;
    if (settled) break;
  }
  return best;
}

}  // namespace

LocatedShape shape_of(const CellMap& cell) { return {traits(cell.kind()).linear, &cell, {}}; }

LocatedShape shape_of(const CellMap& cell, int facet) {
  LocatedShape shape = shape_of(cell);
  if (facet < 0) return shape;
  const Facet& side = traits(shape.kind).facets[static_cast<std::size_t>(facet)];
  shape.kind = side.kind;
  for (const int a : side.nodes) shape.corners.push_back(reference_nodes(cell.kind())[static_cast<std::size_t>(a)]);
  return shape;
}

Point combined(std::span<const double> weights, std::span<const Point> points) {
  Point x{};
  for (std::size_t a = 0; a < weights.size(); ++a)
    for (std::size_t k = 0; k < 3; ++k) x[k] += weights[a] * points[a][k];
  return x;
}

Point place_in_cell(const LocatedShape& shape, const Point& xi) {
  return shape.corners.empty() ? xi : combined(shape_values(shape.kind, xi), shape.corners);
}

Point point_at(const LocatedShape& shape, const Point& xi) { return shape.cell->at(place_in_cell(shape, xi)); }

CellMap::Place with_tangents_at(const LocatedShape& shape, const Point& xi) {
  CellMap::Place place = shape.cell->with_tangents(place_in_cell(shape, xi));
  if (shape.corners.empty()) return place;
  const std::vector<Point> slopes = shape_gradients(shape.kind, xi);
  std::array<Point, 3> tangents{};
  for (std::size_t d = 0; d < 3; ++d) {
    Point direction{};
    for (std::size_t a = 0; a < slopes.size(); ++a)
      for (std::size_t k = 0; k < 3; ++k) direction[k] += slopes[a][d] * shape.corners[a][k];
    tangents[d] = combined(direction, place.tangents);
  }
  place.tangents = tangents;
  return place;
}

Nearest descend_twice(const LocatedShape& shape, const Point& target, double enough) {
  const Nearest first = descend(shape, target, reference_centroid(shape.kind), enough);
  if (first.distance <= enough) return first;
  const std::span<const Point> starts =
      shape.corners.empty() ? shape.cell->reference_nodes() : reference_nodes(shape.kind);
  std::size_t node = 0;
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t a = 0; a < starts.size(); ++a) {
    const double off =
        length(minus(target, shape.corners.empty() ? shape.cell->nodes()[a] : point_at(shape, starts[a])));
    if (off < least) least = off, node = a;
  }
  Point start = starts[node];  // a little inwards: at a pyramid's apex there is no direction
  for (std::size_t k = 0; k < 3; ++k) start[k] = 0.9 * start[k] + 0.1 * reference_centroid(shape.kind)[k];
  const Nearest second = descend(shape, target, start, enough);
  return second.distance < first.distance ? second : first;
}

Nearest nearest_point(const LocatedShape& shape, const Point& target, double enough) {
  Nearest best = descend_twice(shape, target, enough);
  if (best.distance <= enough) return best;
  const std::span<const Point> corners =
      shape.corners.empty() ? reference_nodes(shape.kind) : std::span<const Point>(shape.corners);
  for (const Facet& facet : traits(shape.kind).facets) {
    LocatedShape side{facet.kind, shape.cell, {}};
    std::vector<Point> places;
    for (const int a : facet.nodes) {
      side.corners.push_back(corners[static_cast<std::size_t>(a)]);
      places.push_back(reference_nodes(shape.kind)[static_cast<std::size_t>(a)]);
    }
    const Nearest on_side = nearest_point(side, target, enough);
    if (on_side.distance < best.distance)
      best = {moved_inside(shape.kind, combined(shape_values(facet.kind, on_side.xi), places)), on_side.distance};
  }
  return best;
}

}  // namespace ritz
