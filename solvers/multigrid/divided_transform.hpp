// T^T A T over ranks, where T is the identity but for rows of a few dependent nodes: what linear equations between
// unknowns make of a matrix whose rows are divided. A rank knows the rows of T for its own nodes and its ghosts; what
// its dependent nodes add to rows of other ranks travels to these, once.
//
//   DividedRows rows = transformed(ghosts, owned_rows, T, pivot);     // all ranks call it
//   const DividedMatrix A(rows.ghosts, std::move(rows.matrix));
#pragma once

#include "solvers/algebra/block_matrix.hpp"
#include "solvers/algebra/ghosts.hpp"

#include <cstdint>
#include <memory>
#include <vector>

namespace ritz {

// Rows of u = T v of nodes with dependent unknowns. Blocks are C x C.
struct DependentNodeRows {
  std::vector<Index> node;              // global numbers, ascending
  std::vector<Index> begin{0};          // [row + 1] into the next two
  std::vector<Index> followed;          // global numbers of nodes, which may be the row's own
  std::vector<double> block;            // [as followed][C][C]
  std::vector<std::uint8_t> dependent;  // [row][C] 1: eliminated
};

struct DividedRows {
  std::shared_ptr<const Ghosts> ghosts;  // all that the rows reach now
  BlockMatrix matrix;                    // as DividedMatrix takes it
};

// rows: of a matrix as DividedMatrix takes them, square blocks, owned rows with columns [owned | ghosts].
// Rows and columns of dependent unknowns become empty, with the pivot on the diagonal.
DividedRows transformed(const Ghosts& ghosts, const BlockMatrix& rows, const DependentNodeRows& T, double pivot);

}  // namespace ritz
