// A number without its derivatives: what a form holds constant while its tangent is derived.
#pragma once

#include "fem/numbers/dual.hpp"

namespace ritz {

template <class T>
constexpr T frozen(const T& number) {
  return number;
}
template <class T>
constexpr Dual<T> frozen(const Dual<T>& number) {
  return {frozen(number.value), T(0.0)};
}

}  // namespace ritz
