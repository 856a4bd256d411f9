#include "tests/device/test_kernels.hpp"

#include "device/kernels.hpp"
#include "device/launch.hpp"

namespace ritz::RITZ_BACKEND {
namespace {

struct CountVisits {
  double* visits;
  constexpr void operator()(Index i) const { visits[i] += static_cast<double>(i + 1); }
};

struct TwoSums {
  const double *x, *y;
  constexpr Sums<2> operator()(Index i) const { return {{x[i], x[i] * y[i]}}; }
};

void count_visits(const Device& device, Index count, double* visits) {
  for_each(device, "count visits", count, CountVisits{visits});
}

void sums(const Device& device, Index count, const double* x, const double* y, double* result) {
  reduce<2>(device, "two sums", count, TwoSums{x, y}, result);
}

const TestKernels table{count_visits, sums};
const Registration registration("test", &table);

}  // namespace
}  // namespace ritz::RITZ_BACKEND
