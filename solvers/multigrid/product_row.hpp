// Products of blocks, and the threads that make a row of a sparse matrix together.
#pragma once

#include "solvers/algebra/block_matrix.hpp"

namespace ritz::RITZ_BACKEND {

constexpr bool is_zero(const double* block, int size) {
  bool zero = true;
  for (int k = 0; k < size; ++k) zero = zero && block[k] == 0;
  return zero;
}

// target += x y, blocks L x M times M x N. Sums stay in registers: none of the three overlap.
template <int L, int M, int N>
constexpr void add_product(const double* __restrict x, const double* __restrict y, double* __restrict target) {
  for (int l = 0; l < L; ++l) {
    double sum[N] = {};
    for (int n = 0; n < N; ++n) sum[n] = target[l * N + n];
    for (int m = 0; m < M; ++m)
      for (int n = 0; n < N; ++n) sum[n] += x[l * M + m] * y[m * N + n];
    for (int n = 0; n < N; ++n) target[l * N + n] = sum[n];
  }
}

// Threads that make a row together, and which of them this one is.
template <class Row>
constexpr int lanes_of(const Row&) {
  if constexpr (requires { Row::lanes; }) return Row::lanes;
  else return 1;
}
template <class Row>
constexpr int lane_of(const Row& row) {
  if constexpr (requires { Row::lanes; }) return row.lane();
  else return 0;
}

}  // namespace ritz::RITZ_BACKEND
