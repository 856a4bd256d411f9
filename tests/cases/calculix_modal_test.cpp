// L25 for vibration: eigenvalues of the same mesh and element by CalculiX (*FREQUENCY, ARPACK) and by us. ccx prints
// seven digits. Its masses are consistent. On hexahedra they are ours; on tetrahedra it integrates them with the points
// of the stiffness, which is not exact: with those points we agree to all digits, and with exact ones to what the mesh
// allows; so does its mass of C3D20R, where ours has all points. Its prism of 15 nodes integrates the stiffness with 9
// points, not exactly (calculix_test.cpp).
#include "calculix_deck.hpp"
#include "fem/operator/abilities.hpp"
#include "reduced_mass.hpp"

#include "fem/analysis/vibration.hpp"
#include "fem/forms/elasticity.hpp"
#include "fem/forms/mass.hpp"
#include "fem/multigrid/matrix_free_solver.hpp"
#include "mesh/generators.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <string_view>

namespace ritz::test::calculix_modal_test {
namespace {

constexpr double young = 200, poisson = 0.3, density = 3;

struct ModalCase {
  const char* name;
  CellKind kind;
  const char* element;  // ccx's
  bool clamped;
  Distortion distortion;
  double tolerance = 1e-6;    // of an eigenvalue
  bool reduced_mass = false;  // integrated as ccx does
};

const ModalCase cases[] = {
    {"Tet4", CellKind::tet4, "C3D4", true, {.smooth = 0.1, .random = 0.05}, 1e-6, true},
    {"Tet10", CellKind::tet10, "C3D10", true, {.smooth = 0.1, .random = 0.05}, 1e-6, true},
    {"Tet10Free", CellKind::tet10, "C3D10", false, {.smooth = 0.1, .random = 0.05}, 1e-6, true},
    {"Tet10WithExactMass", CellKind::tet10, "C3D10", true, {.smooth = 0.1, .random = 0.05}, 1e-2},
    {"Hex20", CellKind::hex20, "C3D20", true, {.smooth = 0.1, .random = 0.05}},
    {"Hex20Curved", CellKind::hex20, "C3D20", true, {.smooth = 0.1, .random = 0.03, .curved = true}},
    {"Hex20Free", CellKind::hex20, "C3D20", false, {.smooth = 0.1, .random = 0.05}},
    {"Hex20Reduced", CellKind::hex20, "C3D20R", true, {.smooth = 0.1, .random = 0.05}},
    {"Prism15", CellKind::prism15, "C3D15", true, {}, 1e-2},
};

void PrintTo(const ModalCase& c, std::ostream* out) { *out << c.name; }

class CalculixModal : public ::testing::TestWithParam<ModalCase> {};
INSTANTIATE_TEST_SUITE_P(Cells, CalculixModal, ::testing::ValuesIn(cases),
                         [](const auto& info) { return std::string(info.param.name); });

TEST_P(CalculixModal, AgreesOnTheEigenvaluesOfABar) {
  if (!has_calculix())
    GTEST_SKIP() << "skipped: no CalculiX (ccx, Debian package calculix-ccx) was found at configuration";
  const ModalCase& c = GetParam();
  const Mesh mesh = box(5, 3, 3, {2, 1, 0.8}, c.kind, c.distortion);
  const FunctionSpace space(mesh, 3, Device::named("cpu", 1));
  constexpr int count = 12;
  Deck deck{.mesh = &mesh,
            .element = c.element,
            .material = fmt::format("*ELASTIC\n{},{}\n*DENSITY\n{}", young, poisson, density),
            .step = fmt::format("*FREQUENCY\n{}", count)};
  Constraints supports(space);
  if (c.clamped)
    for (const Node node : nodes_in(mesh, mesh.region("x0")))
      for (int k = 0; k < 3; ++k) {
        deck.supports.push_back({node, k + 1, 0});
        supports.prescribe(std::array{node}, k, 0, "test");
      }
  supports.finish();
  const std::vector<double> theirs = eigenvalues_of_calculix(deck);
  ASSERT_EQ(theirs.size(), count);
  FormValue mass = Mass<3, 3>{density};
  if (c.reduced_mass) {
    mass = ReducedMass{density};
    mass.module = "ritz_case_forms";
  }
  const Lame lame = Lame::from(young, poisson);
  FormValue stiffness = Elasticity{lame.lambda, lame.mu};
  stiffness.reduced = mass.reduced = std::string_view(c.element).ends_with('R');
  const VibrationModes ours = solve_vibration(
      Operator(space, {Integral::over_all_cells(stiffness)}), Operator(space, {Integral::over_all_cells(mass)}),
      supports, {.rigid_motions = c.clamped ? 0 : 6}, {.count = count, .method = EigenMethod::lanczos});
  ASSERT_EQ(ours.eigen.values.size(), count);
  EXPECT_EQ(ours.rigid_count, c.clamped ? 0 : 6);
  double worst = 0;
  for (std::size_t k = 0; k < count; ++k) {
    const double scale = static_cast<int>(k) < ours.rigid_count ? ours.eigen.values[6] : theirs[k];
    worst = std::max(worst, std::abs(ours.eigen.values[k] - theirs[k]) / scale);
  }
  RecordProperty("difference", fmt::format("{:.1e}", worst));
  EXPECT_LE(worst, c.tolerance);
}

// Its kernels are for two cells only, none is for any element: then there is no action, and no coarser order.
TEST(FormOfSomeCells, IsSolvedWithAMatrix) {
  const Mesh mesh = box(11, 11, 11, {1, 1, 1}, CellKind::tet10);
  const FunctionSpace space(mesh, 3, Device::named("cpu", 1));
  const Operator stiffness(space, {Integral::over_all_cells(Elasticity{1, 1})}),
      mass(space, {Integral::over_all_cells(ReducedMass{density})});
  EXPECT_TRUE(can_act(stiffness));
  EXPECT_TRUE(needs_no_matrix(stiffness, false));
  EXPECT_FALSE(can_act(mass));
  EXPECT_FALSE(needs_no_matrix(mass, false));
}

}  // namespace
}  // namespace ritz::test::calculix_modal_test
