// Brittle damage: (1 - d) C eps, where d grows with r, the largest energy norm sqrt(eps : C eps) that a point has seen,
// d = 1 - (1 - A) r0/r - A exp(B (r0 - r)). Simo and Ju, Int. J. Solids Structures 23 (1987) 821, with Mazars's
// exponential law.
#include "fem/add_form.hpp"

struct Damage {
  static constexpr const char *name = "damage", *unknown = "displacement", *derives = "damage";
  static constexpr int components = 3, dimension = 3, derived = 1;
  static constexpr bool uses_value = false, uses_gradient = true, symmetric = true;
  static constexpr bool objective = true, small_displacements = true, rate_independent = true;
  static constexpr std::array<ritz::StateFacts, 1> state = {{{.name = "largest_energy_norm", .unit = "sqrt(Pa)"}}};
  double lambda, mu, threshold, A, B;
  static constexpr ritz::Parameter<Damage> parameters[] = {
      {&Damage::lambda, {.name = "lambda", .unit = "Pa", .about = "Lame's first parameter", .example = 1}},
      {&Damage::mu, {.name = "mu", .unit = "Pa", .about = "shear modulus", .above = 0, .example = 0.7}},
      {&Damage::threshold, {.name = "threshold", .unit = "sqrt(Pa)", .about = "r0", .above = 0, .example = 0.02}},
      {&Damage::A, {.name = "A", .about = "what is lost in the end", .minimum = 0, .maximum = 1, .example = 0.9}},
      {&Damage::B, {.name = "B", .unit = "1/sqrt(Pa)", .about = "how fast", .minimum = 0, .example = 0.2}}};

  template <class T>
  constexpr T left(T r) const {  // 1 - d
    using ritz::select, std::exp;
    const T beyond = (1 - A) * threshold / select(r - threshold, r, T(threshold)) + A * exp(B * (threshold - r));
    return select(r - threshold, beyond, T(1.0));
  }
  template <class T>
  constexpr void operator()(const ritz::Location<T, 3>&, const ritz::Fields<T, 3, 3>& u, const T (&before)[1],
                            T (&now)[1], ritz::Fields<T, 3, 3>& f) const {
    using ritz::select, std::sqrt;
    const auto& g = u.gradient;
    const T trace = g[0][0] + g[1][1] + g[2][2];
    T energy = 1e-300;  // its root has a slope at rest, too
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) {
        f.gradient[i][j] = mu * (g[i][j] + g[j][i]);
        if (i == j) f.gradient[i][j] += lambda * trace;
        energy += f.gradient[i][j] * g[i][j];
      }
    const T r = sqrt(energy);
    now[0] = select(r - before[0], r, before[0]);
    const T stiffness = left(now[0]);
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) f.gradient[i][j] = stiffness * f.gradient[i][j];
  }
  template <class T>
  constexpr void derive(const ritz::Location<T, 3>&, const ritz::Fields<T, 3, 3>&, const T* state, T* out) const {
    out[0] = 1.0 - left(state[0]);
  }
};

const ritz::AddForm<Damage> damage;
