// L4: a field that the cells can represent is in equilibrium on any patch of them. The residual says so at every node
// without a solver: internal forces of a constant stress balance inside, and balance the loads on the boundary.
#include "tests/fem/models.hpp"

#include <cmath>

namespace ritz::test::patch_test {
namespace {

// u_i = c_i + sum G_ij x_j
constexpr double G[3][3] = {{0.8, -0.3, 0.45}, {0.25, 0.6, -0.55}, {-0.7, 0.35, 0.5}}, c0[3] = {0.4, -1.1, 0.9};

double linear_field(const Point& x, int i) { return c0[i] + G[i][0] * x[0] + G[i][1] * x[1] + G[i][2] * x[2]; }

// Quadratic: the square of a linear function, with another coefficient per component.
double quadratic_field(const Point& x, int i) {
  const double l = 0.3 * x[0] - 0.5 * x[1] + 0.2 * x[2];
  return linear_field(x, i) + (1 + i) * l * l + (2 - i) * x[0] * x[1];
}

// Stress of the linear field in the plane or in space. [direction][direction]
struct Stress {
  double s[3][3] = {};
  Stress(int dimension, double lambda) {
    double trace = 0;
    for (int i = 0; i < dimension; ++i) trace += G[i][i];
    for (int i = 0; i < dimension; ++i)
      for (int j = 0; j < dimension; ++j) s[i][j] = (i == j ? lambda * trace : 0) + lame.mu * (G[i][j] + G[j][i]);
  }
  std::vector<double> traction(int dimension, const Point& n) const {
    std::vector<double> t(static_cast<std::size_t>(dimension), 0.0);
    for (int i = 0; i < dimension; ++i)
      for (int j = 0; j < dimension; ++j) t[static_cast<std::size_t>(i)] += s[i][j] * n[static_cast<std::size_t>(j)];
    return t;
  }
};

// Sums of some hundred products, each with the rounding of an inverse Jacobian, relative to the largest sum of |K| |u|.
double tolerance_for(const DiscreteProblem& model, std::span<const double> u) {
  return 1000 * unit_roundoff * model.magnitude(u);
}

enum class Where { inside, everywhere };

void expect_equilibrium(const DiscreteProblem& model, const std::function<double(const Point&, int)>& field,
                        Where where) {
  const std::vector<double> u = model.values(field), r = model.residual(u);
  const std::vector<bool> boundary = on_boundary(model.mesh);
  const double tolerance = tolerance_for(model, u);
  const auto c = static_cast<std::size_t>(model.space.components());
  std::size_t checked = 0;
  for (std::size_t i = 0; i < r.size(); ++i) {
    if (where == Where::inside && boundary[i / c]) continue;
    ++checked;
    EXPECT_NEAR(r[i], 0, tolerance) << "node " << i / c << ", component " << i % c;
  }
  EXPECT_GT(checked, 0u) << "the patch has no node to check";
}

class PatchTest : public CellTest {
 public:
  // Straight and distorted; curved where the quadrature is exact on curved cells. On curved tet10 it is not: the
  // integrand of a constant stress has degree 3 there, the rule degree 2.
  template <class Fact>
  void on_patches(const Fact& fact) const {
    for (const bool curved : {false, true}) {
      if (curved && (traits(kind()).order == 1 || kind() == CellKind::tet10)) continue;
      SCOPED_TRACE(curved ? "curved" : "straight");
      fact(patch(kind(), {.count = 2, .random = curved ? 0.05 : 0.1, .curved = curved, .seed = 3}));
    }
  }
};
INSTANTIATE_TEST_SUITE_P(Cells, PatchTest, ::testing::ValuesIn(cell_kinds()), kind_name);

TEST_P(PatchTest, LinearTemperatureIsInEquilibriumInside) {
  on_patches([&](Mesh mesh) {
    expect_equilibrium(DiscreteProblem(std::move(mesh), heat_form(dimension())), linear_field, Where::inside);
  });
}

TEST_P(PatchTest, LinearDisplacementIsInEquilibriumInside) {
  on_patches([&](Mesh mesh) {
    expect_equilibrium(DiscreteProblem(std::move(mesh), elastic_form(dimension())), linear_field, Where::inside);
  });
}

TEST_P(PatchTest, LinearTemperatureBalancesItsFluxes) {
  on_patches([&](Mesh mesh) {
    const DiscreteProblem model(std::move(mesh), 1, [&](const Mesh& m) {
      std::vector integrals{Integral::over_all_cells(heat_form(dimension()))};
      for (const Side& side : sides(dimension())) {
        double inflow = 0;
        for (std::size_t d = 0; d < static_cast<std::size_t>(dimension()); ++d)
          inflow += conductivity * G[0][d] * side.normal[d];
        integrals.push_back(Integral::over(facet_load(dimension(), std::array{inflow}), m.region(side.region)));
      }
      return integrals;
    });
    expect_equilibrium(model, linear_field, Where::everywhere);
  });
}

std::vector<Integral> with_tractions(const Mesh& mesh, const FormValue& form, const Stress& stress) {
  std::vector integrals{Integral::over_all_cells(form)};
  for (const Side& side : sides(form.dimension))
    integrals.push_back(Integral::over(facet_load(form.dimension, stress.traction(form.dimension, side.normal)),
                                       mesh.region(side.region)));
  return integrals;
}

TEST_P(PatchTest, ConstantStressBalancesItsTractions) {
  on_patches([&](Mesh mesh) {
    const DiscreteProblem model(std::move(mesh), dimension(), [&](const Mesh& m) {
      return with_tractions(m, elastic_form(dimension()), Stress(dimension(), lame.lambda));
    });
    expect_equilibrium(model, linear_field, Where::everywhere);
  });
}

TEST_P(PatchTest, ConstantPlaneStressBalancesItsTractions) {
  if (dimension() == 3) return;  // plane cells only
  on_patches([&](Mesh mesh) {
    const double lambda = 2 * lame.lambda * lame.mu / (lame.lambda + 2 * lame.mu);
    const DiscreteProblem model(std::move(mesh), 2, [&](const Mesh& m) {
      return with_tractions(m, PlaneElasticity::plane_stress(lame, thickness), Stress(2, lambda));
    });
    expect_equilibrium(model, linear_field, Where::everywhere);
  });
}

// u = e x has the stress (3 lambda + 2 mu) e I, in the plane (2 lambda + 2 mu) e I: a pressure of the opposite sign.
TEST_P(PatchTest, UniformExpansionBalancesAPressure) {
  on_patches([&](Mesh mesh) {
    const double e = 0.37, p = -(dimension() * lame.lambda + 2 * lame.mu) * e;
    const FormValue pressure = dimension() == 3 ? FormValue(Pressure<3>{p}) : FormValue(Pressure<2>{p, thickness});
    const DiscreteProblem model(std::move(mesh), dimension(), [&](const Mesh& m) {
      std::vector integrals{Integral::over_all_cells(elastic_form(dimension()))};
      for (const Side& side : sides(dimension())) integrals.push_back(Integral::over(pressure, m.region(side.region)));
      return integrals;
    });
    expect_equilibrium(
        model, [&](const Point& x, int i) { return e * x[static_cast<std::size_t>(i)]; }, Where::everywhere);
  });
}

// T = a n.x + b grows along the normal of side x0, where it is constant: there the heat comes in by convection, through
// all other sides by given fluxes. k a = h (T - ambient) on x0, since the outward normal is n.
TEST_P(PatchTest, LinearTemperatureBalancesConvection) {
  on_patches([&](Mesh mesh) {
    const Side cooled = sides(dimension()).front();
    const double a = 1.7, b = 0.4, h = 5;
    const auto along = [&](const Point& x) {
      return x[0] * cooled.normal[0] + x[1] * cooled.normal[1] + x[2] * cooled.normal[2];
    };
    const double T = a * along(AffineMap(dimension())({0, 0, 0})) + b;
    const double ambient = T + conductivity * a / h;  // -k dT/dn = h (T - ambient)
    const DiscreteProblem model(std::move(mesh), 1, [&](const Mesh& m) {
      const FormValue convection =
          dimension() == 3 ? FormValue(Convection<3>{h, ambient}) : FormValue(Convection<2>{h, ambient, thickness});
      std::vector integrals{Integral::over_all_cells(heat_form(dimension())),
                            Integral::over(convection, m.region(cooled.region))};
      for (const Side& side : sides(dimension()))
        if (side.region != cooled.region)
          integrals.push_back(Integral::over(facet_load(dimension(), std::array{conductivity * a * along(side.normal)}),
                                             m.region(side.region)));
      return integrals;
    });
    expect_equilibrium(
        model, [&](const Point& x, int) { return a * along(x) + b; }, Where::everywhere);
  });
}

// Quadratic fields on affine cells of order 2 need a constant load: f = -k laplace(u), -div sigma = b.
class QuadraticPatchTest : public CellTest {};
INSTANTIATE_TEST_SUITE_P(Cells, QuadraticPatchTest, ::testing::ValuesIn(cell_kinds(2)), kind_name);

// Second derivatives of component i of the quadratic field.
double hessian(int i, int j, int k) {
  const double l[3] = {0.3, -0.5, 0.2};
  return 2 * (1 + i) * l[j] * l[k] + ((j == 0 && k == 1) || (j == 1 && k == 0) ? 2 - i : 0);
}

TEST_P(QuadraticPatchTest, QuadraticTemperatureIsInEquilibriumWithItsSource) {
  double source = 0;
  for (int d = 0; d < dimension(); ++d) source -= conductivity * hessian(0, d, d);
  const DiscreteProblem model(patch(kind(), {.count = 2}), 1, [&](const Mesh&) {
    return std::vector{Integral::over_all_cells(heat_form(dimension())),
                       Integral::over_all_cells(volume_load(dimension(), std::array{source}))};
  });
  expect_equilibrium(model, quadratic_field, Where::inside);
}

TEST_P(QuadraticPatchTest, QuadraticDisplacementIsInEquilibriumWithItsForce) {
  std::vector<double> force(static_cast<std::size_t>(dimension()), 0.0);
  for (int i = 0; i < dimension(); ++i)
    for (int j = 0; j < dimension(); ++j)
      force[static_cast<std::size_t>(i)] -= (lame.lambda + lame.mu) * hessian(j, j, i) + lame.mu * hessian(i, j, j);
  const DiscreteProblem model(patch(kind(), {.count = 2}), dimension(), [&](const Mesh&) {
    return std::vector{Integral::over_all_cells(elastic_form(dimension())),
                       Integral::over_all_cells(volume_load(dimension(), force))};
  });
  expect_equilibrium(model, quadratic_field, Where::inside);
}

// Hexahedra, prisms, pyramids and tetrahedra in one patch.
class MixedPatchTest : public ::testing::TestWithParam<std::pair<int, MidNodes>> {};
INSTANTIATE_TEST_SUITE_P(Orders, MixedPatchTest,
                         ::testing::Values(std::pair{1, MidNodes::full}, std::pair{2, MidNodes::full},
                                           std::pair{2, MidNodes::serendipity}));

TEST_P(MixedPatchTest, LinearTemperatureIsInEquilibriumInside) {
  expect_equilibrium(DiscreteProblem(mixed_patch(GetParam().first, GetParam().second, {.random = 0.1}), heat_form(3)),
                     linear_field, Where::inside);
}

TEST_P(MixedPatchTest, ConstantStressBalancesItsTractions) {
  const DiscreteProblem model(mixed_patch(GetParam().first, GetParam().second, {.random = 0.1}), 3, [&](const Mesh& m) {
    return with_tractions(m, elastic_form(3), Stress(3, lame.lambda));
  });
  expect_equilibrium(model, linear_field, Where::everywhere);
}

TEST_P(MixedPatchTest, QuadraticTemperatureIsInEquilibriumWithItsSource) {
  if (GetParam().first == 1) return;  // quadratic cells only
  const double source = -conductivity * (hessian(0, 0, 0) + hessian(0, 1, 1) + hessian(0, 2, 2));
  const DiscreteProblem model(mixed_patch(GetParam().first, GetParam().second), 1, [&](const Mesh&) {
    return std::vector{Integral::over_all_cells(heat_form(3)),
                       Integral::over_all_cells(volume_load(3, std::array{source}))};
  });
  expect_equilibrium(model, quadratic_field, Where::inside);
}

}  // namespace
}  // namespace ritz::test::patch_test
