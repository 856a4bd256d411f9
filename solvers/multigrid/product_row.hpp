// A row of a product of two sparse matrices of blocks.
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

// The same by several threads: each has every `lanes`-th number of the target.
template <int L, int M, int N>
constexpr void add_share_of_product(int lane, int lanes, const double* x, const double* y, double* target) {
  for (int k = lane; k < L * N; k += lanes) {
    double sum = target[k];
    for (int m = 0; m < M; ++m) sum += x[k / N * M + m] * y[m * N + k % N];
    target[k] = sum;
  }
}

// For build_rows. Blocks of zeros in X, as meshes with right angles make them, add nothing.
template <int L, int M, int N>
struct ProductRow {
  BlockMatrixView<double> X, Y;

  constexpr Index work(Index i) const {
    Index sum = 0;
    for (Index k = X.offsets[i]; k < X.offsets[i + 1]; ++k) sum += Y.offsets[X.column[k] + 1] - Y.offsets[X.column[k]];
    return sum;
  }
  template <class Row>
  constexpr void operator()(Index i, Row& row) const {
    for (Index e = X.offsets[i]; e < X.offsets[i + 1]; ++e) {
      const double* x = X.values + e * L * M;
      if (is_zero(x, L * M)) continue;
      const Index j = X.column[e];
      for (Index f = Y.offsets[j]; f < Y.offsets[j + 1]; ++f) {
        [[maybe_unused]] double* target = row.block(Y.column[f]);
        if constexpr (Row::has_values) {
          if constexpr (requires { Row::lanes; })
            add_share_of_product<L, M, N>(lane_of(row), lanes_of(row), x, Y.values + f * M * N, target);
          else add_product<L, M, N>(x, Y.values + f * M * N, target);
        }
      }
    }
  }
};

}  // namespace ritz::RITZ_BACKEND
