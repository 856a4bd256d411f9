#include "solvers/chebyshev_kernels.hpp"

#include "device/kernels.hpp"
#include "device/launch.hpp"

namespace ritz::RITZ_BACKEND {
namespace {

struct Start {
  double a;
  const double *inverse_diagonal, *r;
  double *d, *z;
  constexpr void operator()(Index i) const {
    const double di = a * (inverse_diagonal[i] * r[i]);
    d[i] = di;
    z[i] = di;
  }
};

struct Step {
  double a, b;
  const double *inverse_diagonal, *r, *q;
  double *w, *d, *z;
  constexpr void operator()(Index i) const {
    const double wi = r[i] - q[i];
    const double di = a * (inverse_diagonal[i] * wi) + b * d[i];
    w[i] = wi;
    d[i] = di;
    z[i] += di;
  }
};

void start(const Device& device, Index n, double a, const double* inverse_diagonal, const double* r, double* d, double* z) {
  for_each(device, "chebyshev start", n, Start{a, inverse_diagonal, r, d, z});
}

void step(const Device& device, Index n, double a, double b, const double* inverse_diagonal, const double* r,
          const double* q, double* w, double* d, double* z) {
  for_each(device, "chebyshev step", n, Step{a, b, inverse_diagonal, r, q, w, d, z});
}

const ChebyshevKernels table{start, step};
const Registration registration("chebyshev", &table);

}  // namespace
}  // namespace ritz::RITZ_BACKEND
