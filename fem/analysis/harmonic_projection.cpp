#include "fem/analysis/harmonic_projection.hpp"

#include "solvers/algebra/vectors.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

namespace ritz {
namespace {

// x of A x = b by elimination with pivots. A: [row][column]
ComplexVector solved(std::vector<ComplexVector> A, ComplexVector b) {
  const std::size_t n = b.size();
  for (std::size_t k = 0; k < n; ++k) {
    std::size_t best = k;
    for (std::size_t i = k + 1; i < n; ++i)
      if (std::abs(A[i][k]) > std::abs(A[best][k])) best = i;
    std::swap(A[k], A[best]);
    std::swap(b[k], b[best]);
    for (std::size_t i = k + 1; i < n; ++i) {
      const Complex factor = A[i][k] / A[k][k];
      for (std::size_t j = k; j < n; ++j) A[i][j] -= factor * A[k][j];
      b[i] -= factor * b[k];
    }
  }
  for (std::size_t k = n; k-- > 0;) {
    for (std::size_t j = k + 1; j < n; ++j) b[k] -= A[k][j] * b[j];
    b[k] /= A[k][k];
  }
  return b;
}

Vector like(const Vector& x) { return Vector(x.device(), x.size(), "vectors"); }

}  // namespace

HarmonicProjection::HarmonicProjection(const LinearOperator& K, const LinearOperator& M, const LinearOperator& C,
                                       const LinearOperator& H, std::vector<Vector> forces)
    : matrices_{&K, &M, &C, &H}, images_of_forces_(std::move(forces)) {}

double HarmonicProjection::mass_of(const Vector& x) const {
  Vector Mx = like(x);
  matrices_[1]->apply(x, Mx);
  return dot(x, Mx);
}

void HarmonicProjection::take(Vector x) {
  const double before = mass_of(x);
  for (int pass = 0; pass < 2; ++pass)  // twice is enough
    for (const Column& each : columns_) axpy(-dot(x, each.images[1]), each.v, x);
  const double after = mass_of(x);
  if (!(after > 1e-20 * before)) return;
  axpby(0.0, x, 1 / std::sqrt(after), x);
  Column& column = columns_.emplace_back();
  column.v = std::move(x);
  for (std::size_t which = 0; which < 4; ++which) {
    column.images[which] = like(column.v);
    matrices_[which]->apply(column.v, column.images[which]);
  }
  renew_products();
}

const Vector& HarmonicProjection::image(std::size_t i) const {
  const std::size_t first = images_of_forces_.size();
  return i < first ? images_of_forces_[i] : columns_[(i - first) / 4].images[(i - first) % 4];
}

void HarmonicProjection::renew_products() {
  const std::size_t count = images_of_forces_.size() + 4 * columns_.size(), known = products_.size();
  products_.resize(count);
  for (std::size_t i = 0; i < count; ++i) {
    products_[i].resize(count);
    for (std::size_t j = std::max(i, known); j < count; ++j) products_[i][j] = dot(image(i), image(j));
  }
  for (std::size_t i = 0; i < count; ++i)
    for (std::size_t j = 0; j < i; ++j) products_[i][j] = products_[j][i];
  onto_.resize(columns_.size());
  for (std::size_t k = 0; k < columns_.size(); ++k)
    for (std::size_t i = onto_[k].size(); i < count; ++i) onto_[k].push_back(dot(columns_[k].v, image(i)));
}

ComplexVector HarmonicProjection::coordinates(double frequency, std::span<const Complex> amplitudes) const {
  const double w = 2 * std::numbers::pi * frequency;
  const std::size_t m = columns_.size(), first = amplitudes.size();
  std::vector<ComplexVector> A(m, ComplexVector(m));
  ComplexVector b(m, 0.0);
  for (std::size_t i = 0; i < m; ++i) {
    for (std::size_t j = 0; j < m; ++j) {
      const double* const part = &onto_[i][first + 4 * j];
      A[i][j] = Complex(part[0] - w * w * part[1], w * part[2] + part[3]);
    }
    for (std::size_t k = 0; k < first; ++k) b[i] += amplitudes[k] * onto_[i][k];
  }
  return solved(std::move(A), std::move(b));
}

double HarmonicProjection::residual(double frequency, std::span<const Complex> amplitudes) const {
  const double w = 2 * std::numbers::pi * frequency;
  const std::size_t first = amplitudes.size();
  ComplexVector c(amplitudes.begin(), amplitudes.end());
  for (const Complex& each : coordinates(frequency, amplitudes))
    for (const Complex& factor : {Complex(-1), Complex(w * w), Complex(0, -w), Complex(0, -1)})
      c.push_back(factor * each);
  double left = 0, force = 0;
  for (std::size_t i = 0; i < c.size(); ++i)
    for (std::size_t j = 0; j < c.size(); ++j) {
      const double product = (std::conj(c[i]) * c[j]).real() * products_[i][j];
      left += product;
      if (i < first && j < first) force += product;
    }
  return force > 0 ? std::sqrt(std::max(0.0, left) / force) : 0;
}

double HarmonicProjection::distance(std::span<const Vector> answer, const ComplexVector& coordinates) const {
  double off = 0, all = 0;
  for (std::size_t part = 0; part < 2; ++part) {
    Vector x = like(answer[part]);
    copy(answer[part], x);
    all += mass_of(x);
    for (std::size_t k = 0; k < coordinates.size(); ++k)
      axpy(part == 0 ? -coordinates[k].real() : -coordinates[k].imag(), columns_[k].v, x);
    off += mass_of(x);
  }
  return all > 0 ? std::sqrt(off / all) : 0;
}

}  // namespace ritz
