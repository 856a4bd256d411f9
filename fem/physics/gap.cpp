#include "fem/physics/gap.hpp"

#include "device/error.hpp"
#include "mesh/point_algebra.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <vector>

namespace ritz {
namespace {

[[noreturn]] void fail(const GapOptions& options, const std::string& what, const char* why, const char* fix) {
  throw Error(ErrorKind::relation, what, why, fix).at(options.origin);
}

// [node of the region] The nearest node of the other side.
std::vector<Node> partners(const FunctionSpace& space, const std::vector<Node>& nodes, const std::vector<Node>& others,
                           const GapOptions& options) {
  if (nodes.size() != others.size())
    fail(options, fmt::format("a gap between {} and {} nodes", nodes.size(), others.size()),
         "each node has one on the other side", "name regions of as many nodes, one node each at best");
  std::vector<Node> result;
  for (const Node node : nodes) {
    const Point here = space.point(node);
    const auto nearest =
        std::ranges::min_element(others, {}, [&](Node other) { return distance(space.point(other), here); });
    result.push_back(*nearest);
  }
  std::vector<Node> sorted = result;
  std::ranges::sort(sorted);
  if (const auto twice = std::ranges::adjacent_find(sorted); twice != sorted.end())
    fail(options, fmt::format("two nodes of a gap have the same one on the other side, {}", space.name_of(*twice)),
         "each takes the nearest one", "name single nodes, a gap for each pair");
  return result;
}

Point unit(const Point& along, const GapOptions& options) {
  const double size = length(along);
  if (!(size > 0))
    fail(options, "a gap without a direction", "its nodes are at one place, or the direction is zero",
         "give direction, from the region to the other side");
  return {along[0] / size, along[1] / size, along[2] / size};
}

void add_terms(Node node, const Point& n, double sign, int components, std::vector<UnknownTerm>& row) {
  for (int c = 0; c < components; ++c)
    if (const double factor = n[static_cast<std::size_t>(c)]; factor != 0) row.push_back({node, c, sign * factor});
}

}  // namespace

LinearEquations gap(const FunctionSpace& space, const Region& region, const Region* onto, const GapOptions& options) {
  const std::vector<Node> nodes = space.nodes_in(region);
  if (nodes.empty())
    fail(options, fmt::format("a gap of '{}', which has no nodes of the field", region.name), "",
         "name nodes of a body");
  if (onto == nullptr && !options.direction)
    fail(options, fmt::format("a stop of '{}' without a direction", region.name),
         "without 'onto' the other side is the ground", "give direction, from the nodes to the ground");
  const std::vector<Node> others =
      onto == nullptr ? std::vector<Node>{} : partners(space, nodes, space.nodes_in(*onto), options);
  const int moving = std::min(space.components(), space.mesh().dimension());
  LinearEquations rows{.origin = options.origin, .at_most = true};
  std::vector<UnknownTerm> row;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const Point apart = onto == nullptr ? Point{} : minus(space.point(others[i]), space.point(nodes[i]));
    const Point n = unit(options.direction.value_or(apart), options);
    const double open = dot(apart, n);
    if (open < 0 && !options.clearance)
      fail(
          options,
          fmt::format("a direction that leads from {} away from {}", space.name_of(nodes[i]), space.name_of(others[i])),
          "it goes from the region to the other side", "turn it round, or give the clearance where they overlap");
    row.clear();
    add_terms(nodes[i], n, 1, moving, row);
    if (onto != nullptr) add_terms(others[i], n, -1, moving, row);
    if (row.empty())
      fail(options, "a gap across the plane of the model", "its nodes move in the plane", "give a direction in it");
    rows.add(row, options.clearance.value_or(open));
  }
  return rows;
}

}  // namespace ritz
