// C8: a cube on six supports that hold it exactly (3-2-1). Each of the 64 ways of leaving supports away frees as many
// motions as supports are missing; the words describe motions that the remaining supports really allow.
#include "fem/space/rigid_motion.hpp"
#include "mesh/generators.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <map>

namespace ritz {
namespace {

using ::testing::ElementsAre;
using Vec = std::array<double, 3>;

struct Support {
  Vec at;
  int component;
};
// Corner O in three directions, A on the x axis in two, B on the y axis in one.
const std::array<Support, 6> supports = {
    {{{0, 0, 0}, 0}, {{0, 0, 0}, 1}, {{0, 0, 0}, 2}, {{1, 0, 0}, 1}, {{1, 0, 0}, 2}, {{0, 1, 0}, 2}}};

Node node_at(const Mesh& mesh, Vec x) {
  for (Node node = 0; node < mesh.node_count(); ++node) {
    const auto p = mesh.point(node);
    if (std::hypot(p[0] - x[0], p[1] - x[1], p[2] - x[2]) < 1e-12) return node;
  }
  return -1;
}

struct Cube {
  Mesh mesh = box(2, 2, 2, {1, 1, 1}, CellKind::hex8);
  FunctionSpace space{mesh, 3, Device::named("cpu", 1)};

  // Bit i: support i exists.
  std::vector<FreePart> free(unsigned held) const {
    Constraints fixed(space);
    for (unsigned i = 0; i < 6; ++i)
      if (held & (1u << i))
        fixed.prescribe(std::array{node_at(mesh, supports[i].at)}, supports[i].component, 0, "support");
    return free_parts(fixed, RigidModes::solid);
  }
};

// The words as numbers: u(x) = t + w x (x - p).
struct Motion {
  Vec t{}, w{}, p{};
  Vec velocity(Vec x) const {
    const Vec d{x[0] - p[0], x[1] - p[1], x[2] - p[2]};
    return {t[0] + w[1] * d[2] - w[2] * d[1], t[1] + w[2] * d[0] - w[0] * d[2], t[2] + w[0] * d[1] - w[1] * d[0]};
  }
};

Vec direction(const std::string& words) {
  Vec v{};
  if (words.size() == 1) v[static_cast<std::size_t>(words[0] - 'x')] = 1;
  else EXPECT_EQ(std::sscanf(words.c_str(), "(%lf, %lf, %lf)", &v[0], &v[1], &v[2]), 3) << words;
  return v;
}

Motion parse(const std::string& words) {
  Motion motion;
  const std::size_t comma = words.find(", sliding along it by ");
  std::string along = words.substr(0, comma);
  along = along.substr(along.rfind("along ") + 6);
  if (words.starts_with("translation")) {
    motion.t = direction(along);
  } else {
    motion.w = direction(along);
    EXPECT_EQ(std::sscanf(words.c_str(), "rotation about the axis through (%lf, %lf, %lf)", &motion.p[0], &motion.p[1],
                          &motion.p[2]),
              3)
        << words;
    const double slide = comma == std::string::npos ? 0 : std::atof(words.c_str() + comma + 22);
    for (std::size_t i = 0; i < 3; ++i) motion.t[i] = slide * motion.w[i];
  }
  return motion;
}

// Rank of the motions as vectors (w, velocity of the origin), by elimination.
int rank(const std::vector<Motion>& motions) {
  std::vector<std::array<double, 6>> rows;
  for (const Motion& m : motions) {
    const Vec v = m.velocity({0, 0, 0});
    rows.push_back({m.w[0], m.w[1], m.w[2], v[0], v[1], v[2]});
  }
  int rank = 0;
  for (std::size_t column = 0; column < 6; ++column) {
    std::size_t best = rows.size();
    for (std::size_t r = static_cast<std::size_t>(rank); r < rows.size(); ++r)
      if (std::abs(rows[r][column]) > (best < rows.size() ? std::abs(rows[best][column]) : 1e-3)) best = r;
    if (best == rows.size()) continue;
    std::swap(rows[best], rows[static_cast<std::size_t>(rank)]);
    const auto& pivot = rows[static_cast<std::size_t>(rank++)];
    for (std::size_t r = static_cast<std::size_t>(rank); r < rows.size(); ++r) {
      const double factor = rows[r][column] / pivot[column];
      for (std::size_t j = 0; j < 6; ++j) rows[r][j] -= factor * pivot[j];
    }
  }
  return rank;
}

TEST(RigidMotions, OfAll64SupportsOfACubeAreCountedAndNamed) {
  const Cube cube;
  for (unsigned held = 0; held < 64; ++held) {
    SCOPED_TRACE(fmt::format("supports {:06b}", held));
    const std::vector<FreePart> parts = cube.free(held);
    if (held == 63) {
      EXPECT_TRUE(parts.empty());
      continue;
    }
    ASSERT_EQ(parts.size(), 1u);
    const std::vector<std::string>& words = parts[0].motions;
    EXPECT_EQ(words.size(), 6u - static_cast<unsigned>(__builtin_popcount(held)));
    std::vector<Motion> motions;
    for (const std::string& each : words) motions.push_back(parse(each));
    EXPECT_EQ(rank(motions), static_cast<int>(words.size()));
    for (std::size_t m = 0; m < motions.size(); ++m)
      for (unsigned i = 0; i < 6; ++i) {
        const double along = motions[m].velocity(supports[i].at)[static_cast<std::size_t>(supports[i].component)];
        EXPECT_NEAR(held & (1u << i) ? along : 0, 0, 2e-3) << words[m];  // the words round to three digits
      }
  }
}

TEST(RigidMotions, OfOneMissingSupportHaveItsAxis) {
  const Cube cube;
  const auto without = [&](unsigned support) { return cube.free(63u & ~(1u << support)).at(0).motions; };
  EXPECT_THAT(without(0), ElementsAre("translation along x"));
  EXPECT_THAT(without(3), ElementsAre("rotation about the axis through (0, 0, 0.5) along z"));
  EXPECT_THAT(without(4), ElementsAre("rotation about the axis through (0, 0.5, 0) along y"));
  EXPECT_THAT(without(5), ElementsAre("rotation about the axis through (0.5, 0, 0) along x"));
}

// Five supports that only a screw escapes: w = (1, 1, 0), t = (-1/2, 0, 0).
TEST(RigidMotions, ThatSlideAlongTheirAxisSaySo) {
  const Cube cube;
  Constraints fixed(cube.space);
  const std::array<Support, 5> held = {
      {{{0, 0, 0}, 1}, {{1, 0, 0}, 1}, {{0, 0, 0}, 2}, {{1, 1, 0}, 2}, {{0, 0, 0.5}, 0}}};
  for (const Support& s : held) fixed.prescribe(std::array{node_at(cube.mesh, s.at)}, s.component, 0, "support");
  const std::vector<std::string> words = free_parts(fixed, RigidModes::solid).at(0).motions;
  ASSERT_EQ(words.size(), 1u);
  EXPECT_THAT(words[0], ::testing::HasSubstr("sliding along it"));
  const Motion motion = parse(words[0]);
  for (const Support& s : held)
    EXPECT_NEAR(motion.velocity(s.at)[static_cast<std::size_t>(s.component)], 0, 2e-3) << words[0];
}

TEST(RigidMotions, AreFoundFarFromTheOriginAndAtAnySize) {
  for (const double size : {1e-6, 1.0, 1e6}) {
    MeshData data = box_data(1, 1, 1, {size, size, size}, CellKind::tet4);
    for (std::size_t i = 0; i < data.points.size(); ++i) data.points[i] += 1000 * size;
    const Mesh mesh(std::move(data));
    const FunctionSpace space(mesh, 3, Device::named("cpu", 1));
    Constraints fixed(space);
    const std::vector<Node> side = nodes_in(mesh, mesh.region("x0"));
    fixed.prescribe(side, 0, 0, "side");
    EXPECT_EQ(free_parts(fixed, RigidModes::solid).at(0).motions.size(), 3u) << size;
    for (int c = 1; c < 3; ++c) fixed.prescribe(side, c, 0, "side");
    EXPECT_TRUE(free_parts(fixed, RigidModes::solid).empty()) << size;
  }
}

TEST(RigidMotions, InThePlaneAreThree) {
  const Mesh mesh = rectangle(2, 2, {1, 1}, CellKind::quad4);
  const FunctionSpace space(mesh, 2, Device::named("cpu", 1));
  const std::vector<Node> corner = {node_at(mesh, {0, 0, 0})};
  Constraints fixed(space);
  EXPECT_EQ(free_parts(fixed, RigidModes::plane).at(0).motions.size(), 3u);
  fixed.prescribe(corner, 0, 0, "corner");
  fixed.prescribe(corner, 1, 0, "corner");
  EXPECT_THAT(free_parts(fixed, RigidModes::plane).at(0).motions,
              ElementsAre("rotation about the axis through (0, 0, 0) along z"));
}

// Two cubes, one on the other, with nodes of their own where they meet.
struct TwoCubes {
  static Mesh make() {
    MeshData low = box_data(2, 2, 2, {1, 1, 1}, CellKind::hex8), up = low;
    const auto nodes = static_cast<Node>(low.points.size() / 3);
    transform_points(up, [](std::span<double, 3> x) { x[2] += 1; });
    low.points.insert(low.points.end(), up.points.begin(), up.points.end());
    for (Node& node : up.blocks.front().nodes) node += nodes;
    low.blocks.push_back(up.blocks.front());
    return Mesh(std::move(low));
  }
  Mesh mesh = make();
  FunctionSpace space{mesh, 3, Device::named("cpu", 1)};
  Constraints fixed{space};

  // Nodes at one place that `chosen` takes have the same displacement.
  void join(const std::function<bool(const Vec&)>& chosen) {
    LinearEquations equations{.origin = "joint"};
    std::map<Vec, Node> met;
    for (Node node = 0; node < space.node_count(); ++node) {
      const Vec x = space.point(node);
      if (const auto [first, is_new] = met.try_emplace(x, node); !is_new && chosen(x))
        for (int c = 0; c < 3; ++c) equations.add({{node, c, 1.0}, {first->second, c, -1.0}});
    }
    fixed.relate(std::move(equations));
  }
  void hold(const std::function<bool(const Vec&)>& chosen) {
    for (Node node = 0; node < space.node_count(); ++node)
      if (chosen(space.point(node)))
        for (int c = 0; c < 3; ++c) fixed.prescribe(std::array{node}, c, 0, "support");
  }
  std::size_t free_motions() {
    std::size_t count = 0;
    for (const FreePart& part : free_parts(fixed, RigidModes::solid)) count += part.motions.size();
    return count;
  }
};

TEST(RigidMotions, OfJoinedBodiesAreThoseOfOne) {
  TwoCubes cubes;
  EXPECT_EQ(cubes.free_motions(), 12u);
  cubes.join([](const Vec&) { return true; });
  EXPECT_EQ(cubes.free_motions(), 6u);
  cubes.hold([](const Vec& x) { return x[2] == 2; });
  EXPECT_EQ(cubes.free_motions(), 0u);
}

TEST(RigidMotions, OfAHingeAreARotationAboutIt) {
  TwoCubes cubes;
  cubes.join([](const Vec& x) { return x[0] == 0; });
  cubes.hold([](const Vec& x) { return x[2] == 0; });
  const std::vector<FreePart> free = free_parts(cubes.fixed, RigidModes::solid);
  ASSERT_EQ(free.size(), 1u);
  EXPECT_EQ(free[0].part, 1);
  EXPECT_THAT(free[0].motions, ElementsAre("rotation about the axis through (0, 0.5, 1) along y"));
}

TEST(RigidMotions, OfABallJointAreThreeRotations) {
  TwoCubes cubes;
  cubes.join([](const Vec& x) { return x[0] == 0.5 && x[1] == 0.5; });
  cubes.hold([](const Vec& x) { return x[2] == 0; });
  EXPECT_EQ(cubes.free_motions(), 3u);
}

// n . u = 0 on a slope: a body on it slides, and turns about its normal.
TEST(RigidMotions, OnASlopeAreThoseAlongIt) {
  Cube cube;
  Constraints fixed(cube.space);
  LinearEquations slope{.origin = "slope"};
  for (const Node node : nodes_in(cube.mesh, cube.mesh.region("z0"))) slope.add({{node, 0, 0.6}, {node, 2, 0.8}});
  fixed.relate(std::move(slope));
  const std::vector<FreePart> free = free_parts(fixed, RigidModes::solid);
  ASSERT_EQ(free.size(), 1u);
  EXPECT_THAT(free[0].motions, ::testing::Contains("translation along y"));
  EXPECT_THAT(free[0].motions, ::testing::Contains("translation along (0.8, 0, -0.6)"));
  EXPECT_EQ(free[0].motions.size(), 3u);
}

}  // namespace
}  // namespace ritz
