// Arguments of element kernels for forms of several fields. They travel after ElementArguments::form, so that the loop
// over elements (fem/launch/assembly.hpp) is that of all forms; table, nodes and vectors in ElementArguments are those
// of field 0, of which kernels use the geometry and the weights alone.
#pragma once

#include "fem/forms/mixed_form.hpp"
#include "fem/launch/element_arguments.hpp"

namespace ritz {

// For facets and edges the table holds values [point][node][dimension], and divergences [point][node] or curls
// [point][node][3 or 1] in place of gradients, of vectors on the reference cell.
struct FieldArguments {
  ReferenceTable table;       // of the field's element; the geometry is that of all fields
  const std::int32_t* nodes;  // [batch][node][lane]
  const double* u;            // [node][component]; nullptr: zero
  const double* direction;    // likewise, of actions
  // How a cell sees unknowns of facets and edges, else nullptr; [batch][node][lane]. It takes `signs` times its
  // function and `partners` times that of node a ^ 1 as the function of the unknown; no partners: nullptr.
  const double *signs = nullptr, *partners = nullptr;
};

// Entries of residuals and actions: [field][node][component]. Of matrices, which are those of one row field and one
// column field: [node a of the row field][node b of the column field][component i][component j].
struct MixedArguments {
  const void* form;  // host memory; copied into the kernel
  int row, column;   // fields of a matrix
  FieldArguments fields[most_fields];
  // Normals of forms on facets: outward on the reference cell, as long as the facet's area per that of the facet's own
  // reference cell.
  double normal[3] = {};
};

inline const MixedArguments& mixed_arguments(const ElementArguments& arguments) {
  return *static_cast<const MixedArguments*>(arguments.form);
}

}  // namespace ritz
