// A reference element: a reference cell (mesh/cell_geometry.hpp), the nodes of a field on it, and a shape function for
// each node, one there and zero at the others. A few facts and one function, so an element of your own is a value too:
//
//   ReferenceElement Q4 = lagrange_element(CellKind::hex8, 4);
//   // takes lagrange_element for every kind of cell
//   FunctionSpace space(mesh, 1, device, SpaceOptions{.order = 4});
//
// Fields are continuous when the functions of the nodes on a facet determine a field there, and nodes on edges and
// facets lie symmetrically; FunctionSpace finds which node belongs to which edge or facet by its position.
#pragma once

#include "mesh/cell_geometry.hpp"
#include "mesh/orthogonal_polynomials.hpp"

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace ritz {

struct ReferenceElement {
  std::string name;  // "Q4 hexahedron"
  CellKind shape;    // linear kind of the reference cell
  int order = 1;     // polynomials up to this degree are in the space
  std::vector<Point> nodes;
  // values [node] and gradients [node][axis] of the shape functions at a point of the reference cell
  std::function<void(const Point&, std::span<double> values, std::span<Point> gradients)> evaluate;
  // Nodes on [-1, 1], ascending, of an element that is a product of a one-dimensional one with itself
  // (quadrilaterals, hexahedra; nodes with x fastest). Such elements run by sum factorisation. Empty for all
  // others.
  std::vector<double> line_nodes;
  // quadrature follows this when it is above the order: bubbles are of a higher degree
  int enriched_order = 0;

  int quadrature_order() const { return enriched_order > order ? enriched_order : order; }
  int node_count() const { return static_cast<int>(nodes.size()); }
  int dimension() const { return traits(shape).dimension; }
};

// How a plugin registers an element (fem/add_form.hpp).
struct ElementRecord {
  const char* name;
  ReferenceElement (*make)();
};

// The element of the mesh's own cells: fields vary like the geometry.
ReferenceElement cell_element(CellKind kind);

// The element of polynomials through given nodes, such as the map of a curved cell (mesh/curved_cells.hpp).
ReferenceElement element_of(std::shared_ptr<const LagrangePolynomials> functions);

// Lagrange elements on any shape, from order 1. Tensor cells: Gauss-Lobatto nodes. Simplices: the recursive nodes of
// Isaac, SIAM J. Sci. Comput. 42 (2020) A4046, which are Gauss-Lobatto on edges; prisms: their products; pyramids: the
// rational spaces of Bergot, Cohen and Durufle, J. Sci. Comput. 42 (2010) 345, which match Q and P on the facets.
// Throws Error: Exit::input beyond order 8 (lines, quadrilaterals, hexahedra), 4 (triangles, tetrahedra), 4 (prisms),
// 3 (pyramids).
ReferenceElement lagrange_element(CellKind shape, int order);
int highest_lagrange_order(CellKind shape);

// The nodes of an element on one of its facets, and the element that they make there: its trace. They follow the
// facet's reference coordinates (CellTraits::facets gives its corners): y slow, x fast, so all facets of one kind have
// one trace.
struct Trace {
  std::vector<int> nodes;  // of the element
  ReferenceElement element;
};
Trace trace_of(const ReferenceElement& element, int facet);

}  // namespace ritz
