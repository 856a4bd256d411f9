// Whole elements by their residual, with one planted fault each: a bar of Green's strain between two nodes.
#pragma once

#include "fem/elements/vectors.hpp"
#include "fem/forms/whole_element.hpp"
#include "tests/fem/plugins/faulty_forms.hpp"

namespace ritz::test {

enum class ElementFault { none, not_symmetric, not_linear, lost_derivative, not_finite, not_objective, not_balanced };
constexpr const char* element_fault_names[] = {"test_bar",
                                               "test_bar_not_symmetric",
                                               "test_bar_not_linear",
                                               "test_bar_lost_derivative",
                                               "test_bar_not_finite",
                                               "test_bar_not_objective",
                                               "test_bar_not_balanced"};

template <ElementFault fault>
struct FaultyBar {
  static constexpr const char* name = element_fault_names[static_cast<int>(fault)];
  static constexpr auto cell = CellKind::line2;
  static constexpr int components = 3;
  static constexpr bool symmetric = fault != ElementFault::lost_derivative && fault != ElementFault::not_balanced,
                        linear = fault == ElementFault::not_linear;
  static constexpr bool objective = fault != ElementFault::not_linear;
  double stiffness = 1;

  template <class X, class T>
  constexpr void residual(const X (&x)[2][3], const T (&u)[2][3], T (&r)[2][3]) const {
    using std::sqrt;
    const Three<X> D = difference(x[1], x[0]);
    const Three<T> w = difference(u[1], u[0]);
    const X L2 = dot(D, D);
    T strain = (dot(D, w) + 0.5 * dot(w, w)) / L2;
    if constexpr (fault == ElementFault::lost_derivative) strain = without_derivative(strain);
    if constexpr (fault == ElementFault::not_finite) strain = sqrt(strain - 10.0);
    const T force = stiffness * strain / sqrt(L2);
    for (int d = 0; d < 3; ++d) {
      r[1][d] = force * (w[d] + D[d]);
      r[0][d] = -r[1][d];
    }
    if constexpr (fault == ElementFault::not_balanced) r[0][1] *= 0.9;
    if constexpr (fault == ElementFault::not_symmetric) r[1][0] += 0.3 * w[1];
    if constexpr (fault == ElementFault::not_objective) r[1][0] += 0.1 * u[1][0];
  }
};

// The same by its energy.
struct EnergyBar {
  static constexpr const char* name = "test_energy_bar";
  static constexpr auto cell = CellKind::line2;
  static constexpr int components = 3;
  static constexpr bool objective = true;
  double stiffness = 1;
  template <class X, class T>
  constexpr T energy(const X (&x)[2][3], const T (&u)[2][3]) const {
    using std::sqrt;
    const Three<X> D = difference(x[1], x[0]);
    const Three<T> w = difference(u[1], u[0]);
    const X L2 = dot(D, D);
    const T strain = (dot(D, w) + 0.5 * dot(w, w)) / L2;
    return 0.5 * stiffness * sqrt(L2) * strain * strain;
  }
};

// A bar that stiffens with the largest strain that it has seen, and faults in what it keeps.
template <StateFault fault>
struct FaultyStateBar {
  static constexpr const char* name = fault == StateFault::none     ? "test_state_bar"
                                      : fault == StateFault::drifts ? "test_state_bar_drifts"
                                                                    : "test_state_bar_loses_a_derivative";
  static constexpr auto cell = CellKind::line2;
  static constexpr int components = 3;
  static constexpr bool rate_independent = true;
  static constexpr std::array<StateFacts, 1> state = {{{.name = "largest", .start = 1e-3}}};
  double stiffness = 1;
  template <class X, class T>
  constexpr void residual(const X (&x)[2][3], const T (&u)[2][3], const T (&before)[1], T (&now)[1],
                          T (&r)[2][3]) const {
    const Three<X> D = difference(x[1], x[0]);
    const T strain = dot(D, difference(u[1], u[0])) / dot(D, D), square = strain * strain;
    now[0] = select(square - before[0], square, before[0]);
    if constexpr (fault == StateFault::drifts) now[0] = before[0] + square;
    T k = stiffness * (1.0 + now[0]);
    // right in the first increment
    if constexpr (fault == StateFault::loses_a_derivative) k = select(before[0] - 1e-3, without_derivative(k), k);
    for (int d = 0; d < 3; ++d) {
      r[1][d] = k * strain * D[d];
      r[0][d] = -r[1][d];
    }
  }
};

// Damage by (1 - d) E e^2 / 2, whose derivative is not the stress: it holds what d grows by.
struct DamageByEnergy {
  static constexpr const char* name = "test_damage_by_energy";
  static constexpr auto cell = CellKind::line2;
  static constexpr int components = 3, points = 1, strains = 1;
  static constexpr bool rate_independent = true;
  static constexpr std::array<StateFacts, 1> state = {{{.name = "largest", .start = 1e-3}}};
  double stiffness = 1;
  template <class X, class T>
  constexpr X strain(int, const X (&x)[2][3], const T (&u)[2][3], T (&e)[1]) const {
    const Three<X> D = difference(x[1], x[0]);
    e[0] = dot(D, difference(u[1], u[0])) / dot(D, D);
    return 1.0;
  }
  template <class T>
  constexpr T energy(const T (&e)[1], const T (&before)[1], T (&now)[1]) const {
    const T square = e[0] * e[0];
    now[0] = select(square - before[0], square, before[0]);
    return 0.5 * stiffness * square / (1.0 + now[0]);
  }
};

// One unknown per node, and a residual that is no derivative of an energy: flow through pipes, with a valve that lets
// back a tenth. q = (p0 - p1) / resistance, or a tenth of it.
struct Valve {
  static constexpr const char* name = "test_valve";
  static constexpr auto cell = CellKind::line2;
  static constexpr int components = 1;
  double resistance = 2;
  template <class X, class T>
  constexpr void residual(const X (&)[2][3], const T (&p)[2][1], T (&r)[2][1]) const {
    const T drop = p[0][0] - p[1][0];
    const T flow = select(drop, drop, 0.1 * drop) / resistance;
    r[0][0] = flow;
    r[1][0] = -flow;
  }
};

}  // namespace ritz::test
