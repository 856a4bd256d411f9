// Every format that we write, through our own readers.
#include "io/meshes/mesh_writer.hpp"

#include "io/meshes/mesh_reader.hpp"
#include "mesh/generators.hpp"
#include "mesh/quality/quality.hpp"
#include "tests/io/files.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include <fmt/core.h>

namespace ritz {
namespace {

using test::data_file;
using test::error_of;
using test::Folder;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::HasSubstr;

std::vector<std::string> summary(const Mesh& mesh) {
  std::vector<std::string> lines;
  for (const Region& region : mesh.regions()) {
    Point sum{};  // of the places of its nodes: tells which entries it holds, whatever their numbers
    for (const Node node : nodes_in(mesh, region))
      for (std::size_t k = 0; k < 3; ++k) sum[k] += mesh.point(node)[k] * std::cos(3 * mesh.point(node)[(k + 1) % 3]);
    lines.push_back(fmt::format("{} {} {} {:.9f} {:.9f} {:.9f}", region.name, static_cast<int>(region.kind),
                                region.size(), sum[0] + 0.0, sum[1], sum[2]));
  }
  std::sort(lines.begin(), lines.end());
  return lines;
}

void expect_same(const Mesh& mesh, const std::string& name) {
  const Folder folder;
  const std::string path = folder.file(name);
  write_mesh(path, mesh);
  const Mesh again = read_mesh(path);
  EXPECT_EQ(again.dimension(), mesh.dimension());
  EXPECT_EQ(again.node_count(), mesh.node_count());
  EXPECT_EQ(again.cell_count(), mesh.cell_count());
  EXPECT_NEAR(total_volume(again), total_volume(mesh), 1e-12);
  EXPECT_EQ(summary(again), summary(mesh)) << name;
}

bool deck_has(CellKind kind) {
  using enum CellKind;
  return kind != quad9 && kind != hex27 && kind != prism18 && kind != pyramid13 && kind != pyramid14;
}

class Writers : public ::testing::TestWithParam<CellKind> {};
INSTANTIATE_TEST_SUITE_P(MeshWriter, Writers, ::testing::ValuesIn(all_cell_kinds().begin(), all_cell_kinds().end()),
                         [](const auto& info) { return std::string(traits(info.param).name); });

TEST_P(Writers, RoundTripKeepsPointsCellsAndAllRegions) {
  const CellTraits& cell = traits(GetParam());
  if (cell.dimension < 2) return;
  const Distortion distortion{.smooth = 0.05, .curved = true};
  const Mesh mesh = cell.dimension == 2 ? rectangle(3, 2, {2, 1}, cell.kind, distortion)
                                        : box(2, 3, 2, {1, 2, 1}, cell.kind, distortion);
  expect_same(mesh, "written.msh");
  if (cell.kind != CellKind::pyramid14) expect_same(mesh, "written.vtu");
  if (deck_has(cell.kind)) expect_same(mesh, "written.inp");
}

// Overlapping regions of cells, facets of several kinds, regions of nodes.
TEST(MeshWriter, RoundTripOfManyRegions) {
  Mesh mixed = read_mesh(data_file("gmsh/mixed1.22.binary.msh"));
  expect_same(mixed, "written.msh");
  expect_same(mixed, "written.vtu");
  const Mesh boxes = read_mesh(data_file("gmsh/two_boxes.41.ascii.msh"));
  expect_same(boxes, "written.msh");
  expect_same(boxes, "written.vtu");
}

TEST(MeshWriter, NamesAreMadeFitForDecksAndSaidSo) {
  const Folder folder;
  std::vector<std::string> notices;
  MeshData data = rectangle_data(2, 1, {1, 1}, CellKind::quad4);
  data.regions.push_back({"left, part=1", RegionKind::cells, {0}, {}, {}});
  data.regions.push_back({"LEFT__PART_1", RegionKind::cells, {1}, {}, {}});
  write_mesh(folder.file("a.inp"), Mesh(std::move(data)), {.plane_type = "CAX", .notices = &notices});
  EXPECT_THAT(notices, Contains(HasSubstr("'left, part=1'")));
  const Mesh again = read_mesh(folder.file("a.inp"));
  EXPECT_EQ(again.region("left__part_1").cells, std::vector<Index>{0});
  EXPECT_EQ(again.region("LEFT__PART_1_2").cells, std::vector<Index>{1}) << "decks do not tell capitals apart";
  EXPECT_THAT(test::contents_of(folder.file("a.inp")), HasSubstr("TYPE=CAX4\n"));
}

// CalculiX finds the area and the normal of a surface that we wrote, with facets of several local numbers.
TEST(MeshWriter, CalculixReadsOurSurfaces) {
  if (std::string_view(RITZ_CCX).empty()) GTEST_SKIP() << "there is no ccx";
  const Folder folder;
  const Mesh mesh = read_mesh(data_file("gmsh/two_boxes.41.ascii.msh"));
  write_mesh(folder.file("mesh.inp"), mesh);
  folder.put(
      "model.inp",
      fmt::format("*INCLUDE, INPUT=mesh.inp\n*NSET, NSET=EVERY, GENERATE\n1, {}\n*MATERIAL, NAME=M\n*ELASTIC\n1., 0.3\n"
                  "*SOLID SECTION, ELSET=whole, MATERIAL=M\n*BOUNDARY\nEVERY, 1, 3\n*STEP\n*STATIC\n"
                  "*SECTION PRINT, SURFACE=top, NAME=P\nSOF\n*END STEP\n",
                  mesh.node_count()));
  ASSERT_EQ(std::system(fmt::format("cd '{}' && '{}' model > log 2>&1", folder.path(), RITZ_CCX).c_str()), 0)
      << test::contents_of(folder.file("log"));
  std::istringstream result(test::contents_of(folder.file("model.dat")));
  double area_found = 0, normal_z = 0;
  for (std::string line; std::getline(result, line);) {
    double x = 0;
    if (line.find("mean normal") != std::string::npos) result >> x >> x >> x >> x >> x >> normal_z;
    if (line.find("area,") != std::string::npos) result >> area_found;
  }
  EXPECT_NEAR(area_found, 1, 1e-6);
  EXPECT_NEAR(normal_z, 1, 1e-6) << "outward";
}

TEST(MeshWriter, CoordinatesOfDecksFitTheFieldsOfCalculixAndStayExactWhereTheyCan) {
  const Folder folder;
  MeshData data = rectangle_data(1, 1, {1, 1}, CellKind::quad4);
  data.points = {0, 0, 0, -1.2345678901234567e-5, 1, 0, 1.0 / 3, 0, 0, 1, 1.1, 0};
  data.regions.clear();
  data.blocks[0].nodes = {0, 2, 3, 1};
  write_mesh(folder.file("a.inp"), Mesh(data));
  const Mesh again = read_mesh(folder.file("a.inp"));
  for (std::size_t i = 0; i < data.points.size(); ++i) EXPECT_NEAR(again.points()[i], data.points[i], 1e-17);
  std::istringstream text(test::contents_of(folder.file("a.inp")));
  for (std::string line; std::getline(text, line);)
    for (std::size_t at = 0, comma; (comma = line.find(',', at)) != std::string::npos; at = comma + 1)
      EXPECT_LE(comma - at, 21u) << line;
}

TEST(MeshWriter, OtherExtensionsAndCellsThatAFormatLacksAreErrors) {
  const Mesh mesh = box(1, 1, 1, {1, 1, 1}, CellKind::hex27);
  EXPECT_THAT(error_of([&] { write_mesh("a.stl", mesh); }, Exit::input), AllOf(HasSubstr("a.stl"), HasSubstr(".msh")));
  EXPECT_THAT(error_of([&] { write_mesh("noextension", mesh); }, Exit::input), HasSubstr("no extension"));
  EXPECT_THAT(error_of([&] { write_mesh("/tmp/a.inp", mesh); }, Exit::mesh),
              AllOf(HasSubstr("hex27"), HasSubstr("--serendipity")));
  EXPECT_THAT(error_of(
                  [&] {
                    write_mesh("/nowhere/at/all/a.inp", rectangle(1, 1, {1, 1}, CellKind::quad4));
                  },
                  Exit::output),
              HasSubstr("/nowhere"));
}

}  // namespace
}  // namespace ritz
