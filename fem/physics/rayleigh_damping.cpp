#include "fem/physics/rayleigh_damping.hpp"

#include "device/error.hpp"

#include <cmath>
#include <fmt/format.h>
#include <numbers>

namespace ritz {

RayleighDamping rayleigh_through(const DampingRatio& first, const DampingRatio& second) {
  const double w1 = 2 * std::numbers::pi * first.frequency, w2 = 2 * std::numbers::pi * second.frequency;
  const double determinant = w2 * w2 - w1 * w1;
  const auto error = [&](const std::string& why, const char* fix) {
    return Error(ErrorKind::damping,
                 fmt::format("damping ratios of {:g} at {:g} Hz and {:g} at {:g} Hz", first.ratio, first.frequency,
                             second.ratio, second.frequency),
                 why, fix);
  };
  if (!(std::abs(determinant) > 1e-9 * w2 * w2))
    throw error("Rayleigh damping is fitted through two different frequencies",
                "give frequencies that differ, such as the first and the last mode of interest");
  const RayleighDamping damping = {.mass = 2 * w1 * w2 * (first.ratio * w2 - second.ratio * w1) / determinant,
                                   .stiffness = 2 * (second.ratio * w2 - first.ratio * w1) / determinant};
  const double rounding = 1e-12 * (first.ratio + second.ratio);
  if (damping.mass < -rounding * w2 || damping.stiffness < -rounding / w2)
    throw error(fmt::format("Rayleigh damping through them would be {:g} M + {:g} K: a negative factor feeds energy in",
                            damping.mass, damping.stiffness),
                "give ratios whose quotient lies between that of the frequencies and its inverse");
  return {.mass = damping.mass > 0 ? damping.mass : 0, .stiffness = damping.stiffness > 0 ? damping.stiffness : 0};
}

}  // namespace ritz
