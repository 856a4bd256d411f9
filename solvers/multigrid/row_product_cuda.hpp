// Block rows times a vector on a GPU: thread = block row.
#pragma once

#include "device/launch.hpp"
#include "solvers/multigrid/block_matrix.hpp"

namespace ritz::RITZ_BACKEND {

template <class Real, int L, int M, class Stored, class Then>
struct RowTask {
  BlockMatrixView<Stored> A;
  const Real* x;
  Then then;
  constexpr void operator()(Index i) const {
    Real row[L] = {};
    for (Index k = A.offsets[i]; k < A.offsets[i + 1]; ++k) {
      const Stored* a = A.values + k * L * M;
      const Real* xk = x + Index{A.column[k]} * M;
      for (int l = 0; l < L; ++l)
        for (int m = 0; m < M; ++m) row[l] += static_cast<Real>(a[l * M + m]) * xk[m];
    }
    for (int l = 0; l < L; ++l) then(i * L + l, row[l]);
  }
};

// then(n, (A x)_n) for every scalar row n.
template <class Real, int L, int M, class Stored, class Then>
void multiply_rows(const Device& device, const char* name, const BlockMatrixView<Stored>& A, const Real* x, const Then& then) {
  for_each(device, name, A.rows, RowTask<Real, L, M, Stored, Then>{A, x, then});
}

// A cycle multiplies with block CSR as it is.
template <class Stored>
bool pack_rows(const Device&, const BlockMatrixView<double>&, CycleMatrix<Stored>&) { return false; }
template <class Stored>
void unpack_rows(const Device&, const BlockMatrixView<Stored>&, std::int32_t*, double*) {}

}  // namespace ritz::RITZ_BACKEND
