// Forms of three dimensions in the plane: what is known of it from the forms that are written for it, from solids, in
// closed form.
#include "fem/analysis/nonlinear_solution.hpp"
#include "fem/forms/in_plane.hpp"
#include "fem/plugins/von_mises.hpp"
#include "fem/operator/evaluate.hpp"
#include "mesh/generators.hpp"
#include "tests/fem/dense.hpp"
#include "tests/fem/radial_return.hpp"
#include "tests/fem/stateful_forms.hpp"
#include "tests/fem/test_forms.hpp"

#include <cmath>
#include <gtest/gtest.h>
#include <numbers>
#include <numeric>

namespace ritz::test {
namespace {

const RadialReturn steel{
    .young = 200, .poisson = 0.3, .yield_stress = 0.25, .isotropic_hardening = 5, .kinematic_hardening = 15};
const VonMisesPlasticity plastic_steel{200, 0.3, 0.25, 5, 15};
const RadialReturn elastic_steel{
    .young = 200, .poisson = 0.3, .yield_stress = 1e9, .isotropic_hardening = 0, .kinematic_hardening = 0};
const Lame steel_lame = Lame::from(200, 0.3);

// The same residual, tangent and derived quantities; `first`: where those of `b` begin that are those of `a`.
void expect_same(const FormValue& a, const FormValue& b, int first, double tolerance = 1e-12) {
  const Mesh mesh = patch(CellKind::quad9, {.count = 2, .random = 0.1});  // x > 0
  const DiscreteProblem left(mesh, a), right(mesh, b);
  std::vector<double> u = random_values(static_cast<std::size_t>(left.space.unknown_count()), 7);
  for (double& value : u) value *= 1e-3;
  const Vector at = left.space.from_mesh(u), also = right.space.from_mesh(u);
  const Dense K = dense_on_mesh(left, left.matrix(at)), expected = dense_on_mesh(right, right.matrix(also));
  EXPECT_LE(largest_difference(K, expected), tolerance * largest_entry(expected));
  const std::vector<double> r = left.residual(u), rr = right.residual(u);
  for (std::size_t i = 0; i < r.size(); ++i) EXPECT_NEAR(r[i], rr[i], tolerance * right.magnitude(u));
  const DerivedFields mine = evaluate(left.equations, at), others = evaluate(right.equations, also);
  double size = 0;
  for (const double value : others.at_cells) size = std::max(size, std::abs(value));
  const auto m = static_cast<std::size_t>(mine.components), n = static_cast<std::size_t>(others.components);
  for (std::size_t cell = 0; cell < mine.at_cells.size() / m; ++cell)
    for (std::size_t k = 0; k < 6; ++k)
      EXPECT_NEAR(mine.at_cells[cell * m + k], others.at_cells[cell * n + static_cast<std::size_t>(first) + k],
                  tolerance * size);
}

TEST(InPlane, OfElasticBodiesIsPlaneElasticity) {
  expect_same(test_form(PlaneStrain<OwnElasticity>{{{steel_lame.lambda, steel_lame.mu}}}),
              PlaneElasticity::plane_strain(steel_lame, 1), 0);
  expect_same(test_form(Axisymmetric<OwnElasticity>{{{steel_lame.lambda, steel_lame.mu}}}),
              AxisymmetricElasticity{steel_lame.lambda, steel_lame.mu}, 0);
}

// Derived quantities are taken at the points of the residual where there is a state: bodies that vary linearly in a
// cell agree.
TEST(InPlane, OfBodiesThatDoNotYieldIsPlaneElasticity) {
  const auto same = [](const FormValue& a, const FormValue& b) {
    const Mesh mesh = patch(CellKind::quad8, {.count = 2, .random = 0.1});
    const DiscreteProblem left(mesh, a), right(mesh, b);
    std::vector<double> u = random_values(static_cast<std::size_t>(left.space.unknown_count()), 7);
    const Vector at = left.space.from_mesh(u);
    const Dense K = dense_on_mesh(left, left.matrix(at)), expected = dense_on_mesh(right, right.matrix(at));
    EXPECT_LE(largest_difference(K, expected), 1e-12 * largest_entry(expected));
    const std::vector<double> r = left.residual(u), rr = right.residual(u);
    for (std::size_t i = 0; i < r.size(); ++i) EXPECT_NEAR(r[i], rr[i], 1e-12 * right.magnitude(u));
  };
  same(test_form(PlaneStress<RadialReturn>{elastic_steel}), PlaneElasticity::plane_stress(steel_lame, 1));
}

TEST(InPlane, OfAnEnergyIsThatOfItsFlux) {
  const Mesh mesh = patch(CellKind::tri6, {.count = 2, .random = 0.05});
  const DiscreteProblem energy(mesh, test_form(PlaneStress<ElasticEnergy>{{{lame.lambda, lame.mu}}})),
      flux(mesh, PlaneElasticity::plane_stress(lame, 1));
  const Dense K = dense_on_mesh(energy, energy.matrix(energy.space.zeros())),
              expected = dense_on_mesh(flux, flux.matrix(flux.space.zeros()));
  EXPECT_LE(largest_difference(K, expected), 1e-13 * largest_entry(expected));
}

TEST(InPlane, OfScalarsHasTheMeasureOfTheRing) {
  const Mesh mesh = patch(CellKind::tri6, {.count = 2, .random = 0.05});
  const DiscreteProblem lifted(mesh, test_form(Axisymmetric<Diffusion<3>>{{conductivity, 1}})),
      own(mesh, AxisymmetricDiffusion{conductivity});
  const Dense K = dense_on_mesh(lifted, lifted.matrix()), expected = dense_on_mesh(own, own.matrix());
  EXPECT_LE(largest_difference(K, expected), 1e-14 * largest_entry(expected));
}

TEST(InPlane, KeepsFactsAndPutsAWordBeforeTheName) {
  const FormRecord r = record_of<Axisymmetric<RadialReturn>>();
  EXPECT_STREQ(r.name, "axisymmetric_test_radial_return");
  EXPECT_STREQ(PlaneStress<Elasticity>::name, "plane_stress_elasticity");
  EXPECT_STREQ(PlaneStrain<Elasticity>::name, "plane_strain_elasticity");
  EXPECT_EQ(r.components, 2);
  EXPECT_EQ(r.dimension, 2);
  EXPECT_EQ(r.extra_degree, 1);
  EXPECT_EQ(r.parameter_count, 5);
  EXPECT_EQ(r.state_count, 2);
  EXPECT_TRUE(r.of_revolution && r.symmetric && r.rate_independent && r.declared);
  EXPECT_FALSE(record_of<PlaneStrain<RadialReturn>>().of_revolution);
}

// A slice of a solid that cannot move across: every node of the solid moves as the one below it in the plane.
TEST(InPlane, PlaneStrainIsASolidHeldAcross) {
  const auto pull = [](const DiscreteProblem& model, int dimension) {
    auto fixed = std::make_unique<Constraints>(model.space);
    for (int c = 0; c < 2; ++c) fixed->prescribe(model.mesh.region("x0"), c, 0, "clamp");
    fixed->prescribe(model.mesh.region("x1"), 0, 0.004, "pulled");
    fixed->prescribe(model.mesh.region("x1"), 1, -0.006, "bent");
    if (dimension == 3) {
      const std::vector<Node> all = [&] {
        std::vector<Node> nodes(static_cast<std::size_t>(model.space.node_count()));
        std::iota(nodes.begin(), nodes.end(), Node{0});
        return nodes;
      }();
      fixed->prescribe_nodes(all, 2, 0, "held across");
    }
    fixed->finish();
    const NonlinearSolution s =
        solve_nonlinear(model.equations, *fixed, {.relative = 1e-12, .increments = 2, .path = {1, 0.3}});
    return std::pair(model.space.to_mesh(s.u), evaluate(model.equations, s.u));
  };
  const DiscreteProblem plane(rectangle(4, 2, {2, 1}, CellKind::quad4), plastic_steel.form({Space::plane}));
  const DiscreteProblem solid(box(4, 2, 1, {2, 1, 1}, CellKind::hex8), test_form(steel));
  const auto [u, fields] = pull(plane, 2);
  const auto [w, solid_fields] = pull(solid, 3);
  for (Index i = 0; i < solid.mesh.node_count(); ++i) {
    int found = 0;
    for (Index j = 0; j < plane.mesh.node_count(); ++j) {
      if (std::hypot(solid.mesh.point(i)[0] - plane.mesh.point(j)[0], solid.mesh.point(i)[1] - plane.mesh.point(j)[1]) >
          1e-9)
        continue;
      ++found;
      for (Index c = 0; c < 2; ++c)
        EXPECT_NEAR(w[static_cast<std::size_t>(3 * i + c)], u[static_cast<std::size_t>(2 * j + c)], 1e-12);
    }
    EXPECT_EQ(found, 1);
  }
  const auto largest_in = [](const DerivedFields& all, std::size_t component) {
    double largest = 0;
    for (std::size_t i = component; i < all.at_cells.size(); i += static_cast<std::size_t>(all.components))
      largest = std::max(largest, all.at_cells[i]);
    return largest;
  };
  const double largest = largest_in(fields, 18), expected = largest_in(solid_fields, 12);
  EXPECT_GT(largest, 0.001);  // it did yield
  EXPECT_NEAR(largest, expected, 1e-12);
}

// A sheet in tension along x, or along both: in both the von Mises stress is the tension, and the sheet thins as the
// material flows.
TEST(InPlane, PlaneStressOfASheetInClosedForm) {
  const double E = steel.young, nu = steel.poisson, H = steel.isotropic_hardening + steel.kinematic_hardening,
               Y = steel.yield_stress;
  for (const bool both : {false, true}) {
    const DiscreteProblem sheet(rectangle(2, 2, {1, 1}, CellKind::quad4, {.random = 0.1}),
                                test_form(PlaneStress<RadialReturn>{steel}));
    const double stretch = 0.004;
    Constraints fixed(sheet.space);
    for (int c = 0; c < 2; ++c) fixed.prescribe(sheet.mesh.region(c == 0 ? "x0" : "y0"), c, 0, "sides");
    for (int c = 0; c < (both ? 2 : 1); ++c)
      fixed.prescribe(sheet.mesh.region(c == 0 ? "x1" : "y1"), c, stretch, "pulled");
    fixed.finish();
    const NonlinearSolution s = solve_nonlinear(sheet.equations, fixed, {.relative = 1e-13, .increments = 3});
    // s = Y + H a; e = s / E + a in one direction, e = s (1 - nu) / E + a / 2 in both.
    const double a = both ? (stretch - Y * (1 - nu) / E) / (0.5 + H * (1 - nu) / E) : (stretch - Y / E) / (1 + H / E);
    const double stress = Y + H * a;
    ASSERT_GT(a, 1e-3);
    const DerivedFields fields = evaluate(sheet.equations, s.u);
    ASSERT_EQ(fields.components, 13);
    for (std::size_t cell = 0; cell < fields.at_cells.size(); cell += 13) {
      EXPECT_NEAR(fields.at_cells[cell], stress, 1e-11);
      EXPECT_NEAR(fields.at_cells[cell + 1], both ? stress : 0, 1e-11);
      EXPECT_NEAR(fields.at_cells[cell + 2], 0, 1e-11);
      EXPECT_NEAR(fields.at_cells[cell + 8], both ? -a : -a / 2, 1e-13);
      EXPECT_NEAR(fields.at_cells[cell + 12], a, 1e-13);
    }
  }
}

// Hill, The Mathematical Theory of Plasticity, 1950, ch. V.2: a sphere 1 ... 2 under pressure, plastic to c, without
// hardening; a quarter of its section turns about the axis.
TEST(InPlane, SphereOfRevolutionAsHillHasIt) {
  const double Y = 0.25, E = 200, nu = 0.3, c = 1.4, pressure = 2 * Y * std::log(c) + 2.0 / 3 * Y * (1 - c * c * c / 8);
  MeshData data = rectangle_data(12, 12, {1, 1}, CellKind::quad9);
  for (std::size_t i = 0; i < data.points.size(); i += 3) {
    const double radius = 1 + data.points[i], angle = 0.5 * std::numbers::pi * data.points[i + 1];
    data.points[i] = radius * std::cos(angle);
    data.points[i + 1] = radius * std::sin(angle);
  }
  VonMisesPlasticity ideal = plastic_steel;
  ideal.isotropic_hardening = ideal.kinematic_hardening = 0;
  const DiscreteProblem sphere(Mesh(std::move(data)), 2, [&](const Mesh& mesh) {
    return std::vector{Integral::over_all_cells(ideal.form({Space::revolution})),
                       Integral::over(FormValue(Axisymmetric<Pressure<3>>{{pressure}}), mesh.region("x0"))};
  });
  Constraints fixed(sphere.space);
  fixed.prescribe(sphere.mesh.region("y0"), 1, 0, "plane of symmetry");
  fixed.prescribe(sphere.mesh.region("y1"), 0, 0, "axis");
  fixed.finish();
  const NonlinearSolution s = solve_nonlinear(sphere.equations, fixed, {.relative = 1e-10, .increments = 4});
  const std::vector<double> u = sphere.space.to_mesh(s.u);
  const double outside = Y * c * c * c * (1 - nu) / (E * 4);
  int seen = 0;
  for (Index node = 0; node < sphere.mesh.node_count(); ++node) {
    const auto p = sphere.mesh.point(node);
    if (std::abs(std::hypot(p[0], p[1]) - 2) > 1e-3) continue;
    const auto i = static_cast<std::size_t>(2 * node);
    EXPECT_NEAR((u[i] * p[0] + u[i + 1] * p[1]) / 2, outside, 2e-3 * outside);
    ++seen;
  }
  EXPECT_EQ(seen, 25);
}

}  // namespace
}  // namespace ritz::test
