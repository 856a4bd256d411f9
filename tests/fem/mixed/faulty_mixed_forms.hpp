// Forms of two fields with one planted fault each: a circulation along edges beside a nodal field, in the plane.
#pragma once

#include "fem/forms/mixed_form.hpp"
#include "fem/numbers/dual.hpp"

#include <cmath>

namespace ritz::test {

enum class MixedFault { none, not_symmetric, not_linear, wrong_tangent, not_finite, hidden_coupling, reads_time };
constexpr const char* mixed_fault_names[] = {
    "test_mixed_sound",      "test_mixed_not_symmetric",   "test_mixed_not_linear",    "test_mixed_wrong_tangent",
    "test_mixed_not_finite", "test_mixed_hidden_coupling", "test_mixed_reads_the_time"};

template <class T>
constexpr T frozen(T x) {
  return x;
}
template <class T>
constexpr Dual<T> frozen(Dual<T> x) {
  return {x.value, T(0.0)};
}

template <MixedFault fault>
struct FaultyPair {
  static constexpr const char* name = mixed_fault_names[static_cast<int>(fault)];
  static constexpr int dimension = 2;
  static constexpr std::array<FieldFacts, 2> fields{
      {{.name = "vector", .components = 1, .order = 1, .family = Family::edge},
       {.name = "scalar", .components = 1, .order = 1}}};
  static constexpr bool symmetric = true, linear = fault != MixedFault::wrong_tangent;
  static constexpr bool couples(int test, int trial) { return fault != MixedFault::hidden_coupling || test == trial; }

  template <class T>
  constexpr void operator()(const Location<T, 2>& at, const MixedFields<T, FaultyPair>& u,
                            MixedFields<T, FaultyPair>& f) const {
    using std::sqrt;
    const auto& [v, s] = u;
    auto& [flux, balance] = f;
    for (int i = 0; i < 2; ++i) {
      flux.value[i] = 2.0 * v.value[i] + (fault == MixedFault::not_symmetric ? 0.6 : 0.5) * s.gradient[0][i];
      balance.gradient[0][i] = s.gradient[0][i] + 0.5 * v.value[i];
    }
    flux.curl[0] = v.curl[0];
    balance.value[0] = s.value[0];
    if constexpr (fault == MixedFault::not_linear) flux.curl[0] += v.curl[0] * v.curl[0];
    if constexpr (fault == MixedFault::wrong_tangent) flux.curl[0] += frozen(v.curl[0]);
    if constexpr (fault == MixedFault::not_finite) balance.value[0] += sqrt(s.value[0]);
    if constexpr (fault == MixedFault::reads_time) balance.value[0] += at.t * s.value[0];
  }
};

}  // namespace ritz::test
