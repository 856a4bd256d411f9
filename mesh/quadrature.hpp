// Quadrature on the reference cells of mesh/cell_geometry.hpp. All weights are positive.
//
//   QuadratureRule rule = quadrature(CellKind::tet10, 2);     // exact for polynomials of degree 2
//
// Sources: Gauss-Legendre and Gauss-Jacobi nodes by Newton's method (Abramowitz and Stegun 25.4); triangles of degree
// 2, 4, 5: Strang and Fix 1973 and Dunavant 1985; tetrahedra of degree 2 and 3: Hammer and Stroud 1956, of degree 5:
// Walkington 2000 (14 points). Any other degree: collapsed Gauss-Jacobi products (Stroud 1971).
#pragma once

#include "mesh/cell_kind.hpp"

#include <array>
#include <vector>

namespace ritz {

struct QuadratureRule {
  int degree = 0;                             // exact up to this total degree (per direction on cubes)
  std::vector<std::array<double, 3>> points;  // on the reference cell
  std::vector<double> weights;                // sum = volume of the reference cell
};

// degree >= 0. On cubes, prisms and pyramids the rule is a product with ceil((degree + 1) / 2) points per direction.
QuadratureRule quadrature(CellKind kind, int degree);

}  // namespace ritz
