// Meshes whose cells have maps of order 3 and more, made of straight ones.
#pragma once

#include "mesh/lagrange_cells.hpp"
#include "mesh/mesh.hpp"
#include "mesh/order.hpp"

#include <functional>
#include <map>

namespace ritz::testing {

using Map = std::function<Point(const Point&)>;

// A shear of degree 3; keeps volumes, and z = 0 in the plane.
inline Point sheared(const Point& x) {
  return {x[0] + 0.1 * x[1] * x[1] * x[1] + 0.07 * x[1] * x[2] * x[2], x[1] + 0.15 * x[2] * x[2] * x[2], x[2]};
}
inline Point unsheared(const Point& x) {
  const double y = x[1] - 0.15 * x[2] * x[2] * x[2];
  return {x[0] - 0.1 * y * y * y - 0.07 * y * x[2] * x[2], y, x[2]};
}

inline MeshData data_of(const Mesh& mesh) {
  return {.dimension = mesh.dimension(),
          .points = {mesh.points().begin(), mesh.points().end()},
          .blocks = {mesh.blocks().begin(), mesh.blocks().end()},
          .regions = {mesh.regions().begin(), mesh.regions().end()},
          .source = mesh.source()};
}

// A straight mesh of any order under a map: cells of order 2 with nodes wherever they can have them, which keep the map
// at this order.
inline MeshData under_map(const Mesh& straight, int order, const Map& map) {
  const Mesh mesh = with_order(straight, 2);
  MeshData data = data_of(mesh);
  std::map<CellKind, std::shared_ptr<const LagrangePolynomials>> functions;
  for (CellBlock& block : data.blocks) {
    const CellKind shape = traits(block.kind).linear;
    auto& own = functions[shape];
    if (!own) own = std::make_shared<const LagrangePolynomials>(shape, order, lagrange_nodes(shape, order));
    block.curved.functions = own;
    for (Index c = 0; c < block.cell_count(); ++c) {
      block.curved.cells.push_back(c);
      const CellMap cell(mesh, block.first_cell + c);
      for (const Point& xi : own->nodes()) block.curved.points.push_back(map(cell.at(xi)));
    }
  }
  for (std::size_t i = 0; i < data.points.size(); i += 3) {
    const Point x = map({data.points[i], data.points[i + 1], data.points[i + 2]});
    std::copy(x.begin(), x.end(), data.points.begin() + static_cast<std::ptrdiff_t>(i));
  }
  return data;
}

}  // namespace ritz::testing
