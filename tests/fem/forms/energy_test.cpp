// Forms given by their energy density alone: flux and tangent are its derivatives.
#include "tests/fem/dense.hpp"
#include "tests/fem/test_forms.hpp"

#include <cmath>

namespace ritz::test {
namespace {

FormValue elastic() { return test_form(FromEnergy<ElasticEnergy>{{lame.lambda, lame.mu}}); }
FormValue membrane() { return test_form(FromEnergy<MembraneEnergy>{{0.7}}); }

// The same numbers by another order of operations: a few roundings of the largest entry.
TEST(FromEnergy, OfElasticityIsElasticity) {
  const Mesh mesh = patch(CellKind::hex8, {.count = 2, .random = 0.1});
  const Model by_energy(mesh, elastic()), by_flux(mesh, elastic_form(3));
  const Dense A = dense_on_mesh(by_energy, by_energy.matrix()), B = dense_on_mesh(by_flux, by_flux.matrix());
  EXPECT_LE(largest_difference(A, B), 1e-14 * largest_entry(B));
  const std::vector<double> u = random_values(static_cast<std::size_t>(by_flux.space.unknown_count()), 3);
  const std::vector<double> r = by_energy.residual(u), expected = by_flux.residual(u);
  for (std::size_t i = 0; i < r.size(); ++i) EXPECT_NEAR(r[i], expected[i], 1e-13 * by_flux.magnitude(u));
}

TEST(FromEnergy, HasAnExactlySymmetricTangent) {
  const Model model(patch(CellKind::tri6, {.count = 2, .random = 0.05}), membrane());
  const std::vector<double> u = random_values(static_cast<std::size_t>(model.space.unknown_count()), 5);
  const Dense K = dense_on_mesh(model, model.matrix(model.space.from_mesh(u)));
  for (std::size_t i = 0; i < K.n; ++i)
    for (std::size_t j = 0; j < i; ++j) ASSERT_EQ(K(i, j), K(j, i));
}

// A symmetric tangent by construction would hide a wrong second derivative: central differences, exact to h^2.
TEST(FromEnergy, HasTheTangentOfItsResidual) {
  const Model model(patch(CellKind::quad9, {.count = 2, .random = 0.1}), membrane());
  const auto count = static_cast<std::size_t>(model.space.unknown_count());
  const std::vector<double> u = random_values(count, 11), v = random_values(count, 12);
  const std::vector<double> Kv = product(dense_on_mesh(model, model.matrix(model.space.from_mesh(u))), v);
  const double h = 1e-5;
  std::vector<double> ahead = u, behind = u;
  for (std::size_t i = 0; i < count; ++i) {
    ahead[i] += h * v[i];
    behind[i] -= h * v[i];
  }
  const std::vector<double> a = model.residual(ahead), b = model.residual(behind);
  double largest = 0;
  for (const double value : Kv) largest = std::max(largest, std::abs(value));
  for (std::size_t i = 0; i < count; ++i) EXPECT_NEAR((a[i] - b[i]) / (2 * h), Kv[i], 1e-8 * largest);
}

// d/du of sqrt(1 + |grad u|^2) + c (1 + x) u^4 at one point, by hand.
TEST(FromEnergy, FluxIsTheDerivative) {
  const FromEnergy<MembraneEnergy> form{{0.7}};
  const Location<double, 2> p{{0.3, 0.2}, {}};
  const Fields<double, 1, 2> u{{1.2}, {{0.5, -0.4}}};
  Fields<double, 1, 2> f{};
  form(p, u, f);
  const double root = std::sqrt(1 + 0.25 + 0.16);
  EXPECT_NEAR(f.gradient[0][0], 0.5 / root, 1e-15);
  EXPECT_NEAR(f.gradient[0][1], -0.4 / root, 1e-15);
  EXPECT_NEAR(f.value[0], 4 * 0.7 * 1.3 * 1.2 * 1.2 * 1.2, 1e-14);
}

}  // namespace
}  // namespace ritz::test
