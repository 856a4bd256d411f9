#include "solvers/multigrid/coarsest_inverse.hpp"

#include "solvers/algebra/box_around.hpp"
#include "tests/solvers/matrices.hpp"

#include <gtest/gtest.h>

namespace ritz {
namespace {

// A path of springs with a weak one in the middle, and at its end an unknown that nothing holds.
struct Chain {
  explicit Chain(const Device& device, std::int32_t n, double ground = 1) {
    std::vector<Index> offsets{0};
    std::vector<std::int32_t> columns;
    std::vector<double> values;
    const auto add = [&](std::int32_t column, double value) {
      columns.push_back(column);
      values.push_back(value);
    };
    const auto spring = [&](std::int32_t i) {
      return i == n / 2 ? 1e-3 : i == 0 ? ground : 1.0;
    };  // between i - 1 and i
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
  for (const auto& [name, n] : {std::pair{"cpu", 1},
                                {"cpu", 2},
                                {"cpu", 7},
                                {"cpu", 150},
                                {"fake", 1},
                                {"fake", 7},
                                {"fake", 8},
                                {"fake", 15},
                                {"fake", 150}}) {
    const Device device = Device::named(name);
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

// A free chain: its matrix A is singular, and G solves consistent systems: A G A = A, with the size of flexibilities.
TEST(CoarsestInverse, OfAFreeChainSolvesConsistentSystems) {
  for (const char* name : {"cpu", "fake"})
    for (const int n : {2, 7, 32, 150}) {
      const Device device = Device::named(name);
      const Chain chain(device, n, 0.0);
      const std::vector<double> G = coarsest_inverse(device, chain.matrix.view(), chain.matrix.nonzeros()).host();
      const auto size = static_cast<std::size_t>(n) + 1;
      const auto A = [&](std::size_t i, std::size_t j) {  // springs of 1 but for the middle one, none to the ground
        const auto spring = [&](std::size_t k) {
          return k == 0 || k + 1 >= size ? 0.0 : static_cast<int>(k) == n / 2 ? 1e-3 : 1.0;
        };
        if (i + 1 == size || j + 1 == size) return 0.0;
        return i == j ? spring(i) + spring(i + 1) : i == j + 1 ? -spring(i) : j == i + 1 ? -spring(j) : 0.0;
      };
      const auto near = [&](std::size_t i) {  // columns of row i
        return std::pair(i > 0 ? i - 1 : 0, std::min(i + 2, size));
      };
      for (std::size_t i = 0; i + 1 < size; ++i)
        for (std::size_t j = 0; j + 1 < size; ++j) {
          EXPECT_LT(std::abs(G[i * size + j]), 1e3 + n) << name << " " << i << " " << j;
          double sum = 0;
          for (std::size_t k = near(i).first; k < near(i).second; ++k)
            for (std::size_t l = near(j).first; l < near(j).second; ++l) sum += A(i, k) * G[k * size + l] * A(l, j);
          EXPECT_NEAR(sum, A(i, j), 1e-9) << name << " " << i << " " << j << " of " << size;
        }
    }
}

// On a device of its own: no transfer, and the result is symmetric to the bit.
TEST(CoarsestInverse, IsMadeOnTheDevice) {
  const Device device = Device::named("fake", 1);
  const testing::Blocks blocks = testing::grid_matrix(5, 3);
  BlockMatrix A;
  A.rows = A.columns = 125;
  A.row_block = A.column_block = 3;
  A.offsets = Array<Index>(device, std::span<const Index>(blocks.offsets), "test");
  A.column = Array<std::int32_t>(device, std::span<const std::int32_t>(blocks.columns), "test");
  A.values = Vector(device, std::span<const double>(blocks.values), "test");
  const Traffic before = device.machine().traffic();
  const Vector inverse = coarsest_inverse(device, A.view(), A.nonzeros());
  EXPECT_EQ(device.machine().traffic().to_host, before.to_host);
  EXPECT_EQ(device.machine().traffic().to_device, before.to_device);
  EXPECT_EQ(device.machine().traffic().scalar_reads, before.scalar_reads);
  const std::vector<double> values = inverse.host();
  const testing::Dense dense = testing::dense(testing::on(Device::named("cpu"), blocks));
  constexpr std::size_t n = 375;
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j) {
      long double sum = 0;
      for (std::size_t k = 0; k < n; ++k) sum += values[i * n + k] * dense[k][j];
      ASSERT_NEAR(double(sum), i == j ? 1.0 : 0.0, 1e-12) << i << " " << j;
      ASSERT_EQ(values[i * n + j], values[j * n + i]);
    }
}

// Seven points, of which the box and one at each end of its diagonal are known; the host reads six numbers.
TEST(BoxAround, IsThatOfThePointsAndReadsSixNumbers) {
  for (const char* name : {"cpu", "fake"})
    for (const std::size_t count : {1u, 7u, 64u, 65u, 5000u}) {
      const Device device = Device::named(name);
      std::vector<double> x = testing::random_numbers(3 * count, 4);
      for (std::size_t d = 0; d < 3; ++d) x[3 * (count - 1) + d] = 2.0 + double(d);
      for (std::size_t d = 0; d < 3; ++d) x[d] = count > 1 ? -3.0 - double(d) : 2.0 + double(d);
      const Vector places(device, x, "test");
      const Index before = device.machine().traffic().to_host;
      const BoxAround box = box_around(places, 3);
      EXPECT_EQ(device.machine().traffic().to_host, before);
      for (std::size_t d = 0; d < 3; ++d) {
        EXPECT_EQ(box.extent[d], count > 1 ? 5.0 + 2.0 * double(d) : 0.0) << name << " " << count;
        EXPECT_EQ(box.centre[d], count > 1 ? -0.5 : 2.0 + double(d));
      }
    }
}

}  // namespace
}  // namespace ritz
