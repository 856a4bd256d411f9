// Coefficients that are evaluated on the device against the same functions of the host.
#include "device/error.hpp"
#include "fem/forms/diffusion.hpp"
#include "fem/physics/mesh_field.hpp"
#include "tests/fem/models.hpp"

#include <gmock/gmock.h>

#include <cmath>

namespace ritz::test {
namespace {

PointFunction on_host(const PointExpression& expression) {
  return [code = PointCode(expression)](const EvaluationPoints& points, double t, std::span<double> values) {
    code.run(points, t, values);
  };
}

// Positive everywhere: of the position, of time, of a table, and of fields at the nodes and in the cells of the mesh.
PointExpression formula_on(const Mesh& mesh) {
  GivenArray at_nodes{{}, true}, in_cells;
  for (Index node = 0; node < mesh.node_count(); ++node) at_nodes.values.push_back(1 + std::cos(double(node)));
  for (Index cell = 0; cell < mesh.cell_count(); ++cell) in_cells.values.push_back(0.1 * double(cell % 7));
  const PointExpression x = PointExpression::x(), y = PointExpression::y(),
                        u = PointExpression::input({.field = MeshField(mesh, at_nodes)}),
                        v = PointExpression::input({.field = MeshField(mesh, in_cells)});
  const auto rows = std::make_shared<const TableValues>(
      TableValues{.axes = {{-10, 0, 0.5, 10}}, .values = {1, 2, 1.5, 4}, .interpolation = {}, .continued = false});
  return PointExpression::choice(x < 0.4 + 0 * y, 1 + u * v, PointExpression::table(rows, {x + PointExpression::t()})) +
         v + u / 3;
}

std::vector<Integral> integrals(const Mesh& mesh, const std::function<PointFunction(const PointExpression&)>& as) {
  const PointFunction value = as(formula_on(mesh)), moving = as(PointExpression::t() + 1);
  const std::string side = sides(mesh.dimension()).front().region;
  if (mesh.dimension() == 3)
    return {Integral::over_all_cells({VaryingDiffusion<3>{}, {value}}),
            Integral::over({Convection<3>{}, {value, moving}}, mesh.region(side))};
  return {Integral::over_all_cells({VaryingDiffusion<2>{}, {value}}),
          Integral::over({Convection<2>{}, {value, moving}}, mesh.region(side))};
}

class Coefficients : public ::testing::TestWithParam<CellKind> {};

TEST_P(Coefficients, OfTheDeviceAreThoseOfTheHost) {
  const Device device = device_under_test();
  DiscreteProblem here(patch(GetParam()), 1, [](const Mesh& mesh) {
    return integrals(mesh, [](const PointExpression& e) { return PointFunction(e); });
  });
  DiscreteProblem there(patch(GetParam()), 1, [](const Mesh& mesh) { return integrals(mesh, on_host); });
  const std::vector<double> u = here.values([](const Point& x, int) { return x[0] - 2 * x[1] + x[0] * x[1]; });
  for (const double t : {0.0, 0.7}) {
    here.equations.inputs().set_time({.t = t});
    there.equations.inputs().set_time({.t = t});
    const std::vector<double> mine = here.residual(u), theirs = there.residual(u);
    if (!device.machine().is_apart()) {  // the same functions of the same library
      EXPECT_EQ(mine, theirs);
    }
    for (std::size_t i = 0; i < mine.size(); ++i) EXPECT_NEAR(mine[i], theirs[i], 1e-12);
  }
}
INSTANTIATE_TEST_SUITE_P(Cells, Coefficients,
                         ::testing::Values(CellKind::tri6, CellKind::quad8, CellKind::tet10, CellKind::hex8,
                                           CellKind::hex27, CellKind::prism15, CellKind::pyramid13),
                         [](const auto& info) { return std::string(traits(info.param).name); });

TEST(CoefficientLimits, WithoutAValueThrowWhatTheirLimitSays) {
  const PointExpression limited = PointExpression::x().limited(
      {.below = 0.5}, [](double value, const EvaluationPoints& point, double, const std::string&) {
        EXPECT_EQ(value, point.x[0]);
        throw Error(ErrorKind::other_model, "too much", {}, {});
      });
  DiscreteProblem model(patch(CellKind::hex8), 1, [&](const Mesh&) {
    return std::vector{Integral::over_all_cells({VaryingDiffusion<3>{}, {PointFunction(2 * limited)}})};
  });
  EXPECT_THROW(model.matrix(), Error);
}

}  // namespace
}  // namespace ritz::test
