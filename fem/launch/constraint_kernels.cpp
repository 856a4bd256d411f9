#include "fem/launch/constraint_kernels.hpp"

#include "device/kernels.hpp"
#include "device/launch.hpp"

namespace ritz::RITZ_BACKEND::constraint_kernels {
namespace {

struct SetValues {
  const std::int32_t* list;
  Index rows;
  double part;
  const double* values;
  double* u;
  constexpr void operator()(Index i) const {
    if (list[i] < rows) u[list[i]] = part * values[i];
  }
};

struct SetZero {
  const std::uint8_t* mask;
  bool where;
  double* x;
  constexpr void operator()(Index i) const { x[i] = (mask[i] != 0) == where ? 0.0 : x[i]; }
};

struct ApplyPivot {
  const std::int32_t* list;
  Index rows;
  double pivot;
  const double* x;
  double* y;
  constexpr void operator()(Index i) const {
    if (list[i] < rows) y[list[i]] = pivot * x[list[i]];
  }
};

struct ApplyPivotDot {
  const std::uint8_t* mask;
  double pivot;
  const double* x;
  double* y;
  constexpr Sums<1> operator()(Index i) const {
    const double xi = x[i], yi = mask[i] != 0 ? pivot * xi : y[i];
    if (mask[i] != 0) y[i] = yi;  // few: no vector is written again
    return {{xi * yi}};
  }
};

void set_values(const Device& device, Index count, const std::int32_t* list, Index rows, double part,
                const double* values, double* u) {
  for_each(device, "prescribed values", count, SetValues{list, rows, part, values, u});
}

void set_zero(const Device& device, Index count, const std::uint8_t* mask, int where, double* x) {
  for_each(device, "prescribed zeros", count, SetZero{mask, where != 0, x});
}

void apply_pivot(const Device& device, Index count, const std::int32_t* list, Index rows, double pivot, const double* x,
                 double* y) {
  for_each(device, "prescribed rows", count, ApplyPivot{list, rows, pivot, x, y});
}

void apply_pivot_dot(const Device& device, Index rows, const std::uint8_t* mask, double pivot, const double* x,
                     double* y, double* xy) {
  reduce<1>(device, "prescribed rows, dot", rows, ApplyPivotDot{mask, pivot, x, y}, xy);
}

const ConstraintKernels table{set_values, set_zero, apply_pivot, apply_pivot_dot};
const Registration registration("constraints", &table);

}  // namespace
}  // namespace ritz::RITZ_BACKEND::constraint_kernels
