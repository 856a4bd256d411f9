// Kernels over unknowns that follow others: u = T v + g (fem/space/dependent_unknowns.hpp).
#pragma once

#include "device/device.hpp"

#include <cstdint>

namespace ritz {

// Rows of a sparse matrix for a list of unknowns.
struct UnknownRows {
  const std::int32_t* unknown;  // [row]
  const Index* begin;           // [row + 1]
  const std::int32_t* other;    // of each entry
  const double* factor;
};

// T by nodes, and a block matrix that it transforms.
struct NodeBlocks {
  int components;
  Index leaders;                 // nodes that others follow
  const std::int32_t* leader;    // [leader] node, ascending
  const Index* first;            // [leader + 1] entries of the matrix in the rows of the leaders before it
  const std::int32_t* position;  // [node] of a dependent node among these, or -1
  const Index* begin;            // [dependent node + 1] into the next two
  const std::int32_t* followed;  // nodes
  const double* block;           // [entry][component of the dependent node][component of the followed one]
  const Index* offsets;          // of the matrix
  const std::int32_t* columns;
  double* values;
};

template <class Real>
struct DependentKernels {
  // x_row = sum factor x_other + part offset; offset may be null
  void (*set)(const Device&, Index count, const UnknownRows& rows, const double* offset, double part, Real* x);
  // x_row += sum factor y_other; y may be x
  void (*add)(const Device&, Index count, const UnknownRows& rows, const Real* y, Real* x);
  void (*clear)(const Device&, Index count, const std::int32_t* unknown, Real* x);
};

struct DependentMatrixKernels {
  // x_row += sum factor^2 y_other; y may be x
  void (*add_squares)(const Device&, Index count, const UnknownRows& rows, const double* y, double* x);
  // K = K T in the columns of leaders, then K = T^T K in their rows
  void (*columns)(const Device&, Index entries, const NodeBlocks& blocks);
  void (*rows)(const Device&, Index entries, const NodeBlocks& blocks);
};

}  // namespace ritz
