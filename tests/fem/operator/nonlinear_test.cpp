// L8 and L9: tangents that dual numbers derive, of forms that live in a module of their own.
#include "tests/fem/dense.hpp"
#include "tests/fem/test_forms.hpp"

#include <cmath>

namespace ritz::test {
namespace {

FormValue nonlinear(int dimension) {
  if (dimension == 3) return test_form(NonlinearDiffusion<3>{1.3, 0.8, 0.4});
  return test_form(NonlinearDiffusion<2>{1.3, 0.8, 0.4});
}

double norm(std::span<const double> x) {
  double sum = 0;
  for (const double value : x) sum += value * value;
  return std::sqrt(sum);
}

std::vector<double> shifted(std::span<const double> u, double h, std::span<const double> v) {
  std::vector<double> result(u.begin(), u.end());
  for (std::size_t i = 0; i < u.size(); ++i) result[i] += h * v[i];
  return result;
}

// || r(u + h v) - r(u) - h K(u) v || falls like h^2, without K v like h: over four halvings, slopes within 0.1.
void expect_taylor(const DiscreteProblem& model) {
  const auto count = static_cast<std::size_t>(model.space.unknown_count());
  std::vector<double> u = random_values(count, 11), v = random_values(count, 12);
  const std::vector<double> r = model.residual(u);
  const std::vector<double> Kv = product(dense_on_mesh(model, model.matrix(model.space.from_mesh(u))), v);
  double previous = 0;
  for (double h = 0x1p-7; h >= 0x1p-11; h /= 2) {
    const std::vector<double> change = shifted(model.residual(shifted(u, h, v)), -1, r);
    const double rest = norm(shifted(change, -h, Kv));
    if (previous > 0) { EXPECT_NEAR(std::log2(previous / rest), 2, 0.1) << "h = " << h; }
    previous = rest;
  }
}

// Central differences are exact to h^2: h = 1e-5 leaves 1e-10 of truncation and 1e-11 of cancellation.
void expect_central_differences(const DiscreteProblem& model) {
  const auto count = static_cast<std::size_t>(model.space.unknown_count());
  const std::vector<double> u = random_values(count, 11), v = random_values(count, 12);
  const std::vector<double> Kv = product(dense_on_mesh(model, model.matrix(model.space.from_mesh(u))), v);
  const double h = 1e-5;
  const std::vector<double> difference =
      shifted(model.residual(shifted(u, h, v)), -1, model.residual(shifted(u, -h, v)));
  for (std::size_t i = 0; i < count; ++i) EXPECT_NEAR(difference[i] / (2 * h), Kv[i], 1e-8 * norm(Kv));
}

class NonlinearTangent : public CellTest {};
INSTANTIATE_TEST_SUITE_P(Cells, NonlinearTangent, ::testing::ValuesIn(cell_kinds()), kind_name);

TEST_P(NonlinearTangent, PassesTheTaylorTest) {
  expect_taylor(DiscreteProblem(patch(kind(), {.count = 1}), nonlinear(dimension())));
}
TEST_P(NonlinearTangent, IsWhatCentralDifferencesSay) {
  expect_central_differences(DiscreteProblem(patch(kind(), {.count = 1}), nonlinear(dimension())));
}

class CoupledTangent : public CellTest {};
INSTANTIATE_TEST_SUITE_P(Cells, CoupledTangent, ::testing::ValuesIn(cell_kinds(0, 2)), kind_name);

TEST_P(CoupledTangent, PassesTheTaylorTest) {
  expect_taylor(DiscreteProblem(patch(kind(), {.random = 0.1}), test_form(Coupled{0.7})));
}
TEST_P(CoupledTangent, IsWhatCentralDifferencesSay) {
  expect_central_differences(DiscreteProblem(patch(kind(), {.random = 0.1}), test_form(Coupled{0.7})));
}

// Newton's method with boundary values: every step squares the error until rounding stops it.
TEST(Newton, ConvergesQuadraticallyWithTheTangentByDuals) {
  const DiscreteProblem model(patch(CellKind::quad9, {.count = 3, .random = 0.1}), nonlinear(2));
  const std::vector<bool> fixed = on_boundary(model.mesh);
  std::vector<double> u = model.values([](const Point& x, int) { return 0.8 * std::sin(2 * x[0]) + 0.5 * x[1]; });
  for (std::size_t i = 0; i < u.size(); ++i)
    if (!fixed[i]) u[i] = 0;
  std::vector<double> norms;
  for (int step = 0; step < 8; ++step) {
    std::vector<double> r = model.residual(u);
    Dense K = dense_on_mesh(model, model.matrix(model.space.from_mesh(u)));
    for (std::size_t i = 0; i < u.size(); ++i) {
      if (!fixed[i]) continue;
      r[i] = 0;
      for (std::size_t j = 0; j < u.size(); ++j) K(i, j) = K(j, i) = i == j ? 1 : 0;
    }
    norms.push_back(norm(r));
    if (norms.back() < 1e-12) break;
    u = shifted(u, -1, solve(K, r));
  }
  ASSERT_GE(norms.size(), 4u);
  EXPECT_LT(norms.back(), 1e-12);
  // The last step ends in round-off: rates are taken from the three before it.
  const std::size_t n = norms.size() - 1;
  EXPECT_GE(std::log(norms[n - 1] / norms[n - 2]) / std::log(norms[n - 2] / norms[n - 3]), 1.8);
}

TEST(UserForm, OfAnUnknownModuleIsAnErrorThatNamesIt) {
  FormValue form = NonlinearDiffusion<2>{1, 1, 1};
  form.module = "ritz_no_such_module";
  const DiscreteProblem model(patch(CellKind::tri3), form);
  try {
    model.residual(std::vector<double>(static_cast<std::size_t>(model.space.unknown_count())));
    FAIL() << "no error";
  } catch (const Error& error) { EXPECT_NE(error.message().find("ritz_no_such_module"), std::string::npos); }
}

}  // namespace
}  // namespace ritz::test
