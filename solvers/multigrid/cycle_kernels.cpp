#include "solvers/multigrid/cycle_kernels.hpp"

#include "device/error.hpp"
#include "device/kernels.hpp"
#include "device/launch.hpp"
#ifdef __CUDACC__
#include "solvers/multigrid/row_product_cuda.hpp"
#else
#include "solvers/multigrid/row_product_cpu.hpp"
#endif

namespace ritz::RITZ_BACKEND {
namespace {

// What is done with the product of scalar row n.
template <class Real>
struct Store {
  Real* y;
  constexpr void operator()(Index n, Real product) const { y[n] = product; }
};

template <class Real>
struct Add {
  Real* y;
  constexpr void operator()(Index n, Real product) const { y[n] += product; }
};

template <class Real>
struct Residual {
  const Real* b;
  Real* r;
  constexpr void operator()(Index n, Real product) const { r[n] = b[n] - product; }
};

template <class Real>
struct ChebyshevStep {
  Real c1, c2;
  const Real *inverse_diagonal, *b, *x;
  Real *d, *y;
  constexpr void operator()(Index n, Real product) const {
    d[n] = c1 * d[n] + c2 * inverse_diagonal[n] * (b[n] - product);
    y[n] = x[n] + d[n];
  }
};

template <class Real, class Then>
void for_square(const Device& device, const char* name, const BlockMatrixView<Real>& A, const Real* x, const Then& then) {
  switch (A.row_block) {
    case 1: return multiply_rows<Real, 1, 1>(device, name, A, x, then);
    case 2: return multiply_rows<Real, 2, 2>(device, name, A, x, then);
    case 3: return multiply_rows<Real, 3, 3>(device, name, A, x, then);
    case 6: return multiply_rows<Real, 6, 6>(device, name, A, x, then);
    default: throw Error(Exit::internal, "multigrid level with blocks of " + std::to_string(A.row_block));
  }
}

template <class Real, class Then>
void for_transfer(const Device& device, const char* name, const BlockMatrixView<Real>& A, const Real* x, const Then& then) {
  switch (A.row_block * 10 + A.column_block) {
    case 11: return multiply_rows<Real, 1, 1>(device, name, A, x, then);
    case 23: return multiply_rows<Real, 2, 3>(device, name, A, x, then);
    case 32: return multiply_rows<Real, 3, 2>(device, name, A, x, then);
    case 33: return multiply_rows<Real, 3, 3>(device, name, A, x, then);
    case 36: return multiply_rows<Real, 3, 6>(device, name, A, x, then);
    case 63: return multiply_rows<Real, 6, 3>(device, name, A, x, then);
    case 66: return multiply_rows<Real, 6, 6>(device, name, A, x, then);
    default: throw Error(Exit::internal, "multigrid transfer with blocks of " + std::to_string(A.row_block) + " x " +
                                             std::to_string(A.column_block));
  }
}

template <class Real>
void smooth(const Device& device, const BlockMatrixView<Real>& A, Real c1, Real c2, const Real* inverse_diagonal, const Real* b,
            const Real* x, Real* d, Real* y) {
  for_square(device, "smooth", A, x, ChebyshevStep<Real>{c1, c2, inverse_diagonal, b, x, d, y});
}

template <class Real>
void residual(const Device& device, const BlockMatrixView<Real>& A, const Real* b, const Real* x, Real* r) {
  for_square(device, "level residual", A, x, Residual<Real>{b, r});
}

template <class Real>
void multiply(const Device& device, const BlockMatrixView<Real>& A, const Real* x, Real* y) {
  for_transfer(device, "restrict", A, x, Store<Real>{y});
}

template <class Real>
void multiply_add(const Device& device, const BlockMatrixView<Real>& A, const Real* x, Real* y) {
  for_transfer(device, "prolong", A, x, Add<Real>{y});
}

template <class Real>
struct SmoothFirst {
  Real c;
  const Real *inverse_diagonal, *b;
  Real *d, *x;
  constexpr void operator()(Index i) const { x[i] = d[i] = c * inverse_diagonal[i] * b[i]; }
};

template <class Real>
void smooth_first(const Device& device, Index n, Real c, const Real* inverse_diagonal, const Real* b, Real* d, Real* x) {
  for_each(device, "smooth first", n, SmoothFirst<Real>{c, inverse_diagonal, b, d, x});
}

template <class Real>
struct DenseRow {
  Index n;
  const Real *matrix, *x;
  Real* y;
  constexpr void operator()(Index i) const {
    Real sum[8] = {};
    const Real* row = matrix + i * n;
    Index k = 0;
    for (; k + 8 <= n; k += 8)
      for (int l = 0; l < 8; ++l) sum[l] += row[k + l] * x[k + l];
    for (; k < n; ++k) sum[0] += row[k] * x[k];
    y[i] = ((sum[0] + sum[1]) + (sum[2] + sum[3])) + ((sum[4] + sum[5]) + (sum[6] + sum[7]));
  }
};

template <class Real>
void dense(const Device& device, Index n, const Real* matrix, const Real* x, Real* y) {
  for_each(device, "coarsest level", n, DenseRow<Real>{n, matrix, x, y});
}

template <class From, class To>
struct Convert {
  const From* x;
  To* y;
  constexpr void operator()(Index i) const { y[i] = static_cast<To>(x[i]); }
};

template <class From, class To>
void convert(const Device& device, Index n, const From* x, To* y) {
  for_each(device, "change precision", n, Convert<From, To>{x, y});
}

template <class Real>
const CycleKernels<Real> table{smooth_first<Real>, smooth<Real>, residual<Real>,        multiply<Real>,
                               multiply_add<Real>, dense<Real>,  convert<double, Real>, convert<Real, double>};
const Registration in_double("cycle double", &table<double>);
const Registration in_single("cycle single", &table<float>);

}  // namespace
}  // namespace ritz::RITZ_BACKEND
