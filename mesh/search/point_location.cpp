#include "mesh/search/point_location.hpp"

#include "mesh/curve_order.hpp"
#include "mesh/lagrange_cells.hpp"
#include "mesh/search/inverse_map.hpp"
#include "mesh/search/nearest_point.hpp"
#include "mesh/point_algebra.hpp"
#include "mesh/quality/quality.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace ritz {
namespace {

constexpr Index fan_out = 4;

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

std::string text_of(const Point& x) { return fmt::format("({:.9g}, {:.9g}, {:.9g})", x[0], x[1], x[2]); }

}  // namespace

void PointLocator::Box::add(const Box& other) {
  for (std::size_t k = 0; k < 3; ++k) {
    low[k] = std::min(low[k], other.low[k]);
    high[k] = std::max(high[k], other.high[k]);
  }
}

namespace {
double square_of_gap(const Point& point, const auto& low, const auto& high) {
  double square = 0;
  for (std::size_t k = 0; k < 3; ++k) {
    const double gap = std::max({low[k] - point[k], point[k] - high[k], 0.0});
    square += gap * gap;
  }
  return square;
}
bool within(double reach, const Point& point, const auto& low, const auto& high) {
  return square_of_gap(point, low, high) <= reach * reach;
}
}  // namespace

double PointLocator::Box::distance(const Point& point) const { return std::sqrt(square_of_gap(point, low, high)); }

bool PointLocator::Box::is_within(double reach, const Point& point) const { return within(reach, point, low, high); }
bool PointLocator::CellBox::is_within(double reach, const Point& point) const {
  return within(reach, point, low, high);
}

PointLocator::CellBox::CellBox(const Box& box) {
  constexpr float infinity = std::numeric_limits<float>::infinity();
  for (std::size_t k = 0; k < 3; ++k) {
    low[k] = std::nextafter(static_cast<float>(box.low[k]), -infinity);
    high[k] = std::nextafter(static_cast<float>(box.high[k]), infinity);
  }
}

// A bent cell is its straight twin plus a deviation, by whose greatest the box of the corners grows. The deviation of
// order 2 is sum N_m d_m over the nodes m between the corners, and the sum of |N_m| over them stays below 3 (hex20;
// less for the others). That of higher orders is looked up at a lattice, on which it comes to 0.8 of its greatest and
// more.
PointLocator::Box PointLocator::box_of(Index cell) const {
  const CellBlock& block = mesh_->block_of(cell);
  const auto nodes = block.cell(cell - block.first_cell);
  const auto corner_count = static_cast<std::size_t>(traits(block.kind).corner_count);
  const auto x = [&](std::size_t a) { return mesh_->point(nodes[a]); };
  Box box{{x(0)[0], x(0)[1], x(0)[2]}, {x(0)[0], x(0)[1], x(0)[2]}};
  for (std::size_t a = 1; a < corner_count; ++a) {
    const Point corner = {x(a)[0], x(a)[1], x(a)[2]};
    box.add({corner, corner});
  }
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
    : mesh_(&mesh), order_(curve_order(mesh)), reach_(tolerance * bounding_box(mesh).diagonal()) {
  for (const CellBlock& block : mesh.blocks()) {
    if (block.curved.empty()) continue;
    const LagrangePolynomials& functions = *block.curved.functions;
    std::vector<Sample>& samples = samples_[&functions];
    if (!samples.empty()) continue;
    for (const Point& xi : lagrange_nodes(functions.shape(), 2 * functions.order()))
      samples.push_back({functions.at(xi), shape_values(functions.shape(), xi)});
  }
  const auto grouped = [](Index count) { return (count + fan_out - 1) / fan_out; };
  const auto cell_count = static_cast<Index>(order_.size());
  levels_.emplace_back(static_cast<std::size_t>(grouped(cell_count)));
  std::vector<Box>& leaves = levels_.back();
  boxes_.resize(order_.size());
#pragma omp parallel for schedule(static)
  for (Index i = 0; i < static_cast<Index>(leaves.size()); ++i) {
    Box box;
    for (Index j = fan_out * i; j < std::min(fan_out * (i + 1), cell_count); ++j) {
      const Box own = box_of(order_[static_cast<std::size_t>(j)]);
      boxes_[static_cast<std::size_t>(j)] = CellBox(own);
      if (j == fan_out * i) box = own;
      else box.add(own);
    }
    leaves[static_cast<std::size_t>(i)] = box;
  }
  while (levels_.back().size() > 1) {
    const std::vector<Box>& below = levels_.back();
    std::vector<Box> level;
    for (std::size_t i = 0; i < below.size(); ++i)
      if (i % fan_out == 0) level.push_back(below[i]);
      else level.back().add(below[i]);
    levels_.push_back(std::move(level));
  }
}

template <class Visit>
void PointLocator::for_each_near(const Point& point, double reach, Visit visit) const {
  struct Branch {
    std::size_t level, index;
  };
  std::vector<Branch> open = {{levels_.size() - 1, 0}};
  while (!open.empty()) {
    const auto [level, index] = open.back();
    open.pop_back();
    if (!levels_[level][index].is_within(reach, point)) continue;
    const std::size_t first = fan_out * index;
    const std::size_t last = std::min(first + fan_out, level > 0 ? levels_[level - 1].size() : order_.size());
    for (std::size_t child = first; child < last; ++child)
      if (level > 0) open.push_back({level - 1, child});
      else if (boxes_[child].is_within(reach, point)) visit(order_[child]);
  }
}

PointLocator::Place PointLocator::locate(const Point& point) const {
  if (const std::optional<Place> place = find(point, reach_)) return *place;
  throw_outside(point);
}

std::optional<PointLocator::Place> PointLocator::find(const Point& point, double reach) const {
  if (!std::isfinite(point[0] + point[1] + point[2])) return std::nullopt;
  std::vector<Index> near;
  for_each_near(point, reach, [&near](Index cell) { near.push_back(cell); });
  std::sort(near.begin(), near.end());
  for (const Index cell : near)
    if (const std::optional<Place> place = quickly_in_cell(*mesh_, cell, point)) return place;
  for (const Index cell : near)
    if (const std::optional<Place> place = in_cell(*mesh_, cell, point)) return place;
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
    const CellMap map(*mesh_, cell);
    const Nearest found = nearest_point(shape_of(map), point, 0);
    const bool nearer = found.distance < best.distance || (found.distance == best.distance && cell < best.cell);
    if (nearer || (best.cell < 0 && found.distance <= reach)) best = {cell, found.xi, found.distance};
  }
  if (best.cell < 0) return std::nullopt;
  return best;
}

// Barycentric coordinates in a triangle or tetrahedron with straight edges: no search is needed.
struct PointLocator::Straight {
  std::array<Point, 4> corners;
  int dimension;

  static std::optional<Straight> of(const CellBlock& block, Index position, const Mesh& mesh) {
    const CellKind linear = traits(block.kind).linear;
    if ((linear != CellKind::tri3 && linear != CellKind::tet4) || !block.curved.of(position).empty())
      return std::nullopt;
    const auto nodes = block.cell(position);
    const auto at = [&](std::size_t a) {
      const auto x = mesh.point(nodes[a]);
      return Point{x[0], x[1], x[2]};
    };
    Straight result{{}, traits(linear).dimension};
    const auto corner_count = static_cast<std::size_t>(traits(linear).corner_count);
    for (std::size_t a = 0; a < corner_count; ++a) result.corners[a] = at(a);
    const double size = distance(result.corners[0], result.corners[1]);
    const auto& places = straight_places(block.kind);
    for (std::size_t m = 0; m < places.size(); ++m) {
      Point middle{};
      for (std::size_t a = 0; a < corner_count; ++a)
        for (std::size_t k = 0; k < 3; ++k) middle[k] += places[m][a] * result.corners[a][k];
      if (distance(at(corner_count + m), middle) > 1e-13 * size) return std::nullopt;
    }
    return result;
  }

  // Reference coordinates; nothing outside by more than `slack` of them.
  std::optional<Point> at(const Point& point, double slack) const {
    const Point r = minus(point, corners[0]), a = minus(corners[1], corners[0]), b = minus(corners[2], corners[0]);
    Point xi{};
    if (dimension == 3) {
      const Point c = minus(corners[3], corners[0]);
      const double volume = dot(a, cross(b, c));
      xi = {dot(r, cross(b, c)) / volume, dot(a, cross(r, c)) / volume, dot(a, cross(b, r)) / volume};
    } else {
      const double area = a[0] * b[1] - a[1] * b[0];
      xi = {(r[0] * b[1] - r[1] * b[0]) / area, (a[0] * r[1] - a[1] * r[0]) / area, 0};
    }
    double rest = 1;
    for (double& coordinate : xi) {
      if (coordinate < -slack) return std::nullopt;
      coordinate = std::max(coordinate, 0.0);
      rest -= coordinate;
    }
    if (rest < -slack) return std::nullopt;
    if (rest < 0)
      for (double& coordinate : xi) coordinate /= 1 - rest;
    return xi;
  }
};

Index PointLocator::bytes_for(const Mesh& mesh) {
  const Index boxes = static_cast<Index>(sizeof(Box)) / (fan_out - 1);  // of all levels, for each cell
  return mesh.cell_count() * (static_cast<Index>(sizeof(CellBox) + sizeof(Index)) + boxes);
}

std::optional<PointLocator::Place> PointLocator::quickly_in_cell(const Mesh& mesh, Index cell, const Point& point) {
  if (!has_inverse_map(mesh, cell, point)) return in_cell(mesh, cell, point);
  const CellBlock& block = mesh.block_of(cell);
  const auto straight = Straight::of(block, cell - block.first_cell, mesh);
  const std::optional<Point> xi = straight ? straight->at(point, 1e-12) : inverse_map(mesh, cell, point);
  return xi ? std::optional(Place{cell, *xi, 0}) : std::nullopt;
}

std::optional<PointLocator::Place> PointLocator::in_cell(const Mesh& mesh, Index cell, const Point& point) {
  const CellBlock& block = mesh.block_of(cell);
  if (has_inverse_map(mesh, cell, point)) {
    const auto place = quickly_in_cell(mesh, cell, point);
    if (place || Straight::of(block, cell - block.first_cell, mesh)) return place;
  }
  const CellMap map(mesh, cell);
  const double rounding = 1e-12 * size_of(map) + 4e-16 * length(point);
  if (traits(block.kind).dimension == 3 && map.functions() == nullptr && is_beyond(map, point, rounding))
    return std::nullopt;
  const Nearest found = descend_twice(shape_of(map), point, rounding);
  if (found.distance > rounding) return std::nullopt;
  return Place{cell, found.xi, found.distance};
}

void PointLocator::throw_outside(const Point& point) const {
  const BoundingBox box = bounding_box(*mesh_);
  Node nearest = mesh_->nodes_of(0)[0];
  const auto distance_to = [&](Node node) {
    const auto x = mesh_->point(node);
    return length(minus(point, {x[0], x[1], x[2]}));
  };
  double distance = distance_to(nearest);
  for (const CellBlock& block : mesh_->blocks())
    for (const Node node : block.nodes)
      if (const double d = distance_to(node); d < distance || (d == distance && node < nearest))
        distance = d, nearest = node;
  const auto x = mesh_->point(nearest);
  throw Error(Exit::input, fmt::format("the point {} lies outside the mesh '{}'", text_of(point), mesh_->source()),
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
