// Kernels that write a block matrix as rows of scalars (module ritz_solvers_kernels, table "scalar rows").
#pragma once

#include "solvers/algebra/matrix_kernels.hpp"

namespace ritz {

struct ScalarRowKernels {
  void (*pattern)(const Device&, const MatrixView&, Index* offsets, std::int32_t* columns);
  void (*values)(const Device&, const MatrixView&, double* values);
};

}  // namespace ritz
