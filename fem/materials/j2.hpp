// Metal plasticity by von Mises's yield surface with a table of isotropic hardening and linear kinematic hardening of
// modulus H_k (a bar's yield stress in tension moves by H_k times its plastic strain); implicit Euler, radial return.
// Simo and Hughes, Computational Inelasticity, 1998, boxes 3.1 and 3.2; the back stress is 2/3 H_k eps_p. With large
// displacements the strain is logarithmic: Miehe, Apel and Lambrecht, Comput. Methods Appl. Mech. Engrg. 191 (2002)
// 5383.
#pragma once

#include "fem/materials/plastic_trial.hpp"
#include "fem/materials/root.hpp"

#include <array>

namespace ritz {

struct J2 {
  static constexpr const char* name = "j2";
  static constexpr Strain large = Strain::logarithmic;
  static constexpr std::array<StateFacts, 2> state = {
      {{.name = "plastic_strain", .about = "xx yy zz xy yz xz", .components = 6},
       {.name = "equivalent_plastic_strain", .about = "its rate is sqrt(2/3 D:D), D that of the plastic strain"}}};
  double young, poisson, kinematic_hardening;
  Hardening yield;
  static constexpr Parameter<J2> parameters[] = {young_of(&J2::young),
                                                 poisson_of(&J2::poisson),
                                                 {&J2::kinematic_hardening,
                                                  {.name = "kinematic_hardening",
                                                   .unit = "Pa",
                                                   .about = "shift of the yield surface in tension per plastic strain",
                                                   .minimum = 0,
                                                   .fallback = 0,
                                                   .example = 50}}};
  static constexpr Hardening J2::*table = &J2::yield;

  template <class T>
  constexpr Symmetric<T> stress(const Time&, const Symmetric<T>& strain, const Plain<T>* before, T* now) const {
    using X = Plain<T>;
    PlasticTrial<T> begin = plastic_trial(young, poisson, yield, strain, before);
    const double G3 = 3 * begin.moduli.shear, H = kinematic_hardening;
    Symmetric<T> trial = begin.deviator;  // less the back stress
    for (int k = 0; k < 6; ++k) trial[k] -= (2.0 / 3 * H) * before[k];
    const T q = von_mises(trial);
    const X start = begin.plastic_strain, size = plain_of(q), limit = begin.limit, yields = begin.yields(size);
    const auto beyond = [&](const auto& length, const auto& increment) {
      return length - (G3 + H) * increment - yield.at(start + increment);
    };
    const X root =
        root_of_decreasing([&](const Dual<X>& x) { return beyond(Dual<X>(size), x); }, X((1 / (G3 + H)) * size), limit);
    const X slope = beyond(Dual<X>(size), Dual<X>(root, X(1.0))).derivative;
    const T slip = with_derivatives<T>(root, beyond(q, T(root)), slope);
    const T along = select(T(yields), 1.5 * slip / q, T(0.0));
    for (int k = 0; k < 6; ++k) {
      now[k] = T(before[k]) + along * trial[k];
      begin.elastic[k] -= along * trial[k];
    }
    now[6] = T(start) + select(T(yields), slip, T(0.0));
    return elastic_stress(begin.moduli, begin.elastic);
  }
};

}  // namespace ritz
