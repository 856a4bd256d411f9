#include "fem/sensitivity/position_derivative.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>
#include <utility>

namespace ritz {
namespace {

// Values that stay where the nodes go; those of fields may be taken by position, and count as if they were.
bool stays(const PrescribedValue& prescribed) {
  if (!prescribed.vector.empty()) return false;  // its moments are those along facets or edges
  if (prescribed.value.is_number()) return true;
  const PointFunction function = prescribed.value.function();
  return !function.code().reads_position() && function.code().inputs().empty();
}

bool stay(const std::vector<PrescribedValue>& prescribed) { return std::ranges::all_of(prescribed, stays); }

}  // namespace

std::optional<NotDifferentiable> not_differentiable_by_positions(const Model& model) {
  if (!model.relations.empty() || !model.means.empty() || !model.attached.empty() || !stay(model.supports) ||
      !std::ranges::all_of(model.load_cases, stay, &ModelLoadCase::prescribed))
    return NotDifferentiable{"a model with relations or prescribed values that vary with the position",
                             "they depend on positions, too",
                             "prescribe numbers or formulas of t, and omit ties, couplings and equations"};
  if (model.structural)
    return NotDifferentiable{"a structure", "its sections have directions of their own", "take a body"};
  return std::nullopt;
}

void subtract_by_positions(const Mesh& mesh, FunctionRef<std::vector<double>(const CellWork::Moved&)> work,
                           std::vector<double>& result) {
  std::size_t most = 0;
  for (const CellBlock& block : mesh.blocks())
    most = std::max(most, static_cast<std::size_t>(traits(block.kind).node_count));
  constexpr double step = 1e-3;  // of fourth order, and a cell degenerates far from it
  constexpr std::array<std::pair<double, double>, 4> formula{
      {{1, 2.0 / 3}, {-1, -2.0 / 3}, {2, -1.0 / 12}, {-2, 1.0 / 12}}};
  std::vector<double> size;
  for (Index cell = 0; cell < mesh.cell_count(); ++cell) size.push_back(CellWork::size_of(mesh, cell));
  for (std::size_t node = 0; node < most; ++node)
    for (int axis = 0; axis < mesh.dimension(); ++axis)
      for (const auto& [steps, weight] : formula) {
        const std::vector<double> moved = work({node, axis, steps * step});
        for (Index cell = 0; cell < mesh.cell_count(); ++cell)
          if (const std::span<const Node> nodes = mesh.nodes_of(cell); node < nodes.size())
            result[3 * static_cast<std::size_t>(nodes[node]) + static_cast<std::size_t>(axis)] -=
                weight * moved[static_cast<std::size_t>(cell)] / (step * size[static_cast<std::size_t>(cell)]);
      }
}

}  // namespace ritz
