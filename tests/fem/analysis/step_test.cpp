// Steps: analyses that begin at the state in which the one before ended.
#include "fem/analysis/step.hpp"

#include "fem/plugins/von_mises.hpp"
#include "fem/physics/any_form.hpp"
#include "fem/physics/elastic_body.hpp"
#include "fem/physics/removed_cells.hpp"
#include "mesh/generators.hpp"

#include <algorithm>
#include <array>
#include <gtest/gtest.h>
#include <string>

namespace ritz::test::step_test {
namespace {

constexpr double young = 200e9, yield_stress = 250e6, hardening = 20e9;

// A cube in uniaxial tension along x.
struct Bar {
  Mesh mesh = box(1, 1, 1, {1, 1, 1}, CellKind::hex8);

  Model under(double stress, double moved = 0) const {
    AnyForm bar(mesh);
    bar.material("all", VonMisesPlasticity{young, 0.3, yield_stress, hardening, 0}.form());
    for (int c = 0; c < 3; ++c) bar.loads.prescribe(std::array{"x0", "y0", "z0"}[static_cast<std::size_t>(c)], c, 0);
    if (stress != 0) bar.loads.load("x1", {stress, 0, 0});
    if (moved != 0) bar.loads.prescribe("x1", 0, moved);
    return bar.model(Device::named("cpu", 1));
  }
};

double elongation(const State& state) { return std::ranges::max(state.u); }

TEST(Steps, APlasticBarKeepsWhatItYielded) {
  const Bar bar;
  const State loaded = solve(Step{bar.under(400e6), Nonlinear{.increments = 2}}, {});
  const double plastic = (400e6 - yield_stress) / hardening;
  EXPECT_NEAR(elongation(loaded), 400e6 / young + plastic, 1e-8);
  EXPECT_NEAR(elongation(solve(Step{bar.under(0), Nonlinear{}}, loaded)), plastic, 1e-8);
}

TEST(Steps, TwoStepsAreOnePathToTheLastBit) {
  const Bar bar;
  const Model model = bar.under(400e6);
  const State whole = solve(Step{model, Nonlinear{.path = {0.8, 1}}}, {});
  const State most = solve(Step{model, Nonlinear{.path = {0.8}}}, {});
  EXPECT_EQ(solve(Step{model, Nonlinear{}}, most).u, whole.u);
}

TEST(Steps, ASupportThatIsGoneLetsGoAlongThePath) {
  const Bar bar;
  const State stretched = solve(Step{bar.under(0, 1e-3), Nonlinear{}}, {});
  EXPECT_NEAR(elongation(stretched), 1e-3, 1e-12);
  EXPECT_NEAR(elongation(solve(Step{bar.under(0), Nonlinear{.path = {0.5}}}, stretched)), 0.5e-3, 1e-9);
  const State released = solve(Step{bar.under(0), Nonlinear{}}, stretched);
  EXPECT_LE(std::abs(elongation(released)), 1e-10);
}

TEST(Steps, APrescribedValueChangesFromWhereItWas) {
  const Bar bar;
  const State first = solve(Step{bar.under(0, 4e-4), Nonlinear{}}, {});
  EXPECT_NEAR(elongation(solve(Step{bar.under(0, 8e-4), Nonlinear{.path = {0.5}}}, first)), 6e-4, 1e-12);
}

// Two bars side by side along z, without Poisson's ratio.
TEST(Steps, RemovedCellsCarryNothingAndWhatOnlyTheyHadIsHeld) {
  const Mesh mesh = box(1, 1, 2, {1, 1, 2}, CellKind::hex8);
  ElasticBody body(mesh);
  body.material("all", {.young = young, .poisson = 0});
  body.loads.fix("x0");
  body.loads.displacement("x1", 0, 1e-3);
  Model model = body.model(Device::named("cpu", 1));
  const auto pull = [](const StaticSolution& s) {
    double sum = 0;
    for (std::size_t i = 0; i < s.reaction.size(); i += 3) sum += std::max(0.0, s.reaction[i]);
    return sum;
  };
  EXPECT_NEAR(pull(solve(model, Static{})), 2 * young * 1e-3, 1);
  const std::array<Index, 1> upper{1};
  remove_cells(upper, model);
  EXPECT_NEAR(pull(solve(model, Static{})), young * 1e-3, 1);
  const std::array<Index, 1> lower{0};
  Model nothing = body.model(Device::named("cpu", 1));
  nothing.supports.clear();
  remove_cells(lower, nothing);
  EXPECT_THROW(solve(nothing, Static{}), Error);
}

}  // namespace
}  // namespace ritz::test::step_test
