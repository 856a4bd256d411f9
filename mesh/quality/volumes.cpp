// Integrals over cells and facets, with the quadrature that is exact for them.
#include "mesh/quality/quality.hpp"

#include "mesh/curved_cells.hpp"
#include "mesh/point_algebra.hpp"
#include "mesh/quadrature.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace ritz {
namespace {

struct Tabulated {  // shape functions and gradients at the points of the geometry rule
  std::vector<double> weights;
  std::vector<std::vector<double>> values;
  std::vector<std::vector<Point>> gradients;
};

Tabulated tabulate(CellKind kind) {
  Tabulated table;
  for (const QuadraturePoint& q : geometry_rule(kind)) {
    table.weights.push_back(q.weight);
    table.values.push_back(shape_values(kind, q.xi));
    table.gradients.push_back(shape_gradients(kind, q.xi));
  }
  return table;
}

// Tabulates cells with a map of their own: exact as above.
Tabulated tabulate(const LagrangePolynomials& functions) {
  Tabulated table;
  const QuadratureRule rule = quadrature(functions.shape(), 3 * functions.order());
  table.weights = rule.weights;
  const std::size_t n = functions.nodes().size();
  for (const Point& xi : rule.points) {
    table.values.emplace_back(n);
    table.gradients.emplace_back(n);
    functions.evaluate(xi, table.values.back(), table.gradients.back());
  }
  return table;
}

const Tabulated& table_of(CellKind kind) {
  static const std::vector<Tabulated> all = [] {
    std::vector<Tabulated> list;
    for (const CellKind k : all_cell_kinds()) list.push_back(tabulate(k));
    return list;
  }();
  return all[static_cast<std::size_t>(kind)];
}

using Columns = std::array<Point, 3>;  // of the Jacobian: [reference axis][coordinate]

Columns jacobian(std::span<const Point> x, const std::vector<Point>& gradients) {
  Columns J{};
  for (std::size_t i = 0; i < x.size(); ++i)
    for (std::size_t a = 0; a < 3; ++a)
      for (std::size_t k = 0; k < 3; ++k) J[a][k] += gradients[i][a] * x[i][k];
  return J;
}

Point position(std::span<const Point> x, const std::vector<double>& values) {
  Point p{};
  for (std::size_t i = 0; i < x.size(); ++i)
    for (std::size_t k = 0; k < 3; ++k) p[k] += values[i] * x[i][k];
  return p;
}

std::span<const Point> gather(const Mesh& mesh, std::span<const Node> nodes, std::array<Point, 27>& x) {
  for (std::size_t i = 0; i < nodes.size(); ++i) std::ranges::copy(mesh.point(nodes[i]), x[i].begin());
  return std::span(x).first(nodes.size());
}

double volume_factor(const Columns& J, int dimension, bool in_space = false) {
  if (dimension == 1) return std::sqrt(dot(J[0], J[0]));
  if (dimension == 2 && in_space) return length(cross(J[0], J[1]));
  if (dimension == 2) return J[0][0] * J[1][1] - J[0][1] * J[1][0];
  return dot(J[0], cross(J[1], J[2]));
}

// Calls f(cell, points of its map, table) for all cells, in parallel.
template <class F>
void for_each_cell(const Mesh& mesh, F f) {
  for (const CellBlock& block : mesh.blocks()) {
    const Tabulated& table = table_of(block.kind);
    const Tabulated own = block.curved.empty() ? Tabulated() : tabulate(*block.curved.functions);
    const Index count = block.cell_count();
#pragma omp parallel for schedule(static)
    for (Index c = 0; c < count; ++c) {
      std::array<Point, 27> x;
      const std::span<const Point> curved = block.curved.of(c);
      if (curved.empty()) f(block.first_cell + c, gather(mesh, block.cell(c), x), table);
      else f(block.first_cell + c, curved, own);
    }
  }
}

}  // namespace

double BoundingBox::diagonal() const {
  const Point d = {high[0] - low[0], high[1] - low[1], high[2] - low[2]};
  return std::sqrt(dot(d, d));
}

BoundingBox bounding_box(const Mesh& mesh) {
  constexpr double infinite = std::numeric_limits<double>::infinity();
  BoundingBox box{{infinite, infinite, infinite}, {-infinite, -infinite, -infinite}};
  auto orphan = mesh.orphan_nodes().begin();
  for (Index node = 0; node < mesh.node_count(); ++node) {
    if (orphan != mesh.orphan_nodes().end() && *orphan == node) {
      ++orphan;
      continue;
    }
    for (std::size_t k = 0; k < 3; ++k) {
      box.low[k] = std::min(box.low[k], mesh.point(node)[k]);
      box.high[k] = std::max(box.high[k], mesh.point(node)[k]);
    }
  }
  return box;
}

std::vector<double> cell_volumes(const Mesh& mesh) {
  std::vector<double> volumes(static_cast<std::size_t>(mesh.cell_count()));
  for_each_cell(mesh, [&](Index cell, std::span<const Point> x, const Tabulated& table) {
    const int dimension = mesh.structural() ? traits(mesh.kind_of(cell)).dimension : mesh.dimension();
    const bool constant = std::ssize(x) == dimension + 1;
    double volume = 0;
    for (std::size_t q = 0; q < table.weights.size(); ++q) {
      if (constant && q > 0) break;
      const double weight = !constant ? table.weights[q] : dimension == 3 ? 1.0 / 6 : dimension == 2 ? 0.5 : 2.0;
      volume += weight * volume_factor(jacobian(x, table.gradients[q]), dimension, mesh.structural());
    }
    volumes[static_cast<std::size_t>(cell)] = volume;
  });
  return volumes;
}

double total_volume(const Mesh& mesh) {
  double sum = 0, lost = 0;  // Kahan's compensated sum: no digits go in millions of cells
  for (const double volume : cell_volumes(mesh)) {
    const double term = volume - lost, next = sum + term;
    lost = (next - sum) - term;
    sum = next;
  }
  return sum;
}

Point centroid(const Mesh& mesh) {
  std::vector<std::array<double, 4>> parts(static_cast<std::size_t>(mesh.cell_count()));
  for_each_cell(mesh, [&](Index cell, std::span<const Point> x, const Tabulated& table) {
    auto& part = parts[static_cast<std::size_t>(cell)];
    for (std::size_t q = 0; q < table.weights.size(); ++q) {
      const double dV = table.weights[q] * volume_factor(jacobian(x, table.gradients[q]), mesh.dimension());
      const Point at = position(x, table.values[q]);
      for (std::size_t k = 0; k < 3; ++k) part[k] += at[k] * dV;
      part[3] += dV;
    }
  });
  std::array<double, 4> sum{};
  for (const auto& part : parts)
    for (std::size_t k = 0; k < 4; ++k) sum[k] += part[k];
  return {sum[0] / sum[3], sum[1] / sum[3], sum[2] / sum[3]};
}

FacetIntegrals integrate(const Mesh& mesh, FacetOfCell facet) {
  if (mesh.dimension() == 1)
    throw Error(ErrorKind::region_empty, "facets of bars have no area", "they are points", "use cross sections");
  FacetIntegrals result{};
  const auto add = [&](double weight, const Columns& J, const Point& x) {
    const Point normal = mesh.dimension() == 3 ? cross(J[0], J[1]) : Point{J[0][1], -J[0][0], 0};
    for (std::size_t k = 0; k < 3; ++k) result.area_vector[k] += weight * normal[k];
    result.area += weight * std::sqrt(dot(normal, normal));
    result.x_dot_n += weight * dot(x, normal);
  };
  const CellKind kind = traits(mesh.kind_of(facet.cell)).facets[static_cast<std::size_t>(facet.facet)].kind;
  const CellMap cell(mesh, facet.cell);
  if (cell.functions() != nullptr) {
    const FacetMap map(cell, facet.facet);
    const QuadratureRule rule = quadrature(kind, 3 * cell.functions()->order());
    for (std::size_t q = 0; q < rule.points.size(); ++q)
      add(rule.weights[q], map.tangents(rule.points[q]), map.at(rule.points[q]));
    return result;
  }
  const Tabulated& table = table_of(kind);
  std::array<Point, 27> points;
  const std::span<const Point> x = gather(mesh, mesh.nodes_of(facet), points);
  for (std::size_t q = 0; q < table.weights.size(); ++q)
    add(table.weights[q], jacobian(x, table.gradients[q]), position(x, table.values[q]));
  return result;
}

double area(const Mesh& mesh, const Region& facets) {
  if (facets.kind != RegionKind::facets)
    throw Error(ErrorKind::region_empty,
                fmt::format("the area of region '{}' was asked for, but it holds no facets", facets.name),
                "only surfaces have one", "name a region of facets");
  double sum = 0;
  for (const FacetOfCell& facet : facets.facets) sum += integrate(mesh, facet).area;
  return sum;
}

}  // namespace ritz
