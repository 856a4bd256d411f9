// The part of a coarser field that a rank has, on the cells of its part of a finer one: a node belongs to the rank that
// owns the finer nodes on the same vertex, edge, facet or cell. So all cells around a node are in its owner's part, and
// the nodes of a rank are contiguous along the curve in either field.
//
//   CoarserPart part = coarser_part(space, field, 2);       // on all ranks together
#pragma once

#include "fem/operator/divided_field.hpp"
#include "fem/space/function_space.hpp"

#include <memory>

namespace ritz {

struct CoarserPart {
  FunctionSpace space;
  DividedField field;
};

// The part of a field of Lagrange elements, of an order below that of the space.
CoarserPart coarser_part(const FunctionSpace& fine, const DividedField& field, int order);

}  // namespace ritz
