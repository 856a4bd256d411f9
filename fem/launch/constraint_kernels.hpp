// Kernels over the mask of prescribed unknowns.
#pragma once

#include "device/device.hpp"

#include <cstdint>

namespace ritz {

struct ConstraintKernels {
  // u_i = part * value for the i < rows in a list, each with its value
  void (*set_values)(const Device&, Index count, const std::int32_t* list, Index rows, double part,
                     const double* values, double* u);
  // x_i = 0 where (mask_i != 0) == where
  void (*set_zero)(const Device&, Index count, const std::uint8_t* mask, int where, double* x);
  // y_i = pivot x_i for the i < rows in a list
  void (*apply_pivot)(const Device&, Index count, const std::int32_t* list, Index rows, double pivot, const double* x,
                      double* y);
  // y_i = pivot x_i where mask_i != 0, and *xy = x.y
  void (*apply_pivot_dot)(const Device&, Index rows, const std::uint8_t* mask, double pivot, const double* x, double* y,
                          double* xy);
};

}  // namespace ritz
