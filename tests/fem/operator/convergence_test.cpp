// L5: the order of convergence to a smooth solution on perturbed meshes: p + 1 in L2, p in H1.
#include "tests/fem/manufactured.hpp"

#include "mesh/quadrature.hpp"

#include <cmath>

namespace ritz::test {
namespace {

struct Errors {
  double value = 0, gradient = 0;  // L2 norm, H1 seminorm
};

Errors errors_of(const DiscreteProblem& model, const std::vector<double>& u) {
  const CellKind kind = model.mesh.kind_of(0);
  const QuadratureRule rule = quadrature(kind, 2 * traits(kind).order + 3);
  std::vector<std::vector<double>> shapes;
  std::vector<std::vector<Point>> slopes;
  for (const Point& point : rule.points) {
    shapes.push_back(shape_values(kind, point));
    slopes.push_back(shape_gradients(kind, point));
  }
  const int c = model.space.components(), dimension = model.mesh.dimension();
  Errors squares;
  for (Index cell = 0; cell < model.mesh.cell_count(); ++cell) {
    const auto nodes = model.mesh.nodes_of(cell);
    for (std::size_t q = 0; q < rule.points.size(); ++q) {
      const CellMap map(model.mesh, nodes, slopes[q], dimension);
      Point x{};
      for (std::size_t a = 0; a < nodes.size(); ++a)
        for (std::size_t k = 0; k < 3; ++k) x[k] += shapes[q][a] * model.mesh.point(nodes[a])[k];
      const double weight = rule.weights[q] * map.determinant;
      for (int i = 0; i < c; ++i) {
        double value = -exact(x, i), reference[3] = {};
        for (std::size_t a = 0; a < nodes.size(); ++a) {
          const double ua =
              u[static_cast<std::size_t>(nodes[a]) * static_cast<std::size_t>(c) + static_cast<std::size_t>(i)];
          value += shapes[q][a] * ua;
          for (std::size_t d = 0; d < 3; ++d) reference[d] += slopes[q][a][d] * ua;
        }
        squares.value += weight * value * value;
        for (int k = 0; k < dimension; ++k) {
          double slope = -exact_slope(x, i, static_cast<std::size_t>(k));
          for (int d = 0; d < dimension; ++d) slope += reference[d] * map.inverse[d][k];
          squares.gradient += weight * slope * slope;
        }
      }
    }
  }
  return {std::sqrt(squares.value), std::sqrt(squares.gradient)};
}

std::vector<Index> sizes_for(CellKind kind) {
  const bool linear = traits(kind).order == 1;
  if (traits(kind).dimension == 2) return linear ? std::vector<Index>{8, 16, 32} : std::vector<Index>{4, 8, 16};
  const CellKind shape = traits(kind).linear;
  if (shape == CellKind::pyramid5 || shape == CellKind::tet4)
    return linear ? std::vector<Index>{3, 6, 10} : std::vector<Index>{2, 3, 5};
  return linear ? std::vector<Index>{4, 8, 14} : std::vector<Index>{2, 4, 6};
}

void expect_orders(CellKind kind, int components, const std::vector<Integral>& integrals) {
  const double p = traits(kind).order;
  std::vector<Errors> errors;
  const std::vector<Index> sizes = sizes_for(kind);
  for (const Index n : sizes) {
    const DiscreteProblem model(mesh_of(kind, n), components, [&](const Mesh&) { return integrals; });
    errors.push_back(errors_of(model, model.space.to_mesh(solution(model))));
  }
  for (std::size_t i = 1; i < errors.size(); ++i) {
    const double refinement = std::log(static_cast<double>(sizes[i]) / static_cast<double>(sizes[i - 1]));
    const double value = std::log(errors[i - 1].value / errors[i].value) / refinement;
    const double gradient = std::log(errors[i - 1].gradient / errors[i].gradient) / refinement;
    std::printf("%-10s %4ld -> %-4ld  L2 %.3g, order %.2f   H1 %.3g, order %.2f\n", traits(kind).name.data(),
                long(sizes[i - 1]), long(sizes[i]), errors[i].value, value, errors[i].gradient, gradient);
    if (i + 1 < errors.size()) continue;  // the coarsest pair is not yet asymptotic
    EXPECT_GE(value, p + 1 - 0.15);
    EXPECT_LE(value, p + 1 + 0.5);
    EXPECT_GE(gradient, p - 0.15);
    EXPECT_LE(gradient, p + 0.5);
  }
}

class Convergence : public CellTest {};
INSTANTIATE_TEST_SUITE_P(Cells, Convergence, ::testing::ValuesIn(cell_kinds()), kind_name);

TEST_P(Convergence, OfATemperatureHasTheOrderOfTheCell) {
  const FormValue source =
      dimension() == 3 ? test_form(WaveSource<3>{waves, conductivity}) : test_form(WaveSource<2>{waves, conductivity});
  const FormValue heat =
      dimension() == 3 ? FormValue(Diffusion<3>{conductivity}) : FormValue(Diffusion<2>{conductivity});
  expect_orders(kind(), 1, {Integral::over_all_cells(heat), Integral::over_all_cells(source)});
}

TEST_P(Convergence, OfADisplacementHasTheOrderOfTheCell) {
  const FormValue force = dimension() == 3 ? test_form(WaveForce<3>{waves, lame.lambda, lame.mu})
                                           : test_form(WaveForce<2>{waves, lame.lambda, lame.mu});
  const FormValue elastic = dimension() == 3 ? FormValue(Elasticity{lame.lambda, lame.mu})
                                             : FormValue(PlaneElasticity::plane_strain(lame, 1));
  expect_orders(kind(), dimension(), {Integral::over_all_cells(elastic), Integral::over_all_cells(force)});
}

}  // namespace
}  // namespace ritz::test
