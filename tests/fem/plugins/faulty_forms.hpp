// Forms with one planted fault each: -div(grad u) in the plane, but for the line that the name speaks of.
#pragma once

#include "fem/forms/form.hpp"
#include "fem/forms/parameter.hpp"
#include "fem/numbers/dual.hpp"

#include <array>
#include <cmath>

namespace ritz::test {

template <class T>
constexpr T without_derivative(T x) {
  return x;
}
template <class T>
constexpr Dual<T> without_derivative(Dual<T> x) {
  return {x.value, T(0.0)};
}

enum class Fault {
  none,
  not_symmetric,
  not_linear,
  wrong_tangent,
  not_finite,
  not_objective,
  not_balanced,
  coarse_quadrature,
  extra_zero_modes,
  rough_coefficient,
  reads_time,
  depends_on_backend,
  wrong_action,
  wrong_diagonal,
  count
};
constexpr const char* fault_names[] = {"test_sound",
                                       "test_not_symmetric",
                                       "test_not_linear",
                                       "test_wrong_tangent",
                                       "test_not_finite",
                                       "test_not_objective",
                                       "test_not_balanced",
                                       "test_coarse_quadrature",
                                       "test_extra_zero_modes",
                                       "test_rough_coefficient",
                                       "test_reads_time",
                                       "test_depends_on_backend",
                                       "test_wrong_action",
                                       "test_wrong_diagonal"};

template <Fault fault>
struct Faulty {
  static constexpr const char* name = fault_names[static_cast<int>(fault)];
  static constexpr int components = 1, dimension = 2;
  static constexpr bool uses_value = fault == Fault::not_objective || fault == Fault::not_finite, uses_gradient = true;
  // Tangents that duals derive wrongly are asymmetric, too: no claim there, so that one check alone is to blame.
  static constexpr bool symmetric = fault != Fault::wrong_tangent && fault != Fault::not_finite;
  static constexpr bool linear = fault != Fault::wrong_tangent && fault != Fault::not_finite;
  static constexpr bool objective =
      fault != Fault::coarse_quadrature && fault != Fault::rough_coefficient && fault != Fault::not_finite;
  double scale = 1;

  template <class T>
  constexpr void operator()(const Location<T, 2>& p, const Fields<T, 1, 2>& u, Fields<T, 1, 2>& f) const {
    using std::sin, std::sqrt;
    const auto& g = u.gradient[0];
    f.gradient[0][0] = scale * g[0];
    f.gradient[0][1] = scale * g[1];
    if constexpr (uses_value) f.value[0] = 0.0;
    if constexpr (fault == Fault::not_symmetric) f.gradient[0][0] += 0.3 * g[1];
    if constexpr (fault == Fault::not_linear) {
      for (int d = 0; d < 2; ++d) f.gradient[0][d] += g[d] * (g[0] * g[0] + g[1] * g[1]);
    }
    if constexpr (fault == Fault::wrong_tangent) {
      for (int d = 0; d < 2; ++d) f.gradient[0][d] += without_derivative(g[0] * g[0] + g[1] * g[1]) * g[d];
    }
    if constexpr (fault == Fault::not_finite) f.value[0] = sqrt(u.value[0]);
    if constexpr (fault == Fault::not_objective) f.value[0] = 0.1 * u.value[0];
    if constexpr (fault == Fault::not_balanced) f.gradient[0][0] = (1.0 + 0.2 * p.x[0]) * g[0];
    if constexpr (fault == Fault::coarse_quadrature || fault == Fault::rough_coefficient) {
      const double waves = fault == Fault::rough_coefficient ? 70 : 12;
      for (int d = 0; d < 2; ++d) f.gradient[0][d] = (1.0 + 0.9 * sin(waves * p.x[0])) * g[d];
    }
    if constexpr (fault == Fault::reads_time) f.gradient[0][0] = (1.0 + p.t) * g[0];
    if constexpr (fault == Fault::extra_zero_modes) f.gradient[0][1] = 0.0 * g[1];
    if constexpr (fault == Fault::depends_on_backend) {
      // A fault by design: the form depends on the width of its numbers.
      for (int d = 0; d < 2; ++d) f.gradient[0][d] = (backend_factor * 1.0) * g[d];
    }
  }
#ifdef RITZ_BACKEND
  static constexpr double backend_factor =
      sizeof(RITZ_TEXT(RITZ_BACKEND)) + (RITZ_TEXT(RITZ_BACKEND)[1] == '4' ? 1e-6 : 0.0);
#else
  static constexpr double backend_factor = 1;
#endif
};

// A load by its declaration that depends on the unknown.
struct FeelingLoad {
  static constexpr const char* name = "test_feeling_load";
  static constexpr int components = 1, dimension = 2;
  static constexpr bool uses_value = true, uses_gradient = false, has_matrix = false;
  double scale = 1;
  template <class T>
  constexpr void operator()(const Location<T, 2>&, const Fields<T, 1, 2>& u, Fields<T, 1, 2>& f) const {
    f.value[0] = scale * (1.0 + 0.1 * u.value[0]);
  }
};

// A stress that is not symmetric: every other claim is true.
struct TwistingStress {
  static constexpr const char* name = "test_twisting_stress";
  static constexpr int components = 2, dimension = 2;
  static constexpr bool uses_value = false, uses_gradient = true, linear = true, objective = true;
  double twist = 0.2;
  template <class T>
  constexpr void operator()(const Location<T, 2>&, const Fields<T, 2, 2>& u, Fields<T, 2, 2>& f) const {
    const T shear = u.gradient[0][1] + u.gradient[1][0];
    for (int d = 0; d < 2; ++d) f.gradient[d][d] = 2.0 * u.gradient[d][d];
    f.gradient[0][1] = (1.0 + twist) * shear;
    f.gradient[1][0] = (1.0 - twist) * shear;
  }
};

// -div(k grad u) whose k grows with the steepest slope that a point has seen: a point state, and faults in it.
enum class StateFault { none, drifts, loses_a_derivative, not_finite, depends_on_backend, count };
constexpr const char* state_fault_names[] = {"test_state_sound", "test_state_drifts", "test_state_loses_a_derivative",
                                             "test_state_not_finite", "test_state_depends_on_backend"};

template <StateFault fault>
struct FaultyState {
  static constexpr const char* name = state_fault_names[static_cast<int>(fault)];
  static constexpr int components = 1, dimension = 2;
  static constexpr bool uses_value = false, uses_gradient = true, symmetric = true, objective = true,
                        rate_independent = true;
  static constexpr std::array<StateFacts, 2> state = {{{.name = "steepest", .start = 1e-3}, {.name = "increments"}}};
  double scale = 1;

  template <class T>
  constexpr void operator()(const Location<T, 2>&, const Fields<T, 1, 2>& u, const T (&before)[2], T (&now)[2],
                            Fields<T, 1, 2>& f) const {
    using std::log;
    const auto& g = u.gradient[0];
    const T square = g[0] * g[0] + g[1] * g[1];
    now[0] = select(square - before[0], square, before[0]);
    if constexpr (fault == StateFault::drifts) now[0] = before[0] + square;
    if constexpr (fault == StateFault::not_finite) now[1] = log(before[1]);
    if constexpr (fault == StateFault::depends_on_backend) now[1] = Faulty<Fault::none>::backend_factor;
    T k = scale * (1.0 + now[0] / (1.0 + now[0]));
    // Right in the first increment.
    if constexpr (fault == StateFault::loses_a_derivative) k = select(before[0] - 1e-3, without_derivative(k), k);
    for (int d = 0; d < 2; ++d) f.gradient[0][d] = k * g[d];
  }
};

}  // namespace ritz::test
