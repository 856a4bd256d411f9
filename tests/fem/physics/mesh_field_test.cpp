// Fields on a mesh as coefficients of a model on the same mesh or another one.
#include "fem/physics/mesh_field.hpp"

#include "device/error.hpp"
#include "fem/physics/place.hpp"
#include "mesh/generators.hpp"

#include <cmath>
#include <gmock/gmock.h>

namespace ritz::test::mesh_field_test {
namespace {

using ::testing::HasSubstr;

template <class F>
std::vector<double> at_nodes(const Mesh& mesh, const F& f) {
  std::vector<double> values;
  for (Index n = 0; n < mesh.node_count(); ++n)
    values.push_back(f(mesh.point(n)[0], mesh.point(n)[1], mesh.point(n)[2]));
  return values;
}

double value_at(const Coefficient& field, const Point& x) {
  double value = 0;
  field.at(x, 0, {&value, 1});
  return value;
}

std::vector<CellKind> bodies() {
  std::vector<CellKind> kinds;
  for (const CellKind each : all_cell_kinds())
    if (traits(each).dimension >= 2) kinds.push_back(each);
  return kinds;
}

class MeshField : public ::testing::TestWithParam<CellKind> {};

TEST_P(MeshField, OfLinearValuesIsExact) {
  const bool solid = traits(GetParam()).dimension == 3;
  const Mesh mesh = solid ? box(3, 2, 2, {1, 1, 1}, GetParam()) : rectangle(4, 2, {1, 1}, GetParam());
  const auto linear = [](double x, double y, double z) { return 1 + 2 * x - 3 * y + 5 * z; };
  const Coefficient field = mesh_field(mesh, at_nodes(mesh, linear));
  for (const Point x : {Point{0.1, 0.2, 0.3}, Point{0.77, 0.5, 0.9}, Point{1, 1, 1}, Point{0, 0, 0}}) {
    const double z = solid ? x[2] : 0;
    EXPECT_NEAR(value_at(field, {x[0], x[1], z}), linear(x[0], x[1], z), 1e-11);
  }
}
INSTANTIATE_TEST_SUITE_P(AllCells, MeshField, ::testing::ValuesIn(bodies()),
                         [](const auto& info) { return std::string(traits(info.param).name); });

// With cells of order p the error is of order p + 1.
TEST(MeshFieldOrder, IsThatOfInterpolation) {
  const auto smooth = [](double x, double y, double) { return std::sin(3 * x) * std::cos(2 * y); };
  for (const auto& [kind, order] : {std::pair{CellKind::tri3, 2}, {CellKind::quad9, 3}}) {
    double error[2];
    for (int i = 0; i < 2; ++i) {
      const Mesh mesh = rectangle(8 << i, 8 << i, {1, 1}, kind);
      const Coefficient field = mesh_field(mesh, at_nodes(mesh, smooth));
      double sum = 0;
      for (int k = 0; k < 400; ++k) {
        const Point x{std::fmod(0.618034 * k, 1), std::fmod(0.754878 * k, 1), 0};
        sum += std::pow(value_at(field, x) - smooth(x[0], x[1], 0), 2);
      }
      error[i] = std::sqrt(sum);
    }
    EXPECT_NEAR(std::log2(error[0] / error[1]), order, 0.25);
  }
}

TEST(MeshFieldOfCells, HasTheValueOfTheCell) {
  const Mesh mesh = rectangle(2, 1, {2, 1}, CellKind::quad4);
  const Coefficient field = mesh_field(mesh, {7, 9});
  EXPECT_EQ(value_at(field, {0.9, 0.5, 0}), 7);
  EXPECT_EQ(value_at(field, {1.1, 0.5, 0}), 9);
}

TEST(MeshFieldOutside, TakesTheNearestValueOrIsRefused) {
  const Mesh mesh = rectangle(4, 4, {1, 1}, CellKind::quad4);
  const Coefficient field = mesh_field(mesh, at_nodes(mesh, [](double x, double, double) { return x; }));
  EXPECT_NEAR(value_at(field, {1.005, 0.3, 0}), 1, 1e-12);
  try {
    value_at(field, {1.5, 0.3, 0});
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.exit(), Exit::model);
    EXPECT_THAT(error.what(), HasSubstr("a field is needed where it has no values: the point (1.5, 0.3, 0)"));
  }
  const Misfit off =
      ritz::MeshField(mesh, std::vector<double>(25, 0.0)).misfit(rectangle(2, 2, {1.01, 1}, CellKind::quad4));
  EXPECT_EQ(off.nodes, 3);
  EXPECT_NEAR(off.distance, 0.01, 1e-12);
}

// Two squares on top of each other: a position does not say which of them is meant.
TEST(MeshFieldInKnownCells, HasTheValuesOfTheseCells) {
  MeshData data;
  data.dimension = 2;
  for (int part = 0; part < 2; ++part)
    for (const Point x : {Point{0, 0, 0}, Point{1, 0, 0}, Point{1, 1, 0}, Point{0, 1, 0}})
      data.points.insert(data.points.end(), x.begin(), x.end());
  data.blocks = {{CellKind::quad4, {0, 1, 2, 3, 4, 5, 6, 7}, 0}};
  const Mesh mesh = Mesh(std::move(data));
  const std::vector<double> x = {0.25, 0.5, 0, 0.25, 0.5, 0};
  const std::vector<Index> cells = {0, 1};
  for (const auto& values : {std::vector<double>{3, 7}, std::vector<double>{3, 3, 3, 3, 7, 7, 7, 7}}) {
    std::vector<double> found(2);
    mesh_field(mesh, values).at(EvaluationPoints(x, mesh, cells), 0, found);
    EXPECT_THAT(found, ::testing::ElementsAre(::testing::DoubleNear(3, 1e-12), ::testing::DoubleNear(7, 1e-12)));
  }
}

TEST(MeshFieldInKnownCells, WithReferenceCoordinatesNeedsNoPosition) {
  for (const CellKind kind : bodies()) {
    const bool solid = traits(kind).dimension == 3;
    const Mesh mesh = solid ? box(2, 2, 2, {1, 1, 1}, kind) : rectangle(2, 2, {1, 1}, kind);
    std::vector<double> x, positions;
    std::vector<Index> cells;
    std::vector<Point> xi;
    for (Index cell = 0; cell < mesh.cell_count(); ++cell)
      for (const QuadraturePoint& q : geometry_rule(kind)) {
        const Point at = CellMap(mesh, cell).at(q.xi);
        positions.insert(positions.end(), at.begin(), at.end());
        x.insert(x.end(), 3, std::nan(""));
        cells.push_back(cell);
        xi.push_back(q.xi);
      }
    const auto linear = [](double a, double b, double c) { return 1 + 2 * a - 3 * b + 5 * c; };
    std::vector<double> found(cells.size());
    mesh_field(mesh, at_nodes(mesh, linear)).at(EvaluationPoints(x, mesh, cells, xi), 0, found);
    for (std::size_t i = 0; i < found.size(); ++i)
      ASSERT_NEAR(found[i], linear(positions[3 * i], positions[3 * i + 1], positions[3 * i + 2]), 1e-12) << int(kind);
  }
}

TEST(MeshFieldValues, AreReplacedInAllCopies) {
  const Mesh mesh = rectangle(2, 1, {2, 1}, CellKind::quad4);
  ritz::MeshField field(mesh, {7, 9});
  const Coefficient copy = PointFunction(field);
  EXPECT_EQ(value_at(copy, {1.5, 0.5, 0}), 9);
  field.set({1, 2});
  EXPECT_EQ(value_at(copy, {1.5, 0.5, 0}), 2);
  EXPECT_THROW(field.set({1, 2, 3}), Error);
  EXPECT_THROW(ritz::MeshField(mesh, GivenArray{{1, 2}, true}), Error);
  const Mesh as_many = rectangle(3, 2, {1, 1}, CellKind::tri3);  // 12 nodes and 12 triangles
  EXPECT_THROW(ritz::MeshField(as_many, std::vector<double>(12, 1.0)), Error);
  EXPECT_FALSE(ritz::MeshField(as_many, GivenArray{std::vector<double>(12, 1.0), false}).at_nodes());
}

// Mid nodes of the side x = 1 lie at 0.85: its middle at -1/4 * 4 + 1/2 * 4 * 0.85, the mean of its nodes outside the
// mesh.
TEST(MeshFieldCentres, OfBentFacetsLieOnThem) {
  MeshData data = box_data(1, 1, 1, {1, 1, 1}, CellKind::hex20);
  for (std::size_t n = 0; n < data.points.size(); n += 3)
    if (data.points[n] == 1 && (data.points[n + 1] == 0.5 || data.points[n + 2] == 0.5)) data.points[n] = 0.85;
  const Mesh mesh = Mesh(std::move(data));
  const Coefficient field = mesh_field(mesh, at_nodes(mesh, [](double x, double, double) { return x; }));
  const std::vector<double> values = values_at_centres(field, mesh, mesh.region("x1"));
  ASSERT_EQ(values.size(), 1U);
  EXPECT_NEAR(values[0], 0.7, 1e-12);
}

// The integral of an interpolated field over another mesh is off by order 2.
TEST(MeshFieldIntegral, OverAnotherMeshConvergesWithOrderTwo) {
  const Mesh target = rectangle(7, 5, {1, 1}, CellKind::quad4);
  const auto smooth = [](double x, double y, double) { return std::exp(x) * (1 + y * y); };
  const double exact = (std::exp(1.0) - 1) * 4 / 3;
  double error[2][2];
  for (int i = 0; i < 2; ++i) {
    const Mesh source = rectangle(16 << i, 16 << i, {1, 1}, CellKind::quad4);
    const Coefficient field = mesh_field(source, at_nodes(source, smooth));
    error[i][0] = integral_over(source, field) - exact;
    error[i][1] = integral_over(target, field, 4) - exact;
  }
  EXPECT_NEAR(std::log2(error[0][0] / error[1][0]), 2, 0.02);
  EXPECT_NEAR(std::log2(error[0][1] / error[1][1]), 2, 0.3);
}

TEST(MeshFieldSize, MustBeThatOfTheMesh) {
  EXPECT_THROW(mesh_field(rectangle(2, 1, {2, 1}, CellKind::quad4), {1, 2, 3}), Error);
}

}  // namespace
}  // namespace ritz::test::mesh_field_test
