// Kernels over points and the couplings between them (module ritz_solvers_kernels, table "points").
#pragma once

#include "solvers/algebra/matrix_kernels.hpp"

namespace ritz {

struct PointKernels {
  // extremes: [2][dimension], the largest -x and the largest x of all points; coordinates: [count][dimension]
  void (*extremes)(const Device&, Index count, int dimension, const double* coordinates, double* extremes);
  // counts = {rows that can be judged, rows whose couplings differ between directions by more than `factor`} of every
  // `every`-th row; blocks count by their trace (solvers/multigrid/anisotropy.hpp)
  void (*uneven_couplings)(const Device&, const MatrixView&, const double* coordinates, int dimension, double factor,
                           Index every, double* counts);
};

}  // namespace ritz
