#include "solvers/algebra/diagonal_blocks_kernels.hpp"

#include "device/kernels.hpp"
#include "solvers/algebra/lane_rows.hpp"

#include <type_traits>

namespace ritz::RITZ_BACKEND::diagonal_blocks_kernels {
namespace {

struct IsFull {
  int b;
  const double* values;
  constexpr Sums<1> operator()(Index k) const {
    const double* block = values + k * b * b;
    double full = 0;
    for (int i = 0; i < b; ++i)
      for (int j = 0; j < b; ++j)
        if (i != j && block[i * b + j] != 0) full = 1;
    return {{full}};
  }
};

void count_full(const Device& device, const MatrixView& A, double* count) {
  reduce<1>(device, "full blocks", A.nonzeros, IsFull{A.block_size, A.values}, count);
}

struct Take {
  int b;
  const double* values;
  double* diagonals;
  constexpr void operator()(Index k) const {
    for (int i = 0; i < b; ++i) diagonals[k * b + i] = values[k * b * b + i * (b + 1)];
  }
};

void take(const Device& device, const MatrixView& A, double* diagonals) {
  for_each(device, "diagonals of blocks", A.nonzeros, Take{A.block_size, A.values, diagonals});
}

// place: a node, and on a GPU a lane
template <int B>
struct MultiplyLanes {
  const Index* offsets;
  const std::int32_t* columns;
  const double *values, *x;
  double* y;
  template <class Place>
  constexpr void operator()(Place p) const {
    using Row = std::remove_cvref_t<decltype(at(x, p))>;
    Row even[B] = {}, odd[B] = {};  // two, or sums would wait for the adder
    const Index end = offsets[p.row + 1];
    Place from = p;
    const auto add = [&](Index k, Row(&sum)[B]) {
      for (int c = 0; c < B; ++c) {
        from.row = Index{columns[k]} * B + c;
        sum[c] += values[k * B + c] * at(x, from);
      }
    };
    Index k = offsets[p.row];
    for (; k + 2 <= end; k += 2) {
      add(k, even);
      add(k + 1, odd);
    }
    if (k < end) add(k, even);
    for (int c = 0; c < B; ++c) {
      from.row = p.row * B + c;
      at(y, from) = even[c] + odd[c];
    }
  }
};

void multiply_lanes(const Device& device, const MatrixView& A, const double* x, double* y) {
  if (A.block_size == 2)
    for_each_lane(device, "diagonal blocks", A.rows, MultiplyLanes<2>{A.offsets, A.columns, A.values, x, y});
  else for_each_lane(device, "diagonal blocks", A.rows, MultiplyLanes<3>{A.offsets, A.columns, A.values, x, y});
}

const DiagonalBlocksKernels table{count_full, take, multiply_lanes};
const Registration registration("diagonal blocks", &table);

}  // namespace
}  // namespace ritz::RITZ_BACKEND::diagonal_blocks_kernels
