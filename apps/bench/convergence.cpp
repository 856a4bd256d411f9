// convergence: errors of a known solution on finer and finer meshes of every cell, with elements of every order, for
// diffusion and elasticity, and the orders that a line through them has: p + 1 for the error in L2, p for its gradient
// (Ern and Guermond, Theory and Practice of Finite Elements, 2004, theorem 3.21 and section 3.3). A table in Markdown.
#include "apps/bench/tasks.hpp"
#include "fem/cells/quadrature.hpp"
#include "fem/forms/diffusion.hpp"
#include "fem/forms/elasticity.hpp"
#include "fem/forms/mass.hpp"
#include "fem/static_solution.hpp"
#include "mesh/generators.hpp"
#include "solvers/vectors.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <functional>
#include <map>

namespace ritz {
namespace {

constexpr double lambda = 1.2, mu = 0.8;

// u_c = sin(k_c . x + c + 0.3): waves in directions without symmetry.
struct Waves {
  int dimension, components;
  double k(int c, int d) const {
    static constexpr double directions[3][3] = {{2.1, -1.3, 0.9}, {-0.8, 1.9, 1.4}, {1.2, 0.7, -1.8}};
    return d < dimension ? directions[c][d] : 0;
  }
  double phase(const Point& x, int c) const {
    double sum = c + 0.3;
    for (int d = 0; d < dimension; ++d) sum += k(c, d) * x[static_cast<std::size_t>(d)];
    return sum;
  }
  double value(const Point& x, int c) const { return std::sin(phase(x, c)); }
  double slope(const Point& x, int c, int d) const { return k(c, d) * std::cos(phase(x, c)); }
  // -div of the flux: grad u, or lambda tr(eps) I + 2 mu eps, by hand.
  double source(const Point& x, int c) const {
    double laplacian = 0, grad_div = 0;
    for (int d = 0; d < dimension; ++d) laplacian -= k(c, d) * k(c, d) * value(x, c);
    if (components == 1) return -laplacian;
    for (int d = 0; d < components; ++d) grad_div -= k(d, d) * k(d, c) * value(x, d);
    return -(mu * laplacian + (lambda + mu) * grad_div);
  }
};

FormValue form_for(const Waves& waves) {
  if (waves.components == 1) return waves.dimension == 3 ? FormValue(Diffusion<3>{1}) : FormValue(Diffusion<2>{1});
  return waves.dimension == 3 ? FormValue(Elasticity{lambda, mu}) : FormValue(PlaneElasticity::plane_strain({lambda, mu}, 1));
}
FormValue mass_for(const Waves& waves) {
  if (waves.components == 1) return waves.dimension == 3 ? FormValue(Mass<1, 3>{1}) : FormValue(Mass<1, 2>{1});
  return waves.dimension == 3 ? FormValue(Mass<3, 3>{1}) : FormValue(Mass<2, 2>{1});
}

struct Errors2 {
  double l2 = 0, h1 = 0;   // of values, of gradients
};

// A cell's element and geometry at the points of a fine rule.
struct CellTable {
  QuadratureRule rule;
  std::vector<std::vector<double>> values;             // [point][node]
  std::vector<std::vector<Point>> slopes, geometry;    // [point][node], of the element and of the geometry
  std::vector<std::vector<double>> places;             // [point][geometry node]
};

CellTable table_for(const ReferenceElement& element, CellKind kind, int degree) {
  CellTable t{quadrature(kind, degree), {}, {}, {}, {}};
  for (const Point& xi : t.rule.points) {
    std::vector<double> values(element.nodes.size());
    std::vector<Point> slopes(element.nodes.size());
    element.evaluate(xi, values, slopes);
    t.values.push_back(values);
    t.slopes.push_back(slopes);
    t.places.push_back(shape_values(kind, xi));
    t.geometry.push_back(shape_gradients(kind, xi));
  }
  return t;
}

// Inverse of the Jacobian (rows: reference axes) and its determinant.
double invert(const double (&J)[3][3], int dimension, double (&inverse)[3][3]) {
  if (dimension == 2) {
    const double det = J[0][0] * J[1][1] - J[0][1] * J[1][0];
    inverse[0][0] = J[1][1] / det, inverse[0][1] = -J[0][1] / det, inverse[1][0] = -J[1][0] / det, inverse[1][1] = J[0][0] / det;
    return det;
  }
  double cofactor[3][3];
  for (int i = 0; i < 3; ++i)
    for (int d = 0; d < 3; ++d) {
      const int j = (i + 1) % 3, k = (i + 2) % 3, e = (d + 1) % 3, f = (d + 2) % 3;
      cofactor[d][i] = J[j][e] * J[k][f] - J[j][f] * J[k][e];
    }
  const double det = J[0][0] * cofactor[0][0] + J[1][0] * cofactor[0][1] + J[2][0] * cofactor[0][2];
  for (int d = 0; d < 3; ++d)
    for (int i = 0; i < 3; ++i) inverse[d][i] = cofactor[d][i] / det;
  return det;
}

Errors2 errors_of(const FunctionSpace& space, const std::vector<double>& u, const Waves& waves) {
  const Mesh& mesh = space.mesh();
  const int dimension = waves.dimension, components = waves.components;
  std::map<CellKind, CellTable> tables;
  std::vector<Node> nodes;
  Errors2 errors;
  for (Index cell = 0; cell < mesh.cell_count(); ++cell) {
    const CellKind kind = mesh.kind_of(cell);
    if (!tables.contains(kind)) tables.emplace(kind, table_for(space.element(kind), kind, std::min(2 * space.order() + 3, 19)));
    const CellTable& t = tables.at(kind);
    space.nodes_of(cell, nodes);
    const auto corners = mesh.nodes_of(cell);
    for (std::size_t q = 0; q < t.rule.weights.size(); ++q) {
      Point x{};
      double J[3][3] = {}, inverse[3][3] = {};
      for (std::size_t a = 0; a < corners.size(); ++a)
        for (int i = 0; i < dimension; ++i) {
          const double coordinate = mesh.point(corners[a])[static_cast<std::size_t>(i)];
          x[static_cast<std::size_t>(i)] += t.places[q][a] * coordinate;
          for (int d = 0; d < dimension; ++d) J[i][d] += t.geometry[q][a][static_cast<std::size_t>(d)] * coordinate;
        }
      const double weight = t.rule.weights[q] * invert(J, dimension, inverse);
      for (int c = 0; c < components; ++c) {
        double value = -waves.value(x, c), slope[3];
        for (int i = 0; i < dimension; ++i) slope[i] = -waves.slope(x, c, i);
        for (std::size_t a = 0; a < nodes.size(); ++a) {
          const double at_node = u[static_cast<std::size_t>(nodes[a]) * static_cast<std::size_t>(components) + static_cast<std::size_t>(c)];
          value += t.values[q][a] * at_node;
          for (int i = 0; i < dimension; ++i)
            for (int d = 0; d < dimension; ++d) slope[i] += t.slopes[q][a][static_cast<std::size_t>(d)] * inverse[d][i] * at_node;
        }
        errors.l2 += weight * value * value;
        for (int i = 0; i < dimension; ++i) errors.h1 += weight * slope[i] * slope[i];
      }
    }
  }
  return {std::sqrt(errors.l2), std::sqrt(errors.h1)};
}

std::vector<double> nodal(const FunctionSpace& space, const std::function<double(const Point&, int)>& f) {
  std::vector<double> values;
  for (Node node = 0; node < space.node_count(); ++node)
    for (int c = 0; c < space.components(); ++c) values.push_back(f(space.point(node), c));
  return values;
}

// -div flux(u) = f in the box, u given on its sides. The load is the mass matrix times nodal values of f.
Errors2 solve_on(const Mesh& mesh, const Waves& waves, int order, const Device& device) {
  const FunctionSpace space(mesh, waves.components, device, {.order = order});
  const Operator stiffness(space, {Integral::over_all_cells(form_for(waves))}), mass(space, {Integral::over_all_cells(mass_for(waves))});
  const std::vector<double> f = nodal(space, [&](const Point& x, int c) { return waves.source(x, c); });
  Constraints fixed(space);
  const Region sides{"sides", RegionKind::facets, {}, boundary_facets(mesh), {}};
  for (const Node node : space.nodes_in(sides))
    for (int c = 0; c < waves.components; ++c) fixed.prescribe_nodes({&node, 1}, c, waves.value(space.point(node), c), "the known solution");
  fixed.finish();
  Vector u = space.zeros(), b = space.zeros(), r = space.zeros(), du = space.zeros();
  fixed.set_values(u);
  mass.residual(Vector(device, std::span<const double>(f), "vectors"), b);
  stiffness.residual(u, r);
  axpby(1.0, b, -1.0, r);
  fixed.set_zero(r);
  LinearSolverOptions options{.relative = 1e-12, .promise = MatrixPromise::positive_definite};
  SolveReport report;
  if (mesh.dimension() == 3 && space.order() > 3) {  // large element matrices
    options.operator_kind = OperatorKind::matrix_free;
    report = MatrixFreeSolver(stiffness, fixed, u).solve(r, du, options);
  } else {
    SparseMatrix K = stiffness.make_matrix();
    stiffness.assemble(u, K);
    K.eliminate(fixed.mask(), max_abs(K.diagonal()));
    report = solve_linear(K, r, du, options, {&space.coordinates(), mesh.dimension()});
  }
  if (report.true_relative_residual > 1e-10)
    throw Error(Exit::not_converged, fmt::format("a system of the convergence table stopped at {:.1e}", report.true_relative_residual), report.where);
  axpy(1.0, du, u);
  return errors_of(space, u.host(), waves);
}

// The slope of the line through (log h, log error) that lies nearest in the mean of squares.
double fitted_order(const std::vector<int>& counts, const std::vector<double>& errors) {
  double n = 0, sx = 0, sy = 0, sxx = 0, sxy = 0;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    const double x = -std::log(double(counts[i])), y = std::log(errors[i]);
    n += 1, sx += x, sy += y, sxx += x * x, sxy += x * y;
  }
  return (n * sxy - sx * sy) / (n * sxx - sx * sx);
}

}  // namespace

std::vector<ConvergenceRow> convergence_rows(const Device& device, double size, int highest, const std::function<void(const ConvergenceRow&)>& found) {
  std::vector<ConvergenceRow> rows;
  for (const CellKind kind : {CellKind::tri3, CellKind::quad4, CellKind::tet4, CellKind::hex8, CellKind::prism6, CellKind::pyramid5}) {
    const int dimension = traits(kind).dimension;
    for (const bool elastic : {false, true})
      for (int order = 1; order <= std::min(highest_lagrange_order(kind), highest); ++order) {
        const Waves waves{dimension, elastic ? dimension : 1};
        ConvergenceRow row{std::string(traits(kind).name), elastic ? "elasticity" : "diffusion", order, {}, {}, {}, 0, 0};
        // About as many nodes for every order; the finest error stays above rounding.
        const double nodes = size * (dimension == 2 ? 48 : elastic ? 10 : 14);
        for (const double part : {0.5, 0.75, 1.0}) row.counts.push_back(std::max(1, static_cast<int>(std::lround(part * nodes / order))));
        row.counts.erase(std::unique(row.counts.begin(), row.counts.end()), row.counts.end());
        while (row.counts.size() < 2) row.counts.push_back(row.counts.back() + 1);
        for (const int n : row.counts) {
          const Distortion distortion{.smooth = 0.04};
          const Mesh mesh = dimension == 2 ? rectangle(n, n, {1, 1}, kind, distortion) : box(n, n, n, {1, 1, 1}, kind, distortion);
          const Errors2 errors = solve_on(mesh, waves, order, device);
          row.l2.push_back(errors.l2);
          row.h1.push_back(errors.h1);
        }
        row.l2_order = fitted_order(row.counts, row.l2);
        row.h1_order = fitted_order(row.counts, row.h1);
        if (found) found(row);
        rows.push_back(std::move(row));
      }
  }
  return rows;
}

void run_convergence(const Device& device, const BenchOptions& options) {
  fmt::print("| cell | equations | order p | cells per side | error in L2 | order in L2 | error in H1 | order in H1 |\n|---|---|---|---|---|---|---|---|\n");
  convergence_rows(device, options.size, 8, [](const ConvergenceRow& r) {
    fmt::print("| {} | {} | {} | {} | {:.2e} | {:.2f} | {:.2e} | {:.2f} |\n", r.cell, r.equations, r.order, fmt::join(r.counts, ", "), r.l2.back(), r.l2_order,
               r.h1.back(), r.h1_order);
    std::fflush(stdout);
  });
}

}  // namespace ritz
