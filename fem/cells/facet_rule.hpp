// The points of a facet on the reference cell that it belongs to, for integrals over facets of what the cell knows.
#pragma once

#include "mesh/cell_geometry.hpp"
#include "mesh/quadrature.hpp"

namespace ritz {

struct FacetRule {
  QuadratureRule rule;  // points on the cell's reference cell, weights of the facet's reference cell
  Point normal;         // outward, as long as the facet's area per that of its own reference cell
};

// facet: its number in the cell. degree: of polynomials on the facet that it integrates exactly.
FacetRule facet_rule(CellKind cell, int facet, int degree);

}  // namespace ritz
