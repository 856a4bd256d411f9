#include "mesh/selection.hpp"

#include "mesh/point_algebra.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <numeric>
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

std::vector<std::uint8_t> marks_of(const Mesh& mesh, std::span<const Node> nodes) {
  std::vector<std::uint8_t> marks(static_cast<std::size_t>(mesh.node_count()));
  for (const Node node : nodes) marks[static_cast<std::size_t>(node)] = 1;
  return marks;
}

std::vector<Node> sorted_once(std::vector<Node> nodes) {
  std::ranges::sort(nodes);
  const auto rest = std::ranges::unique(nodes);
  nodes.erase(rest.begin(), rest.end());
  return nodes;
}

// The corners that node `i` of a facet after its corners lies between: the ends of its edge, or all.
std::vector<int> ends_of_node(CellKind kind, std::size_t i) {
  const CellTraits& of = traits(kind);
  if (of.dimension > 1 && i < of.edges.size()) return {of.edges[i][0], of.edges[i][1]};
  std::vector<int> all(static_cast<std::size_t>(of.corner_count));
  std::iota(all.begin(), all.end(), 0);
  return all;
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

std::vector<Node> nodes_on_chords(const Mesh& mesh, const Region& found, std::span<const FacetOfCell> among,
                                  const RoundSurface& surface, double tolerance, const PlaceTest& others) {
  const std::vector<std::uint8_t> chosen = marks_of(mesh, found.nodes);
  const auto is_chosen = [&](Node node) { return chosen[static_cast<std::size_t>(node)] != 0; };
  const PlaceTest lies = on(surface, tolerance);
  std::vector<Node> result;
  for (const FacetOfCell& facet : among) {
    const CellKind kind = kind_of(mesh, facet);
    if (traits(kind).order == 1) continue;
    const std::vector<Node> nodes = mesh.nodes_of(facet);
    const std::span<const Node> ends = corners(nodes, kind), between = std::span(nodes).subspan(ends.size());
    if (!std::ranges::all_of(ends, [&](Node node) { return lies(place_of(mesh, node)); }) ||
        !runs_along(mesh, facet, surface))
      continue;
    for (std::size_t i = 0; i < between.size(); ++i)
      if (!is_chosen(between[i]) &&
          std::ranges::all_of(ends_of_node(kind, i),
                              [&](int end) { return is_chosen(nodes[static_cast<std::size_t>(end)]); }) &&
          others(place_of(mesh, between[i])))
        result.push_back(between[i]);
  }
  return sorted_once(std::move(result));
}

std::vector<Node> nodes_between(const Mesh& mesh, const Region& found) {
  const std::vector<std::uint8_t> chosen = marks_of(mesh, found.nodes);
  const auto is_chosen = [&](Node node) { return chosen[static_cast<std::size_t>(node)] != 0; };
  std::vector<Node> result;
  for (const CellBlock& block : mesh.blocks()) {
    const CellTraits& of = traits(block.kind);
    for (Index cell = 0; of.order > 1 && cell < block.cell_count(); ++cell) {
      const std::span<const Node> nodes = mesh.nodes_of(block.first_cell + cell);
      for (std::size_t e = 0; e < of.edges.size(); ++e) {
        const Node middle = nodes[static_cast<std::size_t>(of.corner_count) + e];
        if (!is_chosen(middle) && is_chosen(nodes[static_cast<std::size_t>(of.edges[e][0])]) &&
            is_chosen(nodes[static_cast<std::size_t>(of.edges[e][1])]))
          result.push_back(middle);
      }
    }
  }
  return sorted_once(std::move(result));
}

Continuation continuation_of(const Mesh& mesh, const Region& found, std::span<const FacetOfCell> among,
                             const RoundSurface& surface, const PlaceTest& others) {
  std::vector<std::uint8_t> reached = marks_of(mesh, nodes_in(mesh, found));
  const auto has = [&](const FacetOfCell& facet, std::span<const Node> ends) {
    return found.kind == RegionKind::facets
               ? std::ranges::binary_search(found.facets, facet, in_order)
               : std::ranges::all_of(ends, [&](Node node) { return reached[static_cast<std::size_t>(node)] != 0; });
  };
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
        std::ranges::all_of(ends, [&](Node node) { return others(place_of(mesh, node)); }) && !has(facet, ends))
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
