// Mixes numbers of different kinds in a user's formula: coordinates, which have no derivatives, unknowns with two of
// them, and constants in select(). Included by fem/add_form.hpp, for plugins.
//
//   const T length = x[1][0] + u[1][0];                  // X + T, also where an energy is differentiated twice
//   return select(stretch, 0.5 * k * stretch * stretch, 0.0);
#pragma once

#include "fem/numbers/dual.hpp"

#include <concepts>

namespace ritz {

template <class X>
concept NumberOfElements = !std::is_arithmetic_v<X>;  // of several at once; double and float mix with duals as they are

template <NumberOfElements X>
constexpr Dual<Dual<X>> operator+(X a, Dual<Dual<X>> b) {
  return {a + b.value, b.derivative};
}
template <NumberOfElements X>
constexpr Dual<Dual<X>> operator+(Dual<Dual<X>> a, X b) {
  return {a.value + b, a.derivative};
}
template <NumberOfElements X>
constexpr Dual<Dual<X>> operator-(X a, Dual<Dual<X>> b) {
  return {a - b.value, -b.derivative};
}
template <NumberOfElements X>
constexpr Dual<Dual<X>> operator-(Dual<Dual<X>> a, X b) {
  return {a.value - b, a.derivative};
}
template <NumberOfElements X>
constexpr Dual<Dual<X>> operator/(X a, Dual<Dual<X>> b) {
  return Dual<Dual<X>>(Dual<X>(a)) / b;
}

// For a and b that are not both of the kind of the condition.
template <class T, std::convertible_to<T> A, std::convertible_to<T> B>
requires(!(std::same_as<A, T> && std::same_as<B, T>)) constexpr T select(T condition, A a, B b) {
  return select(condition, static_cast<T>(a), static_cast<T>(b));
}

}  // namespace ritz
