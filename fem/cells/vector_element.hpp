// Elements whose unknowns belong to facets, edges or the inside of cells, and whose functions are vectors: Raviart and
// Thomas (1977) of orders 1 and 2, and Nedelec's first kind (Numer. Math. 35, 1980) of order 1, on triangles,
// quadrilaterals, tetrahedra and hexahedra. Of order 1, on the reference cell, the function of facet i has a flux of 1
// out through it and of 0 through the others; that of edge i a circulation of 1 along CellTraits::edges[i]. Of order 2
// a facet has an unknown for each of its corners, the flux weighted by the linear function that is 1 there; unknowns of
// the inside follow, which are moments.
#pragma once

#include "fem/cells/reference_element.hpp"
#include "fem/forms/mixed_form.hpp"
#include "fem/cells/tabulation.hpp"

namespace ritz {

// Values [unknown] and divergences [unknown][0], or curls [unknown] (of the plane: [0]), at a point of the reference
// cell.
struct VectorElement {
  Family family;
  CellKind shape;
  int order, unknown_count;
  void evaluate(const Point& xi, std::span<Point> values, std::span<Point> derivatives) const;
  int derivative_count() const;  // 1, or 3 of curls in space
};

// Throw Error(Exit::input) for shapes and orders that have none.
VectorElement vector_element(CellKind shape, Family family, int order = 1);
int highest_order(Family family);  // facets 2, edges 1, constants (0) and linear functions in cells 1

// Nodes on the facets, edges or in the cell, by which spaces number the unknowns of a family. The functions are for
// forms where the family is `cell` alone: constants, or of order 1 linear ones that jump.
ReferenceElement entity_element(CellKind shape, Family family, int order);

// Numbers of a vector element at the points of a rule, as kernels of mixed forms want them (MixedArguments).
class VectorTabulation {
 public:
  VectorTabulation(const Device& device, const VectorElement& element, const ReferenceElement& geometry,
                   const QuadratureRule& rule);
  ReferenceTable table() const;

 private:
  Tabulation geometry_;
  Vector numbers_;  // values, then derivatives
  int unknown_count_;
  Index derivatives_;  // where they begin
};

}  // namespace ritz
