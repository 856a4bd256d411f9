// Numbers of forms that vary, at the quadrature points of elements: positions, fields on the mesh of the elements, and
// the programs of formulas (module ritz_fem_kernels).
#pragma once

#include "device/device.hpp"
#include "mesh/functions/point_program.hpp"

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

// A field with values at the nodes, or in the cells, of the mesh that the elements are of.
struct FieldInCells {
  const double* values;
  const std::int32_t* nodes;   // [element][most]: of the mesh; in cells: the cell
  const std::int32_t* place;   // [element]: which of the tables; none: the first
  const std::int32_t* counts;  // [table] of nodes; 0: the field has one value in each cell
  const double* shapes;        // [table][point][most]
  int most;                    // nodes of a cell
  Index element_count;         // lanes behind the last repeat it
};

struct CoefficientKernels {
  void (*positions)(const Device&, const PointPlaces&, double* x);                        // [entry][3]
  void (*field)(const Device&, const PointPlaces&, const FieldInCells&, double* values);  // [entry]
  // Entry i of the program goes to out[(i / lane_count * numbers + number) * lane_count + i % lane_count].
  void (*run)(const Device&, const PointProgram&, const ProgramPoints&, int number, int numbers, double* out);
  // result[0] = how many of these are not numbers
  void (*missing)(const Device&, Index count, int number, int numbers, const double* out, double* result);
};

}  // namespace ritz
