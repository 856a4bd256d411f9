// Fields from one space to another on the same mesh, element by element, and the vector work of a p-multigrid cycle
// (module ritz_fem_kernels).
#pragma once

#include "fem/launch/element_arguments.hpp"

namespace ritz {

// The struct that arguments.form points to for these kernels.
struct InterpolationFacts {
  int components;
};

struct InterpolationKernels {
  // The element's values at `point_count` nodes of one space from those at `node_count` nodes of the other:
  // out_i = sum_j table.values[i][j] in_j for each component; in: direction, by arguments.nodes.
  ElementKernel run, run_single;
};

// Chebyshev smoothing where the operator is applied by others, q = A x; prescribed unknowns have inverse_diagonal 0.
template <class Real>
struct PCycleKernels {
  // x = c D^-1 b, and d the same unless it is nullptr
  void (*start)(const Device&, Index n, Real c, const Real* inverse_diagonal, const Real* b, Real* d, Real* x);
  // d = c1 before + c2 D^-1 (b - q), x += d. Where `before` is nullptr it counts as zero; where d is, it is not
  // written.
  void (*step)(const Device&, Index n, Real c1, Real c2, const Real* inverse_diagonal, const Real* b, const Real* q,
               const Real* before, Real* d, Real* x);
  // r = w (b - q)
  void (*weighted_residual)(const Device&, Index n, const Real* weight, const Real* b, const Real* q, Real* r);
  // x += w s
  void (*add_weighted)(const Device&, Index n, const Real* weight, const Real* s, Real* x);
  void (*from_double)(const Device&, Index n, const double* x, Real* y);
  void (*to_double)(const Device&, Index n, const Real* x, double* y);
  // y = x, and pivot b where mask_i != 0; dots = {b.y}, or {-q.y, b.y} with a q
  void (*to_double_dots)(const Device&, Index n, const Real* x, const std::uint8_t* mask, double pivot, const double* b,
                         const double* q, double* y, double* dots);
};

}  // namespace ritz
