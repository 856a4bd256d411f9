#include "solvers/multigrid/cycle_kernels.hpp"

#include "device/error.hpp"
#include "device/kernels.hpp"
#include "device/launch.hpp"

namespace ritz::RITZ_BACKEND {
namespace {

// One block row times x. Sums stand in L x M places, so that a block is one straight multiply-add; small blocks take
// turns on several sets of sums, or each would wait for the adder.
template <class Real, int L, int M>
struct RowProduct {
  BlockMatrixView<Real> A;
  const Real* x;
  static constexpr int size = L * M, turns = size < 4 ? 4 : size < 9 ? 2 : 1;

  constexpr void add_block(Index k, Real* sum) const {
    const Real* a = A.values + k * size;
    const Real* xk = x + Index{A.column[k]} * M;
    for (int l = 0; l < L; ++l)
      for (int m = 0; m < M; ++m) sum[l * M + m] += a[l * M + m] * xk[m];
  }
  constexpr void operator()(Index i, Real* row) const {
    Real sum[turns * size] = {};
    Index k = A.offsets[i];
    const Index end = A.offsets[i + 1];
    for (; k + turns <= end; k += turns)
      for (int t = 0; t < turns; ++t) add_block(k + t, sum + t * size);
    for (; k < end; ++k) add_block(k, sum);
    for (int t = 1; t < turns; ++t)
      for (int n = 0; n < size; ++n) sum[n] += sum[t * size + n];
    for (int l = 0; l < L; ++l) {
      row[l] = 0;
      for (int m = 0; m < M; ++m) row[l] += sum[l * M + m];
    }
  }
};

// What is done with the products of a block row.
template <class Real, int L>
struct Store {
  Real* y;
  constexpr void operator()(Index i, const Real* row) const {
    for (int l = 0; l < L; ++l) y[i * L + l] = row[l];
  }
};

template <class Real, int L>
struct Add {
  Real* y;
  constexpr void operator()(Index i, const Real* row) const {
    for (int l = 0; l < L; ++l) y[i * L + l] += row[l];
  }
};

template <class Real, int L>
struct Residual {
  const Real* b;
  Real* r;
  constexpr void operator()(Index i, const Real* row) const {
    for (int l = 0; l < L; ++l) r[i * L + l] = b[i * L + l] - row[l];
  }
};

template <class Real, int L>
struct ChebyshevStep {
  Real c1, c2;
  const Real *inverse_diagonal, *b, *x;
  Real *d, *y;
  constexpr void operator()(Index i, const Real* row) const {
    for (int l = 0; l < L; ++l) {
      const Index n = i * L + l;
      d[n] = c1 * d[n] + c2 * inverse_diagonal[n] * (b[n] - row[l]);
      y[n] = x[n] + d[n];
    }
  }
};

// index = block row
template <class Real, int L, int M, class Then>
struct ForRow {
  RowProduct<Real, L, M> product;
  Then then;
  constexpr void operator()(Index i) const {
    Real row[L];
    product(i, row);
    then(i, row);
  }
};

template <class Real, int L, int M, class Then>
void run_rows(const Device& device, const char* name, const BlockMatrixView<Real>& A, const Real* x, const Then& then) {
  for_each(device, name, A.rows, ForRow<Real, L, M, Then>{{A, x}, then});
}

// Chooses the compiled block size; `make` gets the number of rows per block as a type.
template <int L>
struct RowCount {
  static constexpr int value = L;
};

template <class Real, class Make>
void for_square(const Device& device, const char* name, const BlockMatrixView<Real>& A, const Real* x, const Make& make) {
  switch (A.row_block) {
    case 1: return run_rows<Real, 1, 1>(device, name, A, x, make(RowCount<1>{}));
    case 2: return run_rows<Real, 2, 2>(device, name, A, x, make(RowCount<2>{}));
    case 3: return run_rows<Real, 3, 3>(device, name, A, x, make(RowCount<3>{}));
    case 6: return run_rows<Real, 6, 6>(device, name, A, x, make(RowCount<6>{}));
    default: throw Error(Exit::internal, "multigrid level with blocks of " + std::to_string(A.row_block));
  }
}

template <class Real, class Make>
void for_transfer(const Device& device, const char* name, const BlockMatrixView<Real>& A, const Real* x, const Make& make) {
  switch (A.row_block * 10 + A.column_block) {
    case 11: return run_rows<Real, 1, 1>(device, name, A, x, make(RowCount<1>{}));
    case 23: return run_rows<Real, 2, 3>(device, name, A, x, make(RowCount<2>{}));
    case 32: return run_rows<Real, 3, 2>(device, name, A, x, make(RowCount<3>{}));
    case 33: return run_rows<Real, 3, 3>(device, name, A, x, make(RowCount<3>{}));
    case 36: return run_rows<Real, 3, 6>(device, name, A, x, make(RowCount<3>{}));
    case 63: return run_rows<Real, 6, 3>(device, name, A, x, make(RowCount<6>{}));
    case 66: return run_rows<Real, 6, 6>(device, name, A, x, make(RowCount<6>{}));
    default: throw Error(Exit::internal, "multigrid transfer with blocks of " + std::to_string(A.row_block) + " x " +
                                             std::to_string(A.column_block));
  }
}

template <class Real>
struct MakeStep {
  Real c1, c2;
  const Real *inverse_diagonal, *b, *x;
  Real *d, *y;
  template <int L>
  ChebyshevStep<Real, L> operator()(RowCount<L>) const {
    return {c1, c2, inverse_diagonal, b, x, d, y};
  }
};

template <class Real>
struct MakeResidual {
  const Real* b;
  Real* r;
  template <int L>
  Residual<Real, L> operator()(RowCount<L>) const {
    return {b, r};
  }
};

template <class Real>
struct MakeStore {
  Real* y;
  template <int L>
  Store<Real, L> operator()(RowCount<L>) const {
    return {y};
  }
};

template <class Real>
struct MakeAdd {
  Real* y;
  template <int L>
  Add<Real, L> operator()(RowCount<L>) const {
    return {y};
  }
};

template <class Real>
void smooth(const Device& device, const BlockMatrixView<Real>& A, Real c1, Real c2, const Real* inverse_diagonal, const Real* b,
            const Real* x, Real* d, Real* y) {
  for_square(device, "smooth", A, x, MakeStep<Real>{c1, c2, inverse_diagonal, b, x, d, y});
}

template <class Real>
void residual(const Device& device, const BlockMatrixView<Real>& A, const Real* b, const Real* x, Real* r) {
  for_square(device, "level residual", A, x, MakeResidual<Real>{b, r});
}

template <class Real>
void multiply(const Device& device, const BlockMatrixView<Real>& A, const Real* x, Real* y) {
  for_transfer(device, "restrict", A, x, MakeStore<Real>{y});
}

template <class Real>
void multiply_add(const Device& device, const BlockMatrixView<Real>& A, const Real* x, Real* y) {
  for_transfer(device, "prolong", A, x, MakeAdd<Real>{y});
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
