// Creep of metals by Norton and Bailey's law with strain hardening: at constant stress the creep strain a q^n t^(m+1) /
// (m+1) of time hardening, whose rate counts from the creep strain that there is instead of from the time,
//   d(eps_c)/dt = (a q^n ((m+1) eps_c)^m)^(1/(m+1)).
// It is the better law where stresses change. Over an increment with the stress q of its end exactly: with w = 1/(m+1),
// eps_c^w grows by dt (a q^n / (m+1))^w. One scalar equation, as of fem/materials/norton.hpp. Bailey, Proc. Inst. Mech.
// Engrs 131 (1935) 131; *CREEP, LAW=STRAIN of Abaqus. m = 0 is Norton's law.
#pragma once

#include "fem/materials/norton.hpp"

namespace ritz {

struct NortonStrain {
  static constexpr const char* name = "norton_strain";
  static constexpr Strain large = Strain::logarithmic;
  static constexpr bool reads_time = true;
  static constexpr auto state = Norton::state;
  double young, poisson, a, n, m;
  static constexpr Parameter<NortonStrain> parameters[] = {
      young_of(&NortonStrain::young),
      poisson_of(&NortonStrain::poisson),
      {&NortonStrain::a,
       {.name = "a", .unit = "1/(Pa^n s^(m+1))", .about = "rate at unit stress", .minimum = 0, .example = 1e-6}},
      {&NortonStrain::n, {.name = "n", .about = "exponent of the stress", .minimum = 1, .example = 3}},
      {&NortonStrain::m,
       {.name = "m", .about = "exponent of the time at constant stress", .maximum = 0, .above = -1, .example = -0.4}}};

  template <class T>
  constexpr Symmetric<T> stress(const Time& time, const Symmetric<T>& strain, const Plain<T>* before, T* now) const {
    using std::pow;
    using X = Plain<T>;
    const ElasticModuli e = ElasticModuli::from(young, poisson);
    const double w = 1 / (m + 1), k = n * w, G3 = 3 * e.shear;
    const double span = time.dt > 0 && a > 0 ? time.dt * pow(a * w, w) : 0;
    const X start = before[6], begin = pow(start, w);
    const auto power = [&](const auto& q) {
      using V = std::remove_cvref_t<decltype(q)>;
      if (!(span > 0)) return V(0.0);
      return V(G3 * (pow(begin + span * pow(q, k), m + 1) - start) / q);
    };
    const auto highest = [&](const X& size) {
      if (!(span > 0)) return size;
      const X other = pow((pow(start + (1 / G3) * size, w) - begin) * (1 / span), 1 / k);
      return select(size - other, other, size);
    };
    return creep(e, strain, before, now, power, 0, highest);
  }
};

}  // namespace ritz
