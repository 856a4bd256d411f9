#include "fem/physics/tie.hpp"

#include "fem/physics/dual_weights.hpp"
#include "fem/physics/place.hpp"
#include "fem/physics/surface_projection.hpp"
#include "mesh/point_algebra.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <cmath>
#include <iterator>
#include <map>
#include <numeric>

namespace ritz {
namespace {

constexpr double share_of_facet = 0.05;  // Abaqus has 5 % of the facet, CalculiX 2.5 % of the element

std::vector<int> components_of(const FunctionSpace& space, const TieOptions& options) {
  if (!options.components.empty()) return options.components;
  std::vector<int> all(static_cast<std::size_t>(space.components()));
  std::iota(all.begin(), all.end(), 0);
  return all;
}

// u(node) = field at the foot, with what the rotations of shells and beams add across the gap: theta x lever.
void add_equations(const FunctionSpace& space, Node node, const PointWeights& at, const TieOptions& options,
                   std::span<const int> components, LinearEquations& equations) {
  const auto acts = [&](Node n, int c) {
    return options.acting.empty() ||
           options.acting[static_cast<std::size_t>(n) * static_cast<std::size_t>(space.components()) +
                          static_cast<std::size_t>(c)] != 0;
  };
  const auto is_held = [&](Node n, int c) {
    return !options.held.empty() &&
           options.held[static_cast<std::size_t>(n) * static_cast<std::size_t>(space.components()) +
                        static_cast<std::size_t>(c)] != 0;
  };
  const bool turns = space.components() == 6 && length(at.lever) > 0;
  std::vector<UnknownTerm> row;
  for (const int c : components) {
    if (!acts(node, c) || (options.integrated && is_held(node, c))) continue;
    row.assign({{node, c, 1.0}});
    for (std::size_t a = 0; a < at.nodes.size(); ++a) {
      if (acts(at.nodes[a], c)) row.push_back({at.nodes[a], c, -at.weights[a]});
      if (!turns || c > 2) continue;
      const int j = (c + 1) % 3, k = (c + 2) % 3;  // (theta x r)_c = theta_j r_k - theta_k r_j
      const double r_j = at.lever[static_cast<std::size_t>(j)], r_k = at.lever[static_cast<std::size_t>(k)];
      if (r_k != 0 && acts(at.nodes[a], 3 + j)) row.push_back({at.nodes[a], 3 + j, -at.weights[a] * r_k});
      if (r_j != 0 && acts(at.nodes[a], 3 + k)) row.push_back({at.nodes[a], 3 + k, at.weights[a] * r_j});
    }
    equations.add(row);
  }
}

void require_facets(const FunctionSpace& space, const Region& region, const std::string& origin) {
  if (region.kind == RegionKind::facets && !space.mesh().structural()) return;
  throw Error(Exit::input,
              fmt::format("the region '{}' of a tie by its surface holds no facets of solids{}", region.name,
                          at_origin(origin)),
              "the tie is integrated over them", "name a region of facets, or tie nodes");
}

[[noreturn]] void refuse(const FunctionSpace& space, const Region& region, const Region& onto, const Tie& tie,
                         const std::string& origin) {
  const auto far = tie.distances.begin() + static_cast<std::ptrdiff_t>(tie.tied.size());
  const auto worst = std::ranges::max_element(far, tie.distances.end());
  throw Error(
      Exit::model,
      fmt::format("{} of {} nodes of '{}' lie outside of the tolerance of the tie onto '{}'{}", tie.left.size(),
                  tie.left.size() + tie.tied.size(), region.name, onto.name, at_origin(origin)),
      fmt::format("the farthest is {}, {:.4g} m from '{}'; the tolerance is {:.4g} m",
                  space.name_of(tie.left[static_cast<std::size_t>(worst - far)]), *worst, onto.name, tie.tolerance),
      fmt::format("check the regions and the unit of length; else give a tolerance above {:.3g}, or let far nodes stay "
                  "free",
                  *worst));
}

// Nodes of the other side, and whether a node stands there that follows it alone, or nearly so across a gap, where the
// nodes after the facet take part.
class Matches {
 public:
  void add(const PointWeights& at, double gap) {  // relative to the size of the facet
    for (std::size_t a = 0; a < at.nodes.size(); ++a)
      if (at.weights[a] > 0.25) matched_[at.nodes[a]] |= at.weights[a] > 0.95 - 4 * gap;
  }
  Index count() const { return std::ssize(matched_); }
  Index unmatched() const {
    return std::ranges::count_if(matched_, [](const auto& each) { return !each.second; });
  }

 private:
  std::map<Node, bool> matched_;
};

}  // namespace

Tie tie(const FunctionSpace& space, const Region& region, const Region& onto, const TieOptions& options) {
  const SurfaceProjection surface(space, onto);
  const std::vector<Node> own = space.nodes_in(region), others = space.nodes_in(onto);
  std::vector<Node> nodes;
  std::ranges::set_difference(own, others, std::back_inserter(nodes));
  Tie result{.equations = {.origin = options.origin}};
  result.shared = static_cast<Index>(own.size() - nodes.size());
  std::vector<Point> points;
  for (const Node node : nodes) points.push_back(space.point(node));
  const std::vector<SurfaceProjection::Foot> feet = surface.feet_of(points);
  const std::vector<int> components = components_of(space, options);
  std::vector<NodeWeights> integrated;
  if (options.integrated) {
    require_facets(space, region, options.origin);
    integrated = dual_weights(space, region, surface, options.tolerance, share_of_facet);
  }
  std::vector<double> far;
  Matches matches;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const double distance = feet[i].place.distance;
    const double tolerance = options.tolerance.value_or(share_of_facet * feet[i].size);
    result.tolerance = std::max(result.tolerance, tolerance);
    if (!(distance <= tolerance)) {
      result.left.push_back(nodes[i]);
      far.push_back(distance);
      continue;
    }
    result.tied.push_back(nodes[i]);
    result.distances.push_back(distance);
    result.largest_gap = std::max(result.largest_gap, distance);
    const auto found = std::ranges::lower_bound(integrated, nodes[i], {}, &NodeWeights::node);
    const bool has = found != integrated.end() && found->node == nodes[i];
    result.integrated += has ? 1 : 0;
    const PointWeights at = has ? found->at : surface.weights(feet[i]);
    if (!has) matches.add(at, distance / feet[i].size);
    add_equations(space, nodes[i], at, options, components, result.equations);
  }
  result.others = matches.count();
  result.unmatched = matches.unmatched();
  std::ranges::copy(far, std::back_inserter(result.distances));
  if (!result.left.empty() && (!options.leave_far_nodes || result.tied.empty()))
    refuse(space, region, onto, result, options.origin);
  return result;
}

std::vector<double> tie_distances(const FunctionSpace& space, const Tie& tie) {
  std::vector<double> values(static_cast<std::size_t>(space.node_count()), 0.0);
  for (std::size_t i = 0; i < tie.distances.size(); ++i) {
    const Node node = i < tie.tied.size() ? tie.tied[i] : tie.left[i - tie.tied.size()];
    values[static_cast<std::size_t>(node)] = tie.distances[i];
  }
  return space.to_mesh(values, 1);
}

std::vector<double> tied_nodes(const FunctionSpace& space, const Tie& tie) {
  std::vector<double> values(static_cast<std::size_t>(space.node_count()), 0.0);
  for (const Node node : tie.tied) values[static_cast<std::size_t>(node)] = 1;
  for (const Node node : tie.left) values[static_cast<std::size_t>(node)] = -1;
  return space.to_mesh(values, 1);
}

}  // namespace ritz
