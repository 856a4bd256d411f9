// The quantities that an error estimate recovers, by physics: M numbers (strains; slopes of a temperature) made of the
// gradient g[component][axis] at a point, their energy density, and the square of the reported error. C components of
// the unknown, G axes. Numbers of the material: Lame's parameters, or conductivity.
#pragma once

#include <array>

namespace ritz {

template <int D, bool OfRevolution>
struct Heat {
  static constexpr int C = 1, G = D, M = D;
  static constexpr bool revolution = OfRevolution;
  static void recovered(const double (&g)[3][3], double, double* out) {
    for (int i = 0; i < G; ++i) out[i] = g[0][i];
  }
  static double energy(const std::array<double, 2>& n, bool, const double* e) {
    double sum = 0;
    for (int i = 0; i < G; ++i) sum += e[i] * e[i];
    return n[0] * sum;
  }
  static double magnitude(const std::array<double, 2>& n, bool, const double* e) { return n[0] * energy(n, false, e); }
};

// 6 mu^2 (eps : eps - tr(eps)^2 / 3): the square of von Mises' stress
inline double von_mises_square(double mu, double xx, double yy, double zz, double shears) {
  const double trace = xx + yy + zz;
  return 6 * mu * mu * (xx * xx + yy * yy + zz * zz + 2 * shears - trace * trace / 3);
}

struct Solid {
  static constexpr int C = 3, G = 3, M = 6;
  static constexpr bool revolution = false;
  static void recovered(const double (&g)[3][3], double, double* out) {
    for (int i = 0; i < 3; ++i) out[i] = g[i][i];
    out[3] = 0.5 * (g[0][1] + g[1][0]);
    out[4] = 0.5 * (g[1][2] + g[2][1]);
    out[5] = 0.5 * (g[0][2] + g[2][0]);
  }
  static double shears(const double* e) { return e[3] * e[3] + e[4] * e[4] + e[5] * e[5]; }
  static double energy(const std::array<double, 2>& n, bool, const double* e) {
    const double trace = e[0] + e[1] + e[2];
    return n[0] * trace * trace + 2 * n[1] * (e[0] * e[0] + e[1] * e[1] + e[2] * e[2] + 2 * shears(e));
  }
  static double magnitude(const std::array<double, 2>& n, bool, const double* e) {
    return von_mises_square(n[1], e[0], e[1], e[2], shears(e));
  }
};

struct Plane {
  static constexpr int C = 2, G = 2, M = 3;
  static constexpr bool revolution = false;
  static void recovered(const double (&g)[3][3], double, double* out) {
    out[0] = g[0][0];
    out[1] = g[1][1];
    out[2] = 0.5 * (g[0][1] + g[1][0]);
  }
  // eps_zz: none in plane strain, that without stress in plane stress
  static double across(const std::array<double, 2>& n, bool stress, const double* e) {
    return stress ? -n[0] / (n[0] + 2 * n[1]) * (e[0] + e[1]) : 0;
  }
  static double energy(const std::array<double, 2>& n, bool stress, const double* e) {
    const double zz = across(n, stress, e), trace = e[0] + e[1] + zz;
    return n[0] * trace * trace + 2 * n[1] * (e[0] * e[0] + e[1] * e[1] + zz * zz + 2 * e[2] * e[2]);
  }
  static double magnitude(const std::array<double, 2>& n, bool stress, const double* e) {
    return von_mises_square(n[1], e[0], e[1], across(n, stress, e), e[2] * e[2]);
  }
};

struct Revolution {
  static constexpr int C = 2, G = 2, M = 4;
  static constexpr bool revolution = true;
  static void recovered(const double (&g)[3][3], double hoop, double* out) {
    out[0] = g[0][0];
    out[1] = g[1][1];
    out[2] = hoop;
    out[3] = 0.5 * (g[0][1] + g[1][0]);
  }
  static double energy(const std::array<double, 2>& n, bool, const double* e) {
    const double trace = e[0] + e[1] + e[2];
    return n[0] * trace * trace + 2 * n[1] * (e[0] * e[0] + e[1] * e[1] + e[2] * e[2] + 2 * e[3] * e[3]);
  }
  static double magnitude(const std::array<double, 2>& n, bool, const double* e) {
    return von_mises_square(n[1], e[0], e[1], e[2], e[3] * e[3]);
  }
};

}  // namespace ritz
