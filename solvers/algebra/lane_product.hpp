// Block rows times 8 lanes of vectors, in kernel sources: each block is read once for all lanes.
//
//   // then(p, (A x) at p) for every scalar row (and lane)
//   multiply_lane_rows<double, 3, 3>(device, "spmv", A, x, then);
#pragma once

#include "solvers/algebra/block_matrix.hpp"
#include "solvers/algebra/lane_rows.hpp"

namespace ritz::RITZ_BACKEND {

// The usual `then`.
template <class Real>
struct StoreRow {
  Real* y;
  template <class Place, class Product>
  constexpr void operator()(Place p, Product product) const {
    at(y, p) = product;
  }
};

}  // namespace ritz::RITZ_BACKEND

#ifdef __CUDACC__
#include "solvers/algebra/lane_product_cuda.hpp"
#else
#include "solvers/algebra/lane_product_cpu.hpp"
#endif
