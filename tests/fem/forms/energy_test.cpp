// Forms given by their energy density alone: flux and tangent are its derivatives.
#include "fem/forms/in_plane.hpp"
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
  const DiscreteProblem by_energy(mesh, elastic()), by_flux(mesh, elastic_form(3));
  const Dense A = dense_on_mesh(by_energy, by_energy.matrix()), B = dense_on_mesh(by_flux, by_flux.matrix());
  EXPECT_LE(largest_difference(A, B), 1e-14 * largest_entry(B));
  const std::vector<double> u = random_values(static_cast<std::size_t>(by_flux.space.unknown_count()), 3);
  const std::vector<double> r = by_energy.residual(u), expected = by_flux.residual(u);
  for (std::size_t i = 0; i < r.size(); ++i) EXPECT_NEAR(r[i], expected[i], 1e-13 * by_flux.magnitude(u));
}

TEST(FromEnergy, HasAnExactlySymmetricTangent) {
  const DiscreteProblem model(patch(CellKind::tri6, {.count = 2, .random = 0.05}), membrane());
  const std::vector<double> u = random_values(static_cast<std::size_t>(model.space.unknown_count()), 5);
  const Dense K = dense_on_mesh(model, model.matrix(model.space.from_mesh(u)));
  for (std::size_t i = 0; i < K.n; ++i)
    for (std::size_t j = 0; j < i; ++j) ASSERT_EQ(K(i, j), K(j, i));
}

// A symmetric tangent by construction would hide a wrong second derivative: central differences, exact to h^2.
TEST(FromEnergy, HasTheTangentOfItsResidual) {
  const DiscreteProblem model(patch(CellKind::quad9, {.count = 2, .random = 0.1}), membrane());
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

// mu/2 (tr F^T F - 3) - mu ln J + lambda/2 (ln J)^2, of which Bonet and Wood 2008 (6.28) give Cauchy's stress:
// mu / J (F F^T - I) + lambda / J ln J I.
struct Rubber {
  static constexpr const char* name = "test_rubber";
  static constexpr int components = 3, dimension = 3;
  static constexpr bool uses_value = false, uses_gradient = true, objective = true;
  double lambda, mu;

  template <class T>
  constexpr T energy(const Location<T, 3>&, const Fields<T, 3, 3>& u) const {
    using std::log;
    T F[3][3], square = 0.0;
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) {
        F[i][j] = u.gradient[i][j] + (i == j ? 1.0 : 0.0);
        square += F[i][j] * F[i][j];
      }
    const T log_J =
        log(F[0][0] * (F[1][1] * F[2][2] - F[1][2] * F[2][1]) - F[0][1] * (F[1][0] * F[2][2] - F[1][2] * F[2][0]) +
            F[0][2] * (F[1][0] * F[2][1] - F[1][1] * F[2][0]));
    return (0.5 * mu) * (square - 3.0) - mu * log_J + (0.5 * lambda) * (log_J * log_J);
  }
};

// A gradient with volume change, shear and rotation.
constexpr Fields<double, 3, 3> stretched{{}, {{0.3, -0.7, 0.1}, {0.4, 0.2, -0.2}, {-0.1, 0.5, -0.3}}};

TEST(FromEnergy, GivesTheStressesOfRubber) {
  using Form = FromEnergy<Rubber>;
  static_assert(FormFacts<Form>::derived == 15);
  const Form form{{1.7, 0.6}};
  double F[3][3], out[15];
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) F[i][j] = stretched.gradient[i][j] + (i == j ? 1 : 0);
  const double J = F[0][0] * (F[1][1] * F[2][2] - F[1][2] * F[2][1]) -
                   F[0][1] * (F[1][0] * F[2][2] - F[1][2] * F[2][0]) +
                   F[0][2] * (F[1][0] * F[2][1] - F[1][1] * F[2][0]);
  form.derive(Location<double, 3>{}, stretched, out);
  const int row[6] = {0, 1, 2, 0, 1, 0}, column[6] = {0, 1, 2, 1, 2, 2};
  double cauchy[3][3];
  for (int k = 0; k < 6; ++k) {
    const int i = row[k], j = column[k];
    double left = 0;
    for (int m = 0; m < 3; ++m) left += F[i][m] * F[j][m];
    const double expected = (0.6 * (left - (i == j ? 1 : 0)) + (i == j ? 1.7 * std::log(J) : 0)) / J;
    EXPECT_NEAR(out[k], expected, 1e-14);
    cauchy[i][j] = cauchy[j][i] = out[k];
  }
  // Nanson: the force on an area is the same in both configurations, J sigma = P F^T.
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) {
      double sum = 0;
      for (int m = 0; m < 3; ++m) sum += out[6 + 3 * i + m] * F[j][m];
      EXPECT_NEAR(sum, J * cauchy[i][j], 1e-14);
    }
}

// In plane stress nothing acts across the plane, at large strains either.
TEST(FromEnergy, GivesNoStressAcrossAPlaneThatIsFree) {
  const PlaneStress<Rubber> form{{{1.7, 0.6}}};
  const Fields<double, 2, 2> u{{}, {{0.4, -0.2}, {0.3, 0.1}}};
  double out[15];
  form.derive(Location<double, 2>{}, u, out);
  for (const int k : {2, 4, 5}) EXPECT_NEAR(out[k], 0, 1e-9);
  EXPECT_GT(out[0], 0.1);
}

// At small strains there is one stress: Hooke's.
TEST(FromEnergy, GivesTheStressOfSmallStrains) {
  using Form = FromEnergy<ElasticEnergy>;
  static_assert(FormFacts<Form>::derived == 6);
  const Form form{{lame.lambda, lame.mu}};
  double out[6];
  form.derive(Location<double, 3>{}, stretched, out);
  const auto& g = stretched.gradient;
  const double pressure = lame.lambda * (g[0][0] + g[1][1] + g[2][2]);
  EXPECT_NEAR(out[1], pressure + 2 * lame.mu * g[1][1], 1e-13);
  EXPECT_NEAR(out[4], lame.mu * (g[1][2] + g[2][1]), 1e-13);
}

// A field that is no displacement has no stress, and a form that derives a quantity of its own keeps that.
struct OwnQuantity : Rubber {
  static constexpr int derived = 1;
  template <class T>
  constexpr void derive(const Location<T, 3>&, const Fields<T, 3, 3>& u, T* out) const {
    out[0] = u.gradient[0][0];
  }
};
TEST(FromEnergy, LeavesOtherFormsAsTheyAre) {
  static_assert(FormFacts<FromEnergy<MembraneEnergy>>::derived == 0);
  static_assert(FormFacts<FromEnergy<OwnQuantity>>::derived == 1);
  double out[1];
  FromEnergy<OwnQuantity>{}.derive(Location<double, 3>{}, stretched, out);
  EXPECT_EQ(out[0], 0.3);
}

}  // namespace
}  // namespace ritz::test
