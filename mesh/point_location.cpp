#include "mesh/point_location.hpp"

#include "mesh/curve_order.hpp"
#include "mesh/lagrange_cells.hpp"
#include "mesh/point_algebra.hpp"
#include "mesh/quality.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace ritz {
namespace {

constexpr Index fan_out = 4;

// A cell, or one of its facets, edges and corners, through whose reference cell it is mapped.
struct LocatedShape {
  CellKind kind;  // linear
  const CellMap* cell;
  std::vector<Point> corners;  // on the cell's reference cell; none of the cell itself
};

LocatedShape shape_of(const CellMap& cell) { return {traits(cell.kind()).linear, &cell, {}}; }

struct Nearest {
  Point xi;
  double distance;
};

Point combined(std::span<const double> weights, std::span<const Point> points) {
  Point x{};
  for (std::size_t a = 0; a < weights.size(); ++a)
    for (std::size_t k = 0; k < 3; ++k) x[k] += weights[a] * points[a][k];
  return x;
}

Point place_in_cell(const LocatedShape& shape, const Point& xi) {
  return shape.corners.empty() ? xi : combined(shape_values(shape.kind, xi), shape.corners);
}

Point point_at(const LocatedShape& shape, const Point& xi) { return shape.cell->at(place_in_cell(shape, xi)); }

std::array<Point, 3> tangents_at(const LocatedShape& shape, const Point& xi) {  // d x / d xi_k
  const std::array<Point, 3> of_cell = shape.cell->tangents(place_in_cell(shape, xi));
  if (shape.corners.empty()) return of_cell;
  const std::vector<Point> slopes = shape_gradients(shape.kind, xi);
  std::array<Point, 3> tangents{};
  for (std::size_t d = 0; d < 3; ++d) {
    Point direction{};
    for (std::size_t a = 0; a < slopes.size(); ++a)
      for (std::size_t k = 0; k < 3; ++k) direction[k] += slopes[a][d] * shape.corners[a][k];
    tangents[d] = combined(direction, of_cell);
  }
  return tangents;
}

// The step of Newton's method (three dimensions) or Gauss and Newton's (curves and surfaces in space) towards r = 0.
Point step_towards(const Point& r, const std::array<Point, 3>& t, int dimension) {
  switch (dimension) {
    case 1: return {dot(t[0], r) / dot(t[0], t[0]), 0, 0};
    case 2: {
      const Point normal = cross(t[0], t[1]);
      const double area = dot(normal, normal);
      return {dot(cross(r, t[1]), normal) / area, dot(cross(t[0], r), normal) / area, 0};
    }
    default: {
      const double volume = dot(t[0], cross(t[1], t[2]));
      return {dot(r, cross(t[1], t[2])) / volume, dot(t[0], cross(r, t[2])) / volume,
              dot(t[0], cross(t[1], r)) / volume};
    }
  }
}

// A point of the reference cell (of a linear kind) near xi; xi itself when it lies inside.
Point moved_inside(CellKind kind, Point xi) {
  const auto into_simplex = [&xi](std::size_t corners) {
    double sum = 0;
    for (std::size_t k = 0; k < corners; ++k) sum += xi[k] = std::max(xi[k], 0.0);
    for (std::size_t k = 0; k < corners && sum > 1; ++k) xi[k] /= sum;
  };
  const auto into_interval = [&xi](std::size_t k, double half) { xi[k] = std::clamp(xi[k], -half, half); };
  switch (kind) {
    case CellKind::vertex1: return {};
    case CellKind::line2: into_interval(0, 1); break;
    case CellKind::tri3: into_simplex(2); break;
    case CellKind::tet4: into_simplex(3); break;
    case CellKind::quad4: into_interval(0, 1), into_interval(1, 1); break;
    case CellKind::prism6: into_simplex(2), into_interval(2, 1); break;
    case CellKind::pyramid5:
      xi[2] = std::clamp(xi[2], 0.0, 1.0);
      into_interval(0, 1 - xi[2]), into_interval(1, 1 - xi[2]);
      break;
    default:
      for (std::size_t k = 0; k < 3; ++k) into_interval(k, 1);
  }
  return xi;
}

// Newton's method from `start`, kept inside the reference cell, with steps halved until they pay.
Nearest descend(const LocatedShape& shape, const Point& target, const Point& start) {
  constexpr int most_steps = 50, most_halvings = 6;
  const int dimension = traits(shape.kind).dimension;
  Nearest best{start, length(minus(target, point_at(shape, start)))};
  for (int step = 0; step < most_steps && dimension > 0; ++step) {
    const Point r = minus(target, point_at(shape, best.xi));
    Point d = step_towards(r, tangents_at(shape, best.xi), dimension);
    Nearest next{best.xi, best.distance};
    for (int halving = 0; halving < most_halvings && next.distance >= best.distance; ++halving) {
      next.xi = moved_inside(shape.kind, {best.xi[0] + d[0], best.xi[1] + d[1], best.xi[2] + d[2]});
      next.distance = length(minus(target, point_at(shape, next.xi)));
      for (double& component : d) component /= 2;
    }
    if (!(next.distance < best.distance)) break;
    const bool settled = length(minus(next.xi, best.xi)) < 1e-15;
    best = next;
    if (settled) break;
  }
  return best;
}

// From the centre, and if that does not reach the point, from the node of the cell that is nearest to it.
Nearest descend_twice(const LocatedShape& shape, const Point& target, double enough) {
  const Nearest first = descend(shape, target, reference_centroid(shape.kind));
  if (first.distance <= enough) return first;
  const std::span<const Point> starts =
      shape.corners.empty() ? shape.cell->reference_nodes() : reference_nodes(shape.kind);
  std::size_t node = 0;
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t a = 0; a < starts.size(); ++a) {
    const double off =
        length(minus(target, shape.corners.empty() ? shape.cell->nodes()[a] : point_at(shape, starts[a])));
    if (off < least) least = off, node = a;
  }
  Point start = starts[node];  // a little inwards: at a pyramid's apex there is no direction
  for (std::size_t k = 0; k < 3; ++k) start[k] = 0.9 * start[k] + 0.1 * reference_centroid(shape.kind)[k];
  const Nearest second = descend(shape, target, start);
  return second.distance < first.distance ? second : first;
}

// The nearest point of a shape: inside it, or the nearest point of one of its facets.
Nearest nearest_point(const LocatedShape& shape, const Point& target, double enough) {
  Nearest best = descend_twice(shape, target, enough);
  if (best.distance <= enough) return best;
  const std::span<const Point> corners =
      shape.corners.empty() ? reference_nodes(shape.kind) : std::span<const Point>(shape.corners);
  for (const Facet& facet : traits(shape.kind).facets) {
    LocatedShape side{facet.kind, shape.cell, {}};
    std::vector<Point> places;
    for (const int a : facet.nodes) {
      side.corners.push_back(corners[static_cast<std::size_t>(a)]);
      places.push_back(reference_nodes(shape.kind)[static_cast<std::size_t>(a)]);
    }
    const Nearest on_side = nearest_point(side, target, enough);
    if (on_side.distance < best.distance)
      best = {moved_inside(shape.kind, combined(shape_values(facet.kind, on_side.xi), places)), on_side.distance};
  }
  return best;
}

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

std::string text_of(const Point& x) { return fmt::format("({:.9g}, {:.9g}, {:.9g})", x[0], x[1], x[2]); }

}  // namespace

void PointLocator::Box::add(const Box& other) {
  for (std::size_t k = 0; k < 3; ++k) {
    low[k] = std::min(low[k], other.low[k]);
    high[k] = std::max(high[k], other.high[k]);
  }
}

double PointLocator::Box::distance(const Point& point) const {
  Point gap;
  for (std::size_t k = 0; k < 3; ++k) gap[k] = std::max({low[k] - point[k], point[k] - high[k], 0.0});
  return length(gap);
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
#pragma omp parallel for schedule(static)
  for (Index i = 0; i < static_cast<Index>(leaves.size()); ++i) {
    Box box = box_of(order_[static_cast<std::size_t>(fan_out * i)]);
    for (Index j = fan_out * i + 1; j < std::min(fan_out * (i + 1), cell_count); ++j)
      box.add(box_of(order_[static_cast<std::size_t>(j)]));
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
    if (levels_[level][index].distance(point) > reach) continue;
    const std::size_t first = fan_out * index;
    const std::size_t last = std::min(first + fan_out, level > 0 ? levels_[level - 1].size() : order_.size());
    for (std::size_t child = first; child < last; ++child)
      if (level > 0) open.push_back({level - 1, child});
      else if (box_of(order_[child]).distance(point) <= reach) visit(order_[child]);
  }
}

PointLocator::Place PointLocator::locate(const Point& point) const {
  if (!std::isfinite(point[0] + point[1] + point[2])) throw_outside(point);
  std::vector<Index> near;
  for_each_near(point, reach_, [&near](Index cell) { near.push_back(cell); });
  std::sort(near.begin(), near.end());
  for (const Index cell : near) {  // a cell that holds the point, up to rounding
    const CellMap map(*mesh_, cell);
    const double rounding = 1e-12 * size_of(map) + 4e-16 * length(point);
    const Nearest found = descend_twice(shape_of(map), point, rounding);
    if (found.distance <= rounding) return {cell, found.xi, found.distance};
  }
  Place best{-1, {}, reach_};
  for (const Index cell : near) {
    const CellMap map(*mesh_, cell);
    const Nearest found = nearest_point(shape_of(map), point, 0);
    if (found.distance < best.distance || (best.cell < 0 && found.distance <= reach_))
      best = {cell, found.xi, found.distance};
  }
  if (best.cell < 0) throw_outside(point);
  return best;
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
