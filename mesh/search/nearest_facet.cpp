#include "mesh/search/nearest_facet.hpp"

#include "mesh/lagrange_cells.hpp"
#include "mesh/search/nearest_point.hpp"
#include "mesh/point_algebra.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace ritz {
namespace {

constexpr std::size_t leaf_size = 1;

// Is xi inside the reference cell of a facet, so that a minimum of the distance there is that of the facet?
bool is_well_inside(CellKind kind, const Point& xi) {
  constexpr double margin = 1e-9;
  switch (kind) {
    case CellKind::line2: return std::abs(xi[0]) < 1 - margin;
    case CellKind::quad4: return std::abs(xi[0]) < 1 - margin && std::abs(xi[1]) < 1 - margin;
    case CellKind::tri3: return xi[0] > margin && xi[1] > margin && xi[0] + xi[1] < 1 - margin;
    default: return false;
  }
}

Nearest nearest_on_facet(const LocatedShape& shape, const Point& target, double rounding) {
  const Nearest first = descend_twice(shape, target, rounding);
  if (first.distance <= rounding || is_well_inside(shape.kind, first.xi)) return first;
  return nearest_point(shape, target, rounding);
}

double centre(const Point& low, const Point& high, std::size_t axis) { return low[axis] + high[axis]; }

}  // namespace

void NearestFacet::Box::add(const Point& point) {
  for (std::size_t k = 0; k < 3; ++k) {
    low[k] = std::min(low[k], point[k]);
    high[k] = std::max(high[k], point[k]);
  }
}

void NearestFacet::Box::add(const Box& other) {
  add(other.low);
  add(other.high);
}

double NearestFacet::Box::distance(const Point& point) const {
  Point gap;
  for (std::size_t k = 0; k < 3; ++k) gap[k] = std::max({low[k] - point[k], point[k] - high[k], 0.0});
  return length(gap);
}

double NearestFacet::Box::distance(const Box& other) const {
  Point gap;
  for (std::size_t k = 0; k < 3; ++k) gap[k] = std::max({low[k] - other.high[k], other.low[k] - high[k], 0.0});
  return length(gap);
}

// The box of the corners, and of samples of a bent facet, by whose greatest deviation from the straight one the box
// grows: it comes to 0.8 of the greatest and more.
NearestFacet::Box NearestFacet::box_of(const FacetOfCell& facet) const {
  const CellMap map(mesh_, facet.cell);
  const LocatedShape shape = shape_of(map, facet.facet);
  constexpr double far = std::numeric_limits<double>::infinity();
  Box box{{far, far, far}, {-far, -far, -far}};
  std::vector<Point> corners;
  for (const Point& xi : reference_nodes(shape.kind)) corners.push_back(point_at(shape, xi));
  for (const Point& corner : corners) box.add(corner);
  const int order = map.functions() != nullptr ? map.functions()->order() : traits(map.kind()).order;
  if (order == 1) return box;
  double deviation = 0;
  for (const Point& xi : lagrange_nodes(shape.kind, 2 * order)) {
    const Point at = point_at(shape, xi);
    box.add(at);
    deviation = std::max(deviation, distance(at, combined(shape_values(shape.kind, xi), corners)));
  }
  for (std::size_t k = 0; k < 3; ++k) {
    box.low[k] -= 0.25 * deviation;
    box.high[k] += 0.25 * deviation;
  }
  return box;
}

NearestFacet::NearestFacet(const Mesh& mesh, std::span<const FacetOfCell> facets) : mesh_(mesh) {
  std::vector<Box> boxes(facets.size());
#pragma omp parallel for schedule(static)
  for (std::size_t i = 0; i < facets.size(); ++i) boxes[i] = box_of(facets[i]);
  Tree made{{facets.begin(), facets.end()}};
  made.branches.push_back({{}, 0, facets.size(), 0});
  for (std::size_t branch = 0; branch < made.branches.size(); ++branch) made.divide(branch, boxes);
  tree_ = std::make_shared<const Tree>(std::move(made));
}

// Halves a branch along the longest side of its box, by the centres of the facets.
void NearestFacet::Tree::divide(std::size_t branch, std::vector<Box>& boxes) {
  const auto [unknown, first, last, none] = branches[branch];
  Box box = boxes[first];
  for (std::size_t i = first + 1; i < last; ++i) box.add(boxes[i]);
  branches[branch].box = box;
  if (last - first <= leaf_size) return;
  std::size_t axis = 0;
  for (std::size_t k = 1; k < 3; ++k)
    if (box.high[k] - box.low[k] > box.high[axis] - box.low[axis]) axis = k;
  std::vector<std::size_t> order(last - first);
  std::iota(order.begin(), order.end(), first);
  const std::size_t half = order.size() / 2;
  std::ranges::nth_element(order, order.begin() + static_cast<std::ptrdiff_t>(half), [&](std::size_t a, std::size_t b) {
    const double x = centre(boxes[a].low, boxes[a].high, axis), y = centre(boxes[b].low, boxes[b].high, axis);
    return x != y ? x < y : a < b;
  });
  std::vector<FacetOfCell> moved_facets;
  std::vector<Box> moved_boxes;
  for (const std::size_t i : order) {
    moved_facets.push_back(facets[i]);
    moved_boxes.push_back(boxes[i]);
  }
  std::ranges::copy(moved_facets, facets.begin() + static_cast<std::ptrdiff_t>(first));
  std::ranges::copy(moved_boxes, boxes.begin() + static_cast<std::ptrdiff_t>(first));
  branches[branch].children = branches.size();
  branches.push_back({{}, first, first + half, 0});
  branches.push_back({{}, first + half, last, 0});
}

NearestFacet::Place NearestFacet::to(const Point& point) const {
  Place best{tree_->facets.front(), {}, {}, std::numeric_limits<double>::infinity()};
  double rounding = 0;
  std::vector<std::size_t> open = {0};
  while (!open.empty() && best.distance > rounding) {
    const Branch& branch = tree_->branches[open.back()];
    open.pop_back();
    if (branch.box.distance(point) >= best.distance) continue;
    if (branch.children != 0) {
      const std::size_t a = branch.children, b = a + 1;
      const bool a_first = tree_->branches[a].box.distance(point) <= tree_->branches[b].box.distance(point);
      open.push_back(a_first ? b : a);
      open.push_back(a_first ? a : b);
      continue;
    }
    for (std::size_t i = branch.first; i < branch.last; ++i) {
      const CellMap map(mesh_, tree_->facets[i].cell);
      const LocatedShape shape = shape_of(map, tree_->facets[i].facet);
      rounding = 1e-12 * distance(map.nodes()[0], map.nodes()[1]) + 4e-16 * length(point);
      const Nearest found = nearest_on_facet(shape, point, rounding);
      if (found.distance >= best.distance) continue;
      best = {tree_->facets[i], place_in_cell(shape, found.xi), point_at(shape, found.xi), found.distance};
      if (best.distance <= rounding) break;
    }
  }
  return best;
}

std::vector<FacetOfCell> NearestFacet::near(const FacetOfCell& other, double reach) const {
  const Box box = box_of(other);
  std::vector<FacetOfCell> result;
  std::vector<std::size_t> open = {0};
  while (!open.empty()) {
    const Branch& branch = tree_->branches[open.back()];
    open.pop_back();
    if (branch.box.distance(box) > reach) continue;
    if (branch.children != 0) {
      open.push_back(branch.children);
      open.push_back(branch.children + 1);
      continue;
    }
    for (std::size_t i = branch.first; i < branch.last; ++i) result.push_back(tree_->facets[i]);
  }
  std::ranges::sort(result, [](const FacetOfCell& a, const FacetOfCell& b) {
    return a.cell != b.cell ? a.cell < b.cell : a.facet < b.facet;
  });
  return result;
}

double NearestFacet::size_of(const FacetOfCell& facet) const {
  const CellMap map(mesh_, facet.cell);
  const LocatedShape shape = shape_of(map, facet.facet);
  const CellTraits& t = traits(shape.kind);
  const auto corner = [&](int a) { return point_at(shape, reference_nodes(shape.kind)[static_cast<std::size_t>(a)]); };
  if (t.dimension == 1) return distance(corner(0), corner(1));
  double sum = 0;
  for (const auto& [a, b] : t.edges) sum += distance(corner(a), corner(b));
  return t.edges.empty() ? 0 : sum / static_cast<double>(t.edges.size());
}

}  // namespace ritz
