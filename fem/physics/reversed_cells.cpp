#include "fem/physics/reversed_cells.hpp"

#include "mesh/checks.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <span>

namespace ritz {
namespace {

bool is_of_large_displacements(const Integral& each) {
  return !each.form.law.kernel.empty() && each.form.law.measure != Strain::small;
}

// [cell] 1: it is there, and has such a law in this field.
std::vector<std::uint8_t> cells_of_laws(const Model& model, int field, const Mesh& mesh) {
  std::vector<std::uint8_t> result(static_cast<std::size_t>(mesh.cell_count()), 0);
  for (const Integral& each : model.equations) {
    if (each.field != field || !is_of_large_displacements(each)) continue;
    if (each.everywhere) std::ranges::fill(result, std::uint8_t{1});
    for (const Index cell : each.cells) result[static_cast<std::size_t>(cell)] = 1;
  }
  for (std::size_t cell = 0; cell < model.gone.size(); ++cell)
    if (model.gone[cell] != 0) result[cell] = 0;
  return result;
}

MeshData moved_mesh(const FunctionSpace& space, std::span<const double> u) {
  const Mesh& mesh = space.mesh();
  MeshData moved;
  moved.dimension = mesh.dimension();
  moved.blocks.assign(mesh.blocks().begin(), mesh.blocks().end());
  const auto components = static_cast<std::size_t>(space.components());
  for (Node node = 0; node < mesh.node_count(); ++node) {
    const Node own = space.node_of(node);  // -1: no cell has it
    for (std::size_t i = 0; i < 3; ++i) {
      const bool moves = own >= 0 && i < components;
      moved.points.push_back(mesh.point(node)[i] + (moves ? u[static_cast<std::size_t>(own) * components + i] : 0.0));
    }
  }
  return moved;
}

void check_field(const Model& model, int field, const FunctionSpace& space, std::span<const double> u) {
  const std::vector<std::uint8_t> checked = cells_of_laws(model, field, space.mesh());
  if (std::ranges::find(checked, std::uint8_t{1}) == checked.end()) return;
  const MeshData moved = moved_mesh(space, u);
  const std::vector<CellStatus> statuses = cell_statuses(moved);
  Index count = 0, first = -1;
  for (std::size_t cell = 0; cell < checked.size(); ++cell) {
    if (checked[cell] == 0 || statuses[cell] != CellStatus::reversed) continue;
    if (count++ == 0) first = static_cast<Index>(cell);
  }
  if (count == 0) return;
  throw Error(
      ErrorKind::newton_not_converged,
      fmt::format("Newton's method ended in a state in which cells are inside out: {} of them, the first one at {}",
                  count, place_of_cell(moved, first)),
      "it is a solution of the equations that no body can take",
      "lower the loads, take smaller increments, or follow the path by [newton] control = \"arc_length\"");
}

}  // namespace

bool has_large_displacements(const Model& model) {
  return std::ranges::any_of(model.equations, is_of_large_displacements);
}

void require_no_reversed_cells(const Model& model, const Vector& u) {
  if (!has_large_displacements(model)) return;
  const std::vector<double> values = u.host();
  const Spaces spaces = model.spaces();
  std::size_t first = 0;
  for (std::size_t field = 0; field < spaces.size(); ++field) {
    const auto count = static_cast<std::size_t>(spaces[field].unknown_count());
    check_field(model, static_cast<int>(field), spaces[field], std::span(values).subspan(first, count));
    first += count;
  }
}

}  // namespace ritz
