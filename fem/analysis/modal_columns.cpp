#include "fem/analysis/modal_columns.hpp"

#include "solvers/algebra/dense_symmetric.hpp"
#include "solvers/algebra/vectors.hpp"

#include <cmath>
#include <cstddef>
#include <utility>

namespace ritz {

// Vectors x_i, K x_i = f_i but for the modes, as columns on which stiffness and masses are diagonal.
struct ModalColumns::Residuals {
  std::vector<Vector> x, Mx;
  std::vector<std::vector<double>> K;  // [i][j] x_i . K x_j
};

namespace {

// Sums of vectors that are orthonormal by K [i][j]; those that depend on others are left out.
std::vector<std::vector<double>> orthonormal_sums(const std::vector<std::vector<double>>& K) {
  const std::size_t n = K.size();
  std::vector<double> scaled(n * n);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j) scaled[i * n + j] = 0.5 * (K[i][j] + K[j][i]) / std::sqrt(K[i][i] * K[j][j]);
  const SymmetricEigen eigen = symmetric_eigen(std::move(scaled), static_cast<int>(n));
  std::vector<std::vector<double>> sums;
  for (std::size_t k = 0; k < n; ++k) {
    if (eigen.values[k] < 1e-9) continue;
    std::vector<double>& sum = sums.emplace_back(n);
    for (std::size_t i = 0; i < n; ++i) sum[i] = eigen.vectors[k * n + i] / std::sqrt(eigen.values[k] * K[i][i]);
  }
  return sums;
}

// [column][vector], M by rows.
std::vector<std::vector<double>> diagonal_sums(const std::vector<std::vector<double>>& K,
                                               const std::vector<double>& M) {
  const std::vector<std::vector<double>> basis = orthonormal_sums(K);
  const std::size_t n = K.size(), m = basis.size();
  std::vector<double> projected(m * m, 0.0);
  for (std::size_t k = 0; k < m; ++k)
    for (std::size_t l = 0; l < m; ++l)
      for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j < n; ++j) projected[k * m + l] += basis[k][i] * M[i * n + j] * basis[l][j];
  const SymmetricEigen eigen = symmetric_eigen(std::move(projected), static_cast<int>(m));
  std::vector<std::vector<double>> columns;
  for (std::size_t c = m; c-- > 0;) {  // the heaviest is the lowest
    std::vector<double>& column = columns.emplace_back(n, 0.0);
    for (std::size_t k = 0; k < m; ++k)
      for (std::size_t i = 0; i < n; ++i) column[i] += eigen.vectors[c * m + k] * basis[k][i];
  }
  return columns;
}

}  // namespace

Vector ModalColumns::zeros() const {
  Vector x(forces_.front().device(), forces_.front().size(), "vectors");
  x.fill_zero();
  return x;
}

void ModalColumns::take_modes() {
  const VibrationModes& modes = space_.modes;
  for (std::size_t k = 0; k < modes.frequencies.size(); ++k) {
    space_.mass.push_back(1);
    space_.stiffness.push_back(static_cast<int>(k) < modes.rigid_count ? 0 : modes.eigen.values[k]);
  }
  if (forces_.empty()) return;
  Vector x = zeros();
  for (std::size_t k = 0; k < modes.frequencies.size(); ++k) {
    modes.eigen.vectors->get_column(static_cast<int>(k), x);
    add_work(x);
  }
}

void ModalColumns::add_residual_vectors(StaticAnswers& answers) {
  Residuals found;
  std::vector<std::size_t> of;  // [vector] its force
  for (std::size_t i = 0; i < forces_.size(); ++i) {
    Vector x = static_rest(answers, i);
    const double all = work_of_modes_[i], rest = dot(x, forces_[i]);
    if (!(rest > 1e-10 * (all + rest))) continue;  // the modes have it all
    found.Mx.push_back(answers.mass_times(x));
    found.x.push_back(std::move(x));
    of.push_back(i);
  }
  if (of.empty()) return;
  for (const Vector& x : found.x) {
    std::vector<double>& row = found.K.emplace_back();
    for (const std::size_t i : of) row.push_back(dot(x, forces_[i]));
  }
  take(found);
}

void ModalColumns::add_work(const Vector& column) {
  for (std::size_t i = 0; i < forces_.size(); ++i) work_[i].push_back(dot(column, forces_[i]));
}

// The static answer to the elastic part of a force, without that of the modes.
Vector ModalColumns::static_rest(StaticAnswers& answers, std::size_t force) {
  const VibrationModes& modes = space_.modes;
  const auto rigid = static_cast<std::size_t>(modes.rigid_count);
  Vector f = zeros(), phi = zeros();
  copy(forces_[force], f);
  for (std::size_t k = 0; k < rigid; ++k) {
    modes.eigen.vectors->get_column(static_cast<int>(k), phi);
    axpy(-work_[force][k], answers.mass_times(phi), f);
  }
  work_of_modes_.resize(forces_.size());
  // Such a force moves the body as a rigid one, or acts on supports.
  if (norm2(answers.free_part(f)) <= 1e-10 * norm2(forces_[force])) return zeros();
  Vector x = answers.to(f);
  double of_modes = 0;
  for (std::size_t k = 0; k < modes.frequencies.size(); ++k) {
    modes.eigen.vectors->get_column(static_cast<int>(k), phi);
    const double part = k < rigid ? dot(phi, answers.mass_times(x)) : work_[force][k] / space_.stiffness[k];
    if (k >= rigid) of_modes += part * work_[force][k];
    axpy(-part, phi, x);
  }
  work_of_modes_[force] = of_modes;
  // The static answer of slender parts is nearly all in the lowest modes: rounding leaves some of it there.
  const Vector Mx = answers.mass_times(x);
  for (std::size_t k = 0; k < modes.frequencies.size(); ++k) {
    modes.eigen.vectors->get_column(static_cast<int>(k), phi);
    axpy(-dot(phi, Mx), phi, x);
  }
  return x;
}

void ModalColumns::take(const Residuals& found) {
  const std::size_t n = found.x.size();
  std::vector<double> M(n * n);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j) M[i * n + j] = dot(found.x[i], found.Mx[j]);
  const std::vector<std::vector<double>> sums = diagonal_sums(found.K, M);
  Vector x = zeros(), Mx = zeros();
  MultiVector& X = space_.residual_vectors.emplace(x.device(), x.size(), static_cast<int>(sums.size()), "eigenvectors");
  for (std::size_t c = 0; c < sums.size(); ++c) {
    fill(0.0, x);
    fill(0.0, Mx);
    for (std::size_t i = 0; i < n; ++i) {
      axpy(sums[c][i], found.x[i], x);
      axpy(sums[c][i], found.Mx[i], Mx);
    }
    X.set_column(static_cast<int>(c), x);
    space_.mass.push_back(dot(x, Mx));
    space_.stiffness.push_back(1);
    add_work(x);
  }
}

}  // namespace ritz
