// Sparse matrices of scalars that are made from others on their device, for set-ups: what auxiliary spaces and Schur
// complements are made of. Results have blocks of one. Columns ascend in each row, but for those of product().
//
//   BlockMatrix S = product(device, block_view(A), block_view(B));   sort_rows(S);   S = sum(device, ...);
//   SparseMatrix matrix = sparse_matrix(std::move(S));
#pragma once

#include "solvers/algebra/block_matrix.hpp"
#include "solvers/algebra/rectangular_matrix.hpp"
#include "solvers/algebra/sparse_matrix.hpp"

namespace ritz {

BlockMatrixView<double> block_view(const SparseMatrix& A);
BlockMatrixView<double> block_view(const RectangularMatrix& A);

BlockMatrix diagonal_matrix(Vector diagonal);
BlockMatrix transposed(const BlockMatrix& A);  // of scalars
// A B of scalars. Entries that cancel stay, as zeros; zeros of A add none on a GPU. Rows of more columns than a GPU
// takes are multiplied on the host.
BlockMatrix product(const Device& device, const BlockMatrixView<double>& A, const BlockMatrixView<double>& B);
void sort_rows(BlockMatrix& A);
// A + factor B of square matrices in blocks of any size. Rows that B lacks are empty, and those with cleared[row] != 0
// are zero; null: none is.
BlockMatrix sum(const Device& device, const BlockMatrixView<double>& A, double factor, const BlockMatrixView<double>& B,
                const Array<std::uint8_t>* cleared = nullptr);

Vector scaled_rows(const RectangularMatrix& A, const Vector& factors);  // values of diag(factors) A
void scale_rows_and_columns(SparseMatrix& A, const Vector& factors);    // diag(factors) A diag(factors), of scalars
// The offsets of A with empty rows from `rows` on.
Array<Index> kept_rows(const RectangularMatrix& A, Index rows);

SparseMatrix sparse_matrix(BlockMatrix A);  // square, with every diagonal entry
// Scalars alone, to the host and from there.
HostMatrix host_matrix(const BlockMatrix& A);
BlockMatrix block_matrix(const Device& device, const HostMatrix& A, Index column_count);

}  // namespace ritz
