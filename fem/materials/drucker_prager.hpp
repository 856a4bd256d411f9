// Soil, rock and concrete: Drucker and Prager's cone, sqrt(J2) + eta p = xi c, p the mean stress (positive in tension),
// through the outer corners of Mohr and Coulomb's (triaxial compression), eta = 6 sin(phi) / (sqrt(3) (3 - sin(phi))),
// xi = 6 cos(phi) / (sqrt(3) (3 - sin(phi))); the flow has the dilation angle in eta. No hardening. Return to the cone,
// or to its apex where the cone's return passes it. de Souza Neto, Peric and Owen, Computational Methods for
// Plasticity, 2008, boxes 8.8 and 8.9. The moduli are not symmetric unless both angles are equal.
#pragma once

#include "fem/materials/law.hpp"

#include <array>
#include <cmath>
#include <numbers>

namespace ritz {

inline constexpr double degree = std::numbers::pi / 180;

template <class L>
constexpr Parameter<L> dilation_angle_of(double L::*member) {
  return {member,
          {.name = "dilation_angle", .unit = "deg", .about = "of the flow", .minimum = 0, .below = 90, .example = 10}};
}

struct DruckerPrager {
  static constexpr const char* name = "drucker_prager";
  static constexpr Strain large = Strain::logarithmic;
  static constexpr bool symmetric = false;
  static constexpr std::array<StateFacts, 1> state = {
      {{.name = "plastic_strain", .about = "xx yy zz xy yz xz", .components = 6}}};
  double young, poisson, cohesion, friction_angle, dilation_angle;
  static constexpr Parameter<DruckerPrager> parameters[] = {
      young_of(&DruckerPrager::young),
      poisson_of(&DruckerPrager::poisson),
      {&DruckerPrager::cohesion, {.name = "cohesion", .unit = "Pa", .about = "c", .above = 0, .example = 10}},
      {&DruckerPrager::friction_angle,
       {.name = "friction_angle", .unit = "deg", .about = "phi", .above = 0, .below = 90, .example = 30}},
      dilation_angle_of(&DruckerPrager::dilation_angle)};

  template <class T>
  constexpr Symmetric<T> stress(const Time&, const Symmetric<T>& strain, const Plain<T>* before, T* now) const {
    using std::sqrt;
    const ElasticModuli m = ElasticModuli::from(young, poisson);
    const double eta = slope(friction_angle), flow = slope(dilation_angle), limit = cohesion * shear_limit();
    Symmetric<T> elastic = strain;
    for (int k = 0; k < 6; ++k) elastic[k] -= before[k];
    const Symmetric<T> s = (2 * m.shear) * deviator(elastic);
    const T p = m.bulk * trace(elastic), size = sqrt(0.5 * contract(s, s));
    const T yields = size + eta * p - limit * (1 + 1e-10);
    const T slip = (size + eta * p - limit) * (1 / (m.shear + m.bulk * eta * flow));
    const T beyond_apex = m.shear * slip - size;
    const T length = select(yields, select(beyond_apex, T(0.0), 1.0 - m.shear * slip / size), T(1.0));
    const T mean = select(yields, select(beyond_apex, T(limit / eta), p - (m.bulk * flow) * slip), p);
    Symmetric<T> stress;
    for (int k = 0; k < 6; ++k) {
      stress[k] = length * s[k];
      // what is not elastic is plastic
      now[k] = strain[k] - (1 / (2 * m.shear)) * stress[k];
      if (k < 3) {
        now[k] -= mean * (1 / (3 * m.bulk));
        stress[k] += mean;
      }
    }
    return stress;
  }

 private:
  static constexpr double slope(double angle) {
    using std::sin;
    return 6 * sin(angle * degree) / (std::numbers::sqrt3 * (3 - sin(angle * degree)));
  }
  constexpr double shear_limit() const {
    using std::sin, std::cos;
    return 6 * cos(friction_angle * degree) / (std::numbers::sqrt3 * (3 - sin(friction_angle * degree)));
  }
};

}  // namespace ritz
