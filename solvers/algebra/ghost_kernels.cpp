#include "solvers/algebra/ghost_kernels.hpp"

#include "device/kernels.hpp"
#include "device/launch.hpp"

namespace ritz::RITZ_BACKEND::ghost_kernels {
namespace {

// index = number of a node
template <class Real>
struct Take {
  const std::int32_t* at;
  int width;
  const Real* from;
  Real* to;
  constexpr void operator()(Index i) const { to[i] = from[Index{at[i / width]} * width + i % width]; }
};

template <class Real>
struct Add {
  const std::int32_t *at, *begin, *place;
  int width;
  const Real* from;
  Real* to;
  constexpr void operator()(Index i) const {
    const Index j = i / width, c = i % width;
    Real sum = to[Index{at[j]} * width + c];
    for (std::int32_t k = begin[j]; k < begin[j + 1]; ++k) sum += from[Index{place[k]} * width + c];
    to[Index{at[j]} * width + c] = sum;
  }
};

// index = number of a block
struct HalveTransposed {
  const Index* at;
  int C;
  const double* from;
  double* to;
  constexpr void operator()(Index i) const {
    const Index block = Index{C} * C, j = i / block, d = i % block / C, c = i % C;
    to[i] = 0.5 * from[at[j] * block + c * C + d];
  }
};

struct SumBlocks {
  const Index *begin, *source;
  int block;
  Index own_count;
  const double *own, *received;
  double* to;
  constexpr void operator()(Index i) const {
    const Index j = i / block, k = i % block;
    double sum = number(source[begin[j]], k);
    for (Index s = begin[j] + 1; s < begin[j + 1]; ++s) sum += number(source[s], k);
    to[i] = sum;
  }
  constexpr double number(Index s, Index k) const {
    return s < own_count ? own[s * block + k] : received[(s - own_count) * block + k];
  }
};

struct Shift {
  std::int32_t first, *column;
  constexpr void operator()(Index e) const { column[e] -= first; }
};

template <class Real>
void take(const Device& device, Index n, const std::int32_t* at, int width, const Real* from, Real* to) {
  for_each(device, "pack", n * width, Take<Real>{at, width, from, to});
}

template <class Real>
void add(const Device& device, Index n, const std::int32_t* at, const std::int32_t* begin, const std::int32_t* place,
         int width, const Real* from, Real* to) {
  for_each(device, "add to owners", n * width, Add<Real>{at, begin, place, width, from, to});
}

void halve_transposed(const Device& device, Index n, const Index* at, int C, const double* from, double* to) {
  for_each(device, "rows of ghosts", n * C * C, HalveTransposed{at, C, from, to});
}

void sum_blocks(const Device& device, Index n, const Index* begin, const Index* source, int block, Index own_count,
                const double* own, const double* received, double* to) {
  for_each(device, "sum of rows", n * block, SumBlocks{begin, source, block, own_count, own, received, to});
}

void shift(const Device& device, Index n, std::int32_t first, std::int32_t* column) {
  for_each(device, "shift of columns", n, Shift{first, column});
}

const GhostKernels table{take<double>, take<float>, add<double>, add<float>, halve_transposed, sum_blocks, shift};
const Registration registration("ghosts", &table);

}  // namespace
}  // namespace ritz::RITZ_BACKEND::ghost_kernels
