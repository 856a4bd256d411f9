// Rayleigh damping: C = mass M + stiffness K, with K the tangent of the equations. A mode of the circular frequency w
// then has the damping ratio (mass / w + stiffness w) / 2. Clough and Penzien, Dynamics of Structures, 1993, section
// 12-5.
//
//   model.damping = {.mass = 5.36, .stiffness = 7.46e-5};
//   model.damping = rayleigh_through({0.02, 42}, {0.02, 180});
#pragma once

namespace ritz {

struct RayleighDamping {
  double mass = 0;       // [1/s]
  double stiffness = 0;  // [s]
};

struct DampingRatio {
  double ratio;      // of the critical damping
  double frequency;  // [Hz]
};

// Damping that has these ratios at two frequencies. Throws Error: Exit::model where no such damping exists: both
// frequencies are the same, or one of the two factors would be negative and feed energy into other modes.
RayleighDamping rayleigh_through(const DampingRatio& first, const DampingRatio& second);

}  // namespace ritz
