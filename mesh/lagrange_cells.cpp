#include "mesh/lagrange_cells.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace ritz {
namespace {

using enum CellKind;
using Place = std::array<int, 3>;  // in steps of the lattice

Place operator+(const Place& a, const Place& b) { return {a[0] + b[0], a[1] + b[1], a[2] + b[2]}; }

// Nodes strictly between two corners, from the first to the second.
void add_edge(std::vector<Place>& places, const Place& from, const Place& to, int order) {
  for (int i = 1; i < order; ++i) {
    Place place;
    for (std::size_t k = 0; k < 3; ++k) place[k] = from[k] + (to[k] - from[k]) / order * i;
    places.push_back(place);
  }
}

// All nodes of a triangle of this order: its corners, its edges, then the triangle of order - 3 inside it. The steps lead from
// `origin` along its two sides.
void add_triangle(std::vector<Place>& places, const Place& origin, const Place& a, const Place& b, int order) {
  if (order < 0) return;
  const auto at = [&](int i, int j) { return Place{origin[0] + i * a[0] + j * b[0], origin[1] + i * a[1] + j * b[1], origin[2] + i * a[2] + j * b[2]}; };
  if (order == 0) return places.push_back(origin);
  const std::array corners{at(0, 0), at(order, 0), at(0, order)};
  for (const Place& corner : corners) places.push_back(corner);
  for (std::size_t i = 0; i < 3; ++i) add_edge(places, corners[i], corners[(i + 1) % 3], order);
  add_triangle(places, at(1, 1), a, b, order - 3);
}

// The inside of the facet of a tetrahedron or prism with these corners.
void add_inside(std::vector<Place>& places, const Place& p, const Place& q, const Place& r, int order) {
  Place a, b;
  for (std::size_t k = 0; k < 3; ++k) {
    a[k] = (q[k] - p[k]) / order;
    b[k] = (r[k] - p[k]) / order;
  }
  add_triangle(places, p + a + b, a, b, order - 3);
}

void add_tetrahedron(std::vector<Place>& places, const Place& origin, int order) {
  if (order < 0) return;
  if (order == 0) return places.push_back(origin);
  const std::array corners{origin, origin + Place{order, 0, 0}, origin + Place{0, order, 0}, origin + Place{0, 0, order}};
  for (const Place& corner : corners) places.push_back(corner);
  constexpr std::size_t edges[6][2] = {{0, 1}, {1, 2}, {2, 0}, {0, 3}, {1, 3}, {2, 3}};
  for (const auto& [from, to] : edges) add_edge(places, corners[from], corners[to], order);
  constexpr std::size_t facets[4][3] = {{0, 1, 3}, {2, 3, 1}, {0, 3, 2}, {0, 2, 1}};
  for (const auto& [p, q, r] : facets) add_inside(places, corners[p], corners[q], corners[r], order);
  add_tetrahedron(places, origin + Place{1, 1, 1}, order - 4);
}

void add_quadrilateral(std::vector<Place>& places, int p) {
  const std::array<Place, 4> corners{{{0, 0, 0}, {p, 0, 0}, {p, p, 0}, {0, p, 0}}};
  for (const Place& corner : corners) places.push_back(corner);
  constexpr std::size_t edges[4][2] = {{0, 1}, {1, 2}, {3, 2}, {0, 3}};  // all along x or y
  for (const auto& [from, to] : edges) add_edge(places, corners[from], corners[to], p);
  for (int j = 1; j < p; ++j)
    for (int i = 1; i < p; ++i) places.push_back({i, j, 0});
}

void add_hexahedron(std::vector<Place>& places, int p) {
  const std::array<Place, 8> corners{{{0, 0, 0}, {p, 0, 0}, {p, p, 0}, {0, p, 0}, {0, 0, p}, {p, 0, p}, {p, p, p}, {0, p, p}}};
  for (const Place& corner : corners) places.push_back(corner);
  constexpr std::size_t edges[12][2] = {{0, 1}, {1, 2}, {3, 2}, {0, 3}, {4, 5}, {5, 6}, {7, 6}, {4, 7}, {0, 4}, {1, 5}, {2, 6}, {3, 7}};
  for (const auto& [from, to] : edges) add_edge(places, corners[from], corners[to], p);
  for (std::size_t axis = 0; axis < 3; ++axis)  // facets -x +x -y +y -z +z, the lower of the other two axes fastest
    for (const int side : {0, p})
      for (int slow = 1; slow < p; ++slow)
        for (int fast = 1; fast < p; ++fast) {
          Place place;
          place[axis] = side;
          place[axis == 0 ? 1 : 0] = fast;
          place[axis == 2 ? 1 : 2] = slow;
          places.push_back(place);
        }
  for (int k = 1; k < p; ++k)
    for (int j = 1; j < p; ++j)
      for (int i = 1; i < p; ++i) places.push_back({i, j, k});
}

void add_prism(std::vector<Place>& places, int p) {
  const std::array<Place, 6> corners{{{0, 0, 0}, {p, 0, 0}, {0, p, 0}, {0, 0, p}, {p, 0, p}, {0, p, p}}};
  for (const Place& corner : corners) places.push_back(corner);
  constexpr std::size_t edges[9][2] = {{0, 1}, {1, 2}, {2, 0}, {3, 4}, {4, 5}, {5, 3}, {0, 3}, {1, 4}, {2, 5}};
  for (const auto& [from, to] : edges) add_edge(places, corners[from], corners[to], p);
  const auto add_layer = [&](int k) {  // row by row, not as in a triangle
    for (int j = 1; j < p; ++j)
      for (int i = 1; i + j < p; ++i) places.push_back({i, j, k});
  };
  add_layer(0);
  add_layer(p);
  for (std::size_t side = 0; side < 3; ++side)
    for (int k = 1; k < p; ++k) {
      std::vector<Place> row;
      add_edge(row, corners[side], corners[(side + 1) % 3], p);
      for (const Place& place : row) places.push_back(place + Place{0, 0, k});
    }
  for (int k = 1; k < p; ++k) add_layer(k);
}

std::vector<Point> pyramid_nodes(int p) {
  const auto own = reference_nodes(p % 2 == 0 ? pyramid13 : pyramid5);
  std::vector<Point> nodes(own.begin(), own.end());
  for (int k = 0; k <= p; ++k)
    for (int j = 0; j <= p - k; ++j)
      for (int i = 0; i <= p - k; ++i) {
        const Point x{double(2 * i - (p - k)) / p, double(2 * j - (p - k)) / p, double(k) / p};
        const auto same = [&x](const Point& y) { return std::abs(x[0] - y[0]) + std::abs(x[1] - y[1]) + std::abs(x[2] - y[2]) < 1e-9; };
        if (std::none_of(own.begin(), own.end(), same)) nodes.push_back(x);
      }
  return nodes;
}

}  // namespace

LagrangeType lagrange_type(CellKind shape, int order) {
  const auto nodes = static_cast<int>(lagrange_nodes(shape, order).size());
  switch (shape) {
    case line2: return {68, nodes};
    case tri3: return {69, nodes};
    case quad4: return {70, nodes};
    case tet4: return {71, nodes};
    case hex8: return {72, nodes};
    case prism6: return {73, nodes};
    default: return order % 2 == 0 ? LagrangeType{traits(pyramid13).vtk_type, 13} : LagrangeType{traits(pyramid5).vtk_type, 5};
  }
}

std::vector<Point> lagrange_nodes(CellKind shape, int order) {
  if (shape == pyramid5) return pyramid_nodes(order);
  std::vector<Place> places;
  switch (shape) {
    case line2:
      places.push_back({0, 0, 0});
      places.push_back({order, 0, 0});
      add_edge(places, Place{0, 0, 0}, Place{order, 0, 0}, order);
      break;
    case tri3: add_triangle(places, {0, 0, 0}, {1, 0, 0}, {0, 1, 0}, order); break;
    case quad4: add_quadrilateral(places, order); break;
    case tet4: add_tetrahedron(places, {0, 0, 0}, order); break;
    case hex8: add_hexahedron(places, order); break;
    default: add_prism(places, order); break;
  }
  const int dimension = traits(shape).dimension;
  std::vector<Point> nodes;
  for (const Place& place : places) {
    Point x{};
    for (int k = 0; k < dimension; ++k) {
      const double from_zero = static_cast<double>(place[static_cast<std::size_t>(k)]) / order;
      const bool from_minus_one = shape == line2 || shape == quad4 || shape == hex8 || (shape == prism6 && k == 2);
      x[static_cast<std::size_t>(k)] = from_minus_one ? 2 * from_zero - 1 : from_zero;
    }
    nodes.push_back(x);
  }
  return nodes;
}

}  // namespace ritz
