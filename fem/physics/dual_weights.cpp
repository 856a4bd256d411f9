#include "fem/physics/dual_weights.hpp"

#include "device/parallel_errors.hpp"
#include "mesh/point_algebra.hpp"
#include "mesh/quadrature.hpp"

#include <cmath>
#include <map>

namespace ritz {
namespace {

// A rule of that degree on each of n parts along every axis, so that kinks of the other side's functions weigh less.
QuadratureRule divided_rule(CellKind kind, int degree, int n) {
  const QuadratureRule whole = quadrature(kind, degree);
  QuadratureRule result{degree, {}, {}};
  const auto add = [&](const std::array<double, 3>& corner, double scale, double size) {
    for (std::size_t q = 0; q < whole.points.size(); ++q) {
      std::array<double, 3> x = corner;
      for (std::size_t d = 0; d < 2; ++d) x[d] += scale * whole.points[q][d];
      result.points.push_back(x);
      result.weights.push_back(whole.weights[q] * size);
    }
  };
  for (int i = 0; i < n; ++i) {
    if (kind == CellKind::line2) {
      add({(2.0 * i + 1) / n - 1, 0, 0}, 1.0 / n, 1.0 / n);
      continue;
    }
    for (int j = 0; j < n; ++j) {
      if (kind == CellKind::quad4) add({(2.0 * i + 1) / n - 1, (2.0 * j + 1) / n - 1, 0}, 1.0 / n, 1.0 / (n * n));
      else if (i + j < n) {
        add({double(i) / n, double(j) / n, 0}, 1.0 / n, 1.0 / (n * n));
        if (i + j + 1 < n) add({(i + 1.0) / n, (j + 1.0) / n, 0}, -1.0 / n, 1.0 / (n * n));
      }
    }
  }
  return result;
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

struct Share {
  double size = 0;                // integral of the node's function
  std::map<Node, double> others;  // integrals of psi times functions of the other side
  bool usable = true;
};

// One facet of the side that follows: its part in the shares of its nodes.
struct FacetShares {
  std::vector<Node> nodes;
  std::vector<Share> shares;
};

class DualIntegration {
 public:
  DualIntegration(const FunctionSpace& space, const SurfaceProjection& onto, std::optional<double> tolerance,
                  double share)
      : space_(space), onto_(onto), tolerance_(tolerance), share_(share) {}

  FacetShares over(const FacetOfCell& f) const {
    constexpr int parts = 4;
    const CellMap cell(space_.mesh(), f.cell);
    const FacetMap map(cell, f.facet);
    const FunctionSpace::FacetElement& facet = space_.facet_element(cell.kind(), f.facet);
    const std::size_t n = facet.nodes.size();
    FacetShares result{{}, std::vector<Share>(n)};
    std::vector<Node> cell_nodes;
    space_.nodes_of(f.cell, cell_nodes);
    for (const int a : facet.nodes) result.nodes.push_back(cell_nodes[static_cast<std::size_t>(a)]);
    const QuadratureRule rule = divided_rule(facet.element->shape, 2 * facet.element->order, parts);
    std::vector<double> M(n * n, 0.0), D(n * n, 0.0), values(n), weights(rule.weights);
    std::vector<std::vector<double>> at_points;
    std::vector<Point> slopes(n);
    for (std::size_t q = 0; q < rule.points.size(); ++q) {
      facet.element->evaluate(rule.points[q], values, slopes);
      const std::array<Point, 3> t = map.tangents(rule.points[q]);
      weights[q] *= facet.element->dimension() == 1 ? length(t[0]) : length(cross(t[0], t[1]));
      for (std::size_t a = 0; a < n; ++a) {
        result.shares[a].size += weights[q] * values[a];
        for (std::size_t b = 0; b < n; ++b) M[a * n + b] += weights[q] * values[a] * values[b];
      }
      at_points.push_back(values);
    }
    double area = 0;
    for (const double w : weights) area += w;
    bool usable = true;
    for (std::size_t a = 0; a < n; ++a) {
      D[a * n + a] = result.shares[a].size;
      usable = usable && result.shares[a].size > 1e-3 * area / static_cast<double>(n);
    }
    if (usable) solve_small(M, D, n);  // psi_a = sum_b D[b][a] N_b
    for (std::size_t q = 0; usable && q < rule.points.size(); ++q) {
      const SurfaceProjection::Foot foot = onto_.foot_of(map.at(rule.points[q]));
      usable = foot.place.distance <= tolerance_.value_or(share_ * foot.size);
      const PointWeights other = onto_.weights(foot);
      for (std::size_t a = 0; a < n; ++a) {
        double psi = 0;
        for (std::size_t b = 0; b < n; ++b) psi += D[b * n + a] * at_points[q][b];
        for (std::size_t m = 0; m < other.nodes.size(); ++m)
          result.shares[a].others[other.nodes[m]] += weights[q] * psi * other.weights[m];
      }
    }
    for (Share& each : result.shares) each.usable = usable;
    return result;
  }

 private:
  const FunctionSpace& space_;
  const SurfaceProjection& onto_;
  std::optional<double> tolerance_;
  double share_;
};

}  // namespace

std::vector<NodeWeights> dual_weights(const FunctionSpace& space, const Region& region, const SurfaceProjection& onto,
                                      std::optional<double> tolerance, double share) {
  constexpr double nothing = 1e-12;
  const DualIntegration integration(space, onto, tolerance, share);
  std::vector<FacetShares> facets(region.facets.size());
  ParallelErrors errors;
#pragma omp parallel for schedule(dynamic, 16)
  for (std::size_t i = 0; i < region.facets.size(); ++i)
    errors.run([&] { facets[i] = integration.over(region.facets[i]); });
  errors.rethrow();
  std::map<Node, Share> sums;
  for (const FacetShares& each : facets)
    for (std::size_t a = 0; a < each.nodes.size(); ++a) {
      Share& sum = sums[each.nodes[a]];
      sum.size += each.shares[a].size;
      sum.usable = sum.usable && each.shares[a].usable;
      for (const auto& [node, part] : each.shares[a].others) sum.others[node] += part;
    }
  std::vector<NodeWeights> result;
  for (const auto& [node, sum] : sums) {
    if (!sum.usable) continue;
    NodeWeights weights{node, {}};
    for (const auto& [other, part] : sum.others)
      if (std::abs(part) > nothing * sum.size) {
        weights.at.nodes.push_back(other);
        weights.at.weights.push_back(part / sum.size);
      }
    result.push_back(std::move(weights));
  }
  return result;
}

}  // namespace ritz
