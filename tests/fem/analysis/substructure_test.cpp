// Parts reduced to their interface: with all modes they are the part itself.
#include "fem/analysis/substructure.hpp"

#include "device/error.hpp"
#include "fem/physics/elastic_body.hpp"
#include "mesh/generators.hpp"
#include "solvers/algebra/dense_symmetric.hpp"
#include "solvers/algebra/vectors.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <vector>

namespace ritz::test::substructure_test {
namespace {

Device cpu() { return Device::named("cpu", 1); }

// K x = w^2 M x of dense matrices, ascending [Hz].
std::vector<double> frequencies_of(const ReducedModel& r) {
  const auto n = static_cast<std::size_t>(r.size());
  const SymmetricEigen mass = symmetric_eigen(r.mass, r.size());
  std::vector<double> root(n * n), A(n * n, 0.0);  // M^(-1/2)
  for (std::size_t k = 0; k < n; ++k)
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < n; ++j)
        root[i * n + j] += mass.vectors[k * n + i] * mass.vectors[k * n + j] / std::sqrt(mass.values[k]);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j)
      for (std::size_t k = 0; k < n; ++k)
        for (std::size_t l = 0; l < n; ++l) A[i * n + j] += root[i * n + k] * r.stiffness[k * n + l] * root[l * n + j];
  std::vector<double> result;
  for (const double value : symmetric_eigen(A, r.size()).values)
    result.push_back(std::sqrt(std::max(0.0, value)) / (2 * std::numbers::pi));
  return result;
}

// A bar of three cells, held at one end, whose other end is the interface: 12 unknowns there and 24 inside.
struct Bar {
  Bar() : mesh(box(3, 1, 1, {3, 1, 1}, CellKind::hex8)), body(mesh) {
    body.material("all", {.young = 200e9, .poisson = 0.3, .density = 8000});
    body.loads.fix("x0");
    body.loads.traction("x1", {1e6, 2e6, 5e5});
    body.loads.traction("y1", {0, 3e6, 0});
    model = body.model(cpu());
  }
  Substructure to(int modes) const {
    Substructure result{.interface = {{.region = &mesh.region("x1")}}};
    if (modes > 0) result.modal = Modal{{.count = modes, .method = EigenMethod::lanczos}};
    return result;
  }
  Mesh mesh;
  ElasticBody body;
  Model model;
};

TEST(Substructure, WithAllModesHasTheFrequenciesOfThePart) {
  const Bar bar;
  const std::vector<double> whole = solve(bar.model, Modal{{.count = 36, .method = EigenMethod::lanczos}}).frequencies;
  const std::vector<double> all = frequencies_of(reduce(bar.model, bar.to(24)));
  ASSERT_EQ(all.size(), 36U);
  for (std::size_t k = 0; k < all.size(); ++k) EXPECT_NEAR(all[k], whole[k], 1e-6 * whole[k]) << k;
  const std::vector<double> some = frequencies_of(reduce(bar.model, bar.to(6))),
                            none = frequencies_of(reduce(bar.model, bar.to(0)));
  EXPECT_NEAR(some.front(), whole.front(), 1e-4 * whole.front());
  EXPECT_GT(some.front(), whole.front() * (1 - 1e-9));  // Rayleigh's quotient is from above
  EXPECT_GT(none.front(), some.front());
  EXPECT_NEAR(none.front(), whole.front(), 0.02 * whole.front());
}

// K_r q = f_r; the displacement inside lacks the static answer to loads there alone, which act on y1, too.
TEST(Substructure, IsExactInStaticsAndRecoversThePart) {
  const Bar bar;
  const ReducedModel r = reduce(bar.model, bar.to(24));
  ASSERT_EQ(r.load_names.size(), 4U);  // and three of the base
  const auto n = static_cast<std::size_t>(r.size());
  const SymmetricEigen K = symmetric_eigen(r.stiffness, r.size());
  std::vector<double> q(n, 0.0);
  for (std::size_t k = 0; k < n; ++k) {
    double part = 0;
    for (std::size_t i = 0; i < n; ++i) part += K.vectors[k * n + i] * r.loads[0][i];
    for (std::size_t i = 0; i < n; ++i) q[i] += part / K.values[k] * K.vectors[k * n + i];
  }
  LinearSolverOptions direct;
  direct.method = LinearMethod::direct;
  const Vector exact = solve(bar.model, Static{direct}).u;
  Vector u = r.recovered(q);
  axpy(-1.0, exact, u);
  EXPECT_LE(norm2(u), 1e-9 * norm2(exact));
  for (std::size_t b = 0; b < r.interface.size(); ++b)
    EXPECT_NEAR(q[b], exact.host()[static_cast<std::size_t>(Index{r.interface[b].node} * 3 + r.interface[b].component)],
                1e-9 * norm2(exact));
}

TEST(Substructure, MassOfTheBaseIsThatOfThePart) {
  const Mesh mesh = box(2, 1, 1, {2, 1, 1}, CellKind::hex8);
  ElasticBody body(mesh);
  body.material("all", {.young = 1e9, .poisson = 0.3, .density = 1000});
  const Model free = body.model(cpu());
  const ReducedModel r = reduce(free, {.interface = {{.region = &mesh.region("x0")}}});
  const auto n = static_cast<std::size_t>(r.size());
  double mass = 0, stiffness = 0;  // of the motion along x, which the interface imposes on all
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j)
      if (r.interface[i].component == 0 && r.interface[j].component == 0)
        mass += r.mass[i * n + j], stiffness += r.stiffness[i * n + j];
  EXPECT_NEAR(mass, 2000, 1e-6);
  EXPECT_NEAR(stiffness, 0, 1e-6 * r.stiffness[0]);
  EXPECT_THROW(reduce(free, {.interface = {}}), Error);
}

}  // namespace
}  // namespace ritz::test::substructure_test
