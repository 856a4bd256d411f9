#include "apps/bench/known_solution.hpp"

#include "device/error.hpp"
#include "device/function_ref.hpp"
#include "fem/operator/linearisation.hpp"
#include "mesh/quadrature.hpp"
#include "fem/forms/diffusion.hpp"
#include "fem/forms/elasticity.hpp"
#include "fem/forms/mass.hpp"
#include "fem/analysis/static_solution.hpp"
#include "solvers/algebra/vectors.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <functional>
#include <map>

namespace ritz {
namespace {

FormValue form_for(const KnownWaves& waves) {
  if (waves.components == 1) return waves.dimension == 3 ? FormValue(Diffusion<3>{1}) : FormValue(Diffusion<2>{1});
  return waves.dimension == 3 ? FormValue(Elasticity{known_lambda, known_mu})
                              : FormValue(PlaneElasticity::plane_strain({known_lambda, known_mu}, 1));
}
FormValue mass_for(const KnownWaves& waves) {
  if (waves.components == 1) return waves.dimension == 3 ? FormValue(Mass<1, 3>{1}) : FormValue(Mass<1, 2>{1});
  return waves.dimension == 3 ? FormValue(Mass<3, 3>{1}) : FormValue(Mass<2, 2>{1});
}

// A cell's element and geometry at the points of a fine rule.
struct CellTable {
  QuadratureRule rule;
  std::vector<std::vector<double>> values;           // [point][node]
  std::vector<std::vector<Point>> slopes, geometry;  // [point][node], of the element and of the geometry
  std::vector<std::vector<double>> places;           // [point][geometry node]
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
    inverse[0][0] = J[1][1] / det, inverse[0][1] = -J[0][1] / det, inverse[1][0] = -J[1][0] / det,
    inverse[1][1] = J[0][0] / det;
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

NormErrors errors_of(const FunctionSpace& space, const std::vector<double>& u, const KnownWaves& waves) {
  const Mesh& mesh = space.mesh();
  const int dimension = waves.dimension, components = waves.components;
  std::map<CellKind, CellTable> tables;
  std::vector<Node> nodes;
  NormErrors errors;
  for (Index cell = 0; cell < mesh.cell_count(); ++cell) {
    const CellKind kind = mesh.kind_of(cell);
    if (!tables.contains(kind))
      tables.emplace(kind, table_for(space.element(kind), kind, std::min(2 * space.order() + 3, 19)));
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
          const double at_node = u[static_cast<std::size_t>(nodes[a]) * static_cast<std::size_t>(components) +
                                   static_cast<std::size_t>(c)];
          value += t.values[q][a] * at_node;
          for (int i = 0; i < dimension; ++i)
            for (int d = 0; d < dimension; ++d)
              slope[i] += t.slopes[q][a][static_cast<std::size_t>(d)] * inverse[d][i] * at_node;
        }
        errors.l2 += weight * value * value;
        for (int i = 0; i < dimension; ++i) errors.h1 += weight * slope[i] * slope[i];
      }
    }
  }
  return {std::sqrt(errors.l2), std::sqrt(errors.h1)};
}

std::vector<double> nodal(const FunctionSpace& space, FunctionRef<double(const Point&, int)> f) {
  std::vector<double> values;
  for (Node node = 0; node < space.node_count(); ++node)
    for (int c = 0; c < space.components(); ++c) values.push_back(f(space.point(node), c));
  return values;
}

}  // namespace

NormErrors solve_known(const Mesh& mesh, const KnownWaves& waves, int order, const Device& device) {
  const FunctionSpace space(mesh, waves.components, device, {.order = order});
  const Operator stiffness(space, {Integral::over_all_cells(form_for(waves))}),
      mass(space, {Integral::over_all_cells(mass_for(waves))});
  const std::vector<double> f = nodal(space, [&](const Point& x, int c) { return waves.source(x, c); });
  Constraints fixed(space);
  const Region sides{"sides", RegionKind::facets, {}, boundary_facets(mesh), {}};
  for (const Node node : space.nodes_in(sides))
    for (int c = 0; c < waves.components; ++c)
      fixed.prescribe_nodes({&node, 1}, c, waves.value(space.point(node), c), "the known solution");
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
    Linearisation(stiffness, u).assemble_once(K);
    K.eliminate(fixed.mask(), max_abs(K.diagonal()));
    report = solve_linear(K, r, du, options, {&space.coordinates(), mesh.dimension()});
  }
  if (report.true_relative_residual > 1e-10)
    throw Error(ErrorKind::not_converged,
                fmt::format("a system of the convergence table stopped at {:.1e}", report.true_relative_residual),
                report.where);
  axpy(1.0, du, u);
  return errors_of(space, u.host(), waves);
}

}  // namespace ritz
