// Kernels for values and rows on their way between ranks (module ritz_solvers_kernels, table "ghosts"). Host code uses
// Ghosts and DividedMatrix.
#pragma once

#include "solvers/algebra/block_matrix.hpp"

#include <cstdint>

namespace ritz {

struct GhostKernels {
  // to[j] = from[at[j]], `width` numbers each
  void (*take)(const Device&, Index n, const std::int32_t* at, int width, const double* from, double* to);
  void (*take_single)(const Device&, Index n, const std::int32_t* at, int width, const float* from, float* to);
  // to[at[j]] += from[place[k]] for k in [begin[j], begin[j + 1]), one after the other; `width` numbers each. Each
  // at[j] is there once.
  void (*add)(const Device&, Index n, const std::int32_t* at, const std::int32_t* begin, const std::int32_t* place,
              int width, const double* from, double* to);
  void (*add_single)(const Device&, Index n, const std::int32_t* at, const std::int32_t* begin,
                     const std::int32_t* place, int width, const float* from, float* to);
  // to[j] = half the transpose of the C x C block from[at[j]]
  void (*halve_transposed)(const Device&, Index n, const Index* at, int C, const double* from, double* to);
  // to[j] = sum of the blocks source[k] for k in [begin[j], begin[j + 1]), one after the other; blocks 0, 1, ... of
  // `own`, after them those of `received`
  void (*sum_blocks)(const Device&, Index n, const Index* begin, const Index* source, int block, Index own_count,
                     const double* own, const double* received, double* to);
  // column[e] -= first
  void (*shift)(const Device&, Index n, std::int32_t first, std::int32_t* column);
};

}  // namespace ritz
