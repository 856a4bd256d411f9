// Orthogonal polynomials on reference cells, in forms without division, and what is built from them.
#pragma once

#include "fem/numbers/dual.hpp"
#include "mesh/cell_geometry.hpp"

#include <functional>
#include <vector>

namespace ritz {

// The modes of a basis at a point: values, with derivatives along one axis. The first entries are those of lower degree
// only where the shape is a simplex.
using ModalBasis = std::function<void(int order, const Point& x, int axis, std::vector<Dual<double>>& modes)>;

// Dubiner's bases of triangle and tetrahedron (Karniadakis and Sherwin, Spectral/hp Element Methods, 2005, 3.2), and the
// rational basis of the pyramid (Bergot, Cohen, Durufle 2010). At a pyramid's apex: the limit along its axis.
void triangle_basis(int order, const Point& x, int axis, std::vector<Dual<double>>& modes);
void tetrahedron_basis(int order, const Point& x, int axis, std::vector<Dual<double>>& modes);
void pyramid_basis(int order, const Point& x, int axis, std::vector<Dual<double>>& modes);

// Lagrange polynomials through nodes on a line: values and derivatives at x, [node].
struct LineLagrange {
  std::vector<double> nodes;
  void evaluate(double x, double* values, double* derivatives) const;
};

// The inverse of an n x n row-major matrix; partial pivoting. Throws Error(Exit::internal) when it is singular.
std::vector<double> inverse_matrix(std::vector<double> matrix, std::size_t n);

}  // namespace ritz
