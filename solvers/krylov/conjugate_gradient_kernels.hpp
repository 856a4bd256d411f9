// The merged vector updates of conjugate gradients (module ritz_solvers_kernels). The numbers alpha and beta are
// computed and used on the device; the host never sees them.
#pragma once

#include "device/device.hpp"

namespace ritz {

struct ConjugateGradientKernels {
  // r = b - q, sums = {r.r, b.b}
  void (*residual)(const Device&, Index n, const double* b, const double* q, double* r, double* sums);
  // x += alpha p, r -= alpha q with alpha = *rz / *pq (0 unless *pq > 0), sums = {r.(d r), r.r} in the same pass.
  // d: the diagonal of the preconditioner; nullptr: ones. 56 bytes per unknown. single: becomes r for a preconditioner
  // that takes it in single precision; nullptr: none.
  void (*update)(const Device&, Index n, const double* rz, const double* pq, const double* p, const double* q,
                 const double* d, double* x, double* r, float* single, double* sums);
  // sums = {r.(d r), r.r}; single as in update
  void (*start)(const Device&, Index n, const double* d, const double* r, float* single, double* sums);
  // dots = {-z.q, r.z}
  void (*flexible_dots)(const Device&, Index n, const double* r, const double* z, const double* q, double* dots);
  // p = d z + beta p with beta = *rz / *rz_before (0 unless *rz_before > 0). 32 bytes per unknown.
  void (*direction)(const Device&, Index n, const double* rz, const double* rz_before, const double* d, const double* z,
                    double* p);
};

// The same for 8 lanes ([n][8]): every number is eight, sums are {[8], [8]}, and lanes whose bit is not set are not
// changed.
struct LaneConjugateGradientKernels {
  void (*residual)(const Device&, Index n, const double* b, const double* q, double* r, double* sums);
  void (*update)(const Device&, Index n, unsigned lanes, const double* rz, const double* pq, const double* p,
                 const double* q, const double* d, double* x, double* r, double* sums);
  void (*start)(const Device&, Index n, const double* d, const double* r, double* sums);
  void (*direction)(const Device&, Index n, unsigned lanes, const double* rz, const double* rz_before, const double* d,
                    const double* z, double* p);
};

}  // namespace ritz
