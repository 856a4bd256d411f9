// Results of any order as Lagrange cells, evaluated by VTK's own cells.
#include "fem/results/lagrange_results.hpp"
#include "tests/io/files.hpp"
#include "io/vtk/vtu_writer.hpp"
#include "io/meshes/mesh_reader.hpp"
#include "mesh/generators.hpp"
#include "mesh/quality/quality.hpp"

#include <numeric>
#include <random>

#include <vtkCell.h>
#include <vtkNew.h>
#include <vtkDataArray.h>
#include <vtkPointData.h>
#include <vtkUnstructuredGrid.h>
#include <vtkXMLUnstructuredGridReader.h>

namespace ritz {
namespace {

using test::Folder;
using enum CellKind;

struct Case {
  const char* name;
  Mesh mesh;
  int highest_order;
};

std::vector<Case> cases() {
  const Distortion bent{.smooth = 0.1, .random = 0.03, .curved = true};
  std::vector<Case> all;
  for (const auto& [kind, highest] :
       {std::pair{hex8, 8}, {hex27, 5}, {hex20, 3}, {tet4, 4}, {tet10, 4}, {prism6, 4}, {prism18, 4}})
    all.push_back({traits(kind).name.data(), box(2, 1, 1, {2, 1, 1}, kind, bent), highest});
  for (const auto& [kind, highest] : {std::pair{quad4, 8}, {quad9, 4}, {tri3, 4}, {tri6, 4}})
    all.push_back({traits(kind).name.data(), rectangle(2, 2, {1, 2}, kind, bent), highest});
  all.push_back({"mixed", box_mixed(4, 1, 1, {4, 1, 1}, 2, MidNodes::full, bent), 3});
  return all;
}

Vector random_field(const FunctionSpace& space) {
  std::vector<double> values(static_cast<std::size_t>(space.unknown_count()));
  std::mt19937_64 random(5);
  for (double& value : values) value = std::uniform_real_distribution(-1.0, 1.0)(random);
  return Vector(space.device(), std::span<const double>(values), "test");
}

// VTK's coordinates run from 0 to 1 in every shape.
Point ours(CellKind shape, const double* vtk) {
  Point x{vtk[0], vtk[1], vtk[2]};
  if (shape == quad4 || shape == hex8) x[0] = 2 * x[0] - 1, x[1] = 2 * x[1] - 1;
  if (shape == hex8 || shape == prism6) x[2] = 2 * x[2] - 1;
  return x;
}

Point place_of(const Mesh& mesh, Index cell, const Point& xi) {
  const std::vector<double> values = shape_values(mesh.kind_of(cell), xi);
  Point x{};
  for (std::size_t m = 0; m < values.size(); ++m)
    for (std::size_t k = 0; k < 3; ++k) x[k] += values[m] * mesh.point(mesh.nodes_of(cell)[m])[k];
  return x;
}

double field_at(const FunctionSpace& space, const std::vector<double>& coefficients, Index cell, const Point& xi) {
  std::vector<Node> nodes;
  space.nodes_of(cell, nodes);
  std::vector<double> values(nodes.size());
  std::vector<Point> gradients(nodes.size());
  space.element(space.mesh().kind_of(cell)).evaluate(xi, values, gradients);
  double sum = 0;
  for (std::size_t a = 0; a < nodes.size(); ++a) sum += values[a] * coefficients[static_cast<std::size_t>(nodes[a])];
  return sum;
}

// At arbitrary points of every cell, VTK finds the place that the mesh's geometry has there, and the value that the
// space's shape functions give: for an arbitrary field, so every node has to be in its place.
void expect_the_same_field(const Case& each, int order) {
  SCOPED_TRACE(std::string(each.name) + " " + std::to_string(order));
  const Mesh& mesh = each.mesh;
  const FunctionSpace space(mesh, 1, Device::named("cpu"), {.order = order});
  const LagrangeResults results(space);
  const Vector u = random_field(space);
  const std::vector<double> coefficients = u.host();
  const Folder folder;
  write_vtu(folder.file("u.vtu"), mesh, {{"u", 1, results.values(u)}}, {}, {.cells = &results.cells()});
  vtkNew<vtkXMLUnstructuredGridReader> reader;
  reader->SetFileName(folder.file("u.vtu").c_str());
  reader->Update();
  vtkUnstructuredGrid* grid = reader->GetOutput();
  ASSERT_EQ(grid->GetNumberOfCells(), mesh.cell_count());
  if (order >= traits(mesh.blocks()[0].kind).order) {
    EXPECT_EQ(results.cells().point_count(), space.node_count()) << "neighbours share their points";
  }
  vtkDataArray* written = grid->GetPointData()->GetArray("u");
  for (Index cell = 0; cell < mesh.cell_count(); ++cell) {
    const CellKind kind = mesh.kind_of(cell), shape = traits(kind).linear;
    const auto value_at = [&](const Point& xi) { return field_at(space, coefficients, cell, xi); };
    vtkCell* vtk = grid->GetCell(cell);
    if (shape == pyramid5) {  // VTK has no Lagrange pyramid: its nodes are right
      const auto reference = reference_nodes(vtk->GetNumberOfPoints() == 13 ? pyramid13 : pyramid5);
      ASSERT_EQ(vtk->GetNumberOfPoints(), std::ssize(reference));
      for (vtkIdType i = 0; i < vtk->GetNumberOfPoints(); ++i)
        EXPECT_NEAR(written->GetTuple1(vtk->GetPointId(i)), value_at(reference[static_cast<std::size_t>(i)]), 1e-11);
      continue;
    }
    for (const auto& at : {std::array{0.2, 0.3, 0.15}, std::array{0.61, 0.07, 0.22}, std::array{0.1, 0.85, 0.03}}) {
      const double vtk_at[3] = {at[0], at[1], mesh.dimension() == 3 ? at[2] : 0};
      double x[3];
      std::vector<double> weights(static_cast<std::size_t>(vtk->GetNumberOfPoints()));
      int part = 0;
      vtk->EvaluateLocation(part, vtk_at, x, weights.data());
      const Point xi = ours(shape, vtk_at), expected = place_of(mesh, cell, xi);
      for (std::size_t k = 0; k < 3; ++k) EXPECT_NEAR(x[k], expected[k], 1e-12);
      double value = 0;
      for (vtkIdType i = 0; i < vtk->GetNumberOfPoints(); ++i)
        value += weights[static_cast<std::size_t>(i)] * written->GetTuple1(vtk->GetPointId(i));
      EXPECT_NEAR(value, value_at(xi), 1e-10) << "cell " << cell << ", type " << grid->GetCellType(cell);
    }
  }
}

TEST(Lagrange, VtkEvaluatesAnArbitraryFieldAsItsSpaceDoesOnEveryShapeAndOrder) {
  for (const Case& each : cases())
    for (int order = 1; order <= each.highest_order; ++order) expect_the_same_field(each, order);
}

// Files of order 3 and more are read at order 2: as the mesh was, if it was of order 2 with all nodes.
TEST(Lagrange, WhatWasWrittenAtAHigherOrderIsReadAsItWas) {
  for (const Case& each : cases())
    for (int order = 3; order <= each.highest_order; ++order) {
      if (each.name == std::string("mixed")) continue;  // VTK has no Lagrange pyramids
      SCOPED_TRACE(std::string(each.name) + " " + std::to_string(order));
      const FunctionSpace space(each.mesh, 1, Device::named("cpu"), {.order = order});
      const LagrangeResults results(space);
      const Folder folder;
      write_vtu(folder.file("u.vtu"), each.mesh, {}, {}, {.cells = &results.cells()});
      std::vector<std::string> notices;
      const Mesh mesh = read_mesh(folder.file("u.vtu"), {.checks = {.allow_orphan_nodes = false}, .notices = &notices});
      EXPECT_EQ(mesh.cell_count(), each.mesh.cell_count());
      EXPECT_EQ(boundary_facets(mesh).size(), boundary_facets(each.mesh).size());
      const std::vector<double> volumes = cell_volumes(mesh), expected = cell_volumes(each.mesh);
      for (std::size_t cell = 0; cell < volumes.size(); ++cell) EXPECT_NEAR(volumes[cell], expected[cell], 1e-12);
      ASSERT_THAT(notices, ::testing::Contains(::testing::HasSubstr("are of order 2 in their shape")));
      EXPECT_LT(std::stod(notices[0].substr(notices[0].find("at most ") + 8)), 1e-12);
    }
}

TEST(Lagrange, ForcesKeepTheirSumWhereTheMeshHasNodesBetweenThePoints) {
  const Mesh mesh = box(1, 1, 1, {1, 1, 1}, hex27);
  const FunctionSpace space(mesh, 2, Device::named("cpu"), {.order = 3});
  const LagrangeResults results(space);
  std::vector<double> forces(static_cast<std::size_t>(2 * mesh.node_count()));
  std::iota(forces.begin(), forces.end(), 1.0);
  const std::vector<double> given = results.forces_from_mesh(forces, 2);
  double sum[2] = {}, expected[2] = {}, moment = 0, expected_moment = 0;
  for (Index n = 0; n < mesh.node_count(); ++n) {
    for (std::size_t c = 0; c < 2; ++c) expected[c] += forces[static_cast<std::size_t>(2 * n) + c];
    expected_moment += mesh.point(static_cast<Node>(n))[0] * forces[static_cast<std::size_t>(2 * n) + 1];
  }
  for (std::size_t p = 0; p < given.size() / 2; ++p) {
    for (std::size_t c = 0; c < 2; ++c) sum[c] += given[2 * p + c];
    moment += results.cells().points[3 * p] * given[2 * p + 1];
  }
  EXPECT_NEAR(sum[0], expected[0], 1e-11);
  EXPECT_NEAR(sum[1], expected[1], 1e-11);
  EXPECT_NEAR(moment, expected_moment, 1e-11) << "on straight cells";
}

}  // namespace
}  // namespace ritz
