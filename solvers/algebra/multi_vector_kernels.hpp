// The kernels of multi-vectors (module ritz_solvers_kernels). A group is [row][8 lanes]; all sums in a fixed order.
#pragma once

#include "device/device.hpp"

namespace ritz {

// Coefficients that travel as a kernel argument: those of up to `most` groups of X for one group of Y.
struct LaneMatrices {
  static constexpr int most = 4;
  alignas(64) double value[8 * most][8] = {};  // [column of X][column of Y]
  int count = 0;
};

// Vectors of their own for the lanes of a group: columns of it, or what becomes them.
struct LaneColumns {
  double* column[8] = {};
  int count = 0;
};

// Sums of groups that are apart from each other: y_t = sum over s of x_s C_ts. A y may be among the x.
struct GroupSums {
  const double* const* x;
  double* const* y;
  int sources, targets;
  const double* C;  // [target][source][8][8]
};

struct MultiVectorKernels {
  void (*set_lane)(const Device&, Index rows, int lane, const double* x, double* group);
  void (*get_lane)(const Device&, Index rows, int lane, const double* group, double* x);
  // All lanes of a group to vectors, and back; lanes beyond the last column stay as they are.
  void (*unpack)(const Device&, Index rows, const double* group, const LaneColumns& x);
  void (*pack)(const Device&, Index rows, const LaneColumns& x, double* group);
  // y[row][lane] = d[row] x[row][lane]
  void (*multiply_rows)(const Device&, Index rows, const double* d, const double* x, double* y);
  // result[i][j] = sum over rows of x[row][i] y[row][j]. 128 bytes per row.
  void (*gram)(const Device&, Index rows, const double* x, const double* y, double* result);
  // The same of several groups x with one y: result[group][i][j].
  void (*grams)(const Device&, Index rows, const double* const* x, int count, const double* y, double* result);
  // y = x C + beta y for C.count consecutive groups x
  void (*combine)(const Device&, Index rows, const double* x, const LaneMatrices& C, double beta, double* y);
  void (*sums)(const Device&, Index rows, const GroupSums& sums);  // null on devices apart from the host
  void (*dots)(const Device&, Index rows, const double* x, const double* y, double* result);  // [8], lane by lane
};

}  // namespace ritz
