// Gaps between two nodes and springs that press alone: two bars in a row, before and after they touch.
#include "fem/physics/gap.hpp"

#include "fem/analysis/analysis.hpp"
#include "fem/physics/elastic_body.hpp"
#include "mesh/generators.hpp"

#include <cmath>
#include <gmock/gmock.h>

namespace ritz::test::gap_test {
namespace {

using ::testing::HasSubstr;

constexpr double open = 0.01, young = 2;

// Two cubes on a common axis, the second one held at its far end; "a" and "b" are the sides that face each other.
Mesh two_cubes() {
  const MeshData one = box_data(1, 1, 1, {1, 1, 1}, CellKind::hex8);
  MeshData both = one;
  const Node count = static_cast<Node>(one.points.size() / 3);
  for (std::size_t i = 0; i < one.points.size(); ++i)
    both.points.push_back(one.points[i] + (i % 3 == 0 ? 1 + open : 0.0));
  CellBlock& block = both.blocks.front();
  const std::vector<Node> nodes = block.nodes;
  for (const Node node : nodes) block.nodes.push_back(node + count);
  both.regions.clear();
  const auto add = [&](const char* name, double x) {
    Region region{.name = name, .kind = RegionKind::nodes};
    for (Node node = 0; node < 2 * count; ++node)
      if (std::abs(both.points[static_cast<std::size_t>(3 * node)] - x) < 1e-9) region.nodes.push_back(node);
    both.regions.push_back(region);
  };
  add("held", 0);
  add("a", 1);
  add("b", 1 + open);
  add("far", 2 + open);
  return Mesh(std::move(both));
}

struct Bars {
  Bars() : body(mesh) {
    body.material("all", {.young = young, .poisson = 0});
    body.loads.fix("held");
    body.loads.fix("far");
  }
  Model pulled(double force, const Region& region, const Region* onto, const GapOptions& options) {
    body.loads.force("a", {force, 0, 0});
    Model model = body.model(Device::named("cpu", 1));
    model.relations.push_back(gap(model.space, region, onto, options));
    model.linear = false;
    return model;
  }
  double motion(const Model& model, const NonlinearSolution& s, const char* region) const {
    return model.space.to_mesh(s.u)[static_cast<std::size_t>(3 * mesh.region(region).nodes.front())];
  }
  const Mesh mesh = two_cubes();
  ElasticBody body;
};

TEST(Gap, TransmitsPressureOnceItIsClosed) {
  {
    Bars bars;
    const Model model = bars.pulled(0.9 * open * young, bars.mesh.region("a"), &bars.mesh.region("b"), {});
    const NonlinearSolution s = solve(model, Nonlinear{});
    EXPECT_NEAR(bars.motion(model, s, "a"), 0.9 * open, 1e-12);
    EXPECT_NEAR(bars.motion(model, s, "b"), 0, 1e-15);
  }
  Bars bars;
  const Model model = bars.pulled(3 * open * young, bars.mesh.region("a"), &bars.mesh.region("b"), {});
  const NonlinearSolution s = solve(model, Nonlinear{});
  EXPECT_NEAR(bars.motion(model, s, "a"), 2 * open, 1e-12);  // F = k u + k (u - gap)
  EXPECT_NEAR(bars.motion(model, s, "b"), open, 1e-12);
  double pressed = 0;
  for (const Node node : bars.mesh.region("b").nodes) pressed += s.reaction[static_cast<std::size_t>(3 * node)];
  EXPECT_NEAR(pressed, open * young, 1e-12);
}

TEST(Gap, BodiesThatOverlapPushEachOtherApart) {
  Bars bars;
  const Model model = bars.pulled(0, bars.mesh.region("a"), &bars.mesh.region("b"), {.clearance = -0.004});
  const NonlinearSolution s = solve(model, Nonlinear{});
  EXPECT_NEAR(bars.motion(model, s, "a"), -0.002, 1e-12);
  EXPECT_NEAR(bars.motion(model, s, "b"), 0.002, 1e-12);
}

TEST(Gap, WithoutAnotherSideIsAStop) {
  Bars bars;
  const Model model =
      bars.pulled(3 * open * young, bars.mesh.region("a"), nullptr, {.direction = Point{2, 0, 0}, .clearance = open});
  EXPECT_NEAR(bars.motion(model, solve(model, Nonlinear{}), "a"), open, 1e-12);
}

TEST(Gap, ErrorsNameWhatIsMissing) {
  Bars bars;
  const Model model = bars.pulled(0, bars.mesh.region("a"), &bars.mesh.region("b"), {});
  const auto words = [&](const char* region, const char* onto, const GapOptions& options) -> std::string {
    try {
      gap(model.space, bars.mesh.region(region), onto != nullptr ? &bars.mesh.region(onto) : nullptr, options);
    } catch (const Error& error) { return error.what(); }
    return "no error";
  };
  EXPECT_THAT(words("a", nullptr, {}), HasSubstr("a stop of 'a' without a direction"));
  EXPECT_THAT(words("a", "a", {}), HasSubstr("a gap without a direction"));
  EXPECT_THAT(words("a", "b", {.direction = Point{-1, 0, 0}}), HasSubstr("a direction that leads from"));
}

// The bar alone where it is drawn from the spring, both where it is pressed on it; along an oblique direction.
TEST(PressedSpring, ActsWhereItIsPressedAlone) {
  MeshData data = box_data(1, 1, 1, {1, 1, 1}, CellKind::hex8);
  Region end{.name = "end", .kind = RegionKind::nodes};
  for (std::size_t i = 0; i < data.points.size(); i += 3)
    if (data.points[i] == 1) end.nodes.push_back(static_cast<Node>(i / 3));
  data.regions.push_back(end);
  const Mesh mesh(std::move(data));
  for (const double force : {-0.1, 0.1}) {
    ElasticBody body(mesh);
    body.material("all", {.young = young, .poisson = 0});
    body.loads.fix("x0");
    body.loads.displacement("all", 1, 0);
    body.loads.displacement("all", 2, 0);
    body.loads.force("x1", {force, 0, 0});
    body.spring("end", {.stiffness = {}, .direction = Point{3, 4, 0}, .along = 5, .only_presses = true});
    const Model model = body.model(Device::named("cpu", 1));
    const std::vector<double> u = model.space.to_mesh(solve(model, Nonlinear{}).u);
    EXPECT_NEAR(u[3 * static_cast<std::size_t>(end.nodes.front())], force / (young + (force > 0 ? 5 * 0.6 * 0.6 : 0)),
                1e-12);
  }
}

}  // namespace
}  // namespace ritz::test::gap_test
