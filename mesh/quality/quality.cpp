// Shapes of cells, from the frames of edges at their corners.
#include "mesh/quality/quality.hpp"

#include "mesh/point_algebra.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

namespace ritz {
namespace {

using Corner = std::array<int, 4>;  // a corner and its neighbours, right-handed; -1 where there are fewer

double span_of(const std::array<Point, 3>& e, int dimension) {  // volume or area that the edges span, with its sign
  return dimension == 3 ? dot(e[0], cross(e[1], e[2])) : e[0][0] * e[1][1] - e[0][1] * e[1][0];
}

// Corners with as many edges as the cell has dimensions: all but the apex of a pyramid.
std::vector<Corner> make_corners(CellKind linear) {
  const CellTraits& t = traits(linear);
  const auto x = reference_nodes(linear);
  std::vector<Corner> corners;
  for (int c = 0; c < t.corner_count; ++c) {
    std::vector<int> next;
    for (const auto& [a, b] : t.edges)
      if (a == c || b == c) next.push_back(a == c ? b : a);
    if (static_cast<int>(next.size()) != t.dimension || t.dimension < 2) continue;
    std::array<Point, 3> e{};
    const auto edge_to = [&](std::size_t i) {
      return minus(x[static_cast<std::size_t>(next[i])], x[static_cast<std::size_t>(c)]);
    };
    for (std::size_t i = 0; i < next.size(); ++i) e[i] = edge_to(i);
    if (span_of(e, t.dimension) < 0) std::swap(next[0], next[1]);
    corners.push_back({c, next[0], next[1], t.dimension == 3 ? next[2] : -1});
  }
  return corners;
}

const std::vector<Corner>& vertices_of(CellKind linear) {
  static const std::vector<std::vector<Corner>> all = [] {
    std::vector<std::vector<Corner>> list;
    for (const CellKind kind : all_cell_kinds()) list.push_back(make_corners(traits(kind).linear));
    return list;
  }();
  return all[static_cast<std::size_t>(linear)];
}

// Makes the regular cell's scaled Jacobian 1.
double regular_factor(CellKind linear) {
  switch (linear) {
    case CellKind::tri3:
    case CellKind::prism6: return 2 / std::numbers::sqrt3;
    case CellKind::tet4:
    case CellKind::pyramid5: return std::numbers::sqrt2;
    default: return 1;
  }
}

struct EdgeLengths {
  double shortest, longest;
};

EdgeLengths edge_lengths(std::span<const Point> x, const CellTraits& t) {
  EdgeLengths lengths{1e300, 0};
  for (const auto& [a, b] : t.edges) {
    const double l = length(minus(x[static_cast<std::size_t>(a)], x[static_cast<std::size_t>(b)]));
    lengths = {std::min(lengths.shortest, l), std::max(lengths.longest, l)};
  }
  return lengths;
}

// The node between two corners of a cell of order 2, or -1.
int mid_node(const CellTraits& t, int a, int b) {
  if (t.order != 2) return -1;
  for (std::size_t e = 0; e < t.edges.size(); ++e)
    if ((t.edges[e][0] == a && t.edges[e][1] == b) || (t.edges[e][0] == b && t.edges[e][1] == a))
      return t.corner_count + static_cast<int>(e);
  return -1;
}

// The tangent of a parabola through both ends and the node between them, at its start; the chord of a straight edge.
Point tangent(std::span<const Point> x, const CellTraits& t, int from, int to) {
  const Point& a = x[static_cast<std::size_t>(from)];
  const Point& b = x[static_cast<std::size_t>(to)];
  const int middle = mid_node(t, from, to);
  if (middle < 0) return minus(b, a);
  Point d{};
  for (std::size_t k = 0; k < 3; ++k) d[k] = 4 * x[static_cast<std::size_t>(middle)][k] - 3 * a[k] - b[k];
  return d;
}

CellShape shape_of(std::span<const Point> x, const CellTraits& t, double longest_edge) {
  double worst = 1, least_height = longest_edge;
  for (const Corner& corner : vertices_of(t.linear)) {
    std::array<Point, 3> e{}, curved{};
    double lengths = 1;
    for (std::size_t i = 0; i < static_cast<std::size_t>(t.dimension); ++i) {
      e[i] = minus(x[static_cast<std::size_t>(corner[i + 1])], x[static_cast<std::size_t>(corner[0])]);
      curved[i] = tangent(x, t, corner[0], corner[i + 1]);
      lengths *= length(e[i]);
    }
    const double span = span_of(e, t.dimension);
    worst = std::min(worst, lengths > 0 ? regular_factor(t.linear) * span_of(curved, t.dimension) / lengths : 0);
    for (std::size_t i = 0; i < static_cast<std::size_t>(t.dimension); ++i) {
      const double base = t.dimension == 3 ? length(cross(e[(i + 1) % 3], e[(i + 2) % 3])) : length(e[1 - i]);
      least_height = std::min(least_height, base > 0 ? span / base : 0);
    }
  }
  return {worst, least_height > 0 ? longest_edge / least_height : std::numeric_limits<double>::infinity()};
}

struct ShapeAndEdges {
  CellShape shape;
  EdgeLengths edges;
};

ShapeAndEdges measured(std::span<const Point> x, const CellTraits& t) {
  const EdgeLengths edges = edge_lengths(x, t);
  return {shape_of(x, t, edges.longest), edges};
}

// The same: one volume is seen from all corners, and roots are taken of what is smallest or largest. Where powers of
// the lengths are no numbers, or the volume is not positive, a tetrahedron is measured as other cells are.
ShapeAndEdges measured_tet(const std::array<Point, 4>& x) {
  const Point e[6] = {minus(x[1], x[0]), minus(x[2], x[0]), minus(x[3], x[0]),
                      minus(x[2], x[1]), minus(x[3], x[1]), minus(x[3], x[2])};
  double squares[6];
  for (int i = 0; i < 6; ++i) squares[i] = dot(e[i], e[i]);
  const Point facets[4] = {cross(e[0], e[1]), cross(e[0], e[2]), cross(e[1], e[2]), cross(e[3], e[4])};
  const double volume = dot(e[0], facets[2]);
  const auto product = [&](int i, int j, int k) { return squares[i] * squares[j] * squares[k]; };
  const double at_corners =
      std::max(std::max(product(0, 1, 2), product(0, 3, 4)), std::max(product(1, 3, 5), product(2, 4, 5)));
  const bool in_range = (volume > 0) & (at_corners > 1e-250) & (at_corners < 1e250);
  if (!in_range) return measured(x, traits(CellKind::tet4));
  double widest = 0;  // square of twice the largest facet's area
  for (const Point& facet : facets) widest = std::max(widest, dot(facet, facet));
  double shortest = squares[0], longest = squares[0];
  for (const double square : squares) shortest = std::min(shortest, square), longest = std::max(longest, square);
  const EdgeLengths edges = {std::sqrt(shortest), std::sqrt(longest)};
  return {{std::min(1.0, std::numbers::sqrt2 * volume / std::sqrt(at_corners)),
           std::max(1.0, edges.longest * std::sqrt(widest) / volume)},
          edges};
}

// A surface in space, turned into the plane of the first two coordinates.
void lay_flat(std::span<Point> x, int corner_count) {
  Point normal{}, along = minus(x[1], x[0]);
  for (std::size_t i = 1; i + 1 < static_cast<std::size_t>(corner_count); ++i) {
    const Point part = cross(minus(x[i], x[0]), minus(x[i + 1], x[0]));
    for (std::size_t k = 0; k < 3; ++k) normal[k] += part[k];
  }
  const Point across = cross(normal, along);
  along = cross(across, normal);  // without the part along the normal, where the corners are in no plane
  const double sizes[3] = {length(along), length(across), length(normal)};
  if (!(sizes[0] > 0 && sizes[1] > 0)) return;
  for (std::size_t i = x.size(); i-- > 0;) {
    const Point d = minus(x[i], x[0]);
    x[i] = {dot(d, along) / sizes[0], dot(d, across) / sizes[1], dot(d, normal) / sizes[2]};
  }
}

// Corners and the nodes on edges.
std::array<Point, 20> frame_points(const Mesh& mesh, std::span<const Node> nodes, const CellTraits& t) {
  std::array<Point, 20> x;
  const std::size_t count = static_cast<std::size_t>(t.corner_count) + (t.order == 2 ? t.edges.size() : 0);
  for (std::size_t i = 0; i < count; ++i) {
    const auto p = mesh.point(nodes[i]);
    x[i] = {p[0], p[1], p[2]};
  }
  if (mesh.structural() && t.dimension == 2) lay_flat(std::span(x).first(count), t.corner_count);
  return x;
}

}  // namespace

CellShape shape_of_cell(const Mesh& mesh, Index cell) {
  const CellTraits& t = traits(mesh.kind_of(cell));
  return measured(frame_points(mesh, mesh.nodes_of(cell), t), t).shape;
}

namespace {

struct ShapesAndEdges {
  std::vector<CellShape> shapes;
  double shortest = 1e300, longest = 0;
};

std::array<Point, 4> corners_of_tet(const Mesh& mesh, const Node* nodes) {
  const double* const points = mesh.points().data();
  std::array<Point, 4> x;
  for (std::size_t i = 0; i < 4; ++i) {
    const double* const p = points + 3 * static_cast<std::ptrdiff_t>(nodes[i]);
    x[i] = {p[0], p[1], p[2]};
  }
  return x;
}

ShapesAndEdges measure_cells(const Mesh& mesh) {
  ShapesAndEdges all;
  all.shapes.resize(static_cast<std::size_t>(mesh.cell_count()));
  double shortest = 1e300, longest = 0;
  for (const CellBlock& block : mesh.blocks()) {
    const CellTraits& t = traits(block.kind);
    const Index count = block.cell_count();
    const bool is_tet = block.kind == CellKind::tet4;
    const Node* const nodes = block.nodes.data();
    CellShape* const shapes = all.shapes.data() + block.first_cell;
#pragma omp parallel for schedule(static) reduction(min : shortest) reduction(max : longest)
    for (Index c = 0; c < count; ++c) {
      const ShapeAndEdges cell = is_tet ? measured_tet(corners_of_tet(mesh, nodes + 4 * c))
                                        : measured(frame_points(mesh, block.cell(c), t), t);
      shortest = std::min(shortest, cell.edges.shortest);
      longest = std::max(longest, cell.edges.longest);
      shapes[c] = cell.shape;
    }
  }
  all.shortest = shortest;
  all.longest = longest;
  return all;
}

Quality::Cell described_cell(const Mesh& mesh, Index cell, const CellShape& shape) {
  const CellTraits& t = traits(mesh.kind_of(cell));
  Point centre{};
  for (const Node node : mesh.nodes_of(cell).first(static_cast<std::size_t>(t.corner_count)))
    for (std::size_t k = 0; k < 3; ++k) centre[k] += mesh.point(node)[k] / t.corner_count;
  return {cell, shape, centre};
}

void add_worst(const Mesh& mesh, const std::vector<CellShape>& shapes, Quality& q) {
  std::vector<Index> poor;
  for (std::size_t cell = 0; cell < shapes.size(); ++cell)
    if (shapes[cell].scaled_jacobian < poor_jacobian) poor.push_back(static_cast<Index>(cell));
  q.poor_count = std::ssize(poor);
  q.bad_count = std::ranges::count_if(
      poor, [&](Index cell) { return shapes[static_cast<std::size_t>(cell)].scaled_jacobian < bad_jacobian; });
  const auto key = [&](Index cell) { return std::pair(shapes[static_cast<std::size_t>(cell)].scaled_jacobian, cell); };
  const auto shown = std::min<std::ptrdiff_t>(10, std::ssize(poor));
  std::ranges::partial_sort(poor, poor.begin() + shown, {}, key);
  for (const Index cell : std::span(poor).first(static_cast<std::size_t>(shown)))
    q.worst.push_back(described_cell(mesh, cell, shapes[static_cast<std::size_t>(cell)]));
}

}  // namespace

std::vector<CellShape> shapes_of_cells(const Mesh& mesh) { return measure_cells(mesh).shapes; }

Quality quality(const Mesh& mesh) {
  Quality q;
  const ShapesAndEdges all = measure_cells(mesh);
  const std::vector<CellShape>& shapes = all.shapes;
  q.shortest_edge = all.shortest;
  q.longest_edge = all.longest;
  double sum = 0;
  for (std::size_t cell = 0; cell < shapes.size(); ++cell) {
    const auto& [jacobian, aspect] = shapes[cell];
    sum += jacobian;
    if (jacobian < q.worst_jacobian) q.worst_jacobian = jacobian, q.worst_jacobian_cell = static_cast<Index>(cell);
    if (aspect > q.worst_aspect) q.worst_aspect = aspect, q.worst_aspect_cell = static_cast<Index>(cell);
    ++q.histogram[static_cast<std::size_t>(std::clamp(static_cast<int>(jacobian * 10), 0, 9))];
    q.sliver_count += jacobian < 1e-3 || aspect > 1e4;
  }
  q.mean_jacobian = sum / static_cast<double>(shapes.size());
  add_worst(mesh, shapes, q);
  return q;
}

std::string Quality::verdict() const {
  const std::string thresholds = fmt::format("worst scaled Jacobian {:.3g}; poor below {:g}, bad below {:g}",
                                             worst_jacobian, poor_jacobian, bad_jacobian);
  if (poor_count == 0) return fmt::format("good ({})", thresholds);
  return fmt::format("{}: {} cell{} below {:g}, {} of them below {:g} ({})", bad_count > 0 ? "bad" : "poor", poor_count,
                     poor_count == 1 ? "" : "s", poor_jacobian, bad_count, bad_jacobian, thresholds);
}

std::string Quality::summary() const {
  std::string text = fmt::format(
      "edges {:.4g} .. {:.4g}; scaled Jacobian worst {:.3g} (cell {}), mean {:.3g}; aspect worst {:.3g} (cell {})\n",
      shortest_edge, longest_edge, worst_jacobian, worst_jacobian_cell, mean_jacobian, worst_aspect, worst_aspect_cell);
  if (!worst.empty()) {
    text += fmt::format("worst cells  {:>16}{:>12}  at\n", "scaled Jacobian", "aspect");
    for (const Cell& c : worst)
      text += fmt::format("  {:<10} {:>16.3g}{:>12.3g}  ({:.6g}, {:.6g}, {:.6g})\n", c.cell, c.shape.scaled_jacobian,
                          c.shape.aspect, c.centre[0], c.centre[1], c.centre[2]);
  }
  text += "scaled Jacobian, cells per tenth from 0 to 1:";
  for (const Index count : histogram) text += fmt::format(" {}", count);
  if (sliver_count > 0)
    text += fmt::format("\n{} slivers: expect the condition number to grow by about the square of the aspect",
                        sliver_count);
  return text + "\nverdict: " + verdict();
}

}  // namespace ritz
