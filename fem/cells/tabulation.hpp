// A reference element and the geometry of its cell, tabulated at quadrature points on a device: all that kernels know
// of an element.
#pragma once

#include "device/array.hpp"
#include "mesh/quadrature.hpp"
#include "fem/cells/reference_element.hpp"
#include "fem/launch/element_arguments.hpp"

#include <vector>

namespace ritz {

class Tabulation {
 public:
  // `geometry`: through whose nodes the cells are mapped; of the same shape as the element.
  Tabulation(const Device& device, const ReferenceElement& element, const ReferenceElement& geometry,
             const QuadratureRule& rule);
  ReferenceTable table() const;

 private:
  template <class Real>
  Tabulated<Real> parts(const Real* numbers, const std::vector<Real>& line) const;
  int node_count_, geometry_node_count_, dimension_, point_count_;
  // weights, values, gradients, geometry's values and gradients, extrapolation, one after the other
  Vector numbers_;
  Array<float> single_;       // the same
  std::vector<double> line_;  // empty where sums are not factorised
  std::vector<float> single_line_;
};

// Degrees of the rules that Ritz uses for elements of an order on cells of a shape. Full integration: the stiffness of
// an affine cell is exact. `order`: the higher one of element and geometry.
int stiffness_degree(CellKind shape, int order);
int mass_degree(CellKind shape, int order);
// Points where derivatives of the solution are evaluated: the reduced (superconvergent) Gauss points; from there
// they are extrapolated to the nodes. Barlow 1976; Zienkiewicz and Taylor, The Finite Element Method, vol. 1, ch. 14.
int evaluation_degree(CellKind shape, int order);
// The same for fields that vary like their cells.
inline int stiffness_degree(CellKind kind) { return stiffness_degree(traits(kind).linear, traits(kind).order); }
inline int mass_degree(CellKind kind) { return mass_degree(traits(kind).linear, traits(kind).order); }
inline int evaluation_degree(CellKind kind) { return evaluation_degree(traits(kind).linear, traits(kind).order); }

}  // namespace ritz
