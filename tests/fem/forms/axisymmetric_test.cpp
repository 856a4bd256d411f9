// L4 in bodies of revolution: states of constant stress or flux, with the measure 2 pi r dA.
#include "mesh/quadrature.hpp"
#include "tests/fem/models.hpp"

#include <cmath>
#include <numbers>

namespace ritz::test::axisymmetric_test {
namespace {

constexpr double two_pi = 2 * std::numbers::pi, inner_radius = 0.6;

// A ring: the rectangle [0.6, 1.6] x [0, 1.2] with distorted cells.
Mesh ring(CellKind kind) {
  MeshData data = rectangle_data(2, 2, {patch_lengths[0], patch_lengths[1]}, kind, {.random = 0.1});
  for (std::size_t n = 0; n < data.points.size(); n += 3) data.points[n] += inner_radius;
  return Mesh(std::move(data));
}

void expect_zero(const DiscreteProblem& model, const std::vector<double>& u) {
  const double tolerance = 1000 * unit_roundoff * model.magnitude(u);
  for (const double force : model.residual(u)) EXPECT_NEAR(force, 0, tolerance);
}

class Axisymmetric : public CellTest {};
INSTANTIATE_TEST_SUITE_P(Cells, Axisymmetric, ::testing::ValuesIn(cell_kinds(0, 2)), kind_name);

// u_r = c r, u_z = d z: stresses rr = hoop and zz are constant, so tractions on the four sides balance them.
TEST_P(Axisymmetric, UniformStretchBalancesItsTractions) {
  const double c = 0.3, d = -0.5;
  const double rr = 2 * (lame.lambda + lame.mu) * c + lame.lambda * d;
  const double zz = 2 * lame.lambda * c + (lame.lambda + 2 * lame.mu) * d;
  const DiscreteProblem model(ring(kind()), 2, [&](const Mesh& mesh) {
    std::vector integrals{Integral::over_all_cells(AxisymmetricElasticity{lame.lambda, lame.mu})};
    for (const Side& side : sides(2, false))
      integrals.push_back(Integral::over(Load<2, 2, 1>{{rr * side.normal[0], zz * side.normal[1]}, two_pi, true},
                                         mesh.region(side.region)));
    return integrals;
  });
  expect_zero(model, model.values([&](const Point& x, int i) { return i == 0 ? c * x[0] : d * x[1]; }));
}

// u = e x: a hydrostatic state that a pressure balances.
TEST_P(Axisymmetric, UniformExpansionBalancesAPressure) {
  const double e = 0.2, p = -(3 * lame.lambda + 2 * lame.mu) * e;
  const DiscreteProblem model(ring(kind()), 2, [&](const Mesh& mesh) {
    std::vector integrals{Integral::over_all_cells(AxisymmetricElasticity{lame.lambda, lame.mu})};
    for (const Side& side : sides(2, false))
      integrals.push_back(Integral::over(Pressure<2>{p, two_pi, true}, mesh.region(side.region)));
    return integrals;
  });
  expect_zero(model, model.values([&](const Point& x, int i) { return e * x[static_cast<std::size_t>(i)]; }));
}

// T = a + b z: convection below, k b = h (ambient - T), and a flux above.
TEST_P(Axisymmetric, AxialHeatFlowBalancesConvectionAndFlux) {
  const double a = 0.4, b = -1.3, h = 2, ambient = a - conductivity * b / h;
  const DiscreteProblem model(ring(kind()), 1, [&](const Mesh& mesh) {
    return std::vector{Integral::over_all_cells(AxisymmetricDiffusion{conductivity}),
                       Integral::over(Convection<2>{h, ambient, two_pi, true}, mesh.region("y0")),
                       Integral::over(Load<1, 2, 1>{{conductivity * b}, two_pi, true}, mesh.region("y1"))};
  });
  expect_zero(model, model.values([&](const Point& x, int) { return a + b * x[1]; }));
}

// The energy of T = z^2 is the integral of k (2 z)^2 2 pi r: of degree 3, one more than in the plane, and exact on an
// affine cell of order 2 because the form asks for a rule of one degree more. One cell: in pairs of triangles that are
// each other's reflection, errors of degree 3 would cancel.
TEST_P(Axisymmetric, EnergyOfAQuadraticTemperatureIsExact) {
  if (traits(kind()).order == 1) return;  // quadratic cells only
  const DiscreteProblem model(Mesh(single_cell(kind(), 0)), AxisymmetricDiffusion{conductivity});
  const std::vector<double> T = model.values([](const Point&x, int) { return x[1] * x[1]; }), r = model.residual(T);
  double energy = 0, exact = 0;
  for (std::size_t i = 0; i < T.size(); ++i) energy += T[i] * r[i];
  const AffineMap map(2);
  const QuadratureRule rule = quadrature(kind(), 8);
  for (std::size_t q = 0; q < rule.points.size(); ++q) {
    const Point x = map(rule.points[q]);
    exact += rule.weights[q] * map.determinant() * conductivity * 4 * x[1] * x[1] * two_pi * x[0];
  }
  EXPECT_NEAR(energy, exact, 1000 * unit_roundoff * exact);
}

// A unit load sums to the volume pi (r2^2 - r1^2) h and to the lateral area 2 pi r2 h.
TEST_P(Axisymmetric, LoadsSumToVolumeAndArea) {
  const double r2 = inner_radius + patch_lengths[0], height = patch_lengths[1];
  const auto total = [&](const auto& load, const char* region) {
    const DiscreteProblem model(
        ring(kind()), 1, [&](const Mesh& mesh) { return std::vector{Integral::over(load, mesh.region(region))}; });
    double sum = 0;
    for (const double r : model.residual(std::vector<double>(static_cast<std::size_t>(model.space.unknown_count()))))
      sum -= r;
    return sum;
  };
  const double volume = std::numbers::pi * (r2 * r2 - inner_radius * inner_radius) * height,
               area = two_pi * r2 * height;
  EXPECT_NEAR(total(Load<1, 2, 0>{{1}, two_pi, true}, "all"), volume, 200 * unit_roundoff * volume);
  EXPECT_NEAR(total(Load<1, 2, 1>{{1}, two_pi, true}, "x1"), area, 200 * unit_roundoff * area);
}

}  // namespace
}  // namespace ritz::test::axisymmetric_test
