// A form and where it is integrated: over all cells, or over a region of cells or facets.
#pragma once

#include "fem/form_value.hpp"
#include "mesh/mesh.hpp"

#include <vector>

namespace ritz {

struct Integral {
  FormValue form;
  bool everywhere = true;               // over all cells
  std::vector<Index> cells;             // else over these cells,
  std::vector<FacetOfCell> facets;      // or over these facets

  static Integral over_all_cells(FormValue form) { return {std::move(form), true, {}, {}}; }
  // Throws Error(Exit::input) when the region's kind does not suit the form (a flux on cells, a source on facets).
  static Integral over(FormValue form, const Region& region);
};

}  // namespace ritz
