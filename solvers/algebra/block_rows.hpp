// Rows of a square matrix of blocks on the host, with the columns of the whole matrix: what a rank gets of a matrix
// that another one has assembled.
//
//   const BlockRows all = block_rows(K);   ranks.send(1, Packed()...);      // the first rank
//   const auto A = divided_matrix(ranks, device, mine, mine_first);         // all ranks
#pragma once

#include "device/ranks/packed.hpp"
#include "solvers/algebra/divided_matrix.hpp"

#include <cstdint>
#include <memory>
#include <vector>

namespace ritz {

struct BlockRows {
  int block = 1;
  std::vector<Index> offsets{0};
  std::vector<std::int32_t> columns;  // of the whole, in blocks
  std::vector<double> values;         // [entry][block][block]

  Index count() const { return std::ssize(offsets) - 1; }
  BlockRows range(Index first, Index last) const;  // rows from the first to below the last
};

BlockRows block_rows(const SparseMatrix& A);
void add(Packed& to, const BlockRows& rows);
BlockRows unpacked_block_rows(Unpacked& from);

// The matrix of which this rank has these rows; all ranks make it together.
std::unique_ptr<DividedMatrix> divided_matrix(Ranks& ranks, const Device& device, const BlockRows& mine);

}  // namespace ritz
