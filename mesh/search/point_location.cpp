#include "mesh/search/point_location.hpp"

#include "mesh/curve_order.hpp"
#include "mesh/lagrange_cells.hpp"
#include "mesh/search/nearest_point.hpp"
#include "mesh/point_algebra.hpp"
#include "mesh/quality/quality.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace ritz {
namespace {

double size_of(const CellMap& cell) {
  double size = 0;
  for (const Point& node : cell.nodes()) size = std::max(size, length(minus(node, cell.nodes()[0])));
  return size;
}

// Positions of the nodes between the corners in a straight cell: [node - corner_count][corner].
const std::vector<std::vector<double>>& straight_places(CellKind kind) {
  static const auto all = [] {
    std::vector<std::vector<std::vector<double>>> list;
    for (const CellKind each : all_cell_kinds()) {
      list.emplace_back();
      const auto nodes = reference_nodes(each);
      for (std::size_t a = static_cast<std::size_t>(traits(each).corner_count); a < nodes.size(); ++a)
        list.back().push_back(shape_values(traits(each).linear, nodes[a]));
    }
    return list;
  }();
  return all[static_cast<std::size_t>(kind)];
}

// Outside of a body's cell for certain: all of the cell lies on the other side of a plane along one of its facets. A
// bent cell reaches at most as far beyond its corners as box_of() says.
bool is_beyond(const CellMap& cell, const Point& point, double rounding) {
  const auto corner_count = static_cast<std::size_t>(traits(cell.kind()).corner_count);
  const std::span<const Point> nodes = cell.nodes(), corners = nodes.first(corner_count);
  const auto& straight = straight_places(cell.kind());
  for (const Facet& facet : traits(cell.kind()).facets) {
    const auto x = [&](std::size_t i) { return nodes[static_cast<std::size_t>(facet.nodes[i])]; };
    const bool is_triangle = traits(facet.kind).linear == CellKind::tri3;
    const Point outward = cross(minus(x(2), x(0)), is_triangle ? minus(x(2), x(1)) : minus(x(3), x(1)));
    double farthest = dot(outward, corners[0]), deviation = 0;
    for (const Point& corner : corners.subspan(1)) farthest = std::max(farthest, dot(outward, corner));
    for (std::size_t m = 0; m < straight.size(); ++m)
      deviation =
          std::max(deviation, std::abs(dot(outward, minus(nodes[corner_count + m], combined(straight[m], corners)))));
    if (dot(outward, point) > farthest + 3 * deviation + rounding * length(outward)) return true;
  }
  return false;
}

// Cells that fill the space of the mesh and are mapped through their own nodes.
bool is_inverted_by_newton(const Mesh& mesh, Index cell) {
  const CellBlock& block = mesh.block_of(cell);
  const int dimension = traits(block.kind).dimension;
  return dimension >= 2 && dimension == mesh.dimension() && block.curved.of(cell - block.first_cell).empty();
}

CellBlockView view_of(const CellBlock& block) {
  return {&cell_functions(block.kind), block.nodes.data(), block.first_cell, traits(block.kind).linear};
}

constexpr Index level_above(Index size) { return (size + CellSearch::fan_out - 1) / CellSearch::fan_out; }

std::string text_of(const Point& x) { return fmt::format("({:.9g}, {:.9g}, {:.9g})", x[0], x[1], x[2]); }

}  // namespace

void PointLocator::Box::add(const Point& point) {
  for (std::size_t k = 0; k < 3; ++k) {
    low[k] = std::min(low[k], point[k]);
    high[k] = std::max(high[k], point[k]);
  }
}

double PointLocator::Box::distance(const Point& point) const {
  return length({std::max({low[0] - point[0], point[0] - high[0], 0.0}),
                 std::max({low[1] - point[1], point[1] - high[1], 0.0}),
                 std::max({low[2] - point[2], point[2] - high[2], 0.0})});
}

PointLocator::Box::operator CellBox() const {
  constexpr float infinity = std::numeric_limits<float>::infinity();
  CellBox box;
  for (std::size_t k = 0; k < 3; ++k) {
    box.low[k] = std::nextafter(static_cast<float>(low[k]), -infinity);
    box.high[k] = std::nextafter(static_cast<float>(high[k]), infinity);
  }
  return box;
}

// A bent cell is its straight twin plus a deviation, by whose greatest the box of the corners grows. The deviation of
// order 2 is sum N_m d_m over the nodes m between the corners, and the sum of |N_m| over them stays below 3 (hex20;
// less for the others). That of higher orders is looked up at a lattice, on which it comes to 0.8 of its greatest and
// more.
PointLocator::Box PointLocator::box_of(Index cell) const {
  const CellBlock& block = mesh_.block_of(cell);
  const auto nodes = block.cell(cell - block.first_cell);
  const auto corner_count = static_cast<std::size_t>(traits(block.kind).corner_count);
  const auto x = [&](std::size_t a) { return mesh_.point(nodes[a]); };
  Box box{{x(0)[0], x(0)[1], x(0)[2]}, {x(0)[0], x(0)[1], x(0)[2]}};
  for (std::size_t a = 1; a < corner_count; ++a) box.add({x(a)[0], x(a)[1], x(a)[2]});
  Point deviation{};
  const auto deviates = [&](const Point& at, const std::vector<double>& straight, double factor) {
    for (std::size_t k = 0; k < 3; ++k) {
      double off = at[k];
      for (std::size_t a = 0; a < corner_count; ++a) off -= straight[a] * x(a)[k];
      deviation[k] = std::max(deviation[k], factor * std::abs(off));
    }
  };
  if (const std::span<const Point> own = block.curved.of(cell - block.first_cell); !own.empty()) {
    for (const auto& [values, straight] : samples_.at(block.curved.functions.get()))
      deviates(combined(values, own), straight, 1.25);
  } else {
    const auto& straight = straight_places(block.kind);
    for (std::size_t m = 0; m < straight.size(); ++m) {
      const auto at = x(corner_count + m);
      deviates({at[0], at[1], at[2]}, straight[m], 3);
    }
  }
  for (std::size_t k = 0; k < 3; ++k) {
    box.low[k] -= deviation[k];
    box.high[k] += deviation[k];
  }
  return box;
}

PointLocator::PointLocator(const Mesh& mesh, double tolerance)
    : mesh_(mesh), blocks_(mesh), reach_(tolerance * bounding_box(mesh).diagonal()) {
  for (const CellBlock& block : mesh.blocks()) {
    if (block.curved.empty()) continue;
    const LagrangePolynomials& functions = *block.curved.functions;
    std::vector<Sample>& samples = samples_[&functions];
    if (!samples.empty()) continue;
    for (const Point& xi : lagrange_nodes(functions.shape(), 2 * functions.order()))
      samples.push_back({functions.at(xi), shape_values(functions.shape(), xi)});
  }
  const std::vector<Index> order = curve_order(mesh);
  cells_.resize(order.size());
  boxes_.resize(static_cast<std::size_t>(box_count(mesh)));
#pragma omp parallel for schedule(static)
  for (std::size_t i = 0; i < order.size(); ++i) {
    const auto cell = static_cast<std::int32_t>(order[i]);
    cells_[i] = is_inverted_by_newton(mesh, cell) ? cell : ~cell;
    boxes_[i] = box_of(cell);
  }
  add_levels();
}

// Each box of a level holds `fan_out` of the level below.
void PointLocator::add_levels() {
  search_.dimension = mesh_.dimension();
  Index size = static_cast<Index>(cells_.size()), first = 0;
  for (search_.levels = 1; size > 1; ++search_.levels) {
    const CellBox* below = &boxes_[static_cast<std::size_t>(first)];
    CellBox* level = &boxes_[static_cast<std::size_t>(first + size)];
    for (Index i = 0; i < size; ++i) {
      CellBox& box = level[i / CellSearch::fan_out];
      if (i % CellSearch::fan_out == 0) box = below[i];
      for (std::size_t k = 0; k < 3; ++k) {
        box.low[k] = std::min(box.low[k], below[i].low[k]);
        box.high[k] = std::max(box.high[k], below[i].high[k]);
      }
    }
    search_.first[search_.levels] = first += size;
    size = level_above(size);
  }
  search_.first[search_.levels] = first + size;
}

CellSearch PointLocator::search() const {
  CellSearch search = search_;
  search.mesh = {blocks_.views.data(), static_cast<std::int32_t>(blocks_.views.size())};
  search.coordinates = mesh_.points().data();
  search.boxes = boxes_.data();
  search.cells = cells_.data();
  return search;
}

Index PointLocator::box_count(const Mesh& mesh) {
  Index count = mesh.cell_count();
  for (Index size = count; size > 1; count += size) size = level_above(size);
  return count;
}

PointLocator::Place PointLocator::locate(const Point& point) const {
  if (const std::optional<Place> place = find(point, reach_)) return *place;
  throw_outside(point);
}

std::optional<PointLocator::Place> PointLocator::find(const Point& point, double reach, Index guess) const {
  if (!std::isfinite(point[0] + point[1] + point[2])) return std::nullopt;
  const bool sure = guess < 0 || is_inverted_by_newton(mesh_, guess);
  if (!sure)
    if (const auto place = in_cell(mesh_, guess, point)) return place;
  const CellSearch search = this->search();
  if (const FoundCell found = find_cell(search, point, reach, sure ? guess : -1); found.cell >= 0)
    return Place{found.cell, found.xi, 0};
  std::vector<Index> near;
  search.each_near(point, reach, [&near](std::int32_t code) { near.push_back(code < 0 ? ~code : code); });
  std::sort(near.begin(), near.end());
  for (const Index cell : near)
    if (const std::optional<Place> place = in_cell(mesh_, cell, point)) return place;
  return nearest_of(near, point, reach);
}

// The nearest of these cells to a point that none of them holds; nothing beyond `reach`. Boxes that are farther than a
// cell that is known are passed over.
std::optional<PointLocator::Place> PointLocator::nearest_of(std::span<const Index> cells, const Point& point,
                                                            double reach) const {
  std::vector<std::pair<double, Index>> by_gap;
  for (const Index cell : cells) by_gap.emplace_back(box_of(cell).distance(point), cell);
  std::ranges::sort(by_gap);
  Place best{-1, {}, reach};
  for (const auto& [gap, cell] : by_gap) {
    if (gap > best.distance) break;
    const CellMap map(mesh_, cell);
    const Nearest found = nearest_point(shape_of(map), point, 0);
    const bool nearer = found.distance < best.distance || (found.distance == best.distance && cell < best.cell);
    if (nearer || (best.cell < 0 && found.distance <= reach)) best = {cell, found.xi, found.distance};
  }
  if (best.cell < 0) return std::nullopt;
  return best;
}

Index PointLocator::bytes_for(const Mesh& mesh) {
  return mesh.cell_count() * Index{sizeof(std::int32_t)} + box_count(mesh) * Index{sizeof(CellBox)};
}

std::optional<PointLocator::Place> PointLocator::in_cell(const Mesh& mesh, Index cell, const Point& point) {
  const CellBlock& block = mesh.block_of(cell);
  if (is_inverted_by_newton(mesh, cell) && (mesh.dimension() == 3 || point[2] == 0)) {
    const CellBlockView view = view_of(block);
    const CellSearch alone{.mesh = {&view, 1}, .coordinates = mesh.points().data()};
    if (Point xi; alone.invert(cell, point, xi) == Holds::yes) return Place{cell, xi, 0};
  }
  const CellMap map(mesh, cell);
  const double rounding = 1e-12 * size_of(map) + 4e-16 * length(point);
  if (traits(block.kind).dimension == 3 && map.functions() == nullptr && is_beyond(map, point, rounding))
    return std::nullopt;
  const Nearest found = descend_twice(shape_of(map), point, rounding);
  if (found.distance > rounding) return std::nullopt;
  return Place{cell, found.xi, found.distance};
}

CellBlocks::CellBlocks(const Mesh& of) : mesh(of) {
  for (const CellBlock& block : mesh.blocks())
    if (block.cell_count() > 0) views.push_back(view_of(block));
}

void PointLocator::throw_outside(const Point& point) const {
  const BoundingBox box = bounding_box(mesh_);
  Node nearest = mesh_.nodes_of(0)[0];
  const auto distance_to = [&](Node node) {
    const auto x = mesh_.point(node);
    return length(minus(point, {x[0], x[1], x[2]}));
  };
  double distance = distance_to(nearest);
  for (const CellBlock& block : mesh_.blocks())
    for (const Node node : block.nodes)
      if (const double d = distance_to(node); d < distance || (d == distance && node < nearest))
        distance = d, nearest = node;
  const auto x = mesh_.point(nearest);
  throw Error(ErrorKind::probe, fmt::format("the point {} lies outside the mesh '{}'", text_of(point), mesh_.source()),
              fmt::format("the mesh lies between {} and {}; its nearest node is {} at {}, {:.4g} away",
                          text_of(box.low), text_of(box.high), nearest, text_of({x[0], x[1], x[2]}), distance),
              "move the point into the mesh, in the mesh's unit of length after scaling");
}

std::vector<double> interpolate(const Mesh& mesh, const PointLocator::Place& place, std::span<const double> values,
                                int components) {
  const std::vector<double> N = shape_values(mesh.kind_of(place.cell), place.xi);
  const auto nodes = mesh.nodes_of(place.cell);
  std::vector<double> result(static_cast<std::size_t>(components), 0.0);
  for (std::size_t a = 0; a < N.size(); ++a)
    for (std::size_t c = 0; c < result.size(); ++c)
      result[c] += N[a] * values[static_cast<std::size_t>(nodes[a]) * result.size() + c];
  return result;
}

}  // namespace ritz
