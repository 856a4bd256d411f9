// The orthogonal polynomials of mesh/orthogonal_polynomials.hpp with derivatives, and what is built from them.
#pragma once

#include "fem/numbers/dual.hpp"
#include "mesh/orthogonal_polynomials.hpp"

#include <functional>
#include <vector>

namespace ritz {

// The modes of a basis at a point: values, with derivatives along one axis. The first entries are those of lower degree
// only where the shape is a simplex.
using ModalBasis = std::function<void(int order, const Point& x, int axis, std::vector<Dual<double>>& modes)>;

// At a pyramid's apex: the limit along its axis.
void triangle_basis(int order, const Point& x, int axis, std::vector<Dual<double>>& modes);
void tetrahedron_basis(int order, const Point& x, int axis, std::vector<Dual<double>>& modes);
void pyramid_basis(int order, const Point& x, int axis, std::vector<Dual<double>>& modes);

// Lagrange polynomials through nodes on a line: values and derivatives at x, [node].
struct LineLagrange {
  std::vector<double> nodes;
  void evaluate(double x, double* values, double* derivatives) const;
};

}  // namespace ritz
