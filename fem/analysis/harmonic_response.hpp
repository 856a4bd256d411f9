// Harmonic response on modes: steady vibration under loads and base motions of one frequency. Every column of a modal
// space is an oscillator, (k (1 + i eta) + i w c - w^2 m) q = f (Clough and Penzien, Dynamics of Structures, 1993,
// section 12-6).
//
//   for (const double f : frequencies_around_peaks(space, damping, 1, 100, 200))
//     HarmonicMotion m = harmonic_response(space, {.damping = damping, .excitations = {{.load = 0}}}, f);
#pragma once

#include "fem/analysis/modal_space.hpp"

#include <cmath>
#include <complex>
#include <vector>

namespace ritz {

using Complex = std::complex<double>;

struct Harmonic {
  ModalDamping damping = {};
  std::vector<Excitation> excitations = {};  // all of them at once, with their phases
};

// The complex amplitude of a load, or of the acceleration of the base.
Complex amplitude_of(const Excitation& excitation, double frequency);
// q of a unit force on a column.
Complex receptance(const ModalSpace& space, const ModalDamping& damping, int column, double frequency);

// Complex amplitudes: the motion is the real part of q e^(i w t).
struct HarmonicMotion {
  double frequency;              // [Hz]
  std::vector<Complex> q;        // [column] relative to the base
  std::vector<Complex> carried;  // [direction] acceleration of the base

  std::vector<Complex> accelerations() const;  // [column] -w^2 q
  Complex of(const ModalQuantity& quantity) const;
};

// Throws Error: Exit::model where an undamped column is in resonance, or a free body at frequency 0.
HarmonicMotion harmonic_response(const ModalSpace& space, const Harmonic& analysis, double frequency);

// `count` frequencies in equal steps [Hz], and more around each mode: within a few half-power widths of it.
std::vector<double> frequencies_around_peaks(const ModalSpace& space, const ModalDamping& damping, double low,
                                             double high, int count);

// The frequency in [low, high] at which f(frequency) is largest, to the relative precision 1e-8: golden section.
template <class F>
double peak_between(double low, double high, const F& f) {
  const double golden = (std::sqrt(5.0) - 1) / 2;
  double a = high - golden * (high - low), b = low + golden * (high - low), at_a = f(a), at_b = f(b);
  while (high - low > 1e-8 * high) {
    if (at_a > at_b) {
      high = b, b = a, at_b = at_a;
      at_a = f(a = high - golden * (high - low));
    } else {
      low = a, a = b, at_a = at_b;
      at_b = f(b = low + golden * (high - low));
    }
  }
  return 0.5 * (low + high);
}

}  // namespace ritz
