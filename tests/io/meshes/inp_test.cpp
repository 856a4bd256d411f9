// Abaqus and CalculiX decks.
#include "io/meshes/inp_reader.hpp"

#include "io/meshes/mesh_reader.hpp"
#include "mesh/generators.hpp"
#include "mesh/quality/quality.hpp"
#include "tests/io/files.hpp"
#include "tests/io/meshes/one_cell.hpp"

#include <clocale>
#include <cstdlib>
#include <numbers>
#include <random>

#include <fmt/format.h>

namespace ritz {
namespace {

using test::contents_of;
using test::data_file;
using test::error_of;
using test::Folder;
using test::ManualCell;
using test::replaced;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::HasSubstr;

Mesh read_text(const std::string& text, std::vector<std::string>* notices = nullptr) {
  const Folder folder;
  return read_mesh(folder.put("a.inp", text), {.notices = notices});
}
std::string message_for(const std::string& text) {
  return error_of([&] { read_text(text); }, Exit::mesh);
}

const Region& region_of(const Mesh& mesh, const std::string& name, RegionKind kind) {
  for (const Region& region : mesh.regions())
    if (region.name == name && region.kind == kind) return region;
  throw std::out_of_range(name);
}

// Two unit cubes side by side along x; node label = 1 + x + 3 y + 6 z.
std::string two_cubes() {
  std::string text = "*HEADING\nTwo cubes\n*NODE\n";
  for (int z = 0; z < 2; ++z)
    for (int y = 0; y < 2; ++y)
      for (int x = 0; x < 3; ++x) text += fmt::format("{}, {}., {}., {}.\n", 1 + x + 3 * y + 6 * z, x, y, z);
  return text +
         "*ELEMENT, TYPE=C3D8, ELSET=LEFT\n1, 1,2,5,4,7,8,11,10\n*ELEMENT, TYPE=C3D8R, ELSET=RIGHT\n2, "
         "2,3,6,5,8,9,12,11\n";
}

// The node order and the faces of the Abaqus Elements Guide, section "Three-dimensional solid element library" (and the
// plane one); CalculiX has the same.
struct Manual {
  std::string type;
  ManualCell cell;
  std::vector<std::vector<int>> faces;
};

const std::vector<Manual>& manual() {
  using enum CellKind;
  const std::vector<std::vector<int>> tetrahedron = {{1, 2, 3}, {1, 4, 2}, {2, 4, 3}, {3, 4, 1}};
  const std::vector<std::vector<int>> hexahedron = {{1, 2, 3, 4}, {5, 8, 7, 6}, {1, 5, 6, 2},
                                                    {2, 6, 7, 3}, {3, 7, 8, 4}, {4, 8, 5, 1}};
  const std::vector<std::vector<int>> wedge = {{1, 2, 3}, {4, 6, 5}, {1, 4, 5, 2}, {2, 5, 6, 3}, {3, 6, 4, 1}};
  const std::vector<std::vector<int>> triangle = {{1, 2}, {2, 3}, {3, 1}}, square = {{1, 2}, {2, 3}, {3, 4}, {4, 1}};
  static const std::vector<Manual> list = {
      {"C3D4", {tet4, {}}, tetrahedron},
      {"C3D10", {tet10, {{1, 2}, {2, 3}, {1, 3}, {1, 4}, {2, 4}, {3, 4}}}, tetrahedron},
      {"C3D8", {hex8, {}}, hexahedron},
      {"C3D20R",
       {hex20, {{1, 2}, {2, 3}, {3, 4}, {4, 1}, {5, 6}, {6, 7}, {7, 8}, {8, 5}, {1, 5}, {2, 6}, {3, 7}, {4, 8}}},
       hexahedron},
      {"C3D6", {prism6, {}}, wedge},
      {"C3D15", {prism15, {{1, 2}, {2, 3}, {1, 3}, {4, 5}, {5, 6}, {4, 6}, {1, 4}, {2, 5}, {3, 6}}}, wedge},
      {"C3D5", {pyramid5, {}}, {{1, 2, 3, 4}, {1, 5, 2}, {2, 5, 3}, {3, 5, 4}, {4, 5, 1}}},
      {"CPE3", {tri3, {}}, triangle},
      {"CPS6M", {tri6, {{1, 2}, {2, 3}, {3, 1}}}, triangle},
      {"CAX4RH", {quad4, {}}, square},
      {"CPE8", {quad8, {{1, 2}, {2, 3}, {3, 4}, {4, 1}}}, square},
      {"M3D9", {quad9, {{1, 2}, {2, 3}, {3, 4}, {4, 1}, {1, 2, 3, 4}}}, square},
  };
  return list;
}

std::string one_cell_deck(const Manual& m) {
  std::string text = "*NODE\n", nodes;
  int label = 0;
  for (const Point& x : nodes_in_manual_order(m.cell)) {
    text += fmt::format("{}, {:.17g}, {:.17g}, {:.17g}\n", ++label, x[0], x[1], x[2]);
    nodes += fmt::format(",{}{}", label % 15 == 0 ? "\n" : " ", label);
  }
  text += fmt::format("*ELEMENT, TYPE={}, ELSET=E\n7{}\n", m.type, nodes);
  for (std::size_t i = 0; i < m.faces.size() && m.type != "M3D9"; ++i)
    text += fmt::format("*SURFACE, NAME=FACE{0}\nE, S{0}\n", i + 1);
  return text;
}

class EveryType : public ::testing::TestWithParam<Manual> {};
INSTANTIATE_TEST_SUITE_P(Inp, EveryType, ::testing::ValuesIn(manual()),
                         [](const auto& info) { return info.param.type; });

TEST_P(EveryType, NodesAreWhereTheManualPutsThem) {
  test::expect_bent_cell(read_text(one_cell_deck(GetParam())), GetParam().cell.kind);
}

TEST_P(EveryType, FacesAreThoseOfTheManual) {
  if (GetParam().type == "M3D9") return;  // a membrane's faces are its sides, then its edges
  const Mesh mesh = read_text(one_cell_deck(GetParam()));
  for (std::size_t i = 0; i < GetParam().faces.size(); ++i) {
    const Region& face = region_of(mesh, fmt::format("FACE{}", i + 1), RegionKind::facets);
    ASSERT_EQ(face.facets.size(), 1u);
    std::vector<Node> corners = mesh.nodes_of(face.facets[0]);
    corners.resize(GetParam().faces[i].size());
    std::vector<Node> expected;
    for (const int corner : GetParam().faces[i]) expected.push_back(corner - 1);
    EXPECT_THAT(corners, ::testing::UnorderedElementsAreArray(expected)) << i + 1;
  }
}

// CalculiX reads the same deck and integrates the volume by itself.
TEST_P(EveryType, VolumeIsWhatCalculixSays) {
  if (std::string_view(RITZ_CCX).empty()) GTEST_SKIP() << "there is no ccx";
  if (traits(GetParam().cell.kind).dimension != 3 || GetParam().type == "C3D5") return;
  const Folder folder;
  std::string deck = one_cell_deck(GetParam());
  deck = deck.substr(0, deck.find("*SURFACE"));
  if (GetParam().type == "C3D20R") deck = replaced(deck, "C3D20R", "C3D20");  // full integration
  const Mesh mesh = read_mesh(
      folder.put("cell.inp", deck + "*NSET, NSET=ALL, GENERATE\n1, 20\n*MATERIAL, NAME=M\n*ELASTIC\n1., 0.3\n*SOLID "
                                    "SECTION, ELSET=E, MATERIAL=M\n"
                                    "*BOUNDARY\nALL, 1, 3\n*STEP\n*STATIC\n*EL PRINT, ELSET=E\nEVOL\n*END STEP\n"));
  const int status = std::system(fmt::format("cd '{}' && '{}' cell > log 2>&1", folder.path(), RITZ_CCX).c_str());
  ASSERT_EQ(status, 0) << contents_of(folder.file("log"));
  std::istringstream result(contents_of(folder.file("cell.dat")));
  double volume = 0;
  for (std::string line; std::getline(result, line);) {
    std::istringstream numbers(line);
    int element = 0;
    if (numbers >> element >> volume) break;
  }
  EXPECT_NEAR(total_volume(mesh), volume, 2e-3 * volume);  // ccx: 4 points in a tetrahedron, 9 in a wedge
}

TEST(Inp, ReadsWhatGmshWrites) {
  std::vector<std::string> notices;
  const Mesh boxes = read_mesh(data_file("inp/two_boxes.inp"), {.notices = &notices});
  const Mesh same = read_mesh(data_file("gmsh/two_boxes.41.ascii.msh"));
  EXPECT_EQ(boxes.cell_count(), same.cell_count());
  EXPECT_NEAR(total_volume(boxes), 1, 1e-12);
  EXPECT_EQ(boxes.region("lower_part").size(), same.region("lower part").size());
  EXPECT_NEAR(area(boxes, boxes.region("top")), 1, 1e-12);
  EXPECT_EQ(boxes.region("edge").kind, RegionKind::nodes);
  EXPECT_THAT(notices, Contains(HasSubstr("lines of 'edge'")));
  EXPECT_THAT(notices, Contains(HasSubstr("'_UNTEN'"))) << "Gmsh writes a comma in a name without quotes";
  const Mesh plate = read_mesh(data_file("inp/plate2.inp"));
  EXPECT_NEAR(total_volume(plate), 4 - std::numbers::pi / 4, 3e-3);
  EXPECT_NEAR(area(plate, plate.region("hole")), std::numbers::pi / 2, 2e-3);
}

TEST(Inp, KeywordsSetsAndNamesDoNotDependOnTheirCase) {
  std::string text =
      two_cubes() + "*nset, NSET=Clamp\n1, 4\n*Nset,nset=CLAMP\n7,10\n*elset , elset = Both\nleft, Right\n";
  text = replaced(text, "*ELEMENT, TYPE=C3D8,", "*element,Type = c3d8 ,");
  const Mesh mesh = read_text(text);
  EXPECT_EQ(region_of(mesh, "Clamp", RegionKind::nodes).nodes, (std::vector<Node>{0, 3, 6, 9}));
  EXPECT_EQ(mesh.region("Both").size(), 2);
}

TEST(Inp, WindowsLineEndsByteOrderMarkTabsCommentsAndBlankLinesAreAccepted) {
  std::string windows = "\xEF\xBB\xBF";
  for (const char c : replaced(two_cubes(), "*ELEMENT", "** between\n\n  ** indented\n*ELEMENT"))
    windows += c == '\n' ? std::string("\r\n") : c == ' ' ? std::string("\t ") : std::string(1, c);
  EXPECT_NEAR(total_volume(read_text(windows)), 2, 1e-12);
}

TEST(Inp, RecordsGoOnInTheNextLineWithAndWithoutACommaAndAcrossComments) {
  for (const std::string broken :
       {"1, 1,2,5,4,\n7,8,11,10", "1, 1,2,5,4\n7,8,11,10", "1,\n1,2,5,4,\n** a comment\n7,8,11,10,"})
    EXPECT_NEAR(total_volume(read_text(replaced(two_cubes(), "1, 1,2,5,4,7,8,11,10", broken))), 2, 1e-12) << broken;
}

TEST(Inp, KeywordLinesGoOnAfterAComma) {
  EXPECT_EQ(read_text(replaced(two_cubes(), "TYPE=C3D8, ELSET=LEFT", "TYPE=C3D8,\n ELSET=LEFT")).region("LEFT").size(),
            1);
}

TEST(Inp, NumbersMayBeFortranAndDoNotDependOnTheLocale) {
  const bool set = std::setlocale(LC_ALL, "de_DE.UTF-8") != nullptr;
  const double volume = total_volume(read_text(
      replaced(replaced(two_cubes(), "2, 1., 0., 0.", "2, 1.D0, , "), "8, 1., 0., 1.", "8,.1E+1,-0.,+1.0d+00")));
  std::setlocale(LC_ALL, "C");
  EXPECT_NEAR(volume, 2, 1e-12) << (set ? "with" : "without") << " a German locale";
}

TEST(Inp, SetsComeFromRangesOtherSetsAndElements) {
  std::vector<std::string> notices;
  const Mesh mesh =
      read_text(two_cubes() +
                "*NSET, NSET=ODD, GENERATE\n1, 11, 2\n*NSET, NSET=DOWN, GENERATE\n12, 7, -2\n*NSET, NSET=MORE\nODD, 2, "
                "LATER\n*NSET, NSET=LATER\n12\n"
                "*NSET, NSET=OFRIGHT, ELSET=RIGHT\n*ELSET, ELSET=ALLOFTHEM, GENERATE\n1, 2\n*ELSET, ELSET=HUGE, "
                "GENERATE\n1, 900000000000, 1\n");
  EXPECT_EQ(region_of(mesh, "ODD", RegionKind::nodes).nodes, (std::vector<Node>{0, 2, 4, 6, 8, 10}));
  EXPECT_EQ(region_of(mesh, "DOWN", RegionKind::nodes).nodes, (std::vector<Node>{7, 9, 11})) << "12, 10 and 8";
  EXPECT_EQ(region_of(mesh, "MORE", RegionKind::nodes).nodes, (std::vector<Node>{0, 1, 2, 4, 6, 8, 10, 11}));
  EXPECT_EQ(region_of(mesh, "OFRIGHT", RegionKind::nodes).size(), 8);
  EXPECT_EQ(mesh.region("ALLOFTHEM").size(), 2);
  EXPECT_EQ(mesh.region("HUGE").size(), 2) << "a range costs no more than there are elements";
}

// A unit cube of hexahedra that repeat nodes: wedges, pyramids, a tetrahedron.
TEST(Inp, HexahedraThatRepeatNodesAreTheCellsThatTheyAre) {
  const std::string points =
      "*NODE\n1,0,0,0\n2,1,0,0\n3,1,1,0\n4,0,1,0\n5,0,0,1\n6,1,0,1\n7,1,1,1\n8,0,1,1\n*ELEMENT, TYPE=C3D8, ELSET=A\n";
  const std::string sets = "*SURFACE, NAME=TOP\nA, S2\n*SURFACE, NAME=BOTTOM\nA, S1\n*SURFACE, NAME=SKIN\nA\n";
  struct Row {
    std::string cells;
    std::vector<CellKind> kinds;
    double top;
  };
  using enum CellKind;
  for (const Row& row :
       {Row{"1, 1,2,3,3,5,6,7,7\n2, 1,3,4,4,5,7,8,8\n", {prism6}, 1.0},
        Row{"1, 5,6,2,1,7,7,3,3\n2, 1,3,4,4,5,7,8,8\n", {prism6}, 0.5},  // across another pair of edges
        Row{"1, 1,2,3,4,7,7,7,7\n2, 5,6,2,1,7,7,7,7\n3, 4,8,5,1,7,7,7,7\n", {pyramid5}, 0.0},
        Row{"1, 2,3,1,1,6,6,6,6\n2, 1,3,7,5,6,6,6,6\n3, 1,3,4,4,5,7,8,8\n", {tet4, prism6, pyramid5}, 0.5}}) {
    std::vector<std::string> notices;
    const Mesh mesh = read_text(points + row.cells + sets, &notices);
    std::vector<CellKind> kinds;
    for (const CellBlock& block : mesh.blocks()) kinds.push_back(block.kind);
    EXPECT_EQ(kinds, row.kinds) << row.cells;
    EXPECT_NEAR(total_volume(mesh), 1, 1e-12) << row.cells;
    EXPECT_EQ(mesh.region("A").size(), mesh.cell_count());
    EXPECT_NEAR(area(mesh, mesh.region("SKIN")), 6, 1e-12) << row.cells;
    EXPECT_THAT(notices, Contains(HasSubstr("of kind hex8"))) << row.cells;
    if (row.top == 1) {
      for (const char* name : {"TOP", "BOTTOM"}) EXPECT_NEAR(area(mesh, mesh.region(name)), 1, 1e-12) << name;
    }
  }
}

TEST(Inp, QuadrilateralsThatRepeatANodeAreTriangles) {
  const Mesh mesh = read_text(
      "*NODE\n1,0,0\n2,1,0\n3,1,1\n4,0,1\n*ELEMENT, TYPE=CPS4, ELSET=A\n1, 1,2,3,3\n2, 4,4,1,3\n*SURFACE, "
      "NAME=LEFT\n2, S2\n");
  ASSERT_EQ(mesh.blocks().size(), 1u);
  EXPECT_EQ(mesh.blocks()[0].kind, CellKind::tri3);
  EXPECT_NEAR(area(mesh, mesh.region("LEFT")), 1, 1e-12);
}

TEST(Inp, SetsThatNameEachOtherAgainAndAgainCostNoMoreThanTheirText) {
  std::string text = two_cubes() + "*NSET, NSET=S0\n1, 12\n";
  for (int i = 1; i < 40; ++i)
    text += fmt::format("*NSET, NSET=S{}\nS{}, S{}, S{}, S{}\n", i, i - 1, i - 1, i - 1, i - 1);
  EXPECT_EQ(read_text(text).region("S39").size(), 2) << "not 4^39 members";
}

TEST(Inp, SetsOnTheKeywordsOfNodesAndElementsHoldTheirBlocks) {
  const Mesh mesh = read_text(replaced(two_cubes(), "*NODE\n", "*NODE, NSET=EVERY\n"));
  EXPECT_EQ(region_of(mesh, "EVERY", RegionKind::nodes).size(), 12);
  EXPECT_EQ(mesh.region("LEFT").cells, std::vector<Index>{0});
  EXPECT_EQ(mesh.region("RIGHT").cells, std::vector<Index>{1});
}

TEST(Inp, SurfacesAreFacesFreeFacesOrNodes) {
  const Mesh mesh = read_text(
      two_cubes() +
      "*ELSET, ELSET=BOTH\nLEFT, RIGHT\n*SURFACE, NAME=Bottom\nBOTH, S1\n*SURFACE, TYPE=ELEMENT, NAME=One\n2, S4\n"
      "*SURFACE, NAME=Skin\nBOTH,\n*SURFACE, NAME=LeftSkin\nLEFT\n*SURFACE, TYPE=NODE, NAME=Points\n1\n12\n");
  EXPECT_NEAR(area(mesh, mesh.region("Bottom")), 2, 1e-12);
  EXPECT_NEAR(integrate(mesh, mesh.region("Bottom").facets[0]).area_vector[2], -1, 1e-12);
  EXPECT_NEAR(integrate(mesh, mesh.region("One").facets[0]).area_vector[0], 1, 1e-12) << "the right end";
  EXPECT_NEAR(area(mesh, mesh.region("Skin")), 10, 1e-12);
  EXPECT_NEAR(area(mesh, mesh.region("LeftSkin")), 5, 1e-12) << "the side between the cubes is not free";
  EXPECT_EQ(mesh.region("Points").nodes, (std::vector<Node>{0, 11}));
}

TEST(Inp, ShellsOnASolidNameItsFacets) {
  std::vector<std::string> notices;
  const Mesh mesh =
      read_text(two_cubes() +
                    "*ELEMENT, TYPE=S4R, ELSET=COAT\n11, 1,2,5,4\n12, 2,3,6,5\n*ELEMENT, TYPE=B31, ELSET=RIB\n13, 1,2\n"
                    "*ELEMENT, TYPE=S4\n14, 7,8,11,10\n*SURFACE, NAME=PAINT\nCOAT, SPOS\n",
                &notices);
  EXPECT_NEAR(area(mesh, mesh.region("COAT")), 2, 1e-12);
  EXPECT_NEAR(area(mesh, mesh.region("PAINT")), 2, 1e-12);
  EXPECT_EQ(region_of(mesh, "RIB", RegionKind::nodes).nodes, (std::vector<Node>{0, 1}));
  EXPECT_THAT(notices, Contains(HasSubstr("1 quad4")));
  EXPECT_THAT(notices, Contains(HasSubstr("lines of 'RIB'")));
}

TEST(Inp, SidesOfShellsInThePlaneAreTheirEdgesFromTheThirdOn) {
  const std::string text = "*NODE\n1,0,0\n2,2,0\n3,2,1\n4,0,1\n*ELEMENT,TYPE=S4,ELSET=E\n1,1,2,3,4\n";
  EXPECT_NEAR(integrate(read_text(text + "*SURFACE,NAME=A\nE,S4\n"), {0, 1}).area, 1, 1e-15);
  EXPECT_EQ(read_text(text + "*SURFACE,NAME=A\nE,S4\n").region("A").facets[0].facet, 1);
  EXPECT_EQ(read_text(text + "*SURFACE,NAME=A\nE,E4\n").region("A").facets[0].facet, 3);
}

// Also where shells are all there is: the mesh is then plane, or one of shells in space.
TEST(Inp, BothSidesOfAShellAreItsCell) {
  const std::string nodes = "*NODE\n1,0,0\n2,2,0\n3,2,1\n4,0,1\n";
  for (const char* face : {"", "S1", "S2", "SPOS", "SNEG"}) {
    const std::string text = nodes + "*ELEMENT,TYPE=S4,ELSET=E\n1,1,2,3,4\n*SURFACE,NAME=A\nE," + face + "\n";
    std::vector<std::string> notices;
    EXPECT_EQ(region_of(read_text(text, &notices), "A", RegionKind::cells).cells, (std::vector<Index>{0})) << face;
    const bool against = face == std::string("S1") || face == std::string("SNEG");
    EXPECT_EQ(against, ::testing::Value(notices, Contains(HasSubstr("against their normal"))));
  }
  EXPECT_THAT(message_for(nodes + "*ELEMENT,TYPE=CPS4,ELSET=E\n1,1,2,3,4\n*SURFACE,NAME=A\nE,SPOS\n"),
              HasSubstr("both sides of a plane cell"));
}

TEST(Inp, LinesAloneAreBarsWithTheMiddleNodeSecond) {
  const Mesh mesh = read_text("*NODE\n1,0\n2,1\n3,3\n*ELEMENT,TYPE=B32\n1, 1,2,3\n");
  EXPECT_EQ(mesh.kind_of(0), CellKind::line3);
  EXPECT_EQ(mesh.point(mesh.nodes_of(0)[2])[0], 1) << "the middle is last in VTK's order";
  const Mesh with_direction = read_text("*NODE\n1,0\n2,1\n3,3,1\n*ELEMENT,TYPE=B31\n1, 1,2,3\n2,2,1\n");
  EXPECT_EQ(with_direction.cell_count(), 2);
}

TEST(Inp, CylindricalAndSphericalCoordinatesAreTurned) {
  const Mesh mesh = read_text(
      "*NODE, SYSTEM=C\n1, 1., 0., 0.\n2, 2., 0.\n3, 2., 90., 0.\n*NODE,SYSTEM=S\n4, 1., 90., "
      "0.\n*ELEMENT,TYPE=CPS4\n1,1,2,3,4\n");
  EXPECT_NEAR(total_volume(mesh), 1.5, 1e-12);
}

TEST(Inp, IncludedFilesStandWhereTheyAreNamed) {
  const Folder folder;
  std::filesystem::create_directories(folder.file("sub folder"));
  const std::string text = two_cubes();
  const std::size_t nodes = text.find("1, 0."), elements = text.find("*ELEMENT");
  folder.put("sub folder/nodes.txt", text.substr(nodes, elements - nodes));
  folder.put("elements.inc", text.substr(elements) + "*INCLUDE, INPUT=sets.inc\n");
  folder.put("sets.inc", "*NSET,NSET=A\n1");
  const std::string path =
      folder.put("main.inp", "*NODE\n*INCLUDE, INPUT=\"sub folder/nodes.txt\"\n*include,input=elements.inc\n2\n");
  const Mesh mesh = read_mesh(path);
  EXPECT_EQ(region_of(mesh, "A", RegionKind::nodes).nodes, (std::vector<Node>{0, 1}))
      << "data lines go on behind an included file";
  EXPECT_NEAR(total_volume(read_mesh(
                  folder.put("other.inp", "*NODE, INPUT=sub folder/nodes.txt\n*INCLUDE,INPUT=elements.inc\n"))),
              2, 1e-12);
  EXPECT_THAT(error_of([&] { read_mesh(folder.put("b.inp", "*INCLUDE, INPUT=none.inc\n")); }, Exit::mesh),
              AllOf(HasSubstr("none.inc"), HasSubstr("line 1")));
  EXPECT_THAT(error_of([&] { read_mesh(folder.put("c.inp", "*INCLUDE, INPUT=c.inp\n")); }, Exit::mesh),
              HasSubstr("in a circle"));
}

std::string part(const std::string& name) {
  return "*PART, NAME=" + name +
         "\n*NODE\n1,0,0,0\n2,1,0,0\n3,1,1,0\n4,0,1,0\n5,0,0,1\n6,1,0,1\n7,1,1,1\n8,0,1,1\n"
         "*ELEMENT, TYPE=C3D8, ELSET=ALLCELLS\n1, 1,2,3,4,5,6,7,8\n*NSET, NSET=CORNER\n7\n*END PART\n";
}

TEST(Inp, InstancesArePutWhereTheyBelong) {
  const std::string text =
      part("Brick") +
      "*ASSEMBLY, NAME=A\n*INSTANCE, NAME=One, PART=brick\n*END INSTANCE\n"
      "*INSTANCE, NAME=Two, PART=Brick\n3., 0., 0.\n3., 0., 0., 3., 0., 1., 90.\n*END INSTANCE\n"
      "*NSET, NSET=Ends, INSTANCE=One\n1\n*NSET, NSET=Ends, INSTANCE=Two\n2\n"
      "*ELSET, ELSET=_Surf_S2, INTERNAL, INSTANCE=Two\n1\n*SURFACE, NAME=Top\n_Surf_S2, S2\nOne.ALLCELLS, S2\n"
      "*NSET, NSET=Mixed\nOne.1, Two.CORNER\n*NODE\n1, 9,9,9\n*END ASSEMBLY\n";
  const Mesh mesh = read_text(text);
  EXPECT_EQ(mesh.cell_count(), 2);
  EXPECT_NEAR(total_volume(mesh), 2, 1e-12);
  EXPECT_NEAR(area(mesh, mesh.region("Top")), 2, 1e-12);
  EXPECT_FALSE(mesh.has_region("_Surf_S2"));
  EXPECT_EQ(mesh.region("One.ALLCELLS").size(), 1);
  EXPECT_EQ(mesh.region("Two.CORNER").size(), 1);
  const auto corner =
      mesh.point(mesh.region("Two.CORNER").nodes[0]);  // (1, 1, 1), moved to (4, 1, 1), turned to (2, 1, 1)
  EXPECT_NEAR(corner[0], 2, 1e-12);
  EXPECT_NEAR(corner[1], 1, 1e-12);
  const std::vector<Node> ends = mesh.region("Ends").nodes;
  ASSERT_EQ(ends.size(), 2u);
  EXPECT_NEAR(mesh.point(ends[1])[1], 1, 1e-12) << "(1, 0, 0), moved to (4, 0, 0), turned to (3, 1, 0)";
  EXPECT_EQ(mesh.region("Mixed").size(), 2);
  EXPECT_EQ(mesh.orphan_nodes().size(), 1u) << "the reference point of the assembly";
}

TEST(Inp, PartsWithoutAssemblyOrWithOneInstanceKeepTheNamesOfTheirSets) {
  EXPECT_EQ(read_text(part("P")).region("CORNER").size(), 1);
  EXPECT_EQ(read_text(part("P") + "*ASSEMBLY\n*INSTANCE,NAME=I,PART=P\n*END INSTANCE\n*END ASSEMBLY\n")
                .region("CORNER")
                .size(),
            1);
  std::vector<std::string> notices;
  read_text(part("P") + part("Q") + "*INSTANCE,NAME=I,PART=P\n*END INSTANCE\n", &notices);
  EXPECT_THAT(notices, Contains(HasSubstr("part 'Q'")));
}

TEST(Inp, WhatIsNotReadIsSaid) {
  std::vector<std::string> notices;
  read_text(two_cubes() +
                "*ELEMENT, TYPE=SPRINGA\n5, 1, 2\n6, 3,\n4\n*MATERIAL, NAME=M\n*ELASTIC\n1,0\n*SURFACE, NAME=C, "
                "COMBINE=UNION\nA, B\n*NODE PRINT\nU",
            &notices);
  EXPECT_THAT(notices, Contains(HasSubstr("2 elements of type SPRINGA")));
  EXPECT_THAT(notices, Contains(HasSubstr("ignored: *ELASTIC, *MATERIAL, *NODE PRINT")));
  EXPECT_THAT(notices, Contains(HasSubstr("surface 'C' was not read")));
  notices.clear();
  read_text(two_cubes() + "*NSET, NSET=A\n1, 2", &notices);
  EXPECT_THAT(notices, Contains(HasSubstr("cut short")));
}

TEST(Inp, MistakesAreNamedWithTheirLine) {
  EXPECT_THAT(message_for(replaced(two_cubes(), "7,8,11,10", "7,8,11,99")),
              AllOf(HasSubstr("node 99 does not exist"), HasSubstr("element 1")));
  EXPECT_THAT(message_for(replaced(two_cubes(), "2, 1., 0., 0.", "2, 1., zero, 0.")),
              AllOf(HasSubstr("found 'zero,'"), HasSubstr("line 5")));
  EXPECT_THAT(message_for(replaced(two_cubes(), "2, 1., 0., 0.", "2, 1,5, 0,0, 0,0")), HasSubstr("decimal sign"));
  EXPECT_THAT(message_for(replaced(two_cubes(), "2, 1., 0., 0.", "1, 1., 0., 0.")),
              HasSubstr("node 1 is defined twice"));
  EXPECT_THAT(message_for(replaced(two_cubes(), "2, 2,3,6", "1, 2,3,6")), HasSubstr("element 1 is defined twice"));
  EXPECT_THAT(message_for(replaced(two_cubes(), "7,8,11,10", "7,8")),
              AllOf(HasSubstr("more nodes of the element"), HasSubstr("keyword")));
  EXPECT_THAT(message_for(replaced(two_cubes(), "7,8,11,10", "7,8,11,10,9")), HasSubstr("has all its nodes already"));
  EXPECT_THAT(message_for(replaced(two_cubes(), "7,8,11,10", "7 8,11,10")),
              AllOf(HasSubstr("expected a comma"), HasSubstr("line 17")));
  EXPECT_THAT(message_for(replaced(two_cubes(), "TYPE=C3D8,", "TYPE=C3D27,")), HasSubstr("C3D27 are not supported"));
  EXPECT_THAT(message_for(replaced(two_cubes(), "TYPE=C3D8,", "TYPE=COH3D8,")), HasSubstr("COH3D8"));
  EXPECT_THAT(message_for(replaced(two_cubes(), "TYPE=C3D8,", "")), HasSubstr("no TYPE"));
  EXPECT_THAT(message_for(two_cubes() + "*NGEN\n1,2\n"),
              AllOf(HasSubstr("*NGEN is not supported"), HasSubstr("line 20")));
  EXPECT_THAT(message_for(two_cubes() + "*NSET, NSET=A\nLEFTT\n"), HasSubstr("no node set 'LEFTT'"));
  EXPECT_THAT(message_for(two_cubes() + "*ELSET, ELSET=A\nLEFTT\n"), HasSubstr("did you mean 'LEFT'"));
  EXPECT_THAT(message_for(two_cubes() + "*ELSET, ELSET=A\nB\n*ELSET, ELSET=B\nA\n"), HasSubstr("in a circle"));
  EXPECT_THAT(message_for(two_cubes() + "*NSET, NSET=A\n77\n"), HasSubstr("node 77 is in a set"));
  EXPECT_THAT(message_for(two_cubes() + "*ELSET, ELSET=A\n77\n"), HasSubstr("element 77 is in a set"));
  EXPECT_THAT(message_for(two_cubes() + "*ELSET, ELSET=A, GENERATE\n5, 1\n"),
              HasSubstr("steps of 1 from 5 do not lead to 1"));
  EXPECT_THAT(message_for(two_cubes() + "*SURFACE, NAME=A\nLEFT, S7\n"), HasSubstr("face 'S7'"));
  EXPECT_THAT(message_for(two_cubes() + "*INSTANCE, NAME=A, PART=B\n"), HasSubstr("part 'B', which does not exist"));
  EXPECT_THAT(message_for("*NODE\n1,0,0,0\n"), HasSubstr("no cells"));
  EXPECT_THAT(message_for("*HEADING\nnothing\n"), HasSubstr("no cells"));
}

// Large blocks are read by several threads: records over two lines, comments between, no comma before the next line.
TEST(Inp, LongBlocksAreReadAlikeByAnyNumberOfThreads) {
  const Mesh mesh = box(24, 24, 24, {1, 1, 1}, CellKind::hex20);
  for (const std::string style : {"comma", "none", "comments"}) {
    std::string text = "*NODE\n";
    for (Node node = 0; node < mesh.node_count(); ++node) {
      const auto x = mesh.point(node);
      text += fmt::format("{}, {}, {}, {}\n", node + 1, x[0], x[1], x[2]);
      if (style == "comments" && node % 1000 == 0) text += "** a comment, with a comma,\n\n";
    }
    text += "*ELEMENT, TYPE=C3D20\n";
    for (Index cell = 0; cell < mesh.cell_count(); ++cell) {
      text += std::to_string(cell + 1);
      for (std::size_t i = 0; i < 20; ++i) {
        text += i == 15 ? (style == "none" ? "\n" : ",\n") : ", ";
        text += std::to_string(mesh.nodes_of(cell)[i] + 1);
      }
      text += "\n";
      if (style == "comments" && cell % 1000 == 0) text += "  ** another\n";
    }
    ASSERT_GT(text.size(), std::size_t{1} << 21);
    const Mesh again = read_text(text);
    EXPECT_TRUE(std::ranges::equal(again.points(), mesh.points())) << style;
    ASSERT_EQ(again.cell_count(), mesh.cell_count()) << style;
    EXPECT_EQ(again.blocks()[0].nodes, mesh.blocks()[0].nodes) << style;
    const std::size_t last = text.rfind(", ");
    EXPECT_THAT(message_for(text.replace(last, 2, "; ")), HasSubstr("line ")) << style;
  }
}

// A deck has no end mark, so a cut one may still be a mesh; it may not crash, hang or throw anything but Exit::mesh.
void expect_survival(const std::string& text, const std::string& path) {
  test::overwrite(path, text);
  try {
    read_mesh(path);
  } catch (const Error& error) { ASSERT_EQ(error.exit(), Exit::mesh) << error.what(); }
}

TEST(Inp, CutAndDamagedDecksNeverCrash) {
  const Folder folder;
  const std::string path = folder.file("damaged.inp");
  const std::string whole =
      two_cubes() + "*NSET, NSET=A, GENERATE\n1,5,2\n*SURFACE, NAME=S\nLEFT, S1\n" + part("P") +
      "*INSTANCE,NAME=I,PART=P\n1.,0.,0.\n0.,0.,0.,0.,0.,1.,30.\n*END INSTANCE\n*NSET,NSET=B,INSTANCE=I\n1,CORNER\n";
  for (std::size_t length = 1; length < whole.size(); ++length) expect_survival(whole.substr(0, length), path);
  std::mt19937 random(1);
  for (int round = 0; round < 4000; ++round) {
    std::string damaged = whole;
    for (int i = 0; i <= round % 3; ++i) {
      const std::size_t at = random() % damaged.size();
      if (round % 5 == 0) damaged.erase(at, random() % 20);
      else if (round % 5 == 1) damaged.insert(at, damaged.substr(random() % damaged.size(), random() % 40));
      else damaged[at] = round % 2 ? static_cast<char>(random()) : "0123456789,*\n=. -"[random() % 17];
    }
    if (!damaged.empty()) expect_survival(damaged, path);
  }
}

}  // namespace
}  // namespace ritz
