// Soil, rock and concrete: Mohr and Coulomb's pyramid with a cut-off in tension, for principal stresses s1 >= s2 >= s3
//   k s1 - s3 <= 2 c sqrt(k),  k = (1 + sin phi) / (1 - sin phi),  and  s1 <= tension.
// The flow has the dilation angle in k; at the cut-off it is normal to it. No hardening; phi = 0: Tresca's criterion.
// Edges and vertices stay sharp, so strengths are those of the criterion in every state: the return is exact. The
// planes that are active are those whose multipliers are positive and whose stress violates no other plane; each set of
// them has a linear return in principal stresses. de Souza Neto, Peric and Owen, Computational Methods for Plasticity,
// 2008, section 8.2; Clausen, Damkilde and Andersen, Int. J. Numer. Meth. Engng 66 (2006) 1795. A tension above the
// apex c / tan(phi) is that of the apex. The moduli are not symmetric unless both angles are equal.
#pragma once

#include "fem/materials/drucker_prager.hpp"

namespace ritz {

struct MohrCoulomb {
  static constexpr const char* name = "mohr_coulomb";
  static constexpr Strain large = Strain::logarithmic;
  static constexpr bool symmetric = false;
  static constexpr std::array<StateFacts, 1> state = {
      {{.name = "plastic_strain", .about = "xx yy zz xy yz xz", .components = 6}}};
  double young, poisson, cohesion, friction_angle, dilation_angle, tension;
  static constexpr Parameter<MohrCoulomb> parameters[] = {
      young_of(&MohrCoulomb::young),
      poisson_of(&MohrCoulomb::poisson),
      {&MohrCoulomb::cohesion, {.name = "cohesion", .unit = "Pa", .about = "c", .above = 0, .example = 10}},
      {&MohrCoulomb::friction_angle,
       {.name = "friction_angle", .unit = "deg", .about = "phi", .minimum = 0, .below = 90, .example = 30}},
      dilation_angle_of(&MohrCoulomb::dilation_angle),
      {&MohrCoulomb::tension,
       {.name = "tension",
        .unit = "Pa",
        .about = "largest stress in tension; not given: that of the apex, c / tan(phi)",
        .minimum = 0,
        .fallback = 1e30,
        .example = 8}}};

  template <class T>
  constexpr Symmetric<T> stress(const Time&, const Symmetric<T>& strain, const Plain<T>* before, T* now) const {
    const ElasticModuli m = ElasticModuli::from(young, poisson);
    const Planes planes = planes_of(m);
    Symmetric<T> elastic = strain;
    for (int k = 0; k < 6; ++k) elastic[k] -= before[k];
    const Symmetric<T> stress =
        apply_to_all([&](const auto& in, auto& out) { to_planes(m, planes, in, out); }, elastic);
    const Symmetric<T> s = deviator(stress);
    const T mean = (1.0 / 3) * trace(stress);
    for (int k = 0; k < 6; ++k) {  // what is not elastic is plastic
      now[k] = strain[k] - (1 / (2 * m.shear)) * s[k];
      if (k < 3) now[k] -= mean * (1 / (3 * m.bulk));
    }
    return stress;
  }

 private:
  // normal . s <= limit; flow: the stress that a unit of plastic strain along it takes away. Those of the pairs (1, 3),
  // (1, 2) and (2, 3), then the cut-off of s1, s2, s3.
  struct Planes {
    double normal[6][3], flow[6][3], limit[6];
  };
  constexpr Planes planes_of(const ElasticModuli& m) const {
    using std::sin, std::cos, std::sqrt;
    const double phi = friction_angle * degree, psi = dilation_angle * degree;
    const double k = (1 + sin(phi)) / (1 - sin(phi)), flow = (1 + sin(psi)) / (1 - sin(psi));
    const double apex = sin(phi) > 0 ? cohesion * cos(phi) / sin(phi) : tension;
    Planes p{};
    for (int plane = 0; plane < 6; ++plane) {
      const int i = plane == 2 ? 1 : plane < 3 ? 0 : plane - 3, j = plane == 1 ? 1 : 2;
      double along[3] = {};
      p.normal[plane][i] = plane < 3 ? k : 1;
      along[i] = plane < 3 ? flow : 1;
      if (plane < 3) p.normal[plane][j] = along[j] = -1;
      p.limit[plane] = plane < 3 ? 2 * cohesion * sqrt(k) : tension < apex ? tension : apex;
      for (int a = 0; a < 3; ++a)
        p.flow[plane][a] = 2 * m.shear * along[a] + (m.bulk - 2 * m.shear / 3) * (along[0] + along[1] + along[2]);
    }
    return p;
  }

  // The return to a set of planes, linear in the principal stresses of the trial: multipliers, which are stresses of
  // their planes here, and the stress.
  struct Return {
    double multiplier[3][3], multiplier_at_zero[3], stress[3][3], stress_at_zero[3];
  };
  static constexpr Return return_to(const Planes& p, const int (&planes)[3]) {
    Tensor<double> M = Tensor<double>::identity();
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3 && planes[i] >= 0; ++j)
        if (planes[j] >= 0) {
          const auto& normal = p.normal[planes[i]];
          const auto& flow = p.flow[planes[j]];
          M(i, j) = normal[0] * flow[0] + normal[1] * flow[1] + normal[2] * flow[2];
        }
    const Tensor<double> inverted = inverse(M);
    Return r{};
    for (int a = 0; a < 3; ++a) r.stress[a][a] = 1;
    for (int i = 0; i < 3; ++i) {
      r.multiplier_at_zero[i] = planes[i] < 0 ? 1e300 : 0;  // without a plane it is never the least
      for (int j = 0; j < 3 && planes[i] >= 0; ++j)
        if (planes[j] >= 0) {
          const double limit = inverted(i, j) * p.limit[planes[j]];
          r.multiplier_at_zero[i] -= M(i, i) * limit;
          for (int a = 0; a < 3; ++a) {
            const double along = inverted(i, j) * p.normal[planes[j]][a];
            r.multiplier[i][a] += M(i, i) * along;
            r.stress_at_zero[a] += p.flow[planes[i]][a] * limit;
            for (int c = 0; c < 3; ++c) r.stress[c][a] -= p.flow[planes[i]][c] * along;
          }
        }
    }
    return r;
  }
  template <class T>
  static constexpr T smaller(const T& a, const T& b) {
    return select(a - b, b, a);
  }
  // How far a stress is inside the planes and in its order, at least. [Pa]
  template <class T>
  static constexpr T inside(const Planes& p, const T (&s)[3]) {
    return smaller(smaller(s[0] - s[1], s[1] - s[2]),
                   smaller(p.limit[0] - p.normal[0][0] * s[0] + s[2], p.limit[3] - s[0]));
  }
  // The stress is matrix trial + constant, by the set of planes that is active.
  template <class T>
  static constexpr void choose(const Planes& p, const T (&plain)[3], T (&matrix)[3][3], T (&constant)[3]) {
    for (int a = 0; a < 3; ++a) {
      constant[a] = 0.0;
      for (int b = 0; b < 3; ++b) matrix[a][b] = a == b ? 1.0 : 0.0;
    }
    T best = inside(p, plain) + 1e-10 * p.limit[0];  // at a plane, up to rounding, the increment is elastic
    const int sets[10][3] = {{0, -1, -1}, {0, 1, -1}, {0, 2, -1}, {3, -1, -1}, {3, 4, -1},
                             {3, 0, -1},  {3, 4, 5},  {0, 1, 3},  {0, 3, 4},   {0, 2, 3}};
    for (const auto& planes : sets) {
      const Return r = return_to(p, planes);
      T s[3], least = 1e300;
      const auto along = [&](const double(&row)[3], double at_zero) {
        return row[0] * plain[0] + row[1] * plain[1] + row[2] * plain[2] + at_zero;
      };
      for (int a = 0; a < 3; ++a) {
        least = smaller(least, along(r.multiplier[a], r.multiplier_at_zero[a]));
        s[a] = along(r.stress[a], r.stress_at_zero[a]);
      }
      least = smaller(least, inside(p, s));
      const T better = least - best;
      best = select(better, least, best);
      for (int a = 0; a < 3; ++a) {
        constant[a] = select(better, T(r.stress_at_zero[a]), constant[a]);
        for (int b = 0; b < 3; ++b) matrix[a][b] = select(better, T(r.stress[a][b]), matrix[a][b]);
      }
    }
  }
  template <class X>
  static constexpr void to_planes(const ElasticModuli& m, const Planes& p, const X (&strain)[3], X (&stress)[3]) {
    using T = Plain<X>;
    const X pressure = (m.bulk - 2.0 / 3 * m.shear) * (strain[0] + strain[1] + strain[2]);
    X trial[3];
    T plain[3], matrix[3][3], constant[3];
    for (int a = 0; a < 3; ++a) {
      trial[a] = (2 * m.shear) * strain[a] + pressure;
      plain[a] = plain_of(trial[a]);
    }
    choose(p, plain, matrix, constant);
    for (int a = 0; a < 3; ++a)
      stress[a] = matrix[a][0] * trial[0] + matrix[a][1] * trial[1] + matrix[a][2] * trial[2] + constant[a];
  }
};

}  // namespace ritz
