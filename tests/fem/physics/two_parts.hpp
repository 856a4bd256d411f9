// Two boxes, one on the other, whose meshes do not match, and what equations say of a field.
#pragma once

#include "fem/space/function_space.hpp"
#include "fem/space/linear_equations.hpp"
#include "tests/fem/cells_under_test.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>

namespace ritz::test {

// All cells of one mesh after those of the other; names of regions get a prefix.
inline MeshData both(MeshData a, const std::string& name_a, const MeshData& b, const std::string& name_b) {
  const auto nodes = static_cast<Node>(a.points.size() / 3);
  Index cells = 0;
  for (const CellBlock& block : a.blocks) cells += block.cell_count();
  a.points.insert(a.points.end(), b.points.begin(), b.points.end());
  for (Region& region : a.regions) region.name = name_a + "_" + region.name;
  for (CellBlock block : b.blocks) {
    for (Node& node : block.nodes) node += nodes;
    a.blocks.push_back(std::move(block));
  }
  for (Region region : b.regions) {
    region.name = name_b + "_" + region.name;
    for (Index& cell : region.cells) cell += cells;
    for (FacetOfCell& facet : region.facets) facet.cell += cells;
    for (Node& node : region.nodes) node += nodes;
    a.regions.push_back(std::move(region));
  }
  return a;
}

// The lower part reaches to height 1, the upper one from there to 2; `gap` lifts it. Facets "low_top" and "up_bottom".
// Then `move` moves all points.
struct TwoParts {
  CellKind low, up;
  Index low_count = 3, up_count = 2;
  double gap = 0;
  std::function<void(std::span<double, 3>)> move = {};
};
inline Mesh two_parts(const TwoParts& parts) {
  const bool plane = traits(parts.low).dimension == 2;
  const auto make = [&](CellKind kind, Index n) {
    return plane ? rectangle_data(n, n, {1, 1}, kind) : box_data(n, n, n, {1, 1, 1}, kind);
  };
  MeshData up = make(parts.up, parts.up_count), low = make(parts.low, parts.low_count);
  transform_points(up, [&](std::span<double, 3> x) { x[plane ? 1 : 2] += 1 + parts.gap; });
  for (MeshData* each : {&up, &low})
    for (Region& region : each->regions) {
      if (region.name == (plane ? "y1" : "z1")) region.name = "top";
      if (region.name == (plane ? "y0" : "z0")) region.name = "bottom";
    }
  MeshData data = both(std::move(low), "low", up, "up");
  if (parts.move) transform_points(data, parts.move);
  return Mesh(std::move(data));
}

using VectorField = std::function<double(const Point& x, int component)>;

// The largest that an equation leaves of a field, relative to the sum of its terms' sizes.
inline double largest_defect(const FunctionSpace& space, const LinearEquations& equations, const VectorField& u) {
  double largest = 0;
  for (Index i = 0; i < equations.size(); ++i) {
    double sum = -equations.values[static_cast<std::size_t>(i)], size = std::abs(sum);
    for (const UnknownTerm& t : equations.terms_of(i)) {
      const double part = t.factor * u(space.point(t.node), t.component);
      sum += part;
      size += std::abs(part);
    }
    largest = std::max(largest, std::abs(sum) / std::max(size, 1e-3));
  }
  return largest;
}

// A field linear in space, without symmetry.
inline double linear_field(const Point& x, int component) {
  const double k = 1 + component;
  return 0.3 * k + 1.1 * x[0] - 0.7 * k * x[1] + (0.4 - 0.2 * k) * x[2];
}
// Two rings of a quarter, of `inner_count` and `outer_count` cells along the arc: radii 1 to 2 and 2 to 3. Facets
// "in_y1" and "out_y0".
inline MeshData quarter_ring(Index count, double inner, CellKind kind) {
  MeshData data = rectangle_data(count, 4, {std::numbers::pi / 2, 1}, kind);
  transform_points(data, [&](std::span<double, 3> x) {
    const double angle = x[0], r = inner + x[1];
    x[0] = r * std::sin(angle), x[1] = r * std::cos(angle);
  });
  return data;
}
inline Mesh two_rings(Index inner_count, Index outer_count, CellKind kind) {
  return Mesh(both(quarter_ring(inner_count, 1, kind), "in", quarter_ring(outer_count, 2, kind), "out"));
}

// Translation and rotation.
inline double rigid_field(const Point& x, int component) {
  const double w[3] = {0.3, -0.5, 0.7}, t[3] = {0.2, 0.1, -0.4};
  const auto c = static_cast<std::size_t>(component), j = (c + 1) % 3, k = (c + 2) % 3;
  return t[c] + w[j] * x[k] - w[k] * x[j];
}

}  // namespace ritz::test
