#include "apps/show/surface.hpp"

#include <algorithm>
#include <cmath>
#include <span>

namespace ritz {
namespace {

using Piece = std::array<int, 3>;

// Triangles of a facet, by its own node numbers.
std::span<const Piece> pieces_of(CellKind facet) {
  static constexpr Piece tri3[] = {{0, 1, 2}}, tri6[] = {{0, 3, 5}, {3, 1, 4}, {5, 4, 2}, {3, 4, 5}},
                         quad4[] = {{0, 1, 2}, {0, 2, 3}},
                         quad8[] = {{0, 4, 7}, {4, 1, 5}, {5, 2, 6}, {6, 3, 7}, {4, 5, 7}, {5, 6, 7}},
                         quad9[] = {{0, 4, 8}, {4, 1, 8}, {1, 5, 8}, {5, 2, 8},
                                    {2, 6, 8}, {6, 3, 8}, {3, 7, 8}, {7, 0, 8}};
  switch (facet) {
    case CellKind::tri3: return tri3;
    case CellKind::tri6: return tri6;
    case CellKind::quad4: return quad4;
    case CellKind::quad8: return quad8;
    case CellKind::quad9: return quad9;
    default: return {};
  }
}

// Collects triangles and segments by the numbers of the mesh, and renumbers them at the end.
class Collector {
 public:
  void add_facet(CellKind kind, std::span<const Node> nodes, Index cell) {
    for (const Piece& piece : pieces_of(kind)) {
      for (const int corner : piece) corners_.push_back(nodes[static_cast<std::size_t>(corner)]);
      triangle_cells_.push_back(cell);
    }
  }

  void add_bar(std::span<const Node> nodes, Index cell) {
    add_segment(nodes[0], nodes.size() > 2 ? nodes[2] : nodes[1], cell);
    if (nodes.size() > 2) add_segment(nodes[2], nodes[1], cell);
  }

  Surface finish() {
    Surface surface;
    surface.nodes = unique_of(corners_, ends_);
    surface.cells = unique_of(triangle_cells_, segment_cells_);
    for (std::size_t i = 0; i + 3 <= corners_.size(); i += 3)
      surface.triangles.push_back({place(surface.nodes, corners_[i]), place(surface.nodes, corners_[i + 1]),
                                   place(surface.nodes, corners_[i + 2])});
    for (std::size_t i = 0; i + 2 <= ends_.size(); i += 2)
      surface.segments.push_back({place(surface.nodes, ends_[i]), place(surface.nodes, ends_[i + 1])});
    for (const Index cell : triangle_cells_) surface.triangle_cells.push_back(place(surface.cells, cell));
    for (const Index cell : segment_cells_) surface.segment_cells.push_back(place(surface.cells, cell));
    return surface;
  }

 private:
  void add_segment(Node from, Node to, Index cell) {
    ends_.insert(ends_.end(), {from, to});
    segment_cells_.push_back(cell);
  }

  template <class Number>
  static std::vector<Number> unique_of(const std::vector<Number>& first, const std::vector<Number>& second) {
    std::vector<Number> all = first;
    all.insert(all.end(), second.begin(), second.end());
    std::ranges::sort(all);
    const auto rest = std::ranges::unique(all);
    all.erase(rest.begin(), rest.end());
    return all;
  }

  template <class Number>
  static std::uint32_t place(const std::vector<Number>& ascending, Number number) {
    return static_cast<std::uint32_t>(std::ranges::lower_bound(ascending, number) - ascending.begin());
  }

  std::vector<Node> corners_, ends_;
  std::vector<Index> triangle_cells_, segment_cells_;
};

using Vector3 = std::array<double, 3>;

Vector3 unit_normal(const Mesh& mesh, const Surface& surface, const std::array<std::uint32_t, 3>& triangle) {
  const auto point = [&](std::size_t corner) { return mesh.point(surface.nodes[triangle[corner]]); };
  const auto a = point(0), b = point(1), c = point(2);
  Vector3 n{};
  for (std::size_t i = 0; i < 3; ++i) {
    const std::size_t j = (i + 1) % 3, k = (i + 2) % 3;
    n[i] = (b[j] - a[j]) * (c[k] - a[k]) - (b[k] - a[k]) * (c[j] - a[j]);
  }
  const double length = std::hypot(n[0], n[1], n[2]);
  for (double& each : n) each = length > 0 ? each / length : 0;
  return n;
}

std::vector<std::array<std::uint32_t, 2>> edges_of(const Mesh& mesh, const Surface& surface) {
  constexpr double cos_of_turn = 0.866;  // of 30 degrees
  struct Side {
    std::array<std::uint32_t, 2> ends;  // ascending
    std::uint32_t triangle;
  };
  std::vector<Side> sides;
  std::vector<Vector3> normals;
  for (const auto& triangle : surface.triangles) {
    for (std::size_t i = 0; i < 3; ++i) {
      const auto [low, high] = std::minmax(triangle[i], triangle[(i + 1) % 3]);
      sides.push_back({{low, high}, static_cast<std::uint32_t>(normals.size())});
    }
    normals.push_back(unit_normal(mesh, surface, triangle));
  }
  std::ranges::sort(sides, {}, &Side::ends);
  std::vector<std::array<std::uint32_t, 2>> edges;
  for (std::size_t first = 0, last = 0; first < sides.size(); first = last) {
    while (last < sides.size() && sides[last].ends == sides[first].ends) ++last;
    const auto& a = normals[sides[first].triangle];
    const auto& b = normals[sides[last - 1].triangle];
    // Neighbours in the plane and on shells may run around in opposite senses.
    const double turn = std::abs(a[0] * b[0] + a[1] * b[1] + a[2] * b[2]);
    if (last - first != 2 || turn < cos_of_turn) edges.push_back(sides[first].ends);
  }
  return edges;
}

}  // namespace

Surface surface_of(const Mesh& mesh) {
  Collector collector;
  for (const FacetOfCell& facet : boundary_facets(mesh)) {
    const CellTraits& cell = traits(mesh.kind_of(facet.cell));
    if (cell.dimension == 3)
      collector.add_facet(cell.facets[static_cast<std::size_t>(facet.facet)].kind, mesh.nodes_of(facet), facet.cell);
  }
  for (const CellBlock& block : mesh.blocks())
    for (Index c = 0; c < block.cell_count() && traits(block.kind).dimension < 3; ++c) {
      if (traits(block.kind).dimension == 2) collector.add_facet(block.kind, block.cell(c), block.first_cell + c);
      else if (traits(block.kind).dimension == 1) collector.add_bar(block.cell(c), block.first_cell + c);
    }
  Surface surface = collector.finish();
  surface.edges = edges_of(mesh, surface);
  return surface;
}

}  // namespace ritz
