// Kernels that make sparse matrices of scalars from others (module ritz_solvers_kernels, table "sparse products").
#pragma once

#include "solvers/algebra/block_matrix.hpp"

namespace ritz {

struct SparseProductKernels {
  // X Y of scalars, the columns of a row in any order. A GPU throws Error: Exit::resources for rows of more than 512
  // columns.
  void (*product)(const Device&, const BlockMatrixView<double>& X, const BlockMatrixView<double>& Y, BlockMatrix& XY);
  void (*sort_rows)(const Device&, const BlockMatrixView<double>& A, std::int32_t* column, double* values);
  // A + factor B in scalars, of square matrices with ascending columns. Rows that B lacks are empty, and those with
  // cleared[row] != 0 are zero; null: none is.
  void (*sum)(const Device&, const BlockMatrixView<double>& A, double factor, const BlockMatrixView<double>& B,
              const std::uint8_t* cleared, BlockMatrix& result);
  void (*identity)(const Device&, Index rows, Index* offsets, std::int32_t* column);
  // result = values of the scalar matrix A with row i multiplied by factors[i]
  void (*scale_rows)(const Device&, const BlockMatrixView<double>& A, const double* factors, double* result);
  // a_ij *= factors[i] factors[j], of scalars
  void (*scale_both)(const Device&, const BlockMatrixView<double>& A, const double* factors, double* values);
  // result: offsets of A with empty rows from `rows` on
  void (*keep_rows)(const Device&, const BlockMatrixView<double>& A, Index rows, Index* result);
};

}  // namespace ritz
