// The form in which a cycle multiplies (slices on a CPU) against the block CSR it was made from.
#include "device/kernels.hpp"
#include "solvers/algebra/matrix_kernels.hpp"
#include "solvers/multigrid/cycle_kernels.hpp"
#include "tests/device/back_ends.hpp"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <numeric>
#include <random>

namespace ritz {
namespace {

struct Rows {
  std::vector<Index> offsets = {0};
  std::vector<std::int32_t> columns;
  std::vector<double> values;
};

// Rows of very different lengths, in shuffled order: empty, short, and longer than any window.
Rows random_rows(Index rows, Index columns) {
  std::mt19937 random(7);
  Rows result;
  std::vector<std::int32_t> all(static_cast<std::size_t>(columns));
  std::iota(all.begin(), all.end(), 0);
  for (Index i = 0; i < rows; ++i) {
    const Index length = i % 97 == 3   ? std::min<Index>(columns, 400)
                         : i % 11 == 0 ? 0
                                       : static_cast<Index>(random() % 30);
    std::ranges::shuffle(all, random);
    for (Index k = 0; k < length; ++k) {
      result.columns.push_back(all[static_cast<std::size_t>(k)]);
      result.values.push_back(std::uniform_real_distribution<double>(-1, 1)(random));
    }
    result.offsets.push_back(static_cast<Index>(result.columns.size()));
  }
  return result;
}

class CycleMatrixTest : public ::testing::TestWithParam<std::tuple<std::string, Index>> {
 protected:
  Device device_ = Device::named(std::get<0>(GetParam()), 2);
  Index rows_ = std::get<1>(GetParam()), columns_ = 600;
  Rows host_ = random_rows(rows_, columns_);
  Array<Index> offsets_{device_, std::span<const Index>(host_.offsets), "test"};
  Array<std::int32_t> column_{device_, std::span<const std::int32_t>(host_.columns), "test"};
  Vector values_{device_, std::span<const double>(host_.values), "test"};
  const CycleKernels<double>& kernels_ = kernels<CycleKernels<double>>(device_, solver_kernels, "cycle double");

  CycleMatrix<double> packed() const {
    CycleMatrix<double> result;
    kernels_.pack(device_, {rows_, columns_, 1, 1, offsets_.data(), column_.data(), values_.data()}, column_.size(),
                  result);
    return result;
  }
  std::vector<double> x() const {
    std::vector<double> x(static_cast<std::size_t>(columns_));
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = std::sin(double(i));
    return x;
  }
};

TEST_P(CycleMatrixTest, ProductIsThatOfItsRows) {
  const CycleMatrix<double> A = packed();
  const std::vector<double> x = this->x();
  const Vector on_device(device_, std::span<const double>(x), "test");
  Vector y(device_, rows_, "test");
  kernels_.multiply(device_, A.view, on_device.data(), y.data());
  const std::vector<double> product = y.host();
  for (std::size_t i = 0; i < product.size(); ++i) {
    double sum = 0;
    for (auto k = static_cast<std::size_t>(host_.offsets[i]); k < static_cast<std::size_t>(host_.offsets[i + 1]); ++k)
      sum += host_.values[k] * x[static_cast<std::size_t>(host_.columns[k])];
    EXPECT_NEAR(product[i], sum, 1e-13) << "row " << i;
  }
}

TEST_P(CycleMatrixTest, UnpackingGivesTheColumnsBack) {
  const CycleMatrix<double> A = packed();
  if (A.view.slices == nullptr) GTEST_SKIP() << "this device multiplies with CSR as it is";
  Array<std::int32_t> column(device_, column_.size(), "test");
  kernels_.unpack(device_, A.view, A.nonzeros, column.data(), nullptr);
  EXPECT_EQ(column.host(), host_.columns);
}

// Windows hold 256 rows, slices 16: sizes around both.
INSTANTIATE_TEST_SUITE_P(Devices, CycleMatrixTest,
                         ::testing::Combine(::testing::ValuesIn(test::back_ends({"cpu", "cpu:v3", "fake"})),
                                            ::testing::Values<Index>(1, 16, 255, 256, 257, 1000)),
                         [](const auto& info) {
                           std::string name =
                               std::string(std::get<0>(info.param)) + "_" + std::to_string(std::get<1>(info.param));
                           std::ranges::replace(name, ':', '_');
                           return name;
                         });

}  // namespace
}  // namespace ritz
