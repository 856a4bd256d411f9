// Block rows times a vector on a GPU: a team of neighbouring threads has a row, and reads its values side by side. Sums
// are taken in a fixed order.
#pragma once

#include "device/launch.hpp"

#include <bit>
#include <cstdint>
#include <type_traits>

namespace ritz::RITZ_BACKEND {

// Threads of a team: [block][row of the block][column], for as many blocks of a matrix row as are read at once.
template <int L, int M>
struct RowTeam {
  static constexpr int shares = L * M > 32 ? 2 : 1;  // places of a block that a thread has, side by side in none
  static constexpr int columns = M / shares, block = L * columns;
  static constexpr int threads = block == 1 ? 8 : block <= 6 ? 16 : 32;
  static constexpr int blocks = threads / block;
};

// Result of thread [0][l][0] of the team: the sum over all [block][l][column].
template <class Team, class Real>
__device__ Real team_sum(Real mine) {
  constexpr unsigned all = 0xffffffffu;
  Real row = mine;
  for (int m = 1; m < Team::columns; ++m) row += __shfl_down_sync(all, mine, static_cast<unsigned>(m), Team::threads);
  if constexpr (std::has_single_bit(static_cast<unsigned>(Team::blocks))) {
    for (int half = Team::blocks / 2; half > 0; half /= 2)
      row += __shfl_down_sync(all, row, static_cast<unsigned>(half * Team::block), Team::threads);
    return row;
  } else {
    Real sum = row;
    for (int j = 1; j < Team::blocks; ++j)
      sum += __shfl_down_sync(all, row, static_cast<unsigned>(j * Team::block), Team::threads);
    return sum;
  }
}

// Part of a thread of the team (all threads of a warp come here): a place of every `blocks`-th block of the row,
// several of which are loaded before the first is used. Sums are in the order of the blocks.
template <class Team, int L, int M, class Matrix, class Columns, class Real>
__device__ Real product_of_thread(const Matrix& A, Columns columns, Index row, int thread, const Real* x) {
  constexpr int rounds = Team::shares > 1 ? 2 : 4;  // 27 entries of a row of scalars take four
  using Stored = std::remove_cvref_t<decltype(A.values[0])>;
  const int place = thread % Team::block, l = place / Team::columns, m = place % Team::columns;
  Real mine{};
  if (row >= A.rows || thread >= Team::blocks * Team::block) return mine;
  const Index end = A.offsets[row + 1];
  for (Index k = A.offsets[row] + thread / Team::block; k < end; k += rounds * Team::blocks) {
    std::int32_t column[rounds] = {};
    Stored a[rounds][Team::shares] = {};
    Real xk[rounds][Team::shares] = {};
    for (int round = 0; round < rounds; ++round)
      if (const Index at = k + round * Team::blocks; at < end) {
        column[round] = columns[at];
        for (int share = 0; share < Team::shares; ++share)
          a[round][share] = A.values[at * (L * M) + l * M + m + share * Team::columns];
      }
    for (int round = 0; round < rounds; ++round)
      if (k + round * Team::blocks < end)
        for (int share = 0; share < Team::shares; ++share)
          xk[round][share] = x[Index{column[round]} * M + m + share * Team::columns];
    for (int round = 0; round < rounds; ++round)
      for (int share = 0; share < Team::shares; ++share) mine += static_cast<Real>(a[round][share]) * xk[round][share];
  }
  return mine;
}

}  // namespace ritz::RITZ_BACKEND
