#include "mesh/selection.hpp"

#include "mesh/point_algebra.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <tuple>

namespace ritz {
namespace {

double distance_to_line(const Point& x, const Point& point, const Point& axis) {
  return length(cross(minus(x, point), axis)) / length(axis);
}

Point place_of(const Mesh& mesh, Node node) {
  const auto x = mesh.point(node);
  return {x[0], x[1], x[2]};
}

std::span<const Node> corners(std::span<const Node> nodes, CellKind kind) {
  return nodes.first(static_cast<std::size_t>(traits(traits(kind).linear).node_count));
}

CellKind kind_of(const Mesh& mesh, const FacetOfCell& facet) {
  return traits(mesh.kind_of(facet.cell)).facets[static_cast<std::size_t>(facet.facet)].kind;
}

Point centre_of(const Mesh& mesh, std::span<const Node> nodes) {
  Point sum{};
  for (const Node node : nodes)
    for (std::size_t d = 0; d < 3; ++d) sum[d] += mesh.point(node)[d] / static_cast<double>(nodes.size());
  return sum;
}

// Outward normal of the flat facet through the corners: facets list their nodes in this orientation.
Point normal_of(const Mesh& mesh, const FacetOfCell& facet) {
  const std::vector<Node> nodes = mesh.nodes_of(facet);
  const auto at = [&](std::size_t i) { return place_of(mesh, nodes[i]); };
  if (mesh.dimension() == 2) {
    const Point along = minus(at(1), at(0));
    return {along[1], -along[0], 0};
  }
  const std::size_t count = corners(nodes, kind_of(mesh, facet)).size();
  return count == 3 ? cross(minus(at(1), at(0)), minus(at(2), at(0))) : cross(minus(at(2), at(0)), minus(at(3), at(1)));
}

const auto in_order = [](const auto& a, const auto& b) {
  if constexpr (requires { a.facet; }) return std::tie(a.cell, a.facet) < std::tie(b.cell, b.facet);
  else return a < b;
};

template <class T>
std::vector<T> combined(SetOperation operation, const std::vector<T>& a, const std::vector<T>& b) {
  std::vector<T> result;
  const auto out = std::back_inserter(result);
  if (operation == SetOperation::together) std::set_union(a.begin(), a.end(), b.begin(), b.end(), out, in_order);
  else if (operation == SetOperation::common)
    std::set_intersection(a.begin(), a.end(), b.begin(), b.end(), out, in_order);
  else std::set_difference(a.begin(), a.end(), b.begin(), b.end(), out, in_order);
  return result;
}

}  // namespace

PlaceTest in_box(const Point& low, const Point& high, double tolerance) {
  return [=](const Point& x) {
    for (std::size_t d = 0; d < 3; ++d)
      if (x[d] < low[d] - tolerance || x[d] > high[d] + tolerance) return false;
    return true;
  };
}

PlaceTest near_plane(const Point& point, const Point& normal, double tolerance) {
  return [=](const Point& x) { return std::abs(dot(minus(x, point), normal)) <= tolerance * length(normal); };
}

PlaceTest in_sphere(const Point& centre, double radius, double tolerance) {
  return [=](const Point& x) { return length(minus(x, centre)) <= radius + tolerance; };
}

PlaceTest near_sphere(const Point& centre, double radius, double tolerance) {
  return [=](const Point& x) { return std::abs(length(minus(x, centre)) - radius) <= tolerance; };
}

PlaceTest in_cylinder(const Point& point, const Point& axis, double radius, double tolerance) {
  return [=](const Point& x) { return distance_to_line(x, point, axis) <= radius + tolerance; };
}

PlaceTest near_cylinder(const Point& point, const Point& axis, double radius, double tolerance) {
  return [=](const Point& x) { return std::abs(distance_to_line(x, point, axis) - radius) <= tolerance; };
}

Region select(const Mesh& mesh, const std::string& name, RegionKind kind, const PlaceTest& test, const Region* among) {
  Region region{name, kind, {}, {}, {}};
  if (kind == RegionKind::cells) {
    const auto take = [&](Index cell) {
      if (test(centre_of(mesh, corners(mesh.nodes_of(cell), mesh.kind_of(cell))))) region.cells.push_back(cell);
    };
    if (among != nullptr) std::ranges::for_each(among->cells, take);
    else
      for (Index cell = 0; cell < mesh.cell_count(); ++cell) take(cell);
  } else if (kind == RegionKind::facets) {
    for (const FacetOfCell& facet : among != nullptr ? among->facets : boundary_facets(mesh)) {
      const std::vector<Node> nodes = mesh.nodes_of(facet);
      if (std::ranges::all_of(corners(nodes, kind_of(mesh, facet)),
                              [&](Node node) { return test(place_of(mesh, node)); }))
        region.facets.push_back(facet);
    }
  } else {
    const auto take = [&](Node node) {
      if (test(place_of(mesh, node))) region.nodes.push_back(node);
    };
    if (among != nullptr) std::ranges::for_each(nodes_in(mesh, *among), take);
    else
      for (Index node = 0; node < mesh.node_count(); ++node) take(static_cast<Node>(node));
  }
  return region;
}

Region select_by_normal(const Mesh& mesh, const std::string& name, const Region& among, const Point& direction,
                        double angle) {
  Region region{name, RegionKind::facets, {}, {}, {}};
  for (const FacetOfCell& facet : among.facets) {
    const Point normal = normal_of(mesh, facet);
    if (std::atan2(length(cross(normal, direction)), dot(normal, direction)) <= angle) region.facets.push_back(facet);
  }
  return region;
}

Region combine(const std::string& name, SetOperation operation, std::span<const Region* const> regions) {
  Region result = *regions.front();
  result.name = name;
  for (const Region* other : regions.subspan(1)) {
    result.cells = combined(operation, result.cells, other->cells);
    result.facets = combined(operation, result.facets, other->facets);
    result.nodes = combined(operation, result.nodes, other->nodes);
  }
  return result;
}

}  // namespace ritz
