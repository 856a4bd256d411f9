// R A P on a GPU: A P is made and kept until R is applied to it.
#pragma once

#include "solvers/multigrid/sparse_rows.hpp"

namespace ritz::RITZ_BACKEND {

inline constexpr bool product_reads_lower_triangle = false;

// For build_rows: a row of X Y. The warp takes the blocks of X one after the other. Those of a row of Y are in
// different columns, so that each thread looks one of them up, and then all share the numbers of these blocks. Every
// sum is in the order of the blocks of X. Blocks of zeros in X, as meshes with right angles make them, add nothing.
template <int L, int M, int N>
struct ProductRow {
  BlockMatrixView<double> X, Y;

  template <class Row>
  __device__ void operator()(Index i, Row& row) const {
    const Index end = X.offsets[i + 1];
    for (Index first = X.offsets[i]; first < end; first += warp_lanes) {
      Index begin = 0, count = 0;  // of the row of Y for a block of X that is this thread's
      if (first + row.lane() < end) {
        const Index j = X.column[first + row.lane()];
        begin = Y.offsets[j];
        count = Y.offsets[j + 1] - begin;
      }
      for (int n = 0; n < warp_lanes && first + n < end; ++n)
        add_blocks(X.values + (first + n) * L * M, __shfl_sync(all_lanes, begin, n), __shfl_sync(all_lanes, count, n),
                   row);
    }
  }

 private:
  template <class Row>
  __device__ void add_blocks(const double* x, Index begin, Index count, Row& row) const {
    bool any = false;
    for (int k = row.lane(); k < L * M; k += warp_lanes) any = any || x[k] != 0;
    if (__ballot_sync(all_lanes, any) == 0) return;
    for (Index first = begin; first < begin + count; first += warp_lanes) {
      const Index left = begin + count - first;
      const int blocks = left < warp_lanes ? static_cast<int>(left) : warp_lanes;
      const int place = row.of_each(row.lane() < blocks ? Y.column[first + row.lane()] : -1);
      if constexpr (Row::has_values) add_values(x, Y.values + first * M * N, blocks, place, row);
    }
  }
  // thread = number of the blocks, one after the other
  template <class Row>
  __device__ void add_values(const double* x, const double* y, int blocks, int place, Row& row) const {
    if constexpr (L * N > 1) {
      row.map.found[row.lane()] = place;
      __syncwarp();
    }
    for (int k = row.lane(); k < blocks * L * N; k += warp_lanes) {
      const int block = k / (L * N), l = k % (L * N) / N, n = k % N;
      const int at = L * N > 1 ? row.map.found[block] : place;
      if (at < 0) continue;
      double* const target = row.sums + at * L * N + k % (L * N);
      double sum = *target;
      for (int m = 0; m < M; ++m) sum += x[l * M + m] * y[(block * M + m) * N + n];
      *target = sum;
    }
    __syncwarp();
  }
};

template <int C, int K>
void product_with_prolongator(const Device& device, const BlockMatrixView<double>& A, const BlockMatrixView<double>& P,
                              BlockMatrix& AP) {
  AP.rows = A.rows;
  AP.columns = P.columns;
  AP.row_block = C;
  AP.column_block = K;
  build_rows<C * K, 256>(device, "product", ProductRow<C, C, K>{A, P}, "product A P", "multigrid set-up", AP);
}

template <int C, int K>
void triple_product(const Device& device, const BlockMatrixView<double>& A, const BlockMatrixView<double>& P,
                    const BlockMatrixView<double>& R, bool, BlockMatrix& coarse) {
  BlockMatrix AP;
  product_with_prolongator<C, K>(device, A, P, AP);
  build_rows<K * K, 1024>(device, "product", ProductRow<K, C, K>{R, AP.view()}, "coarse matrix", "multigrid", coarse);
}

// New values for a known pattern; false when they do not fit it.
template <int C, int K>
bool triple_product_again(const Device& device, const BlockMatrixView<double>& A, const BlockMatrixView<double>& P,
                          const BlockMatrixView<double>& R, bool, const BlockMatrixView<double>& pattern,
                          double* values) {
  BlockMatrix AP;
  product_with_prolongator<C, K>(device, A, P, AP);
  return refill_rows<K * K, 1024>(device, "product", ProductRow<K, C, K>{R, AP.view()}, pattern, values);
}

}  // namespace ritz::RITZ_BACKEND
