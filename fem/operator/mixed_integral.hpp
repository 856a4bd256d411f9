// Forms of several fields and where they are integrated, and the spaces of these fields.
#pragma once

#include "fem/forms/mixed_form_value.hpp"
#include "fem/operator/integral.hpp"
#include "fem/space/function_space.hpp"
#include "solvers/algebra/layout.hpp"

#include <memory>
#include <utility>
#include <vector>

namespace ritz {

// One space for each field of the form, of the order that it names plus `raise`. Throws as FunctionSpace does.
Spaces spaces_of(const MixedFormValue& form, const Mesh& mesh, const Device& device, int raise = 0);

// A form of several fields and where it is integrated.
struct MixedIntegral {
  MixedFormValue form;
  bool everywhere = true;                // over all cells
  std::vector<Index> cells;              // else over these,
  double factor = 1;                     // multiplies residual, tangent and action
  std::vector<FacetOfCell> facets = {};  // or over these, of a form on facets
  // [field of the form] which one of the operator it is; empty: the form has all of them, in their order.
  std::vector<int> fields = {};
  bool is_rate = false;  // as Integral::is_rate

  static MixedIntegral over_all_cells(MixedFormValue form, std::vector<int> fields = {}) {
    return {.form = std::move(form), .cells = {}, .fields = std::move(fields)};
  }
  // Throws Error: Exit::input for a region of other things than the form's cells or facets.
  static MixedIntegral over(MixedFormValue form, const Region& region, std::vector<int> fields = {});

  // The same form at the same place, whatever its numbers and its factor.
  bool same_place(const MixedIntegral& other) const;
  int position_of(int field) const;         // of the operator's field among those of the form; -1: it has none
  bool couples(int test, int trial) const;  // fields of the operator
};

// All integrals of equations: of one field, Integral::field, and of several.
struct IntegralsOfFields {
  std::vector<Integral> of_one;
  std::vector<MixedIntegral> of_several = {};
};

}  // namespace ritz
