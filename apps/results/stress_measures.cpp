#include "apps/results/stress_measures.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace ritz {

double von_mises(SymmetricTensor s) {
  const double a = s[0] - s[1], b = s[1] - s[2], c = s[2] - s[0];
  return std::sqrt(0.5 * (a * a + b * b + c * c) + 3 * (s[3] * s[3] + s[4] * s[4] + s[5] * s[5]));
}

std::array<double, 3> principal_values(SymmetricTensor t) {
  const double mean = (t[0] + t[1] + t[2]) / 3;
  const double x = t[0] - mean, y = t[1] - mean, z = t[2] - mean, xy = t[3], yz = t[4], xz = t[5];
  const double p = std::sqrt((x * x + y * y + z * z + 2 * (xy * xy + yz * yz + xz * xz)) / 6);
  if (p == 0) return {mean, mean, mean};
  const double determinant = x * (y * z - yz * yz) - xy * (xy * z - yz * xz) + xz * (xy * yz - y * xz);
  const double angle = std::acos(std::clamp(determinant / (2 * p * p * p), -1.0, 1.0)) / 3;
  const double first = mean + 2 * p * std::cos(angle);
  const double third = mean + 2 * p * std::cos(angle + 2 * std::numbers::pi / 3);
  return {first, 3 * mean - first - third, third};
}

double tresca(SymmetricTensor s) {
  const std::array<double, 3> values = principal_values(s);
  return values[0] - values[2];
}

std::vector<double> von_mises_of(std::span<const double> tensors) {
  std::vector<double> values(tensors.size() / 6);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = von_mises(tensors.subspan(6 * i).first<6>());
  return values;
}

std::vector<double> principal_values_of(std::span<const double> tensors) {
  std::vector<double> values(tensors.size() / 2);
  for (std::size_t i = 0; i < tensors.size() / 6; ++i)
    std::ranges::copy(principal_values(tensors.subspan(6 * i).first<6>()),
                      values.begin() + static_cast<std::ptrdiff_t>(3 * i));
  return values;
}

}  // namespace ritz
