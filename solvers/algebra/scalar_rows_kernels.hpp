// Kernels that write block matrices as rows of scalars (module ritz_solvers_kernels, table "scalar rows").
#pragma once

#include "solvers/algebra/matrix_kernels.hpp"

namespace ritz {

struct ScalarRowKernels {
  void (*pattern)(const Device&, const MatrixView&, Index* offsets, std::int32_t* columns);
  void (*values)(const Device&, const MatrixView&, double* values);
  // Rows of several matrices, one beside the other. A view without offsets has no entries; add_diagonal: rows without a
  // diagonal entry get one that is zero. counts [row] is increased by the number of entries.
  void (*count)(const Device&, const MatrixView&, bool add_diagonal, Index rows, std::int32_t* counts);
  void (*offsets)(const Device&, const std::int32_t* counts, Index rows, Index* offsets);  // [rows + 1] running sums
  // Entries of row i are written from next[i] on, and next[i] becomes the place after them.
  void (*append)(const Device&, const MatrixView&, bool add_diagonal, Index first_column, Index rows, Index* next,
                 std::int32_t* columns, double* values);
};

}  // namespace ritz
