#include "fem/physics/oblique_support.hpp"

#include "fem/physics/place.hpp"
#include "fem/space/region_nodes.hpp"
#include "mesh/direction.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <map>
#include <numeric>

namespace ritz {
namespace {

Point scaled(double factor, const Point& a) { return {factor * a[0], factor * a[1], factor * a[2]}; }
Point unit(const Point& a) { return scaled(1 / length(a), a); }

struct AreaNormal {
  Node node;
  Point normal;  // of one facet, at the node
  double area;
};

// Out of the cell: of a facet in space by the right-hand rule, of an edge in the plane its tangent turned clockwise.
Point outward(const std::array<Point, 3>& t, int dimension) {
  return dimension == 3 ? cross(t[0], t[1]) : Point{t[0][1], -t[0][0], 0};
}

// Normals of all facets at their nodes, by node.
std::vector<AreaNormal> facet_normals(const FunctionSpace& space, const Region& region) {
  const Mesh& mesh = space.mesh();
  std::vector<AreaNormal> all;
  std::vector<Node> nodes;
  for (const FacetOfCell& f : region.facets) {
    const CellMap cell(mesh, f.cell);
    const FacetMap map(cell, f.facet);
    const FunctionSpace::FacetElement& facet = space.facet_element(cell.kind(), f.facet);
    const double area = length(outward(map.tangents(reference_centroid(facet.element->shape)), mesh.dimension()));
    space.nodes_of(f.cell, nodes);
    for (std::size_t a = 0; a < facet.nodes.size(); ++a) {
      const Point normal = outward(map.tangents(facet.element->nodes[a]), mesh.dimension());
      // of a triangle the reference facet is half as large
      const double share = traits(facet.element->shape).corner_count == 3 ? 0.5 : 4;
      if (length(normal) > 0)
        all.push_back({nodes[static_cast<std::size_t>(facet.nodes[a])], unit(normal), share * area});
    }
  }
  std::ranges::stable_sort(all, {}, &AreaNormal::node);
  return all;
}

// One mean for each set of normals in which neighbours are closer than the angle.
void add_means(std::span<const AreaNormal> at_node, double cosine, std::vector<NodeNormal>& result) {
  std::vector<std::size_t> set(at_node.size());
  std::iota(set.begin(), set.end(), std::size_t{0});
  for (std::size_t i = 0; i < set.size(); ++i)
    for (std::size_t j = 0; j < i; ++j)
      if (set[i] != set[j] && dot(at_node[i].normal, at_node[j].normal) > cosine) {
        const auto [smaller, larger] = std::minmax({set[i], set[j]});  // values: replace() would change references
        std::ranges::replace(set, larger, smaller);
      }
  for (std::size_t s = 0; s < set.size(); ++s) {
    Point sum{};
    for (std::size_t i = 0; i < set.size(); ++i)
      if (set[i] == s)
        for (std::size_t d = 0; d < 3; ++d) sum[d] += at_node[i].area * at_node[i].normal[d];
    if (length(sum) > 0) result.push_back({at_node.front().node, unit(sum)});
  }
}

// The component that the direction has most of comes first: it becomes the dependent one.
void add_direction(const FunctionSpace& space, Node node, const Point& direction, double value,
                   LinearEquations& equations) {
  constexpr double nothing = 1e-14;
  std::vector<UnknownTerm> row;
  for (int c = 0; c < space.mesh().dimension(); ++c)
    if (const double factor = direction[static_cast<std::size_t>(c)]; std::abs(factor) > nothing)
      row.push_back({node, c, factor});
  std::ranges::stable_sort(row, std::ranges::greater{}, [](const UnknownTerm& t) { return std::abs(t.factor); });
  if (!row.empty()) equations.add(row, value);
}

// [node of the space]; 0 outside of the region
std::vector<double> values_at_nodes(const FunctionSpace& space, const Region& region, const Coefficient& value) {
  std::vector<double> result(static_cast<std::size_t>(space.node_count()), 0.0);
  const RegionNodes at(space, region);
  std::vector<double> values(at.nodes().size());
  value.at(at.points(), 0, values);
  for (std::size_t i = 0; i < values.size(); ++i) result[static_cast<std::size_t>(at.nodes()[i])] = values[i];
  return result;
}

void require_displacements(const FunctionSpace& space, const std::string& origin) {
  if (space.components() < space.mesh().dimension())
    throw Error(
        ErrorKind::relation, "a support along a direction of a field that has none",
        fmt::format("the unknown has {} components in {} dimensions", space.components(), space.mesh().dimension()),
        "prescribe its components")
        .at(origin);
}

}  // namespace

std::vector<NodeNormal> node_normals(const FunctionSpace& space, const Region& facets, double edge_angle) {
  const std::vector<AreaNormal> all = facet_normals(space, facets);
  std::vector<NodeNormal> result;
  for (std::size_t first = 0, last; first < all.size(); first = last) {
    for (last = first + 1; last < all.size() && all[last].node == all[first].node;) ++last;
    add_means(std::span(all).subspan(first, last - first), std::cos(edge_angle), result);
  }
  return result;
}

// Facets between two cells have two outward normals: a displacement of 0 is the same along both.
void require_outer_facets(const Mesh& mesh, const Region& facets, const std::string& origin) {
  if (const Index count = inner_facets(mesh, facets); count > 0)
    throw Error(ErrorKind::unknown_region,
                fmt::format("{} of the {} facets of '{}' lie between two cells", count, facets.size(), facets.name),
                "a displacement along the outward normal would have two directions there",
                "name facets of the boundary, or give a direction")
        .at(origin);
}

LinearEquations normal_support(const FunctionSpace& space, const Region& facets, const Coefficient& value,
                               const std::string& origin) {
  require_displacements(space, origin);
  if (facets.facets.empty())
    throw Error(ErrorKind::region_empty, fmt::format("the region '{}' holds no facets", facets.name),
                "a normal is that of facets", "name a region of facets, or give a direction")
        .at(origin);
  LinearEquations equations{.origin = origin};
  const std::vector<double> values = values_at_nodes(space, facets, value);
  if (std::ranges::any_of(values, [](double each) { return each != 0; }))
    require_outer_facets(space.mesh(), facets, origin);
  for (const NodeNormal& each : node_normals(space, facets))
    add_direction(space, each.node, each.normal, values[static_cast<std::size_t>(each.node)], equations);
  return equations;
}

LinearEquations support_along(const FunctionSpace& space, const Region& region, const Point& direction,
                              const Coefficient& value, const std::string& origin) {
  require_displacements(space, origin);
  const Point along = direction_of(direction);
  if (!(length(along) > 0))
    throw Error(ErrorKind::relation, "the direction of a support has no length", {},
                "give a direction such as [1, 1, 0]")
        .at(origin);
  LinearEquations equations{.origin = origin};
  const std::vector<double> values = values_at_nodes(space, region, value);
  for (const Node node : space.nodes_in(region))
    add_direction(space, node, unit(along), values[static_cast<std::size_t>(node)], equations);
  return equations;
}

LinearEquations cylindrical_support(const FunctionSpace& space, const Region& region, const CylindricalAxes& axes,
                                    CylindricalComponent component, const Coefficient& value,
                                    const std::string& origin) {
  require_displacements(space, origin);
  const Point along = direction_of(axes.axis);
  if (!(length(along) > 0))
    throw Error(ErrorKind::relation, "the axis of a cylindrical support has no length", {},
                "give a direction such as [0, 0, 1]")
        .at(origin);
  const Point axis = unit(along);
  const std::vector<Node> nodes = space.nodes_in(region);
  const auto from_axis = [&](Node node) {
    const Point r = minus(space.point(node), axes.origin);
    return minus(r, scaled(dot(r, axis), axis));
  };
  double radius = 0;
  for (const Node node : nodes) radius = std::max(radius, length(from_axis(node)));
  LinearEquations equations{.origin = origin};
  const std::vector<double> values = values_at_nodes(space, region, value);
  for (const Node node : nodes) {
    const Point r = from_axis(node);
    const double u = values[static_cast<std::size_t>(node)];
    if (component == CylindricalComponent::axial) {
      add_direction(space, node, axis, u, equations);
      continue;
    }
    if (length(r) > 1e-9 * radius) {
      const Point radial = unit(r);
      add_direction(space, node, component == CylindricalComponent::radial ? radial : cross(axis, radial), u,
                    equations);
      continue;
    }
    if (u != 0)
      throw Error(ErrorKind::not_joined,
                  fmt::format("{} lies on the axis, and is to move by {:g} away from it", space.name_of(node), u),
                  "there is no radial direction on the axis", "take the axis out of the region, or give 0")
          .at(origin);
    const Point any = std::abs(axis[0]) < 0.7 ? Point{1, 0, 0} : Point{0, 1, 0};
    const Point across = unit(cross(axis, any));
    add_direction(space, node, across, 0, equations);
    add_direction(space, node, cross(axis, across), 0, equations);
  }
  return equations;
}

}  // namespace ritz
