// Soil and powder that compacts: Drucker and Prager's cone with an elliptical cap that moves with the plastic
// compaction k. With the pressure p (positive in compression), von Mises's stress q and the cone q = d + p tan(b)
// through the triaxial compression of Mohr and Coulomb, tan(b) = 6 sin(phi) / (3 - sin(phi)), d = 6 c cos(phi) / (3 -
// sin(phi)):
//   ((p - a) / R)^2 + q^2 = (d + a tan(b))^2,  p > a,  a = (p_b - R d) / (1 + R tan(b)),
// where the table gives the pressure p_b(k) at which the cap meets the axis, and R is its shape. The top of the ellipse
// lies on the cone. The flow is normal to the cap, has the dilation angle on the cone, and none of the cone moves the
// cap. Implicit Euler with one scalar equation on the cap; closed forms on the cone, at its apex and at the top of the
// ellipse. DiMaggio and Sandler, J. Engng Mech. Div. ASCE 97 (1971) 935; Chen and Baladi, Soil Plasticity, 1985; the
// parameters are those of *CAP PLASTICITY of Abaqus without transition. The moduli are not symmetric.
#pragma once

#include "fem/materials/drucker_prager.hpp"
#include "fem/materials/hardening.hpp"
#include "fem/materials/root.hpp"

namespace ritz {

struct Cap {
  static constexpr const char* name = "cap";
  static constexpr Strain large = Strain::logarithmic;
  static constexpr bool symmetric = false;
  static constexpr std::array<StateFacts, 2> state = {
      {{.name = "plastic_strain", .about = "xx yy zz xy yz xz", .components = 6},
       {.name = "compaction", .about = "plastic decrease of the volume on the cap"}}};
  double young, poisson, cohesion, friction_angle, dilation_angle, shape;
  Hardening pressure;  // over the compaction
  static constexpr Parameter<Cap> parameters[] = {
      young_of(&Cap::young),
      poisson_of(&Cap::poisson),
      {&Cap::cohesion, {.name = "cohesion", .unit = "Pa", .about = "c", .above = 0, .example = 4}},
      {&Cap::friction_angle,
       {.name = "friction_angle", .unit = "deg", .about = "phi", .above = 0, .below = 90, .example = 30}},
      dilation_angle_of(&Cap::dilation_angle),
      {&Cap::shape,
       {.name = "shape", .about = "R, ratio of the axes of the cap along p and along q", .above = 0, .example = 0.6}}};
  static constexpr Hardening Cap::*table = &Cap::pressure;

  template <class T>
  constexpr Symmetric<T> stress(const Time&, const Symmetric<T>& strain, const Plain<T>* before, T* now) const {
    using std::sin, std::cos, std::sqrt;
    using X = Plain<T>;
    const ElasticModuli m = ElasticModuli::from(young, poisson);
    const double sine = sin(friction_angle * degree), flow = sin(dilation_angle * degree), R = shape;
    const double slope = 6 * sine / (3 - sine), d = 6 * cohesion * cos(friction_angle * degree) / (3 - sine);
    const double dilates = 6 * flow / (3 - flow), G3 = 3 * m.shear;
    Symmetric<T> elastic = strain;
    for (int k = 0; k < 6; ++k) elastic[k] -= before[k];
    const Symmetric<T> s = (2 * m.shear) * deviator(elastic);
    const T p = -m.bulk * trace(elastic), square = 1.5 * contract(s, s), q = sqrt(square);
    const X start = before[6], rounding = 1e-10 * (d + slope * pressure.at(start));
    const auto top_at = [&](const auto& k) { return (pressure.at(k) - R * d) / (1 + R * slope); };
    const T top = T(top_at(start)), height = d + slope * top;

    // the cone, then its apex, or the top of the ellipse
    const T slip = (q - slope * p - d) * (1 / (G3 + m.bulk * slope * dilates));
    const T along_cone = p + (m.bulk * dilates) * slip, beyond_apex = -(along_cone + T(d / slope));
    const T p_cone = select(beyond_apex, T(-d / slope), select(along_cone - top, top, along_cone));
    const T left_on_cone = select(beyond_apex, T(0.0), (d + slope * p_cone) / q);
    const T leaves_cone = q - slope * p - d - T(rounding);

    // the cap: with the compaction x the stress is (p - K x, q gap / (gap + 3 G R^2 x)), gap the distance from the top
    const auto beyond = [&](const auto& at_p, const auto& at_square, const auto& x) {
      const auto a = top_at(start + x), gap = at_p - m.bulk * x - a, part = gap / (gap + (G3 * R * R) * x);
      return select(gap, sqrt(gap * gap * (1 / (R * R)) + at_square * (part * part)), gap) - (d + slope * a);
    };
    const X plain_p = plain_of(p), plain_square = plain_of(square), width = plain_p - plain_of(top);
    const auto of_unknown = [&](const Dual<X>& x) { return beyond(Dual<X>(plain_p), Dual<X>(plain_square), x); };
    const X leaves_cap = beyond(plain_p, plain_square, X(0.0)) - rounding;
    const X on_cap = select(width, leaves_cap, X(-1.0));
    const X size = plain_of(height), most = select(on_cap, (1 / m.bulk) * width, X(1e-12));
    const X root = root_of_decreasing(of_unknown, most, size);
    const T x = with_derivatives<T>(root, beyond(p, square, T(root)), of_unknown(Dual<X>(root, X(1.0))).derivative);
    const T gap = p - m.bulk * x - top_at(T(start) + x);
    const T share = gap / (gap + (G3 * R * R) * x);

    const T yields = select(T(on_cap), T(on_cap), select(T(width), T(-1.0), leaves_cone));
    const T p_now = select(yields, select(T(on_cap), p - m.bulk * x, p_cone), p);
    const T left = select(yields, select(T(on_cap), share, left_on_cone), T(1.0));
    Symmetric<T> stress;
    for (int k = 0; k < 6; ++k) {
      stress[k] = left * s[k];
      now[k] = strain[k] - (1 / (2 * m.shear)) * stress[k];
      if (k < 3) {
        now[k] += p_now * (1 / (3 * m.bulk));
        stress[k] -= p_now;
      }
    }
    now[6] = T(start) + select(T(on_cap), x, T(0.0));
    return stress;
  }
};

}  // namespace ritz
