#include "fem/space/straight_cells.hpp"

#include "mesh/point_algebra.hpp"

#include <cmath>

namespace ritz {

Straightness::Straightness(const Mesh& mesh, CellKind kind)
    : mesh_(mesh), dimension_(traits(kind).dimension), corners_(static_cast<std::size_t>(traits(kind).corner_count)) {
  const std::span<const Point> nodes = reference_nodes(kind);
  for (std::size_t a = corners_; a < nodes.size(); ++a) {
    std::vector<Part> parts;
    const auto shape = shape_values(traits(kind).linear, nodes[a]);
    for (std::size_t c = 0; c < corners_; ++c)
      if (shape[c] != 0) parts.push_back({c, shape[c]});
    parts_.push_back(std::move(parts));
  }
  Point centre{};
  for (std::size_t c = 0; c < corners_; ++c)
    for (std::size_t d = 0; d < 3; ++d) centre[d] += nodes[c][d] / static_cast<double>(corners_);
  slopes_ = shape_gradients(traits(kind).linear, centre);
}

bool Straightness::operator()(std::span<const Node> of_cell) const {
  const Node* const nodes = of_cell.data();
  Point J[3]{};  // columns, at the centre
  for (std::size_t c = 0; c < corners_; ++c)
    for (int d = 0; d < dimension_; ++d)
      for (std::size_t i = 0; i < 3; ++i) J[d][i] += slopes_[c][static_cast<std::size_t>(d)] * mesh_.point(nodes[c])[i];
  const Point normal = dimension_ > 1 ? cross(J[0], J[1]) : J[0];
  const double determinant = dimension_ == 3 ? std::abs(dot(normal, J[2])) : length(normal);
  const double norm = std::sqrt(dot(J[0], J[0]) + dot(J[1], J[1]) + dot(J[2], J[2]));
  const double allowed = 1e-6 * determinant / (dimension_ == 3 ? norm * norm : dimension_ == 2 ? norm : 1);
  for (std::size_t a = corners_; a < of_cell.size(); ++a) {
    const auto at = mesh_.point(nodes[a]);
    Point shift{at[0], at[1], at[2]};
    for (const auto& [corner, part] : parts_[a - corners_]) {
      const auto x = mesh_.point(nodes[corner]);
      for (std::size_t i = 0; i < 3; ++i) shift[i] -= part * x[i];
    }
    if (!(dot(shift, shift) <= allowed * allowed)) return false;
  }
  return true;
}

std::vector<std::uint8_t> straight_cells(const Mesh& mesh, int threads) {
  std::vector<std::uint8_t> result(static_cast<std::size_t>(mesh.cell_count()), 1);
  std::size_t first = 0;
  for (const CellBlock& block : mesh.blocks()) {
    const auto width = static_cast<std::size_t>(traits(block.kind).node_count), count = block.nodes.size() / width;
    if (traits(block.kind).order > 1) {
      const Straightness straight(mesh, block.kind);
#pragma omp parallel for num_threads(threads) schedule(static)
      for (std::size_t cell = 0; cell < count; ++cell)
        result[first + cell] = straight(std::span(block.nodes).subspan(cell * width, width));
    }
    for (const Index curved : block.curved.cells) result[first + static_cast<std::size_t>(curved)] = 0;
    first += count;
  }
  return result;
}

}  // namespace ritz
