// Rows of a product of sparse matrices of scalars on a GPU, for build_rows (sparse_rows.hpp). Zeros of X add no
// columns.
#pragma once

#include "solvers/multigrid/triple_product_cuda.hpp"

namespace ritz::RITZ_BACKEND {
namespace {

struct ScalarProduct : ProductRow<1, 1, 1> {};

}  // namespace
}  // namespace ritz::RITZ_BACKEND
