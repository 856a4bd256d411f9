// (K + i w C + i H - w^2 M) u = f on the span of a few answers: columns V that are orthonormal by the mass. Products of
// all columns and forces are kept, so that a frequency costs a small dense system. Private to fem/analysis.
#pragma once

#include "fem/analysis/harmonic_response.hpp"
#include "solvers/algebra/linear_operator.hpp"

#include <span>
#include <vector>

namespace ritz {

using ComplexVector = std::vector<Complex>;

class HarmonicProjection {
 public:
  // K, M, C and H with prescribed unknowns eliminated, and forces whose sum with complex factors, the
  // amplitudes, is f. Refers to the matrices.
  HarmonicProjection(const LinearOperator& K, const LinearOperator& M, const LinearOperator& C, const LinearOperator& H,
                     std::vector<Vector> forces);

  const std::vector<Vector>& forces() const { return images_of_forces_; }
  std::size_t size() const { return columns_.size(); }
  const Vector& column(std::size_t k) const { return columns_[k].v; }

  // Adds a vector to the span, unless it lies in it.
  void take(Vector x);
  // Factors of the columns in the answer at a frequency [Hz].
  ComplexVector coordinates(double frequency, std::span<const Complex> amplitudes) const;
  // The norm of what is left of the equations, relative to that of the force.
  double residual(double frequency, std::span<const Complex> amplitudes) const;
  // How far an answer, real and imaginary part, is from coordinates, relative to its mean square over the mass.
  double distance(std::span<const Vector> answer, const ComplexVector& coordinates) const;

 private:
  struct Column {
    Vector v, images[4];  // of K, M, C and H
  };
  const Vector& image(std::size_t i) const;
  double mass_of(const Vector& x) const;
  void renew_products();

  const LinearOperator* matrices_[4];
  std::vector<Vector> images_of_forces_;
  std::vector<Column> columns_;
  std::vector<std::vector<double>> products_;  // of images: forces, then K v, M v, C v, H v of each column
  std::vector<std::vector<double>> onto_;      // [column][image]
};

}  // namespace ritz
