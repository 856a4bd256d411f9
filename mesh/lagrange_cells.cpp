#include "mesh/lagrange_cells.hpp"

#include "mesh/node_order.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace ritz {
namespace {

using enum CellKind;

// vtkHigherOrderTriangle, -Tetra, -Quadrilateral, -Hexahedron and -Wedge, in files of version 2.1 and newer. Edges of
// quadrilaterals and hexahedra all run along x, y or z, and the lower of a facet's two axes is fastest.
const NodeOrder& vtk_order(CellKind shape) {
  using enum Listing;
  static const std::array orders{
      NodeOrder{line2, {{0, 1}}, {}, rows, rows}, NodeOrder{tri3, {{0, 1}, {1, 2}, {2, 0}}, {}, recursive, recursive},
      NodeOrder{quad4, {{0, 1}, {1, 2}, {3, 2}, {0, 3}}, {}, rows, rows},
      // clang-format off
      NodeOrder{tet4, {{0, 1}, {1, 2}, {2, 0}, {0, 3}, {1, 3}, {2, 3}}, {{0, 1, 3}, {2, 3, 1}, {0, 3, 2}, {0, 2, 1}},
                recursive, recursive},
      NodeOrder{hex8, {{0, 1}, {1, 2}, {3, 2}, {0, 3}, {4, 5}, {5, 6}, {7, 6}, {4, 7}, {0, 4}, {1, 5}, {2, 6}, {3, 7}},
                {{0, 3, 7, 4}, {1, 2, 6, 5}, {0, 1, 5, 4}, {3, 2, 6, 7}, {0, 1, 2, 3}, {4, 5, 6, 7}}, rows, rows},
      NodeOrder{prism6, {{0, 1}, {1, 2}, {2, 0}, {3, 4}, {4, 5}, {5, 3}, {0, 3}, {1, 4}, {2, 5}},
                {{0, 1, 2}, {3, 4, 5}, {0, 1, 4, 3}, {1, 2, 5, 4}, {2, 0, 3, 5}}, rows, rows}};
  // clang-format on
  return *std::ranges::find(orders, shape, &NodeOrder::shape);
}

std::vector<Point> pyramid_nodes(int p) {
  const auto own = reference_nodes(p % 2 == 0 ? pyramid13 : pyramid5);
  std::vector<Point> nodes(own.begin(), own.end());
  for (int k = 0; k <= p; ++k)
    for (int j = 0; j <= p - k; ++j)
      for (int i = 0; i <= p - k; ++i) {
        const Point x{double(2 * i - (p - k)) / p, double(2 * j - (p - k)) / p, double(k) / p};
        const auto same = [&x](const Point& y) {
          return std::abs(x[0] - y[0]) + std::abs(x[1] - y[1]) + std::abs(x[2] - y[2]) < 1e-9;
        };
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
    default:
      return order % 2 == 0 ? LagrangeType{traits(pyramid13).vtk_type, 13} : LagrangeType{traits(pyramid5).vtk_type, 5};
  }
}

std::vector<Point> lagrange_nodes(CellKind shape, int order) {
  if (shape == pyramid5) return pyramid_nodes(order);
  return reference_points(shape, lattice(vtk_order(shape), order), equal_steps(order));
}

}  // namespace ritz
