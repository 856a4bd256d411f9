#include "solvers/multigrid/coarsest_inverse.hpp"

#include <gtest/gtest.h>

namespace ritz {
namespace {

// A path of springs with a weak one in the middle, and at its end an unknown that nothing holds.
struct Chain {
  explicit Chain(const Device& device, std::int32_t n) {
    std::vector<Index> offsets{0};
    std::vector<std::int32_t> columns;
    std::vector<double> values;
    const auto add = [&](std::int32_t column, double value) {
      columns.push_back(column);
      values.push_back(value);
    };
    const auto spring = [&](std::int32_t i) { return i == n / 2 ? 1e-3 : 1.0; };  // between i - 1 and i
    for (std::int32_t i = 0; i < n; ++i) {
      if (i > 0) add(i - 1, -spring(i));
      add(i, spring(i) + (i + 1 < n ? spring(i + 1) : 0));
      if (i + 1 < n) add(i + 1, -spring(i + 1));
      offsets.push_back(static_cast<Index>(columns.size()));
    }
    add(n, 0);
    offsets.push_back(static_cast<Index>(columns.size()));
    matrix.rows = matrix.columns = n + 1;
    matrix.offsets = Array<Index>(device, std::span<const Index>(offsets), "test");
    matrix.column = Array<std::int32_t>(device, std::span<const std::int32_t>(columns), "test");
    matrix.values = Vector(device, std::span<const double>(values), "test");
  }
  BlockMatrix matrix;
};

// Held at the left end, so that the inverse is the flexibility: inverse_ij = sum over k <= min(i, j) of 1 / spring_k.
TEST(CoarsestInverse, IsTheFlexibilityOfAChain) {
  const Device device = Device::named("cpu");
  for (const std::int32_t n : {1, 2, 7, 150}) {
    const Chain chain(device, n);
    const auto size = static_cast<std::size_t>(n) + 1;
    const std::vector<double> inverse = coarsest_inverse(device, chain.matrix.view(), chain.matrix.nonzeros()).host();
    for (std::size_t i = 0; i < size; ++i)
      for (std::size_t j = 0; j < size; ++j) {
        double flexibility = 0;
        for (std::size_t k = 0; k <= std::min(i, j); ++k)
          flexibility += static_cast<std::int32_t>(k) == n / 2 ? 1e3 : 1;
        const bool held = i + 1 < size && j + 1 < size;
        EXPECT_NEAR(inverse[i * size + j],
                    held     ? flexibility
                    : i == j ? 1
                             : 0,
                    1e-9 * flexibility)
            << i << " " << j << " of " << size;
      }
  }
}

}  // namespace
}  // namespace ritz
