// A form and where it is integrated: over all cells, or over a region of cells or facets. Whole elements (fem/elements)
// are summed over cells, or over nodes.
#pragma once

#include "fem/forms/form_value.hpp"
#include "mesh/mesh.hpp"

#include <vector>

namespace ritz {

struct Integral {
  FormValue form;
  bool everywhere = true;           // over all cells
  std::vector<Index> cells;         // else over these cells,
  std::vector<FacetOfCell> facets;  // or over these facets,
  std::vector<Node> nodes = {};     // or at these nodes of the mesh (whole elements on CellKind::vertex1)
  double factor = 1;                // multiplies residual, tangent, action and diagonal; not results or point states
  int field = 0;                    // of several fields, the one that the form has
  bool is_rate = false;  // a capacity or inertia among equations in time (EquationInputs::set_factor_of_rates)
  bool is_load = false;  // a load with a tangent, which turns with the body (EquationInputs::set_part_of_loads)

  static Integral over_all_cells(FormValue form) { return {std::move(form), true, {}, {}}; }
  Integral of_field(int number) const {
    Integral result = *this;
    result.field = number;
    return result;
  }
  // The same form at the same place, whatever its numbers and its factor.
  bool same_place(const Integral& other) const;
  // Throws Error: Exit::input when the region's kind does not suit the form (a flux on cells, a source on facets).
  static Integral over(FormValue form, const Region& region);
  static Integral over_cells(FormValue form, std::vector<Index> cells) {
    return {std::move(form), false, std::move(cells), {}};
  }
  static Integral at_nodes(FormValue form, std::vector<Node> nodes) {
    return {std::move(form), false, {}, {}, std::move(nodes)};
  }
};

// Those that are forces from outside. Free strains have no matrix either, but add to the stress: theirs are forces of
// the body.
std::vector<Integral> loads_among(const std::vector<Integral>& integrals);
// Forces of the body that keep no internal variables, without rates.
std::vector<Integral> elastic_among(const std::vector<Integral>& integrals);

std::vector<FormValue> forms_of(const std::vector<Integral>& integrals);

// True for equal numbers of the same form, as far as can be seen: functions of the position count as different.
bool same_numbers(const FormValue& a, const FormValue& b);

}  // namespace ritz
