// `ritz element check` finds what it is meant to find: every planted fault by the check of its name, nothing in sound
// forms.
#include "tests/fem/plugins/faulty_forms.hpp"
#include "device/error.hpp"
#include "tests/device/back_ends.hpp"
#include "fem/plugins/element_check.hpp"
#include "fem/plugins/form_catalogue.hpp"
#include "fem/plugins/von_mises.hpp"
#include "fem/forms/diffusion.hpp"
#include "fem/forms/elasticity.hpp"
#include "fem/forms/in_plane.hpp"
#include "fem/forms/loads.hpp"
#include "tests/fem/radial_return.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <set>

namespace ritz::test {
namespace {

using Names = std::set<std::string>;

Names failed(const std::vector<CheckResult>& results) {
  Names names;
  for (const CheckResult& r : results)
    if (!r.passed) names.insert(r.check);
  return names;
}

std::string listed(const std::vector<CheckResult>& results) {
  std::string text;
  for (const CheckResult& r : results)
    if (!r.passed)
      text += r.check + " on " + r.on + ": " + std::to_string(r.number) + " against " + std::to_string(r.limit) + "; " +
              r.note + "\n";
  return text;
}

template <Form F>
std::vector<CheckResult> check(const F& form, const std::string& module = "ritz_fem_kernels") {
  FormValue value = form;
  value.module = module;
  std::vector<FormOnDevice> devices;
  for (const std::string& name : back_ends({"cpu:v3", "cpu:v4"})) devices.push_back({Device::named(name, 1), value});
  return check_form(devices, record_of<F>());
}

template <Fault fault>
void expect_found(const Names& by, const Names& perhaps = {}) {
  const std::vector<CheckResult> results = check(Faulty<fault>{}, "ritz_faulty_forms");
  const Names names = failed(results);
  for (const std::string& name : by)
    EXPECT_TRUE(names.contains(name)) << "not found by: " << name << "\n" << listed(results);
  for (const std::string& name : names)
    EXPECT_TRUE(by.contains(name) || perhaps.contains(name)) << "blamed, too: " << name << "\n" << listed(results);
}

TEST(FormCheck, PassesWhatIsSound) {
  const std::vector<CheckResult> results = check(Faulty<Fault::none>{}, "ritz_faulty_forms");
  EXPECT_TRUE(all_passed(results)) << listed(results);
  EXPECT_GE(results.size(), 40u);  // two shapes, two orders, eleven checks
}

TEST(FormCheck, FindsAFluxThatIsNotSymmetric) {
  expect_found<Fault::not_symmetric>({"symmetric tangent"},
                                     {"tangent", "action", "zero-energy modes", "convergence order"});
}
// Kernels believe the claim and take the tangent at rest.
TEST(FormCheck, FindsAFluxThatIsNotLinear) {
  expect_found<Fault::not_linear>({"linear"}, {"tangent", "quadrature", "convergence order"});
}
TEST(FormCheck, FindsALostDerivative) { expect_found<Fault::wrong_tangent>({"tangent"}, {"convergence order"}); }
TEST(FormCheck, FindsWhatIsNoNumber) { expect_found<Fault::not_finite>({"finite"}); }
TEST(FormCheck, FindsAFluxThatFeelsRigidMotions) {
  expect_found<Fault::not_objective>({"rigid motions", "zero-energy modes"});
}
TEST(FormCheck, FindsALinearFieldOutOfBalance) { expect_found<Fault::not_balanced>({"patch test"}); }
TEST(FormCheck, FindsAQuadratureThatIsTooCoarse) {
  expect_found<Fault::coarse_quadrature>({"quadrature"}, {"convergence order"});
}
TEST(FormCheck, FindsAMissingStiffness) {
  expect_found<Fault::extra_zero_modes>({"zero-energy modes"}, {"convergence order"});
}
TEST(FormCheck, FindsALostOrder) { expect_found<Fault::rough_coefficient>({"convergence order"}, {"quadrature"}); }
TEST(FormCheck, FindsATimeThatIsReadUnsaid) { expect_found<Fault::reads_time>({"constant in time"}); }
TEST(FormCheck, FindsADifferenceBetweenBackEnds) {
  if (back_ends({"cpu:v3", "cpu:v4"}).size() < 2) GTEST_SKIP() << "skipped: one CPU back end";
  expect_found<Fault::depends_on_backend>({"back ends"});
}
TEST(FormCheck, FindsAnActionThatIsNotTheMatrix) { expect_found<Fault::wrong_action>({"action"}); }
TEST(FormCheck, FindsADiagonalThatIsNotTheMatrix) { expect_found<Fault::wrong_diagonal>({"diagonal"}); }

template <Form F>
Names failed(const F& form) {
  return failed(check(form, "ritz_faulty_forms"));
}
TEST(FormCheck, FindsALoadThatFeelsTheUnknown) { EXPECT_EQ(failed(FeelingLoad{}), Names{"load"}); }
TEST(FormCheck, FindsAStressThatIsNotSymmetric) {
  EXPECT_EQ(failed(TwistingStress{}), Names{"balance"});
  EXPECT_EQ(failed(TwistingStress{0}), Names{});
}

template <StateFault fault>
void expect_state_found(const Names& by, const Names& perhaps = {}) {
  const std::vector<CheckResult> results = check(FaultyState<fault>{}, "ritz_faulty_forms");
  const Names names = failed(results);
  for (const std::string& name : by)
    EXPECT_TRUE(names.contains(name)) << "not found by: " << name << "\n" << listed(results);
  for (const std::string& name : names)
    EXPECT_TRUE(by.contains(name) || perhaps.contains(name)) << "blamed, too: " << name << "\n" << listed(results);
}
TEST(StateCheck, PassesWhatIsSound) { expect_state_found<StateFault::none>({}); }
TEST(StateCheck, FindsAStateThatDrifts) {
  expect_state_found<StateFault::drifts>({"rate independent", "committed flux"});
}
TEST(StateCheck, FindsADerivativeThatIsLostLater) {
  expect_state_found<StateFault::loses_a_derivative>({"tangent, later"});
}
TEST(StateCheck, FindsWhatIsNoNumber) {
  expect_state_found<StateFault::not_finite>({"finite state"}, {"rate independent", "back ends, state"});
}
TEST(StateCheck, FindsADifferenceBetweenBackEnds) {
  if (back_ends({"cpu:v3", "cpu:v4"}).size() < 2) GTEST_SKIP() << "skipped: one CPU back end";
  expect_state_found<StateFault::depends_on_backend>({"back ends, state"});
}

template <class F>
void expect_sound(const F& form) {
  const std::vector<CheckResult> results = check(form);
  EXPECT_TRUE(all_passed(results)) << listed(results);
}
TEST(FormCheck, PassesDiffusion) {
  expect_sound(Diffusion<2>{2.5});
  expect_sound(Diffusion<3>{2.5});
}
TEST(FormCheck, PassesElasticity) {
  expect_sound(Elasticity{1.4, 0.9});
  expect_sound(PlaneElasticity::plane_stress({1.4, 0.9}, 0.7));
}
TEST(FormCheck, PassesPlasticityByARadialReturn) {
  const RadialReturn metal{1, 0.3, 0.05, 0.2, 0.1};
  const auto sound = [](const auto& form) {
    const std::vector<CheckResult> results = check(form, "ritz_test_forms");
    EXPECT_TRUE(all_passed(results)) << listed(results);
  };
  sound(metal);
  sound(PlaneStress<RadialReturn>{metal});
}
TEST(FormCheck, PassesPlasticityByALaw) {
  const FormCatalogue catalogue(Device::named("cpu", 1));
  for (const VonMisesForm& form : von_mises_forms()) {
    const FormRecord& record = form.record;
    std::map<std::string, double> numbers;
    for (int i = 0; i < record.parameter_count; ++i)
      numbers[record.parameters[i].facts.name] = record.parameters[i].facts.example;
    const std::vector<CheckResult> results =
        check_form({{Device::named("cpu", 1), catalogue.make(record.name, numbers)}}, record);
    EXPECT_TRUE(all_passed(results)) << record.name << "\n" << listed(results);
  }
}
TEST(FormCheck, PassesBodiesOfRevolution) {
  expect_sound(AxisymmetricDiffusion{2.5});
  expect_sound(AxisymmetricElasticity{1.4, 0.9});
}
TEST(FormCheck, PassesFormsOfFacets) {
  expect_sound(Convection<2>{3, 20});
  expect_sound(Convection<3>{3, 20});
  expect_sound(Axisymmetric<Convection<3>>{{3, 20}});
  expect_sound(Axisymmetric<Pressure<3>>{{2}});
}

// Reference elements: order 2 on triangles or quadrilaterals, spoiled in one place.
std::vector<CheckResult> check(const ReferenceElement& element) {
  return check_element(element, Device::named("cpu", 1));
}

using Evaluate = std::function<void(const Point&, std::span<double>, std::span<Point>)>;
ReferenceElement spoiled(CellKind shape, int order, const Evaluate& spoil) {
  ReferenceElement element = lagrange_element(shape, order);
  element.line_nodes.clear();
  element.evaluate = [good = element.evaluate, spoil](const Point& x, std::span<double> v, std::span<Point> g) {
    good(x, v, g);
    spoil(x, v, g);
  };
  return element;
}

void expect_found(const ReferenceElement& element, const std::string& by) {
  const std::vector<CheckResult> results = check(element);
  EXPECT_TRUE(failed(results).contains(by)) << listed(results);
}

class LagrangeCheck : public ::testing::TestWithParam<CellKind> {};
INSTANTIATE_TEST_SUITE_P(Shapes, LagrangeCheck,
                         ::testing::Values(CellKind::tri3, CellKind::quad4, CellKind::tet4, CellKind::hex8,
                                           CellKind::prism6, CellKind::pyramid5),
                         [](const auto& info) { return std::string(traits(info.param).name); });
TEST_P(LagrangeCheck, PassesOrdersOneAndTwo) {
  for (const int order : {1, 2}) {
    const std::vector<CheckResult> results = check(lagrange_element(GetParam(), order));
    EXPECT_TRUE(all_passed(results)) << "order " << order << "\n" << listed(results);
  }
}

TEST(ElementCheck, FindsFunctionsInTheWrongOrder) {
  expect_found(spoiled(CellKind::tri3, 2,
                       [](const Point&, std::span<double> v, std::span<Point> g) {
                         std::swap(v[0], v[1]);
                         std::swap(g[0], g[1]);
                       }),
               "nodal");
}
TEST(ElementCheck, FindsMoreOrFewerFunctionsThanNodes) {
  ReferenceElement element;
  element.shape = CellKind::tri3;
  element.evaluate = [](const Point& x, std::span<double> v, std::span<Point> g) {  // three functions
    v[0] = 1 - x[0] - x[1], v[1] = x[0], v[2] = x[1];
    g[0] = {-1, -1, 0}, g[1] = {1, 0, 0}, g[2] = {0, 1, 0};
  };
  element.nodes = {{0, 0, 0}, {1, 0, 0}};
  EXPECT_EQ(failed(check_functions(element)), Names{"one function per node"});
  element.nodes.push_back({0, 1, 0});
  EXPECT_EQ(failed(check_functions(element)), Names{});
  element.nodes.push_back({1.0 / 3, 1.0 / 3, 0});
  EXPECT_EQ(failed(check_functions(element)), Names{"one function per node"});
}
TEST(ElementCheck, FindsASumThatIsNotOne) {
  expect_found(spoiled(CellKind::quad4, 2,
                       [](const Point& x, std::span<double> v, std::span<Point> g) {
                         v[4] += 0.05 * x[0] * (1 - x[0] * x[0]) * x[1] *
                                 (1 - x[1] * x[1]);  // vanishes at all nodes and sides
                         g[4][0] += 0.05 * (1 - 3 * x[0] * x[0]) * x[1] * (1 - x[1] * x[1]);
                         g[4][1] += 0.05 * x[0] * (1 - x[0] * x[0]) * (1 - 3 * x[1] * x[1]);
                       }),
               "partition of unity");
}
TEST(ElementCheck, FindsAWrongGradient) {
  expect_found(spoiled(CellKind::tri3, 2, [](const Point&, std::span<double>, std::span<Point> g) { g[0][1] *= 1.01; }),
               "gradients");
}
TEST(ElementCheck, FindsAnOrderThatIsNotReached) {
  ReferenceElement element = lagrange_element(CellKind::tri3, 1);
  element.order = 2;
  expect_found(element, "complete");
  expect_found(element, "diffusion: convergence order");
}
TEST(ElementCheck, FindsAFunctionThatReachesOverAFacet) {
  ReferenceElement element = lagrange_element(CellKind::quad4, 2);
  element.line_nodes.clear();
  // off its side
  std::ranges::find_if(element.nodes, [](const Point& p) { return p[0] == 1 && p[1] == 0; })->at(0) = 0.9;
  expect_found(element, "continuous");
}
TEST(ElementCheck, FindsFacetNodesWithoutMirrorImage) {
  // Quadratic on a side with its middle node at 1/3: neighbours that see the side the other way do not agree.
  ReferenceElement element;
  element.name = "askew";
  element.shape = CellKind::tri3;
  element.order = 2;
  const double s = 1.0 / 3;
  element.nodes = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {s, 0, 0}, {1 - s, s, 0}, {0, 1 - s, 0}};
  element.evaluate = [](const Point&, std::span<double> v, std::span<Point> g) {
    std::ranges::fill(v, 0.0);
    std::ranges::fill(g, Point{});
  };
  expect_found(element, "continuous");
}
TEST(ElementCheck, FindsAFalseProduct) {
  ReferenceElement element = lagrange_element(CellKind::quad4, 3);
  element.line_nodes = {-1, -0.5, 0.5, 1};  // not Gauss-Lobatto's
  expect_found(element, "product");
}
TEST(ElementCheck, FindsAQuadratureThatIsTooCoarse) {
  ReferenceElement element = lagrange_element(CellKind::quad4, 2);
  element.order = 1;  // its rule is then of order 1: a spurious mode
  expect_found(element, "diffusion: quadrature");
  expect_found(element, "diffusion: zero-energy modes");
}

}  // namespace
}  // namespace ritz::test
