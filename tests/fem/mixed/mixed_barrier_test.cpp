// Compiled with RITZ_BACKEND=checker: the engines of several fields under the barrier checker.
#include "device/device.hpp"
#include "fem/cells/tabulation.hpp"
#include "fem/launch/mixed_engine.hpp"
#include "tests/fem/cells_under_test.hpp"
#include "tests/fem/launch/barrier_checker.hpp"
#include "tests/fem/mixed/mixed_forms.hpp"

namespace ritz::test {
namespace {

using namespace ritz::checker;

enum class Engine { residuals, actions, matrix00, matrix01, matrix10, matrix11 };
constexpr Engine engines[] = {Engine::residuals, Engine::actions,  Engine::matrix00,
                              Engine::matrix01,  Engine::matrix10, Engine::matrix11};

// Two elements one after the other in the same scratch, quadratic displacements beside linear temperatures.
template <int D>
Findings run(Engine engine, CellKind kind, int skipped) {
  using F = Everything<D>;
  using Sh = MixedShape<F, D>;
  const F form{};
  const Device device = Device::named("cpu", 1);
  const ReferenceElement geometry = cell_element(kind);
  const ReferenceElement elements[] = {lagrange_element(traits(kind).linear, 2), lagrange_element(kind, 1)};
  const QuadratureRule rule = quadrature(kind, 3);
  const Tabulation tables[] = {Tabulation(device, elements[0], geometry, rule),
                               Tabulation(device, elements[1], geometry, rule)};
  MixedArguments mixed{.form = &form, .row = 0, .column = 0, .fields = {}};
  std::vector<std::int32_t> nodes[2], corners;
  std::vector<double> u[2];
  const auto numbered = [](int count) {
    std::vector<std::int32_t> list;
    for (int node = 0; node < 2 * count; ++node) list.insert(list.end(), lane_count, node);
    return list;
  };
  for (std::size_t k = 0; k < 2; ++k) {
    const int count = elements[k].node_count();
    nodes[k] = numbered(count);
    u[k] = random_values(static_cast<std::size_t>(2 * count * F::fields[k].components), 3 + k);
    mixed.fields[k] = {tables[k].table(), nodes[k].data(), u[k].data(), u[k].data()};
  }
  corners = numbered(geometry.node_count());
  std::vector<double> x;
  for (int batch = 0; batch < 2; ++batch)
    for (const Point& point : geometry.nodes)
      for (std::size_t d = 0; d < D; ++d) x.push_back(2 + point[d]);
  std::vector<double> results(static_cast<std::size_t>(2 * 90 * 90 * lane_count));
  ElementArguments arguments{};
  arguments.table = mixed.fields[0].table;
  arguments.geometry_nodes = corners.data();
  arguments.coordinates = x.data();
  arguments.elements = results.data();
  int scratch = mixed_vectors_scratch<F, Sh>(mixed, engine == Engine::actions ? 2 : 1);
  if (engine == Engine::matrix00) scratch = mixed_matrices_scratch<F, Sh, 0, 0>(mixed);
  if (engine == Engine::matrix01) scratch = mixed_matrices_scratch<F, Sh, 0, 1>(mixed);
  if (engine == Engine::matrix10) scratch = mixed_matrices_scratch<F, Sh, 1, 0>(mixed);
  if (engine == Engine::matrix11) scratch = mixed_matrices_scratch<F, Sh, 1, 1>(mixed);
  Shadow shadow(scratch, skipped);
  const CheckerTeam team{&shadow};
  const CheckerMemory memory{&shadow};
  for (Index batch = 0; batch < 2; ++batch) {
    if (engine == Engine::residuals) mixed_residuals<F, D>(team, memory, form, arguments, mixed, batch);
    if (engine == Engine::actions) mixed_actions<F, D>(team, memory, form, arguments, mixed, batch);
    if (engine == Engine::matrix00) mixed_matrices<F, D, 0, 0>(team, memory, form, arguments, mixed, batch);
    if (engine == Engine::matrix01) mixed_matrices<F, D, 0, 1>(team, memory, form, arguments, mixed, batch);
    if (engine == Engine::matrix10) mixed_matrices<F, D, 1, 0>(team, memory, form, arguments, mixed, batch);
    if (engine == Engine::matrix11) mixed_matrices<F, D, 1, 1>(team, memory, form, arguments, mixed, batch);
  }
  return shadow.found;
}

Findings run_on(Engine engine, CellKind kind, int skipped) {
  return traits(kind).dimension == 3 ? run<3>(engine, kind, skipped) : run<2>(engine, kind, skipped);
}

class MixedEngines : public CellTest {};
INSTANTIATE_TEST_SUITE_P(Cells, MixedEngines,
                         ::testing::Values(CellKind::tri3, CellKind::quad4, CellKind::tet4, CellKind::hex8), kind_name);

TEST_P(MixedEngines, NeitherRaceNorReadWhatWasNeverWrittenNorLeaveTheirScratch) {
  for (const Engine engine : engines) {
    const Findings found = run_on(engine, kind(), -1);
    EXPECT_EQ(found.races, 0) << static_cast<int>(engine);
    EXPECT_EQ(found.reads_of_nothing, 0) << static_cast<int>(engine);
    EXPECT_EQ(found.out_of_bounds, 0) << static_cast<int>(engine);
  }
}

// But for the last of an element, and the one before the first column of a matrix, where every item reads what it wrote
// itself.
TEST_P(MixedEngines, NeedEveryBarrier) {
  for (const Engine engine : engines) {
    const int syncs = run_on(engine, kind(), -1).syncs / 2;
    const bool vector = engine == Engine::residuals || engine == Engine::actions;
    for (int skipped = 0; skipped + 1 < syncs; ++skipped)
      if (vector || skipped != 1) {
        EXPECT_GT(run_on(engine, kind(), skipped).races, 0) << static_cast<int>(engine) << " " << skipped;
      }
  }
}

}  // namespace
}  // namespace ritz::test
