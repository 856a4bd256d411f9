// Flow through a porous body, or heat conduction by its flux: q = -k grad p, div q = source, with the flux itself as a
// field, of Raviart and Thomas: what leaves a cell enters its neighbour, to rounding. Sources are loads of the field 1
// with a minus sign, fluxes through the surface are prescribed; p = 0 is the natural condition (Boffi, Brezzi and
// Fortin, Mixed Finite Element Methods and Applications, 2013, chapter 7).
#pragma once

#include "fem/forms/mixed_form.hpp"

namespace ritz {

template <int D>
struct MixedPoisson {
  static constexpr const char* name = D == 3 ? "mixed_poisson3" : "mixed_poisson2";
  static constexpr int dimension = D;
  static constexpr std::array<FieldFacts, 2> fields{
      {{.name = "flux", .components = 1, .order = 1, .family = Family::facet},
       {.name = "pressure", .components = 1, .order = 0, .uses_gradient = false, .family = Family::cell}}};
  static constexpr bool symmetric = true, linear = true;
  static constexpr bool couples(int test, int trial) { return test == 0 || trial == 0; }
  double permeability = 1;
  static constexpr std::array<ParameterFacts, 1> given{
      {{.name = "permeability", .unit = "m^2/(Pa s)", .about = "over the viscosity", .above = 0}}};
  constexpr std::array<double, 1> numbers() const { return {permeability}; }

  template <class T>
  constexpr void operator()(const Location<T, D, 1>& at, const MixedFields<T, MixedPoisson>& u,
                            MixedFields<T, MixedPoisson>& f) const {
    const auto& [q, p] = u;
    auto& [law, balance] = f;
    const T resistance = 1.0 / at.given[0];
    for (int i = 0; i < D; ++i) law.value[i] = resistance * q.value[i];
    law.divergence = -p.value[0];
    balance.value[0] = -q.divergence;
  }
};

}  // namespace ritz
