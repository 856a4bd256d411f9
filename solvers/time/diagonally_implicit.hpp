// One-step methods in time whose implicit stages depend on themselves alone and share one factor (ESDIRK methods):
// numbers only. For d/dt m(u) + r(u, t) = 0 and a step from t_n to t_n + dt, stage i satisfies
//
//   m(u_i) = m(u_n) - dt sum_{j <= i} weight[i][j] r(u_j, t_n + time[j] dt).
//
// Stage 0 is the end of the step before, and the last stage is the end of this one. All other stages have weight[i][i]
// = diagonal, so that their tangents m'/(diagonal dt) + r' have the same factors, and share a matrix where it is
// constant. Hairer and Wanner, Solving Ordinary Differential Equations II, 1996, section IV.6.
//
//   const DiagonallyImplicitMethod& method = time_method_named("tr_bdf2");
#pragma once

#include <array>
#include <numbers>
#include <string>
#include <string_view>
#include <vector>

namespace ritz {

struct DiagonallyImplicitMethod {
  static constexpr int most_stages = 3;
  const char* name;
  int stages;       // stage 0 included
  int order;        // global order of convergence
  int error_order;  // the estimate of the local error is O(dt^error_order)
  double diagonal;
  std::array<double, most_stages> time;                             // [stage] parts of dt
  std::array<std::array<double, most_stages>, most_stages> weight;  // [stage][stage before it, or itself]
  // Weights of the step less those of an embedded method: dt sum_i error[i] r_i estimates the local error of m, with a
  // minus.
  std::array<double, most_stages> error;

  constexpr int last() const { return stages - 1; }
};

// The trapezoidal rule to t + (2 - sqrt 2) dt, then the second backward difference formula: L-stable, of order 2, with
// an embedded method of order 3. Bank et al., IEEE Trans. Electron Devices 32, 1985; Hosea and Shampine, Appl. Numer.
// Math. 20, 1996, from whom the embedded weights are.
inline constexpr DiagonallyImplicitMethod tr_bdf2 = [] {
  constexpr double w = std::numbers::sqrt2 / 4, d = 1 - std::numbers::sqrt2 / 2;
  return DiagonallyImplicitMethod{.name = "tr_bdf2",
                                  .stages = 3,
                                  .order = 2,
                                  .error_order = 3,
                                  .diagonal = d,
                                  .time = {0, 2 * d, 1},
                                  .weight = {{{0, 0, 0}, {d, d, 0}, {w, w, d}}},
                                  .error = {w - (1 - w) / 3, w - (1 + 3 * w) / 3, d - d / 3}};
}();

// L-stable, of order 1, and positive: no overshoot from whatever it starts. The trapezoidal rule is embedded.
inline constexpr DiagonallyImplicitMethod backward_euler = {.name = "backward_euler",
                                                            .stages = 2,
                                                            .order = 1,
                                                            .error_order = 2,
                                                            .diagonal = 1,
                                                            .time = {0, 1, 0},
                                                            .weight = {{{0, 0, 0}, {0, 1, 0}, {0, 0, 0}}},
                                                            .error = {-0.5, 0.5, 0}};

const std::vector<std::string>& time_method_names();  // the default comes first
// Throws Error: Exit::input with the valid names.
const DiagonallyImplicitMethod& time_method_named(std::string_view name);

}  // namespace ritz
