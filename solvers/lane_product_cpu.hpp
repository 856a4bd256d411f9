// On a CPU: threads over ranges of rows, one register for the lanes of a row.
#pragma once

namespace ritz::RITZ_BACKEND {

template <class Real, int L, int M, class Then>
void multiply_lane_rows(const Device& device, const char* name, const BlockMatrixView<Real>& A, const Real* x, const Then& then) {
  const LaunchScope launch(device, name);
  constexpr Index piece = 64;  // block rows
  const Index pieces = (A.rows + piece - 1) / piece;
  const int threads = static_cast<int>(std::max<Index>(1, std::min<Index>(device.threads(), pieces / 2)));
#pragma omp parallel for num_threads(threads) schedule(static) if (threads > 1)
  for (Index p = 0; p < pieces; ++p)
    for (Index i = p * piece; i < std::min(A.rows, (p + 1) * piece); ++i) {
      LaneRow<Real> sum[L] = {}, other[L] = {};  // two, or short rows would wait for the adder
      for (Index k = A.offsets[i]; k < A.offsets[i + 1]; ++k) {
        const Real* a = A.values + k * L * M;
        const LaneRow<Real>* xk = reinterpret_cast<const LaneRow<Real>*>(x) + Index{A.column[k]} * M;
        for (int m = 0; m < M; ++m)
          for (int l = 0; l < L; ++l) (m % 2 == 0 ? sum : other)[l] += a[l * M + m] * xk[m];
      }
      for (int l = 0; l < L; ++l) then(LanePlace{i * L + l}, static_cast<LaneRow<Real>>(sum[l] + other[l]));
    }
}

}  // namespace ritz::RITZ_BACKEND
