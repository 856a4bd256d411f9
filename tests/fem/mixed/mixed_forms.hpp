// Forms of several fields of the tests' own, in a module like a user's (ritz_mixed_forms).
#pragma once

#include "fem/forms/mixed_form.hpp"

#include <cmath>

namespace ritz::test {

// A displacement and a temperature with everything that a form may have: values and gradients of both, a tangent that
// depends on all and is not symmetric, the position and the time.
template <int G>
struct Everything {
  static constexpr const char* name = G == 3 ? "test_everything3" : "test_everything2";
  static constexpr int dimension = G, extra_degree = 1;
  static constexpr bool varies_in_time = true;
  static constexpr std::array<FieldFacts, 2> fields{
      {{.name = "displacement", .components = G, .order = 2}, {.name = "temperature", .components = 1, .order = 1}}};
  double stiffness = 1.3, coupling = 0.4;

  template <class T>
  constexpr void operator()(const Location<T, G>& at, const MixedFields<T, Everything>& u,
                            MixedFields<T, Everything>& f) const {
    using std::exp;
    const auto& [v, t] = u;
    auto& [force, heat] = f;
    const T k = stiffness * (1.0 + t.value[0] * t.value[0]);
    for (int i = 0; i < G; ++i) {
      for (int j = 0; j < G; ++j) force.gradient[i][j] = k * v.gradient[i][j] + coupling * v.value[i] * v.value[j];
      force.gradient[i][i] += coupling * t.value[0] * (1.0 + at.t);
      force.value[i] = v.value[i] * t.gradient[0][i] + at.x[i];
      heat.gradient[0][i] = (1.0 + v.value[i] * v.value[i]) * t.gradient[0][i];
    }
    heat.value[0] = exp(0.3 * t.value[0]) + coupling * v.gradient[0][1];
  }
};

// Three fields of which only neighbours couple, in a ring that is open.
struct Chain {
  static constexpr const char* name = "test_chain";
  static constexpr int dimension = 2;
  static constexpr std::array<FieldFacts, 3> fields{{{.name = "a", .components = 1, .order = 1},
                                                     {.name = "b", .components = 2, .order = 2, .uses_gradient = false},
                                                     {.name = "c", .components = 1, .order = 3}}};
  static constexpr bool linear = true;
  static constexpr bool couples(int test, int trial) { return test == trial ? test != 1 : test - trial == 1; }

  template <class T>
  constexpr void operator()(const Location<T, 2>&, const MixedFields<T, Chain>& u, MixedFields<T, Chain>& f) const {
    const auto& [a, b, c] = u;
    f.template get<0>().gradient[0][0] = 2.0 * a.gradient[0][0];
    f.template get<0>().value[0] = a.value[0];
    f.template get<1>().value[0] = a.value[0];
    f.template get<1>().value[1] = 3.0 * a.gradient[0][1];
    f.template get<2>().gradient[0][1] = b.value[1];
    f.template get<2>().value[0] = b.value[0] + c.value[0];
  }
};

}  // namespace ritz::test
