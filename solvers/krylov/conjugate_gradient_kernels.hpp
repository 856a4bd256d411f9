// The merged vector updates of conjugate gradients (module ritz_solvers_kernels). The numbers alpha and beta are
// computed and used on the device; the host never sees them.
#pragma once

#include "device/device.hpp"

namespace ritz {

// Two numbers on the device whose quotient kernels use: 0 unless the denominator is positive. Of lanes, eight each.
struct Quotient {
  const double *numerator, *denominator;
};

// The vector r holds d times the residual between start and the last update where the preconditioner is a diagonal d:
// so d is read once in an iteration. Without one (nullptr) it holds the residual.
struct ConjugateGradientKernels {
  // r = b - q, sums = {r.r, b.b}
  void (*residual)(const Device&, Index n, const double* b, const double* q, double* r, double* sums);
  // From the residual: sums = {z.r, r.r} with z = d r, which takes the place of r. single: becomes r for a
  // preconditioner that takes it in single precision; nullptr: none.
  void (*start)(const Device&, Index n, const double* d, double* r, float* single, double* sums);
  // r -= alpha q, and sums and single as in start. 32 bytes per unknown with a diagonal, 24 without.
  void (*update)(const Device&, Index n, Quotient alpha, const double* q, const double* d, double* r, float* single,
                 double* sums);
  // dots = {-z.q, r.z}
  void (*flexible_dots)(const Device&, Index n, const double* r, const double* z, const double* q, double* dots);
  // x += alpha p, then p = z + beta p. 40 bytes per unknown.
  void (*direction)(const Device&, Index n, Quotient alpha, Quotient beta, const double* z, double* p, double* x);
  // x += alpha p, after the last iteration
  void (*step)(const Device&, Index n, Quotient alpha, const double* p, double* x);
};

// The same for 8 lanes ([n][8]): every number is eight, sums are {[8], [8]}, and alpha and beta are 0 for lanes whose
// bit is not set: their x is not changed.
struct LaneConjugateGradientKernels {
  void (*residual)(const Device&, Index n, const double* b, const double* q, double* r, double* sums);
  void (*start)(const Device&, Index n, const double* d, double* r, double* sums);
  void (*update)(const Device&, Index n, unsigned lanes, Quotient alpha, const double* q, const double* d, double* r,
                 double* sums);
  void (*direction)(const Device&, Index n, unsigned lanes_of_x, Quotient alpha, unsigned lanes_of_p, Quotient beta,
                    const double* z, double* p, double* x);
  void (*step)(const Device&, Index n, unsigned lanes, Quotient alpha, const double* p, double* x);
};

}  // namespace ritz
