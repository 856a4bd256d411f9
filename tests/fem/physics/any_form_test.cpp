// Equations of any forms without a case file: what the builder makes of them, and what it refuses.
#include "fem/physics/any_form.hpp"

#include "fem/analysis/analysis.hpp"
#include "fem/forms/diffusion.hpp"
#include "fem/forms/elasticity.hpp"
#include "fem/forms/heat.hpp"
#include "fem/forms/mass.hpp"
#include "fem/physics/elastic_body.hpp"
#include "fem/plugins/form_catalogue.hpp"
#include "mesh/generators.hpp"
#include "tests/fem/test_forms.hpp"

#include <cmath>
#include <gmock/gmock.h>
#include <numbers>

namespace ritz::test {
namespace {

using ::testing::HasSubstr;

Device one_cpu() { return Device::named("cpu", 1); }

const Mesh& rod() {
  static const Mesh mesh = rectangle(16, 1, {1, 0.1}, CellKind::quad9);
  return mesh;
}

double at(const Model& model, const Vector& u, double x) {
  const std::vector<double> values = model.space.to_mesh(u);
  const Mesh& mesh = model.space.mesh();
  for (Index node = 0; node < mesh.node_count(); ++node)
    if (std::abs(mesh.point(node)[0] - x) < 1e-9)
      return values[static_cast<std::size_t>(node * model.space.components())];
  return NAN;
}

std::string refusal(const AnyForm& body) {
  try {
    body.model(one_cpu());
    return "";
  } catch (const Error& error) { return std::string(error.what()) + error.why() + error.fix(); }
}

// k = 2 in the left half and 4 in the right, between 0 and a fluid of 10 with h = 4: three resistances of 1/4, 1/8,
// 1/4.
TEST(AnyForm, TakesItsNumbersByName) {
  const Mesh mesh = rectangle(16, 1, {1, 0.1}, CellKind::quad9);
  const Region left{.name = "left", .kind = RegionKind::cells, .cells = {0, 1, 2, 3, 4, 5, 6, 7}},
      right{.name = "right", .kind = RegionKind::cells, .cells = {8, 9, 10, 11, 12, 13, 14, 15}};
  const FormCatalogue catalogue(one_cpu());
  AnyForm body(mesh);
  body.material(left, catalogue.make("diffusion2", {{"conductivity", 2}}));
  body.material(right, catalogue.make("diffusion2", {{"conductivity", 4}}));
  body.boundary("x1", catalogue.make("convection2", {{"coefficient", 4}, {"ambient", 10}}));
  body.loads.prescribe("x0", 0, 0);
  const Model model = body.model(one_cpu());
  EXPECT_TRUE(model.linear);
  const double heat = 10 / (0.25 + 0.125 + 0.25);
  const Vector u = solve(model, Static{}).u;
  EXPECT_NEAR(at(model, u, 0.5), heat / 4, 1e-6);
  EXPECT_NEAR(at(model, u, 1), 10 - heat / 4, 1e-6);
}

// Two load cases: the same support, other loads, and one that moves the support.
TEST(AnyForm, HasLoadCases) {
  AnyForm body(rod());
  body.material("all", Diffusion<2>{2});
  body.loads.prescribe("x0", 0, 1);
  body.load_case("flux").load("x1", {6});
  FormLoads& moved = body.load_case("moved");
  moved.prescribe("x0", 0, 5);
  moved.load("all", {2});
  const Model model = body.model(one_cpu());
  std::vector<double> ends;
  solve(model, LoadCases{}, {.show = [&](const SolutionView& s) { ends.push_back(at(model, s.u, 1)); }});
  ASSERT_EQ(ends.size(), 2u);
  EXPECT_NEAR(ends[0], 1 + 6 / 2.0, 1e-6);
  EXPECT_NEAR(ends[1], 5 + 0.5 * 2 / 2, 1e-6);
}

// u = cos(pi x) exp(-(k / c) pi^2 t) between insulated ends: the capacity as a number, and as a form.
TEST(AnyForm, DecaysAsItsCapacitySays) {
  for (const StoredQuantity& capacity :
       {StoredQuantity(3.0), StoredQuantity(PointFunction(constant(3))), StoredQuantity(FormValue(Mass<1, 2>{3}))}) {
    AnyForm body(rod());
    body.material("all", Diffusion<2>{0.6});
    body.capacity("all", capacity);
    const Model model = body.model(one_cpu());
    State begin = uniform_state(model, 0);
    for (Node node = 0; node < model.space.node_count(); ++node)
      begin.u[static_cast<std::size_t>(node)] = std::cos(std::numbers::pi * model.space.point(node)[0]);
    double end = NAN;
    solve(model, Transient{.end = 1, .tolerance = 1e-6, .begin = begin},
          {.show = [&](const SolutionView& s) { end = at(model, s.u, 0); }});
    EXPECT_NEAR(end, std::exp(-0.2 * std::numbers::pi * std::numbers::pi), 2e-5);
  }
}

// The same matrices as those of an elastic body, so the same frequencies: supported, and free.
TEST(AnyForm, VibratesAsAnElasticBody) {
  const Mesh mesh = box(4, 1, 1, {1, 0.3, 0.2}, CellKind::hex20);
  for (const bool held : {true, false}) {
    ElasticBody body(mesh);
    body.material("all", {.young = 200, .poisson = 0.3, .density = 8});
    AnyForm form(mesh);
    form.material("all", Elasticity{200 * 0.3 / (1.3 * 0.4), 200 / 2.6});
    form.inertia("all", 8);
    if (held) body.loads.fix("x0");
    for (int component = 0; held && component < 3; ++component) form.loads.prescribe("x0", component, 0);
    const VibrationModes a = solve(body.model(one_cpu()), Modal{{.count = 8}});
    const VibrationModes b = solve(form.model(one_cpu()), Modal{{.count = 8}});
    EXPECT_EQ(b.rigid_count, held ? 0 : 6);
    ASSERT_EQ(a.frequencies.size(), b.frequencies.size());
    for (std::size_t k = 0; k < a.frequencies.size(); ++k)
      EXPECT_NEAR(b.frequencies[k], a.frequencies[k], 1e-8 * a.frequencies.back());
  }
}

// A plate that produces q L = e sigma (T^4 - T0^4) to its surroundings; at absolute zero there is no tangent.
TEST(AnyForm, RadiatesWithoutAPrescribedValue) {
  AnyForm body(rod());
  body.material("all", Diffusion<2>{50});
  body.boundary("x1", Radiation<2>{.emissivity = 0.8, .ambient = 300});
  body.loads.load("all", {2000});
  const Model model = body.model(one_cpu());
  EXPECT_FALSE(model.linear);
  EXPECT_EQ(model.start, 300);
  Nonlinear newton;
  newton.begin = uniform_state(model, model.start);
  EXPECT_NEAR(at(model, solve(model, newton).u, 1),
              std::pow(2000 / (0.8 * stefan_boltzmann) + std::pow(300.0, 4), 0.25), 1e-5);
}

TEST(AnyForm, RefusesWhatDoesNotFit) {
  const auto with = [](const std::function<void(AnyForm&)>& change) {
    AnyForm body(rod());
    body.material("all", Diffusion<2>{1});
    change(body);
    return refusal(body);
  };
  EXPECT_THAT(with([](AnyForm& b) { b.boundary("x1", Convection<3>{1, 0}); }), HasSubstr("facets in 3 dimensions"));
  EXPECT_THAT(with([](AnyForm& b) { b.boundary("x1", Diffusion<2>{1}); }), HasSubstr("take a form on facets"));
  EXPECT_THAT(with([](AnyForm& b) { b.inertia("all", FormValue(Mass<2, 2>{1})); }), HasSubstr("one of 2 components"));
  EXPECT_THAT(with([](AnyForm& b) { b.capacity("all", -1.0); }), HasSubstr("give a number above 0"));
  EXPECT_THAT(with([](AnyForm& b) { b.loads.load("x1", {1, 2}, "here"); }), HasSubstr("the load has 2 numbers, here"));
  EXPECT_THAT(with([](AnyForm& b) { b.loads.prescribe("x7", 0, 1); }), HasSubstr("x7"));
  EXPECT_THAT(with([](AnyForm& b) { b.loads.prescribe("x1", 1, 1); }), HasSubstr("a prescribed value of component 1"));
  EXPECT_THAT(with([](AnyForm& b) { b.material("all", Diffusion<2>{1}); }), HasSubstr("two materials"));
  EXPECT_THAT(refusal(AnyForm(rod())), HasSubstr("no material"));
  AnyForm coupled(rod());
  coupled.material("all", test_form(Coupled{1}));
  coupled.capacity("all", 1.0);
  EXPECT_EQ(refusal(coupled), "");
}

}  // namespace
}  // namespace ritz::test
