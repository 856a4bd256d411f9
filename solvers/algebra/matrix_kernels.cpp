#include "solvers/algebra/matrix_kernels.hpp"

#include "device/kernels.hpp"
#include "device/launch.hpp"
#include "solvers/algebra/lane_product.hpp"
#include "solvers/algebra/spmv.hpp"

namespace ritz::RITZ_BACKEND::matrix_kernels {
namespace {

// index = scalar row; a row without a diagonal entry gives zero
struct Diagonal {
  MatrixView A;
  double* diagonal;
  constexpr void operator()(Index row) const {
    const int b = A.block_size;
    const Index block_row = row / b, i = row % b;
    double value = 0;
    for (Index k = A.offsets[block_row]; k < A.offsets[block_row + 1]; ++k)
      if (A.columns[k] == block_row) value = A.values[(k * b + i) * b + i];
    diagonal[row] = value;
  }
};

// index = block row
// Most blocks have nothing prescribed: they cost a column number and B bytes of the mask, and their values are not
// read.
template <int B>
struct Eliminate {
  MatrixView A;
  const std::uint8_t* constrained;
  double pivot;
  double* values;
  constexpr bool any(Index block) const {
    std::uint8_t sum = 0;
    for (int i = 0; i < B; ++i) sum |= constrained[block * B + i];
    return sum != 0;
  }
  constexpr void operator()(Index block_row) const {
    const bool row_has = any(block_row);
    for (Index k = A.offsets[block_row]; k < A.offsets[block_row + 1]; ++k) {
      if (!row_has && !any(A.columns[k])) continue;
      for (int i = 0; i < B; ++i)
        for (int j = 0; j < B; ++j) {
          const Index row = block_row * B + i, column = Index{A.columns[k]} * B + j;
          if (constrained[row] != 0 || constrained[column] != 0)
            values[(k * B + i) * B + j] = row == column ? pivot : 0.0;
        }
    }
  }
};

// Position of block `column` in row `row`, or -1.
constexpr Index find_block(const MatrixView& A, Index row, Index column) {
  Index low = A.offsets[row], high = A.offsets[row + 1];
  while (low < high) {
    const Index middle = (low + high) / 2;
    if (A.columns[middle] < column) low = middle + 1;
    else high = middle;
  }
  return low < A.offsets[row + 1] && A.columns[low] == column ? low : -1;
}

// index = scalar row
struct Inspect {
  MatrixView A;
  const double* diagonal;

  static constexpr double size(double x) { return x < 0 ? -x : x; }
  // Equal up to the rounding of an assembly, as seen from the entries and from the diagonal around them.
  constexpr bool equal(double a, double b, Index row, Index column) const {
    const double d = size(diagonal[row]), e = size(diagonal[column]);
    return size(a - b) <= 1e-10 * (size(a) + size(b)) + 1e-13 * (d < e ? d : e);
  }

  constexpr Sums<3> operator()(Index row) const {
    const int b = A.block_size;
    const Index block_row = row / b, i = row % b;
    double bad = 0, unequal = 0;
    for (Index k = A.offsets[block_row]; k < A.offsets[block_row + 1]; ++k) {
      const Index mirror = find_block(A, A.columns[k], block_row);
      for (Index j = 0; j < b; ++j) {
        const Index column = Index{A.columns[k]} * b + j;
        const double value = A.values[(k * b + i) * b + j];
        if (!(value - value == 0.0)) bad = 1;
        if (column == row) continue;
        const double opposite = mirror < 0 ? 0.0 : A.values[(mirror * b + j) * b + i];
        if (!equal(value, opposite, row, column)) unequal += 1;
      }
    }
    return {{bad, unequal, diagonal[row] > 0.0 ? 0.0 : 1.0}};
  }
};

void inspect(const Device& device, const MatrixView& A, const double* diagonal, double* counts) {
  reduce<3>(device, "inspect matrix", A.rows * A.block_size, Inspect{A, diagonal}, counts);
}

// Diagonal entries are raised to 1 + 1/64 times the sum of the off-diagonal magnitudes. With exact equality the matrix
// may be singular, and its inverse on the coarsest level useless as a preconditioner.
constexpr double dominance = 1 + 1.0 / 64;

// index = scalar row. An entry whose mirror image is not in the pattern becomes zero, or the result would not be
// symmetric.
struct SymmetricPart {
  MatrixView A;
  bool dominant;
  double* values;
  constexpr void operator()(Index row) const {
    const int b = A.block_size;
    const Index block_row = row / b, i = row % b;
    double others = 0, diagonal = 0;
    Index place = -1;
    for (Index k = A.offsets[block_row]; k < A.offsets[block_row + 1]; ++k) {
      const Index mirror = find_block(A, A.columns[k], block_row);
      for (Index j = 0; j < b; ++j) {
        const Index here = (k * b + i) * b + j;
        const double value = mirror < 0 ? 0.0 : 0.5 * (A.values[here] + A.values[(mirror * b + j) * b + i]);
        values[here] = value;
        if (Index{A.columns[k]} * b + j == row) {
          diagonal = value;
          place = here;
        } else {
          others += value < 0 ? -value : value;
        }
      }
    }
    if (dominant && place >= 0 && !(diagonal > others)) values[place] = others > 0 ? dominance * others : 1.0;
  }
};

void symmetric_part(const Device& device, const MatrixView& A, bool dominant, double* values) {
  for_each(device, "symmetric part", A.rows * A.block_size, SymmetricPart{A, dominant, values});
}

void diagonal(const Device& device, const MatrixView& A, double* result) {
  for_each(device, "matrix diagonal", A.rows * A.block_size, Diagonal{A, result});
}

void eliminate(const Device& device, const MatrixView& A, const std::uint8_t* constrained, double pivot,
               double* values) {
  if (A.block_size == 1) for_each(device, "eliminate", A.rows, Eliminate<1>{A, constrained, pivot, values});
  if (A.block_size == 2) for_each(device, "eliminate", A.rows, Eliminate<2>{A, constrained, pivot, values});
  if (A.block_size == 3) for_each(device, "eliminate", A.rows, Eliminate<3>{A, constrained, pivot, values});
  if (A.block_size == 4) for_each(device, "eliminate", A.rows, Eliminate<4>{A, constrained, pivot, values});
  if (A.block_size == 5) for_each(device, "eliminate", A.rows, Eliminate<5>{A, constrained, pivot, values});
  if (A.block_size == 6) for_each(device, "eliminate", A.rows, Eliminate<6>{A, constrained, pivot, values});
}

void multiply_lanes(const Device& device, const MatrixView& A, const double* x, double* y) {
  const BlockMatrixView<double> view{A.rows, A.rows, A.block_size, A.block_size, A.offsets, A.columns, A.values};
  const StoreRow<double> store{y};
  if (A.block_size == 1) multiply_lane_rows<double, 1, 1>(device, "spmv of lanes", view, x, store);
  if (A.block_size == 2) multiply_lane_rows<double, 2, 2>(device, "spmv of lanes", view, x, store);
  if (A.block_size == 3) multiply_lane_rows<double, 3, 3>(device, "spmv of lanes", view, x, store);
  if (A.block_size == 4) multiply_lane_rows<double, 4, 4>(device, "spmv of lanes", view, x, store);
  if (A.block_size == 5) multiply_lane_rows<double, 5, 5>(device, "spmv of lanes", view, x, store);
  if (A.block_size == 6) multiply_lane_rows<double, 6, 6>(device, "spmv of lanes", view, x, store);
}

const MatrixKernels table{multiply, multiply_dot, multiply_lanes, diagonal, inspect, eliminate, symmetric_part};
const Registration registration("matrix", &table);

}  // namespace
}  // namespace ritz::RITZ_BACKEND::matrix_kernels
