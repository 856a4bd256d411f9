#include "solvers/algebra/point_kernels.hpp"

#include "device/kernels.hpp"
#include "device/launch.hpp"

#include <cstdint>

namespace ritz::RITZ_BACKEND::point_kernels {
namespace {

inline constexpr Index points_of_block = 64;

// index = block of points: the largest of each of `width` numbers
struct LargestOfBlock {
  Index count;
  int width;
  const double* numbers;  // [count][width]
  double* result;         // [block][width]
  constexpr void operator()(Index block) const {
    const Index first = block * points_of_block,
                last = first + points_of_block < count ? first + points_of_block : count;
    for (int d = 0; d < width; ++d) {
      double largest = numbers[first * width + d];
      for (Index i = first + 1; i < last; ++i)
        largest = numbers[i * width + d] > largest ? numbers[i * width + d] : largest;
      result[block * width + d] = largest;
    }
  }
};

// The same of the coordinates with both signs.
struct ExtremesOfBlock {
  Index count;
  int dimension;
  const double* coordinates;
  double* result;  // [block][2][dimension]
  constexpr void operator()(Index block) const {
    const Index first = block * points_of_block,
                last = first + points_of_block < count ? first + points_of_block : count;
    for (int d = 0; d < dimension; ++d) {
      double low = coordinates[first * dimension + d], high = low;
      for (Index i = first + 1; i < last; ++i) {
        const double x = coordinates[i * dimension + d];
        low = x < low ? x : low;
        high = x > high ? x : high;
      }
      result[(2 * block) * dimension + d] = -low;
      result[(2 * block + 1) * dimension + d] = high;
    }
  }
};

void extremes(const Device& device, Index count, int dimension, const double* coordinates, double* result) {
  const int width = 2 * dimension;
  Index blocks = (count + points_of_block - 1) / points_of_block;
  Vector one(device, blocks * width, "reductions"), other(device, blocks * width, "reductions");
  for_each(device, "box", blocks, ExtremesOfBlock{count, dimension, coordinates, one.data()});
  while (blocks > 1) {
    const Index fewer = (blocks + points_of_block - 1) / points_of_block;
    for_each(device, "box", fewer, LargestOfBlock{blocks, width, one.data(), other.data()});
    one.swap(other);
    blocks = fewer;
  }
  for_each(device, "box", 1, LargestOfBlock{1, width, one.data(), result});
}

struct Tensor {
  double t[3][3];
};

constexpr double determinant(const Tensor& a) {
  const auto& t = a.t;
  return t[0][0] * (t[1][1] * t[2][2] - t[1][2] * t[2][1]) - t[0][1] * (t[1][0] * t[2][2] - t[1][2] * t[2][0]) +
         t[0][2] * (t[1][0] * t[2][1] - t[1][1] * t[2][0]);
}

// trace(inverse of a times b), of symmetric tensors
constexpr double trace_of_quotient(const Tensor& a, const Tensor& b) {
  double sum = 0;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) {
      const int i1 = (i + 1) % 3, i2 = (i + 2) % 3, j1 = (j + 1) % 3, j2 = (j + 2) % 3;
      sum += (a.t[i1][j1] * a.t[i2][j2] - a.t[i1][j2] * a.t[i2][j1]) * b.t[i][j];
    }
  return sum / determinant(a);
}

// index = row
struct UnevenCouplings {
  MatrixView A;
  const double* places;
  int dimension;
  double factor;
  Index every;

  // Does one of the node's unknowns couple to nothing?
  constexpr bool is_prescribed(Index row) const {
    const int B = A.block_size;
    for (int c = 0; c < B; ++c) {
      bool couples = false;
      for (Index k = A.offsets[row]; k < A.offsets[row + 1] && !couples; ++k)
        for (int d = 0; d < B; ++d)
          couples = couples || ((A.columns[k] != row || c != d) && A.values[(k * B + c) * B + d] != 0);
      if (!couples) return true;
    }
    return false;
  }
  constexpr double trace(Index k) const {
    const int B = A.block_size;
    double sum = 0;
    for (int c = 0; c < B; ++c) sum += A.values[(k * B + c) * B + c];
    return sum;
  }
  constexpr double step(Index from, Index to, int axis) const {
    return places[to * dimension + axis] - places[from * dimension + axis];
  }
  // Arithmetic over harmonic mean of the couplings per direction; -1 where an unknown around is prescribed.
  constexpr double unevenness(Index row) const {
    Tensor K{}, H{};
    if (dimension < 3) K.t[2][2] = H.t[2][2] = 1;
    for (Index k = A.offsets[row]; k < A.offsets[row + 1]; ++k) {
      const Index other = A.columns[k];
      if (is_prescribed(other)) return -1;
      const double coupling = -trace(k);
      for (int p = 0; p < dimension; ++p)
        for (int q = 0; q < dimension; ++q) {
          const double product = step(row, other, p) * step(row, other, q);
          K.t[p][q] += coupling * product;
          H.t[p][q] += product;
        }
    }
    if (!(determinant(K) > 0) || !(determinant(H) > 0)) return -1;
    const double extra = dimension < 3 ? 1 : 0;  // of the third direction of a plane
    return (trace_of_quotient(H, K) - extra) * (trace_of_quotient(K, H) - extra) / (dimension * dimension);
  }
  constexpr Sums<2> operator()(Index row) const {
    if (static_cast<Index>((static_cast<std::uint64_t>(row) * 0x9E3779B97F4A7C15ull) >> 33) % every != 0) return {};
    const double here = unevenness(row);
    if (here < 0) return {};
    return {{1, here > factor ? 1.0 : 0.0}};
  }
};

void uneven_couplings(const Device& device, const MatrixView& A, const double* coordinates, int dimension,
                      double factor, Index every, double* counts) {
  reduce<2>(device, "uneven couplings", A.rows, UnevenCouplings{A, coordinates, dimension, factor, every}, counts);
}

const PointKernels table{extremes, uneven_couplings};
const Registration registration("points", &table);

}  // namespace
}  // namespace ritz::RITZ_BACKEND::point_kernels
