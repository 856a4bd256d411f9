// Isotropic elasticity that carries no tension (masonry, dry joints) or no compression (fabric, cables). The strain is
// that of linear elasticity plus one that opens (closes) freely, across principal stresses that are 0: of all stresses
// that the material can carry the closest to the elastic one in the norm of its energy. So the stress has a convex
// potential, the moduli are symmetric, and no work is lost. Del Piero, Meccanica 24 (1989) 150; Lucchesi, Padovani,
// Pasquinelli and Zani, Masonry Constructions: Mechanical Models and Numerical Applications, 2008, section 2.3.
#pragma once

#include "fem/materials/law.hpp"

namespace ritz {

template <bool InTension>
struct Unilateral {
  static constexpr const char* name = InTension ? "no_compression" : "no_tension";
  static constexpr Strain large = Strain::green_lagrange;
  double young, poisson, residual;
  static constexpr Parameter<Unilateral> parameters[] = {
      young_of(&Unilateral::young),
      poisson_of(&Unilateral::poisson),
      {&Unilateral::residual,
       {.name = "residual",
        .about = "share of the stiffness that is left where the material carries nothing",
        .minimum = 0,
        .below = 1,
        .fallback = 1e-6,
        .example = 0.01}}};

  template <class T>
  constexpr Symmetric<T> stress(const Time&, const Symmetric<T>& strain, const Plain<T>*, T*) const {
    return apply_to_all([&](const auto& in, auto& out) { principal(in, out); }, strain);
  }

 private:
  // Without tension, from the smallest strain to the largest: all three principal stresses, those of plane stress, that
  // of a bar, or none. Without compression strain and stress change their signs.
  template <class X>
  constexpr void principal(const X (&strain)[3], X (&stress)[3]) const {
    const double sign = InTension ? -1 : 1;
    const ElasticModuli m = ElasticModuli::from(young, poisson);
    const double lambda = m.bulk - 2.0 / 3 * m.shear, plane = young / (1 - poisson * poisson);
    X e[3], elastic[3];  // ascending
    for (int i = 0; i < 3; ++i) e[i] = sign * strain[InTension ? i : 2 - i];
    for (int i = 0; i < 3; ++i) elastic[i] = lambda * (e[0] + e[1] + e[2]) + (2 * m.shear) * e[i];
    const X second = plane * (e[1] + poisson * e[0]), first = plane * (e[0] + poisson * e[1]), bar = young * e[0];
    const X none = 0.0;
    const X carried[3] = {select(elastic[2], select(second, select(bar, none, bar), first), elastic[0]),
                          select(elastic[2], select(second, none, second), elastic[1]),
                          select(elastic[2], none, elastic[2])};
    for (int i = 0; i < 3; ++i)
      stress[InTension ? i : 2 - i] = sign * ((1 - residual) * carried[i] + residual * elastic[i]);
  }
};

using NoTension = Unilateral<false>;
using NoCompression = Unilateral<true>;

}  // namespace ritz
