// Whole elements by residual and by energy, in a module like a user's: sound ones pass, every planted fault is found.
#include "tests/fem/plugins/faulty_elements.hpp"
#include "device/error.hpp"
#include "fem/plugins/element_check.hpp"
#include "fem/space/constraints.hpp"
#include "fem/analysis/nonlinear_solution.hpp"

#include <cmath>
#include <gtest/gtest.h>
#include <numeric>
#include <set>

namespace ritz::test {
namespace {

template <WholeElement E>
FormValue value_of(const E& element) {
  FormValue value = element;
  value.module = "ritz_faulty_forms";
  return value;
}

template <WholeElement E>
std::set<std::string> failed(const E& element) {
  std::set<std::string> names;
  for (const CheckResult& r : check_form({{Device::named("cpu", 1), value_of(element)}}, record_of_element<E>()))
    if (!r.passed) names.insert(r.check);
  return names;
}
using Names = std::set<std::string>;

TEST(WholeElementCheck, PassesWhatIsSound) {
  EXPECT_EQ(failed(FaultyBar<ElementFault::none>{}), Names{});
  EXPECT_EQ(failed(EnergyBar{}), Names{});
  EXPECT_EQ(failed(Valve{}), Names{});
  EXPECT_EQ(failed(FaultyStateBar<StateFault::none>{}), Names{});
}
TEST(WholeElementCheck, FindsAResidualThatIsNotSymmetric) {
  EXPECT_TRUE(failed(FaultyBar<ElementFault::not_symmetric>{}).contains("symmetric tangent"));
}
TEST(WholeElementCheck, FindsAResidualThatIsNotLinear) {
  EXPECT_TRUE(failed(FaultyBar<ElementFault::not_linear>{}).contains("linear"));
}
TEST(WholeElementCheck, FindsALostDerivative) {
  EXPECT_EQ(failed(FaultyBar<ElementFault::lost_derivative>{}), Names{"tangent"});
}
TEST(WholeElementCheck, FindsWhatIsNoNumber) {
  EXPECT_EQ(failed(FaultyBar<ElementFault::not_finite>{}), Names{"finite"});
}
TEST(WholeElementCheck, FindsForcesOfRigidMotions) {
  EXPECT_TRUE(failed(FaultyBar<ElementFault::not_objective>{}).contains("rigid motions"));
}
TEST(WholeElementCheck, FindsForcesThatDoNotCancel) {
  EXPECT_EQ(failed(FaultyBar<ElementFault::not_balanced>{}), Names{"balance"});
}

TEST(WholeElementCheck, FindsAStateThatDrifts) {
  EXPECT_EQ(failed(FaultyStateBar<StateFault::drifts>{}), (Names{"committed flux", "rate independent"}));
}
TEST(WholeElementCheck, FindsADerivativeThatIsLostLater) {
  EXPECT_EQ(failed(FaultyStateBar<StateFault::loses_a_derivative>{}), Names{"tangent, later"});
}
TEST(WholeElementCheck, FindsAnEnergyThatIsNotStationary) {
  EXPECT_EQ(failed(DamageByEnergy{}), Names{"committed flux"});
}

// Nodes on a line, one cell between neighbours.
Mesh line(int cells) {
  MeshData data{.structural = true};
  CellBlock block{.kind = CellKind::line2};
  for (int i = 0; i <= cells; ++i) data.points.insert(data.points.end(), {0.7 * i, 0.1 * i * i, 0.0});
  for (int i = 0; i < cells; ++i) block.nodes.insert(block.nodes.end(), {i, i + 1});
  data.blocks.push_back(std::move(block));
  return Mesh(std::move(data));
}

// 21 elements: two full batches of eight lanes and a rest.
TEST(WholeElements, OfResidualAndOfEnergyAreOne) {
  const Mesh mesh = line(21);
  const FunctionSpace space(mesh, 3, Device::named("cpu", 1));
  const Operator by_residual(space, {Integral::over_all_cells(value_of(FaultyBar<ElementFault::none>{3}))});
  const Operator by_energy(space, {Integral::over_all_cells(value_of(EnergyBar{3}))});
  std::vector<double> values;
  for (Index i = 0; i < space.unknown_count(); ++i) values.push_back(0.2 * std::sin(1.3 * double(i)));
  const Vector u(space.device(), std::span<const double>(values), "vectors");
  Vector r = space.zeros(), s = space.zeros();
  by_residual.residual(u, r);
  by_energy.residual(u, s);
  const std::vector<double> a = r.host(), b = s.host();
  for (std::size_t i = 0; i < a.size(); ++i) EXPECT_NEAR(a[i], b[i], 1e-14);
  SparseMatrix K = by_residual.make_matrix(), L = by_energy.make_matrix();
  by_residual.assemble(u, K);
  by_energy.assemble(u, L);
  const std::vector<double> k = K.values().host(), l = L.values().host();
  for (std::size_t i = 0; i < k.size(); ++i) EXPECT_NEAR(k[i], l[i], 1e-13);
}

// Three pipes in a row: forwards each takes a third of the drop; backwards a tenth flows.
TEST(WholeElements, OfOneUnknownCarryFlow) {
  const Mesh mesh = line(3);
  const FunctionSpace space(mesh, 1, Device::named("cpu", 1));
  const Operator pipes(space, {Integral::over_all_cells(value_of(Valve{2}))});
  for (const double drop : {6.0, -6.0}) {
    Constraints ends(space);
    ends.prescribe(std::array<Node, 1>{0}, 0, drop, "test");
    ends.prescribe(std::array<Node, 1>{3}, 0, 0, "test");
    ends.finish();
    const NonlinearSolution s = solve_nonlinear(pipes, ends, {});
    const std::vector<double> p = space.to_mesh(s.u);
    EXPECT_NEAR(p[1], 2 * drop / 3, 1e-12);
    EXPECT_NEAR(s.reaction[0], drop > 0 ? 1 : -0.1, 1e-12);
  }
}

// Six unknowns in the space, three of the element: the others get nothing.
TEST(WholeElements, LeaveUnknownsAloneThatTheyDoNotKnow) {
  const Mesh mesh = line(9);
  const FunctionSpace space(mesh, 6, Device::named("cpu", 1));
  const Operator bars(space, {Integral::over_all_cells(value_of(EnergyBar{3}))});
  std::vector<double> values(static_cast<std::size_t>(space.unknown_count()), 0.3);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = std::cos(double(i));
  const Vector u(space.device(), std::span<const double>(values), "vectors");
  Vector r = space.zeros();
  bars.residual(u, r);
  const std::vector<double> forces = r.host();
  SparseMatrix K = bars.make_matrix();
  bars.assemble(u, K);
  const HostMatrix host = host_matrix(K);
  for (std::size_t i = 0; i < forces.size(); ++i) {
    if (i % 6 >= 3) { EXPECT_EQ(forces[i], 0); }
    for (auto e = static_cast<std::size_t>(host.offsets[i]); e < static_cast<std::size_t>(host.offsets[i + 1]); ++e)
      if (i % 6 >= 3 || host.columns[e] % 6 >= 3) { EXPECT_EQ(host.values[e], 0); }
  }
}

}  // namespace
}  // namespace ritz::test
