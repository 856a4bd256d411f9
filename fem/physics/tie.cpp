#include "fem/physics/tie.hpp"

#include "fem/physics/mortar.hpp"
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

// Which unknowns the equations may have, and which of them get one.
class Unknowns {
 public:
  Unknowns(const FunctionSpace& space, const TieOptions& options) : space_(space), options_(options) {}
  bool acts(Node node, int component) const {
    return options_.acting.empty() || flag(options_.acting, node, component);
  }
  bool may_follow(Node node, int component) const {
    const bool is_held = options_.integrated && !options_.held.empty() && flag(options_.held, node, component);
    return acts(node, component) && !is_held;
  }

 private:
  bool flag(const std::vector<std::uint8_t>& flags, Node node, int component) const {
    return flags[static_cast<std::size_t>(Index{node} * space_.components() + component)] != 0;
  }
  const FunctionSpace& space_;
  const TieOptions& options_;
};

// u(node) = field at the foot, with what the rotations of shells and beams add across the gap: theta x lever.
void add_equations(const FunctionSpace& space, Node node, const PointWeights& at, const Unknowns& unknowns,
                   std::span<const int> components, LinearEquations& equations) {
  const bool turns = space.components() == 6 && length(at.lever) > 0;
  std::vector<UnknownTerm> row;
  for (const int c : components) {
    if (!unknowns.may_follow(node, c)) continue;
    row.assign({{node, c, 1.0}});
    for (std::size_t a = 0; a < at.nodes.size(); ++a) {
      if (unknowns.acts(at.nodes[a], c)) row.push_back({at.nodes[a], c, -at.weights[a]});
      if (!turns || c > 2) continue;
      const int j = (c + 1) % 3, k = (c + 2) % 3;  // (theta x r)_c = theta_j r_k - theta_k r_j
      const double r_j = at.lever[static_cast<std::size_t>(j)], r_k = at.lever[static_cast<std::size_t>(k)];
      if (r_k != 0 && unknowns.acts(at.nodes[a], 3 + j)) row.push_back({at.nodes[a], 3 + j, -at.weights[a] * r_k});
      if (r_j != 0 && unknowns.acts(at.nodes[a], 3 + k)) row.push_back({at.nodes[a], 3 + k, at.weights[a] * r_j});
    }
    equations.add(row);
  }
}

// Equations from the rows of mortars. A node gets none where its unknown is prescribed, where it is not tied, or where
// it has no dual. Its row is then added to those of its neighbours in equal parts. So their functions still sum to one,
// and constant tractions pass on.
class MortarEquations {
 public:
  MortarEquations(std::vector<MortarRow> rows, const std::vector<Node>& tied, const Unknowns& unknowns)
      : rows_(std::move(rows)), tied_(tied), unknowns_(unknowns) {}

  bool has_row(Node node) const { return find(node) != nullptr; }
  bool has_dual(Node node) const { return has_row(node) && find(node)->has_dual; }

  void add(Node node, int component, LinearEquations& equations) const {
    if (!gets(node, component)) return;
    const MortarRow& row = *find(node);
    Sum sum;
    add(row, component, 1, sum);
    for (const Node neighbour : row.neighbours) {
      if (gets(neighbour, component) || !unknowns_.acts(neighbour, component)) continue;
      const MortarRow& other = *find(neighbour);
      const auto takers = std::ranges::count_if(other.neighbours, [&](Node n) { return gets(n, component); });
      add(other, component, 1 / static_cast<double>(takers), sum);
    }
    constexpr double nothing = 1e-12;
    const std::pair own{node, component};
    const double scale = 1 / sum.at(own);
    std::vector<UnknownTerm> terms = {{node, component, 1.0}};
    for (const auto& [unknown, factor] : sum)
      if (unknown != own && std::abs(factor * scale) > nothing)
        terms.push_back({unknown.first, unknown.second, factor * scale});
    equations.add(terms);
  }

 private:
  using Sum = std::map<std::pair<Node, int>, double>;

  const MortarRow* find(Node node) const {
    const auto found = std::ranges::lower_bound(rows_, node, {}, &MortarRow::node);
    return found != rows_.end() && found->node == node ? &*found : nullptr;
  }
  bool gets(Node node, int component) const {
    return has_dual(node) && std::ranges::binary_search(tied_, node) && unknowns_.may_follow(node, component);
  }
  void add(const MortarRow& row, int component, double factor, Sum& sum) const {
    const auto add_term = [&](Node node, int c, double value) {
      if (value != 0 && unknowns_.acts(node, c)) sum[{node, c}] += factor * value;
    };
    for (const auto& [node, value] : row.own) add_term(node, component, value);
    for (const MortarTerm& each : row.others) {
      add_term(each.node, component, -each.factor);
      for (int c = 0; c < 3; ++c)
        add_term(each.node, c, -each.turn[static_cast<std::size_t>(c)][static_cast<std::size_t>(component)]);
    }
  }

  std::vector<MortarRow> rows_;
  const std::vector<Node>& tied_;
  const Unknowns& unknowns_;
};

void require_facets(const FunctionSpace& space, const Region& region, const std::string& origin) {
  if (region.kind == RegionKind::facets && !space.mesh().structural()) return;
  throw Error(ErrorKind::relation,
              fmt::format("the region '{}' of a tie by its surface holds no facets of solids", region.name),
              "the tie is integrated over them", "name a region of facets, or tie nodes")
      .at(origin);
}

[[noreturn]] void refuse(const FunctionSpace& space, const Region& region, const Region& onto, const Tie& tie,
                         const std::string& origin) {
  const auto far = tie.distances.begin() + static_cast<std::ptrdiff_t>(tie.tied.size());
  const auto worst = std::ranges::max_element(far, tie.distances.end());
  throw Error(
      ErrorKind::not_joined,
      fmt::format("{} of {} nodes of '{}' lie outside of the tolerance of the tie onto '{}'", tie.left.size(),
                  tie.left.size() + tie.tied.size(), region.name, onto.name),
      fmt::format("the farthest is {}, {:.4g} m from '{}'; the tolerance is {:.4g} m",
                  space.name_of(tie.left[static_cast<std::size_t>(worst - far)]), *worst, onto.name, tie.tolerance),
      fmt::format("check the regions and the unit of length; else give a tolerance above {:.3g}, or let far nodes stay "
                  "free",
                  *worst))
      .at(origin);
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

// Nodes within the tolerance, with their feet, and nodes beyond it.
std::vector<SurfaceProjection::Foot> sort_nodes(const FunctionSpace& space, const Region& region, const Region& onto,
                                                const SurfaceProjection& surface, const TieOptions& options, Tie& tie) {
  const std::vector<Node> own = space.nodes_in(region), others = space.nodes_in(onto);
  std::vector<Node> nodes;
  std::ranges::set_difference(own, others, std::back_inserter(nodes));
  tie.shared = static_cast<Index>(own.size() - nodes.size());
  std::vector<Point> points;
  for (const Node node : nodes) points.push_back(space.point(node));
  const std::vector<SurfaceProjection::Foot> feet = surface.feet_of(points);
  std::vector<SurfaceProjection::Foot> tied;
  std::vector<double> far;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const double distance = feet[i].place.distance;
    const double tolerance = options.tolerance.value_or(share_of_facet * feet[i].size);
    tie.tolerance = std::max(tie.tolerance, tolerance);
    const bool is_near = distance <= tolerance;
    (is_near ? tie.tied : tie.left).push_back(nodes[i]);
    (is_near ? tie.distances : far).push_back(distance);
    if (!is_near) continue;
    tied.push_back(feet[i]);
    tie.largest_gap = std::max(tie.largest_gap, distance);
  }
  std::ranges::copy(far, std::back_inserter(tie.distances));
  return tied;
}

// Over the facets that have a tied node.
std::vector<MortarRow> rows_over(const FunctionSpace& space, const Region& region, const SurfaceProjection& surface,
                                 const Tie& tie, const TieOptions& options) {
  if (!options.integrated) return {};
  require_facets(space, region, options.origin);
  std::vector<FacetOfCell> facets;
  std::vector<Node> nodes;
  for (const FacetOfCell& each : region.facets) {
    space.nodes_of(each.cell, nodes);
    const auto is_tied = [&](int a) {
      return std::ranges::binary_search(tie.tied, nodes[static_cast<std::size_t>(a)]);
    };
    if (std::ranges::any_of(space.facet_element(space.mesh().kind_of(each.cell), each.facet).nodes, is_tied))
      facets.push_back(each);
  }
  const bool rotates = options.displacements && space.components() == space.mesh().dimension();
  return mortar_rows(space, facets, surface.facets(),
                     {.reach = tie.largest_gap, .rotates = rotates, .of_revolution = options.of_revolution});
}

}  // namespace

Tie tie(const FunctionSpace& space, const Region& region, const Region& onto, const TieOptions& options) {
  const SurfaceProjection surface(space, onto);
  Tie result{.equations = {.origin = options.origin}};
  const std::vector<SurfaceProjection::Foot> feet = sort_nodes(space, region, onto, surface, options, result);
  if (!result.left.empty() && (!options.leave_far_nodes || result.tied.empty()))
    refuse(space, region, onto, result, options.origin);
  const Unknowns unknowns(space, options);
  const MortarEquations mortar(rows_over(space, region, surface, result, options), result.tied, unknowns);
  const std::vector<int> components = components_of(space, options);
  Matches matches;
  for (std::size_t i = 0; i < feet.size(); ++i) {
    const Node node = result.tied[i];
    result.integrated += mortar.has_row(node) ? 1 : 0;
    if (mortar.has_dual(node)) {
      for (const int c : components) mortar.add(node, c, result.equations);
      continue;
    }
    const PointWeights at = surface.weights(feet[i]);
    if (!mortar.has_row(node)) matches.add(at, feet[i].place.distance / feet[i].size);
    add_equations(space, node, at, unknowns, components, result.equations);
  }
  result.others = matches.count();
  result.unmatched = matches.unmatched();
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
