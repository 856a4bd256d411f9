// Both ways of filling registers, of which a processor takes the faster, give the same bits. Compiled as kernels are.
#include "solvers/algebra/sliced_rows_cpu.hpp"

#include <array>
#include <cmath>
#include <gtest/gtest.h>
#include <random>
#include <vector>

namespace ritz::RITZ_BACKEND {
namespace {

template <class Stored>
struct Window {
  std::array<Index, window_slices + 1> slices{};
  std::array<std::uint8_t, window_rows> place{};
  alignas(64) std::array<std::int32_t, window_rows * 40> column{};
  alignas(64) std::array<Stored, window_rows * 40> values{};

  explicit Window(Index columns) {
    std::mt19937 random(3);
    for (std::size_t s = 0; s < window_slices; ++s) slices[s + 1] = slices[s] + static_cast<Index>(random() % 40);
    for (std::size_t q = 0; q < place.size(); ++q) place[q] = static_cast<std::uint8_t>(255 - q);
    for (std::int32_t& c : column) c = static_cast<std::int32_t>(random() % static_cast<std::uint32_t>(columns));
    for (Stored& v : values) v = static_cast<Stored>(std::uniform_real_distribution<double>(-1, 1)(random));
  }
  BlockMatrixView<Stored> view(Index columns) const {
    return {window_rows, columns, 1, 1, nullptr, column.data(), values.data(), slices.data(), place.data()};
  }
};

template <class Real, class Stored>
void expect_same_bits() {
  constexpr Index columns = 3000;
  const Window<Stored> window(columns);
  std::vector<Real> x(columns), single(window_rows, -1), gathered(window_rows, -2);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<Real>(std::sin(double(i)));
  multiply_window_by<FourOf<Real>>(window.view(columns), x.data(), 0, single.data());
  multiply_window_by<Gathered<Real>>(window.view(columns), x.data(), 0, gathered.data());
  EXPECT_EQ(single, gathered);
}

TEST(SlicedRows, HaveTheSameBitsByGathersAndBySingleLoads) {
  expect_same_bits<float, float>();
  expect_same_bits<double, double>();
  expect_same_bits<float, BFloat16>();
}

}  // namespace
}  // namespace ritz::RITZ_BACKEND
