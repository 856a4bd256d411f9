#include "solvers/smoothers/chebyshev_kernels.hpp"

#include "device/kernels.hpp"
#include "solvers/algebra/lane_rows.hpp"

namespace ritz::RITZ_BACKEND {
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

const ChebyshevKernels table{start, step};
const ChebyshevKernels lanes_table{start_lanes, step_lanes};
const Registration registration("chebyshev", &table);
const Registration lanes_registration("chebyshev lanes", &lanes_table);

}  // namespace
}  // namespace ritz::RITZ_BACKEND
