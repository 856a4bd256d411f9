// MEDIT, Nastran, MFEM, legacy and parallel VTK.
#include "io/meshes/mesh_reader.hpp"
#include "io/vtk/vtu_writer.hpp"
#include "mesh/generators.hpp"
#include "mesh/quality/quality.hpp"
#include "tests/io/files.hpp"
#include "tests/io/meshes/one_cell.hpp"

#include <clocale>
#include <cstring>
#include <numbers>
#include <random>

#include <fmt/format.h>

namespace ritz::other_readers_test {
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
using ::testing::Not;
using enum CellKind;

Mesh read_text(const std::string& name, const std::string& text, std::vector<std::string>* notices = nullptr) {
  const Folder folder;
  return read_mesh(folder.put(name, text), {.notices = notices});
}
std::string message_for(const std::string& name, const std::string& text) {
  return error_of([&] { read_text(name, text); }, Exit::mesh);
}

// --- Nastran
// ------------------------------------------------------------------------------------------------------------

struct NastranCell {
  std::string name;
  ManualCell cell;
};

// MSC Nastran Quick Reference Guide: the vertical edges of CHEXA and CPENTA come before those of the top.
std::vector<NastranCell> nastran_cells() {
  return {{"CTETRA", {tet4, {}}},
          {"CTETRA", {tet10, {{1, 2}, {2, 3}, {3, 1}, {1, 4}, {2, 4}, {3, 4}}}},
          {"CHEXA", {hex8, {}}},
          {"CHEXA",
           {hex20, {{1, 2}, {2, 3}, {3, 4}, {4, 1}, {1, 5}, {2, 6}, {3, 7}, {4, 8}, {5, 6}, {6, 7}, {7, 8}, {8, 5}}}},
          {"CPENTA", {prism6, {}}},
          {"CPENTA", {prism15, {{1, 2}, {2, 3}, {3, 1}, {1, 4}, {2, 5}, {3, 6}, {4, 5}, {5, 6}, {6, 4}}}},
          {"CPYRAM", {pyramid5, {}}},
          {"CPYRAM", {pyramid13, {{1, 2}, {2, 3}, {3, 4}, {4, 1}, {1, 5}, {2, 5}, {3, 5}, {4, 5}}}},
          {"CTRIA3", {tri3, {}}},
          {"CTRIA6", {tri6, {{1, 2}, {2, 3}, {3, 1}}}},
          {"CQUAD4", {quad4, {}}},
          {"CQUAD8", {quad8, {{1, 2}, {2, 3}, {3, 4}, {4, 1}}}}};
}

enum class Fields { small, large, free };

std::string nastran_number(double x, std::size_t width) {
  for (int digits = 17; digits > 0; --digits)
    if (std::string text = fmt::format("{:#.{}g}", x, digits); text.size() <= width) return text;
  return "0.";
}

std::string nastran_entry(const std::string& name, const std::vector<std::string>& fields, Fields form) {
  std::string text = name;
  if (form == Fields::free) {
    for (std::size_t i = 0; i < fields.size(); ++i) text += (i > 0 && i % 8 == 0 ? ",+\n+," : ",") + fields[i];
    return text + "\n";
  }
  const std::size_t width = form == Fields::large ? 16 : 8, per_line = form == Fields::large ? 4 : 8;
  if (form == Fields::large) text += "*";
  text.resize(8, ' ');
  for (std::size_t i = 0; i < fields.size(); ++i) {
    if (i > 0 && i % per_line == 0) text += form == Fields::large ? "*\n*       " : "+\n+       ";
    text += fmt::format("{:<{}}", fields[i], width);
  }
  return text + "\n";
}

std::string nastran_file(const NastranCell& cell, Fields form) {
  std::string text = "SOL 101\nCEND\nTITLE = one cell\nBEGIN BULK\n$ a comment\n";
  std::vector<std::string> fields = {"7", "3"};
  for (const Point& x : nodes_in_manual_order(cell.cell)) {
    fields.push_back(std::to_string(fields.size() + 100));
    const std::size_t width = form == Fields::small ? 8 : 16;
    text += nastran_entry(
        "GRID",
        {fields.back(), "", nastran_number(x[0], width), nastran_number(x[1], width), nastran_number(x[2], width)},
        form);
  }
  return text + nastran_entry(cell.name, fields, form) + "ENDDATA\n";
}

TEST(Nastran, NodesOfEveryCellAreWhereTheManualPutsThemInEveryField) {
  for (const NastranCell& cell : nastran_cells())
    for (const Fields form : {Fields::free, Fields::large}) {
      SCOPED_TRACE(cell.name);
      const Mesh mesh = read_text("a.bdf", nastran_file(cell, form));
      ASSERT_EQ(mesh.kind_of(0), cell.cell.kind);
      const auto reference = reference_nodes(cell.cell.kind);
      for (std::size_t i = 0; i < reference.size(); ++i) {
        const Point expected = mesh.dimension() == 3 ? test::bent(reference[i]) : test::bent_in_plane(reference[i]);
        for (std::size_t k = 0; k < 3; ++k) EXPECT_NEAR(mesh.point(mesh.nodes_of(0)[i])[k], expected[k], 1e-9) << i;
      }
      EXPECT_EQ(mesh.region(mesh.dimension() == 3 ? "volume_3" : "surface_3").size(), 1);
    }
  for (const NastranCell& cell : nastran_cells())
    EXPECT_EQ(read_text("a.bdf", nastran_file(cell, Fields::small)).kind_of(0), cell.cell.kind) << "eight characters";
}

const std::string tetrahedron =
    "GRID,1,,0.,0.,0.\nGRID,2,,1.,0.,0.\nGRID,3,,0.,1.,0.\nGRID,4,,0.,0.,1.\nCTETRA,1,5,1,2,3,4\n";

TEST(Nastran, NumbersMayLeaveOutTheLetterOfTheExponent) {
  for (const std::string two : {"2.", "2.0", ".2+1", "20.-1", "2.0E0", "0.2D+1", "+2.", "2.+0"})
    EXPECT_NEAR(total_volume(read_text("a.bdf", replaced(tetrahedron, "GRID,2,,1.", "GRID,2,," + two) + "ENDDATA\n")),
                1.0 / 3, 1e-15)
        << two;
  for (const std::string wrong : {"two", "2,5", "2.0.1", "--2", "1e999"})
    EXPECT_THAT(message_for("a.bdf", replaced(tetrahedron, "GRID,2,,1.,0.", "GRID,2,,0.," + wrong)),
                HasSubstr(wrong == "2,5" ? "zero" : "expected a number"))
        << wrong;
}

TEST(Nastran, CoordinateSystemsPlaceTheGrid) {
  // A cylinder about the x axis through (0, 0, 1), in a system that is moved by (5, 0, 0).
  std::string text =
      "CORD2R,10,,5.,0.,0.,5.,0.,1.,+\n+,6.,0.,0.\nCORD2C,11,10,0.,0.,1.,1.,0.,1.,+\n+,0.,1.,1.\nGRDSET,,11\n" +
      tetrahedron;
  text = replaced(text, "GRID,2,,1.,0.,0.", "GRID,2,,1.,90.,0.");
  text = replaced(text, "GRID,3,,0.,1.,0.", "GRID,3,,1.,0.,0.");
  const Mesh mesh = read_text("a.bdf", text + "ENDDATA\n");
  const auto x = mesh.point(1), y = mesh.point(2);
  EXPECT_NEAR(x[0], 5, 1e-15);
  EXPECT_NEAR(std::abs(x[2] - 1), 1, 1e-15) << "at 90 degrees";
  EXPECT_NEAR(y[1], 1, 1e-15) << "at 0 degrees";
  EXPECT_NEAR(mesh.point(3)[0], 6, 1e-15) << "along the axis";
  EXPECT_THAT(message_for("a.bdf", replaced(tetrahedron, "GRID,2,,", "GRID,2,77,")), HasSubstr("coordinate system 77"));
  EXPECT_THAT(message_for("a.bdf", "CORD2R,10,10,5.,0.,0.,5.,0.,1.,+\n+,6.,0.,0.\n" +
                                       replaced(tetrahedron, "GRID,2,,", "GRID,2,10,")),
              HasSubstr("by itself"));
}

TEST(Nastran, ShellsAndBarsInSpaceAreCellsOfAStructuralMesh) {
  const Folder folder;
  const std::string text =
      "GRID,1,,0.,0.,0.\nGRID,2,,1.,0.,0.\nGRID,3,,1.,1.,1.\nGRID,4,,0.,1.,1.\nCQUAD4,1,7,1,2,3,4\nCBAR,2,8,2,3,0.,0.,"
      "1.\nENDDATA\n";
  const Mesh mesh = read_mesh(folder.put("a.bdf", text), {.structural = true});
  ASSERT_EQ(mesh.cell_count(), 2);
  EXPECT_EQ(mesh.kind_of(mesh.region("surface_7").cells.at(0)), quad4);
  EXPECT_EQ(mesh.kind_of(mesh.region("curve_8").cells.at(0)), line2);
  EXPECT_THAT(error_of([&] { read_mesh(folder.file("a.bdf")); }, Exit::mesh),
              HasSubstr("not parallel to the x-y plane"))
      << "without sections";
}

TEST(Nastran, ShellsOnSolidsNameFacetsAndTheRestIsSaid) {
  std::vector<std::string> notices;
  const Mesh mesh = read_text(
      "a.nas", "$ surface\n" + tetrahedron + "CTRIA3,2,9,1,3,2\nCONM2,5,1\nPSOLID,5,1\nMAT1,1,1.,,.3\n", &notices);
  EXPECT_NEAR(area(mesh, mesh.region("surface_9")), 0.5, 1e-15);
  EXPECT_THAT(notices, Contains(HasSubstr("1 CONM2")));
  EXPECT_THAT(notices, Contains(HasSubstr("ignored: MAT1, PSOLID")));
  EXPECT_THAT(notices, Contains(HasSubstr("no ENDDATA")));
}

TEST(Nastran, WhatCellsSayBeyondTheirNodesIsNamedWithLineFieldAndValue) {
  const std::string grid =
      "GRID,1,,0.,0.,0.,,123\nGRID,2,,1.,0.,0.\nGRID,3,,1.,1.,0.\nGRID,4,,0.,1.,0.\nGRID,5,,.5,0.,0.\n"
      "GRID,6,,1.,.5,0.\nGRID,7,,.5,.5,0.\nGRID,8,,.5,1.,0.\nGRID,9,,0.,.5,0.\n";
  struct Card {
    std::string text, named;
  };
  const std::vector<Card> cards = {
      {"CBAR,1,1,1,2,0.,1.,0.",
       "orientation (X1, X2, X3 or G0) of 1 CBAR are not read, the first of CBAR 1 in line 10"},
      {"CBAR,1,1,1,2,3,,,GGO", "OFFT of 1 CBAR"},
      {"CBAR,1,1,1,2,3,,,,+\n+,,456", "pin flags (PA, PB) of 1 CBAR are not read, the first of CBAR 1 in line 10 of"},
      {"CBEAM,1,1,1,2,3,,,,+\n+,,,,-.5,,,.5,", "offsets (W1A, W2A, W3A, W1B, W2B, W3B) of 1 CBEAM"},
      {"CONROD,1,1,2,7,.01", "material and section (MID, A, J, C, NSM) of 1 CONROD"},
      {"CTRIA3,1,1,1,2,3,30.", "THETA or MCID of 1 CTRIA3"},
      {"CTRIA3,1,1,1,2,3,,.1", "ZOFFS of 1 CTRIA3"},
      {"CTRIA3,1,1,1,2,3,,,,+\n+,,.1,.1,.2", "thickness (TFLAG, T1, T2, T3) of 1 CTRIA3"},
      {"CTRIA6,1,1,1,2,3,5,6,7,+\n+,,.1,.2,.2,.3", "ZOFFS of 1 CTRIA6"},
      {"CTRIA6,1,1,1,2,3,5,6,7,+\n+,,,.2,.2,.3", "thickness (T1, T2, T3, TFLAG) of 1 CTRIA6"},
      {"CQUAD4,1,1,1,2,3,4,0,", "THETA or MCID of 1 CQUAD4"},
      {"CQUAD4,1,1,1,2,3,4,,-.2", "ZOFFS of 1 CQUAD4"},
      {"CQUADR,1,1,1,2,3,4,,,+\n+,,,.1,.1,.1,.1", "thickness (TFLAG, T1, T2, T3, T4) of 1 CQUADR"},
      {"CQUAD8,1,1,1,2,3,4,5,6,+\n+,8,9,.1,.1,.1,.1,45.,.3", "thickness (T1, T2, T3, T4) of 1 CQUAD8"},
      {"CQUAD8,1,1,1,2,3,4,5,6,+\n+,8,9,,,,,45.,.3", "ZOFFS of 1 CQUAD8"},
      {"CQUAD4,1,1,1,2,3,4", "supports (PS) of 1 GRID are not read, the first of GRID 1 in line 1 of"}};
  const Folder folder;
  for (const Card& card : cards) {
    std::vector<std::string> notices;
    read_mesh_data(folder.put("a.bdf", grid + card.text + "\nENDDATA\n"), &notices, true);
    EXPECT_THAT(notices, Contains(HasSubstr(card.named))) << card.text;
  }
  // For sections these are errors, unless a key stands for them.
  for (const Card& card : cards) {
    std::vector<std::string> notices;
    const auto read = [&](std::set<std::string> keys) {
      read_mesh_data(folder.put("a.bdf", grid + card.text + "\nENDDATA\n"), &notices, true, nullptr, &keys);
    };
    const auto is = [&](const char* word) { return card.named.starts_with(word); };
    if (is("orientation") || is("offsets") || is("pin flags") || is("ZOFFS")) {
      EXPECT_THAT(error_of([&] { read({}); }, Exit::model), HasSubstr(card.named)) << card.text;
    }
    if (is("pin flags") || is("ZOFFS"))
      EXPECT_THAT(error_of([&] { read({"orientation", "offset"}); }, Exit::model), HasSubstr("remove them"));
    else if (card.text.find(".3") == std::string::npos) {  // a CQUAD8 that has ZOFFS, too
      read({"orientation", "offset"});
      EXPECT_THAT(notices, Contains(HasSubstr(card.named))) << card.text;
    }
  }
  std::vector<std::string> notices;
  read_mesh_data(folder.put("a.bdf", replaced(grid, ",,123", "") +
                                         "CQUAD4,1,1,1,2,3,4,0.,0.0\nCBAR,2,1,1,2,,,,GGG,+\n+,,,0.,0.,0.\nENDDATA\n"),
                 &notices, true);
  EXPECT_THAT(notices, Not(Contains(HasSubstr("not read")))) << "defaults";
}

TEST(Nastran, MistakesAreNamedWithTheirLine) {
  EXPECT_THAT(message_for("a.bdf", replaced(tetrahedron, "1,2,3,4\n", "1,2,3,44\n")),
              HasSubstr("grid point 44 does not exist"));
  EXPECT_THAT(message_for("a.bdf", replaced(tetrahedron, "1,2,3,4\n", "1,2,3,4,5\n")),
              AllOf(HasSubstr("CTETRA 1 has 5 grid points"), HasSubstr("line 5")));
  EXPECT_THAT(message_for("a.bdf", replaced(tetrahedron, "GRID,2,", "GRID,1,")), HasSubstr("GRID 1 is defined twice"));
  EXPECT_THAT(message_for("a.bdf", replaced(tetrahedron, "CTETRA", "CHEXA16")), HasSubstr("CHEXA16 are not supported"));
  EXPECT_THAT(message_for("a.bdf", replaced(tetrahedron, "CTETRA", "=,*1,=,*1,*1\nCTETRA")),
              HasSubstr("repeated by '='"));
  EXPECT_THAT(message_for("a.bdf", "INCLUDE 'none.bdf'\n" + tetrahedron), HasSubstr("none.bdf"));
}

TEST(Nastran, FilesAreIncluded) {
  const Folder folder;
  folder.put("grid.bdf", tetrahedron.substr(0, tetrahedron.find("CTETRA")));
  EXPECT_EQ(
      read_mesh(folder.put("main.bdf", "BEGIN BULK\nINCLUDE 'grid.bdf'\nCTETRA,1,5,1,2,3,4\nENDDATA\n")).cell_count(),
      1);
}

// --- MEDIT
// --------------------------------------------------------------------------------------------------------------

const std::string medit_head = "MeshVersionFormatted 2\n# a comment\nDimension\n3\n";

TEST(Medit, P2CellsHaveTheOrderOfLibMeshb) {
  for (const auto& [name, cell] :
       {std::pair<std::string, ManualCell>{"TetrahedraP2", {tet10, {{1, 2}, {2, 3}, {3, 1}, {1, 4}, {2, 4}, {3, 4}}}},
        {"TrianglesP2", {tri6, {{1, 2}, {2, 3}, {3, 1}}}},
        {"Hexahedra", {hex8, {}}},
        {"Prisms", {prism6, {}}},
        {"Pyramids", {pyramid5, {}}}}) {
    std::string text = medit_head, nodes;
    const std::vector<Point> points = nodes_in_manual_order(cell);
    text += fmt::format("Vertices\n{}\n", points.size());
    for (std::size_t i = 0; i < points.size(); ++i) {
      text += fmt::format("{:.17g} {:.17g} {:.17g} 0\n", points[i][0], points[i][1], points[i][2]);
      nodes += fmt::format("{} ", i + 1);
    }
    test::expect_bent_cell(read_text("a.mesh", text + name + "\n1\n" + nodes + "4\nEnd\n"), cell.kind);
  }
}

std::string medit_tetrahedron() {
  return medit_head +
         "Vertices 4\n0 0 0 0\n1 0 0 8\n0 1 0 0\n0 0 1 8\nCorners\n1\n3\nTriangles\n1\n1 3 2 7\nTetrahedra\n1\n1 2 3 4 "
         "5\nEnd\n";
}

TEST(Medit, ReferencesBecomeRegions) {
  std::vector<std::string> notices;
  const Mesh mesh = read_text("a.mesh", medit_tetrahedron(), &notices);
  EXPECT_EQ(mesh.region("volume_5").size(), 1);
  EXPECT_NEAR(area(mesh, mesh.region("surface_7")), 0.5, 1e-15);
  EXPECT_EQ(mesh.region("nodes_8").nodes, (std::vector<Node>{1, 3}));
  EXPECT_THAT(notices, Contains(HasSubstr("Corners")));
}

TEST(Medit, BinaryFileOfMeshioIsReadAsTheGmshFileItWasMadeFrom) {
  const Mesh mesh = read_mesh(data_file("meshb/mixed1.meshb")), same = read_mesh(data_file("gmsh/mixed1.22.ascii.msh"));
  EXPECT_EQ(mesh.cell_count(), same.cell_count());
  EXPECT_NEAR(total_volume(mesh), total_volume(same), 1e-6);
}

TEST(Medit, MistakesAreNamedWithTheirLine) {
  EXPECT_THAT(message_for("a.mesh", replaced(medit_tetrahedron(), "Vertices 4", "Vertices 2000000000")),
              AllOf(HasSubstr("2000000000"), HasSubstr("line 5")));
  EXPECT_THAT(message_for("a.mesh", replaced(medit_tetrahedron(), "Vertices 4", "Vertices -4")),
              HasSubstr("cannot be negative"));
  EXPECT_THAT(message_for("a.mesh", replaced(medit_tetrahedron(), "1 2 3 4 5", "1 2 3 44 5")),
              HasSubstr("uses node 43 (counted from 0)"));
  EXPECT_THAT(message_for("a.mesh", replaced(medit_tetrahedron(), "1 2 3 4 5", "1 2 3 0 5")), HasSubstr("vertex 0"));
  EXPECT_THAT(message_for("a.mesh", replaced(medit_tetrahedron(), "Tetrahedra\n", "HexahedraQ2\n")),
              HasSubstr("HexahedraQ2"));
  for (const char* name : {"TetrahedraP3", "TetrahedraP4", "PrismsP2"})
    EXPECT_THAT(message_for("a.mesh", replaced(medit_tetrahedron(), "Tetrahedra\n", name + std::string("\n"))),
                HasSubstr(fmt::format("cells '{}' are not supported", name)));
  EXPECT_THAT(message_for("a.mesh", replaced(medit_tetrahedron(), "1 0 0 8", "1,5 0 0 8")), HasSubstr("1,5"));
}

// libMeshb's number of TetrahedraP3 instead of that of Tetrahedra.
TEST(Medit, CellsOfHigherOrderInBinaryFilesAreRefusedAndNotPassedOver) {
  constexpr std::size_t place_of_tetrahedra = 3260;
  std::string bytes = contents_of(data_file("meshb/mixed1.meshb"));
  ASSERT_EQ(bytes[place_of_tetrahedra], 8);
  bytes[place_of_tetrahedra] = 96;
  EXPECT_THAT(message_for("a.meshb", bytes), HasSubstr("MEDIT's section 96 are not supported"));
}

// --- MFEM
// ---------------------------------------------------------------------------------------------------------------

// MFEM wrote both files; VTK reads the other.
TEST(Mfem, CurvedMeshesAreThoseOfTheirVtkFiles) {
  for (const std::string name : {"escher-p2", "fichera-mixed-p2", "star-mixed-p2"}) {
    const Mesh mesh = read_mesh(data_file("mfem/" + name + ".mesh")),
               same = read_mesh(data_file("mfem/" + name + ".vtk"));
    EXPECT_EQ(mesh.cell_count(), same.cell_count());
    EXPECT_EQ(mesh.node_count(), same.node_count()) << name;
    EXPECT_NEAR(total_volume(mesh), total_volume(same), 1e-6 * total_volume(same)) << name;
    const std::vector<double> volumes = cell_volumes(mesh), expected = cell_volumes(same);
    std::map<CellKind, std::vector<double>> by_kind, expected_by_kind;
    for (Index cell = 0; cell < mesh.cell_count(); ++cell) {
      by_kind[mesh.kind_of(cell)].push_back(volumes[static_cast<std::size_t>(cell)]);
      expected_by_kind[same.kind_of(cell)].push_back(expected[static_cast<std::size_t>(cell)]);
    }
    for (const auto& [kind, list] : by_kind)
      for (std::size_t i = 0; i < list.size(); ++i)
        EXPECT_NEAR(list[i], expected_by_kind[kind][i], 2e-6 * list[i]) << name << i;
  }
}

// MFEM made the files: a box under a map of degree 2, at orders from 3, with vertices and elements numbered at random.
// A node in a wrong place would show as a difference between the maps, and change the volume.
TEST(Mfem, CellsOfHigherOrderWithoutAMapOfTheirOwnAreOfOrderTwo) {
  struct File {
    std::string name;
    CellKind kind;
    Index cells, nodes, sides;
    double measure;
  };
  constexpr double volume = 0.96223958333333333, plane = 0.96875;  // integrals of the Jacobian, as MFEM has them
  for (const File& file : {File{"hex-p3", hex27, 2, 45, 10, volume},
                           {"hex-cubic", hex27, 2, 45, 10, volume},
                           {"tet-p4", tet10, 6, 27, 12, volume},
                           {"tet-cubic", tet10, 6, 27, 12, volume},
                           {"wedge-p3", prism18, 2, 27, 8, volume},
                           {"wedge-cubic", prism18, 2, 27, 8, volume},
                           {"quad-p4", quad9, 4, 25, 8, plane},
                           {"tri-p5", tri6, 2, 9, 4, plane}}) {
    SCOPED_TRACE(file.name);
    std::vector<std::string> notices;
    const Mesh mesh = read_mesh(data_file("mfem/bent-" + file.name + ".mesh"),
                                {.checks = {.allow_orphan_nodes = false}, .notices = &notices});
    ASSERT_EQ(mesh.blocks().size(), 1u);
    EXPECT_EQ(mesh.blocks()[0].kind, file.kind);
    EXPECT_EQ(mesh.cell_count(), file.cells);
    EXPECT_EQ(mesh.node_count(), file.nodes);
    EXPECT_EQ(std::ssize(boundary_facets(mesh)), file.sides);
    EXPECT_NEAR(total_volume(mesh), file.measure, 1e-13);
    ASSERT_THAT(notices, Contains(HasSubstr("are of order 2 in their shape")));
    EXPECT_LT(std::stod(notices[0].substr(notices[0].find("at most ") + 8)), 1e-13);
  }
}

// One quadrilateral of order 3 whose nodes on one side go far in and out again.
TEST(Mfem, CellsOfHigherOrderAreJudgedByTheirOwnMap) {
  std::string text =
      "MFEM mesh v1.0\n\ndimension\n2\n\nelements\n1\n1 3 0 1 2 "
      "3\n\nboundary\n0\n\nvertices\n4\n\nnodes\nFiniteElementSpace\nFiniteElementCollection: "
      "Cubic\nVDim: 2\nOrdering: 1\n\n";
  for (const auto& [x, y] : {std::pair{0.0, 0.0},
                             {3.0, 0.0},
                             {3.0, 3.0},
                             {0.0, 3.0},
                             {1.0, 2.2},
                             {2.0, 2.2},
                             {3.0, 1.0},
                             {3.0, 2.0},
                             {1.0, 3.0},
                             {2.0, 3.0},
                             {0.0, 1.0},
                             {0.0, 2.0},
                             {1.0, 1.0},
                             {2.0, 1.0},
                             {1.0, 2.0},
                             {2.0, 2.0}})
    text += fmt::format("{} {}\n", x, y);
  EXPECT_THAT(message_for("a.mesh", text), AllOf(HasSubstr("quad9"), HasSubstr("folded")));
}

TEST(Mfem, BoundaryAttributesBecomeFacets) {
  const Mesh mesh = read_mesh(data_file("mfem/fichera-mixed-p2.mesh"));
  Index facets = 0;
  for (const Region& region : mesh.regions())
    if (region.kind == RegionKind::facets) facets += region.size();
  EXPECT_EQ(facets, std::ssize(boundary_facets(mesh)));
  EXPECT_EQ(read_mesh(data_file("mfem/tinyzoo-3d.mesh")).blocks().size(), 4u);
}

const std::string mfem_square =
    "MFEM mesh v1.3\n\n# comment\ndimension\n2\n\nelements\n1\n4 3 0 1 2 3\n\nattribute_sets\n1\n\"all of it\" 1 "
    "4\n\nboundary\n1\n6 1 0 1\n\n"
    "bdr_attribute_sets\n1\n\"south\" 2 6 7\n\nvertices\n4\n2\n0 0\n1 0\n1 1\n0 1\nmfem_mesh_end\n";

TEST(Mfem, AttributeSetsGiveNames) {
  const Mesh mesh = read_text("a.mesh", mfem_square);
  EXPECT_EQ(mesh.region("all of it").size(), 1);
  EXPECT_NEAR(area(mesh, mesh.region("south")), 1, 1e-15);
  EXPECT_EQ(mesh.region("surface_4").size(), 1);
}

TEST(Mfem, WhatIsNoConformingMeshOfOrderTwoIsRefused) {
  EXPECT_THAT(message_for("a.mesh", "MFEM NC mesh v1.0\n"), HasSubstr("hanging nodes"));
  EXPECT_THAT(message_for("a.mesh", "MFEM INLINE mesh v1.0\n"), HasSubstr("holds none"));
  const std::string nodes = replaced(contents_of(data_file("mfem/escher-p2.mesh")),
                                     "FiniteElementCollection: ", "FiniteElementCollection: L2_");
  EXPECT_THAT(message_for("a.mesh", nodes), HasSubstr("periodic or torn"));
  const std::string cubic = contents_of(data_file("mfem/bent-tet-cubic.mesh"));
  EXPECT_THAT(message_for("a.mesh", replaced(cubic, "Cubic", "H1Pos_3D_P3")),
              HasSubstr("'H1Pos_3D_P3' are not supported"));
  EXPECT_THAT(message_for("a.mesh", replaced(cubic, "Cubic", "H1_3D_P5")), HasSubstr("the file ends"));
  EXPECT_THAT(message_for("a.mesh", replaced(mfem_square, "4 3 0 1 2 3", "4 3 0 1 2 9")), HasSubstr("vertex 9"));
  EXPECT_THAT(message_for("a.mesh", replaced(mfem_square, "4 3 0 1 2 3", "4 9 0 1 2 3")), HasSubstr("type 9"));
  EXPECT_THAT(message_for("a.mesh", replaced(mfem_square, "elements\n1\n", "elements\n1000000000\n")),
              HasSubstr("1000000000"));
}

// --- VTK
// ----------------------------------------------------------------------------------------------------------------

TEST(ParallelVtu, PointsBetweenThePiecesAreJoined) {
  const Folder folder;
  const auto piece = [&](double x, const std::string& name) {
    MeshData data = rectangle_data(1, 1, {1, 1}, quad4);
    for (std::size_t i = 0; i < data.points.size(); i += 3) data.points[i] += x;
    write_vtu(folder.file(name), Mesh(std::move(data)), {});
  };
  piece(0, "p0.vtu");
  piece(1, "p1.vtu");
  std::vector<std::string> notices;
  const Mesh mesh = read_mesh(
      folder.put(
          "all.pvtu",
          "<?xml version=\"1.0\"?>\n<VTKFile type=\"PUnstructuredGrid\" version=\"1.0\" byte_order=\"LittleEndian\" "
          "header_type=\"UInt64\">\n"
          "<PUnstructuredGrid GhostLevel=\"0\"><PCellData><PDataArray type=\"Int32\" Name=\"region\"/></PCellData>"
          "<PPoints><PDataArray type=\"Float64\" NumberOfComponents=\"3\"/></PPoints>\n"
          "<Piece Source=\"p0.vtu\"/><Piece Source=\"p1.vtu\"/></PUnstructuredGrid></VTKFile>\n"),
      {.notices = &notices});
  EXPECT_EQ(mesh.cell_count(), 2);
  EXPECT_EQ(boundary_facets(mesh).size(), 6u);
  EXPECT_THAT(notices, Contains(HasSubstr("2 points")));
  EXPECT_EQ(mesh.node_count(), 6) << "no points are left that no cell uses";
}

TEST(LegacyVtk, OtherDataSetsAndAbsurdCountsAreErrors) {
  const std::string head = "# vtk DataFile Version 3.0\nx\nASCII\n";
  EXPECT_THAT(message_for("a.vtk", head + "DATASET POLYDATA\nPOINTS 0 float\n"), HasSubstr("another type"));
  EXPECT_THAT(message_for("a.vtk", head + "DATASET UNSTRUCTURED_GRID\nPOINTS 3000000000 float\n0 0 0\n"),
              HasSubstr("3000000000"));
}

// --- damage
// -------------------------------------------------------------------------------------------------------------

// None of these formats has a check sum, so a cut or damaged file may still be a mesh; it may not crash, hang, take
// memory without limit or throw anything but Exit::mesh.
void expect_survival(const std::string& text, const std::string& path) {
  test::overwrite(path, text);
  try {
    read_mesh(path);
  } catch (const Error& error) { ASSERT_EQ(error.exit(), Exit::mesh) << error.what(); }
}

TEST(OtherReaders, CutAndDamagedFilesNeverCrash) {
  const Folder folder;
  std::mt19937 random(1);
  const std::vector<std::pair<std::string, std::string>> files = {
      {"a.bdf", "CORD2C,11,,0.,0.,1.,1.,0.,1.,+\n+,0.,1.,1.\n" + replaced(tetrahedron, "GRID,2,,", "GRID,2,11,") +
                    nastran_file(nastran_cells()[3], Fields::large)},
      {"a.mesh", medit_tetrahedron()},
      {"b.mesh", mfem_square},
      {"c.mesh", contents_of(data_file("mfem/star-mixed-p2.mesh"))},
      {"d.mesh", contents_of(data_file("mfem/bent-tet-cubic.mesh"))},
      {"e.mesh", contents_of(data_file("mfem/bent-quad-p4.mesh"))},
      {"a.meshb", contents_of(data_file("meshb/mixed1.meshb"))}};
  for (const auto& [name, whole] : files) {
    const std::string path = folder.file(name);
    for (std::size_t length = 1; length < std::min<std::size_t>(whole.size(), 1500); length += 2)
      expect_survival(whole.substr(0, length), path);
    for (int round = 0; round < 1000; ++round) {
      std::string damaged = whole;
      for (int i = 0; i <= round % 3; ++i) {
        const std::size_t at = random() % std::min<std::size_t>(damaged.size(), 3000);
        if (round % 5 == 0) damaged.erase(at, random() % 20);
        else if (round % 5 == 1) damaged.insert(at, damaged.substr(random() % damaged.size(), random() % 40));
        else damaged[at] = round % 2 ? static_cast<char>(random()) : "0123456789,*\n=. -"[random() % 17];
      }
      if (!damaged.empty()) expect_survival(damaged, path);
    }
  }
}

TEST(OtherReaders, WindowsLineEndsAndGermanLocalesAreAccepted) {
  const bool set = std::setlocale(LC_ALL, "de_DE.UTF-8") != nullptr;
  for (const auto& [name, text] :
       {std::pair<std::string, std::string>{"a.bdf", replaced(tetrahedron, "GRID,2,,1.", "GRID,2,,1.5")},
        {"a.mesh", replaced(medit_tetrahedron(), "1 0 0 8", "1.5 0 0 8")}}) {
    std::string windows = "\xEF\xBB\xBF";
    for (const char c : text) windows += c == '\n' ? std::string("\r\n") : std::string(1, c);
    EXPECT_NEAR(total_volume(read_text(name, windows)), 0.25, 1e-15)
        << name << (set ? " with" : " without") << " a German locale";
  }
  std::setlocale(LC_ALL, "C");
}

}  // namespace
}  // namespace ritz::other_readers_test
