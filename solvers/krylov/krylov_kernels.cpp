#include "solvers/krylov/krylov_kernels.hpp"

#include "device/kernels.hpp"
#include "solvers/algebra/device_ratio.hpp"
#include "solvers/algebra/lane_rows.hpp"

#include <cmath>

namespace ritz::RITZ_BACKEND::krylov_kernels {
namespace {

template <class Quotient>
struct Lanczos {
  double s, c;
  Quotient yq;
  const double *q, *r2;
  double* r1;
  constexpr void operator()(Index i) const { r1[i] = s * q[i] - c * r1[i] - ((yq.value() * s) * s) * (s * r2[i]); }
  constexpr auto ready() const { return Lanczos<decltype(yq.ready())>{s, c, yq.ready(), q, r2, r1}; }
};

struct LanczosDots {
  const double *r2, *y, *r;
  constexpr Sums<4> operator()(Index i) const { return {{r2[i] * y[i], r2[i] * r2[i], r[i] * r2[i], r[i] * r[i]}}; }
};

struct MinresUpdate {
  KrylovKernels::Minres k;
  const double *y, *w2, *r2;
  double *w1, *x, *r;
  constexpr void operator()(Index i) const {
    const double yi = y[i], w1i = w1[i], w2i = w2[i], xi = x[i], ri = r[i], r2i = r2[i];
    const double wi = (k.s * yi - k.e * w1i - k.d * w2i) * k.g;
    w1[i] = wi;
    x[i] = xi + k.phi * wi;
    r[i] = k.a * ri - k.c * r2i;
  }
};

struct BasisProduct {
  const double *V, *w;
  template <class Place>
  constexpr LaneSums<1> operator()(Place p) const {
    return {{at(V, p) * of_row(w, p)}};
  }
};

struct BasisAdd {
  Index n;
  int groups;
  double sign;
  const double *V, *h;
  double* w;
  constexpr Sums<1> operator()(Index i) const {
    double part[lane_count] = {};
    for (int g = 0; g < groups; ++g)
      for (int l = 0; l < lane_count; ++l) part[l] += V[(g * n + i) * lane_count + l] * h[g * lane_count + l];
    const double sum = ((part[0] + part[1]) + (part[2] + part[3])) + ((part[4] + part[5]) + (part[6] + part[7]));
    const double wi = w[i] + sign * sum;
    w[i] = wi;
    return {{wi * wi}};
  }
};

struct BasisColumn {
  double scale;
  const double* w;
  double *V, *v;  // V: from the column's lane on
  constexpr void operator()(Index i) const { v[i] = V[i * lane_count] = scale * w[i]; }
};

// The same with a square that is on the device.
struct BasisColumnOf {
  DeviceQuotient square;
  const double* w;
  double *V, *v;
  constexpr void operator()(Index i) const { ready()(i); }
  constexpr BasisColumn ready() const {
    const double s = square.value();
    return {s > 0 ? 1 / std::sqrt(s) : 0.0, w, V, v};
  }
};

struct BicgDirection {
  double beta, omega;
  const double *r, *v;
  double* p;
  constexpr void operator()(Index i) const { p[i] = r[i] + beta * (p[i] - omega * v[i]); }
};

// The same with numbers that are on the device.
struct BicgDirectionOf {
  DeviceQuotient rho_ratio, alpha, omega;
  const double *r, *v;
  double* p;
  constexpr void operator()(Index i) const { ready()(i); }
  constexpr BicgDirection ready() const {
    const double w = omega.value();
    return {rho_ratio.value() * (alpha.value() / w), w, r, v, p};
  }
};

template <class Quotient>
struct BicgHalf {
  Quotient alpha;
  const double* v;
  double* r;
  constexpr void operator()(Index i) const { r[i] -= alpha.value() * v[i]; }
  constexpr auto ready() const { return BicgHalf<decltype(alpha.ready())>{alpha.ready(), v, r}; }
};

struct BicgDots {
  const double *t, *r;
  constexpr Sums<2> operator()(Index i) const { return {{t[i] * r[i], t[i] * t[i]}}; }
};

template <class Quotient>
struct BicgUpdate {
  Quotient alpha, omega;
  const double *p, *s, *t, *shadow;
  double *x, *r;
  constexpr Sums<2> operator()(Index i) const {
    const double w = omega.value();
    x[i] += alpha.value() * p[i] + w * s[i];
    const double ri = r[i] - w * t[i];
    r[i] = ri;
    return {{shadow[i] * ri, ri * ri}};
  }
  constexpr auto ready() const {
    return BicgUpdate<decltype(alpha.ready())>{alpha.ready(), omega.ready(), p, s, t, shadow, x, r};
  }
};

void lanczos(const Device& device, Index n, double s, double c, const double* yq, const double* q, const double* r2,
             double* r1) {
  for_each(device, "lanczos", n, Lanczos<DeviceQuotient>{s, c, DeviceQuotient(device, yq), q, r2, r1});
}

void lanczos_dots(const Device& device, Index n, const double* r2, const double* y, const double* r, double* sums) {
  reduce<4>(device, "lanczos dots", n, LanczosDots{r2, y, r}, sums);
}

void minres_update(const Device& device, Index n, const KrylovKernels::Minres& numbers, const double* y,
                   const double* w2, const double* r2, double* w1, double* x, double* r) {
  for_each(device, "minres update", n, MinresUpdate{numbers, y, w2, r2, w1, x, r});
}

void basis_dots(const Device& device, Index n, int groups, const double* V, const double* w, double* h) {
  for (int g = 0; g < groups; ++g)
    reduce_lanes<1>(device, "basis dots", n, BasisProduct{V + g * n * lane_count, w}, h + g * lane_count);
}

void basis_add(const Device& device, Index n, int groups, double sign, const double* V, const double* h, double* w,
               double* square) {
  reduce<1>(device, "basis add", n, BasisAdd{n, groups, sign, V, h, w}, square);
}

void bicg_direction(const Device& device, Index n, const double* rho, const double* rho_next, const double* sv,
                    const double* tr, const double* r, const double* v, double* p) {
  const DeviceQuotient ratio(device, rho_next, rho), alpha(device, rho, sv), omega(device, tr, tr + 1);
  for_each(device, "bicgstab direction", n, with_numbers(BicgDirectionOf{ratio, alpha, omega, r, v, p}));
}

void basis_column(const Device& device, Index n, const double* square, const double* w, int lane, double* V,
                  double* v) {
  for_each(device, "basis column", n, with_numbers(BasisColumnOf{DeviceQuotient(device, square), w, V + lane, v}));
}

void bicg_half(const Device& device, Index n, const double* rho, const double* sv, const double* v, double* r) {
  for_each(device, "bicgstab half", n, BicgHalf<DeviceQuotient>{DeviceQuotient(device, rho, sv), v, r});
}

void bicg_dots(const Device& device, Index n, const double* t, const double* r, double* sums) {
  reduce<2>(device, "bicgstab dots", n, BicgDots{t, r}, sums);
}

void bicg_update(const Device& device, Index n, const double* rho, const double* sv, const double* tr, const double* p,
                 const double* s, const double* t, const double* shadow, double* x, double* r, double* sums) {
  const DeviceQuotient alpha(device, rho, sv), omega(device, tr, tr + 1);
  reduce<2>(device, "bicgstab update", n, BicgUpdate<DeviceQuotient>{alpha, omega, p, s, t, shadow, x, r}, sums);
}

const KrylovKernels table{lanczos,      lanczos_dots,   minres_update, basis_dots, basis_add,
                          basis_column, bicg_direction, bicg_half,     bicg_dots,  bicg_update};
const Registration registration("krylov", &table);

}  // namespace
}  // namespace ritz::RITZ_BACKEND::krylov_kernels
