#include "fem/analysis/random_response.hpp"

#include "solvers/algebra/dense_symmetric.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <numbers>

namespace ritz {
namespace {

Covariance zeros(int size) {
  return {size, std::vector<double>(static_cast<std::size_t>(size) * static_cast<std::size_t>(size), 0.0)};
}

// C += weight Re(x x^H)
void add_products(double weight, const std::vector<Complex>& x, Covariance& C) {
  const std::size_t n = x.size();
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j <= i; ++j)
      C.values[i * n + j] += weight * (x[i].real() * x[j].real() + x[i].imag() * x[j].imag());
}

void mirror(Covariance& C) {
  const auto n = static_cast<std::size_t>(C.size);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < i; ++j) C.values[j * n + i] = C.values[i * n + j];
}

// Ends of intervals on which receptances and densities are smooth: steps of a quarter of a half-power width at a mode,
// and longer ones away from it.
std::vector<double> interval_ends(const ModalSpace& space, const Random& analysis, double low, double high) {
  std::vector<double> ends = {low, high};
  const auto add = [&](double f) {
    if (f > low && f < high) ends.push_back(f);
  };
  for (const Excitation& each : analysis.excitations)
    for (const auto& row : each.size.rows()) add(row[0]);
  for (const Correlation& each : analysis.correlations)
    for (const FrequencyTable* table : {&each.coherence, &each.phase})
      for (const auto& row : table->rows()) add(row[0]);
  for (double f = std::max(low, 1e-4 * high); f < high; f *= std::pow(10, 0.02)) add(f);
  for (int k = space.modes.rigid_count; k < space.columns(); ++k) {
    const double at = space.frequency(k), width = analysis.damping.ratio_of(space, k) * at;
    if (at > 4 * high) continue;
    const double nearest = k > space.modes.rigid_count ? at - space.frequency(k - 1) : at;
    const double reach =
        std::max(20 * width, std::max(nearest, k + 1 < space.columns() ? space.frequency(k + 1) - at : at));
    for (double s = 0; width * std::sinh(s) < reach; s += 0.25) {
      add(at + width * std::sinh(s));
      add(at - width * std::sinh(s));
    }
  }
  std::ranges::sort(ends);
  const auto same = std::ranges::unique(ends, [&](double a, double b) { return b - a <= 1e-12 * high; });
  ends.erase(same.begin(), same.end());
  return ends;
}

// The answer to an excitation of size 1.
HarmonicMotion transfer(const ModalSpace& space, const ModalDamping& damping, Excitation excitation, double frequency) {
  excitation.size = 1.0;
  excitation.phase = 0;
  return harmonic_response(space, {.damping = damping, .excitations = {std::move(excitation)}}, frequency);
}

// Amplitudes of the excitations in motions that are not correlated with each other: columns of L, S = L L^H, the factor
// of Cholesky. [motion][excitation]
std::vector<std::vector<Complex>> uncorrelated_parts(const Random& analysis, double frequency) {
  const std::size_t n = analysis.excitations.size();
  std::vector<std::vector<Complex>> S(n, std::vector<Complex>(n, 0.0)), parts;
  std::vector<double> sizes;
  for (std::size_t i = 0; i < n; ++i) {
    sizes.push_back(analysis.excitations[i].size.within(frequency));
    S[i][i] = sizes.back();
  }
  for (const Correlation& each : analysis.correlations) {
    const auto i = static_cast<std::size_t>(each.first), j = static_cast<std::size_t>(each.second);
    const double size = std::sqrt(each.coherence(frequency) * sizes[i] * sizes[j]);
    S[i][j] = std::polar(size, each.phase(frequency) * std::numbers::pi / 180);
    S[j][i] = std::conj(S[i][j]);
  }
  for (std::size_t k = 0; k < n; ++k) {
    const double left = S[k][k].real();
    const auto contradicts = [&](double value) { return value > 1e-9; };
    if (left <= 1e-12 * sizes[k]) {  // it is a sum of those before: so are its cross spectra
      for (std::size_t i = k + 1; i < n; ++i)
        if (left < -1e-9 * sizes[k] || contradicts(std::norm(S[i][k]) / std::max(sizes[i] * sizes[k], 1e-300)))
          throw Error(ErrorKind::vibration,
                      fmt::format("correlations of excitations that contradict each other at {:.6g} Hz", frequency),
                      "two that are one with a third are one with each other, with the difference of their phases",
                      "give the coherence and phase of that pair, too");
      if (left >= -1e-9 * sizes[k]) continue;
      throw Error(ErrorKind::vibration,
                  fmt::format("correlations of excitations that contradict each other at {:.6g} Hz", frequency),
                  "their matrix has a negative eigenvalue", "give smaller coherences");
    }
    std::vector<Complex>& part = parts.emplace_back(n, 0.0);
    for (std::size_t i = k; i < n; ++i) part[i] = S[i][k] / std::sqrt(left);
    for (std::size_t i = k + 1; i < n; ++i)
      for (std::size_t j = k + 1; j < n; ++j) S[i][j] -= part[i] * std::conj(part[j]);
  }
  return parts;
}

// The motions that add up by their squares.
std::vector<HarmonicMotion> uncorrelated_motions(const ModalSpace& space, const Random& analysis, double frequency) {
  std::vector<HarmonicMotion> of_one, sums;
  for (const Excitation& each : analysis.excitations)
    of_one.push_back(transfer(space, analysis.damping, each, frequency));
  for (const std::vector<Complex>& part : uncorrelated_parts(analysis, frequency)) {
    HarmonicMotion& sum = sums.emplace_back(of_one.front());
    for (std::vector<Complex>* each : {&sum.q, &sum.carried}) std::ranges::fill(*each, 0.0);
    for (std::size_t i = 0; i < of_one.size(); ++i) {
      if (part[i] == 0.0) continue;
      for (std::size_t k = 0; k < sum.q.size(); ++k) sum.q[k] += part[i] * of_one[i].q[k];
      for (std::size_t d = 0; d < sum.carried.size(); ++d) sum.carried[d] += part[i] * of_one[i].carried[d];
    }
  }
  return sums;
}

void check_correlations(const Random& analysis) {
  const int count = static_cast<int>(analysis.excitations.size());
  for (const Correlation& each : analysis.correlations) {
    if (each.first == each.second || std::min(each.first, each.second) < 0 ||
        std::max(each.first, each.second) >= count)
      throw Error(ErrorKind::vibration,
                  fmt::format("a correlation of excitations {} and {} of {}", each.first, each.second, count));
    for (const auto& row : each.coherence.rows())
      if (!(row[1] >= 0 && row[1] <= 1))
        throw Error(ErrorKind::vibration, fmt::format("a coherence of {:g}", row[1]), "it is from 0 to 1");
  }
}

void require_damping(const ModalSpace& space, const Random& analysis, double high) {
  for (int k = space.modes.rigid_count; k < space.columns(); ++k)
    if (space.frequency(k) <= high && !(analysis.damping.ratio_of(space, k) > 0))
      throw Error(ErrorKind::vibration, fmt::format("random response of mode {}, which nothing damps", k + 1),
                  "it grows without bound", "give [damping]");
}

}  // namespace

namespace {

double product(const Covariance& C, const ModalQuantity& y) {
  std::vector<double> weights = y.columns;
  if (y.is_acceleration) weights.insert(weights.end(), y.carried.begin(), y.carried.end());
  const std::size_t n = weights.size();
  double sum = 0;
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j) sum += weights[i] * C.values[i * n + j] * weights[j];
  return sum;
}

}  // namespace

double RandomResponse::mean_square(const ModalQuantity& quantity) const {
  return product(quantity.is_acceleration ? acceleration : displacement, quantity);
}

double RandomResponse::mean_square_rate(const ModalQuantity& quantity) const {
  return product(quantity.is_acceleration ? jerk : velocity, quantity);
}

std::array<double, 2> range_of(const Random& analysis) {
  if (analysis.high > analysis.low) return {analysis.low, analysis.high};
  double low = 1e300, high = 0;
  for (const Excitation& each : analysis.excitations) {
    if (each.size.constant())
      throw Error(ErrorKind::vibration, "a constant spectral density without a range of frequencies",
                  "its mean square is infinite", "give frequencies = [lowest, highest], or a table");
    low = std::min(low, each.size.lowest());
    high = std::max(high, each.size.highest());
  }
  return {low, high};
}

RandomResponse random_response(const ModalSpace& space, const Random& analysis) {
  const auto [low, high] = range_of(analysis);
  check_correlations(analysis);
  require_damping(space, analysis, high);
  const int n = space.columns();
  const int all = n + static_cast<int>(space.base.size());
  RandomResponse result{zeros(n), zeros(n), zeros(all), zeros(all)};
  const std::vector<double> ends = interval_ends(space, analysis, low, high);
  const double place = std::sqrt(0.6);
  for (std::size_t i = 0; i + 1 < ends.size(); ++i) {
    const double middle = 0.5 * (ends[i] + ends[i + 1]), half = 0.5 * (ends[i + 1] - ends[i]);
    for (const auto& [at, part] : {std::pair(-place, 5.0 / 9), std::pair(0.0, 8.0 / 9), std::pair(place, 5.0 / 9)}) {
      const double f = middle + at * half, w = 2 * std::numbers::pi * f;
      const double weight = part * half;
      for (const HarmonicMotion& motion : uncorrelated_motions(space, analysis, f)) {
        std::vector<Complex> a = motion.accelerations();
        a.insert(a.end(), motion.carried.begin(), motion.carried.end());
        add_products(weight, motion.q, result.displacement);
        add_products(weight * w * w, motion.q, result.velocity);
        add_products(weight, a, result.acceleration);
        add_products(weight * w * w, a, result.jerk);
      }
    }
  }
  for (Covariance* each : {&result.displacement, &result.velocity, &result.acceleration, &result.jerk}) mirror(*each);
  return result;
}

double response_density(const ModalSpace& space, const Random& analysis, const ModalQuantity& quantity,
                        double frequency) {
  double sum = 0;
  for (const HarmonicMotion& motion : uncorrelated_motions(space, analysis, frequency))
    sum += std::norm(motion.of(quantity));
  return sum;
}

std::vector<std::vector<double>> covariance_roots(const Covariance& covariance) {
  const auto n = static_cast<std::size_t>(covariance.size);
  // By the size of each coordinate, so that stiff ones are not lost next to soft ones.
  std::vector<double> size(n), scaled(n * n);
  for (std::size_t i = 0; i < n; ++i) size[i] = std::sqrt(covariance.values[i * n + i]);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j)
      scaled[i * n + j] = size[i] > 0 && size[j] > 0 ? covariance.values[i * n + j] / (size[i] * size[j]) : 0;
  const SymmetricEigen eigen = symmetric_eigen(std::move(scaled), covariance.size);
  std::vector<std::vector<double>> roots;
  for (std::size_t k = n; k-- > 0;) {
    if (!(eigen.values[k] > 1e-13 * static_cast<double>(n))) break;
    std::vector<double>& root = roots.emplace_back(n);
    for (std::size_t i = 0; i < n; ++i) root[i] = std::sqrt(eigen.values[k]) * eigen.vectors[k * n + i] * size[i];
  }
  return roots;
}

}  // namespace ritz
