// The merged vector updates of MINRES, GMRES and BiCGSTAB (module ritz_solvers_kernels). Numbers passed by pointer are
// on the device.
#pragma once

#include "device/device.hpp"

namespace ritz {

struct KrylovKernels {
  // MINRES, with v = s y the Lanczos vector and yq = y.A y:
  // r1 = s q - c r1 - (s^3 *yq) r2
  void (*lanczos)(const Device&, Index n, double s, double c, const double* yq, const double* q, const double* r2,
                  double* r1);
  // sums = {r2.y, r2.r2, r.r2, r.r}
  void (*lanczos_dots)(const Device&, Index n, const double* r2, const double* y, const double* r, double* sums);
  // w1 = (s y - e w1 - d w2) g, x += phi w1, r = a r - c r2
  struct Minres {
    double s, e, d, g, phi, a, c;
  };
  void (*minres_update)(const Device&, Index n, const Minres& numbers, const double* y, const double* w2,
                        const double* r2, double* w1, double* x, double* r);

  // GMRES; a basis is [group][row][8 lanes]:
  // h[8 groups] = V^T w
  void (*basis_dots)(const Device&, Index n, int groups, const double* V, const double* w, double* h);
  // w += sign V h; *square = w.w
  void (*basis_add)(const Device&, Index n, int groups, double sign, const double* V, const double* h, double* w,
                    double* square);
  // v = w / sqrt(*square), 0 where that is 0; also column `lane` of a group of the basis
  void (*basis_column)(const Device&, Index n, const double* square, const double* w, int lane, double* V, double* v);

  // BiCGSTAB, with quotients (0 where the denominator is 0) of numbers on the device:
  // p = r + beta (p - omega v), omega = tr[0] / tr[1], beta = (*rho_next / *rho) ((*rho / *sv) / omega)
  void (*bicg_direction)(const Device&, Index n, const double* rho, const double* rho_next, const double* sv,
                         const double* tr, const double* r, const double* v, double* p);
  // r -= alpha v, alpha = *rho / *sv
  void (*bicg_half)(const Device&, Index n, const double* rho, const double* sv, const double* v, double* r);
  // sums = {t.r, t.t}
  void (*bicg_dots)(const Device&, Index n, const double* t, const double* r, double* sums);
  // x += alpha p + omega s, r -= omega t with omega = tr[0] / tr[1]; sums = {shadow.r, r.r}
  void (*bicg_update)(const Device&, Index n, const double* rho, const double* sv, const double* tr, const double* p,
                      const double* s, const double* t, const double* shadow, double* x, double* r, double* sums);
};

}  // namespace ritz
