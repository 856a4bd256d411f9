// How much materials differ from region to region: where much, multigrid takes aggregates in the place of nested meshes
// (solvers/multigrid/hierarchy_setup.cpp), which forecasts must know before there is a matrix.
#pragma once

#include "fem/operator/operator.hpp"

namespace ritz {

// The largest ratio of two values of the same parameter, over all parameters of forms on cells that have a matrix;
// where formulas give numbers, of the first of them at the centres of cells that share a node. 1: all alike.
double material_contrast(const Operator& equations);

// Will diagonal entries of neighbours differ by a factor of 30? A node where materials meet has the mean of both around
// it, and its neighbour on an edge of the body a quarter of the softer one.
inline bool has_jumps(const Operator& equations) { return 2 * (1 + material_contrast(equations)) > 30; }

}  // namespace ritz
