// L3 and L7: what the matrix of one cell and of a small free patch must be, whatever the cell and the form.
#include "tests/fem/dense.hpp"

#include <cmath>

namespace ritz::test {
namespace {

// Rotations and translations; for diffusion and axisymmetric forms those that exist. [mode][mesh node][component]
std::vector<std::vector<double>> rigid_modes(const DiscreteProblem& model, const NamedForm& form) {
  std::vector<std::vector<double>> modes;
  const int c = model.space.components();
  const bool axisymmetric = form.name == "axisymmetric elasticity";
  for (int k = axisymmetric ? 1 : 0; k < c; ++k)
    modes.push_back(model.values([k](const Point&, int i) { return i == k ? 1.0 : 0.0; }));
  if (c == 1 || axisymmetric) return modes;
  for (std::size_t p = 0; p < 3; ++p)
    for (std::size_t q = p + 1; q < static_cast<std::size_t>(c); ++q)
      modes.push_back(model.values([p, q](const Point& x, int i) {
        return i == static_cast<int>(p) ? -x[q] : i == static_cast<int>(q) ? x[p] : 0.0;
      }));
  return modes;
}

// Straight quadratic patches are smaller: the count of eigenvalues costs the cube of the unknowns.
Mesh free_patch(CellKind kind) {
  return patch(kind, {.count = traits(kind).order == 1 || traits(kind).dimension == 2 ? 2 : 1, .random = 0.1});
}
Mesh one_cell(CellKind kind) { return Mesh(single_cell(kind)); }

class ElementMatrix : public CellTest {
 public:
  // Calls fact(model, form) for every form on a distorted cell and on a small free patch.
  template <class Fact>
  void for_all_forms(const Fact& fact) const {
    for (const NamedForm& form : forms_on(dimension()))
      for (const auto make : {one_cell, free_patch}) {
        SCOPED_TRACE(form.name + (make == one_cell ? " on one cell" : " on a patch"));
        fact(DiscreteProblem(make(kind()), form.form), form);
      }
  }
};
INSTANTIATE_TEST_SUITE_P(Cells, ElementMatrix, ::testing::ValuesIn(cell_kinds()), kind_name);

// The entries (a, b) and (b, a) are one sum, or sums over points of products in another order: 27 points, 3 slots.
TEST_P(ElementMatrix, IsSymmetric) {
  for_all_forms([](const DiscreteProblem& model, const NamedForm&) {
    const Dense K = dense_on_mesh(model, model.matrix());
    double difference = 0;
    for (std::size_t i = 0; i < K.n; ++i)
      for (std::size_t j = 0; j < i; ++j) difference = std::max(difference, std::abs(K(i, j) - K(j, i)));
    EXPECT_LE(difference, 100 * unit_roundoff * largest_entry(K));
  });
}

TEST_P(ElementMatrix, MapsRigidMotionsToZero) {
  for_all_forms([](const DiscreteProblem& model, const NamedForm& form) {
    const Dense K = dense_on_mesh(model, model.matrix());
    const auto modes = rigid_modes(model, form);
    EXPECT_EQ(static_cast<int>(modes.size()), form.rigid_modes);
    for (const auto& mode : modes)
      for (const double force : product(K, mode)) EXPECT_NEAR(force, 0, 1000 * unit_roundoff * model.magnitude(mode));
  });
}

// No hourglass modes, and no negative eigenvalues. Rounding moves eigenvalues by n * unit roundoff * ||K||, far less
// than the first threshold; none lies between the thresholds, so the count does not hang on their choice.
TEST_P(ElementMatrix, HasExactlyTheRigidMotionsInItsKernel) {
  for_all_forms([](const DiscreteProblem& model, const NamedForm& form) {
    const Dense K = dense_on_mesh(model, model.matrix());
    const double scale = largest_entry(K);
    EXPECT_EQ(eigenvalues_below(K, -1e-11 * scale), 0);
    EXPECT_EQ(eigenvalues_below(K, 1e-11 * scale), form.rigid_modes);
    EXPECT_EQ(eigenvalues_below(K, 1e-5 * scale), form.rigid_modes);
  });
}

// (K u, v) = (u, K v) through the sparse product.
TEST_P(ElementMatrix, IsSelfAdjointAsAnOperator) {
  for_all_forms([](const DiscreteProblem& model, const NamedForm&) {
    const SparseMatrix K = model.matrix();
    const auto count = static_cast<std::size_t>(model.space.unknown_count());
    const Vector u = model.space.from_mesh(random_values(count, 1)), v = model.space.from_mesh(random_values(count, 2));
    Vector Ku = model.space.zeros(), Kv = model.space.zeros();
    K.apply(u, Ku);
    K.apply(v, Kv);
    const std::vector<double> a = Ku.host(), b = Kv.host(), x = u.host(), y = v.host();
    double left = 0, right = 0, scale = 0;
    for (std::size_t i = 0; i < count; ++i) {
      left += a[i] * y[i];
      right += x[i] * b[i];
      scale += std::abs(a[i] * y[i]) + std::abs(x[i] * b[i]);
    }
    EXPECT_NEAR(left, right, 1000 * unit_roundoff * scale);
  });
}

TEST_P(ElementMatrix, TimesUnknownsIsTheResidual) {
  for_all_forms([](const DiscreteProblem& model, const NamedForm&) {
    const auto u = random_values(static_cast<std::size_t>(model.space.unknown_count()));
    const std::vector<double> zero(u.size(), 0.0), r = model.residual(u), r0 = model.residual(zero);
    const std::vector<double> Ku = product(dense_on_mesh(model, model.matrix()), u);
    const double tolerance = 200 * unit_roundoff * model.magnitude(u);
    for (std::size_t i = 0; i < u.size(); ++i) EXPECT_NEAR(Ku[i], r[i] - r0[i], tolerance);
  });
}

// Convection is the one matrix on facets: h times the mass of the surface, and its sum is h times the area.
TEST_P(ElementMatrix, OfConvectionSumsToTheSurface) {
  const double h = 3.2;
  double area = 0;
  const FormValue form =
      dimension() == 3 ? FormValue(Convection<3>{h, 20}) : FormValue(Convection<2>{h, 20, thickness});
  const DiscreteProblem model(patch(kind(), {.count = 2, .random = 0.1}), 1,
                              [&](const Mesh& m) { return std::vector{Integral::over(form, m.region("x1"))}; });
  const AffineMap map(dimension());
  if (dimension() == 3) {
    const double u[3] = {map.A[0][1], map.A[1][1], map.A[2][1]}, v[3] = {map.A[0][2], map.A[1][2], map.A[2][2]};
    area = patch_lengths[1] * patch_lengths[2] *
           std::hypot(u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]);
  } else {
    area = thickness * patch_lengths[1] * std::hypot(map.A[0][1], map.A[1][1]);
  }
  double sum = 0;
  for (const double entry : host_matrix(model.matrix()).values) sum += entry;
  EXPECT_NEAR(sum, h * area, 1000 * unit_roundoff * h * area);
}

}  // namespace
}  // namespace ritz::test
