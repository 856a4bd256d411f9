// The begin of a return mapping, for laws that keep six plastic strains and then the equivalent plastic strain: the
// stress of an elastic increment, and the yield stress before it.
#pragma once

#include "fem/materials/hardening.hpp"

namespace ritz {

template <class T>
struct PlasticTrial {
  ElasticModuli moduli;
  Symmetric<T> elastic;            // strain, less the plastic strain before the increment
  Symmetric<T> deviator;           // 2 G times the elastic strain's [Pa]
  Plain<T> plastic_strain, limit;  // the equivalent one before the increment, and the yield stress there [Pa]

  constexpr Symmetric<Plain<T>> plain_deviator() const {
    Symmetric<Plain<T>> s;
    for (int k = 0; k < 6; ++k) s[k] = plain_of(deviator[k]);
    return s;
  }
  // Positive where a stress of this size yields; at the yield surface, up to rounding, the increment is elastic.
  constexpr Plain<T> yields(const Plain<T>& size) const { return size - limit - 1e-10 * limit; }
};

template <class T>
constexpr PlasticTrial<T> plastic_trial(double young, double poisson, const Hardening& yield,
                                        const Symmetric<T>& strain, const Plain<T>* before) {
  const ElasticModuli m = ElasticModuli::from(young, poisson);
  Symmetric<T> elastic = strain;
  for (int k = 0; k < 6; ++k) elastic[k] -= before[k];
  return {m, elastic, (2 * m.shear) * ritz::deviator(elastic), before[6], yield.at(before[6])};
}

}  // namespace ritz
