// Elements of one shape with the same forms of several fields, and how they see the fields' unknowns.
#pragma once

#include "fem/operator/element_groups.hpp"
#include "fem/operator/mixed_integral.hpp"

#include <vector>

namespace ritz {

// The forms on facets are integrated over the facet ElementGroup::facet of each cell.
struct FieldGroup {
  std::vector<ElementGroup> of_field;   // [field of the operator] the lists of nodes; the first has the geometry
  std::vector<Vector> signs, partners;  // [field] FieldArguments::signs and partners; empty where it has none
  std::vector<int> fields;              // [field of the forms] its number in the operator
  const ElementGroup& geometry() const { return of_field.front(); }
};

// The fields of the operator that the form has, in its order.
std::vector<int> fields_of(const MixedIntegral& integral);

// Families that the forms say. Throws Error where they do not agree with each other, or with the spaces.
std::vector<Family> families_of(const Spaces& spaces, const std::vector<MixedIntegral>& integrals);

// met_before: [field] EntitySigns' own, of a part of a mesh.
std::vector<FieldGroup> field_groups(const Spaces& spaces, const std::vector<Family>& families,
                                     const std::vector<MixedIntegral>& integrals,
                                     const std::vector<std::vector<Node>>& met_before);

}  // namespace ritz
