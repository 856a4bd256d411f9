// Forms of the tests' own, compiled like a user's into a module of their own (ritz_test_forms): they prove that this
// works, and carry loads and nonlinearities that the library does not have.
#pragma once

#include "fem/forms/form_value.hpp"
#include "fem/forms/from_energy.hpp"

#include <array>
#include <cmath>
#include <limits>

namespace ritz::test {

// -div(k(u) grad u) + c exp(u) with k(u) = k0 (1 + b u): the tangent is not symmetric.
template <int G>
struct NonlinearDiffusion {
  static constexpr const char* name = G == 3 ? "test_nonlinear_diffusion3" : "test_nonlinear_diffusion2";
  static constexpr int components = 1, dimension = G;
  static constexpr bool uses_value = true, uses_gradient = true;
  double k0, b, c;

  template <class T>
  constexpr void operator()(const Location<T, G>&, const Fields<T, 1, G>& u, Fields<T, 1, G>& f) const {
    using std::exp;
    const T k = k0 * (1.0 + b * u.value[0]);
    for (int d = 0; d < G; ++d) f.gradient[0][d] = k * u.gradient[0][d];
    f.value[0] = c * exp(u.value[0]);
  }
};

// A capacity that grows with the unknown: what is stored is density (u + b u^3).
template <int G>
struct SteepMass {
  static constexpr const char* name = G == 3 ? "test_steep_mass3" : "test_steep_mass2";
  static constexpr int components = 1, dimension = G;
  static constexpr bool uses_value = true, uses_gradient = false, symmetric = true;
  double density, b;

  template <class T>
  constexpr void operator()(const Location<T, G>&, const Fields<T, 1, G>& u, Fields<T, 1, G>& f) const {
    f.value[0] = density * (u.value[0] + b * (u.value[0] * u.value[0] * u.value[0]));
  }
};

// A diffusion with another number of derived quantities than the library's has: the size of the gradient.
struct SlopeDiffusion {
  static constexpr const char* name = "test_slope_diffusion";
  static constexpr int components = 1, dimension = 2, derived = 1;
  static constexpr bool uses_value = false, uses_gradient = true, symmetric = true, linear = true;
  double conductivity;

  template <class T>
  constexpr void operator()(const Location<T, 2>&, const Fields<T, 1, 2>& u, Fields<T, 1, 2>& f) const {
    for (int d = 0; d < 2; ++d) f.gradient[0][d] = conductivity * u.gradient[0][d];
  }
  template <class T>
  constexpr void derive(const Location<T, 2>&, const Fields<T, 1, 2>& u, T* out) const {
    using std::sqrt;
    out[0] = sqrt(u.gradient[0][0] * u.gradient[0][0] + u.gradient[0][1] * u.gradient[0][1]);
  }
};

// Two components that act on each other through values and gradients, with every operation that duals know.
struct Coupled {
  static constexpr const char* name = "test_coupled";
  static constexpr int components = 2, dimension = 2;
  static constexpr bool uses_value = true, uses_gradient = true;
  double a;

  template <class T>
  constexpr void operator()(const Location<T, 2>& p, const Fields<T, 2, 2>& u, Fields<T, 2, 2>& f) const {
    using std::log;
    using std::pow;
    using std::sqrt;
    const auto& g = u.gradient;
    const T size = g[0][0] * g[0][0] + g[0][1] * g[0][1] + g[1][0] * g[1][0] + g[1][1] * g[1][1];
    const T stiffness = sqrt(1.0 + size) + a * pow(1.0 + u.value[1] * u.value[1], 1.5);
    for (int d = 0; d < 2; ++d) {
      f.gradient[0][d] = stiffness * g[0][d];
      f.gradient[1][d] = (1.0 + p.x[0] * p.x[0]) * g[1][d] - g[0][1 - d] / (2.0 + u.value[0] * u.value[0]);
    }
    f.value[0] = u.value[0] * u.value[1] - p.x[1];
    f.value[1] = log(2.0 + u.value[0] * u.value[0]) + g[0][0] * u.value[1];
  }
};

// Diffusion that remembers the slope along x and has no flux where it has changed by more than 0.6 since the last
// increment.
struct LimitedSteps {
  static constexpr const char* name = "test_limited_steps";
  static constexpr int components = 1, dimension = 2;
  static constexpr bool uses_value = false, uses_gradient = true;
  static constexpr std::array<StateFacts, 1> state = {{{.name = "slope"}}};

  template <class T>
  constexpr void operator()(const Location<T, 2>&, const Fields<T, 1, 2>& u, const T (&before)[1], T (&now)[1],
                            Fields<T, 1, 2>& f) const {
    const auto& g = u.gradient[0];
    const T change = g[0] - before[0];
    for (int d = 0; d < 2; ++d)
      f.gradient[0][d] = select(T(0.36) - change * change, g[d], T(std::numeric_limits<double>::quiet_NaN()));
    now[0] = g[0];
  }
};

// Small-strain elasticity by its energy, lambda/2 (tr eps)^2 + mu eps:eps.
struct ElasticEnergy {
  static constexpr const char* name = "test_elastic_energy";
  static constexpr int components = 3, dimension = 3;
  static constexpr bool uses_value = false, uses_gradient = true, linear = true, objective = true;
  double lambda, mu;
  static constexpr Parameter<ElasticEnergy> parameters[] = {
      {&ElasticEnergy::lambda, {.name = "lambda", .unit = "Pa", .about = "first", .fallback = 1}},
      {&ElasticEnergy::mu, {.name = "mu", .unit = "Pa", .about = "second", .maximum = 10, .above = 0}}};

  template <class T>
  constexpr T energy(const Location<T, 3>&, const Fields<T, 3, 3>& u) const {
    const auto& g = u.gradient;
    const T trace = g[0][0] + g[1][1] + g[2][2];
    T square = 0.0;
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) square += 0.25 * ((g[i][j] + g[j][i]) * (g[i][j] + g[j][i]));
    return (0.5 * lambda) * (trace * trace) + mu * square;
  }
};

// Softening: a/2 s - b/4 s^2, s = grad u : grad u. Along a homogeneous stretch e the tangent is a - 3 b e^2.
struct SofteningEnergy {
  static constexpr const char* name = "test_softening_energy";
  static constexpr int components = 3, dimension = 3;
  static constexpr bool uses_value = false, uses_gradient = true;
  double a, b;

  template <class T>
  constexpr T energy(const Location<T, 3>&, const Fields<T, 3, 3>& u) const {
    T s = 0.0;
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) s += u.gradient[i][j] * u.gradient[i][j];
    return (0.5 * a) * s - (0.25 * b) * (s * s);
  }
};

// A membrane with a spring under it: energy of values, gradients and the place.
struct MembraneEnergy {
  static constexpr const char* name = "test_membrane_energy";
  static constexpr int components = 1, dimension = 2;
  static constexpr bool uses_value = true, uses_gradient = true;
  double stiffness;

  template <class T>
  constexpr T energy(const Location<T, 2>& p, const Fields<T, 1, 2>& u) const {
    using std::sqrt;
    const auto& g = u.gradient[0];
    const T square = u.value[0] * u.value[0];
    return sqrt(1.0 + g[0] * g[0] + g[1] * g[1]) + (stiffness * (1.0 + p.x[0])) * (square * square);
  }
};

// Diffusion whose conductivity grows with time and with the length of the step, by its energy.
struct AgeingEnergy {
  static constexpr const char* name = "test_ageing_energy";
  static constexpr int components = 1, dimension = 3;
  static constexpr bool uses_value = false, uses_gradient = true, linear = true, varies_in_time = true;
  double conductivity = 1;

  template <class T>
  constexpr T energy(const Location<T, 3>& p, const Fields<T, 1, 3>& u) const {
    const auto& g = u.gradient[0];
    return (0.5 * conductivity * (1 + p.t) * (1 + p.dt)) * (g[0] * g[0] + g[1] * g[1] + g[2] * g[2]);
  }
};

// The same in the plane by its flux, which keeps the integral of the slope over time.
struct AgeingWithPast {
  static constexpr const char* name = "test_ageing_with_past";
  static constexpr int components = 1, dimension = 2, derived = 1;
  static constexpr bool uses_value = false, uses_gradient = true, varies_in_time = true;
  static constexpr std::array<StateFacts, 1> state = {{{.name = "slope_times_time"}}};
  double conductivity = 1;

  template <class T>
  constexpr void operator()(const Location<T, 2>& p, const Fields<T, 1, 2>& u, const T (&before)[1], T (&now)[1],
                            Fields<T, 1, 2>& f) const {
    for (int d = 0; d < 2; ++d) f.gradient[0][d] = (conductivity * (1 + p.t)) * u.gradient[0][d];
    now[0] = before[0] + p.dt * u.gradient[0][0];
  }
  template <class T>
  constexpr void derive(const Location<T, 2>& p, const Fields<T, 1, 2>& u, const T*, T* out) const {
    out[0] = (conductivity * (1 + p.t)) * u.gradient[0][0];
  }
};

// A sum of two plane waves a sin(w . x + phase) per component: smooth, not polynomial, without symmetry.
inline constexpr int wave_count = 2;
struct Wave {
  double amplitude[3], vector[3], phase;
};
struct Waves {
  Wave wave[wave_count] = {{{1.0, -0.6, 0.8}, {1.9, 1.3, 0.9}, 0.4}, {{0.5, 0.9, -0.7}, {-0.8, 1.7, 2.1}, 1.3}};
};

// The heat source -k laplace(u) that makes waves (their first component) the temperature.
template <int G>
struct WaveSource {
  static constexpr const char* name = G == 3 ? "test_wave_source3" : "test_wave_source2";
  static constexpr int components = 1, dimension = G, extra_degree = 2;
  static constexpr bool uses_value = true, uses_gradient = false, linear = true, has_matrix = false;
  Waves waves;
  double conductivity;

  template <class T>
  constexpr void operator()(const Location<T, G>& p, const Fields<T, 1, G>&, Fields<T, 1, G>& f) const {
    using std::sin;
    f.value[0] = 0.0;
    for (int m = 0; m < wave_count; ++m) {
      const Wave& wave = waves.wave[m];
      T angle = wave.phase;
      double square = 0;
      for (int d = 0; d < G; ++d) {
        angle += wave.vector[d] * p.x[d];
        square += wave.vector[d] * wave.vector[d];
      }
      f.value[0] -= (conductivity * square * wave.amplitude[0]) * sin(angle);
    }
  }
};

// The body force -div sigma that makes waves the displacement:
// ((lambda + mu) (a . w) w + mu |w|^2 a) sin(w . x + phase) for each.
template <int G>
struct WaveForce {
  static constexpr const char* name = G == 3 ? "test_wave_force3" : "test_wave_force2";
  static constexpr int components = G, dimension = G, extra_degree = 2;
  static constexpr bool uses_value = true, uses_gradient = false, linear = true, has_matrix = false;
  Waves waves;
  double lambda, mu;

  template <class T>
  constexpr void operator()(const Location<T, G>& p, const Fields<T, G, G>&, Fields<T, G, G>& f) const {
    using std::sin;
    for (int i = 0; i < G; ++i) f.value[i] = 0.0;
    for (int m = 0; m < wave_count; ++m) {
      const Wave& wave = waves.wave[m];
      T angle = wave.phase;
      double square = 0, along = 0;
      for (int d = 0; d < G; ++d) {
        angle += wave.vector[d] * p.x[d];
        square += wave.vector[d] * wave.vector[d];
        along += wave.amplitude[d] * wave.vector[d];
      }
      const T sine = sin(angle);
      for (int i = 0; i < G; ++i)
        f.value[i] -= ((lambda + mu) * along * wave.vector[i] + mu * square * wave.amplitude[i]) * sine;
    }
  }
};

// A form of the module ritz_test_forms.
template <Form F>
FormValue test_form(const F& form) {
  FormValue value = form;
  value.module = "ritz_test_forms";
  return value;
}

}  // namespace ritz::test
