// The merged vector updates of a Chebyshev step and of the estimate of its eigenvalue (module ritz_solvers_kernels).
// Table "chebyshev": of vectors; table "chebyshev lanes": of [n][8 lanes], with one diagonal for all.
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

// Table "lanczos": steps of conjugate gradients with a diagonal, without the solution. Quotients are computed on the
// device from two numbers there: 0 unless the denominator is positive.
struct LanczosKernels {
  // r -= rz / pq q, z = D r, next_rz = r.z. 40 bytes per unknown.
  void (*update)(const Device&, Index n, const double* rz, const double* pq, const double* q,
                 const double* inverse_diagonal, double* r, double* z, double* next_rz);
  // p = z + next_rz / rz p. 24 bytes per unknown.
  void (*direction)(const Device&, Index n, const double* next_rz, const double* rz, const double* z, double* p);
};

}  // namespace ritz
