// Mean motions of surfaces, without a solver.
#include "fem/physics/mean_motion.hpp"

#include "tests/fem/physics/two_parts.hpp"

#include <gmock/gmock.h>

namespace ritz::test::mean_motion_test {
namespace {

Device cpu() { return Device::named("cpu", 1); }

std::vector<double> values_of(const FunctionSpace& space, const VectorField& field) {
  std::vector<double> u;
  for (Node node = 0; node < static_cast<Node>(space.node_count()); ++node)
    for (int c = 0; c < space.components(); ++c) u.push_back(field(space.point(node), c));
  return u;
}

struct MeanMotions : CellTest {};
INSTANTIATE_TEST_SUITE_P(AllCells, MeanMotions, ::testing::ValuesIn(cell_kinds()), kind_name);

// In the plane the motion has two displacements and one rotation.
TEST_P(MeanMotions, OfARigidBodyAreItsMotion) {
  const bool plane = dimension() == 2;
  const Mesh mesh = plane ? rectangle(2, 3, {2, 1}, kind()) : box(2, 3, 2, {1, 2, 1}, kind());
  const Point reference{3, -2, plane ? 0.0 : 5.0};
  const double w[3] = {0.3, -0.5, 0.7};
  for (const int order : {0, 2}) {
    const FunctionSpace space(mesh, dimension(), cpu(), {.order = order});
    const MeanMotion mean(space, mesh.region(plane ? "y1" : "z1"), reference);
    const RigidMotion m = mean.of(values_of(space, rigid_field));
    for (std::size_t c = 0; c < static_cast<std::size_t>(dimension()); ++c)
      EXPECT_NEAR(m.displacement[c], rigid_field(reference, static_cast<int>(c)), 1e-12);
    for (std::size_t c = plane ? 2 : 0; c < 3; ++c) EXPECT_NEAR(m.rotation[c], w[c], 1e-13);
    for (const std::size_t motion : {2, 3, 4}) EXPECT_EQ(mean.terms(motion).empty(), plane);
  }
}

// int x^2 dA = 1/3 on the unit square about its edge, and so about its centre the mean of (x - 1/2)^2 is 1/12.
TEST(MeanMotion, WeighsByArea) {
  const Mesh mesh = box(3, 2, 2, {1, 1, 1}, CellKind::hex20);
  const FunctionSpace space(mesh, 3, cpu());
  const MeanMotion mean(space, mesh.region("z1"), std::nullopt);
  const RigidMotion bulged = mean.of(values_of(space, [](const Point& x, int c) { return c == 2 ? x[0] * x[0] : 0; }));
  EXPECT_NEAR(bulged.displacement[2], 1.0 / 3, 1e-13);
  EXPECT_NEAR(bulged.rotation[1], -1, 1e-12);  // the slope of the straight line nearest to x^2
  EXPECT_NEAR(bulged.rotation[0], 0, 1e-12);
  const RigidMotion stretched =
      mean.of(values_of(space, [](const Point& x, int c) { return x[c == 0 ? 1 : 0] - 0.5; }));
  EXPECT_NEAR(stretched.rotation[2], 0, 1e-12);  // shear turns nothing in the mean
}

void expect_refused_as_input(const Mesh& mesh, int components) {
  const FunctionSpace space(mesh, components, cpu());
  try {
    MeanMotion(space, mesh.region("x1"), std::nullopt);
    FAIL() << components << " components in " << mesh.dimension() << " dimensions were taken";
  } catch (const Error& error) {
    EXPECT_EQ(error.exit(), Exit::input);
    EXPECT_THAT(error.message(), ::testing::HasSubstr("no displacement"));
  }
}

TEST(MeanMotion, IsOfDisplacements) {
  const Mesh plane = rectangle(2, 2, {1, 1}, CellKind::quad4), solid = box(1, 1, 1, {1, 1, 1}, CellKind::hex8);
  expect_refused_as_input(plane, 1);
  expect_refused_as_input(plane, 3);
  expect_refused_as_input(solid, 1);
}

}  // namespace
}  // namespace ritz::test::mean_motion_test
