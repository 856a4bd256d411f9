// Derived fields: strain, stress and heat flux at nodes and in cells.
#include "fem/operator/evaluate.hpp"
#include "mesh/quadrature.hpp"
#include "tests/fem/models.hpp"

#include <cmath>

namespace ritz::test {
namespace {

constexpr double G[3][3] = {{0.8, -0.3, 0.45}, {0.25, 0.6, -0.55}, {-0.7, 0.35, 0.5}};

double linear_field(const Point& x, int i) { return 0.3 * (i + 1) + G[i][0] * x[0] + G[i][1] * x[1] + G[i][2] * x[2]; }

DerivedFields evaluate(const DiscreteProblem& model, const std::function<double(const Point&, int)>& field) {
  return evaluate(model.equations, model.space.from_mesh(model.values(field)));
}

// Extrapolation multiplies rounding by its row sums (below 30), gradients by the inverse Jacobian of a small cell.
constexpr double tolerance = 2e-13;

void expect_everywhere(const DerivedFields& fields, std::span<const double> expected) {
  ASSERT_EQ(fields.components, static_cast<int>(expected.size()));
  ASSERT_GT(fields.at_nodes.size(), 0u);
  ASSERT_GT(fields.at_cells.size(), 0u);
  for (std::size_t i = 0; i < fields.at_nodes.size(); ++i)
    EXPECT_NEAR(fields.at_nodes[i], expected[i % expected.size()], tolerance) << "node " << i / expected.size();
  for (std::size_t i = 0; i < fields.at_cells.size(); ++i)
    EXPECT_NEAR(fields.at_cells[i], expected[i % expected.size()], tolerance) << "cell " << i / expected.size();
}

// Strain and stress (xx, yy, zz, xy, yz, xz) of a displacement gradient.
std::vector<double> strain_and_stress(const double (&g)[3][3]) {
  const int row[6] = {0, 1, 2, 0, 1, 0}, column[6] = {0, 1, 2, 1, 2, 2};
  std::vector<double> result(12);
  for (std::size_t k = 0; k < 6; ++k) {
    result[k] = 0.5 * (g[row[k]][column[k]] + g[column[k]][row[k]]);
    result[6 + k] = 2 * lame.mu * result[k] + (k < 3 ? lame.lambda * (g[0][0] + g[1][1] + g[2][2]) : 0);
  }
  return result;
}

class Evaluation : public CellTest {
 public:
  // Distorted, straight and curved.
  template <class Fact>
  void on_patches(const Fact& fact) const {
    for (const bool curved : {false, true}) {
      if (curved && traits(kind()).order == 1) continue;
      SCOPED_TRACE(curved ? "curved" : "straight");
      fact(patch(kind(), {.count = 2, .random = curved ? 0.05 : 0.1, .curved = curved, .seed = 3}));
    }
  }
};
INSTANTIATE_TEST_SUITE_P(Cells, Evaluation, ::testing::ValuesIn(cell_kinds()), kind_name);

TEST_P(Evaluation, OfALinearTemperatureIsTheExactFlux) {
  on_patches([&](Mesh mesh) {
    std::vector<double> flux;
    for (int d = 0; d < dimension(); ++d) flux.push_back(-conductivity * G[0][d]);
    expect_everywhere(evaluate(DiscreteProblem(std::move(mesh), heat_form(dimension())), linear_field), flux);
  });
}

TEST_P(Evaluation, OfALinearDisplacementIsTheExactStress) {
  on_patches([&](Mesh mesh) {
    double g[3][3] = {};
    for (int i = 0; i < dimension(); ++i)
      for (int j = 0; j < dimension(); ++j) g[i][j] = G[i][j];
    expect_everywhere(evaluate(DiscreteProblem(std::move(mesh), elastic_form(dimension())), linear_field),
                      strain_and_stress(g));
  });
}

TEST_P(Evaluation, OfPlaneStressHasNoStressAcross) {
  if (dimension() == 3) return;  // plane cells only
  on_patches([&](Mesh mesh) {
    const double across = -lame.lambda / (lame.lambda + 2 * lame.mu) * (G[0][0] + G[1][1]);
    const double g[3][3] = {{G[0][0], G[0][1], 0}, {G[1][0], G[1][1], 0}, {0, 0, across}};
    const std::vector<double> expected = strain_and_stress(g);
    EXPECT_NEAR(expected[8], 0, tolerance);
    expect_everywhere(
        evaluate(DiscreteProblem(std::move(mesh), PlaneElasticity::plane_stress(lame, thickness)), linear_field),
        expected);
  });
}

TEST_P(Evaluation, OfAStretchedRingIsTheExactStress) {
  if (dimension() == 3) return;  // plane cells only
  const double c = 0.3, d = -0.5, g[3][3] = {{c, 0, 0}, {0, d, 0}, {0, 0, c}};
  const DiscreteProblem model(patch(kind(), {.random = 0.1}), AxisymmetricElasticity{lame.lambda, lame.mu});
  expect_everywhere(evaluate(model, [&](const Point& x, int i) { return i == 0 ? c * x[0] : d * x[1]; }),
                    strain_and_stress(g));
}

// Strains of a quadratic displacement are linear: on affine cells of order 2 the fit through the points is exact.
TEST_P(Evaluation, OfAQuadraticTemperatureIsExactAtTheNodes) {
  if (traits(kind()).order == 1) return;  // quadratic cells only
  const DiscreteProblem model(patch(kind(), {.count = 2}), heat_form(dimension()));
  const double l[3] = {0.3, -0.5, dimension() == 3 ? 0.2 : 0};
  const auto along = [&](const auto& x) { return l[0] * x[0] + l[1] * x[1] + l[2] * x[2]; };
  const DerivedFields fields = evaluate(model, [&](const Point& x, int) { return along(x) * along(x) + x[0] * x[1]; });
  const auto n = static_cast<std::size_t>(dimension());
  for (std::size_t i = 0; i < fields.at_nodes.size(); ++i) {
    const auto x = model.mesh.point(static_cast<Index>(i / n));
    const std::size_t d = i % n;
    const double slope = 2 * along(x) * l[d] + (d == 0 ? x[1] : d == 1 ? x[0] : 0);
    EXPECT_NEAR(fields.at_nodes[i], -conductivity * slope, 10 * tolerance) << "node " << i / n;
  }
}

// The mean over an affine cell of a linear flux is its value at the centroid.
TEST_P(Evaluation, OfAQuadraticTemperatureIsExactInTheMean) {
  if (traits(kind()).order == 1) return;  // quadratic cells only
  const DiscreteProblem model(patch(kind(), {.count = 2}), heat_form(dimension()));
  const DerivedFields fields = evaluate(model, [](const Point& x, int) { return x[0] * x[0] + x[0] * x[1]; });
  const std::vector<double> shape = shape_values(kind(), reference_centroid(kind()));
  const auto n = static_cast<std::size_t>(dimension());
  for (Index cell = 0; cell < model.mesh.cell_count(); ++cell) {
    double x = 0, y = 0;
    const auto nodes = model.mesh.nodes_of(cell);
    for (std::size_t a = 0; a < nodes.size(); ++a) {
      x += shape[a] * model.mesh.point(nodes[a])[0];
      y += shape[a] * model.mesh.point(nodes[a])[1];
    }
    const double* flux = fields.at_cells.data() + static_cast<std::size_t>(cell) * n;
    EXPECT_NEAR(flux[0], -conductivity * (2 * x + y), 10 * tolerance);
    EXPECT_NEAR(flux[1], -conductivity * x, 10 * tolerance);
  }
}

// In a body of revolution the radius weighs: of a linear flux over an affine cell, by a rule that is exact for its
// product with r.
TEST_P(Evaluation, OfAQuadraticTemperatureIsExactInTheMeanOfARing) {
  if (dimension() == 3 || traits(kind()).order == 1) return;
  const DiscreteProblem model(patch(kind(), {.count = 2}), AxisymmetricDiffusion{conductivity});
  const DerivedFields fields = evaluate(model, [](const Point& x, int) { return x[0] * x[0] + x[0] * x[1]; });
  const QuadratureRule rule = quadrature(kind(), 4);
  for (Index cell = 0; cell < model.mesh.cell_count(); ++cell) {
    double flux = 0, volume = 0;
    for (std::size_t q = 0; q < rule.points.size(); ++q) {
      const std::vector<double> shape = shape_values(kind(), rule.points[q]);
      const auto nodes = model.mesh.nodes_of(cell);
      double r = 0, y = 0;
      for (std::size_t a = 0; a < nodes.size(); ++a) {
        r += shape[a] * model.mesh.point(nodes[a])[0];
        y += shape[a] * model.mesh.point(nodes[a])[1];
      }
      flux -= rule.weights[q] * r * conductivity * (2 * r + y);
      volume += rule.weights[q] * r;
    }
    EXPECT_NEAR(fields.at_cells[static_cast<std::size_t>(cell) * 2], flux / volume, 10 * tolerance);
  }
}

TEST(EvaluationOfMixedCells, IsExactForALinearTemperature) {
  const DiscreteProblem model(mixed_patch(2, MidNodes::full, {.random = 0.1}), heat_form(3));
  expect_everywhere(evaluate(model, linear_field),
                    std::array{-conductivity * G[0][0], -conductivity * G[0][1], -conductivity * G[0][2]});
}

}  // namespace
}  // namespace ritz::test
