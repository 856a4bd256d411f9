// A field of facets or edges as vectors in space, on the host: at points of cells, as means of cells for results, its
// error, and its interpolant.
//
//   const VectorField flux(equations, 0, u);   std::vector<double> means = flux.in_cells();   // [cell][3]
#pragma once

#include "fem/forms/point_function.hpp"
#include "fem/operator/fields_operator.hpp"
#include "fem/space/entity_signs.hpp"

#include <vector>

namespace ritz {

class VectorField {
 public:
  // Field `field` of the unknowns u of these equations. Throws Error: Exit::internal for other
  // families.
  VectorField(const FieldsOperator& equations, int field, const Vector& u);

  struct Value {
    Point value, derivative;  // derivative: divergence in [0]; curl, of the plane in [0]
  };
  Value at(Index cell, const Point& xi) const;  // xi: on the reference cell
  std::vector<double> in_cells() const;         // [cell][3] at the centroids

  // Square roots of the integrals of |v - exact|^2, and of the same of the derivative; exact: three functions, or fewer
  // in the plane (of a divergence or a plane curl: one), evaluated at t = 0.
  double l2_error(const std::vector<PointFunction>& exact) const;
  double l2_error_of_derivative(const std::vector<PointFunction>& exact) const;

 private:
  double error(const std::vector<PointFunction>& exact, Point Value::*part) const;

  FunctionSpace space_;
  Family family_;
  EntitySigns signs_;
  std::vector<double> u_;
};

// The unknowns of a field of facets or edges that interpolates a vector: its moments (fem/cells/vector_functions.hpp),
// by quadrature, evaluated at t = 0. Throws Error: Exit::internal for other families.
Vector interpolate(const FieldsOperator& equations, int field, const std::vector<PointFunction>& vector);

}  // namespace ritz
