// Laws in models: the same numbers as at one point, tangents that are derivatives of residuals, in every space and
// measure of strain, and whole analyses by Newton's method.
#include "fem/operator/evaluate.hpp"
#include "fem/plugins/law_check.hpp"
#include "fem/plugins/material.hpp"

#include "device/error.hpp"
#include "fem/analysis/analysis.hpp"
#include "fem/analysis/nonlinear_solution.hpp"
#include "fem/forms/in_plane.hpp"
#include "tests/fem/radial_return.hpp"
#include "tests/fem/test_forms.hpp"
#include "fem/physics/any_form.hpp"
#include "fem/physics/orientation.hpp"
#include "mesh/generators.hpp"
#include "tests/device/small_sizes.hpp"
#include "tests/fem/materials/every_law.hpp"
#include "tests/fem/materials/tangents.hpp"
#include "tests/fem/models.hpp"

#include <cmath>
#include <gmock/gmock.h>
#include <numbers>

namespace ritz::test {
namespace {

using ::testing::HasSubstr;

Mesh solid(CellKind kind) { return box(1, 1, 1, {1, 1.1, 0.9}, kind); }

template <Law L>
constexpr bool is_of_soil =
    std::is_same_v<L, DruckerPrager> || std::is_same_v<L, MohrCoulomb> || std::is_same_v<L, Cap>;

template <Law L>
void expect_tangents() {
  const L law = example_of<L>();
  // compression for soil, whose tangent vanishes at the apex of its cone
  const double size = L::large == Strain::green_lagrange ? 0.5 : is_of_soil<L> ? -0.2 : 0.2;
  for (const bool large : {false, true}) {
    if (!large && !LawFacts<L>::small) continue;
    const auto name = std::string(L::name) + (large ? " large" : " small");
    expect_tangent(material(law, {Space::solid, large}), solid(CellKind::hex8), size, name);
    const Mesh plane = rectangle(1, 1, {1, 1.2}, CellKind::quad4);
    expect_tangent(material(law, {Space::plane, large}), plane, size, name + " plane");
    expect_tangent(material(law, {Space::plane, large, true}), plane, 0.3 * size, name + " plane stress");
    expect_tangent(material(law, {Space::revolution, large}), plane, size, name + " revolution");
  }
}

TEST(Material, TangentsOfElasticLawsAreDerivativesOfResidualsInEverySpace) {
  expect_tangents<LinearElastic>();
  expect_tangents<Orthotropic>();
  expect_tangents<NoTension>();
  expect_tangents<NoCompression>();
  expect_tangents<NeoHooke>();
  expect_tangents<MooneyRivlin>();
  expect_tangents<Polynomial>();
  expect_tangents<Yeoh>();
  expect_tangents<ArrudaBoyce>();
  expect_tangents<Ogden>();
  expect_tangents<Hyperfoam>();
}
TEST(Material, TangentsOfInelasticLawsAreDerivativesOfResidualsInEverySpace) {
  expect_tangents<J2>();
  expect_tangents<Chaboche>();
  expect_tangents<Hill>();
  expect_tangents<DruckerPrager>();
  expect_tangents<MohrCoulomb>();
  expect_tangents<Cap>();
  expect_tangents<J2Rate>();
  expect_tangents<Norton>();
  expect_tangents<NortonStrain>();
  expect_tangents<Prony>();
}

TEST(Material, TangentsWithAxesAndFreeStrainsAreDerivativesOfResiduals) {
  const std::vector<PointFunction> wound = Orientation::cylindrical({-1, -0.5, 0}, {0, 0, 1}).functions();
  const auto warm = [](double x) { return PointFunction(PointExpression(x) + 0.01 * PointExpression::x()); };
  for (const bool large : {false, true}) {
    const std::string size = large ? " large" : " small";
    expect_tangent(MaterialLaw(example_of<Hill>()).form({Space::solid, large}, {{warm(0.01)}, wound}),
                   solid(CellKind::hex8), 0.2, "hill" + size);
    expect_tangent(
        MaterialLaw(example_of<Orthotropic>()).form({Space::solid, large}, {{warm(0), warm(0.02), warm(-0.01)}, wound}),
        solid(CellKind::hex8), 0.3, "orthotropic" + size);
    expect_tangent(MaterialLaw(example_of<J2>()).form({Space::plane, large, true}, {{warm(0.02)}, wound}),
                   rectangle(1, 1, {1, 1.2}, CellKind::quad4), 0.1, "j2 in plane stress" + size);
    expect_tangent(MaterialLaw(example_of<J2Rate>())
                       .form({Space::solid, large},
                             {.free_strains = {warm(0.01)}, .temperature = PointFunction(90.0 * PointExpression::y())}),
                   solid(CellKind::hex8), 0.2, "j2_rate over temperature" + size);
    const PointFunction young = 900.0 + 300.0 * PointExpression::y(), poisson = 0.3 - 0.1 * PointExpression::x();
    expect_tangent(
        MaterialLaw(example_of<J2>()).form({Space::plane, large, true}, {.varying = {{0, young}, {1, poisson}}}),
        rectangle(1, 1, {1, 1.2}, CellKind::quad4), 0.1, "j2 with constants that vary in plane stress" + size);
    expect_tangent(MaterialLaw(example_of<J2Rate>())
                       .form({Space::solid, large},
                             {{warm(0.01)}, wound, {{0, young}}, PointFunction(90.0 * PointExpression::y())}),
                   solid(CellKind::hex8), 0.2, "j2_rate with all inputs" + size);
  }
}

// F = F_law (1 + strain): the law sees no strain.
TEST(Material, AFreeStrainOfItsSizeCausesNoForce) {
  for (const bool large : {false, true})
    for (const FormValue& form : {MaterialLaw(example_of<Orthotropic>()).form({Space::solid, large}, {{constant(0.1)}}),
                                  MaterialLaw(example_of<J2>()).form({Space::solid, large}, {{constant(0.1)}})}) {
      const DiscreteProblem p(solid(CellKind::tet10), form);
      for (const double x : p.residual(p.values([&](const Point&at, int i) { return 0.1 * at[i]; })))
        EXPECT_NEAR(x, 0, 1e-11);
    }
}

// Along x, which is axis 2 of the turned material.
TEST(Material, AxesTurnALaw) {
  const auto pulled = [](const FormValue& form) {
    const DiscreteProblem p(solid(CellKind::hex8), form);
    return p.residual(p.values([](const Point& at, int i) { return i == 0 ? 0.05 * at[0] : 0.0; }));
  };
  Hill along = example_of<Hill>(), turned = along;
  std::swap(turned.r_xx, turned.r_yy);
  std::swap(turned.r_yz, turned.r_xz);
  const auto axes = Orientation::along({0, -1, 0}, {1, 0, 0}).functions();
  const auto a = pulled(material(along, {.large = true}));
  const auto b = pulled(MaterialLaw(turned).form({.large = true}, {.axes = axes}));
  for (std::size_t i = 0; i < a.size(); ++i) EXPECT_NEAR(a[i], b[i], 1e-11);
}

TEST(Material, LawsWithDifferentInternalVariablesGiveStrainAndStressAtOnce) {
  const Mesh mesh = box(2, 1, 1, {2, 1, 1}, CellKind::hex8);
  const FunctionSpace space(mesh, 3, Device::named("cpu"));
  const Operator equations(space, {Integral::over_cells(material(example_of<J2>()), {0}),
                                   Integral::over_cells(material(example_of<Chaboche>()), {1})});
  Vector u = space.zeros();
  EXPECT_EQ(evaluate(equations, u).components, 12);
  EXPECT_GE(evaluate(equations, u, "j2").components, 19);
  EXPECT_GE(evaluate(equations, u, "chaboche").components, 37);
}

TEST(Material, LongTablesOfHardeningKeepThePointsThatMatter) {
  HardeningPoints points;
  for (int i = 0; i <= 100; ++i) points.emplace_back(0.01 * i, i < 30 ? 100 + i : 130);
  EXPECT_LT(shorten(points), 1e-12);
  EXPECT_LE(points.size(), 8u);
  EXPECT_EQ(hardening("j2", points).at(0.3), 130);
}

// A uniform state of strain beyond yield: half of the yield stress at 120 degrees.
TEST(Material, PointsOfABodyYieldAtTheirTemperatures) {
  J2Rate law = example_of<J2Rate>();
  law.rate = 0;
  const auto pressed = [](const FormValue& form) {
    const DiscreteProblem p(solid(CellKind::hex8), form);
    return p.residual(p.values([](const Point& at, int i) { return i == 0 ? 0.1 * at[1] : 0.0; }));
  };
  const auto cold = pressed(MaterialLaw(law).form({}, {.temperature = constant(20)})),
             warm = pressed(MaterialLaw(law).form({}, {.temperature = constant(120)})),
             none = pressed(MaterialLaw(law).form({}));
  EXPECT_EQ(cold, none);
  double hot = 0, strong = 0;
  for (std::size_t i = 0; i < cold.size(); ++i) {
    hot = std::max(hot, std::abs(warm[i]));
    strong = std::max(strong, std::abs(cold[i]));
  }
  EXPECT_LT(hot, 0.55 * strong);
  EXPECT_GT(hot, 0.45 * strong);
}

// Numbers that vary, and are the same everywhere, are the law's own: all lanes of a pack are answered at once. Where
// they differ from point to point, each point has its own stress.
TEST(Material, NumbersThatVaryTakeThePlaceOfTheLawsOwn) {
  const auto stresses = [](const MaterialLaw& law, const LawInputs& inputs) {
    const DiscreteProblem p(box(3, 1, 1, {3, 1, 1}, CellKind::hex8), law.form({}, inputs));
    return p.residual(p.values([](const Point& at, int i) { return i == 1 ? 0.02 * at[1] : 0.0; }));
  };
  J2 soft = example_of<J2>(), stiff = soft;
  stiff.young = 1500;
  const PointExpression x = PointExpression::x();
  EXPECT_EQ(stresses(soft, {.varying = {{0, constant(1500)}}}), stresses(stiff, {}));
  const std::vector<double> of_soft = stresses(soft, {}), of_stiff = stresses(stiff, {}),
                            of_both = stresses(
                                soft, {.varying = {{0, PointExpression::choice(x < 1.0, 1500.0, soft.young)}}});
  const Mesh mesh = box(3, 1, 1, {3, 1, 1}, CellKind::hex8);
  for (std::size_t node = 0; node < of_both.size() / 3; ++node)
    for (std::size_t i = 0; i < 3; ++i) {
      const double at = mesh.point(static_cast<Node>(node))[0];
      if (at < 0.5) { EXPECT_NEAR(of_both[3 * node + i], of_stiff[3 * node + i], 1e-12); }
      if (at > 1.5) { EXPECT_NEAR(of_both[3 * node + i], of_soft[3 * node + i], 1e-12); }
    }
}

template <Law... L>
void check_all(LawList<L...>) {
  const Device cpu = Device::named("cpu", 1);
  const auto check = [&](const MaterialLaw& law) {
    for (const bool large : {false, true})
      if (large || law.record->small) {
        for (const LawFinding& each : check_law(cpu, law, large, {.strain = 0.02, .paths = 1}))
          EXPECT_TRUE(each.holds()) << law.record->name << ": " << each.name << ", " << each.worst;
      }
  };
  (check(example_of<L>()), ...);
}
TEST(LawCheck, AllLawsTurnWithTheBodyAndReturnNoWork) { check_all(BuiltInLaws{}); }

TEST(LawCheck, FindsMaterialsThatReturnWorkOrClaimWhatTheyAreNot) {
  const Device cpu = Device::named("cpu", 1);
  const auto failures = [&](const MaterialLaw& law) {
    std::vector<std::string> names;
    for (const LawFinding& each : check_law(cpu, law, false, {.strain = 0.02, .paths = 1}))
      if (!each.holds()) names.push_back(each.name);
    return names;
  };
  LawRecord claims = record_of_law<DruckerPrager>();
  claims.symmetric = true;
  const DruckerPrager soil = example_of<DruckerPrager>();
  EXPECT_THAT(failures({claims, &soil, module_of_laws}), testing::ElementsAre("moduli are symmetric"));
  LawRecord turns = record_of_law<Orthotropic>();
  turns.isotropic = true;
  Orthotropic wood = example_of<Orthotropic>();
  EXPECT_THAT(failures({turns, &wood, module_of_laws}),
              testing::ElementsAre("a turned material has the same stresses"));
  Prony active = example_of<Prony>();  // it would stiffen with time
  active.g1 = active.k1 = -3;
  EXPECT_THAT(failures(active), testing::ElementsAre("closed paths of strain return no work"));
}

TEST(Material, EveryCellHasTheTangentOfTheResidual) {
  for (const CellKind kind : {CellKind::tet4, CellKind::tet10, CellKind::hex20, CellKind::prism6, CellKind::hex27})
    expect_tangent(material(example_of<J2>(), {Space::solid, true}), solid(kind), 0.2, std::string(traits(kind).name));
}

TEST(Material, LinearElasticityAtSmallDisplacementsIsTheFormOfElasticity) {
  const DiscreteProblem law(solid(CellKind::hex8), material(LinearElastic{1000, 0.3})),
      form(solid(CellKind::hex8), FormValue(Elasticity{Lame::from(1000, 0.3).lambda, Lame::from(1000, 0.3).mu}));
  const auto a = law.residual(bent(law, 1)), b = form.residual(bent(form, 1));
  for (std::size_t i = 0; i < a.size(); ++i) EXPECT_NEAR(a[i], b[i], 1e-10);
}

TEST(Material, ARigidRotationCausesNoForce) {
  for (const FormValue& form :
       {material(example_of<NeoHooke>(), {Space::solid, true}), material(example_of<J2>(), {Space::solid, true})}) {
    const DiscreteProblem p(solid(CellKind::tet10), form);
    const double c = std::cos(1.2), s = std::sin(1.2);
    const auto r = p.residual(p.values([&](const Point& x, int i) {
      return i == 0 ? c * x[0] - s * x[1] - x[0] : i == 1 ? s * x[0] + c * x[1] - x[1] : 0.0;
    }));
    for (const double x : r) EXPECT_NEAR(x, 0, 1e-11);
  }
}

// A block held so that its sides are free, pulled or pushed at x1.
struct Bar {
  Bar(const Mesh& mesh, FormValue form, double stretch) : model(mesh, std::move(form)), fixed(model.space) {
    const int directions = model.space.components();
    for (int c = 0; c < directions; ++c)
      fixed.prescribe(model.mesh.region(std::string(1, "xyz"[c]) + "0"), c, 0, "sides");
    fixed.prescribe(model.mesh.region("x1"), 0, stretch, "pulled end");
    fixed.finish();
  }
  double force(const std::vector<double>& reaction) const {
    double sum = 0;
    const auto n = static_cast<std::size_t>(model.space.components());
    for (Index node = 0; node < model.mesh.node_count(); ++node)
      if (model.mesh.point(node)[0] > 0.999) sum += reaction[static_cast<std::size_t>(node) * n];
    return sum;
  }
  DiscreteProblem model;
  Constraints fixed;
};

TEST(Material, TheNeoHookeanBoxStretchedTenTimesHasTheNumbersOfTheReference) {
  for (const CellKind kind : {CellKind::hex8, CellKind::tet4, CellKind::hex20}) {
    if (kind == CellKind::hex20 && takes_small_sizes(device_under_test())) continue;
    const Bar bar(box(1, 1, 1, {1, 1, 1}, kind), material(NeoHooke{1000, 0.3}, {Space::solid, true}), 9);
    const auto end = solve_nonlinear(bar.model.equations, bar.fixed, {.relative = 1e-11, .increments = 6});
    EXPECT_NEAR(bar.force(end.reaction), 3839.481, 5e-4);
    const DerivedFields fields = evaluate(bar.model.equations, end.u);
    ASSERT_EQ(fields.components, 12);
    EXPECT_NEAR(std::sqrt(1 + 2 * fields.at_cells[1]), 0.416532, 5e-7);
    EXPECT_NEAR(fields.at_cells[6], 3839.481 / (0.416532 * 0.416532), 0.02);  // Cauchy's stress
    EXPECT_NEAR(fields.at_cells[7], 0, 1e-6);
  }
}

TEST(Material, PlaneStressOfASheetIsTheStateOfTheBarInSpace) {
  const Bar bar(rectangle(1, 1, {1, 1}, CellKind::quad4), material(NeoHooke{1000, 0.3}, {Space::plane, true, true}), 9);
  const auto end = solve_nonlinear(bar.model.equations, bar.fixed, {.relative = 1e-11, .increments = 12});
  EXPECT_NEAR(bar.force(end.reaction), 3839.481, 5e-4);
  EXPECT_NEAR(std::sqrt(1 + 2 * evaluate(bar.model.equations, end.u).at_cells[2]), 0.416532, 5e-7);
}

// A disc whose radius grows by a, with free faces: two equal stretches.
TEST(Material, ADiscInRevolutionHasTheForcesOfEquibiaxialStretch) {
  const double a = 1.5;
  const MooneyRivlin law = example_of<MooneyRivlin>();
  const Bar bar(rectangle(2, 1, {1, 1}, CellKind::quad4), material(law, {Space::revolution, true}), a - 1);
  const auto end = solve_nonlinear(bar.model.equations, bar.fixed, {.relative = 1e-11, .increments = 2});
  const DerivedFields fields = evaluate(bar.model.equations, end.u);
  const double c = std::sqrt(1 + 2 * fields.at_cells[1]), J = a * a * c;
  // difference of Cauchy's stresses from 2 (a^2 - c^2) (c10 J^(-5/3) + c01 a^2 J^(-7/3)); the axial one vanishes
  const double sigma =
      2 * (a * a - c * c) * (law.c10 * std::pow(J, -5.0 / 3) + law.c01 * a * a * std::pow(J, -7.0 / 3));
  EXPECT_NEAR(fields.at_cells[6], sigma, 1e-7);
  EXPECT_NEAR(fields.at_cells[8], sigma, 1e-7);
  EXPECT_NEAR(fields.at_cells[7], 0, 1e-7);
  EXPECT_NEAR(bar.force(end.reaction), sigma * 2 * std::numbers::pi * a * c, 1e-6);
}

TEST(Material, J2WithLinearHardeningIsARadialReturnThroughACycle) {
  const RadialReturn steel{200, 0.3, 0.25, 5, 15};
  const J2 law{200, 0.3, 15, Hardening::linear(0.25, 5)};
  const Nonlinear path{.relative = 1e-11, .increments = 2, .path = {1, -0.5}, .shows_increments = true};
  const auto forces = [&](const FormValue& form, const Mesh& mesh) {
    const Bar bar(mesh, form, 0.005);
    std::vector<double> all;
    solve_nonlinear(bar.model.equations, bar.fixed, path,
                    {.show = [&](const SolutionView& s) { all.push_back(bar.force(s.reaction)); }});
    return all;
  };
  const Mesh cube = box(1, 1, 1, {1, 1, 1}, CellKind::hex8), sheet = rectangle(1, 1, {1, 1}, CellKind::quad4);
  EXPECT_THAT(forces(material(law), cube),
              testing::Pointwise(testing::DoubleNear(1e-9), forces(test_form(steel), cube)));
  EXPECT_THAT(
      forces(material(law, {Space::plane, false, true}), sheet),
      testing::Pointwise(testing::DoubleNear(1e-9), forces(test_form(PlaneStress<RadialReturn>{steel}), sheet)));
}

// Logarithmic strain has Kirchhoff's stress on the yield surface, and force is that over the stretch.
TEST(Material, APerfectlyPlasticBarSoftensAsItsAreaDoes) {
  const J2 law{200, 0.3, 0, Hardening::constant(0.25)};
  const Bar bar(box(1, 1, 1, {1, 1, 1}, CellKind::hex8), material(law, {Space::solid, true}), 0.5);
  const auto end = solve_nonlinear(bar.model.equations, bar.fixed, {.relative = 1e-11, .increments = 5});
  EXPECT_NEAR(bar.force(end.reaction), 0.25 / 1.5, 1e-9);
}

// Shear and bulk modulus relax alike, so the sides of a stretched block stay where they are.
TEST(Material, TheForceOfAStretchedBlockRelaxesAsItsPronySeries) {
  const Prony law{100, 0.3, 0.5, 0.5, 1, 0, 0, 1, 0, 0, 1};
  DiscreteProblem p(box(1, 1, 1, {1, 1, 1}, CellKind::hex8), material(law));
  const Vector u =
      p.space.from_mesh(p.values([](const Point& x, int c) { return 0.01 * (c == 0 ? x[0] : -0.3 * x[c]); }));
  Vector r = p.space.zeros();
  const auto force = [&] {
    p.equations.residual(u, r);
    const std::vector<double> values = p.space.to_mesh(r);
    double sum = 0;
    for (Index node = 0; node < p.mesh.node_count(); ++node)
      if (p.mesh.point(node)[0] > 0.999) sum += values[static_cast<std::size_t>(3 * node)];
    return sum;
  };
  p.equations.states().commit(u);
  EXPECT_NEAR(force(), 1, 1e-12);
  for (int step = 1; step <= 4; ++step) {
    p.equations.inputs().set_time({0.25 * step, 0.25});
    if (step == 4) { EXPECT_NEAR(force(), 0.68394, 5e-6); }
    p.equations.states().commit(u);
  }
}

TEST(Material, IncrementsOfLoadRefuseLawsThatCreep) {
  const Mesh mesh = box(1, 1, 1, {1, 1, 1}, CellKind::hex8);
  AnyForm block(mesh);
  block.material("all", material(example_of<Norton>()));
  for (int c = 0; c < 3; ++c) block.loads.prescribe("x0", c, 0);
  const Model model = block.model(Device::named("cpu", 1));
  try {
    solve(model, Nonlinear{});
    ADD_FAILURE();
  } catch (const Error& error) { EXPECT_THAT(error.what(), HasSubstr("the law 'norton' in increments of load")); }
}

TEST(Material, StepsOfNewtonsMethodSquareTheResidualForEveryLaw) {
  const auto expect = [](const FormValue& form, double stretch) {
    const Bar bar(box(2, 1, 1, {1, 0.7, 0.8}, CellKind::hex8, {.smooth = 0.1}), form, stretch);
    const auto end =
        solve_nonlinear(bar.model.equations, bar.fixed, {.relative = 1e-10, .linear = {.relative = 1e-12}});
    ASSERT_GE(end.steps.size(), 3u) << form.name;
    EXPECT_LE(end.steps.size(), 9u) << form.name;
    const double before = end.steps[end.steps.size() - 2].relative, last = end.steps.back().relative;
    EXPECT_LT(last, 300 * before * before + 1e-11) << form.name;  // linear systems are solved to a tenth of `relative`
  };
  expect(material(example_of<LinearElastic>(), {Space::solid, true}), 0.2);
  expect(material(example_of<NeoHooke>(), {Space::solid, true}), 0.2);
  expect(material(example_of<MooneyRivlin>(), {Space::solid, true}), 0.2);
  expect(material(example_of<Yeoh>(), {Space::solid, true}), 0.2);
  expect(material(example_of<ArrudaBoyce>(), {Space::solid, true}), 0.2);
  expect(material(example_of<Ogden>(), {Space::solid, true}), 0.2);
  expect(material(example_of<Hyperfoam>(), {Space::solid, true}), 0.1);
  expect(material(example_of<J2>(), {Space::solid, true}), 0.03);
  expect(material(example_of<Chaboche>(), {Space::solid, true}), 0.03);
  expect(material(example_of<Hill>(), {Space::solid, true}), 0.03);
  J2Rate cold = example_of<J2Rate>();
  cold.rate = 0;
  expect(material(cold, {Space::solid, true}), 0.03);
  expect(material(example_of<Cap>(), {Space::solid, true}), -0.03);
}

TEST(Material, AModelTakesItsLawByName) {
  const Device cpu = Device::named("cpu", 1);
  const Mesh mesh = box(1, 1, 1, {1, 1, 1}, CellKind::hex8);
  AnyForm block(mesh);
  block.material("all", material(cpu, "neo_hooke", {{"young", 1000}, {"poisson", 0.3}}, {.large = true}));
  for (int c = 0; c < 3; ++c) block.loads.prescribe(std::string(1, "xyz"[c]) + "0", c, 0);
  block.loads.prescribe("x1", 0, 9);
  const Model model = block.model(cpu);
  EXPECT_FALSE(model.linear);
  const NonlinearSolution end = solve(model, Nonlinear{.relative = 1e-11, .increments = 6});
  double force = 0;
  for (Index node = 0; node < mesh.node_count(); ++node)
    if (mesh.point(node)[0] > 0.999) force += end.reaction[static_cast<std::size_t>(3 * node)];
  EXPECT_NEAR(force, 3839.481, 5e-4);
  EXPECT_EQ(law_names(cpu).size(), 22u);
}

std::string refusal(const std::function<void()>& f) {
  try {
    f();
    return "";
  } catch (const Error& error) { return std::string(error.what()) + ": " + error.why() + ": " + error.fix(); }
}

TEST(Material, WrongInputsAreRefusedWithTheRemedy) {
  const Device cpu = Device::named("cpu", 1);
  const std::map<std::string, double> elastic = {{"young", 1000}, {"poisson", 0.3}};
  EXPECT_THAT(refusal([&] { material(NeoHooke{1, 0.3}); }), HasSubstr("set large_displacement = true"));
  EXPECT_THAT(refusal([&] { material(cpu, "neo_hook", elastic, {.large = true}); }),
              HasSubstr("did you mean 'neo_hooke'?"));
  EXPECT_THAT(refusal([&] {
                material(cpu, "neo_hooke", {{"young", 1}}, {.large = true});
              }),
              HasSubstr("'poisson' of 'neo_hooke' is missing"));
  EXPECT_THAT(refusal([&] {
                material(cpu, "neo_hooke", {{"young", -1}, {"poisson", 0.3}}, {.large = true});
              }),
              HasSubstr("'young' of 'neo_hooke' is -1"));
  EXPECT_THAT(refusal([&] {
                material(LinearElastic{1, 0.3}, {Space::solid, false, true});
              }),
              HasSubstr("plane stress of 'linear_elastic'"));
  EXPECT_THAT(refusal([&] { material(cpu, "j2", elastic); }), HasSubstr("the table of hardening of 'j2' is missing"));
  EXPECT_THAT(refusal([&] { material(cpu, "linear_elastic", elastic, {}, {{0, 1}}); }), HasSubstr("it has none"));
  EXPECT_THAT(refusal([&] { hardening("j2", {{0.1, 5}}); }), HasSubstr("begins at the plastic strain 0.1"));
  EXPECT_THAT(refusal([&] { hardening("j2", {{0, 5}, {0.2, 6}, {0.1, 7}}); }), HasSubstr("strain 0.1 after 0.2"));
  EXPECT_THAT(refusal([&] { hardening("j2", {{0, -5}}); }), HasSubstr("the yield stress -5"));
}

}  // namespace
}  // namespace ritz::test
