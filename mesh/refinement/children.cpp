#include "mesh/refinement/children.hpp"

#include <utility>

namespace ritz {
namespace {

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
  return {{CellKind::tri3, {x[0], a, c}},
          {CellKind::tri3, {a, x[1], b}},
          {CellKind::tri3, {c, b, x[2]}},
          {CellKind::tri3, {a, b, c}}};
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
  for (const auto& [a, b] : traits(CellKind::tet4).edges)
    m.push_back(middle(x[static_cast<std::size_t>(a)], x[static_cast<std::size_t>(b)]));
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
    children.push_back(
        {CellKind::pyramid5, {base(i), middle(base(i), base(i + 1)), centre, middle(base(i), base(i + 3)), up(i)}});
  children.push_back({CellKind::pyramid5, {up(0), up(1), up(2), up(3), apex}});
  children.push_back({CellKind::pyramid5, {up(0), up(3), up(2), up(1), centre}});
  for (std::size_t i = 0; i < 4; ++i)
    children.push_back(tetrahedron({centre, middle(base(i), base(i + 1)), up(i), up(i + 1)}));
  return children;
}

}  // namespace

std::vector<Child> children_of(CellKind linear, int variant) {
  switch (linear) {
    case CellKind::tri3: return children_of_triangle();
    case CellKind::tet4: return children_of_tetrahedron(variant);
    case CellKind::prism6: return children_of_prism();
    case CellKind::pyramid5: return children_of_pyramid();
    default: return children_of_cube(linear);
  }
}

Point place_in_parent(const Child& child, const Point& xi) {
  const std::vector<double> N = shape_values(child.linear, xi);
  Point x{};
  for (std::size_t i = 0; i < N.size(); ++i)
    for (std::size_t k = 0; k < 3; ++k) x[k] += N[i] * child.corners[i][k];
  return x;
}

}  // namespace ritz
