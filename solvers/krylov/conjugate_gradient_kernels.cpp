#include "solvers/krylov/conjugate_gradient_kernels.hpp"

#include "device/kernels.hpp"
#include "solvers/algebra/device_ratio.hpp"
#include "solvers/algebra/lane_rows.hpp"

namespace ritz::RITZ_BACKEND::conjugate_gradient_kernels {
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

// From a vector between start and the last update: the residual r, z = d r, and sums of their products.
template <bool Scaled, class Place, class Number>
constexpr SumsAt<2, Place> products_of(const double* d, Place i, Number z) {
  if constexpr (Scaled) {
    const auto r = (1 / of_row(d, i)) * z;
    return {{r * z, r * r}};
  } else {
    return {{z * z, z * z}};
  }
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
  const double *q, *d;
  double* r;
  Copy copy = {};
  template <class Place>
  constexpr SumsAt<2, Place> operator()(Place i) const {
    const auto qi = at(q, i), before = at(r, i);
    auto ri = before - alpha.at(i) * qi;
    if constexpr (Scaled) ri = before - alpha.at(i) * (of_row(d, i) * qi);
    at(r, i) = ri;
    copy(i, ri);
    return products_of<Scaled>(d, i, ri);
  }
  template <class... Lane>
  constexpr auto ready(Lane... lane) const {
    const auto known = alpha.ready(lane...);
    return Update<Scaled, std::remove_const_t<decltype(known)>, Copy>{known, q, d, r, copy};
  }
};

template <bool Scaled, class Copy = NoCopy>
struct Start {
  const double* d;
  double* r;
  Copy copy = {};
  template <class Place>
  constexpr SumsAt<2, Place> operator()(Place i) const {
    const auto ri = at(r, i);
    copy(i, ri);
    if constexpr (Scaled) {
      const auto zi = of_row(d, i) * ri;
      at(r, i) = zi;
      return {{ri * zi, ri * ri}};
    } else {
      return {{ri * ri, ri * ri}};
    }
  }
};

struct FlexibleDots {
  const double *r, *z, *q;
  constexpr Sums<2> operator()(Index i) const { return {{-(z[i] * q[i]), r[i] * z[i]}}; }
};

template <class Ratio>
struct Direction {
  Ratio alpha, beta;
  const double* z;
  double *p, *x;
  template <class Place>
  constexpr void operator()(Place i) const {
    const auto zi = at(z, i), pi = at(p, i), xi = at(x, i);
    at(x, i) = xi + alpha.at(i) * pi;
    at(p, i) = zi + beta.at(i) * pi;
  }
  template <class... Lane>
  constexpr auto ready(Lane... lane) const {
    const auto a = alpha.ready(lane...), b = beta.ready(lane...);
    return Direction<std::remove_const_t<decltype(a)>>{a, b, z, p, x};
  }
};

template <class Ratio>
struct Step {
  Ratio alpha;
  const double* p;
  double* x;
  template <class Place>
  constexpr void operator()(Place i) const {
    at(x, i) = at(x, i) + alpha.at(i) * at(p, i);
  }
  template <class... Lane>
  constexpr auto ready(Lane... lane) const {
    const auto a = alpha.ready(lane...);
    return Step<std::remove_const_t<decltype(a)>>{a, p, x};
  }
};

DeviceRatio ratio(const Device& device, Quotient of) { return {device, of.numerator, of.denominator}; }

LaneRatio ratio(const Device& device, Quotient of, unsigned lanes) {
  return {device, of.numerator, of.denominator, lanes};
}

void residual(const Device& device, Index n, const double* b, const double* q, double* r, double* sums) {
  reduce<2>(device, "residual", n, Residual{b, q, r}, sums);
}

void start(const Device& device, Index n, const double* d, double* r, float* single, double* sums) {
  if (single != nullptr) reduce<2>(device, "cg start", n, Start<false, SingleCopy>{d, r, {single}}, sums);
  else if (d == nullptr) reduce<2>(device, "cg start", n, Start<false>{d, r}, sums);
  else reduce<2>(device, "cg start", n, Start<true>{d, r}, sums);
}

void update(const Device& device, Index n, Quotient alpha, const double* q, const double* d, double* r, float* single,
            double* sums) {
  const DeviceRatio a = ratio(device, alpha);
  if (single != nullptr)
    reduce<2>(device, "cg update", n, Update<false, DeviceRatio, SingleCopy>{a, q, d, r, {single}}, sums);
  else if (d == nullptr) reduce<2>(device, "cg update", n, Update<false, DeviceRatio>{a, q, d, r}, sums);
  else reduce<2>(device, "cg update", n, Update<true, DeviceRatio>{a, q, d, r}, sums);
}

void direction(const Device& device, Index n, Quotient alpha, Quotient beta, const double* z, double* p, double* x) {
  for_each(device, "cg direction", n, Direction<DeviceRatio>{ratio(device, alpha), ratio(device, beta), z, p, x});
}

void step(const Device& device, Index n, Quotient alpha, const double* p, double* x) {
  for_each(device, "cg step", n, Step<DeviceRatio>{ratio(device, alpha), p, x});
}

void flexible_dots(const Device& device, Index n, const double* r, const double* z, const double* q, double* dots) {
  reduce<2>(device, "flexible cg dots", n, FlexibleDots{r, z, q}, dots);
}

const ConjugateGradientKernels table{residual, start, update, flexible_dots, direction, step};
const Registration registration("conjugate gradient", &table);

void lane_residual(const Device& device, Index n, const double* b, const double* q, double* r, double* sums) {
  reduce_lanes<2>(device, "residual", n, Residual{b, q, r}, sums);
}

void lane_start(const Device& device, Index n, const double* d, double* r, double* sums) {
  if (d == nullptr) reduce_lanes<2>(device, "cg start", n, Start<false>{d, r}, sums);
  else reduce_lanes<2>(device, "cg start", n, Start<true>{d, r}, sums);
}

void lane_update(const Device& device, Index n, unsigned lanes, Quotient alpha, const double* q, const double* d,
                 double* r, double* sums) {
  const LaneRatio a = ratio(device, alpha, lanes);
  if (d == nullptr) reduce_lanes<2>(device, "cg update", n, Update<false, LaneRatio>{a, q, d, r}, sums);
  else reduce_lanes<2>(device, "cg update", n, Update<true, LaneRatio>{a, q, d, r}, sums);
}

void lane_direction(const Device& device, Index n, unsigned lanes_of_x, Quotient alpha, unsigned lanes_of_p,
                    Quotient beta, const double* z, double* p, double* x) {
  for_each_lane(device, "cg direction", n,
                Direction<LaneRatio>{ratio(device, alpha, lanes_of_x), ratio(device, beta, lanes_of_p), z, p, x});
}

void lane_step(const Device& device, Index n, unsigned lanes, Quotient alpha, const double* p, double* x) {
  for_each_lane(device, "cg step", n, Step<LaneRatio>{ratio(device, alpha, lanes), p, x});
}

const LaneConjugateGradientKernels lane_table{lane_residual, lane_start, lane_update, lane_direction, lane_step};
const Registration lane_registration("conjugate gradient lanes", &lane_table);

}  // namespace
}  // namespace ritz::RITZ_BACKEND::conjugate_gradient_kernels
