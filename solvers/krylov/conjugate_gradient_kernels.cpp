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

// The diagonal at a place, as a factor; without one a number that nobody uses.
template <bool Scaled, class Place>
constexpr double diagonal_at(const double* d, Place i) {
  if constexpr (Scaled) return of_row(d, i);
  else return 1;
}

template <bool Scaled, class Number>
constexpr Number scaled(double d, Number value) {
  if constexpr (Scaled) return d * value;
  else return value;
}

// A residual's entries in single precision, or nowhere.
struct NoCopy {
  template <class Place, class Number>
  constexpr void operator()(Place, Number) const {}
};
struct SingleCopy {
  float* to;
  constexpr void operator()(Index i, double value) const { to[i] = static_cast<float>(value); }
};

// Loads come before stores: a compiler does not know that the arrays are apart, and would wait for one after the other.
template <bool Scaled, class Ratio, class Copy = NoCopy>
struct Update {
  Ratio alpha;
  const double *p, *q, *d;
  double *x, *r;
  Copy copy = {};
  template <class Place>
  constexpr SumsAt<2, Place> operator()(Place i) const {
    const auto a = alpha.at(i);
    const double di = diagonal_at<Scaled>(d, i);
    const auto pi = at(p, i), xi = at(x, i), qi = at(q, i), r_before = at(r, i);
    const auto ri = r_before - a * qi;
    at(x, i) = xi + a * pi;
    at(r, i) = ri;
    copy(i, ri);
    return {{ri * scaled<Scaled>(di, ri), ri * ri}};
  }
  template <class... Lane>
  constexpr auto ready(Lane... lane) const {
    const auto known = alpha.ready(lane...);
    return Update<Scaled, std::remove_const_t<decltype(known)>, Copy>{known, p, q, d, x, r, copy};
  }
};

template <bool Scaled, class Copy = NoCopy>
struct Start {
  const double *d, *r;
  Copy copy = {};
  template <class Place>
  constexpr SumsAt<2, Place> operator()(Place i) const {
    const auto ri = at(r, i);
    copy(i, ri);
    return {{ri * scaled<Scaled>(diagonal_at<Scaled>(d, i), ri), ri * ri}};
  }
};

struct FlexibleDots {
  const double *r, *z, *q;
  constexpr Sums<2> operator()(Index i) const { return {{-(z[i] * q[i]), r[i] * z[i]}}; }
};

template <bool Scaled, class Ratio>
struct Direction {
  Ratio beta;
  const double *d, *z;
  double* p;
  template <class Place>
  constexpr void operator()(Place i) const {
    const auto zi = at(z, i);
    at(p, i) = scaled<Scaled>(diagonal_at<Scaled>(d, i), zi) + beta.at(i) * at(p, i);
  }
  template <class... Lane>
  constexpr auto ready(Lane... lane) const {
    const auto known = beta.ready(lane...);
    return Direction<Scaled, std::remove_const_t<decltype(known)>>{known, d, z, p};
  }
};

void residual(const Device& device, Index n, const double* b, const double* q, double* r, double* sums) {
  reduce<2>(device, "residual", n, Residual{b, q, r}, sums);
}

void update(const Device& device, Index n, const double* rz, const double* pq, const double* p, const double* q,
            const double* d, double* x, double* r, float* single, double* sums) {
  const DeviceRatio alpha(device, rz, pq);
  if (single != nullptr)
    reduce<2>(device, "cg update", n, Update<false, DeviceRatio, SingleCopy>{alpha, p, q, d, x, r, {single}}, sums);
  else if (d == nullptr) reduce<2>(device, "cg update", n, Update<false, DeviceRatio>{alpha, p, q, d, x, r}, sums);
  else reduce<2>(device, "cg update", n, Update<true, DeviceRatio>{alpha, p, q, d, x, r}, sums);
}

void start(const Device& device, Index n, const double* d, const double* r, float* single, double* sums) {
  if (single != nullptr) reduce<2>(device, "cg start", n, Start<false, SingleCopy>{d, r, {single}}, sums);
  else if (d == nullptr) reduce<2>(device, "cg start", n, Start<false>{d, r}, sums);
  else reduce<2>(device, "cg start", n, Start<true>{d, r}, sums);
}

void direction(const Device& device, Index n, const double* rz, const double* rz_before, const double* d,
               const double* z, double* p) {
  const DeviceRatio beta(device, rz, rz_before);
  if (d == nullptr) for_each(device, "cg direction", n, Direction<false, DeviceRatio>{beta, d, z, p});
  else for_each(device, "cg direction", n, Direction<true, DeviceRatio>{beta, d, z, p});
}

void flexible_dots(const Device& device, Index n, const double* r, const double* z, const double* q, double* dots) {
  reduce<2>(device, "flexible cg dots", n, FlexibleDots{r, z, q}, dots);
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
