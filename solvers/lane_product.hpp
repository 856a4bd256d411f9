// Block rows times 8 lanes of vectors, in kernel sources: each block is read once for all lanes.
//
//   multiply_lane_rows<double, 3, 3>(device, "spmv", A, x, then);   // then(p, (A x) at p) for every scalar row (and lane)
#pragma once

#include "solvers/lane_rows.hpp"
#include "solvers/multigrid/block_matrix.hpp"

namespace ritz::RITZ_BACKEND {

// The usual `then`.
template <class Real>
struct StoreRow {
  Real* y;
  template <class Place, class Product>
  constexpr void operator()(Place p, Product product) const { at(y, p) = product; }
};

}  // namespace ritz::RITZ_BACKEND

#ifdef __CUDACC__
#include "solvers/lane_product_cuda.hpp"
#else
#include "solvers/lane_product_cpu.hpp"
#endif
