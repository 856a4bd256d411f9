// Random response on modes: the covariance of stationary vibration under loads and base motions that are given by their
// one-sided spectral densities, and by the coherence and phase of those that are correlated (Bendat and Piersol, Random
// Data, 2010, section 5.2).
//
//   const RandomResponse r = random_response(space, {.damping = {.ratio = 0.02}, .excitations = {{.direction = {0, 0,
//   1},
//                                                    .size = psd}}, .low = 20, .high = 2000});
//   for (const std::vector<double>& q : covariance_roots(r.displacement)) ...   // sum of squares of fields of q
//
// A field that is linear in the motion has the mean square sum_k field(q_k)^2 over the roots q_k, and a quadratic form
// of it, such as the square of von Mises' stress, the sum of its values (Segalman et al., J. Vib. Acoust. 122, 2000).
#pragma once

#include "fem/analysis/harmonic_response.hpp"

namespace ritz {

// The cross spectrum of two excitations: S_ij = gamma sqrt(S_ii S_jj) e^(i phase).
struct Correlation {
  int first = 0, second = 1;       // of the excitations
  FrequencyTable coherence = 1.0;  // gamma^2, from 0 to 1
  FrequencyTable phase = 0.0;      // [degrees] by which the first leads the second
};

struct Random {
  ModalDamping damping = {};
  std::vector<Excitation> excitations = {};    // size: [unit of the excitation squared per Hz]; phases do not count
  std::vector<Correlation> correlations = {};  // of pairs; all others are not correlated
  double low = 0, high = 0;                    // [Hz] of the integrals; equal: the range of the tables
};

struct Covariance {
  int size = 0;
  std::vector<double> values = {};  // [size][size]
};

struct RandomResponse {
  Covariance displacement, velocity;  // of the columns, relative to the base
  Covariance acceleration, jerk;      // of the columns, then of the base by directions: absolute; its rate
  double mean_square(const ModalQuantity& quantity) const;
  double mean_square_rate(const ModalQuantity& quantity) const;  // of its derivative in time
};

// Integrals by Gauss' rule on intervals that are graded around each mode. Throws Error: Exit::model where constant
// densities have no range, where correlations contradict each other at a frequency, and what harmonic_response()
// throws.
RandomResponse random_response(const ModalSpace& space, const Random& analysis);

// The spectral density at a frequency.
double response_density(const ModalSpace& space, const Random& analysis, const ModalQuantity& quantity,
                        double frequency);
// The range of the integrals.
std::array<double, 2> range_of(const Random& analysis);

// Vectors whose products with themselves add up to the covariance; negligible ones are left out.
std::vector<std::vector<double>> covariance_roots(const Covariance& covariance);

}  // namespace ritz
