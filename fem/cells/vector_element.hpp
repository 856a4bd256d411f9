// Elements whose unknowns belong to facets, edges or the inside of cells, and whose functions are vectors: Raviart and
// Thomas (1977) and Nedelec's first kind (Numer. Math. 35, 1980), of orders 1 and 2, on triangles, quadrilaterals,
// tetrahedra and hexahedra. Unknowns are moments (fem/cells/vector_functions.hpp), on the reference cell: of order 1
// the flux out through a facet, or the circulation along CellTraits::edges[i]. Of order 2 a facet has an unknown for
// each of its corners, the flux weighted by the linear function that is 1 there; an edge one for each end, the
// circulation to this end weighted likewise; faces follow, then the inside.
#pragma once

#include "fem/cells/reference_element.hpp"
#include "fem/forms/mixed_form.hpp"
#include "fem/cells/tabulation.hpp"
#include "fem/cells/vector_functions.hpp"

namespace ritz {

// Values [unknown] and divergences [unknown][0], or curls [unknown] (of the plane: [0]), at a point of the reference
// cell.
struct VectorElement {
  Family family;
  CellKind shape;
  int order, unknown_count;
  void evaluate(const Point& xi, std::span<Point> values, std::span<Point> derivatives) const;
  std::vector<Moment> moments(int degree) const;  // one for each unknown, by rules of this degree
  int derivative_count() const;                   // 1, or 3 of curls in space
};

// Throw Error: Exit::input for shapes and orders that have none.
VectorElement vector_element(CellKind shape, Family family, int order = 1);
int highest_order(Family family);  // facets and edges 2, constants (0) and linear functions in cells 1

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
