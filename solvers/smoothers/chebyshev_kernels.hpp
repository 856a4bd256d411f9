// The merged vector update of a Chebyshev step (module ritz_solvers_kernels). Table "chebyshev": of vectors; table
// "chebyshev lanes": of [n][8 lanes], with one diagonal for all.
#pragma once

#include "device/device.hpp"

namespace ritz {

struct ChebyshevKernels {
  // d = a D r, z = d
  void (*start)(const Device&, Index n, double a, const double* inverse_diagonal, const double* r, double* d,
                double* z);
  // w = r - q, d = a D w + b d, z += d. w and r may be one vector. 64 bytes per unknown.
  void (*step)(const Device&, Index n, double a, double b, const double* inverse_diagonal, const double* r,
               const double* q, double* w, double* d, double* z);
};

}  // namespace ritz
