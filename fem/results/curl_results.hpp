// A field of edges with its curl, and what the forms pair with the curl of the test function. Of the vector potential A
// of magnetostatics: A, the flux density B = curl A, and the field H = a B by the material's own a.
//
//   CurlResults of_a = curl_results(equations, 0, u);
#pragma once

#include "fem/operator/fields_operator.hpp"

#include <vector>

namespace ritz {

// At the centroids: values [cell][3], the other two [cell][3], or in the plane [cell] the component across it. Forms
// that share a cell add.
struct CurlResults {
  std::vector<double> values, curls, fluxes;
};

// Throws Error: Exit::internal for a field of another family.
CurlResults curl_results(const FieldsOperator& equations, int field, const Vector& u);

// Half of u.K u, and u.f, for residual K u - f: the energy, and twice that which the loads have put in.
struct Works {
  double energy, of_loads;
};
Works works(const FieldsOperator& equations, const Vector& u);

}  // namespace ritz
