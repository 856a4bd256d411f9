// A reference cell tabulated at quadrature points, on a device: all that kernels know of a cell.
#pragma once

#include "device/array.hpp"
#include "fem/cells/quadrature.hpp"
#include "fem/launch/element_arguments.hpp"

namespace ritz {

class Tabulation {
 public:
  Tabulation(const Device& device, CellKind kind, const QuadratureRule& rule);
  ReferenceTable table() const;

 private:
  int node_count_, dimension_, point_count_;
  Vector numbers_;  // weights, values, gradients, extrapolation, one after the other
};

// Degrees of the rules that Ritz uses. Full integration: the stiffness of an affine cell is exact.
int stiffness_degree(CellKind kind);
int mass_degree(CellKind kind);
// Points where derivatives of the solution are evaluated: the reduced (superconvergent) Gauss points; from there
// they are extrapolated to the nodes. Barlow 1976; Zienkiewicz and Taylor, The Finite Element Method, vol. 1, ch. 14.
int evaluation_degree(CellKind kind);

}  // namespace ritz
