#include "fem/physics/stiffness_tensor.hpp"

#include <algorithm>
#include <cmath>

namespace ritz {
namespace {

constexpr std::size_t first[6] = {0, 1, 2, 0, 1, 0}, second[6] = {0, 1, 2, 1, 2, 2};

using Matrix = std::array<std::array<double, 6>, 6>;

// The inverse of a symmetric matrix with positive pivots, by Gauss and Jordan.
Matrix inverse(Matrix a) {
  Matrix result{};
  for (std::size_t i = 0; i < 6; ++i) result[i][i] = 1;
  for (std::size_t k = 0; k < 6; ++k) {
    const double pivot = a[k][k];
    for (std::size_t j = 0; j < 6; ++j) a[k][j] /= pivot, result[k][j] /= pivot;
    for (std::size_t i = 0; i < 6; ++i) {
      if (i == k) continue;
      const double factor = a[i][k];
      for (std::size_t j = 0; j < 6; ++j) a[i][j] -= factor * a[k][j], result[i][j] -= factor * result[k][j];
    }
  }
  return result;
}

}  // namespace

bool Axes::keeps_plane() const {
  return std::ranges::any_of(std::array{first, second, third()},
                             [](const Point& axis) { return std::abs(axis[0]) + std::abs(axis[1]) < 1e-9; });
}

StiffnessTensor StiffnessTensor::isotropic(double young, double poisson) {
  const double lambda = young * poisson / ((1 + poisson) * (1 - 2 * poisson)), mu = young / (2 * (1 + poisson));
  StiffnessTensor result;
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 3; ++j) result.c[i][j] = lambda + (i == j ? 2 * mu : 0);
    result.c[3 + i][3 + i] = mu;
  }
  return result;
}

StiffnessTensor StiffnessTensor::orthotropic(const OrthotropicConstants& k) {
  Matrix compliance{};
  for (std::size_t i = 0; i < 3; ++i) compliance[i][i] = 1 / k.young[i];
  compliance[0][1] = compliance[1][0] = -k.poisson[0] / k.young[0];
  compliance[0][2] = compliance[2][0] = -k.poisson[1] / k.young[0];
  compliance[1][2] = compliance[2][1] = -k.poisson[2] / k.young[1];
  compliance[3][3] = 1 / k.shear[0];
  compliance[4][4] = 1 / k.shear[2];
  compliance[5][5] = 1 / k.shear[1];
  StiffnessTensor result;
  result.c = inverse(compliance);
  return result;
}

namespace {
constexpr std::size_t place_of_pair[6] = {0, 1, 2, 3, 5, 4};  // 11, 22, 33, 12, 13, 23 in our order
}

StiffnessTensor StiffnessTensor::anisotropic(std::span<const double, 21> numbers) {
  StiffnessTensor result;
  std::size_t next = 0;
  for (const std::size_t column : place_of_pair)
    for (const std::size_t row : place_of_pair) {
      result.c[row][column] = result.c[column][row] = numbers[next++];
      if (row == column) break;
    }
  return result;
}

std::array<double, 21> StiffnessTensor::numbers() const {
  std::array<double, 21> all{};
  std::size_t next = 0;
  for (const std::size_t column : place_of_pair)
    for (const std::size_t row : place_of_pair) {
      all[next++] = c[row][column];
      if (row == column) break;
    }
  return all;
}

// Cholesky's factorisation exists.
bool StiffnessTensor::positive_definite() const {
  Matrix l{};
  for (std::size_t j = 0; j < 6; ++j) {
    double pivot = c[j][j];
    for (std::size_t k = 0; k < j; ++k) pivot -= l[j][k] * l[j][k];
    if (!(pivot > 1e-12 * std::abs(c[j][j]))) return false;
    l[j][j] = std::sqrt(pivot);
    for (std::size_t i = j + 1; i < 6; ++i) {
      double entry = c[i][j];
      for (std::size_t k = 0; k < j; ++k) entry -= l[i][k] * l[j][k];
      l[i][j] = entry / l[j][j];
    }
  }
  return true;
}

// C = Q^T C' Q, where Q gives the strains along the axes of those along the axes of space.
StiffnessTensor StiffnessTensor::from_axes(const Axes& axes) const {
  const std::array<Point, 3> r = {axes.first, axes.second, axes.third()};
  Matrix q{};
  for (std::size_t a = 0; a < 6; ++a)
    for (std::size_t k = 0; k < 6; ++k) {
      const std::size_t i = first[k], j = second[k], m = first[a], n = second[a];
      const double both = i == j ? r[m][i] * r[n][j] : 0.5 * (r[m][i] * r[n][j] + r[m][j] * r[n][i]);
      q[a][k] = (a < 3 ? 1 : 2) * both;
    }
  StiffnessTensor result;
  for (std::size_t i = 0; i < 6; ++i)
    for (std::size_t j = 0; j < 6; ++j)
      for (std::size_t a = 0; a < 6; ++a)
        for (std::size_t b = 0; b < 6; ++b) result.c[i][j] += q[a][i] * c[a][b] * q[b][j];
  return result;
}

StiffnessTensor::Six StiffnessTensor::stress(const Six& strain) const {
  Six result{};
  for (std::size_t i = 0; i < 6; ++i)
    for (std::size_t j = 0; j < 6; ++j) result[i] += c[i][j] * strain[j];
  return result;
}

void StiffnessTensor::put(double (&triangle)[Voigt::entries]) const {
  for (int i = 0; i < 6; ++i)
    for (int j = i; j < 6; ++j)
      triangle[Voigt::entry(i, j)] = c[static_cast<std::size_t>(i)][static_cast<std::size_t>(j)];
}

bool StiffnessTensor::is_orthotropic() const {
  for (std::size_t i = 0; i < 6; ++i)
    for (std::size_t j = std::max<std::size_t>(i + 1, 3); j < 6; ++j)
      if (c[i][j] != 0) return false;
  return true;
}

bool StiffnessTensor::couples_plane() const {
  double largest = 0, coupling = 0;
  for (std::size_t i = 0; i < 6; ++i) largest = std::max(largest, std::abs(c[i][i]));
  for (const std::size_t across : {4, 5})
    for (const std::size_t in : {0, 1, 2, 3}) coupling = std::max(coupling, std::abs(c[across][in]));
  return coupling > 1e-9 * largest;
}

StiffnessTensor::Six strain_along(const Point& axis) {
  StiffnessTensor::Six result;
  for (std::size_t k = 0; k < 6; ++k) result[k] = (k < 3 ? 1 : 2) * axis[first[k]] * axis[second[k]];
  return result;
}

}  // namespace ritz
