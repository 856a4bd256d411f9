#include "solvers/algebra/vector_kernels.hpp"

#include "device/kernels.hpp"
#include "device/launch.hpp"

namespace ritz::RITZ_BACKEND::vector_kernels {
namespace {

struct Fill {
  double value, *x;
  constexpr void operator()(Index i) const { x[i] = value; }
};

struct Axpby {
  double a;
  const double* x;
  double b, *y;
  constexpr void operator()(Index i) const { y[i] = a * x[i] + b * y[i]; }
};

struct Axpy {
  double a;
  const double* x;
  double* y;
  constexpr void operator()(Index i) const { y[i] += a * x[i]; }
};

struct Scale {
  double a;
  const double* x;
  double* y;
  constexpr void operator()(Index i) const { y[i] = a * x[i]; }
};

struct Multiply {
  const double *x, *y;
  double* z;
  constexpr void operator()(Index i) const { z[i] = x[i] * y[i]; }
};

struct Invert {
  double* x;
  constexpr void operator()(Index i) const { x[i] = 1.0 / x[i]; }
};

// splitmix64 of the index (Steele, Lea, Flood 2014), mapped to [0.5, 1.5): no sign pattern that a coarse mode shares
struct StartVector {
  double* x;
  constexpr void operator()(Index i) const {
    std::uint64_t z = (static_cast<std::uint64_t>(i) + 1) * 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    z ^= z >> 31;
    const double unit = static_cast<double>(z >> 11) * 0x1p-53;
    x[i] = (z & 1) != 0 ? 0.5 + unit : -0.5 - unit;
  }
};

struct Product {
  const double *x, *y;
  constexpr Sums<1> operator()(Index i) const { return {{x[i] * y[i]}}; }
};

struct NotFinite {
  const double* x;
  constexpr Sums<1> operator()(Index i) const { return {{x[i] - x[i] == 0.0 ? 0.0 : 1.0}}; }
};

struct NotPositive {
  const double* x;
  constexpr Sums<1> operator()(Index i) const { return {{x[i] > 0.0 && x[i] - x[i] == 0.0 ? 0.0 : 1.0}}; }
};

inline constexpr Index max_block = 64;

// index = block of max_block entries
struct MaxOfBlock {
  Index count;
  const double* x;
  double* result;
  constexpr void operator()(Index block) const {
    const Index first = block * max_block;
    const Index last = first + max_block < count ? first + max_block : count;
    double largest = 0;
    for (Index i = first; i < last; ++i) {
      const double size = x[i] < 0 ? -x[i] : x[i];
      largest = size > largest ? size : largest;
    }
    result[block] = largest;
  }
};

void fill(const Device& device, Index n, double value, double* x) { for_each(device, "fill", n, Fill{value, x}); }

void axpby(const Device& device, Index n, double a, const double* x, double b, double* y) {
  if (b == 1.0) return for_each(device, "axpy", n, Axpy{a, x, y});
  if (b == 0.0) return for_each(device, "scale", n, Scale{a, x, y});
  for_each(device, "axpby", n, Axpby{a, x, b, y});
}

void multiply(const Device& device, Index n, const double* x, const double* y, double* z) {
  for_each(device, "multiply", n, Multiply{x, y, z});
}

void invert(const Device& device, Index n, double* x) { for_each(device, "invert", n, Invert{x}); }

void start_vector(const Device& device, Index n, double* x) { for_each(device, "start vector", n, StartVector{x}); }

void dot(const Device& device, Index n, const double* x, const double* y, double* result) {
  reduce<1>(device, "dot", n, Product{x, y}, result);
}

// A tree of blocks: the largest entry does not depend on the order.
void max_abs(const Device& device, Index n, const double* x, double* result) {
  Index count = (n + max_block - 1) / max_block;
  Vector one(device, std::max<Index>(count, 1), "reductions"), other(device, std::max<Index>(count, 1), "reductions");
  for_each(device, "max", count, MaxOfBlock{n, x, one.data()});
  while (count > 1) {
    const Index blocks = (count + max_block - 1) / max_block;
    for_each(device, "max", blocks, MaxOfBlock{count, one.data(), other.data()});
    one.swap(other);
    count = blocks;
  }
  for_each(device, "max", 1, MaxOfBlock{count, one.data(), result});
}

void count_not_finite(const Device& device, Index n, const double* x, double* result) {
  reduce<1>(device, "count not finite", n, NotFinite{x}, result);
}

void count_not_positive(const Device& device, Index n, const double* x, double* result) {
  reduce<1>(device, "count not positive", n, NotPositive{x}, result);
}

const VectorKernels table{
    fill, axpby, multiply, invert, start_vector, dot, max_abs, count_not_finite, count_not_positive};
const Registration registration("vector", &table);

}  // namespace
}  // namespace ritz::RITZ_BACKEND::vector_kernels
