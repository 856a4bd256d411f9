// Numbers of forms that vary, at the quadrature points of elements: positions, fields on the mesh of the elements or on
// another one, in whose cells the points are found, and the programs of formulas (module ritz_fem_kernels).
#pragma once

#include "device/device.hpp"
#include "mesh/functions/point_program.hpp"
#include "mesh/search/cell_search.hpp"

#include <cstdint>

namespace ritz {

// Points of some batches of elements: entry = (batch, point, lane), the batches counted from `first_batch`.
struct PointPlaces {
  const double* shapes;       // of the geometry: [point][node]
  const std::int32_t* nodes;  // [batch][node][lane]
  const double* coordinates;  // [node][dimension]
  int node_count, point_count, dimension;
  Index first_batch, count;  // of batches, of entries
};

// The cells in which points lie, and where: of the elements' own mesh the same for all points of an element, of another
// mesh found for each entry.
struct PointsInCells {
  const std::int32_t* cells;   // [element], or [entry of all batches]
  const Point* xi;             // [table][point] or [entry]; none where a field has one value in each cell
  const std::int32_t* tables;  // [element]; none: the first
  Index element_count;         // lanes after the last repeat it; 0: of entries
};

// Places of points that were found; cells of -1 are left to the host.
struct FoundPoints {
  std::int32_t* cells;
  Point* xi;  // or none
};

struct CoefficientKernels {
  void (*positions)(const Device&, const PointPlaces&, double* x);  // [entry][3]
  void (*field)(const Device&, const PointPlaces&, const FieldView&, const PointsInCells&, double* values);  // [entry]
  // Entries at x [entry][3]; boxes are taken that are within `reach`.
  void (*locate)(const Device&, const PointPlaces&, const double* x, const CellSearch&, double reach,
                 const FoundPoints& found);
  // result[0] = how many of these cells are -1
  void (*left)(const Device&, Index count, const std::int32_t* cells, double* result);
  // Entry i of the program goes to out[(i / lane_count * numbers + number) * lane_count + i % lane_count].
  void (*run)(const Device&, const PointProgram&, const ProgramPoints&, int number, int numbers, double* out);
  // result[0] = how many of these are not numbers
  void (*missing)(const Device&, Index count, int number, int numbers, const double* out, double* result);
};

}  // namespace ritz
