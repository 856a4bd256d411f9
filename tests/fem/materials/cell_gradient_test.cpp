// Assumed gradients of linear hexahedra and quadrilaterals: tangents that are derivatives of residuals, no motion
// without stress but the rigid ones, and exact stresses of linear displacements.
#include "device/error.hpp"
#include "fem/elements/hourglass.hpp"
#include "fem/plugins/material.hpp"
#include "mesh/generators.hpp"
#include "tests/fem/dense.hpp"
#include "tests/fem/materials/every_law.hpp"
#include "tests/fem/materials/tangents.hpp"

#include "fem/physics/orientation.hpp"

#include <numbers>

namespace ritz::test {
namespace {

using ::testing::HasSubstr;

Mesh cells_in(Space space) {
  if (space == Space::solid) return box(2, 1, 2, {1, 1.1, 0.9}, CellKind::hex8, {.smooth = 0.1});
  return rectangle(2, 2, {1, 1.2}, CellKind::quad4, {.smooth = 0.1, .random = 0.1});
}
std::string name_in(Space space) {
  return space == Space::solid ? "solid" : space == Space::plane ? "plane" : "revolution";
}
constexpr Space every_space[] = {Space::solid, Space::plane, Space::revolution};

template <Law L>
void expect_tangents_of_mean_dilatation(bool large, double size) {
  for (const Space space : every_space)
    expect_tangent(material(example_of<L>(), {space, large, false, CellGradient::mean_dilatation}), cells_in(space),
                   size, std::string(L::name) + (large ? " large " : " small ") + name_in(space));
}

TEST(CellGradient, TangentsOfMeanDilatationAreDerivativesOfResiduals) {
  expect_tangents_of_mean_dilatation<LinearElastic>(false, 0.3);
  expect_tangents_of_mean_dilatation<LinearElastic>(true, 0.3);
  expect_tangents_of_mean_dilatation<NeoHooke>(true, 0.3);
  expect_tangents_of_mean_dilatation<J2>(false, 0.2);
  expect_tangents_of_mean_dilatation<J2>(true, 0.2);
  expect_tangents_of_mean_dilatation<DruckerPrager>(false, -0.2);
  expect_tangents_of_mean_dilatation<DruckerPrager>(true, -0.2);
}

TEST(CellGradient, TangentsOfMeanDilatationWithAxesAndFreeStrainsAreDerivativesOfResiduals) {
  const std::vector<PointFunction> wound = Orientation::cylindrical({-1, -0.5, 0}, {0, 0, 1}).functions();
  const auto warm = [](double x) { return PointFunction(PointExpression(x) + 0.01 * PointExpression::x()); };
  for (const bool large : {false, true})
    expect_tangent(MaterialLaw(example_of<Orthotropic>())
                       .form({Space::solid, large, false, CellGradient::mean_dilatation},
                             {{warm(0), warm(0.02), warm(-0.01)}, wound}),
                   cells_in(Space::solid), 0.3, large ? "large" : "small");
}

template <Law L>
void expect_tangents_of_incompatible_modes(bool large, double size) {
  const auto expect = [&](Space space, bool plane_stress) {
    expect_tangent(
        material(example_of<L>(), {space, large, plane_stress, CellGradient::incompatible_modes}), cells_in(space),
        size,
        std::string(L::name) + (large ? " large " : " small ") + (plane_stress ? "plane stress" : name_in(space)));
  };
  expect(Space::solid, false);
  expect(Space::plane, false);
  if (LawFacts<L>::symmetric) expect(Space::plane, true);
}

TEST(CellGradient, TangentsOfIncompatibleModesAreDerivativesOfResiduals) {
  expect_tangents_of_incompatible_modes<LinearElastic>(false, 0.3);
  expect_tangents_of_incompatible_modes<LinearElastic>(true, 0.3);
  expect_tangents_of_incompatible_modes<NeoHooke>(true, 0.3);
  expect_tangents_of_incompatible_modes<J2>(false, 0.2);
  expect_tangents_of_incompatible_modes<J2>(true, 0.2);
  expect_tangents_of_incompatible_modes<DruckerPrager>(false, -0.2);
  expect_tangents_of_incompatible_modes<DruckerPrager>(true, -0.2);
  expect_tangent(material(example_of<Orthotropic>(), {.gradient = CellGradient::incompatible_modes}),
                 cells_in(Space::solid), 0.3, "orthotropic");
}

TEST(CellGradient, TangentsOfAUniformGradientAreDerivativesOfResiduals) {
  for (const bool large : {false, true}) {
    const Kinematics solid{.large = large, .gradient = CellGradient::uniform};
    expect_tangent(material(example_of<J2>(), solid), cells_in(Space::solid), 0.2, large ? "large" : "small");
  }
  expect_tangent(HourglassStiffness{0.3}, cells_in(Space::solid), 0.3, "hourglasses");
}

struct Case {
  Space space;
  CellGradient gradient;
  int rigid_motions;
};
constexpr Case cases[] = {
    {Space::solid, CellGradient::mean_dilatation, 6},      {Space::plane, CellGradient::mean_dilatation, 3},
    {Space::revolution, CellGradient::mean_dilatation, 1}, {Space::solid, CellGradient::incompatible_modes, 6},
    {Space::plane, CellGradient::incompatible_modes, 3},   {Space::solid, CellGradient::uniform, 6}};
// With the stiffness against hourglasses of a uniform gradient.
std::vector<Integral> integrals_of(const LinearElastic& law, const Case& c) {
  std::vector<Integral> made{Integral::over_all_cells(material(law, {c.space, false, false, c.gradient}))};
  if (c.gradient == CellGradient::uniform)
    made.push_back(Integral::over_all_cells(HourglassStiffness{0.01 * law.young}));
  return made;
}
const LinearElastic nearly_incompressible = {3, 0.4999}, compressible = {3, 0.3};

// The same facts of plain elements: tests/fem/operator/element_algebra_test.cpp. 2 G and 3 K differ by 5000, so that
// small eigenvalues begin at about 1e-5 of the largest.
TEST(CellGradient, MatricesAreSymmetricAndHaveExactlyTheRigidMotionsInTheirKernel) {
  for (const Case& c : cases)
    for (const LinearElastic& law : {compressible, nearly_incompressible})
      for (const bool one : {true, false}) {
        SCOPED_TRACE(name_in(c.space) + (one ? ", one cell" : ", a patch"));
        const Mesh one_cell = c.space == Space::solid ? box(1, 1, 1, {1, 1.1, 0.9}, CellKind::hex8)
                                                      : rectangle(1, 1, {1, 1.2}, CellKind::quad4);
        const DiscreteProblem p(one ? one_cell : cells_in(c.space), c.space == Space::solid ? 3 : 2,
                                [&](const Mesh&) { return integrals_of(law, c); });
        const Dense K = dense_on_mesh(p, p.matrix());
        const double scale = largest_entry(K);
        double difference = 0;
        for (std::size_t i = 0; i < K.n; ++i)
          for (std::size_t j = 0; j < i; ++j) difference = std::max(difference, std::abs(K(i, j) - K(j, i)));
        EXPECT_LE(difference, 1e-14 * scale);
        EXPECT_EQ(eigenvalues_below(K, -1e-12 * scale), 0);
        EXPECT_EQ(eigenvalues_below(K, 1e-12 * scale), c.rigid_motions);
        EXPECT_EQ(eigenvalues_below(K, 1e-6 * scale), c.rigid_motions);
      }
}

// The mean change of volume is the one motion of a cell that becomes rigid as Poisson's ratio nears a half.
TEST(CellGradient, AMeanDilatationLeavesOneStiffChangeOfVolume) {
  const LinearElastic law = {3, 0.5 - 1e-7};
  for (const Space space : {Space::solid, Space::plane})
    for (const CellGradient gradient : {CellGradient::own, CellGradient::mean_dilatation}) {
      SCOPED_TRACE(name_in(space));
      const Mesh one_cell = space == Space::solid ? box(1, 1, 1, {1, 1.1, 0.9}, CellKind::hex8)
                                                  : rectangle(1, 1, {1, 1.2}, CellKind::quad4);
      const DiscreteProblem p(one_cell, material(law, {space, false, false, gradient}));
      const Dense K = dense_on_mesh(p, p.matrix());
      const int stiff = static_cast<int>(K.n) - eigenvalues_below(K, 1e3 * law.young);
      if (gradient == CellGradient::mean_dilatation) EXPECT_EQ(stiff, 1);
      else EXPECT_GT(stiff, 1);
    }
}

// u = (x y, -x^2 / 2) bends a rectangle of height h by a curvature of 1, in plane stress: E h^3 / 12 per length.
TEST(CellGradient, IncompatibleModesBendARectangleExactly) {
  const double length = 3, height = 0.5, exact = compressible.young * length * height * height * height / 12;
  const auto energy = [&](CellGradient gradient) {
    const DiscreteProblem p(rectangle(1, 1, {length, height}, CellKind::quad4),
                            material(compressible, {Space::plane, false, true, gradient}));
    const std::vector<double> u =
        p.values([&](const Point& x, int i) { return i == 0 ? x[0] * (x[1] - height / 2) : -x[0] * x[0] / 2; });
    const std::vector<double> r = p.residual(u);
    double sum = 0;
    for (std::size_t i = 0; i < u.size(); ++i) sum += u[i] * r[i];
    return sum;
  };
  EXPECT_NEAR(energy(CellGradient::incompatible_modes), exact, 1e-13 * exact);
  EXPECT_GT(energy(CellGradient::own), 10 * exact);
}

// The same rectangle of von Mises's plasticity: its two points across have the stress of the tension test, and the
// moment of these stresses.
TEST(CellGradient, IncompatibleModesBendAPlasticRectangleByTheStressOfTensionTests) {
  const double length = 3, height = 0.5, curvature = 0.1, slope = 300;
  J2 law{.young = 1000, .poisson = 0.3};
  law.yield = {{0, 0.1, 1, 1, 1, 1, 1, 1}, {5, 5 + slope * 0.1, 99, 99, 99, 99, 99, 99}};
  const double y = height / (2 * std::numbers::sqrt3), strain = curvature * y;
  const double stress = (5 + slope * strain) / (1 + slope / law.young), moment = 0.5 * height * 2 * y * stress;
  ASSERT_GT(law.young * strain, 2 * 5);
  const DiscreteProblem p(rectangle(1, 1, {length, height}, CellKind::quad4),
                          material(law, {Space::plane, false, true, CellGradient::incompatible_modes}));
  const std::vector<double> u = p.values(
      [&](const Point& x, int i) { return curvature * (i == 0 ? x[0] * (x[1] - height / 2) : -x[0] * x[0] / 2); });
  const std::vector<double> r = p.residual(u);
  double work = 0;
  for (std::size_t i = 0; i < u.size(); ++i) work += u[i] * r[i];
  EXPECT_NEAR(work, moment * curvature * length, 1e-9 * work);
}

// u = Q (x + v) - x has the forces of v, turned: amplitudes of modes do not depend on a rotation of the body.
TEST(CellGradient, ForcesTurnWithTheBody) {
  const double c = std::cos(2.0), s = std::sin(2.0);
  const auto expect = [&](const auto& law, CellGradient gradient) {
    const DiscreteProblem p(cells_in(Space::solid), material(law, {Space::solid, true, false, gradient}));
    const std::vector<double> v = bent(p, 0.5);
    std::vector<double> turned = v;
    for (Node node = 0; node < p.mesh.node_count(); ++node) {
      const std::size_t i = 3 * static_cast<std::size_t>(node);
      const auto x = p.mesh.point(node);
      turned[i] = c * (x[0] + v[i]) - s * (x[1] + v[i + 1]) - x[0];
      turned[i + 1] = s * (x[0] + v[i]) + c * (x[1] + v[i + 1]) - x[1];
    }
    const std::vector<double> f = p.residual(v), g = p.residual(turned);
    double largest = 0;
    for (const double each : f) largest = std::max(largest, std::abs(each));
    for (std::size_t i = 0; i < f.size(); i += 3) {
      EXPECT_NEAR(g[i], c * f[i] - s * f[i + 1], 1e-9 * largest);  // amplitudes end at 1e-10 of the forces
      EXPECT_NEAR(g[i + 1], s * f[i] + c * f[i + 1], 1e-9 * largest);
      EXPECT_NEAR(g[i + 2], f[i + 2], 1e-9 * largest);
    }
  };
  for (const CellGradient gradient :
       {CellGradient::mean_dilatation, CellGradient::incompatible_modes, CellGradient::uniform}) {
    expect(NeoHooke{3, 0.4}, gradient);
    expect(example_of<J2>(), gradient);
  }
}

// A square that is compressed to a third, free at its sides. The only motion that loses energy is the rotation under
// dead loads; modes that are not transposed lose it in hourglasses below 0.63 (Wriggers and Reese, Comput. Methods
// Appl. Mech. Engrg. 135 (1996) 201).
TEST(CellGradient, IncompatibleModesDoNotBuckleUnderCompression) {
  const DiscreteProblem p(rectangle(1, 1, {1, 1}, CellKind::quad4),
                          material(NeoHooke{1, 0.3}, {Space::plane, true, false, CellGradient::incompatible_modes}));
  const double across = 1.4469671199660796;  // free of stress
  const Vector u = p.space.from_mesh(
      p.values([&](const Point& x, int i) { return i == 0 ? (across - 1) * x[0] : (1.0 / 3 - 1) * x[1]; }));
  const Dense K = dense_on_mesh(p, p.matrix(u));
  EXPECT_EQ(eigenvalues_below(K, -1e-3 * largest_entry(K)), 1);
}

// Then forces at all nodes are those of the cells' own gradient.
TEST(CellGradient, StressesOfLinearDisplacementsAreExact) {
  for (const Case& c : cases)
    for (const bool large : {false, true}) {
      SCOPED_TRACE(name_in(c.space) + (large ? ", large" : ", small"));
      for (const bool plastic : {false, true}) {
        const auto forces = [&](CellGradient gradient) {
          const Kinematics kinematics{c.space, large, false, gradient};
          const DiscreteProblem p(cells_in(c.space), plastic ? material(example_of<J2>(), kinematics)
                                                     : large ? material(NeoHooke{3, 0.4}, kinematics)
                                                             : material(compressible, kinematics));
          return p.residual(p.values([](const Point& x, int i) {
            return i == 0 ? 0.3 * x[0] : i == 1 ? -0.2 * x[0] + 0.1 * x[1] : 0.2 * x[1] - 0.1 * x[2];
          }));
        };
        const std::vector<double> exact = forces(CellGradient::own), assumed = forces(c.gradient);
        double largest = 0;
        for (const double each : exact) largest = std::max(largest, std::abs(each));
        for (std::size_t i = 0; i < exact.size(); ++i) EXPECT_NEAR(assumed[i], exact[i], 1e-13 * largest);
      }
    }
}

TEST(CellGradient, ThatALawOrASpaceDoesNotHaveIsRefused) {
  const auto why = [](const auto& law, const Kinematics& kinematics) -> std::string {
    try {
      material(law, kinematics);
    } catch (const Error& error) { return error.message(); }
    return "nothing";
  };
  EXPECT_THAT(why(compressible, {Space::plane, false, true, CellGradient::mean_dilatation}), HasSubstr("plane stress"));
  EXPECT_THAT(why(compressible, {Space::revolution, false, false, CellGradient::incompatible_modes}),
              HasSubstr("body of revolution"));
  EXPECT_THAT(why(compressible, {Space::plane, false, false, CellGradient::uniform}), HasSubstr("in the plane"));
  EXPECT_THAT(why(example_of<DruckerPrager>(), {Space::solid, false, false, CellGradient::uniform}),
              HasSubstr("a uniform gradient"));
}

}  // namespace
}  // namespace ritz::test
