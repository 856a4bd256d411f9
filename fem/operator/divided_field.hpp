// A field on a part of a mesh, as one rank has it: nodes are [owned | ghosts], and cells are all those around owned
// nodes. What operators without a matrix and p-multigrid need to compute with it together with the other ranks.
//
//   MatrixFree K(equations, fixed, u, {}, &field);   PMultigrid cycle(K);      // on all ranks
#pragma once

#include "solvers/algebra/ghosts.hpp"
#include "solvers/multigrid/nested_levels.hpp"
#include "solvers/multigrid/divided_transform.hpp"

#include <functional>
#include <memory>
#include <span>
#include <vector>

namespace ritz {

struct DividedField {
  std::shared_ptr<const Ghosts> ghosts = nullptr;
  std::span<const Index> cells = {};        // [cell of the part] as all ranks number them, ascending
  std::span<const Index> along_curve = {};  // cells of the part, in the order in which the curve meets them
  // Called once for each preconditioner, and the relations for each of its fields before.
  // Equations between unknowns of the coarser field of an order, on these nodes. None: the field has no equations.
  std::function<DependentNodeRows(int order, const Ghosts& nodes)> relations = {};
  // Nested levels of the field of order 1, whose rank r begins with node first[r].
  std::function<NestedLevels(const std::vector<Index>& first)> nesting = {};
  Index replicated = 50000;  // unknowns of a level that every rank has
};

}  // namespace ritz
