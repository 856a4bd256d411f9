#include "solvers/multigrid/cycle_kernels.hpp"

#include "device/bfloat16.hpp"
#include "device/error.hpp"
#include "device/kernels.hpp"
#include "solvers/algebra/lane_product.hpp"
#ifdef __CUDACC__
#include "solvers/multigrid/row_product_cuda.hpp"
#else
#include "solvers/multigrid/row_product_cpu.hpp"
#endif

namespace ritz::RITZ_BACKEND::cycle_kernels {
namespace {

// Use of the product of scalar row n; the same for one vector and for 8 lanes.
template <class Real>
struct Add {
  Real* y;
  template <class Place, class Product>
  constexpr void operator()(Place n, Product product) const {
    at(y, n) += product;
  }
};

template <class Real>
struct Residual {
  const Real* b;
  Real* r;
  template <class Place, class Product>
  constexpr void operator()(Place n, Product product) const {
    at(r, n) = at(b, n) - product;
  }
};

template <class Real>
struct ChebyshevStep {
  Real c1, c2;
  const Real *inverse_diagonal, *b, *x, *d_before;
  Real *d, *y;
  template <class Place, class Product>
  constexpr void operator()(Place n, Product product) const {
    const Product dn = c1 * at(d_before, n) + c2 * of_row(inverse_diagonal, n) * (at(b, n) - product);
    at(d, n) = dn;
    at(y, n) = at(x, n) + dn;
  }
};

// Block rows times one vector, or times 8 lanes.
template <bool Lanes, class Real, int L, int M, class Stored, class Then>
void multiply_any(const Device& device, const char* name, const BlockMatrixView<Stored>& A, const Real* x,
                  const Then& then) {
  if constexpr (Lanes) multiply_lane_rows<Real, L, M>(device, name, A, x, then);
  else multiply_rows<Real, L, M>(device, name, A, x, then);
}

template <bool Lanes, class Real, class Stored, class Then>
void for_square(const Device& device, const char* name, const BlockMatrixView<Stored>& A, const Real* x,
                const Then& then) {
  switch (A.row_block) {
    case 1: return multiply_any<Lanes, Real, 1, 1>(device, name, A, x, then);
    case 2: return multiply_any<Lanes, Real, 2, 2>(device, name, A, x, then);
    case 3: return multiply_any<Lanes, Real, 3, 3>(device, name, A, x, then);
    case 4: return multiply_any<Lanes, Real, 4, 4>(device, name, A, x, then);
    case 5: return multiply_any<Lanes, Real, 5, 5>(device, name, A, x, then);
    case 6: return multiply_any<Lanes, Real, 6, 6>(device, name, A, x, then);
    default: throw Error(ErrorKind::internal, "multigrid level with blocks of " + std::to_string(A.row_block));
  }
}

template <bool Lanes, class Real, class Then>
void for_transfer(const Device& device, const char* name, const BlockMatrixView<Real>& A, const Real* x,
                  const Then& then) {
  switch (A.row_block * 10 + A.column_block) {
    case 11: return multiply_any<Lanes, Real, 1, 1>(device, name, A, x, then);
    case 22: return multiply_any<Lanes, Real, 2, 2>(device, name, A, x, then);
    case 23: return multiply_any<Lanes, Real, 2, 3>(device, name, A, x, then);
    case 32: return multiply_any<Lanes, Real, 3, 2>(device, name, A, x, then);
    case 33: return multiply_any<Lanes, Real, 3, 3>(device, name, A, x, then);
    case 36: return multiply_any<Lanes, Real, 3, 6>(device, name, A, x, then);
    case 44: return multiply_any<Lanes, Real, 4, 4>(device, name, A, x, then);
    case 55: return multiply_any<Lanes, Real, 5, 5>(device, name, A, x, then);
    case 63: return multiply_any<Lanes, Real, 6, 3>(device, name, A, x, then);
    case 66: return multiply_any<Lanes, Real, 6, 6>(device, name, A, x, then);
    default:
      throw Error(ErrorKind::internal, "multigrid transfer with blocks of " + std::to_string(A.row_block) + " x " +
                                           std::to_string(A.column_block));
  }
}

template <bool Lanes, class Real, class Stored>
void smooth(const Device& device, const BlockMatrixView<Stored>& A, Real c1, Real c2, const Real* inverse_diagonal,
            const Real* b, const Real* x, const Real* d_before, Real* d, Real* y) {
  for_square<Lanes>(device, "smooth", A, x, ChebyshevStep<Real>{c1, c2, inverse_diagonal, b, x, d_before, d, y});
}

template <bool Lanes, class Real, class Stored>
void residual(const Device& device, const BlockMatrixView<Stored>& A, const Real* b, const Real* x, Real* r) {
  for_square<Lanes>(device, "level residual", A, x, Residual<Real>{b, r});
}

template <bool Lanes, class Real>
void multiply(const Device& device, const BlockMatrixView<Real>& A, const Real* x, Real* y) {
  for_transfer<Lanes>(device, "restrict", A, x, StoreRow<Real>{y});
}

template <bool Lanes, class Real>
void multiply_add(const Device& device, const BlockMatrixView<Real>& A, const Real* x, Real* y) {
  for_transfer<Lanes>(device, "prolong", A, x, Add<Real>{y});
}

template <class Real>
struct SmoothFirst {
  Real c;
  const Real *inverse_diagonal, *b;
  Real* x;
  template <class Place>
  constexpr void operator()(Place i) const {
    at(x, i) = c * of_row(inverse_diagonal, i) * at(b, i);
  }
};

template <bool Lanes, class Real>
void smooth_first(const Device& device, Index n, Real c, const Real* inverse_diagonal, const Real* b, Real* x) {
  const SmoothFirst<Real> f{c, inverse_diagonal, b, x};
  if constexpr (Lanes) for_each_lane(device, "smooth first", n, f);
  else for_each(device, "smooth first", n, f);
}

template <class Real>
struct DenseRowOfLanes {
  Index n;
  const double* matrix;
  const Real* x;
  Real* y;
  template <class Place>
  constexpr void operator()(Place p) const {
    LaneRow<double> sum[4] = {};
    const double* row = matrix + p.row * n;
    Place k = p;
    for (k.row = 0; k.row + 4 <= n;)
      for (int l = 0; l < 4; ++l, ++k.row) sum[l] += row[k.row] * in_double(x, k);
    for (; k.row < n; ++k.row) sum[0] += row[k.row] * in_double(x, k);
    store_double((sum[0] + sum[1]) + (sum[2] + sum[3]), y, p);
  }
};

template <bool Lanes, class Real>
void dense(const Device& device, Index n, const double* matrix, const Real* x, Real* y) {
  if constexpr (Lanes) for_each_lane(device, "coarsest level", n, DenseRowOfLanes<Real>{n, matrix, x, y});
  else multiply_dense(device, "coarsest level", n, matrix, x, y);
}

template <class From, class To>
struct Convert {
  const From* x;
  To* y;
  constexpr void operator()(Index i) const { y[i] = static_cast<To>(x[i]); }
};

template <bool Lanes, class From, class To>
void convert(const Device& device, Index n, const From* x, To* y) {
  for_each(device, "change precision", Lanes ? n * lane_count : n, Convert<From, To>{x, y});
}

template <class Real>
struct ConvertDot {
  const Real* x;
  const double* b;
  double* y;
  constexpr Sums<1> operator()(Index i) const {
    const double yi = static_cast<double>(x[i]);
    const double bi = b[i];
    y[i] = yi;
    return {{bi * yi}};
  }
};

template <class Real>
struct ConvertDots {
  const Real* x;
  const double *b, *q;
  double* y;
  constexpr Sums<2> operator()(Index i) const {
    const double yi = static_cast<double>(x[i]);
    const double bi = b[i], qi = q[i];
    y[i] = yi;
    return {{-(yi * qi), bi * yi}};
  }
};

template <class Real>
void convert_dots(const Device& device, Index n, const Real* x, const double* b, const double* q, double* y,
                  double* dots) {
  if (q == nullptr) reduce<1>(device, "change precision", n, ConvertDot<Real>{x, b, y}, dots);
  else reduce<2>(device, "change precision", n, ConvertDots<Real>{x, b, q, y}, dots);
}

template <class Stored>
void pack(const Device& device, const BlockMatrixView<double>& from, Index nonzeros, CycleMatrix<Stored>& to) {
  to.nonzeros = nonzeros;
  if (pack_rows(device, from, to)) return;
  to.resize(to.values, device, nonzeros * from.row_block * from.column_block);
  for_each(device, "change precision", to.values.size(), Convert<double, Stored>{from.values, to.values.data()});
  to.view = {from.rows, from.columns, from.row_block, from.column_block, from.offsets, from.column, to.values.data()};
}

template <class Stored>
void unpack(const Device& device, const BlockMatrixView<Stored>& from, Index nonzeros, std::int32_t* column,
            double* values) {
  if (from.slices != nullptr) return unpack_rows(device, from, column, values);
  if (values == nullptr) return;
  for_each(device, "change precision", nonzeros * from.row_block * from.column_block,
           Convert<Stored, double>{from.values, values});
}

template <bool Lanes, class Real, class Stored>
// clang-format off
const CycleKernels<Real, Stored> table{
    pack<Stored>, pack<Real>, unpack<Stored>, unpack<Real>,
    smooth_first<Lanes, Real>, smooth<Lanes, Real, Stored>, residual<Lanes, Real, Stored>, multiply<Lanes, Real>,
    multiply_add<Lanes, Real>, dense<Lanes, Real>,  convert<Lanes, double, Real>, convert<Lanes, Real, double>,
    Lanes ? nullptr : convert_dots<Real>};
// clang-format on
const Registration in_double("cycle double", &table<false, double, double>);
const Registration in_single("cycle single", &table<false, float, float>);
const Registration in_half("cycle half", &table<false, float, BFloat16>);
const Registration lanes_in_double("cycle double lanes", &table<true, double, double>);
const Registration lanes_in_single("cycle single lanes", &table<true, float, float>);
const Registration lanes_in_half("cycle half lanes", &table<true, float, BFloat16>);

}  // namespace
}  // namespace ritz::RITZ_BACKEND::cycle_kernels
