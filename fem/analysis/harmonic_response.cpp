#include "fem/analysis/harmonic_response.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <numbers>

namespace ritz {
namespace {

constexpr double turn = 2 * std::numbers::pi;

}  // namespace

Complex amplitude_of(const Excitation& excitation, double frequency) {
  const Complex iw(0, turn * frequency);
  const Complex amplitude = excitation.size(frequency) * std::polar(1.0, excitation.phase);  // a size may be negative
  if (excitation.load >= 0 || excitation.motion == Excitation::Motion::acceleration) return amplitude;
  return excitation.motion == Excitation::Motion::velocity ? iw * amplitude : iw * iw * amplitude;
}

Complex receptance(const ModalSpace& space, const ModalDamping& damping, int column, double frequency) {
  const auto k = static_cast<std::size_t>(column);
  const double w = turn * frequency;
  return 1.0 / Complex(space.stiffness[k] - w * w * space.mass[k],
                       w * damping.viscous(space, column) + damping.structural * space.stiffness[k]);
}

std::vector<Complex> HarmonicMotion::accelerations() const {
  std::vector<Complex> result;
  for (const Complex& each : q) result.push_back(-turn * turn * frequency * frequency * each);
  return result;
}

Complex HarmonicMotion::of(const ModalQuantity& quantity) const {
  const std::vector<Complex> moved = quantity.is_acceleration ? accelerations() : q;
  Complex sum = 0;
  for (std::size_t k = 0; k < moved.size(); ++k) sum += quantity.columns[k] * moved[k];
  for (std::size_t d = 0; quantity.is_acceleration && d < quantity.carried.size(); ++d)
    sum += quantity.carried[d] * carried[d];
  return sum;
}

HarmonicMotion harmonic_response(const ModalSpace& space, const Harmonic& analysis, double frequency) {
  HarmonicMotion motion{frequency, std::vector<Complex>(static_cast<std::size_t>(space.columns()), 0.0),
                        std::vector<Complex>(space.base.size(), 0.0)};
  for (const Excitation& each : analysis.excitations) {
    const Complex amplitude = amplitude_of(each, frequency);
    const std::vector<double> forces = forces_of(space, each), carried = carried_by(space, each);
    for (std::size_t k = 0; k < forces.size(); ++k) motion.q[k] += amplitude * forces[k];
    for (std::size_t d = 0; d < carried.size(); ++d) motion.carried[d] += amplitude * carried[d];
  }
  for (std::size_t k = 0; k < motion.q.size(); ++k) {
    Complex& q = motion.q[k];
    if (q == 0.0) continue;
    q *= receptance(space, analysis.damping, static_cast<int>(k), frequency);
    if (std::isfinite(q.real()) && std::isfinite(q.imag())) continue;
    throw Error(ErrorKind::not_finite,
                fmt::format("the response of mode {} at {:.8g} Hz is not finite", k + 1, frequency),
                "it is in resonance, or rigid, and nothing damps it", "give [damping], or take other frequencies");
  }
  return motion;
}

std::vector<double> frequencies_around_peaks(const ModalSpace& space, const ModalDamping& damping, double low,
                                             double high, int count) {
  std::vector<double> all;
  for (int i = 0; i < count; ++i) all.push_back(low + (high - low) * i / std::max(1, count - 1));
  for (int k = space.modes.rigid_count; k < space.columns(); ++k) {
    const double at = space.frequency(k), ratio = std::min(0.5, damping.ratio_of(space, k));
    for (const double widths : {-8.0, -4.0, -2.0, -1.0, -0.5, 0.0, 0.5, 1.0, 2.0, 4.0, 8.0})
      if (const double f = at * (1 + widths * ratio); f > low && f < high && std::isfinite(f)) all.push_back(f);
  }
  std::ranges::sort(all);
  const double least = 1e-9 * high;
  const auto same = std::ranges::unique(all, [&](double a, double b) { return b - a <= least; });
  all.erase(same.begin(), same.end());
  return all;
}

}  // namespace ritz
