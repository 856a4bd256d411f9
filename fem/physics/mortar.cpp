#include "fem/physics/mortar.hpp"

#include "device/parallel_errors.hpp"
#include "mesh/point_algebra.hpp"
#include "mesh/search/cell_search.hpp"
#include "mesh/search/facet_pairs.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <set>
#include <span>

namespace ritz {
namespace {

struct FacetFunctions {
  const ReferenceElement* element;
  std::vector<Node> nodes;
  int degree() const { return element->order * (element->shape == CellKind::quad4 ? 2 : 1); }
};

FacetFunctions functions_on(const FunctionSpace& space, const FacetOfCell& f) {
  const CellKind kind = space.mesh().kind_of(f.cell);
  std::vector<Node> of_cell;
  space.nodes_of(f.cell, of_cell);
  if (f.facet < 0) return {&space.element(kind), of_cell};
  const FunctionSpace::FacetElement& facet = space.facet_element(kind, f.facet);
  FacetFunctions result{facet.element, {}};
  for (const int a : facet.nodes) result.nodes.push_back(of_cell[static_cast<std::size_t>(a)]);
  return result;
}

int highest_degree(const FunctionSpace& space, std::span<const FacetOfCell> facets) {
  int degree = 1;
  for (const FacetOfCell& each : facets) degree = std::max(degree, functions_on(space, each).degree());
  return degree;
}

// The integral of a corner's function over a facet of 6 or 8 nodes is not positive, so it has no dual function. Each
// corner takes this part of the functions on its edges (Popp, Wohlmuth, Gee and Wall, SIAM J. Sci. Comput. 34 (2012)
// B421). The functions span the same space: the value in the middle of an edge is that of its function times 1 less
// two parts, and a part of those of its ends.
constexpr double part_of_edge = 0.2;

using EdgeEnds = std::array<int, 2>;  // of the edge in whose middle a node lies; -1: it shares no function

// [node]
std::vector<EdgeEnds> edges_that_share(const ReferenceElement& facet) {
  const std::span<const Point> corners = reference_nodes(facet.shape);
  std::vector<EdgeEnds> ends(facet.nodes.size(), {-1, -1});
  const auto node_at = [&](const Point& x) {
    const auto found = std::ranges::find_if(facet.nodes, [&](const Point& node) { return distance(node, x) < 1e-12; });
    return static_cast<int>(found - facet.nodes.begin());
  };
  for (std::size_t i = 0; i < corners.size(); ++i) {
    const Point &a = corners[i], &b = corners[(i + 1) % corners.size()];
    const Point middle{0.5 * (a[0] + b[0]), 0.5 * (a[1] + b[1]), 0};
    ends.at(static_cast<std::size_t>(node_at(middle))) = {node_at(a), node_at(b)};
  }
  return ends;
}

void share_with_corners(const std::vector<EdgeEnds>& ends, std::vector<double>& values) {
  for (std::size_t e = 0; e < ends.size(); ++e) {
    if (ends[e][0] < 0) continue;
    for (const int corner : ends[e]) values[static_cast<std::size_t>(corner)] += part_of_edge * values[e];
    values[e] *= 1 - 2 * part_of_edge;
  }
}

bool has_few_nodes(const ReferenceElement& facet) {
  return facet.order == 2 && facet.dimension() == 2 && facet.nodes.size() == 2 * reference_nodes(facet.shape).size();
}

// x = M^-1 b of a symmetric positive matrix [row][column], both overwritten; b [row][right-hand side].
void solve_small(std::vector<double>& M, std::vector<double>& b, std::size_t n) {
  for (std::size_t k = 0; k < n; ++k)
    for (std::size_t i = 0; i < n; ++i) {
      if (i == k) continue;
      const double factor = M[i * n + k] / M[k * n + k];
      for (std::size_t j = k; j < n; ++j) M[i * n + j] -= factor * M[k * n + j];
      for (std::size_t j = 0; j < n; ++j) b[i * n + j] -= factor * b[k * n + j];
    }
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j) b[i * n + j] /= M[i * n + i];
}

// A function of the other side at a point, and what rotations add across the gap.
struct OtherFunction {
  double value = 0;
  std::array<Point, 3> turn{};
  void add(double factor, const OtherFunction& other) {
    value += factor * other.value;
    for (std::size_t i = 0; i < 3; ++i)
      for (std::size_t j = 0; j < 3; ++j) turn[i][j] += factor * other.turn[i][j];
  }
};

// The functions of a facet of the other side, continued from its surface to the end of the gap: along the surface with
// their gradient g; along the normal by the rotation of the surface, (theta x r)_j = -sum_i g_j r_i u_i.
class ContinuedFunctions {
 public:
  ContinuedFunctions(FacetFunctions functions, bool rotates)
      : functions_(std::move(functions)),
        rotates_(rotates),
        values_(functions_.nodes.size()),
        slopes_(functions_.nodes.size()),
        result_(functions_.nodes.size()) {}
  const std::vector<Node>& nodes() const { return functions_.nodes; }

  const std::vector<OtherFunction>& at(const PairPoint& p) {
    const int dimension = functions_.element->dimension();
    functions_.element->evaluate(p.other, values_, slopes_);
    const Point along = step_towards(p.gap, p.tangents, dimension);
    Point across = p.gap;
    for (std::size_t k = 0; k < static_cast<std::size_t>(dimension); ++k)
      for (std::size_t d = 0; d < 3; ++d) across[d] -= along[k] * p.tangents[k][d];
    for (std::size_t m = 0; m < values_.size(); ++m) {
      result_[m].value = values_[m] + dot(slopes_[m], along);
      for (std::size_t j = 0; j < 3 && rotates_; ++j) {
        Point axis{};
        axis[j] = 1;
        const double g = dot(slopes_[m], step_towards(axis, p.tangents, dimension));
        for (std::size_t i = 0; i < 3; ++i) result_[m].turn[i][j] = -g * across[i];
      }
    }
    return result_;
  }

 private:
  FacetFunctions functions_;
  bool rotates_;
  std::vector<double> values_;
  std::vector<Point> slopes_;
  std::vector<OtherFunction> result_;
};

using OtherIntegrals = std::map<Node, OtherFunction>;

// Integrals over one own facet, for each of its functions.
struct FacetIntegrals {
  std::vector<Node> nodes;  // none: the facet takes no part
  std::vector<EdgeEnds> ends;
  std::vector<double> sizes;           // of the function
  std::vector<OtherIntegrals> others;  // of the dual function times functions of the other side
};

class MortarIntegration {
 public:
  MortarIntegration(const FunctionSpace& space, std::span<const FacetOfCell> facets, const NearestFacet& onto,
                    const MortarOptions& options)
      : space_(space),
        onto_(onto),
        options_(options),
        shares_(
            std::ranges::any_of(facets, [&](const auto& f) { return has_few_nodes(*functions_on(space, f).element); })),
        pairs_(space.mesh(), onto, degree_of(facets, onto)) {}

  FacetIntegrals over(const FacetOfCell& facet) const {
    constexpr double least_share = 0.5, bend = 0.2;  // of its area, and of its size
    const FacetCover cover = pairs_.of(facet, options_.reach + bend * onto_.size_of(facet));
    if (cover.share < least_share) return {};
    const FacetFunctions own = functions_on(space_, facet);
    const std::size_t n = own.nodes.size();
    FacetIntegrals result{own.nodes, std::vector<EdgeEnds>(n, {-1, -1}), std::vector<double>(n, 0.0), {}};
    if (shares_ && own.element->order == 2) result.ends = edges_that_share(*own.element);
    std::vector<double> M(n * n, 0.0), values(n);  // integrals of N_a N_b
    std::vector<Point> slopes(n);
    std::vector<OtherIntegrals> others(n);  // of N_a times functions of the other side
    for (const FacetPair& pair : cover.pairs) {
      ContinuedFunctions other(functions_on(space_, pair.other), options_.rotates);
      std::vector<OtherFunction> sums(n * other.nodes().size());
      for (const PairPoint& p : pair.points) {
        const double weight = options_.of_revolution ? p.weight * p.at[0] : p.weight;
        own.element->evaluate(p.own, values, slopes);
        share_with_corners(result.ends, values);
        const std::vector<OtherFunction>& there = other.at(p);
        for (std::size_t a = 0; a < n; ++a) {
          result.sizes[a] += weight * values[a];
          for (std::size_t b = 0; b < n; ++b) M[a * n + b] += weight * values[a] * values[b];
          for (std::size_t m = 0; m < there.size(); ++m) sums[a * there.size() + m].add(weight * values[a], there[m]);
        }
      }
      for (std::size_t a = 0; a < n; ++a)
        for (std::size_t m = 0; m < other.nodes().size(); ++m)
          others[a][other.nodes()[m]].add(1, sums[a * other.nodes().size() + m]);
    }
    return with_dual_functions(std::move(result), std::move(M), others);
  }

 private:
  // Products of two own functions, or of an own one and another one.
  int degree_of(std::span<const FacetOfCell> facets, const NearestFacet& onto) const {
    const int own = highest_degree(space_, facets);
    return own + std::max(own, highest_degree(space_, onto.facets())) + (options_.of_revolution ? 1 : 0);
  }

  // psi_a = sum_b D[b][a] N_b
  static FacetIntegrals with_dual_functions(FacetIntegrals result, std::vector<double> M,
                                            const std::vector<OtherIntegrals>& others) {
    const std::size_t n = result.nodes.size();
    std::vector<double> D(n * n, 0.0);
    for (std::size_t a = 0; a < n; ++a) D[a * n + a] = result.sizes[a];
    solve_small(M, D, n);
    result.others.resize(n);
    for (std::size_t a = 0; a < n; ++a)
      for (std::size_t b = 0; b < n; ++b)
        for (const auto& [node, integral] : others[b]) result.others[a][node].add(D[b * n + a], integral);
    return result;
  }

  const FunctionSpace& space_;
  const NearestFacet& onto_;
  MortarOptions options_;
  bool shares_;  // do corners take part of the functions on edges?
  FacetPairs pairs_;
};

// Sums over the facets of a node.
struct NodeIntegrals {
  double size = 0, mean = 0;  // integrals of its function, and of the mean of all functions
  OtherIntegrals others;
  std::array<Node, 2> ends = {-1, -1};
  std::set<Node> neighbours;
};

double largest_turn(const OtherFunction& function) {
  double largest = 0;
  for (const Point& each : function.turn)
    for (const double turn : each) largest = std::max(largest, std::abs(turn));
  return largest;
}

MortarRow row_of(Node node, const NodeIntegrals& sum) {
  constexpr double nothing = 1e-13, no_gap = 1e-6, least_size = 1e-2;  // relative to the mean
  MortarRow row{node, sum.size > least_size * sum.mean, {}, {}, {sum.neighbours.begin(), sum.neighbours.end()}};
  const double own = sum.ends[0] < 0 ? sum.size : sum.size / (1 - 2 * part_of_edge);
  row.own.emplace_back(node, own);
  if (sum.ends[0] >= 0)
    for (const Node corner : sum.ends) row.own.emplace_back(corner, -part_of_edge * own);
  const bool turns =
      std::ranges::any_of(sum.others, [&](const auto& each) { return largest_turn(each.second) > no_gap * sum.mean; });
  for (const auto& [other, integral] : sum.others) {
    MortarTerm term{other, integral.value};
    if (turns) term.turn = integral.turn;
    if (std::max(std::abs(integral.value), turns ? largest_turn(integral) : 0) > nothing * sum.mean)
      row.others.push_back(term);
  }
  return row;
}

}  // namespace

std::vector<MortarRow> mortar_rows(const FunctionSpace& space, std::span<const FacetOfCell> facets,
                                   const NearestFacet& onto, const MortarOptions& options) {
  const MortarIntegration integration(space, facets, onto, options);
  std::vector<FacetIntegrals> integrals(facets.size());
  ParallelErrors errors;
#pragma omp parallel for schedule(dynamic, 16)
  for (std::size_t i = 0; i < facets.size(); ++i) errors.run([&] { integrals[i] = integration.over(facets[i]); });
  errors.rethrow();
  std::map<Node, NodeIntegrals> sums;
  for (const FacetIntegrals& each : integrals)
    for (std::size_t a = 0; a < each.nodes.size(); ++a) {
      NodeIntegrals& sum = sums[each.nodes[a]];
      sum.size += each.sizes[a];
      sum.mean += std::accumulate(each.sizes.begin(), each.sizes.end(), 0.0) / static_cast<double>(each.nodes.size());
      for (const auto& [node, integral] : each.others[a]) sum.others[node].add(1, integral);
      for (const Node other : each.nodes)
        if (other != each.nodes[a]) sum.neighbours.insert(other);
      if (each.ends[a][0] >= 0)
        sum.ends = {each.nodes[static_cast<std::size_t>(each.ends[a][0])],
                    each.nodes[static_cast<std::size_t>(each.ends[a][1])]};
    }
  std::vector<MortarRow> rows;
  for (const auto& [node, sum] : sums) rows.push_back(row_of(node, sum));
  return rows;
}

}  // namespace ritz
