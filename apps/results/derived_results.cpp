#include "apps/results/derived_results.hpp"

#include "apps/results/stress_measures.hpp"
#include "device/error.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>

namespace ritz {
namespace {

std::size_t numbers_of(StressMeasure measure, int components) {
  return measure == StressMeasure::none ? static_cast<std::size_t>(components) : 6;
}

[[noreturn]] void refuse(const DerivedResult& result, const std::string& why) {
  throw Error(ErrorKind::analysis, fmt::format("no derivative of '{}'", result.field.name), why,
              "take a component of the stress, or another place");
}

// Adds weight times d(value)/d(tensor), of (xx, yy, zz, xy, yz, xz).
void add_von_mises(const DerivedResult& result, SymmetricTensor s, double weight, std::span<double> sum) {
  const double value = von_mises(s), mean = (s[0] + s[1] + s[2]) / 3;
  if (value == 0) refuse(result, "it is zero there, where it has a kink");
  for (std::size_t i = 0; i < 3; ++i) sum[i] += weight * 1.5 * (s[i] - mean) / value;
  for (std::size_t i = 3; i < 6; ++i) sum[i] += weight * 3 * s[i] / value;
}

// The unit vector that the tensor less this principal value maps to zero: the longest product of two of its rows.
std::array<double, 3> direction_of(SymmetricTensor s, double value) {
  const std::array<std::array<double, 3>, 3> rows{
      {{s[0] - value, s[3], s[5]}, {s[3], s[1] - value, s[4]}, {s[5], s[4], s[2] - value}}};
  std::array<double, 3> longest{};
  double square = 0;
  for (std::size_t i = 0; i < 3; ++i) {
    const auto &a = rows[i], &b = rows[(i + 1) % 3];
    const std::array<double, 3> product{a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2],
                                        a[0] * b[1] - a[1] * b[0]};
    const double own = product[0] * product[0] + product[1] * product[1] + product[2] * product[2];
    if (own <= square) continue;
    square = own;
    longest = product;
  }
  for (double& each : longest) each /= std::sqrt(square);
  return longest;
}

void add_principal(const DerivedResult& result, SymmetricTensor s, std::span<const double> weights,
                   std::span<double> sum) {
  const std::array<double, 3> values = principal_values(s);
  for (std::size_t i = 0; i < 3; ++i) {
    if (weights[i] == 0) continue;
    const double apart =
        std::min(i == 0 ? INFINITY : values[i - 1] - values[i], i == 2 ? INFINITY : values[i] - values[i + 1]);
    if (!(apart > 1e-6 * std::max(std::abs(values[0]), std::abs(values[2]))))
      refuse(result, "two principal stresses are equal there, and each has a kink");
    const std::array<double, 3> n = direction_of(s, values[i]);
    for (std::size_t k = 0; k < 3; ++k) sum[k] += weights[i] * n[k] * n[k];
    for (std::size_t k = 0; k < 3; ++k) sum[3 + k] += 2 * weights[i] * n[k == 2 ? 0 : k] * n[k == 0 ? 1 : 2];
  }
}

}  // namespace

std::vector<double> values_of(const DerivedResult& result, std::span<const double> derived, int components) {
  const std::size_t k = static_cast<std::size_t>(components),
                    numbers = numbers_of(result.measure, result.field.components);
  std::vector<double> chosen;
  for (std::size_t place = 0; place + k <= derived.size(); place += k) {
    const auto own = derived.subspan(place + static_cast<std::size_t>(result.first), numbers);
    chosen.insert(chosen.end(), own.begin(), own.end());
  }
  return result.measure == StressMeasure::von_mises   ? von_mises_of(chosen)
         : result.measure == StressMeasure::principal ? principal_values_of(chosen)
                                                      : chosen;
}

std::vector<double> back(const DerivedResult& result, std::span<const double> derived, int components,
                         std::span<const double> by_values) {
  const std::size_t k = static_cast<std::size_t>(components), c = static_cast<std::size_t>(result.field.components);
  std::vector<double> by_derived(derived.size(), 0.0);
  for (std::size_t place = 0; place < by_values.size() / c; ++place) {
    const auto weights = by_values.subspan(place * c, c);
    if (std::ranges::all_of(weights, [](double w) { return w == 0; })) continue;
    const std::size_t at = place * k + static_cast<std::size_t>(result.first);
    const auto sum = std::span(by_derived).subspan(at, numbers_of(result.measure, result.field.components));
    if (result.measure == StressMeasure::none) std::ranges::copy(weights, sum.begin());
    else if (result.measure == StressMeasure::von_mises)
      add_von_mises(result, derived.subspan(at).first<6>(), weights.front(), sum);
    else add_principal(result, derived.subspan(at).first<6>(), weights, sum);
  }
  return by_derived;
}

}  // namespace ritz
