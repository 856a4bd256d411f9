#include "mesh/selection.hpp"

#include "mesh/point_algebra.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <tuple>

namespace ritz {
namespace {

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

// Within 60 degrees.
bool runs_along(const Mesh& mesh, const FacetOfCell& facet, const RoundSurface& surface) {
  const std::vector<Node> nodes = mesh.nodes_of(facet);
  const Point normal = normal_of(mesh, facet),
              outward = surface.outward(centre_of(mesh, corners(nodes, kind_of(mesh, facet))));
  return std::abs(dot(normal, outward)) > 0.5 * length(normal) * length(outward);
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

PlaceTest within(const RoundSurface& surface, double tolerance) {
  return [=](const Point& x) { return surface.signed_distance(x) <= tolerance; };
}

PlaceTest on(const RoundSurface& surface, double tolerance) {
  return [=](const Point& x) { return std::abs(surface.signed_distance(x)) <= tolerance; };
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

Point RoundSurface::outward(const Point& x) const {
  Point d = minus(x, centre);
  if (const double squared = dot(axis, axis); squared > 0) {
    const double along = dot(d, axis) / squared;
    for (std::size_t k = 0; k < 3; ++k) d[k] -= along * axis[k];
  }
  return d;
}

double RoundSurface::signed_distance(const Point& x) const { return length(outward(x)) - radius; }

Region select_along(const Mesh& mesh, const std::string& name, const Region& among, const RoundSurface& surface) {
  Region region{name, RegionKind::facets, {}, {}, {}};
  for (const FacetOfCell& facet : among.facets)
    if (runs_along(mesh, facet, surface)) region.facets.push_back(facet);
  return region;
}

Continuation continuation_of(const Mesh& mesh, const Region& found, std::span<const FacetOfCell> among,
                             const RoundSurface& surface, const PlaceTest& others) {
  std::vector<std::uint8_t> reached(static_cast<std::size_t>(mesh.node_count()));
  for (const Node node : nodes_in(mesh, found)) reached[static_cast<std::size_t>(node)] = 1;
  std::vector<FacetOfCell> waiting;
  Continuation rest;
  const auto distance_of = [&](std::span<const Node> nodes) {
    double largest = 0;
    for (const Node node : nodes) largest = std::max(largest, std::abs(surface.signed_distance(place_of(mesh, node))));
    return largest;
  };
  for (const FacetOfCell& facet : among) {
    const std::vector<Node> nodes = mesh.nodes_of(facet);
    const std::span<const Node> ends = corners(nodes, kind_of(mesh, facet));
    if (distance_of(ends) <= surface.radius / 20 && runs_along(mesh, facet, surface) &&
        std::ranges::all_of(ends, [&](Node node) { return others(place_of(mesh, node)); }) &&
        !std::ranges::binary_search(found.facets, facet, in_order))
      waiting.push_back(facet);
  }
  for (bool grows = true; grows;) {
    const auto beside = std::partition(waiting.begin(), waiting.end(), [&](const FacetOfCell& facet) {
      return std::ranges::none_of(mesh.nodes_of(facet),
                                  [&](Node node) { return reached[static_cast<std::size_t>(node)]; });
    });
    for (const FacetOfCell& facet : std::span(beside, waiting.end())) {
      const std::vector<Node> nodes = mesh.nodes_of(facet);
      for (const Node node : nodes) reached[static_cast<std::size_t>(node)] = 1;
      rest.distance = std::max(rest.distance, distance_of(corners(nodes, kind_of(mesh, facet))));
      ++rest.facet_count;
    }
    grows = beside != waiting.end();
    waiting.erase(beside, waiting.end());
  }
  return rest;
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
