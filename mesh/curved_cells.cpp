#include "mesh/curved_cells.hpp"

#include "mesh/mesh.hpp"

#include <algorithm>

namespace ritz {

std::span<const Point> CurvedCells::of(Index position) const {
  const auto found = std::ranges::lower_bound(cells, position);
  if (found == cells.end() || *found != position) return {};
  const std::size_t width = functions->nodes().size();
  return std::span(points).subspan(static_cast<std::size_t>(found - cells.begin()) * width, width);
}

void CurvedCells::append(const CurvedCells& others, Index their_position, Index position) {
  const std::span<const Point> theirs = others.of(their_position);
  if (theirs.empty()) return;
  functions = others.functions;
  cells.push_back(position);
  points.insert(points.end(), theirs.begin(), theirs.end());
}

CellMap::CellMap(const Mesh& mesh, Index cell) {
  const CellBlock& block = mesh.block_of(cell);
  kind_ = block.kind;
  const std::span<const Point> own = block.curved.of(cell - block.first_cell);
  if (!own.empty()) {
    functions_ = block.curved.functions.get();
    nodes_.assign(own.begin(), own.end());
    return;
  }
  for (const Node node : block.cell(cell - block.first_cell)) {
    const auto x = mesh.point(node);
    nodes_.push_back({x[0], x[1], x[2]});
  }
}

std::span<const Point> CellMap::reference_nodes() const {
  return functions_ != nullptr ? functions_->nodes() : ritz::reference_nodes(kind_);
}

Point CellMap::at(const Point& xi) const {
  Point x{};
  const auto add = [&](std::span<const double> N) {
    for (std::size_t a = 0; a < N.size(); ++a)
      for (std::size_t k = 0; k < 3; ++k) x[k] += N[a] * nodes_[a][k];
    return x;
  };
  if (functions_ != nullptr) return add(functions_->at(xi));
  std::array<double, most_cell_nodes> N;
  return add(std::span(N).first(shape_values(kind_, xi, N)));
}

void CellMap::evaluate(const Point& xi, std::span<double> values, std::span<Point> gradients) const {
  if (functions_ != nullptr) return functions_->evaluate(xi, values, gradients);
  std::ranges::copy(shape_values(kind_, xi), values.begin());
  std::ranges::copy(shape_gradients(kind_, xi), gradients.begin());
}

CellMap::Place CellMap::with_tangents(const Point& xi) const {
  Place place;
  const auto add = [&](std::span<const double> values, std::span<const Point> slopes) {
    for (std::size_t a = 0; a < slopes.size(); ++a)
      for (std::size_t i = 0; i < 3; ++i) {
        place.at[i] += values[a] * nodes_[a][i];
        for (std::size_t k = 0; k < 3; ++k) place.tangents[k][i] += slopes[a][k] * nodes_[a][i];
      }
    return place;
  };
  if (functions_ != nullptr) {
    std::vector<double> values(nodes_.size());
    std::vector<Point> slopes(nodes_.size());
    functions_->evaluate(xi, values, slopes);
    return add(values, slopes);
  }
  std::array<double, most_cell_nodes> values;
  std::array<Point, most_cell_nodes> slopes;
  const std::size_t count = shape_functions(kind_, xi, values, slopes);
  return add(std::span(values).first(count), std::span(slopes).first(count));
}

FacetMap::FacetMap(CellKind cell, int facet) {
  const Facet& f = traits(cell).facets[static_cast<std::size_t>(facet)];
  shape_ = traits(f.kind).linear;
  for (int i = 0; i < traits(shape_).node_count; ++i)
    corners_.push_back(reference_nodes(cell)[static_cast<std::size_t>(f.nodes[static_cast<std::size_t>(i)])]);
}

Point FacetMap::place(const Point& xi) const {
  const std::vector<double> N = shape_values(shape_, xi);
  Point x{};
  for (std::size_t a = 0; a < N.size(); ++a)
    for (std::size_t k = 0; k < 3; ++k) x[k] += N[a] * corners_[a][k];
  return x;
}

std::array<Point, 3> FacetMap::axes(const Point& xi) const {
  const std::vector<Point> slopes = shape_gradients(shape_, xi);
  std::array<Point, 3> axes{};
  for (std::size_t d = 0; d < 2; ++d)
    for (std::size_t a = 0; a < slopes.size(); ++a)
      for (std::size_t k = 0; k < 3; ++k) axes[d][k] += slopes[a][d] * corners_[a][k];
  return axes;
}

std::array<Point, 3> FacetMap::tangents(const Point& xi) const {
  const std::array<Point, 3> of_cell = cell_->tangents(place(xi)), axes = this->axes(xi);
  std::array<Point, 3> tangents{};
  for (std::size_t d = 0; d < 3; ++d)
    for (std::size_t k = 0; k < 3; ++k)
      for (std::size_t i = 0; i < 3; ++i) tangents[d][i] += axes[d][k] * of_cell[k][i];
  return tangents;
}

}  // namespace ritz
