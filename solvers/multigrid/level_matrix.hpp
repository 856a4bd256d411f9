// The matrix of a level as the set-up of the next one reads it: the rows that this rank owns, with columns [owned |
// ghosts]. One process owns all rows and has no ghosts. Private to solvers/multigrid.
#pragma once

#include "solvers/algebra/divided_matrix.hpp"
#include "solvers/algebra/matrix_kernels.hpp"
#include "solvers/algebra/sparse_matrix.hpp"

namespace ritz {

inline constexpr const char* setup_tag = "multigrid set-up";

struct LevelMatrix {
  Device device;
  BlockMatrixView<double> view;            // owned rows
  Index nonzeros = 0;                      // its blocks
  const DividedMatrix* divided = nullptr;  // null: one process

  const Ghosts* ghosts() const { return divided == nullptr ? nullptr : &divided->ghosts(); }
  int block() const { return view.row_block; }
  Index unknowns() const { return view.rows * view.row_block; }
  Index nodes_of_all() const { return divided == nullptr ? view.rows : divided->ghosts().total(); }
  Index unknowns_of_all() const { return nodes_of_all() * view.row_block; }
  // Rows [owned | ghosts], where a ghost has what this rank knows of its row (DividedMatrix).
  BlockMatrixView<double> with_ghost_rows() const { return divided == nullptr ? view : divided->with_ghost_rows(); }
  Index nonzeros_with_ghost_rows() const { return divided == nullptr ? nonzeros : divided->nonzeros_with_ghost_rows(); }
  MatrixView owned() const { return {view.rows, nonzeros, view.row_block, view.offsets, view.column, view.values}; }
  Vector diagonal() const;  // [owned unknown]
};

LevelMatrix level_matrix(const SparseMatrix& A);
LevelMatrix level_matrix(const DividedMatrix& A);

// Values of owned nodes, `width` numbers each, followed by those of ghosts from their owners.
Vector with_ghosts(const Vector& owned, const Ghosts& ghosts, int width);

}  // namespace ritz
