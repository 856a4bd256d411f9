// Polynomials of a total degree through scattered samples, by least squares. Coordinates are measured by the samples'
// own covariance (the inverse of its symmetric root), so that the fit is the same for any affine image of the points:
// stretched cells do no harm. It turns with the points, also where these do not determine all of the polynomial.
#pragma once

#include "mesh/cell_geometry.hpp"

#include <array>
#include <span>
#include <vector>

namespace ritz {

// 1, x, y, z, x^2, ... up to a degree.
class Monomials {
 public:
  Monomials(int dimension, int degree);
  int count() const { return static_cast<int>(steps_.size()); }
  void at(const double* x, double* values) const {  // [count]
    values[0] = 1;
    for (std::size_t k = 1; k < steps_.size(); ++k) values[k] = values[steps_[k].from] * x[steps_[k].axis];
  }
  std::array<int, 3> powers(int monomial) const;

 private:
  struct Step {
    int from, axis;  // the monomial is that one times this coordinate
  };
  std::vector<Step> steps_;
};

// x -> C^-1/2 (x - centre), C the covariance of the samples.
struct LocalAxes {
  Point centre{};
  double inverse[6] = {};  // of the root of C, lower triangle by rows
  // If the points lie in a plane or on a line, nothing varies across it.
  void set(int dimension, std::span<const Point> points);
  void take(int dimension, const double* x, double* local) const {
    for (int i = 0; i < dimension; ++i) {
      double sum = 0;
      for (int k = 0; k < dimension; ++k) {
        const int row = i > k ? i : k, column = i > k ? k : i;
        sum += inverse[row * (row + 1) / 2 + column] * (x[k] - centre[static_cast<std::size_t>(k)]);
      }
      local[i] = sum;
    }
  }
};

// Normal equations of a fit. Threads have one each.
class NormalEquations {
 public:
  NormalEquations(int unknowns, int columns)
      : n_(static_cast<std::size_t>(unknowns)),
        columns_(static_cast<std::size_t>(columns)),
        matrix_(n_ * n_),
        right_(n_ * columns_),
        factor_(n_ * n_) {}
  void clear();
  void add(const double* basis, const double* sample, double weight);
  // [unknown][column]. A monomial that those before it repeat at the samples, but for this share of its square, is left
  // out: its coefficients are 0. Returns how many.
  static constexpr double least_pivot = 1e-3;
  int solve(double* result);
  // The same where some are left out: of each degree those polynomials, whatever the axes, that vanish at the samples
  // but for lower degrees.
  void solve_turning(const Monomials& monomials, double* result) const;

 private:
  std::size_t n_, columns_;
  std::vector<double> matrix_, right_, factor_;  // lower triangles
};

}  // namespace ritz
