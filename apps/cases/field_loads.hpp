// [[load]] and [[boundary]] of cases of several fields, or of facets or edges: forms of one field, or of several, on
// cells and facets.
#pragma once

#include "apps/cases/fields_of_case.hpp"
#include "fem/operator/fields_operator.hpp"

#include <string>
#include <vector>

namespace ritz {

// A load or a form on facets, of one field.
struct ActingOnFacets {
  const Region* region;
  std::size_t field;
  std::string origin;
};

// Integrals that act together: always, or in one load case.
struct FieldLoads {
  std::vector<Integral> of_one;           // at nodes, or in cells
  std::vector<MixedIntegral> of_several;  // of vectors and of forms of several fields, too
  std::vector<ActingOnFacets> acting = {};
};

// [[load]] of the case or of a load case. Errors are added to the case.
void read_field_loads(const FieldsOfCase& fields, const Case::Table& from, FieldLoads& loads);

// Forms on facets, of one field or of several: their fields are those of the equations with the same names, or the one
// that the table names.
void read_field_boundaries(const FieldsOfCase& fields, FieldLoads& loads);

}  // namespace ritz
