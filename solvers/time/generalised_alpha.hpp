// The generalised-alpha method for equations of second order in time, M a + f(u, v, t) = 0: numbers only. A step of
// length h balances the forces between its ends,
//
//   (1 - alpha_m) M a1 + alpha_m M a0 + (1 - alpha_f) f1 + alpha_f f0 = 0,
//
// with Newmark's kinematics u1 = u0 + h v0 + h^2 ((1/2 - beta) a0 + beta a1) and v1 = v0 + h ((1 - gamma) a0 + gamma
// a1). It is of order 2 and unconditionally stable for linear equations. The spectral radius at infinity says how much
// of the fastest motions one step leaves: 1 nothing is damped (Newmark's average acceleration), 0 they are gone after
// one step. Chung and Hulbert, J. Appl. Mech. 60, 1993, 371-375.
//
//   constexpr GeneralisedAlpha method = generalised_alpha(0.8);
#pragma once

namespace ritz {

struct GeneralisedAlpha {
  double alpha_m, alpha_f, beta, gamma;

  // The accelerations a0 and a1 of the method are those alpha_m - alpha_f steps after both ends, up to O(h^2) (Erlicher
  // et al., Comput. Mech. 28, 2002, 83-104): the part of a1 - a0 that leads to the end.
  constexpr double lag() const { return alpha_f - alpha_m; }
};

// 0 <= spectral_radius <= 1, at infinite frequency.
constexpr GeneralisedAlpha generalised_alpha(double spectral_radius) {
  const double m = (2 * spectral_radius - 1) / (spectral_radius + 1), f = spectral_radius / (spectral_radius + 1),
               s = 1 - m + f;
  return {.alpha_m = m, .alpha_f = f, .beta = 0.25 * s * s, .gamma = 0.5 - m + f};
}

}  // namespace ritz
