// Rows of a product of sparse matrices of scalars on a CPU, for build_rows (sparse_rows.hpp).
#pragma once

#include "solvers/multigrid/sparse_rows.hpp"

namespace ritz::RITZ_BACKEND {
namespace {

struct ScalarProduct {
  BlockMatrixView<double> X, Y;

  template <class Row>
  void operator()(Index i, Row& row) const {
    for (Index e = X.offsets[i]; e < X.offsets[i + 1]; ++e) {
      const Index middle = X.column[e];
      for (Index f = Y.offsets[middle]; f < Y.offsets[middle + 1]; ++f)
        *row.block(Y.column[f]) += X.values[e] * Y.values[f];
    }
  }
};

}  // namespace
}  // namespace ritz::RITZ_BACKEND
