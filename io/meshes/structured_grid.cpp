#include "io/meshes/structured_grid.hpp"

#include <algorithm>

namespace ritz {
namespace {

template <class Body>
void for_each(const StructuredRange& range, const std::array<Index, 3>& less, Body&& body) {
  for (Index k = range.first[2]; k <= range.last[2] - less[2]; ++k)
    for (Index j = range.first[1]; j <= range.last[1] - less[1]; ++j)
      for (Index i = range.first[0]; i <= range.last[0] - less[0]; ++i) body(i, j, k);
}

}  // namespace

int StructuredRange::dimension() const {
  int count = 0;
  for (std::size_t d = 0; d < 3; ++d) count += last[d] > first[d];
  return count;
}

CellKind structured_kind(int dimension) {
  constexpr std::array kinds{CellKind::line2, CellKind::quad4, CellKind::hex8};
  return kinds.at(static_cast<std::size_t>(dimension - 1));
}

std::vector<Node> StructuredGrid::nodes(const StructuredRange& range) const {
  std::vector<Node> found;
  for_each(range, {0, 0, 0}, [&](Index i, Index j, Index k) { found.push_back(node(i, j, k)); });
  return found;
}

void StructuredGrid::turn_to_positive(std::span<const double> points) {
  std::vector<Node> nodes;
  append_cells(all(), nodes);
  const std::size_t width = std::size_t{1} << dimension_;
  double volume = 0;  // of the parallelepipeds at first corners
  for (std::size_t cell = 0; cell < nodes.size(); cell += width) {
    const auto edge = [&](std::size_t corner, std::size_t k) {
      return points[3 * static_cast<std::size_t>(nodes[cell + corner]) + k] -
             points[3 * static_cast<std::size_t>(nodes[cell]) + k];
    };
    const double normal[] = {edge(1, 1) * edge(3, 2) - edge(1, 2) * edge(3, 1),
                             edge(1, 2) * edge(3, 0) - edge(1, 0) * edge(3, 2),
                             edge(1, 0) * edge(3, 1) - edge(1, 1) * edge(3, 0)};
    if (dimension_ == 2) volume += normal[2];
    else volume += normal[0] * edge(4, 0) + normal[1] * edge(4, 1) + normal[2] * edge(4, 2);
  }
  turned_ = volume < 0;
}

void StructuredGrid::append_cells(const StructuredRange& range, std::vector<Node>& nodes) const {
  // The directions in which the range extends are the cell's own x, y, z.
  std::array<std::array<Index, 3>, 3> step{};
  std::array<Index, 3> less{};
  std::size_t axes = 0;
  for (std::size_t d = 0; d < 3; ++d)
    if (range.last[d] > range.first[d]) step[axes++][d] = less[d] = 1;
  const bool turned = turned_ && static_cast<int>(axes) == dimension_;
  constexpr std::array<std::array<Index, 3>, 8> corners{
      {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}, {0, 0, 1}, {1, 0, 1}, {1, 1, 1}, {0, 1, 1}}};
  for_each(range, less, [&](Index i, Index j, Index k) {
    for (std::size_t c = 0; c < (std::size_t{1} << axes); ++c) {
      std::array<Index, 3> at{i, j, k};
      for (std::size_t a = 0; a < axes; ++a)
        for (std::size_t d = 0; d < 3; ++d)
          at[d] += (turned && a == 0 ? 1 - corners[c][a] : corners[c][a]) * step[a][d];
      nodes.push_back(node(at[0], at[1], at[2]));
    }
  });
}

std::vector<std::pair<Index, Index>> StructuredGrid::rows_of_cells(const StructuredRange& range) const {
  const auto cells_along = [this](std::size_t d) { return std::max<Index>(points_[d] - 1, 1); };
  std::vector<std::pair<Index, Index>> rows;
  for (Index k = range.first[2]; k < std::max(range.last[2], range.first[2] + 1); ++k)
    for (Index j = range.first[1]; j < range.last[1]; ++j)
      rows.emplace_back(range.first[0] + cells_along(0) * (j + cells_along(1) * k), range.last[0] - range.first[0]);
  return rows;
}

}  // namespace ritz
