// The kernels of vectors (module ritz_solvers_kernels). Sums are taken in a fixed order and stay on the device; loops
// that need them on the host read several at once through Communicator::sum. Host code uses vectors.hpp.
#pragma once

#include "device/device.hpp"

namespace ritz {

struct VectorKernels {
  void (*fill)(const Device&, Index n, double value, double* x);
  void (*axpby)(const Device&, Index n, double a, const double* x, double b, double* y);  // y = a x + b y
  void (*multiply)(const Device&, Index n, const double* x, const double* y, double* z);  // z_i = x_i y_i
  void (*invert)(const Device&, Index n, double* x);                                      // x_i = 1 / x_i
  void (*start_vector)(const Device&, Index n, double* x);                                // see vectors.hpp
  void (*dot)(const Device&, Index n, const double* x, const double* y, double* result);
  void (*max_abs)(const Device&, Index n, const double* x, double* result);  // ignores NaN
  void (*count_not_finite)(const Device&, Index n, const double* x, double* result);
  void (*count_not_positive)(const Device&, Index n, const double* x, double* result);  // NaN counts
};

}  // namespace ritz
