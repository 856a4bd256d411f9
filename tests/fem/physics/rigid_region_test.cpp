// Rigid regions without a solver: their equations hold for rigid motions and leave no other.
#include "fem/physics/rigid_region.hpp"

#include "mesh/point_algebra.hpp"
#include "tests/fem/physics/two_parts.hpp"

#include <gmock/gmock.h>

namespace ritz::test::rigid_region_test {
namespace {

constexpr auto none = std::nullopt;
Device cpu() { return Device::named("cpu", 1); }

std::vector<double> values_of(const FunctionSpace& space, const VectorField& field) {
  std::vector<double> u;
  for (Node node = 0; node < static_cast<Node>(space.node_count()); ++node)
    for (int c = 0; c < space.components(); ++c) u.push_back(field(space.point(node), c));
  return u;
}

struct RigidRegions : CellTest {};
INSTANTIATE_TEST_SUITE_P(AllCells, RigidRegions, ::testing::ValuesIn(cell_kinds()), kind_name);

TEST_P(RigidRegions, MoveByTheMotionsOfARigidBodyOnly) {
  const Mesh mesh = dimension() == 3 ? box(2, 3, 2, {1, 2, 1}, kind()) : rectangle(2, 3, {1, 2}, kind());
  for (const int order : {0, 2}) {
    const FunctionSpace space(mesh, dimension(), cpu(), {.order = order});
    const RigidRegion rigid(space, mesh.region("x1"));
    const int motions = dimension() == 3 ? 6 : 3;
    EXPECT_EQ(rigid.parameter_count(), motions);
    // each equation removes one unknown: the motions are what is left
    const Index nodes = static_cast<Index>(space.nodes_in(mesh.region("x1")).size());
    EXPECT_EQ(rigid.equations().size(), nodes * dimension() - motions);
    const VectorField plane = [](const Point& x, int c) { return c == 0 ? 0.2 - 0.7 * x[1] : -0.4 + 0.7 * x[0]; };
    EXPECT_LT(largest_defect(space, rigid.equations(), dimension() == 3 ? VectorField(rigid_field) : plane), 1e-13);
    EXPECT_GT(largest_defect(space, rigid.equations(), linear_field), 1e-3);
  }
}

TEST(RigidRegion, TellsTheMotionOfItsReferencePoint) {
  const Mesh mesh = box(2, 2, 2, {1, 1, 1}, CellKind::tet10);
  const FunctionSpace space(mesh, 3, cpu());
  const Point reference{3, -2, 5};
  const RigidMotion motion =
      RigidRegion(space, mesh.region("z1"), {.reference = reference}).motion(values_of(space, rigid_field));
  const double w[3] = {0.3, -0.5, 0.7};
  for (int c = 0; c < 3; ++c) {
    EXPECT_NEAR(motion.displacement[static_cast<std::size_t>(c)], rigid_field(reference, c), 1e-12);
    EXPECT_NEAR(motion.rotation[static_cast<std::size_t>(c)], w[c], 1e-13);
  }
}

TEST(RigidRegion, TakesAPrescribedMotionInPartOrWhole) {
  const Mesh mesh = box(2, 2, 2, {1, 1, 1}, CellKind::hex8);
  const FunctionSpace space(mesh, 3, cpu());
  const Point reference{0.5, 0.5, 4};
  const double u[3] = {rigid_field(reference, 0), rigid_field(reference, 1), rigid_field(reference, 2)};
  RigidOptions options{.reference = reference, .displacement = {u[0], none, u[2]}, .rotation = {none, -0.5, 0.7}};
  const RigidRegion part(space, mesh.region("z1"), options);
  EXPECT_EQ(part.equations().size(), 9 * 3 - 6 + 4);
  EXPECT_LT(largest_defect(space, part.equations(), rigid_field), 1e-13);
  options.displacement[1] = u[1];
  options.rotation[0] = 0.3;
  const RigidRegion whole(space, mesh.region("z1"), options);
  EXPECT_EQ(whole.equations().size(), 27);
  EXPECT_LT(largest_defect(space, whole.equations(), rigid_field), 1e-13);
  for (Index i = 21; i < 27; ++i) EXPECT_EQ(whole.equations().terms_of(i).size(), 1U);  // six prescribed values
}

// The resultant and the moment of the forces at nodes are those at the reference point.
TEST(RigidRegion, TurnsAForceAndAMomentIntoForcesWithTheSameWork) {
  const Mesh mesh = box(2, 2, 2, {1, 2, 3}, CellKind::hex8);
  const FunctionSpace space(mesh, 3, cpu());
  const Point reference{0.2, 5, 1};
  const RigidRegion rigid(space, mesh.region("y1"), {.reference = reference});
  const std::array<double, 3> force{3, -4, 5}, moment{0.7, 11, -2};
  Point sum{}, turning{};
  for (const NodalForce& each : rigid.forces(force, moment)) {
    const auto x = mesh.point(each.mesh_node);
    const Point f = each.force, m = cross(minus({x[0], x[1], x[2]}, reference), f);
    for (std::size_t d = 0; d < 3; ++d) sum[d] += f[d], turning[d] += m[d];
  }
  for (std::size_t d = 0; d < 3; ++d) {
    EXPECT_NEAR(sum[d], force[d], 1e-12);
    EXPECT_NEAR(turning[d], moment[d], 1e-12);
  }
}

Region nodes_named(const std::string& name, std::vector<Node> nodes) {
  return {name, RegionKind::nodes, {}, {}, std::move(nodes)};
}

TEST(RigidRegion, AlongALineHasFiveMotions) {
  const Mesh mesh = box(1, 1, 4, {1, 1, 1}, CellKind::hex8);
  const FunctionSpace space(mesh, 3, cpu());
  std::vector<Node> line;
  for (Node node = 0; node < static_cast<Node>(mesh.node_count()); ++node)
    if (mesh.point(node)[0] == 0 && mesh.point(node)[1] == 0) line.push_back(node);
  const Region edge = nodes_named("edge", line);
  const RigidRegion rigid(space, edge);
  EXPECT_EQ(rigid.parameter_count(), 5);
  EXPECT_EQ(rigid.equations().size(), 10);
  EXPECT_LT(largest_defect(space, rigid.equations(), rigid_field), 1e-14);
  EXPECT_NO_THROW(RigidRegion(space, edge, {.rotation = {0.1, none, none}}));
  EXPECT_THROW(RigidRegion(space, edge, {.rotation = {none, none, 0.1}}), Error);  // about the line itself
}

TEST(RigidRegion, OfOneNodeIsFree) {
  const Mesh mesh = box(1, 1, 1, {1, 1, 1}, CellKind::hex8);
  const FunctionSpace space(mesh, 3, cpu());
  const RigidRegion rigid(space, nodes_named("corner", {3}));
  EXPECT_EQ(rigid.parameter_count(), 3);
  EXPECT_EQ(rigid.equations().size(), 0);
  EXPECT_THROW(RigidRegion(space, nodes_named("none", {})), Error);
}

// With rotations of their own, all nodes follow one: three equations for each displacement and each rotation.
TEST(RigidRegion, WithRotationsFollowsOneNode) {
  const Mesh mesh = box(2, 2, 2, {1, 1, 1}, CellKind::hex8);
  const FunctionSpace space(mesh, 6, cpu());
  const RigidRegion rigid(space, mesh.region("x0"), {.rotation = {none, none, 0.7}});
  EXPECT_EQ(rigid.parameter_count(), 6);
  EXPECT_EQ(rigid.equations().size(), 8 * 6 + 1);
  const VectorField motion = [](const Point& x, int c) {
    const double w[3] = {0.3, -0.5, 0.7};
    return c < 3 ? rigid_field(x, c) : w[c - 3];
  };
  EXPECT_LT(largest_defect(space, rigid.equations(), motion), 1e-14);
  // where no element turns, displacements alone determine the motion
  std::vector<std::uint8_t> acting(static_cast<std::size_t>(space.unknown_count()), 1);
  for (std::size_t i = 0; i < acting.size(); ++i) acting[i] = i % 6 < 3;
  const RigidRegion bars(space, mesh.region("x0"), {.acting = acting});
  EXPECT_EQ(bars.equations().size(), 9 * 3 - 6);
  EXPECT_LT(largest_defect(space, bars.equations(), motion), 1e-14);
}

}  // namespace
}  // namespace ritz::test::rigid_region_test
