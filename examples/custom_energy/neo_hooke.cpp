// Rubber that is stretched far: the compressible neo-Hookean solid, given by its strain-energy density alone,
// mu/2 (tr F^T F - 3) - mu ln J + lambda/2 (ln J)^2. Stress and tangent are its derivatives (Bonet and Wood
// 2008, 6.4.3).
#include "fem/add_form.hpp"

struct NeoHooke {
  static constexpr const char *name = "neo_hooke", *unknown = "displacement";
  static constexpr int components = 3, dimension = 3;
  static constexpr bool uses_value = false, uses_gradient = true, objective = true;
  double lambda, mu;  // [Pa]

  static constexpr ritz::Parameter<NeoHooke> parameters[] = {
      {&NeoHooke::lambda, {.name = "lambda", .unit = "Pa", .about = "Lame's first parameter", .minimum = 0}},
      {&NeoHooke::mu, {.name = "mu", .unit = "Pa", .about = "shear modulus", .above = 0}}};

  template <class T>
  constexpr T energy(const ritz::Location<T, 3>&, const ritz::Fields<T, 3, 3>& u) const {
    using std::log;
    T F[3][3], square = 0.0;
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) {
        F[i][j] = u.gradient[i][j] + (i == j ? 1.0 : 0.0);
        square += F[i][j] * F[i][j];
      }
    const T J = F[0][0] * (F[1][1] * F[2][2] - F[1][2] * F[2][1]) - F[0][1] * (F[1][0] * F[2][2] - F[1][2] * F[2][0]) +
                F[0][2] * (F[1][0] * F[2][1] - F[1][1] * F[2][0]);
    const T log_J = log(J);
    return (0.5 * mu) * (square - 3.0) - mu * log_J + (0.5 * lambda) * (log_J * log_J);
  }
};

const ritz::AddForm<NeoHooke> neo_hooke;
