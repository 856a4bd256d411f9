#include "mesh/node_order.hpp"

#include "device/error.hpp"

#include <algorithm>

namespace ritz {
namespace {

using enum CellKind;

Place plus(const Place& a, const Place& b) { return {a[0] + b[0], a[1] + b[1], a[2] + b[2]}; }
Place times(int factor, const Place& a) { return {factor * a[0], factor * a[1], factor * a[2]}; }

bool from_minus_one(CellKind shape, std::size_t axis) {
  return shape == line2 || shape == quad4 || shape == hex8 || (shape == prism6 && axis == 2);
}

// For order 1.
std::vector<Place> corners_of(CellKind shape) {
  const auto nodes = reference_nodes(shape);
  std::vector<Place> corners;
  for (const Point& x : nodes) {
    Place place{};
    for (std::size_t k = 0; k < 3; ++k) place[k] = x[k] > 0;
    corners.push_back(place);
  }
  return corners;
}

const NodeOrder& facet_order(std::size_t corner_count) {
  static const NodeOrder triangle{tri3, {{0, 1}, {1, 2}, {2, 0}}, {}, Listing::recursive, Listing::recursive};
  static const NodeOrder quadrilateral{
      quad4, {{0, 1}, {1, 2}, {2, 3}, {3, 0}}, {}, Listing::recursive, Listing::recursive};
  return corner_count == 3 ? triangle : quadrilateral;
}

bool strictly_inside(CellKind shape, const Place& at, int p) {
  switch (shape) {
    case tri3: return at[0] + at[1] < p;
    case tet4: return at[0] + at[1] + at[2] < p;
    case prism6: return at[0] + at[1] < p && at[2] < p;
    default: return true;
  }
}

std::vector<Place> rows_inside(CellKind shape, int p) {
  const int dimension = traits(shape).dimension;
  std::vector<Place> places;
  for (int k = dimension > 2 ? 1 : 0; k < (dimension > 2 ? p : 1); ++k)
    for (int j = dimension > 1 ? 1 : 0; j < (dimension > 1 ? p : 1); ++j)
      for (int i = 1; i < p; ++i)
        if (strictly_inside(shape, {i, j, k}, p)) places.push_back({i, j, k});
  return places;
}

std::vector<Place> recursive_inside(const NodeOrder& order, int p) {
  const bool simplex = order.shape == tri3 || order.shape == tet4;
  const int dimension = traits(order.shape).dimension, left = p - (simplex                   ? dimension + 1
                                                                   : order.shape == pyramid5 ? 3
                                                                                             : 2);
  if (left < 0) return {};
  std::vector<Place> places = lattice(order, left);
  for (Place& place : places) place = plus(place, {1, dimension > 1, dimension > 2});
  return places;
}

// Around the square from (1, 1) to (1 + side, 1 + side), then around the next one.
void add_rings(std::vector<Place>& places, int side, int height) {
  for (int ring = 1; side >= 0; ++ring, side -= 2) {
    const int last = ring + side;
    if (side == 0) return places.push_back({ring, ring, height});
    for (int i = ring; i < last; ++i) places.push_back({i, ring, height});
    for (int j = ring; j < last; ++j) places.push_back({last, j, height});
    for (int i = last; i > ring; --i) places.push_back({i, last, height});
    for (int j = last; j > ring; --j) places.push_back({ring, j, height});
  }
}

std::vector<Place> rings_inside(const NodeOrder& order, int p) {
  std::vector<Place> places;
  switch (order.shape) {
    case quad4: add_rings(places, p - 2, 0); break;
    case hex8:
      for (int k = 1; k < p; ++k) add_rings(places, p - 2, k);
      break;
    case pyramid5:
      for (int k = 1; k < p - 1; ++k) add_rings(places, p - k - 2, k);
      break;
    default: return recursive_inside(order, p);
  }
  return places;
}

std::vector<Place> columns_inside(int p) {
  std::vector<Place> places;
  const NodeOrder line{line2, {{0, 1}}, {}, Listing::recursive, Listing::rows};
  for (const Place& base : recursive_inside(facet_order(3), p))
    for (const Place& height : recursive_inside(line, p)) places.push_back({base[0], base[1], height[0]});
  return places;
}

std::vector<Place> inside(const NodeOrder& order, Listing listing, int p) {
  if (p < 2) return {};
  switch (listing) {
    case Listing::rows: return rows_inside(order.shape, p);
    case Listing::recursive: return recursive_inside(order, p);
    case Listing::rings: return rings_inside(order, p);
    default: return columns_inside(p);
  }
}

}  // namespace

std::vector<Place> lattice(const NodeOrder& order, int p) {
  if (p == 0) return {Place{}};
  const std::vector<Place> corners = corners_of(order.shape);
  const auto step = [&corners](int from, int to) {
    return plus(corners[static_cast<std::size_t>(to)], times(-1, corners[static_cast<std::size_t>(from)]));
  };
  std::vector<Place> places;
  for (const Place& corner : corners) places.push_back(times(p, corner));
  if (traits(order.shape).dimension > 1)
    for (const auto& [from, to] : order.edges)
      for (int i = 1; i < p; ++i)
        places.push_back(plus(times(p, corners[static_cast<std::size_t>(from)]), times(i, step(from, to))));
  for (const std::vector<int>& facet : order.facets) {
    const Place first = times(p, corners[static_cast<std::size_t>(facet[0])]), a = step(facet[0], facet[1]),
                b = step(facet[0], facet.back());
    for (const Place& at : inside(facet_order(facet.size()), order.on_facets, p))
      places.push_back(plus(first, plus(times(at[0], a), times(at[1], b))));
  }
  std::ranges::copy(inside(order, order.inside, p), std::back_inserter(places));
  return places;
}

std::vector<Point> reference_points(CellKind shape, std::span<const Place> places, std::span<const double> line) {
  const int p = static_cast<int>(line.size()) - 1;
  const auto at = [&line](int step) { return line[static_cast<std::size_t>(step)]; };
  std::vector<Point> points;
  for (const Place& place : places) {
    Point x{};
    if (shape == pyramid5) {
      const double z = at(place[2]), side = 1 - z;
      const int m = p - place[2];
      for (std::size_t k = 0; k < 2; ++k) x[k] = m == 0 ? 0 : side * (2.0 * place[k] / m - 1);
      x[2] = z;
      points.push_back(x);
      continue;
    }
    const std::size_t simplex_axes = shape == tet4 ? 3 : shape == tri3 || shape == prism6 ? 2 : 0;
    int rest = p;
    double total = 0;
    for (std::size_t k = 0; k < simplex_axes; ++k) {
      rest -= place[k];
      total += at(place[k]);
    }
    if (simplex_axes > 0) total += at(rest);
    for (std::size_t k = 0; k < static_cast<std::size_t>(traits(shape).dimension); ++k)
      x[k] = k < simplex_axes ? at(place[k]) / total : from_minus_one(shape, k) ? 2 * at(place[k]) - 1 : at(place[k]);
    points.push_back(x);
  }
  return points;
}

std::vector<double> equal_steps(int order) {
  std::vector<double> line;
  for (int i = 0; i <= order; ++i) line.push_back(static_cast<double>(i) / order);
  return line;
}

}  // namespace ritz
