#include "fem/space/entity_signs.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace ritz {
namespace {

// Both sides from the first corner of a triangle, [side], as sums of the two from its lowest corner, to the next higher
// and to the highest.
std::array<std::array<int, 2>, 2> sides_by_number(const std::array<Node, 3>& corners) {
  const auto place = [&](std::size_t i) {  // the corner, from the lowest one
    const auto lower = std::ranges::count_if(corners, [&](Node n) { return n < corners[i]; });
    return std::array<int, 2>{lower == 1 ? 1 : 0, lower == 2 ? 1 : 0};
  };
  const auto first = place(0), second = place(1), third = place(2);
  return {{{second[0] - first[0], second[1] - first[1]}, {third[0] - first[0], third[1] - first[1]}}};
}

}  // namespace

EntitySigns::EntitySigns(const FunctionSpace& space, Family family, std::span<const Node> met_before) {
  const Mesh& mesh = space.mesh();
  for (const CellBlock& block : mesh.blocks()) most_ = std::max<Index>(most_, space.element(block.kind).node_count());
  seen_.resize(static_cast<std::size_t>(mesh.cell_count() * most_));
  std::vector<bool> met(static_cast<std::size_t>(space.node_count()), false);
  for (const Node node : met_before) met[static_cast<std::size_t>(node)] = true;
  FunctionSpace::CellNodes nodes_of(space);
  for (Index cell = 0; cell < mesh.cell_count(); ++cell) {
    const auto nodes = nodes_of(cell);
    const auto corners = mesh.nodes_of(cell);
    const CellTraits& t = traits(mesh.kind_of(cell));
    SeenUnknown* seen = seen_.data() + cell * most_;
    if (family == Family::facet) {
      for (std::size_t a = 0; a < nodes.size(); ++a) {
        seen[a].own = met[static_cast<std::size_t>(nodes[a])] ? -1 : 1;
        met[static_cast<std::size_t>(nodes[a])] = true;
      }
    } else if (space.element(mesh.kind_of(cell)).order == 1) {
      for (std::size_t a = 0; a < nodes.size(); ++a) {
        const auto [p, q] = t.edges[a];
        seen[a].own = corners[static_cast<std::size_t>(p)] < corners[static_cast<std::size_t>(q)] ? 1 : -1;
      }
    } else if (t.dimension == 3) {
      std::size_t a = 2 * t.edges.size();
      for (const Facet& face : t.facets) {
        const bool triangle = traits(face.kind).corner_count == 3;
        if (triangle) {
          std::array<Node, 3> of_face;
          for (std::size_t i = 0; i < 3; ++i) of_face[i] = corners[static_cast<std::size_t>(face.nodes[i])];
          const auto sides = sides_by_number(of_face);
          for (std::size_t i = 0; i < 2; ++i)
            seen[a + i] = {static_cast<std::int8_t>(sides[i][i]), static_cast<std::int8_t>(sides[1 - i][i])};
          partners_ = true;
        }
        a += triangle ? 2 : 4;
      }
    }
  }
}

void EntitySigns::to_cell(Index cell, std::span<double> u) const {
  for (std::size_t a = 0; a < u.size(); a += 2) {
    const SeenUnknown first = of(cell, static_cast<int>(a));
    if (a + 1 == u.size()) {
      u[a] *= first.own;
      continue;
    }
    const SeenUnknown second = of(cell, static_cast<int>(a) + 1);
    const double x = u[a], y = u[a + 1];
    u[a] = first.own * x + second.partner * y;
    u[a + 1] = first.partner * x + second.own * y;
  }
}

void EntitySigns::from_cell(Index cell, std::span<double> u) const {
  for (std::size_t a = 0; a < u.size(); a += 2) {
    const SeenUnknown first = of(cell, static_cast<int>(a));
    if (a + 1 == u.size()) {
      u[a] /= first.own;
      continue;
    }
    const SeenUnknown second = of(cell, static_cast<int>(a) + 1);
    const double x = u[a], y = u[a + 1];
    const int determinant = first.own * second.own - first.partner * second.partner;
    u[a] = (second.own * x - second.partner * y) / determinant;
    u[a + 1] = (first.own * y - first.partner * x) / determinant;
  }
}

}  // namespace ritz
