// On a GPU: thread = (block row, lane). The threads of a row read the same block and neighbouring numbers of x.
#pragma once

namespace ritz::RITZ_BACKEND {

template <class Real, int L, int M, class Stored, class Then>
struct LaneRowTask {
  BlockMatrixView<Stored> A;
  const Real* x;
  Then then;
  constexpr void operator()(LanePlace p) const {
    Real row[L] = {};
    for (Index k = A.offsets[p.row]; k < A.offsets[p.row + 1]; ++k) {
      const Stored* a = A.values + k * L * M;
      const Real* xk = x + Index{A.column[k]} * M * lane_count + p.lane;
      for (int m = 0; m < M; ++m)
        for (int l = 0; l < L; ++l) row[l] += static_cast<Real>(a[l * M + m]) * xk[m * lane_count];
    }
    for (int l = 0; l < L; ++l) then(LanePlace{p.row * L + l, p.lane}, row[l]);
  }
};

template <class Real, int L, int M, class Stored, class Then>
void multiply_lane_rows(const Device& device, const char* name, const BlockMatrixView<Stored>& A, const Real* x,
                        const Then& then) {
  for_each_lane(device, name, A.rows, LaneRowTask<Real, L, M, Stored, Then>{A, x, then});
}

}  // namespace ritz::RITZ_BACKEND
