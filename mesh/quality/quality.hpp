// Measures of a mesh: sizes, volumes, and the shapes of the cells.
//
//   Quality q = quality(mesh);   fmt::print("{}\n", q.summary());
#pragma once

#include "mesh/cell_geometry.hpp"
#include "mesh/mesh.hpp"

#include <array>
#include <string>
#include <vector>

namespace ritz {

struct BoundingBox {
  Point low, high;
  double diagonal() const;
};
BoundingBox bounding_box(const Mesh& mesh);  // of the nodes that cells use

// Volume of every cell (area in two dimensions, length in one), [cell]; exact for curved cells too.
std::vector<double> cell_volumes(const Mesh& mesh);
double total_volume(const Mesh& mesh);  // summed in a fixed order

// Centroid of the whole mesh, weighted by volume.
Point centroid(const Mesh& mesh);

// The outward area vector of a facet (in two dimensions: length), its area, and the integral of x . n over it.
// Throws Error: Exit::input in one dimension.
struct FacetIntegrals {
  Point area_vector;
  double area;
  double x_dot_n;
};
FacetIntegrals integrate(const Mesh& mesh, FacetOfCell facet);
double area(const Mesh& mesh, const Region& facets);  // throws Error: Exit::input for other regions

struct CellShape {
  double scaled_jacobian;  // smallest over the corners, of the determinant of the edges over the product of their
                           // lengths; 1 for the regular cell (and at most 1), 0 or less for a degenerate one. Of cells
                           // of order 2 the determinant is that of the curved edges' tangents, the lengths of chords
  double aspect;           // longest edge over shortest height, a height being the volume that the edges at a corner
                           // span over the area that all but one of them span; cube 1, regular tetrahedron sqrt(3/2);
                           // of the cell with straight edges
};
CellShape shape_of_cell(const Mesh& mesh, Index cell);
std::vector<CellShape> shapes_of_cells(const Mesh& mesh);  // [cell]

// Below the first, cells harm the accuracy around them; below the second, also the solution of the equations.
constexpr double poor_jacobian = 0.1, bad_jacobian = 0.01;

struct Quality {
  double shortest_edge = 0, longest_edge = 0;
  double worst_jacobian = 1, mean_jacobian = 0, worst_aspect = 1;
  Index worst_jacobian_cell = 0, worst_aspect_cell = 0;
  std::array<Index, 10> histogram{};    // of scaled Jacobians, in tenths from 0 to 1
  Index sliver_count = 0;               // cells with a scaled Jacobian below 1e-3 or an aspect above 1e4
  Index poor_count = 0, bad_count = 0;  // cells below the thresholds; the poor ones include the bad ones
  struct Cell {
    Index cell;
    CellShape shape;
    Point centre;  // mean of its corners
  };
  std::vector<Cell> worst;      // up to ten poor cells, the worst first
  std::string verdict() const;  // "good", "poor" or "bad", with numbers
  std::string summary() const;  // a few lines for a log
};
Quality quality(const Mesh& mesh);

}  // namespace ritz
