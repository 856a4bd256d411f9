// Results of a higher order than the mesh, for Lagrange cells of VTK: the points, one for each node of equally spaced
// elements of the order of the space or of the mesh, whichever is higher, and the values there.
//
//   const LagrangeResults results(space);
//   write_vtu("u.vtu", mesh, {{"u", 3, results.values(u)}}, {}, {.cells = &results.cells()});
#pragma once

#include "fem/space/function_space.hpp"
#include "mesh/lagrange_cells.hpp"

#include <span>
#include <vector>

namespace ritz {

class LagrangeResults {
 public:
  explicit LagrangeResults(const FunctionSpace& space);

  const LagrangeCells& cells() const { return cells_; }
  int order() const { return order_; }
  // The points of a cell of the mesh, and the functions through them that fields vary like.
  std::span<const Node> points_of(Index cell) const;
  const LagrangePolynomials& functions(CellKind kind) const;
  // All three: [point][component].
  std::vector<double> values(const Vector& u) const;  // of a field of the space. A transfer
  // the same from [node][component] on the host
  std::vector<double> values(std::span<const double> at_nodes, int components) const;
  // Interpolates values at the mesh's nodes, which vary like the geometry between them.
  std::vector<double> from_mesh(std::span<const double> values, int components) const;
  // Forces at the mesh's nodes; sums stay. Without a point there, a force goes to the corners of a cell around it.
  std::vector<double> forces_from_mesh(std::span<const double> forces, int components) const;

 private:
  std::span<const Node> points_of(std::size_t block, Index position) const;
  void place_curved();
  template <class Shapes, class NodesOf>
  std::vector<double> evaluated(int components, std::span<const double> values, const Shapes& shapes,
                                const NodesOf& nodes_of) const;

  FunctionSpace space_;
  int order_;
  LagrangeCells cells_;
  std::map<CellKind, std::vector<Point>> nodes_;  // on the reference cell, by kind of the mesh's cells
  std::vector<Node> cell_points_;                 // [cell][node], block after block
  std::vector<Index> block_begin_;
  mutable std::map<CellKind, LagrangePolynomials> functions_;  // made at the first use
};

}  // namespace ritz
