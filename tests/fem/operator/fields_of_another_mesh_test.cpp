// Numbers of forms that are fields on another mesh: the device finds the points once, and evaluates them there.
#include "device/error.hpp"
#include "fem/forms/diffusion.hpp"
#include "fem/forms/loads.hpp"
#include "fem/physics/mesh_field.hpp"
#include "tests/fem/models.hpp"

#include <cmath>
#include <gmock/gmock.h>

namespace ritz::test::fields_of_another_mesh_test {
namespace {

using ::testing::HasSubstr;

using Function = std::function<double(const Point&)>;

GivenArray at_nodes(const Mesh& mesh, const Function& f) {
  GivenArray array{{}, true};
  for (Node n = 0; n < mesh.node_count(); ++n)
    array.values.push_back(f({mesh.point(n)[0], mesh.point(n)[1], mesh.point(n)[2]}));
  return array;
}

std::vector<Integral> conduction(const Mesh& mesh, const PointFunction& k) {
  if (mesh.dimension() == 3) return {Integral::over_all_cells({VaryingDiffusion<3>{}, {k}})};
  return {Integral::over_all_cells({VaryingDiffusion<2>{}, {k}})};
}

PointFunction on_host(const PointExpression& expression) {
  return [code = PointCode(expression)](const EvaluationPoints& points, double t, std::span<double> values) {
    code.run(points, t, values);
  };
}

std::vector<double> some_u(const DiscreteProblem& model) {
  return model.values([](const Point& x, int) { return x[0] - 2 * x[1] + x[0] * x[1] + x[2] * x[2]; });
}

class FieldsOfAnotherMesh : public CellTest {
 public:
  // A mesh of bent cells, whose sides lie elsewhere than those of the model.
  Mesh source() const { return patch(kind(), {.count = 3, .random = 0.05, .curved = true, .seed = 4}); }
  DiscreteProblem model(const std::function<PointFunction()>& number) const {
    return {patch(kind(), {.count = 2, .random = 0.05, .curved = true, .seed = 9}), 1,
            [&](const Mesh& mesh) { return conduction(mesh, number()); }};
  }
};

TEST_P(FieldsOfAnotherMesh, HaveTheValuesThatTheHostFinds) {
  const Mesh mesh = source();
  GivenArray in_cells;
  for (Index cell = 0; cell < mesh.cell_count(); ++cell) in_cells.values.push_back(0.1 * double(cell % 7));
  const MeshField u(mesh, at_nodes(mesh, [](const Point&x) { return 2 + std::sin(3 * x[0]) * x[1]; }), 0.05),
      v(mesh, in_cells, 0.05);
  const PointExpression k =
      1 + PointExpression::input({.field = u}) * PointExpression::input({.field = v}) + PointExpression::t();
  DiscreteProblem here = model([&] { return PointFunction(k); }), there = model([&] { return on_host(k); });
  const std::vector<double> x = some_u(here);
  for (const double t : {0.0, 0.7}) {
    here.equations.inputs().set_time({.t = t});
    there.equations.inputs().set_time({.t = t});
    const std::vector<double> mine = here.residual(x), theirs = there.residual(x);
    if (!device_under_test().machine().is_apart()) { EXPECT_EQ(mine, theirs); }
    for (std::size_t i = 0; i < mine.size(); ++i) EXPECT_NEAR(mine[i], theirs[i], 1e-11);
  }
}

// On cells that are mapped by affine maps, and moved and turned with them.
TEST_P(FieldsOfAnotherMesh, OfLinearValuesAreTheFunction) {
  for (const double angle : {0.0, 0.4}) {
    const auto turned = [&](MeshData data) {
      transform_points(data, [&](std::span<double, 3> x) {
        const double a = x[0];
        x[0] = std::cos(angle) * a - std::sin(angle) * x[1] + 5 * angle;
        x[1] = std::sin(angle) * a + std::cos(angle) * x[1] - angle;
      });
      return Mesh(std::move(data));
    };
    const auto block = [&](Index n) {
      return dimension() == 3 ? box_data(n, n, n, {1, 1, 1}, kind()) : rectangle_data(n, n, {1, 1}, kind());
    };
    const Mesh mesh = turned(block(3));
    const auto linear = [](const Point& x) { return 20 + 2 * x[0] - 3 * x[1] + 0.5 * x[2]; };
    const MeshField field(mesh, at_nodes(mesh, linear));
    const PointExpression formula =
        20 + 2 * PointExpression::x() - 3 * PointExpression::y() + 0.5 * (dimension() == 3 ? PointExpression::z() : 0);
    const DiscreteProblem a(turned(block(2)), 1, [&](const Mesh&m) { return conduction(m, field); }),
        b(turned(block(2)), 1, [&](const Mesh&m) { return conduction(m, formula); });
    const std::vector<double> x = some_u(a), mine = a.residual(x), theirs = b.residual(x);
    for (std::size_t i = 0; i < mine.size(); ++i) EXPECT_NEAR(mine[i], theirs[i], 1e-10) << angle;
  }
}
INSTANTIATE_TEST_SUITE_P(Cells, FieldsOfAnotherMesh, ::testing::ValuesIn(cell_kinds()), kind_name);

struct OnSquare {
  explicit OnSquare(const std::function<std::vector<Integral>(const Mesh&)>& make, double width = 1,
                    const Device& device = device_under_test())
      : model(rectangle(40, 40, {width, 1}, CellKind::quad9), 1, make, device) {}
  DiscreteProblem model;
  Vector u = model.space.zeros(), r = model.space.zeros();
  const Vector& residual() {
    model.equations.residual(u, r);
    return r;
  }
  double sum() {
    double result = 0;
    for (const double each : residual().host()) result += each;
    return result;
  }
};

std::vector<Integral> load(const PointFunction& density) {
  return {Integral::over_all_cells({Load<1, 2, 0>{}, {density}})};
}

// The load's sum is its integral, which converges with order 2 for linear cells, whatever the mesh that is loaded.
TEST(LoadsFromAnotherMesh, HaveAnIntegralOfOrderTwo) {
  double error[2];
  for (int i = 0; i < 2; ++i) {
    const Mesh mesh = rectangle(16 << i, 16 << i, {1, 1}, CellKind::quad4);
    const MeshField field(mesh, at_nodes(mesh, [](const Point& x) { return std::exp(x[0]) * (1 + x[1] * x[1]); }));
    OnSquare square([&](const Mesh&) { return load(field); });
    EXPECT_NEAR(-square.sum() / integral_over(mesh, PointFunction(field)), 1, 1e-4);
    error[i] = -square.sum() - (std::exp(1.0) - 1) * 4 / 3;
  }
  EXPECT_NEAR(std::log2(error[0] / error[1]), 2, 0.3);
}

TEST(LoadsFromAnotherMesh, OutsideTakeTheNearestValueOrAreRefused) {
  const Mesh mesh = rectangle(8, 8, {1, 1}, CellKind::quad4);
  const MeshField field(mesh, at_nodes(mesh, [](const Point& x) { return x[0]; }));
  OnSquare within([&](const Mesh&) { return load(field); }, 1.005),
      beyond([&](const Mesh&) { return load(field); }, 1.5);
  EXPECT_NEAR(-within.sum(), 0.5 + 0.005, 2e-5);  // 1 beyond x = 1, but for points within the cells that cross it
  try {
    beyond.residual();
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.exit(), Exit::model);
    EXPECT_THAT(error.what(), HasSubstr("a field is needed where it has no values: the point ("));
    EXPECT_THAT(error.fix(), HasSubstr("take a field on a mesh that covers the body"));
  }
}

// On devices with memory of their own: the points stay there, so later times copy the program alone.
TEST(LoadsFromAnotherMesh, AreFoundOnceAndCopyNothingLater) {
  const Device device = device_under_test().machine().is_apart() ? device_under_test() : Device::named("fake");
  const Mesh mesh = rectangle(31, 17, {1, 1}, CellKind::quad8);
  const std::vector<double> values(static_cast<std::size_t>(mesh.node_count()), 3.0);
  const auto times_t = [](const MeshField& field) {
    return PointFunction(PointExpression::input({.field = field}) * PointExpression::t());
  };
  MeshField field(mesh, values);
  OnSquare square([&](const Mesh&) { return load(times_t(field)); }, 1, device);
  square.model.equations.inputs().set_time({.t = 1});
  EXPECT_NEAR(square.sum(), -3, 1e-12);
  const Index live = device.memory().live();
  const auto traffic_of = [&](const auto& step) {
    const Traffic before = device.machine().traffic();
    step();
    square.residual();
    const Traffic after = device.machine().traffic();
    return std::pair(after.to_device - before.to_device, after.to_host - before.to_host);
  };
  const auto [to_device, to_host] = traffic_of([&] { square.model.equations.inputs().set_time({.t = 2}); });
  EXPECT_EQ(to_host, 0);
  EXPECT_LT(to_device, 8 << 10);
  EXPECT_NEAR(square.sum(), -6, 1e-12);
  // Other numbers on the same mesh, as those of a further member of a sweep, are copied, and nothing is looked for.
  MeshField other(mesh, std::vector<double>(values.size(), 5.0));
  const auto [numbers, back] = traffic_of([&] { square.model.equations.inputs().set_numbers(load(times_t(other))); });
  EXPECT_EQ(back, 0);
  EXPECT_LT(numbers, static_cast<Index>(8 * values.size()) + (8 << 10));
  EXPECT_NEAR(square.sum(), -10, 1e-12);
  other.set(std::vector<double>(values.size(), 7.0));
  square.model.equations.inputs().set_time({.t = 1});
  EXPECT_NEAR(square.sum(), -7, 1e-12);
  EXPECT_EQ(device.memory().live(), live);
  // Without the field, what it had is given back. A number needs other equations.
  EXPECT_TRUE(square.model.equations.inputs().set_numbers(load(PointFunction(PointExpression::x()))));
  EXPECT_LT(device.memory().live(), live);
  EXPECT_NEAR(square.sum(), -0.5, 1e-12);
  EXPECT_FALSE(square.model.equations.inputs().set_numbers(load(constant(1))));
}

}  // namespace
}  // namespace ritz::test::fields_of_another_mesh_test
