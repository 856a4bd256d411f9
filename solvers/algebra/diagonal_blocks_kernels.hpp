// The kernels of DiagonalBlocks (module ritz_solvers_kernels).
#pragma once

#include "solvers/algebra/matrix_kernels.hpp"

namespace ritz {

struct DiagonalBlocksKernels {
  // *count: blocks with an entry off their diagonals
  void (*count_full)(const Device&, const MatrixView&, double* count);
  void (*take)(const Device&, const MatrixView&, double* diagonals);  // [block][component]
  // values of the view: [block][component]; x, y: [row][8 lanes]
  void (*multiply_lanes)(const Device&, const MatrixView&, const double* x, double* y);
};

}  // namespace ritz
