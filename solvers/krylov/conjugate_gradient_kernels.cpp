#include "solvers/krylov/conjugate_gradient_kernels.hpp"

#include "device/kernels.hpp"
#include "solvers/algebra/device_ratio.hpp"
#include "solvers/algebra/lane_rows.hpp"

namespace ritz::RITZ_BACKEND {
namespace {

// The functors serve one vector, where places are indices, and 8 lanes.
struct Residual {
  const double *b, *q;
  double* r;
  template <class Place>
  constexpr SumsAt<2, Place> operator()(Place i) const {
    const auto bi = at(b, i);
    const auto ri = bi - at(q, i);
    at(r, i) = ri;
    return {{ri * ri, bi * bi}};
  }
};

template <bool Scaled, class Place, class Number>
constexpr Number scaled(const double* d, Place i, Number value) {
  if constexpr (Scaled) return of_row(d, i) * value;
  else return value;
}

template <bool Scaled, class Ratio>
struct Update {
  Ratio alpha;
  const double *p, *q, *d;
  double *x, *r;
  template <class Place>
  constexpr SumsAt<2, Place> operator()(Place i) const {
    const auto a = alpha.at(i);
    at(x, i) += a * at(p, i);
    const auto ri = at(r, i) - a * at(q, i);
    at(r, i) = ri;
    return {{ri * scaled<Scaled>(d, i, ri), ri * ri}};
  }
};

template <bool Scaled>
struct Start {
  const double *d, *r;
  template <class Place>
  constexpr SumsAt<2, Place> operator()(Place i) const {
    const auto ri = at(r, i);
    return {{ri * scaled<Scaled>(d, i, ri), ri * ri}};
  }
};

struct ScaledProduct {
  double a;
  const double *x, *y;
  constexpr Sums<1> operator()(Index i) const { return {{a * (x[i] * y[i])}}; }
};

template <bool Scaled, class Ratio>
struct Direction {
  Ratio beta;
  const double *d, *z;
  double* p;
  template <class Place>
  constexpr void operator()(Place i) const {
    const auto zi = at(z, i);
    at(p, i) = scaled<Scaled>(d, i, zi) + beta.at(i) * at(p, i);
  }
};

void residual(const Device& device, Index n, const double* b, const double* q, double* r, double* sums) {
  reduce<2>(device, "residual", n, Residual{b, q, r}, sums);
}

void update(const Device& device, Index n, const double* rz, const double* pq, const double* p, const double* q,
            const double* d, double* x, double* r, double* sums) {
  const DeviceRatio alpha(device, rz, pq);
  if (d == nullptr) reduce<2>(device, "cg update", n, Update<false, DeviceRatio>{alpha, p, q, d, x, r}, sums);
  else reduce<2>(device, "cg update", n, Update<true, DeviceRatio>{alpha, p, q, d, x, r}, sums);
}

void start(const Device& device, Index n, const double* d, const double* r, double* sums) {
  if (d == nullptr) reduce<2>(device, "cg start", n, Start<false>{d, r}, sums);
  else reduce<2>(device, "cg start", n, Start<true>{d, r}, sums);
}

void direction(const Device& device, Index n, const double* rz, const double* rz_before, const double* d,
               const double* z, double* p) {
  const DeviceRatio beta(device, rz, rz_before);
  if (d == nullptr) for_each(device, "cg direction", n, Direction<false, DeviceRatio>{beta, d, z, p});
  else for_each(device, "cg direction", n, Direction<true, DeviceRatio>{beta, d, z, p});
}

void flexible_dots(const Device& device, Index n, const double* r, const double* z, const double* q, double* rz,
                   double* minus_zq) {
  reduce<1>(device, "flexible cg dot", n, ScaledProduct{1, r, z}, rz);
  reduce<1>(device, "flexible cg dot", n, ScaledProduct{-1, z, q}, minus_zq);
}

const ConjugateGradientKernels table{residual, update, start, flexible_dots, direction};
const Registration registration("conjugate gradient", &table);

void lane_residual(const Device& device, Index n, const double* b, const double* q, double* r, double* sums) {
  reduce_lanes<2>(device, "residual", n, Residual{b, q, r}, sums);
}

void lane_update(const Device& device, Index n, unsigned lanes, const double* rz, const double* pq, const double* p,
                 const double* q, const double* d, double* x, double* r, double* sums) {
  const LaneRatio alpha(device, rz, pq, lanes);
  if (d == nullptr) reduce_lanes<2>(device, "cg update", n, Update<false, LaneRatio>{alpha, p, q, d, x, r}, sums);
  else reduce_lanes<2>(device, "cg update", n, Update<true, LaneRatio>{alpha, p, q, d, x, r}, sums);
}

void lane_start(const Device& device, Index n, const double* d, const double* r, double* sums) {
  if (d == nullptr) reduce_lanes<2>(device, "cg start", n, Start<false>{d, r}, sums);
  else reduce_lanes<2>(device, "cg start", n, Start<true>{d, r}, sums);
}

void lane_direction(const Device& device, Index n, unsigned lanes, const double* rz, const double* rz_before,
                    const double* d, const double* z, double* p) {
  const LaneRatio beta(device, rz, rz_before, lanes);
  if (d == nullptr) for_each_lane(device, "cg direction", n, Direction<false, LaneRatio>{beta, d, z, p});
  else for_each_lane(device, "cg direction", n, Direction<true, LaneRatio>{beta, d, z, p});
}

const LaneConjugateGradientKernels lane_table{lane_residual, lane_update, lane_start, lane_direction};
const Registration lane_registration("conjugate gradient lanes", &lane_table);

}  // namespace
}  // namespace ritz::RITZ_BACKEND
