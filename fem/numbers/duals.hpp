// Numbers with derivatives in several directions at once. A law of six strains has its value computed once and its six
// columns of moduli with it, where Dual would compute the value six times. Same rules as fem/numbers/dual.hpp.
//
//   Duals<double, 2> x(3, 0), y(4, 1);           // x and y, with respect to themselves
//   sqrt(x * x + y * y).derivative[1]            // 0.8
//
// plain_of(x), derivative_of(x, d) and directions_of<V> read numbers of any kind: plain ones have no directions.
#pragma once

#include "fem/numbers/dual.hpp"

namespace ritz {

template <class T, int N>
struct Duals {
  T value, derivative[N];

  Duals() = default;
  // NOLINT: constants mix with duals as they do in formulas
  constexpr Duals(double x) : value(x) {
    for (int d = 0; d < N; ++d) derivative[d] = 0.0;
  }
  // NOLINT: numbers without a derivative too
  constexpr Duals(T x) requires(!std::same_as<T, double>) : value(x) {
    for (int d = 0; d < N; ++d) derivative[d] = 0.0;
  }
  // The variable of direction `along`.
  constexpr Duals(T x, int along) : Duals(x) { derivative[along] = 1.0; }

  // The chain rule: a function of a (and b) with these partial derivatives.
  static constexpr Duals chained(T value, T slope, const Duals& a) {
    Duals r;
    r.value = value;
    for (int d = 0; d < N; ++d) r.derivative[d] = slope * a.derivative[d];
    return r;
  }
  static constexpr Duals chained(T value, T slope_a, const Duals& a, T slope_b, const Duals& b) {
    Duals r;
    r.value = value;
    for (int d = 0; d < N; ++d) r.derivative[d] = slope_a * a.derivative[d] + slope_b * b.derivative[d];
    return r;
  }

  friend constexpr Duals operator+(Duals a, const Duals& b) { return a += b; }
  friend constexpr Duals operator-(Duals a, const Duals& b) { return a -= b; }
  friend constexpr Duals operator-(const Duals& a) {
    Duals r;
    r.value = -a.value;
    for (int d = 0; d < N; ++d) r.derivative[d] = -a.derivative[d];
    return r;
  }
  friend constexpr Duals operator*(const Duals& a, const Duals& b) {
    return chained(a.value * b.value, b.value, a, a.value, b);
  }
  friend constexpr Duals operator/(const Duals& a, const Duals& b) {
    const T inverse = T(1.0) / b.value, q = a.value * inverse;
    return chained(q, inverse, a, -(q * inverse), b);
  }
  friend constexpr Duals operator+(Duals a, const T& b) { return a.value += b, a; }
  friend constexpr Duals operator+(const T& b, Duals a) { return a.value += b, a; }
  friend constexpr Duals operator-(Duals a, const T& b) { return a.value -= b, a; }
  friend constexpr Duals operator-(const T& b, const Duals& a) { return -a + b; }
  friend constexpr Duals operator*(const Duals& a, const T& b) { return chained(a.value * b, b, a); }
  friend constexpr Duals operator*(const T& b, const Duals& a) { return chained(a.value * b, b, a); }
  friend constexpr Duals operator/(const Duals& a, const T& b) { return a * (T(1.0) / b); }
  friend constexpr Duals operator/(const T& b, const Duals& a) { return Duals(b) / a; }
  friend constexpr Duals operator+(const Duals& a, double b) requires(!std::same_as<T, double>) { return a + T(b); }
  friend constexpr Duals operator+(double b, const Duals& a) requires(!std::same_as<T, double>) { return a + T(b); }
  friend constexpr Duals operator-(const Duals& a, double b) requires(!std::same_as<T, double>) { return a - T(b); }
  friend constexpr Duals operator-(double b, const Duals& a) requires(!std::same_as<T, double>) { return T(b) - a; }
  friend constexpr Duals operator*(const Duals& a, double b) requires(!std::same_as<T, double>) { return a * T(b); }
  friend constexpr Duals operator*(double b, const Duals& a) requires(!std::same_as<T, double>) { return a * T(b); }
  friend constexpr Duals operator/(const Duals& a, double b) requires(!std::same_as<T, double>) {
    return a * T(1.0 / b);
  }
  friend constexpr Duals operator/(double b, const Duals& a) requires(!std::same_as<T, double>) { return T(b) / a; }
  constexpr Duals& operator+=(const Duals& b) {
    value += b.value;
    for (int d = 0; d < N; ++d) derivative[d] += b.derivative[d];
    return *this;
  }
  constexpr Duals& operator-=(const Duals& b) {
    value -= b.value;
    for (int d = 0; d < N; ++d) derivative[d] -= b.derivative[d];
    return *this;
  }
  constexpr Duals& operator*=(const Duals& b) { return *this = *this * b; }
};

template <class T, int N>
constexpr Duals<T, N> sqrt(const Duals<T, N>& a) {
  using std::sqrt;
  const T root = sqrt(a.value);
  return Duals<T, N>::chained(root, T(0.5) / root, a);
}
template <class T, int N>
constexpr Duals<T, N> exp(const Duals<T, N>& a) {
  using std::exp;
  const T e = exp(a.value);
  return Duals<T, N>::chained(e, e, a);
}
template <class T, int N>
constexpr Duals<T, N> log(const Duals<T, N>& a) {
  using std::log;
  return Duals<T, N>::chained(log(a.value), T(1.0) / a.value, a);
}
template <class T, int N>
constexpr Duals<T, N> pow(const Duals<T, N>& a, double b) {
  using std::pow;
  const T p = pow(a.value, b - 1);
  return Duals<T, N>::chained(p * a.value, b * p, a);
}
template <class T, int N>
constexpr Duals<T, N> select(const Duals<T, N>& condition, const Duals<T, N>& a, const Duals<T, N>& b) {
  Duals<T, N> r;
  r.value = select(condition.value, a.value, b.value);
  for (int d = 0; d < N; ++d) r.derivative[d] = select(condition.value, a.derivative[d], b.derivative[d]);
  return r;
}

// The kind of number without derivatives, and how many directions there are.
template <class V>
struct NumberKind {
  using Plain = V;
  static constexpr int directions = 0;
};
template <class T>
struct NumberKind<Dual<T>> {
  using Plain = T;
  static constexpr int directions = 1;
};
template <class T, int N>
struct NumberKind<Duals<T, N>> {
  using Plain = T;
  static constexpr int directions = N;
};
template <class V>
using Plain = typename NumberKind<V>::Plain;
template <class V>
inline constexpr int directions_of = NumberKind<V>::directions;

template <class V>
constexpr const Plain<V>& plain_of(const V& x) {
  if constexpr (directions_of<V> == 0) return x;
  else return x.value;
}
template <class T>
constexpr T& derivative_of(Dual<T>& x, int) {
  return x.derivative;
}
template <class T>
constexpr const T& derivative_of(const Dual<T>& x, int) {
  return x.derivative;
}
template <class T, int N>
constexpr T& derivative_of(Duals<T, N>& x, int d) {
  return x.derivative[d];
}
template <class T, int N>
constexpr const T& derivative_of(const Duals<T, N>& x, int d) {
  return x.derivative[d];
}

// A root x of f(x) = 0 that depends on what f is made of: one step of Newton's method with derivatives, from the plain
// root and the plain slope df/dx, gives x its derivatives (implicit function theorem).
template <class V>
constexpr V with_derivatives(const Plain<V>& root, const V& residual, const Plain<V>& slope) {
  V x(root);
  if constexpr (directions_of < V >> 0) {
    for (int d = 0; d < directions_of<V>; ++d) derivative_of(x, d) = -derivative_of(residual, d) / slope;
  }
  return x;
}

}  // namespace ritz
