// Cells that ranks estimate on their parts have the numbers of the whole mesh, to the last bit.
#include "fem/ranks/divided_estimate.hpp"

#include "fem/ranks/space_part.hpp"
#include "mesh/generators.hpp"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>

namespace ritz::test {
namespace {

struct Case {
  CellKind cell;
  int order, components, ranks;
  bool two_materials;
};

class DividedEstimate : public ::testing::TestWithParam<Case> {};

std::vector<double> wavy(const FunctionSpace& space) {
  std::vector<double> u;
  for (Node node = 0; node < space.node_count(); ++node)
    for (int c = 0; c < space.components(); ++c) {
      const Point x = space.point(node);
      u.push_back(std::sin(3 * x[0] + c) * std::cos(2 * x[1]) + x[2] * x[2] * (1 + c));
    }
  return u;
}

TEST_P(DividedEstimate, CellsHaveTheNumbersOfTheWholeMesh) {
  const Case given = GetParam();
  const Mesh mesh = box(6, 5, 4, {1, 0.8, 0.7}, given.cell);
  const Device device = Device::named("cpu", 1);
  const FunctionSpace space(mesh, given.components, device, {.order = given.order});
  const std::vector<double> u = wavy(space);
  ErrorModel model{.physics = given.components == 1 ? ErrorPhysics::heat : ErrorPhysics::solid, .numbers = {{3, 2}}};
  if (given.two_materials) {
    model.numbers.push_back({30, 20});
    for (Index cell = 0; cell < mesh.cell_count(); ++cell) model.material.push_back(cell % 7 < 3 ? 1 : 0);
  }
  const DiscretisationError whole = estimate_error(space, u, model);
  SpaceCutter cut(space, equal_parts(space, given.ranks), SpaceCutter::Cells::with_patches);
  std::vector<int> computed(static_cast<std::size_t>(mesh.cell_count()), 0);
  Index shallow = 0;
  for (int rank = 0; rank < given.ranks; ++rank) {
    const EstimateShare share = estimate_share(cut.part(rank), u, model);
    const CellEstimates found = estimate(share, device);
    shallow += found.shallow;
    for (std::size_t k = 0; k < found.cells.size(); ++k) {
      const auto cell = static_cast<std::size_t>(found.cells[k]);
      ++computed[cell];
      EXPECT_EQ(found.squares[k], whole.squares[cell]);
      EXPECT_EQ(found.energies[k], whole.energies[cell]);
      EXPECT_EQ(found.volumes[k], whole.volumes[cell]);
      EXPECT_EQ(found.magnitudes[k], whole.magnitudes[cell]);
    }
  }
  EXPECT_EQ(shallow, whole.shallow);
  EXPECT_EQ(std::ranges::count(computed, 1), mesh.cell_count());
}

INSTANTIATE_TEST_SUITE_P(Cells, DividedEstimate,
                         ::testing::Values(Case{CellKind::hex8, 0, 1, 3, false}, Case{CellKind::hex8, 2, 3, 4, false},
                                           Case{CellKind::tet4, 0, 3, 4, true}, Case{CellKind::tet10, 0, 1, 2, true},
                                           Case{CellKind::hex8, 0, 3, 7, true}));

}  // namespace
}  // namespace ritz::test
