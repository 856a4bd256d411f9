// Tensors of three dimensions at one point: full (Tensor) and symmetric (Symmetric: xx yy zz xy yz xz), of numbers of
// any kind: double, packs of lanes, dual numbers. Nothing branches on values.
//
//   const Symmetric<T> C = right_cauchy_green(F);       // F^T F
//   const Symmetric<T> E = 0.5 * log(C);                // and sqrt, exp, power(C, a), inverse
//
// Functions of a symmetric tensor, f(A) = Q f(diag) Q^T, have derivatives that are safe at equal eigenvalues: with
// directions in the eigenvectors' frame, d f(A)_ij = f[a_i, a_j] dA_ij, where f[x, y] = (f(x) - f(y)) / (x - y) is
// computed without cancellation (Daleckii and Krein; Higham, Functions of Matrices, SIAM 2008, theorem 3.11).
// Eigenvectors come from Jacobi's rotations (Golub and Van Loan, Matrix Computations, section 8.5), a fixed number of
// sweeps.
#pragma once

#include "fem/numbers/duals.hpp"

#include <cmath>

namespace ritz {

// The numbers xx yy zz xy yz xz: row and column of number k, and the number of (i, j). Arithmetic, since kernels cannot
// index tables.
constexpr int voigt_row(int k) { return k < 3 ? k : k == 4 ? 1 : 0; }
constexpr int voigt_column(int k) { return k < 3 ? k : k == 3 ? 1 : 2; }
constexpr int voigt(int i, int j) { return i == j ? i : i + j == 1 ? 3 : i + j == 3 ? 4 : 5; }

template <class T>
struct Tensor {
  T v[3][3];

  static constexpr Tensor identity() {
    Tensor a;
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) a.v[i][j] = i == j ? 1.0 : 0.0;
    return a;
  }
  constexpr T& operator()(int i, int j) { return v[i][j]; }
  constexpr const T& operator()(int i, int j) const { return v[i][j]; }
  friend constexpr Tensor operator*(const Tensor& a, const Tensor& b) {
    Tensor c;
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) c.v[i][j] = a.v[i][0] * b.v[0][j] + a.v[i][1] * b.v[1][j] + a.v[i][2] * b.v[2][j];
    return c;
  }
};

template <class T>
struct Symmetric {
  T v[6];

  static constexpr Symmetric diagonal(const T& a, const T& b, const T& c) { return {{a, b, c, 0.0, 0.0, 0.0}}; }
  static constexpr Symmetric identity() { return diagonal(1.0, 1.0, 1.0); }
  static constexpr Symmetric zero() { return diagonal(0.0, 0.0, 0.0); }
  constexpr T& operator[](int k) { return v[k]; }
  constexpr const T& operator[](int k) const { return v[k]; }
  constexpr const T& operator()(int i, int j) const { return v[voigt(i, j)]; }

  friend constexpr Symmetric operator+(Symmetric a, const Symmetric& b) {
    for (int k = 0; k < 6; ++k) a.v[k] += b.v[k];
    return a;
  }
  friend constexpr Symmetric operator-(Symmetric a, const Symmetric& b) {
    for (int k = 0; k < 6; ++k) a.v[k] -= b.v[k];
    return a;
  }
  // Scaled by a number of this kind, or by a plain one.
  template <class X>
  friend constexpr Symmetric operator*(const X& x, Symmetric a) {
    for (int k = 0; k < 6; ++k) a.v[k] = x * a.v[k];
    return a;
  }
  constexpr Symmetric& operator+=(const Symmetric& b) { return *this = *this + b; }
  constexpr Symmetric& operator-=(const Symmetric& b) { return *this = *this - b; }
};

template <class T>
constexpr T trace(const Symmetric<T>& a) {
  return a[0] + a[1] + a[2];
}
// a : b
template <class T>
constexpr T contract(const Symmetric<T>& a, const Symmetric<T>& b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + 2.0 * (a[3] * b[3] + a[4] * b[4] + a[5] * b[5]);
}
template <class T>
constexpr Symmetric<T> deviator(Symmetric<T> a) {
  const T mean = (1.0 / 3) * trace(a);
  for (int k = 0; k < 3; ++k) a[k] -= mean;
  return a;
}
template <class T>
constexpr T det(const Symmetric<T>& a) {
  return a[0] * (a[1] * a[2] - a[4] * a[4]) - a[3] * (a[3] * a[2] - a[4] * a[5]) + a[5] * (a[3] * a[4] - a[1] * a[5]);
}
template <class T>
constexpr T det(const Tensor<T>& a) {
  return a(0, 0) * (a(1, 1) * a(2, 2) - a(1, 2) * a(2, 1)) - a(0, 1) * (a(1, 0) * a(2, 2) - a(1, 2) * a(2, 0)) +
         a(0, 2) * (a(1, 0) * a(2, 1) - a(1, 1) * a(2, 0));
}
// det(I + a) - 1 without cancellation at small a.
template <class T>
constexpr T det_less_one(const Symmetric<T>& a) {
  const T second = a[0] * a[1] + a[1] * a[2] + a[2] * a[0] - a[3] * a[3] - a[4] * a[4] - a[5] * a[5];
  return trace(a) + second + det(a);
}
// The cofactors of a, det(a) a^-1.
template <class T>
constexpr Symmetric<T> cofactors(const Symmetric<T>& a) {
  return {{a[1] * a[2] - a[4] * a[4], a[0] * a[2] - a[5] * a[5], a[0] * a[1] - a[3] * a[3], a[5] * a[4] - a[3] * a[2],
           a[3] * a[5] - a[0] * a[4], a[3] * a[4] - a[5] * a[1]}};
}
template <class T>
constexpr Symmetric<T> inverse(const Symmetric<T>& a) {
  return (T(1.0) / det(a)) * cofactors(a);
}
template <class T>
constexpr Tensor<T> inverse(const Tensor<T>& a) {
  const T scale = T(1.0) / det(a);
  Tensor<T> b;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) {
      const int k = (i + 1) % 3, l = (i + 2) % 3, m = (j + 1) % 3, n = (j + 2) % 3;
      b(j, i) = scale * (a(k, m) * a(l, n) - a(k, n) * a(l, m));
    }
  return b;
}
template <class T>
constexpr Tensor<T> transposed(const Tensor<T>& a) {
  Tensor<T> b;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) b(i, j) = a(j, i);
  return b;
}
template <class T>
constexpr Tensor<T> full(const Symmetric<T>& a) {
  Tensor<T> b;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) b(i, j) = a(i, j);
  return b;
}
template <class T>
constexpr Symmetric<T> symmetric_part(const Tensor<T>& a) {
  Symmetric<T> s;
  for (int k = 0; k < 6; ++k) s[k] = 0.5 * (a(voigt_row(k), voigt_column(k)) + a(voigt_column(k), voigt_row(k)));
  return s;
}
template <class T>
constexpr Symmetric<T> squared(const Symmetric<T>& a) {
  return symmetric_part(full(a) * full(a));
}
// q a q^T
template <class T>
constexpr Symmetric<T> turned(const Tensor<T>& q, const Symmetric<T>& a) {
  return symmetric_part(q * full(a) * transposed(q));
}
// F^T F, and half of it less the identity, from H = F - I without cancellation: E = sym H + H^T H / 2.
template <class T>
constexpr Symmetric<T> right_cauchy_green(const Tensor<T>& F) {
  return symmetric_part(transposed(F) * F);
}
template <class T>
constexpr Symmetric<T> green_lagrange(const Tensor<T>& H) {
  return symmetric_part(H) + 0.5 * right_cauchy_green(H);
}

template <class T>
struct Spectrum {
  T values[3];        // in no order
  Tensor<T> vectors;  // columns, orthonormal
};

// One rotation that makes number (p, q) zero.
template <class T>
constexpr void rotate(T (&a)[3][3], Tensor<T>& vectors, int p, int q) {
  using std::sqrt;
  const int r = 3 - p - q;
  const T gap = a[q][q] - a[p][p], twice = 2.0 * a[p][q], sign = select(gap, T(1.0), T(-1.0));
  // the tangent of the smaller angle; 1e-150 guards 0 / 0, where squares underflow
  const T t = sign * twice / (sign * gap + sqrt(gap * gap + twice * twice) + T(1e-150));
  const T c = T(1.0) / sqrt(T(1.0) + t * t), s = t * c;
  a[p][p] -= t * a[p][q];
  a[q][q] += t * a[p][q];
  a[p][q] = a[q][p] = 0.0;
  const T x = a[r][p], y = a[r][q];
  a[r][p] = a[p][r] = c * x - s * y;
  a[r][q] = a[q][r] = s * x + c * y;
  for (int i = 0; i < 3; ++i) {
    const T v = vectors(i, p), w = vectors(i, q);
    vectors(i, p) = c * v - s * w;
    vectors(i, q) = s * v + c * w;
  }
}

// Eigenvalues and eigenvectors; plain numbers.
template <class T>
constexpr Spectrum<T> spectrum(const Symmetric<T>& symmetric) {
  constexpr int sweeps = 5;
  T a[3][3];
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) a[i][j] = symmetric(i, j);
  Spectrum<T> result{{}, Tensor<T>::identity()};
  for (int sweep = 0; sweep < sweeps; ++sweep) {
    rotate(a, result.vectors, 0, 1);
    rotate(a, result.vectors, 0, 2);
    rotate(a, result.vectors, 1, 2);
  }
  for (int i = 0; i < 3; ++i) result.values[i] = a[i][i];
  return result;
}

// Functions of one number: the value, and the divided difference f[x, y] from both numbers and their values, so that it
// costs no further function.
struct Logarithm {
  template <class T>
  constexpr T value(const T& x) const {
    using std::log;
    return log(x);
  }
  template <class T>
  constexpr T difference(const T& x, const T& fx, const T& y, const T& fy) const {
    const T d = x - y, close = near(x, y);
    return select(close, of_near(x, y), (fx - fy) / select(close, T(1.0), d));
  }
  // Positive where the series holds: log(x / y) = 2 artanh((x - y) / (x + y)).
  template <class T>
  static constexpr T near(const T& x, const T& y) {
    const T r = (x - y) / (x + y);
    return T(2.5e-3) - r * r;
  }
  template <class T>
  static constexpr T of_near(const T& x, const T& y) {
    const T sum = x + y, r = (x - y) / sum, r2 = r * r;
    T series = 1.0 / 13;
    for (int n = 11; n > 0; n -= 2) series = series * r2 + 1.0 / n;
    return 2.0 * series / sum;
  }
};
struct Exponential {
  template <class T>
  constexpr T value(const T& x) const {
    using std::exp;
    return exp(x);
  }
  template <class T>
  constexpr T difference(const T& x, const T& fx, const T& y, const T& fy) const {
    using std::sqrt;
    const T h = 0.5 * (x - y), close = T(0.1) - h * h;
    return select(close, sqrt(fx * fy) * sinh_over(h), (fx - fy) / select(close, T(1.0), x - y));
  }
  // sinh(h) / h for h^2 < 0.1.
  template <class T>
  static constexpr T sinh_over(const T& h) {
    const T h2 = h * h;
    T series = 1.0;
    for (int n = 12; n > 0; n -= 2) series = series * h2 * (1.0 / (n * (n + 1))) + 1.0;
    return series;
  }
};
struct SquareRoot {
  template <class T>
  constexpr T value(const T& x) const {
    using std::sqrt;
    return sqrt(x);
  }
  template <class T>
  constexpr T difference(const T&, const T& fx, const T&, const T& fy) const {
    return T(1.0) / (fx + fy);
  }
};
// x^a; near: the chain rule of divided differences over exp(a log x).
struct Power {
  double exponent;
  template <class T>
  constexpr T value(const T& x) const {
    using std::pow;
    return pow(x, exponent);
  }
  template <class T>
  constexpr T difference(const T& x, const T& fx, const T& y, const T& fy) const {
    using std::sqrt;
    const T of_log = Logarithm::of_near(x, y), h = (0.5 * exponent) * (of_log * (x - y));
    const T small = T(0.1) - h * h, close = select(small, Logarithm::near(x, y), small);
    const T near_value = exponent * (sqrt(fx * fy) * Exponential::sinh_over(h) * of_log);
    return select(close, near_value, (fx - fy) / select(close, T(1.0), x - y));
  }
};
// Values at the eigenvalues, and differences of the pairs xx yy zz xy yz xz.
template <class F, class T>
struct SpectralValues {
  T values[3], differences[6];
  constexpr SpectralValues(const F& f, const Spectrum<T>& s) {
    for (int i = 0; i < 3; ++i) values[i] = f.value(s.values[i]);
    for (int k = 0; k < 6; ++k) {
      const int i = voigt_row(k), j = voigt_column(k);
      differences[k] = f.difference(s.values[i], values[i], s.values[j], values[j]);
    }
  }
};

// f(A), with its derivatives where the numbers have directions.
template <class F, class V>
constexpr Symmetric<V> apply(const F& f, const Symmetric<V>& a) {
  using T = Plain<V>;
  constexpr int N = directions_of<V>;
  Symmetric<T> plain;
  for (int k = 0; k < 6; ++k) plain[k] = plain_of(a[k]);
  const Spectrum<T> s = spectrum(plain);
  const SpectralValues<F, T> of(f, s);
  const Symmetric<T> value = turned(s.vectors, Symmetric<T>::diagonal(of.values[0], of.values[1], of.values[2]));
  Symmetric<V> result;
  for (int k = 0; k < 6; ++k) result[k] = V(value[k]);
  if constexpr (N > 0) {
    const Tensor<T> back = transposed(s.vectors);
    for (int d = 0; d < N; ++d) {
      Symmetric<T> along;
      for (int k = 0; k < 6; ++k) along[k] = derivative_of(a[k], d);
      along = turned(back, along);
      for (int k = 0; k < 6; ++k) along[k] *= of.differences[k];
      along = turned(s.vectors, along);
      for (int k = 0; k < 6; ++k) derivative_of(result[k], d) = along[k];
    }
  }
  return result;
}
template <class V>
constexpr Symmetric<V> log(const Symmetric<V>& a) {
  return apply(Logarithm{}, a);
}
template <class V>
constexpr Symmetric<V> exp(const Symmetric<V>& a) {
  return apply(Exponential{}, a);
}
template <class V>
constexpr Symmetric<V> sqrt(const Symmetric<V>& a) {
  return apply(SquareRoot{}, a);
}
template <class V>
constexpr Symmetric<V> power(const Symmetric<V>& a, double exponent) {
  return apply(Power{exponent}, a);
}

// Eigenvalues, and their vectors, in descending order.
template <class T>
constexpr Spectrum<T> descending(Spectrum<T> s) {
  const auto in_order = [&s](int i, int j) {
    const T wrong = s.values[j] - s.values[i], x = s.values[i];
    s.values[i] = select(wrong, s.values[j], x);
    s.values[j] = select(wrong, x, s.values[j]);
    for (int r = 0; r < 3; ++r) {
      const T v = s.vectors(r, i);
      s.vectors(r, i) = select(wrong, s.vectors(r, j), v);
      s.vectors(r, j) = select(wrong, v, s.vectors(r, j));
    }
  };
  in_order(0, 1);
  in_order(1, 2);
  in_order(0, 1);
  return s;
}

// An isotropic tensor function whose values depend on all eigenvalues: f(in, out) takes them in descending order, as
// numbers with derivatives. d_ij = (out_i - out_j) / (in_i - in_j) da_ij in the eigenvectors' frame, and where two are
// equal the limit d(out_i - out_j)/d(in_i): Chadwick and Ogden, Arch. Rational Mech. Anal. 44 (1971) 54.
template <class F, class V>
constexpr Symmetric<V> apply_to_all(const F& f, const Symmetric<V>& a) {
  using T = Plain<V>;
  constexpr int N = directions_of<V>;
  using X = std::conditional_t<(N > 0), Duals<T, 3>, T>;
  Symmetric<T> plain;
  for (int k = 0; k < 6; ++k) plain[k] = plain_of(a[k]);
  const Spectrum<T> s = descending(spectrum(plain));
  X in[3], out[3];
  for (int i = 0; i < 3; ++i) {
    in[i] = X(s.values[i]);
    if constexpr (N > 0) in[i].derivative[i] = 1.0;
  }
  f(in, out);
  const Symmetric<T> value =
      turned(s.vectors, Symmetric<T>::diagonal(plain_of(out[0]), plain_of(out[1]), plain_of(out[2])));
  Symmetric<V> result;
  for (int k = 0; k < 6; ++k) result[k] = V(value[k]);
  if constexpr (N > 0) {
    const T size = contract(plain, plain);
    T shear[6];  // those of the pairs xy yz xz
    for (int k = 3; k < 6; ++k) {
      const int i = voigt_row(k), j = voigt_column(k);
      const T gap = s.values[i] - s.values[j], apart = gap * gap - 1e-12 * size;
      const T limit = 0.5 * (out[i].derivative[i] - out[j].derivative[i] + out[j].derivative[j] - out[i].derivative[j]);
      shear[k] = select(apart, (out[i].value - out[j].value) / select(apart, gap, T(1.0)), limit);
    }
    const Tensor<T> back = transposed(s.vectors);
    for (int d = 0; d < N; ++d) {
      Symmetric<T> along, change;
      for (int k = 0; k < 6; ++k) along[k] = derivative_of(a[k], d);
      along = turned(back, along);
      for (int k = 0; k < 3; ++k)
        change[k] = out[k].derivative[0] * along[0] + out[k].derivative[1] * along[1] + out[k].derivative[2] * along[2];
      for (int k = 3; k < 6; ++k) change[k] = shear[k] * along[k];
      change = turned(s.vectors, change);
      for (int k = 0; k < 6; ++k) derivative_of(result[k], d) = change[k];
    }
  }
  return result;
}

// F = R U
template <class T>
struct Polar {
  Tensor<T> rotation;
  Symmetric<T> stretch;
};
template <class T>
constexpr Polar<T> polar(const Tensor<T>& F) {
  const Symmetric<T> U = sqrt(right_cauchy_green(F));
  return {F * full(inverse(U)), U};
}

// The second divided difference of the logarithm, log[x, y, z]; symmetric in its arguments. fx, fy, fz: their
// logarithms.
template <class T>
constexpr T second_difference_of_log(T x, T fx, T y, T fy, T z, T fz) {
  const auto in_order = [](T& low, T& f_low, T& high, T& f_high) {
    const T d = low - high, smaller = select(d, high, low), f_smaller = select(d, f_high, f_low);
    high = select(d, low, high);
    f_high = select(d, f_low, f_high);
    low = smaller;
    f_low = f_smaller;
  };
  in_order(x, fx, y, fy);
  in_order(y, fy, z, fz);
  in_order(x, fx, y, fy);
  // far apart: from the first differences, over the largest distance
  const T scale = 3.0 / (x + y + z), a = x * scale - 1.0, b = y * scale - 1.0, c = z * scale - 1.0, width = c - a;
  const T near = T(0.06) - width, apart = select(near, T(1.0), z - x);
  const T far_value = (Logarithm{}.difference(y, fy, z, fz) - Logarithm{}.difference(x, fx, y, fy)) / apart;
  // near: the series around the mean, sum of (-1)^(k+1)/k h_(k-2)(a, b, c), h the complete homogeneous polynomials,
  // h_n = e1 h_(n-1) - e2 h_(n-2) + e3 h_(n-3) with e1 = 0
  const T e2 = a * b + b * c + c * a, e3 = a * b * c;
  T before = 0.0, last = 0.0, h = 1.0, sum = 0.0;
  for (int k = 2; k <= 14; ++k) {
    sum += (k % 2 == 0 ? -1.0 / k : 1.0 / k) * h;
    const T next = e3 * before - e2 * last;
    before = last;
    last = h;
    h = next;
  }
  return select(near, sum * (scale * scale), far_value);
}

}  // namespace ritz
