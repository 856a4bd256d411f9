// Elements whose unknowns belong to facets, edges or the inside of cells, and whose functions are vectors: Raviart and
// Thomas (J.-A. and P.-A., 1977) and Nedelec's first kind (Numer. Math. 35, 1980), of order 1, on triangles,
// quadrilaterals, tetrahedra and hexahedra. On the reference cell the function of facet i has a flux of 1 out through
// it and of 0 through the others; that of edge i a circulation of 1 along CellTraits::edges[i].
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
  int unknown_count;
  void evaluate(const Point& xi, std::span<Point> values, std::span<Point> derivatives) const;
  int derivative_count() const;  // 1, or 3 of curls in space
};

// Throws Error(Exit::input) for shapes that have none.
VectorElement vector_element(CellKind shape, Family family);

// Nodes in the middle of the facets, edges or of the cell, by which spaces number the unknowns of a family; the
// functions are not for forms, but for constants in cells.
ReferenceElement entity_element(CellKind shape, Family family);

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
