// R A P on a GPU: A P is made and kept until R is applied to it.
#pragma once

#include "solvers/multigrid/sparse_rows.hpp"
#include "solvers/multigrid/product_row.hpp"

namespace ritz::RITZ_BACKEND {

inline constexpr bool product_reads_lower_triangle = false;

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
