// On a CPU: threads over ranges of rows, one register for the lanes of a row.
#pragma once

#include "solvers/algebra/sliced_rows_cpu.hpp"

namespace ritz::RITZ_BACKEND {

// A row of CSR or of slices: its entries are `step` apart.
struct RowEntries {
  Index first, step;
};
template <class Stored>
RowEntries entries_of(const BlockMatrixView<Stored>& A, Index slot, Index row) {
  if (A.slices == nullptr) return {A.offsets[row], 1};
  return {A.slices[slot / slice_rows] * slice_rows + slot % slice_rows, slice_rows};
}

template <class Real, int L, int M, class Stored, class Then>
void multiply_lane_rows(const Device& device, const char* name, const BlockMatrixView<Stored>& A, const Real* x,
                        const Then& then) {
  const LaunchScope launch(device, name);
  constexpr Index piece = 64;  // block rows
  // Sums of a row, or it would wait for the adder; as many as the registers of AVX-512 have room for.
  constexpr int sets = register_bytes >= 64 && L <= 3 && M > 2 ? 3 : 2;
  const Index slots = A.slices == nullptr ? A.rows : (A.rows + window_rows - 1) / window_rows * window_rows;
  const Index pieces = (slots + piece - 1) / piece;
#pragma omp parallel for num_threads(device.team(pieces / 2)) schedule(static)
  for (Index p = 0; p < pieces; ++p)
    for (Index slot = p * piece; slot < std::min(slots, (p + 1) * piece); ++slot) {
      const Index i = A.slices == nullptr ? slot : slot / window_rows * window_rows + A.place[slot];
      if (i >= A.rows) continue;
      LaneRow<Real> sum[sets][L] = {};
      const RowEntries entries = entries_of(A, slot, i);
      for (Index k = entries.first, left = A.offsets[i + 1] - A.offsets[i]; left > 0; k += entries.step, --left) {
        const Stored* a = A.values + k * L * M;
        const LaneRow<Real>* xk = reinterpret_cast<const LaneRow<Real>*>(x) + Index{A.column[k]} * M;
        for (int m = 0; m < M; ++m)
          for (int l = 0; l < L; ++l) sum[m % sets][l] += static_cast<Real>(a[l * M + m]) * xk[m];
      }
      for (int l = 0; l < L; ++l) {
        LaneRow<Real> total = sum[0][l] + sum[1][l];
        if constexpr (sets > 2) total += sum[2][l];
        then(LanePlace{i * L + l}, total);
      }
    }
}

}  // namespace ritz::RITZ_BACKEND
