#include "solvers/smoothers/chebyshev_kernels.hpp"

#include "device/kernels.hpp"
#include "solvers/algebra/device_ratio.hpp"
#include "solvers/algebra/lane_rows.hpp"

namespace ritz::RITZ_BACKEND::chebyshev_kernels {
namespace {

struct Start {
  double a;
  const double *inverse_diagonal, *r;
  double *d, *z;
  template <class Place>
  constexpr void operator()(Place i) const {
    const auto di = a * (of_row(inverse_diagonal, i) * at(r, i));
    at(d, i) = di;
    at(z, i) = di;
  }
};

struct Step {
  double a, b;
  const double *inverse_diagonal, *r, *q;
  double *w, *d, *z;
  template <class Place>
  constexpr void operator()(Place i) const {
    const auto wi = at(r, i) - at(q, i);
    const auto di = a * (of_row(inverse_diagonal, i) * wi) + b * at(d, i);
    at(w, i) = wi;
    at(d, i) = di;
    at(z, i) += di;
  }
};

void start(const Device& device, Index n, double a, const double* inverse_diagonal, const double* r, double* d,
           double* z) {
  for_each(device, "chebyshev start", n, Start{a, inverse_diagonal, r, d, z});
}

void step(const Device& device, Index n, double a, double b, const double* inverse_diagonal, const double* r,
          const double* q, double* w, double* d, double* z) {
  for_each(device, "chebyshev step", n, Step{a, b, inverse_diagonal, r, q, w, d, z});
}

void start_lanes(const Device& device, Index n, double a, const double* inverse_diagonal, const double* r, double* d,
                 double* z) {
  for_each_lane(device, "chebyshev start", n, Start{a, inverse_diagonal, r, d, z});
}

void step_lanes(const Device& device, Index n, double a, double b, const double* inverse_diagonal, const double* r,
                const double* q, double* w, double* d, double* z) {
  for_each_lane(device, "chebyshev step", n, Step{a, b, inverse_diagonal, r, q, w, d, z});
}

template <class Ratio>
struct LanczosUpdate {
  Ratio alpha;
  const double *q, *inverse_diagonal;
  double *r, *z;
  constexpr Sums<1> operator()(Index i) const {
    const double ri = r[i] - alpha.at(i) * q[i], zi = inverse_diagonal[i] * ri;
    r[i] = ri;
    z[i] = zi;
    return {{ri * zi}};
  }
  constexpr auto ready() const {
    const auto known = alpha.ready();
    return LanczosUpdate<std::remove_const_t<decltype(known)>>{known, q, inverse_diagonal, r, z};
  }
};

template <class Ratio>
struct LanczosDirection {
  Ratio beta;
  const double* z;
  double* p;
  constexpr void operator()(Index i) const { p[i] = z[i] + beta.at(i) * p[i]; }
  constexpr auto ready() const {
    const auto known = beta.ready();
    return LanczosDirection<std::remove_const_t<decltype(known)>>{known, z, p};
  }
};

void lanczos_update(const Device& device, Index n, const double* rz, const double* pq, const double* q,
                    const double* inverse_diagonal, double* r, double* z, double* next_rz) {
  reduce<1>(device, "lanczos update", n,
            LanczosUpdate<DeviceRatio>{DeviceRatio(device, rz, pq), q, inverse_diagonal, r, z}, next_rz);
}

void lanczos_direction(const Device& device, Index n, const double* next_rz, const double* rz, const double* z,
                       double* p) {
  for_each(device, "lanczos direction", n, LanczosDirection<DeviceRatio>{DeviceRatio(device, next_rz, rz), z, p});
}

const ChebyshevKernels table{start, step};
const ChebyshevKernels lanes_table{start_lanes, step_lanes};
const LanczosKernels lanczos_table{lanczos_update, lanczos_direction};
const Registration registration("chebyshev", &table);
const Registration lanczos_registration("lanczos", &lanczos_table);
const Registration lanes_registration("chebyshev lanes", &lanes_table);

}  // namespace
}  // namespace ritz::RITZ_BACKEND::chebyshev_kernels
