// The root of a decreasing function of one unknown, for implicit steps of inelastic laws: Newton's method inside a
// bracket, with halving where Newton's step leaves it; a fixed number of steps, because lanes do not branch.
#pragma once

#include "fem/numbers/duals.hpp"

#include <limits>

namespace ritz {

// In [0, high], where f(0) > 0 >= f(high); plain numbers. f takes a Dual of the unknown, and its result is compared
// with `size`. Not a number where no root is found to 1e-10 `size`, so that a failure is seen.
template <class T, class F>
constexpr T root_of_decreasing(const F& f, const T& high, const T& size) {
  constexpr int steps = 20;
  T x = 0.0, low = 0.0, top = high, best = 0.0, least = std::numeric_limits<double>::max();
  for (int step = 0; step < steps; ++step) {
    const Dual<T> y = f(Dual<T>(x, T(1.0)));
    const T left = y.value * y.value, better = least - left;
    best = select(better, x, best);
    least = select(better, left, least);
    low = select(y.value, x, low);
    top = select(y.value, top, x);
    const T next = x - y.value / y.derivative;
    // positive inside the bracket
    x = select((next - low) * (top - next), next, 0.5 * (low + top));
  }
  return select(least - 1e-20 * (size * size), T(std::numeric_limits<double>::quiet_NaN()), best);
}

}  // namespace ritz
