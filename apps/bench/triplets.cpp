#include "apps/bench/triplets.hpp"

#include "fem/cells/tabulation.hpp"
#include "fem/forms/elasticity.hpp"
#include "mesh/cell_geometry.hpp"

#include <algorithm>

namespace ritz {
namespace {

struct Triplet {
  std::int32_t row, column;
  double value;
};

struct Table {
  std::vector<double> weights;
  std::vector<std::vector<Point>> gradients;  // [point][node]
};

Table make_table(CellKind kind) {
  const QuadratureRule rule = quadrature(kind, stiffness_degree(kind));
  Table table{rule.weights, {}};
  for (const Point& xi : rule.points) table.gradients.push_back(shape_gradients(kind, xi));
  return table;
}

// The gradients in space at one point; returns the Jacobian determinant.
double to_space(std::span<const double> x, const std::vector<Point>& reference, std::vector<Point>& gradients) {
  double J[3][3] = {};
  for (std::size_t a = 0; a < reference.size(); ++a)
    for (std::size_t i = 0; i < 3; ++i)
      for (std::size_t k = 0; k < 3; ++k) J[i][k] += x[3 * a + i] * reference[a][k];
  double adjugate[3][3];
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t k = 0; k < 3; ++k)
      adjugate[k][i] = J[(i + 1) % 3][(k + 1) % 3] * J[(i + 2) % 3][(k + 2) % 3] -
                       J[(i + 1) % 3][(k + 2) % 3] * J[(i + 2) % 3][(k + 1) % 3];
  const double det = J[0][0] * adjugate[0][0] + J[0][1] * adjugate[1][0] + J[0][2] * adjugate[2][0];
  for (std::size_t a = 0; a < reference.size(); ++a)
    for (std::size_t i = 0; i < 3; ++i)
      gradients[a][i] =
          (reference[a][0] * adjugate[0][i] + reference[a][1] * adjugate[1][i] + reference[a][2] * adjugate[2][i]) /
          det;
  return det;
}

// K[(a c)(b d)] of one element.
void element_matrix(std::span<const double> x, const Table& table, std::size_t components, std::vector<Point>& g,
                    std::vector<double>& K) {
  const Lame lame = Lame::from(1000, 0.3);
  const std::size_t n = g.size(), rows = n * components;
  std::fill(K.begin(), K.end(), 0.0);
  for (std::size_t q = 0; q < table.weights.size(); ++q) {
    const double w = to_space(x, table.gradients[q], g) * table.weights[q];
    for (std::size_t a = 0; a < n; ++a)
      for (std::size_t b = 0; b < n; ++b) {
        const double dot = g[a][0] * g[b][0] + g[a][1] * g[b][1] + g[a][2] * g[b][2];
        if (components == 1) {
          K[a * rows + b] += w * dot;
          continue;
        }
        for (std::size_t c = 0; c < 3; ++c)
          for (std::size_t d = 0; d < 3; ++d)
            K[(3 * a + c) * rows + 3 * b + d] +=
                w * (lame.lambda * g[a][c] * g[b][d] + lame.mu * g[a][d] * g[b][c] + (c == d ? lame.mu * dot : 0));
      }
  }
}

TripletMatrix sum_up(std::vector<Triplet>& list, std::size_t row_count) {
  std::sort(list.begin(), list.end(),
            [](const Triplet& a, const Triplet& b) { return a.row != b.row ? a.row < b.row : a.column < b.column; });
  TripletMatrix matrix{std::vector<Index>(row_count + 1, 0), {}, {}};
  for (std::size_t i = 0; i < list.size(); ++i) {
    const bool fresh = i == 0 || list[i].row != list[i - 1].row || list[i].column != list[i - 1].column;
    if (fresh) {
      matrix.columns.push_back(list[i].column);
      matrix.values.push_back(0);
      ++matrix.offsets[static_cast<std::size_t>(list[i].row) + 1];
    }
    matrix.values.back() += list[i].value;
  }
  for (std::size_t r = 0; r < row_count; ++r) matrix.offsets[r + 1] += matrix.offsets[r];
  return matrix;
}

}  // namespace

TripletMatrix assemble_with_triplets(const Problem& problem, const Mesh& mesh, Index cell_count) {
  const auto components = static_cast<std::size_t>(problem.components);
  const auto n = static_cast<std::size_t>(traits(problem.kind).node_count), rows = n * components;
  const Table table = make_table(problem.kind);
  std::vector<Triplet> list;
  list.reserve(static_cast<std::size_t>(cell_count) * rows * rows);
  std::vector<double> x(3 * n), K(rows * rows);
  std::vector<Point> gradients(n);
  for (Index cell = 0; cell < cell_count; ++cell) {
    const auto nodes = mesh.nodes_of(cell);
    for (std::size_t a = 0; a < n; ++a) std::copy_n(mesh.point(nodes[a]).begin(), 3, &x[3 * a]);
    element_matrix(x, table, components, gradients, K);
    for (std::size_t i = 0; i < rows; ++i)
      for (std::size_t j = 0; j < rows; ++j) {
        const auto unknown = [&](std::size_t k) {
          return nodes[k / components] * static_cast<Node>(components) + static_cast<Node>(k % components);
        };
        list.push_back({unknown(i), unknown(j), K[i * rows + j]});
      }
  }
  return sum_up(list, static_cast<std::size_t>(mesh.node_count()) * components);
}

}  // namespace ritz
