// A bar of large displacements: E A L / 2 times the square of Green's strain (l^2 - L^2) / (2 L^2).
#include "fem/add_form.hpp"

struct LargeBar {
  static constexpr const char *name = "large_bar", *unknown = "displacement", *derives = "axial_force",
                              *derived_names = "N";
  static constexpr auto cell = ritz::CellKind::line2;  // two nodes
  static constexpr int components = 3, derived = 1;    // unknowns per node; results per element
  static constexpr bool objective = true;              // rigid motions cost nothing
  double young, area;
  static constexpr ritz::Parameter<LargeBar> parameters[] = {
      {&LargeBar::young, {.name = "young", .unit = "Pa", .about = "Young's modulus", .above = 0}},
      {&LargeBar::area, {.name = "area", .unit = "m^2", .about = "of the section", .above = 0}}};

  template <class X, class T>
  constexpr T energy(const X (&x)[2][3], const T (&u)[2][3]) const {  // residual and stiffness are its derivatives
    using std::sqrt;
    X L2 = 0.0;      // length squared, before
    T change = 0.0;  // and what it gains
    for (int d = 0; d < 3; ++d) {
      const X D = x[1][d] - x[0][d];
      const T w = u[1][d] - u[0][d];
      L2 += D * D;
      change += 2.0 * D * w + w * w;
    }
    const T strain = 0.5 * change / L2;
    return 0.5 * young * area * sqrt(L2) * strain * strain;
  }
  template <class X, class T>
  constexpr void derive(const X (&x)[2][3], const T (&u)[2][3], T* out) const {
    T L2 = 0.0, l2 = 0.0;
    for (int d = 0; d < 3; ++d) {
      const T D = x[1][d] - x[0][d], now = D + u[1][d] - u[0][d];
      L2 += D * D;
      l2 += now * now;
    }
    using std::sqrt;
    out[0] = young * area * 0.5 * (l2 - L2) / L2 * sqrt(l2 / L2);
  }
};

const ritz::AddWholeElement<LargeBar> large_bar;
