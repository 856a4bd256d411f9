#include "solvers/conjugate_gradient_kernels.hpp"

#include "device/kernels.hpp"
#include "device/launch.hpp"
#include "solvers/device_ratio.hpp"

namespace ritz::RITZ_BACKEND {
namespace {

struct Residual {
  const double *b, *q;
  double* r;
  constexpr Sums<2> operator()(Index i) const {
    const double ri = b[i] - q[i];
    r[i] = ri;
    return {{ri * ri, b[i] * b[i]}};
  }
};

template <bool Scaled>
struct Update {
  DeviceRatio alpha;
  const double *p, *q, *d;
  double *x, *r;
  constexpr Sums<2> operator()(Index i) const {
    const double a = alpha.value();
    x[i] += a * p[i];
    const double ri = r[i] - a * q[i];
    r[i] = ri;
    return {{Scaled ? ri * (d[i] * ri) : ri * ri, ri * ri}};
  }
};

template <bool Scaled>
struct Start {
  const double *d, *r;
  constexpr Sums<2> operator()(Index i) const { return {{Scaled ? r[i] * (d[i] * r[i]) : r[i] * r[i], r[i] * r[i]}}; }
};

struct ScaledProduct {
  double a;
  const double *x, *y;
  constexpr Sums<1> operator()(Index i) const { return {{a * (x[i] * y[i])}}; }
};

template <bool Scaled>
struct Direction {
  DeviceRatio beta;
  const double *d, *z;
  double* p;
  constexpr void operator()(Index i) const { p[i] = (Scaled ? d[i] * z[i] : z[i]) + beta.value() * p[i]; }
};

void residual(const Device& device, Index n, const double* b, const double* q, double* r, double* sums) {
  reduce<2>(device, "residual", n, Residual{b, q, r}, sums);
}

void update(const Device& device, Index n, const double* rz, const double* pq, const double* p, const double* q,
            const double* d, double* x, double* r, double* sums) {
  const DeviceRatio alpha(device, rz, pq);
  if (d == nullptr) reduce<2>(device, "cg update", n, Update<false>{alpha, p, q, d, x, r}, sums);
  else reduce<2>(device, "cg update", n, Update<true>{alpha, p, q, d, x, r}, sums);
}

void start(const Device& device, Index n, const double* d, const double* r, double* sums) {
  if (d == nullptr) reduce<2>(device, "cg start", n, Start<false>{d, r}, sums);
  else reduce<2>(device, "cg start", n, Start<true>{d, r}, sums);
}

void direction(const Device& device, Index n, const double* rz, const double* rz_before, const double* d,
               const double* z, double* p) {
  const DeviceRatio beta(device, rz, rz_before);
  if (d == nullptr) for_each(device, "cg direction", n, Direction<false>{beta, d, z, p});
  else for_each(device, "cg direction", n, Direction<true>{beta, d, z, p});
}

void flexible_dots(const Device& device, Index n, const double* r, const double* z, const double* q, double* rz, double* minus_zq) {
  reduce<1>(device, "flexible cg dot", n, ScaledProduct{1, r, z}, rz);
  reduce<1>(device, "flexible cg dot", n, ScaledProduct{-1, z, q}, minus_zq);
}

const ConjugateGradientKernels table{residual, update, start, flexible_dots, direction};
const Registration registration("conjugate gradient", &table);

}  // namespace
}  // namespace ritz::RITZ_BACKEND
