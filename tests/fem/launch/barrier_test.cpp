// Compiled with RITZ_BACKEND=checker: the engines' own text, run under the barrier checker.
#include "fem/cells/tabulation.hpp"
#include "fem/forms/diffusion.hpp"
#include "fem/forms/elasticity.hpp"
#include "fem/forms/loads.hpp"
#include "tests/fem/radial_return.hpp"
#include "mesh/cell_geometry.hpp"
#include "tests/fem/launch/barrier_checker.hpp"
#include "tests/fem/test_forms.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <random>

namespace ritz::test {
namespace {

using namespace ritz::checker;

enum class Engine { matrices, residuals, actions, diagonals, evaluate, commits, tangents, tangent_actions };

// Two elements one after the other in the same scratch, as a CPU does it; `skipped` as in Shadow.
template <class F, int N, int D>
Findings run(Engine engine, CellKind kind, const F& form, int skipped) {
  using Sh = Shape<F, N, D>;
  using Tiles = PairTiles<N, Sh::C, FormFacts<F>::symmetric>;
  constexpr int dimension = F::dimension, components = F::components;
  const Tabulation tabulation(Device::named("cpu", 1), cell_element(kind), cell_element(kind),
                              quadrature(kind, mass_degree(kind)));
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> between(-0.03, 0.03);
  std::vector<std::int32_t> nodes(2 * N * lane_count);
  std::vector<double> x, u;
  for (int batch = 0; batch < 2; ++batch)
    for (int a = 0; a < N; ++a) {
      for (int lane = 0; lane < lane_count; ++lane)
        nodes[static_cast<std::size_t>((batch * N + a) * lane_count + lane)] = batch * N + a;
      for (int d = 0; d < dimension; ++d)
        x.push_back(2 + reference_nodes(kind)[static_cast<std::size_t>(a)][static_cast<std::size_t>(d)] +
                    between(random));
      for (int c = 0; c < components; ++c) u.push_back(10 * between(random));
    }
  const int outputs = std::max({N * N * components * components, N * Sh::K, N * components});
  std::vector<double> elements(static_cast<std::size_t>(2 * outputs * lane_count)), means(2 * 13 * lane_count);
  ElementArguments arguments{&form, tabulation.table(), nodes.data(), nodes.data(), x.data(), u.data(), 0,
                             2,     elements.data(),    false,        means.data(), u.data()};
  const ReferenceTable& table = arguments.table;
  std::vector<double> state(static_cast<std::size_t>(2 * table.point_count * FormFacts<F>::state * lane_count));
  arguments.state = state.data();
  const std::vector<double> given(static_cast<std::size_t>(FormFacts<F>::given * lane_count),
                                  1.0);  // the same everywhere
  arguments.given = given.data();
  std::vector<float> tangents(
      static_cast<std::size_t>(2 * table.point_count * TangentShape<components, D, N>::entries * lane_count));
  arguments.tangents = tangents.data();
  Shadow shadow(engine == Engine::matrices    ? matrices_scratch<F, Sh, 2 * Tiles::columns>(table)
                : engine == Engine::residuals ? residuals_scratch<F, Sh>(table)
                : engine == Engine::actions   ? actions_scratch<F, Sh>(table)
                : engine == Engine::diagonals ? diagonals_scratch<F, Sh>(table)
                : engine == Engine::commits || engine == Engine::tangents ? nodal_scratch<F, Sh>(table)
                : engine == Engine::tangent_actions ? TangentShape<components, D, N>::actions_scratch(table)
                                                    : evaluate_scratch<F, Sh>(table),
                skipped);
  const CheckerTeam team{&shadow};
  const CheckerMemory memory{&shadow};
  for (Index batch = 0; batch < 2; ++batch) {
    if constexpr (FormFacts<F>::has_matrix) {
      if (engine == Engine::matrices) element_matrices<F, N, D, 0>(team, memory, form, arguments, batch);
      if (engine == Engine::actions) element_actions<F, N, D>(team, memory, form, arguments, batch);
      if (engine == Engine::diagonals) element_diagonals<F, N, D>(team, memory, form, arguments, batch);
    }
    if (engine == Engine::residuals) element_residuals<F, N, D>(team, memory, form, arguments, batch);
    if constexpr (FormFacts<F>::evaluated > 0) {
      if (engine == Engine::evaluate) element_evaluate<F, N, D>(team, memory, form, arguments, batch);
    }
    if constexpr (FormFacts<F>::state > 0) {
      if (engine == Engine::commits) element_commits<F, N, D>(team, memory, form, arguments, batch);
    }
    if constexpr (keeps_tangents<F, D>) {
      if (engine == Engine::tangents) element_tangents<F, N, D>(team, memory, form, arguments, batch);
      if (engine == Engine::tangent_actions)
        tangent_actions<TangentShape<components, D, N>>(team, memory, arguments, batch);
    }
  }
  return shadow.found;
}

struct Case {
  std::string name;
  std::function<Findings(int skipped)> run;
};

template <class F, int N, int D>
void add(std::vector<Case>& cases, CellKind kind, const F& form) {
  const auto with = [&](Engine engine, const char* what) {
    cases.push_back({std::string(F::name) + " " + std::string(traits(kind).name) + " " + what,
                     [=](int skipped) { return run<F, N, D>(engine, kind, form, skipped); }});
  };
  with(Engine::residuals, "residuals");
  if constexpr (FormFacts<F>::has_matrix) {
    with(Engine::matrices, "matrices");
    with(Engine::actions, "actions");
    with(Engine::diagonals, "diagonals");
  }
  if constexpr (FormFacts<F>::evaluated > 0) with(Engine::evaluate, "evaluation");
  if constexpr (FormFacts<F>::state > 0) with(Engine::commits, "commits");
  if constexpr (keeps_tangents<F, D>) {
    with(Engine::tangents, "tangents");
    with(Engine::tangent_actions, "actions of tangents");
  }
}

const std::vector<Case>& cases() {
  static const std::vector<Case> all = [] {
    std::vector<Case> list;
    add<Diffusion<3>, 4, 3>(list, CellKind::tet4, {1.5});
    add<Diffusion<3>, 27, 3>(list, CellKind::hex27, {1.5});
    add<Diffusion<3>, 13, 3>(list, CellKind::pyramid13, {1.5});
    add<Diffusion<2>, 3, 2>(list, CellKind::tri3, {1.5});
    add<Elasticity, 10, 3>(list, CellKind::tet10, {1.4, 0.9});
    add<Elasticity, 8, 3>(list, CellKind::hex8, {1.4, 0.9});
    add<Elasticity, 15, 3>(list, CellKind::prism15, {1.4, 0.9});
    add<PlaneElasticity, 8, 2>(list, CellKind::quad8, PlaneElasticity::plane_strain({1.4, 0.9}, 1));
    add<AxisymmetricElasticity, 6, 2>(list, CellKind::tri6, {1.4, 0.9});
    add<NonlinearDiffusion<3>, 20, 3>(list, CellKind::hex20, {1.3, 0.4, 0.2});
    add<Coupled, 9, 2>(list, CellKind::quad9, {0.7});
    add<RadialReturn, 8, 3>(list, CellKind::hex8, {1, 0.3, 0.01, 0.2, 0.1});
    add<RadialReturn, 10, 3>(list, CellKind::tet10, {1, 0.3, 0.01, 0.2, 0.1});
    add<Load<3, 3, 0>, 6, 3>(list, CellKind::prism6, {{1, 2, 3}});
    add<Convection<2>, 3, 1>(list, CellKind::line3, {3, 1.5});
    return list;
  }();
  return all;
}

TEST(Barriers, LeaveNoRaceInTheEngines) {
  for (const Case& c : cases()) EXPECT_EQ(c.run(-1).races, 0) << c.name;
}

TEST(Barriers, ProtectNoReadOfWhatWasNeverWritten) {
  for (const Case& c : cases()) EXPECT_EQ(c.run(-1).reads_of_nothing, 0) << c.name;
}

TEST(Scratch, IsLargeEnoughForTheEngines) {
  for (const Case& c : cases()) EXPECT_EQ(c.run(-1).out_of_bounds, 0) << c.name;
}

TEST(Barriers, LeaveRacesWhenAllAreGone) {
  for (const Case& c : cases()) EXPECT_GT(c.run(-2).races, 0) << c.name;
}

// Every barrier is needed but the last of an element, since what the next element writes first is not read in the phase
// before.
TEST(Barriers, LeaveRacesWhenAnyOneIsGone) {
  for (const Case& c : cases()) {
    const int syncs = c.run(-1).syncs / 2;
    for (int skipped = 0; skipped + 1 < syncs; ++skipped)
      EXPECT_GT(c.run(skipped).races, 0) << c.name << " without barrier " << skipped << " of " << syncs;
  }
}

}  // namespace
}  // namespace ritz::test
