// Derivatives by the positions of the nodes of a mesh: the work of residuals on adjoint fields, on cells of which one
// node is moved. Private to fem/analysis but for what has none.
//
//   if (const auto refused = not_differentiable_by_positions(model)) ...
#pragma once

#include "device/function_ref.hpp"
#include "fem/sensitivity/cell_work.hpp"
#include "fem/sensitivity/model_number.hpp"

#include <functional>
#include <optional>
#include <vector>

namespace ritz {

// Models in which positions change more than integrals, such as relations between unknowns; nullopt: they do not.
std::optional<NotDifferentiable> not_differentiable_by_positions(const Model& model);

// result -= d(work)/d(position) of the nodes of the mesh, [mesh node][3]: the work of each cell, differenced in the
// positions of its own nodes to about 1e-11. work: [cell] on cells that were moved so; asked for 4 steps of each node
// of a cell along each axis.
void subtract_by_positions(const Mesh& mesh, FunctionRef<std::vector<double>(const CellWork::Moved&)> work,
                           std::vector<double>& result);

}  // namespace ritz
