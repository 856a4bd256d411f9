#include "io/meshes/gmsh_reader.hpp"

#include "io/meshes/mesh_reader.hpp"
#include "mesh/quality/quality.hpp"
#include "tests/io/files.hpp"

#include <clocale>
#include <numbers>

namespace ritz {
namespace {

using test::contents_of;
using test::data_file;
using test::Folder;
using test::replaced;
using ::testing::Contains;
using ::testing::HasSubstr;

double volume_of(const Mesh& mesh, const Region& region) {
  const std::vector<double> volumes = cell_volumes(mesh);
  double sum = 0;
  for (const Index cell : region.cells) sum += volumes[static_cast<std::size_t>(cell)];
  return sum;
}

const Region& region_of(const Mesh& mesh, const std::string& name, RegionKind kind) {
  for (const Region& region : mesh.regions())
    if (region.name == name && region.kind == kind) return region;
  throw std::out_of_range(name);
}

std::vector<std::string> flavours() { return {".41.ascii.msh", ".41.binary.msh", ".22.ascii.msh", ".22.binary.msh"}; }

class EveryFlavour : public ::testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(GmshReader, EveryFlavour, ::testing::ValuesIn(flavours()), [](const auto& info) {
  std::string name = info.param;
  for (char& c : name)
    if (c == '.') c = '_';
  return name;
});

// Quadratic cells follow the arcs to fourth order, so a wrong place of a single edge node would show: it tangles the
// cell (an error of Mesh) or changes the volume by per cent.
TEST_P(EveryFlavour, CurvedTubeOfAllQuadraticKindsHasItsVolume) {
  for (const std::string name : {"mixed2", "mixed2i"}) {
    const Mesh mesh = read_mesh(data_file("gmsh/" + name + GetParam()));
    const double sector = 3.0 / 8 * std::numbers::pi;
    for (const std::string part : {"brick", "wedge", "top"})
      EXPECT_NEAR(volume_of(mesh, region_of(mesh, part, RegionKind::cells)), sector, 2e-3 * sector) << name << part;
    EXPECT_NEAR(area(mesh, region_of(mesh, "floor", RegionKind::facets)), 2 * sector, 4e-3 * sector);
    EXPECT_NEAR(area(mesh, region_of(mesh, "roof", RegionKind::facets)), sector, 2e-3 * sector);
  }
}

// Mesh.SaveParametric = 1: entity and parameters follow the coordinates.
TEST(GmshReader, NodesWithParametersAreReadInMsh2) {
  const Folder folder;
  const Mesh mesh = read_mesh(folder.put("a.msh",
                                         "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$ParametricNodes\n4\n1 0 0 0 0 1\n"
                                         "2 1 0 0 1 1 1\n3 0 1 0 2 3 0 1\n4 0 0 1 3 1\n$EndParametricNodes\n"
                                         "$Elements\n1\n1 4 2 1 1 1 2 3 4\n$EndElements\n"));
  EXPECT_NEAR(volume_of(mesh, mesh.region("all")), 1.0 / 6, 1e-15);
}

TEST_P(EveryFlavour, AllKindsOfOrderOneAreRead) {
  const Mesh mesh = read_mesh(data_file("gmsh/mixed1" + GetParam()));
  std::vector<CellKind> kinds;
  for (const CellBlock& block : mesh.blocks()) kinds.push_back(block.kind);
  EXPECT_THAT(kinds,
              ::testing::UnorderedElementsAre(CellKind::hex8, CellKind::prism6, CellKind::pyramid5, CellKind::tet4));
  EXPECT_EQ(region_of(mesh, "all", RegionKind::cells).size(), mesh.cell_count());
}

TEST_P(EveryFlavour, AllQuadraticKindsAreRead) {
  const auto kinds_of = [](const Mesh& mesh) {
    std::vector<CellKind> kinds;
    for (const CellBlock& block : mesh.blocks()) kinds.push_back(block.kind);
    return kinds;
  };
  EXPECT_THAT(
      kinds_of(read_mesh(data_file("gmsh/mixed2" + GetParam()))),
      ::testing::UnorderedElementsAre(CellKind::hex27, CellKind::prism18, CellKind::pyramid14, CellKind::tet10));
  EXPECT_THAT(
      kinds_of(read_mesh(data_file("gmsh/mixed2i" + GetParam()))),
      ::testing::UnorderedElementsAre(CellKind::hex20, CellKind::prism15, CellKind::pyramid13, CellKind::tet10));
}

TEST_P(EveryFlavour, CurvesAndPointsInSpaceBecomeNodeRegions) {
  const Mesh mesh = read_mesh(data_file("gmsh/mixed1" + GetParam()));
  EXPECT_EQ(region_of(mesh, "spoke", RegionKind::nodes).nodes.size(), 2u);
  const Region& corner = region_of(mesh, "origin corner", RegionKind::nodes);
  ASSERT_EQ(corner.nodes.size(), 1u);
  EXPECT_DOUBLE_EQ(mesh.point(corner.nodes[0])[0], 1);
}

TEST_P(EveryFlavour, EntityInTwoGroupsIsInBothRegions) {
  const Mesh mesh = read_mesh(data_file("gmsh/two_boxes" + GetParam()));
  EXPECT_NEAR(volume_of(mesh, mesh.region("lower part")), 0.4, 1e-12);
  EXPECT_NEAR(volume_of(mesh, mesh.region("volume_7")), 0.6, 1e-12) << "group 7 has no name";
  EXPECT_NEAR(volume_of(mesh, mesh.region("whole")), 1, 1e-12);
  EXPECT_NEAR(total_volume(mesh), 1, 1e-12) << "no cell twice";
  EXPECT_NEAR(area(mesh, mesh.region("Süd, unten")), 1, 1e-12);
  EXPECT_NEAR(area(mesh, mesh.region("top")), 1, 1e-12);
}

TEST(GmshReader, GivesTheSameMeshForEveryFlavour) {
  const MeshData expected = read_gmsh(data_file("gmsh/mixed2.41.binary.msh"));
  for (const std::string& flavour : flavours()) {
    const MeshData data = read_gmsh(data_file("gmsh/mixed2" + flavour));
    ASSERT_EQ(data.points.size(), expected.points.size());
    for (std::size_t i = 0; i < data.points.size(); ++i) EXPECT_NEAR(data.points[i], expected.points[i], 1e-14);
    ASSERT_EQ(data.blocks.size(), expected.blocks.size());
    for (std::size_t i = 0; i < data.blocks.size(); ++i) EXPECT_EQ(data.blocks[i].nodes, expected.blocks[i].nodes);
  }
}

TEST(GmshReader, PlaneMeshHasTwoDimensionsAndZeroZ) {
  for (const std::string name : {"plate1.41.ascii.msh", "plate2.41.ascii.msh", "plate2i.22.binary.msh"}) {
    std::vector<std::string> notices;
    const Mesh mesh = read_mesh(data_file("gmsh/" + name), {.notices = &notices});
    EXPECT_EQ(mesh.dimension(), 2);
    EXPECT_EQ(mesh.point(0)[2], 0);
    EXPECT_THAT(notices, Contains(HasSubstr("z = 5")));
    EXPECT_NEAR(total_volume(mesh), 4 - std::numbers::pi / 4, name[5] == '1' ? 0.03 : 3e-3) << name;
    EXPECT_NEAR(area(mesh, mesh.region("hole")), std::numbers::pi / 2, name[5] == '1' ? 0.03 : 2e-3) << name;
    EXPECT_NEAR(area(mesh, mesh.region("right")), 2, 1e-12);
    EXPECT_EQ(mesh.region("corner").nodes.size(), 1u);
  }
}

TEST(GmshReader, SkipsPeriodicAndReadsParametricNodes) {
  for (const std::string name : {"periodic.41.ascii.msh", "periodic.41.binary.msh"}) {
    const Mesh mesh = read_mesh(data_file("gmsh/" + name));
    EXPECT_NEAR(total_volume(mesh), 1, 1e-12) << name;
    EXPECT_NEAR(area(mesh, mesh.region("right")), 1, 1e-12) << name;
  }
}

TEST(GmshReader, PartitionedMeshKeepsItsGroups) {
  for (const std::string name : {"partitioned.41.ascii.msh", "partitioned.41.binary.msh", "partitioned.22.ascii.msh"}) {
    const Mesh mesh = read_mesh(data_file("gmsh/" + name));
    EXPECT_NEAR(volume_of(mesh, mesh.region("whole")), 1, 1e-12) << name;
    EXPECT_NEAR(volume_of(mesh, mesh.region("lower part")), 0.4, 1e-12) << name;
    EXPECT_NEAR(area(mesh, mesh.region("top")), 1, 1e-12) << name;
  }
}

TEST(GmshReader, CellsOutsideOfGroupsAreReadToo) {
  const Mesh mesh = read_mesh(data_file("gmsh/everything.41.ascii.msh"));
  EXPECT_NEAR(total_volume(mesh), 1, 1e-12);
}

// One tetrahedron with the face z = 0 in group 5, as version 2.
std::string small_mesh() {
  return "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n"
         "$PhysicalNames\n1\n2 5 \"face\"\n$EndPhysicalNames\n"
         "$Nodes\n4\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n$EndNodes\n"
         "$Elements\n2\n1 2 2 5 1 1 2 3\n2 4 2 9 1 1 2 3 4\n$EndElements\n";
}

TEST(GmshReader, WindowsLineEndsByteOrderMarkTabsAndBlankLinesAreAccepted) {
  const Folder folder;
  std::string windows;
  for (const char c : small_mesh())
    windows += c == '\n' ? std::string("\r\n") : c == ' ' ? std::string("\t ") : std::string(1, c);
  windows = replaced(windows, "$PhysicalNames\r\n1\r\n2\t 5\t \"face\"", "$PhysicalNames\r\n1\r\n2 5 \"face\"");
  const Mesh mesh = read_mesh(folder.put("Netz mit Länge.msh", "\xEF\xBB\xBF" + windows + "\r\n  \r\n"));
  EXPECT_NEAR(total_volume(mesh), 1.0 / 6, 1e-15);
  EXPECT_NEAR(area(mesh, mesh.region("face")), 0.5, 1e-15);
}

TEST(GmshReader, CommentsAndUnknownSectionsAreSkipped) {
  const Folder folder;
  const std::string text =
      "$Comments\n$Nodes in a comment\n$EndComments\n" + small_mesh() + "$NodeData\n1\n\"T\"\n$EndNodeData\n";
  EXPECT_EQ(read_mesh(folder.put("a.msh", text)).cell_count(), 1);
}

TEST(GmshReader, TagsMayBeHugeAndFullOfGaps) {
  const Folder folder;
  std::string text = small_mesh();
  text = replaced(text, "4 0 0 1", "1000000000000 0 0 1");
  text = replaced(text, "1 2 3 4\n", "1 2 3 1000000000000\n");
  EXPECT_NEAR(total_volume(read_mesh(folder.put("a.msh", text))), 1.0 / 6, 1e-15);
}

TEST(GmshReader, NumbersDoNotDependOnTheLocale) {
  const Folder folder;
  const std::string path = folder.put("a.msh", replaced(small_mesh(), "2 1 0 0", "2 +1.5e0 0 0"));
  const bool set = std::setlocale(LC_ALL, "de_DE.UTF-8") != nullptr;
  const double volume = total_volume(read_mesh(path));
  std::setlocale(LC_ALL, "C");
  EXPECT_DOUBLE_EQ(volume, 0.25) << (set ? "with" : "without") << " a German locale";
}

TEST(GmshReader, WithoutGroupsThereIsOneRegionAndANotice) {
  const Folder folder;
  std::string text = replaced(small_mesh(), "1 2 2 5 1 1 2 3", "1 2 0 1 2 3");
  text = replaced(text, "2 4 2 9 1 1 2 3 4", "2 4 0 1 2 3 4");
  std::vector<std::string> notices;
  const Mesh mesh = read_mesh(folder.put("a.msh", text), {.notices = &notices});
  ASSERT_EQ(mesh.regions().size(), 1u);
  EXPECT_EQ(mesh.regions()[0].name, "all");
  EXPECT_THAT(notices, Contains(HasSubstr("no physical groups")));
}

// Gmsh made the files: cells with straight edges, whose nodes of order 3 and 4 are all where maps of order 1 or 2 put
// them.
TEST(GmshReader, CellsOfHigherOrderAreTakenAtOrderTwo) {
  struct File {
    std::string name;
    std::vector<CellKind> kinds;
    int order;
    double volume;
  };
  using enum CellKind;
  const double pyramid = 1.0 / 4, tetrahedron = 7.0 / 48;  // 1 * 0.75 / 3; |(1, 1, 0) ...| / 6 below
  for (const File& file :
       {File{"shapes3.41.ascii.msh", {tet10, hex27, prism18, pyramid14}, 3, 1.5 + pyramid + tetrahedron},
        File{"shapes4.22.binary.msh", {hex27, prism18}, 4, 1.5}}) {
    std::vector<std::string> notices;
    const Mesh mesh =
        read_mesh(data_file("gmsh/" + file.name), {.checks = {.allow_orphan_nodes = false}, .notices = &notices});
    ASSERT_EQ(mesh.blocks().size(), file.kinds.size());
    for (std::size_t b = 0; b < file.kinds.size(); ++b) EXPECT_EQ(mesh.blocks()[b].kind, file.kinds[b]);
    EXPECT_NEAR(total_volume(mesh), file.volume, 1e-13);
    EXPECT_NEAR(area(mesh, mesh.region("sides")), 1.5, 1e-13);
    ASSERT_THAT(notices, Contains(HasSubstr("cells of order " + std::to_string(file.order))));
    EXPECT_LT(std::stod(notices[0].substr(notices[0].find("at most ") + 8)), 1e-14);
  }
}

// A quarter of a plate with a round hole: lines of order 3 name the edge of the hole, and its area is that of the arcs
// to fourth order.
TEST(GmshReader, FacetsOfHigherOrderKeepTheirGroups) {
  std::vector<std::string> notices;
  const Mesh mesh = read_mesh(data_file("gmsh/order3.41.ascii.msh"),
                              {.checks = {.allow_orphan_nodes = false}, .notices = &notices}),
             same = read_mesh(data_file("gmsh/plate2.41.ascii.msh"));
  EXPECT_EQ(mesh.node_count(), same.node_count());
  for (const char* name : {"hole", "right", "quads", "triangles", "corner"})
    EXPECT_EQ(mesh.region(name).size(), same.region(name).size()) << name;
  EXPECT_NEAR(area(mesh, mesh.region("hole")), std::numbers::pi / 2, 1e-3);
  EXPECT_NEAR(total_volume(mesh), total_volume(same), 1e-4);
  EXPECT_THAT(notices, Contains(HasSubstr("cells of order 3")));
}

TEST(GmshReader, LowerCellsWithoutGroupAreIgnored) {
  const Folder folder;
  const Mesh mesh = read_mesh(folder.put("a.msh", replaced(small_mesh(), "1 2 2 5 1 1 2 3", "1 2 2 0 1 1 2 3")));
  EXPECT_FALSE(mesh.has_region("face"));
}

TEST(GmshReader, GroupsOfTwoDimensionsMayShareAName) {
  const Folder folder;
  const std::string text = replaced(small_mesh(), "$PhysicalNames\n1\n", "$PhysicalNames\n2\n3 9 \"face\"\n");
  const Mesh mesh = read_mesh(folder.put("a.msh", text));
  EXPECT_EQ(region_of(mesh, "face", RegionKind::cells).size(), 1);
  EXPECT_EQ(region_of(mesh, "face", RegionKind::facets).size(), 1);
}

TEST(GmshReader, ScaleMultipliesThePoints) {
  const Folder folder;
  EXPECT_NEAR(total_volume(read_mesh(folder.put("a.msh", small_mesh()), {.scale = 0.1})), 1e-3 / 6, 1e-18);
}

TEST(GmshReader, SurfaceApartFromTheCellsBecomesANodeRegionWithANotice) {
  const Folder folder;
  std::string text = replaced(small_mesh(), "$Nodes\n4\n", "$Nodes\n7\n5 5 0 0\n6 6 0 0\n7 5 1 0\n");
  text = replaced(text, "1 2 2 5 1 1 2 3", "1 2 2 5 1 5 6 7");
  std::vector<std::string> notices;
  const MeshData data = read_mesh_data(folder.put("a.msh", text), &notices);
  EXPECT_THAT(notices, Contains(HasSubstr("region of nodes")));
  for (const Region& region : data.regions)
    if (region.name == "face") {
      EXPECT_EQ(region.kind, RegionKind::nodes);
      EXPECT_THAT(region.nodes, ::testing::ElementsAre(0, 1, 2));  // which stand first in the file
    }
}

}  // namespace
}  // namespace ritz
