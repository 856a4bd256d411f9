// Beams, bars and shells in space, solved: what the tests of whole elements share.
#pragma once

#include "fem/analysis/static_solution.hpp"
#include "fem/elements/bar.hpp"
#include "fem/elements/beam.hpp"
#include "fem/elements/loads.hpp"
#include "fem/elements/shell.hpp"
#include "fem/elements/shell3.hpp"
#include "fem/operator/untouched_unknowns.hpp"
#include "fem/space/constraints.hpp"
#include "mesh/generators.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <memory>
#include <set>

namespace ritz::test {

// Cells of one kind through the points.
inline Mesh structure_mesh(const std::vector<Point>& points, CellKind kind, std::vector<Node> nodes) {
  MeshData data{.structural = true};
  for (const Point& p : points) data.points.insert(data.points.end(), p.begin(), p.end());
  data.blocks.push_back({kind, std::move(nodes)});
  return Mesh(std::move(data));
}

// `count` lines from a to b.
inline Mesh line_mesh(Point a, Point b, int count = 1) {
  std::vector<Point> points;
  std::vector<Node> nodes;
  for (int i = 0; i <= count; ++i) {
    const double s = double(i) / count;
    points.push_back({a[0] + s * (b[0] - a[0]), a[1] + s * (b[1] - a[1]), a[2] + s * (b[2] - a[2])});
    if (i < count) nodes.insert(nodes.end(), {i, i + 1});
  }
  return structure_mesh(points, CellKind::line2, nodes);
}

// A rectangle [0, lengths] of nx x ny quadrilaterals, or twice as many triangles, put into space by `place`; regions
// x0, x1, y0, y1.
inline Mesh surface_mesh(Index nx, Index ny, std::array<double, 2> lengths,
                         const std::function<Point(double, double)>& place, const Distortion& distortion = {},
                         CellKind kind = CellKind::quad4) {
  MeshData data = rectangle_data(nx, ny, lengths, kind, distortion);
  data.dimension = 3;
  data.structural = true;
  for (std::size_t i = 0; i < data.points.size(); i += 3) {
    const Point p = place(data.points[i], data.points[i + 1]);
    std::ranges::copy(p, data.points.begin() + static_cast<std::ptrdiff_t>(i));
  }
  return Mesh(std::move(data));
}
inline Point flat(double x, double y) { return {x, y, 0}; }

// The mesh node at a place.
inline Node node_at(const Mesh& mesh, const Point& x) {
  for (Index node = 0; node < mesh.node_count(); ++node) {
    const auto p = mesh.point(node);
    if (std::hypot(p[0] - x[0], p[1] - x[1], p[2] - x[2]) < 1e-9) return static_cast<Node>(node);
  }
  throw Error(ErrorKind::internal, "no node stands there");
}

inline std::vector<Node> nodes_where(const Mesh& mesh, const std::function<bool(double, double, double)>& holds) {
  std::vector<Node> nodes;
  for (Index node = 0; node < mesh.node_count(); ++node) {
    const auto p = mesh.point(node);
    if (holds(p[0], p[1], p[2])) nodes.push_back(static_cast<Node>(node));
  }
  return nodes;
}
inline bool same(double a, double b) { return std::abs(a - b) < 1e-9; }

// A field of displacements and rotations at the nodes.
inline std::vector<double> field(const Mesh& mesh,
                                 const std::function<std::array<double, 6>(double, double, double)>& f) {
  std::vector<double> u;
  for (Index node = 0; node < mesh.node_count(); ++node) {
    const auto p = mesh.point(node);
    const auto value = f(p[0], p[1], p[2]);
    u.insert(u.end(), value.begin(), value.end());
  }
  return u;
}

inline std::array<double, 6> rigid(int motion, double x, double y, double z) {
  std::array<double, 6> u{};
  if (motion < 3) {
    u[static_cast<std::size_t>(motion)] = 1;
    return u;
  }
  const int i = motion - 3, j = (i + 1) % 3, k = (i + 2) % 3;
  const double p[3] = {x, y, z};
  u[static_cast<std::size_t>(motion)] = 1;
  u[static_cast<std::size_t>(k)] = p[j];
  u[static_cast<std::size_t>(j)] = -p[k];
  return u;
}

inline double largest(const std::vector<double>& v) {
  double m = 0;
  for (const double x : v) m = std::max(m, std::abs(x));
  return m;
}

struct Hold {
  std::vector<Node> nodes;  // of the mesh
  std::set<int> components;
  double value = 0;
};
inline const std::set<int> clamped = {0, 1, 2, 3, 4, 5};

struct Structure {
  Structure(Mesh m, int components, std::vector<Integral> parts, const Device& device = Device::named("cpu", 1))
      : mesh(std::move(m)), space(mesh, components, device), integrals(std::move(parts)), equations(space, integrals) {}
  Structure(const Structure&) = delete;

  // Solves; values at the nodes of the mesh, [node][component].
  const std::vector<double>& solve(const std::vector<Hold>& holds, const LinearSolverOptions& options = {}) {
    Constraints fixed(space);
    for (const Hold& h : holds)
      for (const int c : h.components) fixed.prescribe(h.nodes, c, h.value, "test");
    hold_untouched(touched_unknowns(space, integrals), fixed);
    fixed.finish();
    solution = solve_static(equations, fixed, options);
    return u = space.to_mesh(solution.u);
  }
  double at(Node node, int component) const {
    return u[static_cast<std::size_t>(node * space.components() + component)];
  }
  std::vector<double> residual(const std::vector<double>& values) const {
    Vector r = space.zeros();
    equations.residual(space.from_mesh(values), r);
    return space.to_mesh(r);
  }

  Mesh mesh;
  FunctionSpace space;
  std::vector<Integral> integrals;
  Operator equations;
  StaticSolution solution;
  std::vector<double> u;
};

// MacNeal and Harder's strip, 12 long, 1.1 wide and 0.32 thick, that turns by 90 degrees, of n x n / 6 facets: the
// motion of the middle of its free end along a unit force there, in z and in y. 5.424e-3 and 1.754e-3; a solid of hex20
// at order 3 has 5.422e-3 and 1.753e-3.
template <class Facet>
std::array<double, 2> twisted_strip(Index n, double drilling) {
  const double right_angle = std::acos(0.0);
  const auto place = [&](double x, double y) {
    const double a = right_angle * x / 12, across = y - 0.55;
    return Point{x, across * std::cos(a), across * std::sin(a)};
  };
  Facet facet;
  facet.young = 29e6, facet.poisson = 0.22, facet.thickness = 0.32, facet.drilling = drilling;
  std::ranges::fill(facet.orientation, 0.0);
  std::array<double, 2> motions{};
  for (const int load : {0, 1}) {
    const Mesh mesh = surface_mesh(n, n / 6, {12, 1.1}, place, {}, Facet::cell);
    const Node end = node_at(mesh, place(12, 0.55));
    NodeLoad<6> force{};
    force.force[load == 0 ? 2 : 1] = 1;
    Structure model(mesh, 6, {Integral::over_all_cells(facet), Integral::at_nodes(force, {end})});
    model.solve({{nodes_where(mesh, [](double x, double, double) { return same(x, 0); }), clamped}});
    motions[static_cast<std::size_t>(load)] = model.at(end, load == 0 ? 2 : 1);
  }
  return motions;
}

}  // namespace ritz::test
