// A piecewise linear function of one argument, small enough to be a number of a form: a material's property over the
// temperature.
//
//   PiecewiseLinear k = PiecewiseLinear::through({{20, 50}, {400, 42}, {800, 31}});    // rows of argument and value
//   k.value(T);        // constant below the first row and above the last one
//   k.integral(T);     // of the value, from the first row to T, in closed form: an enthalpy, where the value is a heat
//   capacity
//
// Both are sums over the segments of what lies below T, written with `select` in the place of branches: T may be a pack
// of elements or a dual number. The derivative of `integral` is `value`, to the last bit; that of `value` is the slope
// of the segment at or below T.
#pragma once

#include "fem/numbers/dual.hpp"

#include <array>
#include <span>
#include <vector>

namespace ritz {

struct PiecewiseLinear {
  static constexpr int most_rows = 24;
  double argument[most_rows] = {};  // ascending
  double slope[most_rows] = {};     // from this row to the next one
  double first = 0;                 // value at the first row
  int rows = 1;

  // Rows of argument and value, the arguments ascending. Rows on the line between their neighbours are left out.
  // Throws Error: Exit::input for arguments that do not ascend, numbers that are not finite, no rows, or more than
  // `most_rows`.
  static PiecewiseLinear through(std::span<const std::array<double, 2>> rows);
  static PiecewiseLinear through(std::initializer_list<std::array<double, 2>> rows) {
    return through(std::span(rows.begin(), rows.size()));
  }

  double lowest() const { return argument[0]; }
  double highest() const { return argument[rows - 1]; }

  template <class T>
  constexpr T value(const T& x) const {
    T sum = first;
    for (int i = 0; i + 1 < rows; ++i) sum = sum + slope[i] * part_below(x, i);
    return sum;
  }

  template <class T>
  constexpr T integral(const T& x) const {
    const T before = x - argument[0];
    double at_row = first;
    T sum = first * select(before, T(0.0), before);
    for (int i = 0; i + 1 < rows; ++i) {
      const T part = part_below(x, i);
      sum = sum + part * (at_row + (0.5 * slope[i]) * part);
      at_row += slope[i] * (argument[i + 1] - argument[i]);
    }
    const T beyond = x - argument[rows - 1];
    return sum + at_row * select(beyond, beyond, T(0.0));
  }

 private:
  // Length of the segment from row i to the next one that lies below x. A row belongs to the segment below it.
  template <class T>
  constexpr T part_below(const T& x, int i) const {
    const double length = argument[i + 1] - argument[i];
    const T part = x - argument[i];
    return select(part, select(part - length, T(length), part), T(0.0));
  }
};

}  // namespace ritz
