#include "fem/analysis/space_part.hpp"

#include <algorithm>
#include <utility>

namespace ritz {
namespace {

// Inputs that know the cells of their points are asked about the whole mesh.
PointFunction on_whole_mesh(const PointFunction& given, const Mesh& whole, const std::vector<Index>& cells) {
  return given.expression().with_inputs([&](const PointInput& input) {
    const auto at = [&whole, &cells, input](const EvaluationPoints& points, double t, std::span<double> values) {
      if (points.mesh == nullptr) return input.at(points, t, values);
      std::vector<Index> holding;
      holding.reserve(points.cells.size());
      for (const Index cell : points.cells) holding.push_back(cells[static_cast<std::size_t>(cell)]);
      input.at(EvaluationPoints(points.x, whole, holding), t, values);
    };
    return PointInput{.function = at, .varies_in_time = input.varies_in_time};
  });
}

template <class T>
Index place_of(const std::vector<T>& ascending, T number) {  // -1: not there
  const auto found = std::ranges::lower_bound(ascending, number);
  return found == ascending.end() || *found != number ? -1 : found - ascending.begin();
}

SpaceOptions options_of(const FunctionSpace& space) {
  SpaceOptions options;
  if (space.isoparametric()) return options;
  options.order = space.order();
  for (const CellBlock& block : space.mesh().blocks()) options.elements.push_back(space.element(block.kind));
  return options;
}

}  // namespace

SpacePart::SpacePart(const FunctionSpace& whole, Index first, Index last) : whole_(whole) {
  FunctionSpace::CellNodes of_whole(whole);
  std::vector<bool> taken(static_cast<std::size_t>(whole.mesh().node_count()), false);
  for (Index cell = 0; cell < whole.mesh().cell_count(); ++cell) {
    if (!std::ranges::any_of(of_whole(cell), [&](Node node) { return node >= first && node < last; })) continue;
    cells_.push_back(cell);
    for (const Node node : whole.mesh().nodes_of(cell)) taken[static_cast<std::size_t>(node)] = true;
  }
  mesh_ = std::make_unique<Mesh>(cut(taken));
  space_ = std::make_unique<FunctionSpace>(*mesh_, whole.components(), whole.device(), options_of(whole));
  nodes_.resize(static_cast<std::size_t>(space_->node_count()));
  FunctionSpace::CellNodes of_part(*space_);
  for (std::size_t cell = 0; cell < cells_.size(); ++cell) {
    const std::span<const Node> here = of_part(static_cast<Index>(cell)), there = of_whole(cells_[cell]);
    for (std::size_t a = 0; a < here.size(); ++a) nodes_[static_cast<std::size_t>(here[a])] = there[a];
  }
}

Mesh SpacePart::cut(const std::vector<bool>& taken) {
  const Mesh& whole = whole_.mesh();
  MeshData data{.dimension = whole.dimension(), .points = {}, .blocks = {}, .regions = {}, .source = whole.source()};
  std::vector<Node> place(taken.size(), -1);
  for (std::size_t node = 0; node < taken.size(); ++node) {
    if (!taken[node]) continue;
    place[node] = static_cast<Node>(mesh_nodes_.size());
    mesh_nodes_.push_back(static_cast<Node>(node));
    const auto point = whole.point(static_cast<Index>(node));
    data.points.insert(data.points.end(), point.begin(), point.end());
  }
  auto cell = cells_.begin();
  for (const CellBlock& block : whole.blocks()) {
    CellBlock part{.kind = block.kind, .nodes = {}};
    part.curved.functions = block.curved.functions;
    for (; cell != cells_.end() && *cell < block.first_cell + block.cell_count(); ++cell) {
      const Index position = *cell - block.first_cell, here = part.cell_count();
      for (const Node node : block.cell(position)) part.nodes.push_back(place[static_cast<std::size_t>(node)]);
      part.curved.append(block.curved, position, here);
    }
    if (!part.nodes.empty()) data.blocks.push_back(std::move(part));
  }
  return Mesh(std::move(data), {.fix_inverted = false});
}

std::vector<Integral> SpacePart::restricted(const std::vector<Integral>& integrals) const {
  std::vector<Integral> result;
  for (const Integral& each : integrals) {
    if (!each.form.has_matrix) continue;
    Integral part{each.form, each.everywhere, {}, {}, {}, each.factor};
    for (const Index cell : each.cells)
      if (const Index here = place_of(cells_, cell); here >= 0) part.cells.push_back(here);
    for (const FacetOfCell& facet : each.facets)
      if (const Index here = place_of(cells_, facet.cell); here >= 0) part.facets.push_back({here, facet.facet});
    for (const Node node : each.nodes)
      if (const Index here = place_of(mesh_nodes_, node); here >= 0) part.nodes.push_back(static_cast<Node>(here));
    if (!part.everywhere && part.cells.empty() && part.facets.empty() && part.nodes.empty()) continue;
    for (PointFunction& given : part.form.given) given = on_whole_mesh(given, whole_.mesh(), cells_);
    result.push_back(std::move(part));
  }
  return result;
}

}  // namespace ritz
