// The kernels of sparse matrices (module ritz_solvers_kernels): what SparseMatrix calls on its device.
#pragma once

#include "device/device.hpp"

#include <cstdint>

namespace ritz {

inline constexpr const char* solver_kernels = "ritz_solvers_kernels";

// The numbers of a matrix as kernels see them; pointers are valid on its device.
struct MatrixView {
  Index rows = 0, nonzeros = 0;  // block rows, blocks
  int block_size = 1;
  const Index* offsets = nullptr;         // [rows + 1]
  const std::int32_t* columns = nullptr;  // [nonzeros]
  const double* values = nullptr;         // [nonzeros][block_size][block_size]
};

struct MatrixKernels {
  void (*multiply)(const Device&, const MatrixView&, const double* x, double* y);                  // y = A x
  void (*multiply_dot)(const Device&, const MatrixView&, const double* x, double* y, double* xy);  // and *xy = x.y
  // x, y: [row][8 lanes]
  void (*multiply_lanes)(const Device&, const MatrixView&, const double* x, double* y);
  void (*diagonal)(const Device&, const MatrixView&, double* diagonal);
  // counts: scalar rows that are not finite, entries off the diagonal without an equal opposite, diagonal entries not
  // positive
  void (*inspect)(const Device&, const MatrixView&, const double* diagonal, double* counts);
  void (*eliminate)(const Device&, const MatrixView&, const std::uint8_t* constrained, double pivot, double* values);
  // (A + A^T) / 2 on A's pattern; `dominant`: with diagonal entries raised to the sum of their row's other magnitudes
  void (*symmetric_part)(const Device&, const MatrixView&, bool dominant, double* values);
};

// y = A x by a vendor's library: prepared once for a matrix, applied often (table "vendor product" of the module
// ritz_cusparse, which is loaded when first asked for: the library is large, and no other kernel needs it).
struct VendorProduct {
  void* (*prepare)(const Device&, const MatrixView&);  // nullptr: not for this matrix
  // false: not for this matrix either, y is as it was
  bool (*multiply)(void* prepared, const MatrixView&, const double* x, double* y);
  void (*release)(void* prepared);
};

}  // namespace ritz
