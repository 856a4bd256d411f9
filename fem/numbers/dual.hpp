// Forward-mode derivatives: a number that carries its derivative in one direction. A form evaluated with Dual
// numbers gives its tangent (Griewank and Walther, Evaluating Derivatives, SIAM 2008, ch. 3).
#pragma once

#include <cmath>
#include <concepts>
#include <type_traits>

namespace ritz {

// a where `condition` is positive, else b: instead of an `if` on numbers, which stand for several elements at once.
constexpr double select(double condition, double a, double b) { return condition > 0 ? a : b; }
constexpr float select(float condition, float a, float b) { return condition > 0 ? a : b; }

template <class T>
struct Dual {
  T value, derivative;
  // Plain numbers next to it, such as a form's parameters: rounded before they multiply if the dual is in single
  // precision, as packs of floats do on a CPU. Many GPUs compute 64 times slower in double precision.
  using Plain = std::conditional_t<std::same_as<T, float>, float, double>;
  static constexpr Plain plain(double x) { return static_cast<Plain>(x); }

  Dual() = default;
  // NOLINT: constants mix with duals as they do in formulas
  constexpr Dual(double x) : value(plain(x)), derivative(plain(0.0)) {}
  // NOLINT: numbers without a derivative too
  constexpr Dual(T x) requires(!std::same_as<T, double>) : value(x), derivative(0.0) {}
  constexpr Dual(T x, T dx) : value(x), derivative(dx) {}

  friend constexpr Dual operator+(Dual a, Dual b) { return {a.value + b.value, a.derivative + b.derivative}; }
  friend constexpr Dual operator-(Dual a, Dual b) { return {a.value - b.value, a.derivative - b.derivative}; }
  friend constexpr Dual operator-(Dual a) { return {-a.value, -a.derivative}; }
  friend constexpr Dual operator*(Dual a, Dual b) {
    return {a.value * b.value, a.derivative * b.value + a.value * b.derivative};
  }
  friend constexpr Dual operator/(Dual a, Dual b) {
    const T q = a.value / b.value;
    return {q, (a.derivative - q * b.derivative) / b.value};
  }
  // With a plain number the derivative part costs one operation less.
  friend constexpr Dual operator*(double a, Dual b) { return {plain(a) * b.value, plain(a) * b.derivative}; }
  friend constexpr Dual operator*(Dual a, double b) { return b * a; }
  friend constexpr Dual operator+(double a, Dual b) { return {plain(a) + b.value, b.derivative}; }
  friend constexpr Dual operator+(Dual a, double b) { return b + a; }
  friend constexpr Dual operator-(Dual a, double b) { return {a.value - plain(b), a.derivative}; }
  friend constexpr Dual operator/(Dual a, double b) { return {a.value / plain(b), a.derivative / plain(b)}; }
  friend constexpr Dual operator*(T a, Dual b) requires(!std::same_as<T, double>) {
    return {a * b.value, a * b.derivative};
  }
  friend constexpr Dual operator*(Dual a, T b) requires(!std::same_as<T, double>) { return b * a; }
  friend constexpr Dual operator/(Dual a, T b) requires(!std::same_as<T, double>) {
    return {a.value / b, a.derivative / b};
  }
  constexpr Dual& operator+=(Dual b) { return *this = *this + b; }
  constexpr Dual& operator-=(Dual b) { return *this = *this - b; }
  constexpr Dual& operator*=(Dual b) { return *this = *this * b; }
};

template <class T>
constexpr Dual<T> sqrt(Dual<T> a) {
  using std::sqrt;
  const T root = sqrt(a.value);
  return {root, a.derivative / (Dual<T>::plain(2.0) * root)};
}
template <class T>
constexpr Dual<T> exp(Dual<T> a) {
  using std::exp;
  const T e = exp(a.value);
  return {e, a.derivative * e};
}
template <class T>
constexpr Dual<T> log(Dual<T> a) {
  using std::log;
  return {log(a.value), a.derivative / a.value};
}
template <class T>
constexpr Dual<T> sin(Dual<T> a) {
  using std::cos, std::sin;
  return {sin(a.value), a.derivative * cos(a.value)};
}
template <class T>
constexpr Dual<T> cos(Dual<T> a) {
  using std::cos, std::sin;
  return {cos(a.value), -(a.derivative * sin(a.value))};
}
template <class T>
constexpr Dual<T> pow(Dual<T> a, double b) {
  using std::pow;
  const T p = pow(a.value, Dual<T>::plain(b - 1.0));
  return {p * a.value, Dual<T>::plain(b) * p * a.derivative};
}

template <class T>
constexpr Dual<T> select(Dual<T> condition, Dual<T> a, Dual<T> b) {
  return {select(condition.value, a.value, b.value), select(condition.value, a.derivative, b.derivative)};
}

}  // namespace ritz
