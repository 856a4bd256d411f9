// Polynomials of a total degree through scattered samples, by least squares. Coordinates are taken along the axes of
// the samples' own covariance (its Cholesky factor), so that the fit is the same for any affine image of the points:
// stretched cells do no harm.
#pragma once

#include "mesh/cell_geometry.hpp"

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

 private:
  struct Step {
    int from, axis;  // the monomial is that one times this coordinate
  };
  std::vector<Step> steps_;
};

// x -> L^-1 (x - centre), L L^T the covariance of the samples.
struct LocalAxes {
  Point centre{};
  double inverse[6] = {};  // of L, lower triangle by rows
  // If the points lie in a plane or on a line, nothing varies across it.
  void set(int dimension, std::span<const Point> points);
  void take(int dimension, const double* x, double* local) const {
    int entry = 0;
    for (int i = 0; i < dimension; ++i) {
      double sum = 0;
      for (int k = 0; k <= i; ++k) sum += inverse[entry++] * (x[k] - centre[static_cast<std::size_t>(k)]);
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
        right_(n_ * columns_) {}
  void clear();
  void add(const double* basis, const double* sample, double weight);
  // [unknown][column]. A monomial that those before it repeat at the samples, but for this share of its square, is left
  // out: its coefficients are 0. Returns how many. The equations are used up.
  static constexpr double least_pivot = 1e-3;
  int solve(double* result);

 private:
  std::size_t n_, columns_;
  std::vector<double> matrix_, right_;
};

}  // namespace ritz
