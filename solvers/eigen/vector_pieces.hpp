// Many vectors in pieces of eight columns, each with memory of its own. Operators are applied piece by piece, and
// combinations of several blocks replace them row by row, so that no second block of their size is ever needed.
//
//   VectorPieces X, P, W;   const SmallMatrix G = gram({&X, &P}, W[0]);   replace({&X, &W}, C, {{&X, 16}});
#pragma once

#include "solvers/algebra/linear_operator.hpp"
#include "solvers/algebra/multi_vector.hpp"

#include <utility>
#include <vector>

namespace ritz {

using SmallMatrix = std::vector<double>;        // on the host, row-major
using VectorPieces = std::vector<MultiVector>;  // each of 8 columns, the last of as many or fewer
using PieceBlocks = std::vector<const VectorPieces*>;

int column_count(const VectorPieces& X);
int column_count(const PieceBlocks& blocks);

// X^T Y, [columns of all blocks][columns of Y]
SmallMatrix gram(const PieceBlocks& blocks, const MultiVector& Y);
// X^T A Y, [columns of all blocks][columns of Y]: with one piece of memory.
SmallMatrix projected(const LinearOperator& A, const PieceBlocks& blocks, const VectorPieces& Y);

// The columns of the targets one after another become X C, X the columns of all blocks. Each target gets as many
// columns as it is named with; it may be one of the blocks. Memory beside both: a 64th of the targets.
void replace(const PieceBlocks& blocks, const SmallMatrix& C,
             const std::vector<std::pair<VectorPieces*, int>>& targets);

// X_p = A X_p for each piece, in place but for one piece.
void apply_to_pieces(const LinearOperator& A, VectorPieces& X);
MultiVector applied(const LinearOperator& A, const MultiVector& X);

VectorPieces in_pieces(const MultiVector& X);
MultiVector joined(const VectorPieces& X);  // of at least one column

}  // namespace ritz
