// I-DEAS universal files.
#include "io/meshes/mesh_reader.hpp"
#include "tests/io/files.hpp"
#include "tests/io/meshes/one_cell.hpp"

#include <fmt/format.h>

namespace ritz::universal_test {
namespace {

using test::error_of;
using test::Folder;
using test::replaced;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using enum CellKind;

Mesh read_text(const std::string& text, std::vector<std::string>* notices = nullptr, bool structural = false) {
  const Folder folder;
  return read_mesh(folder.put("a.unv", text), {.structural = structural, .notices = notices});
}
std::string message_for(const std::string& text) {
  return error_of([&] { read_text(text); }, Exit::mesh);
}

std::string real(double x) {
  std::string text = fmt::format("{:25.16E}", x);
  text[text.find('E')] = 'D';
  return text;
}

std::string nodes(const std::vector<Point>& points) {
  std::string text = "    -1\n  2411\n";
  for (std::size_t i = 0; i < points.size(); ++i)
    text += fmt::format("{:10}{:10}{:10}{:10}\n{}{}{}\n", i + 1, 1, 1, 11, real(points[i][0]), real(points[i][1]),
                        real(points[i][2]));
  return text + "    -1\n";
}

struct Element {
  int label, descriptor;
  std::vector<int> nodes;
  int property = 0;
};

std::string elements(const std::vector<Element>& list) {
  std::string text = "    -1\n  2412\n";
  for (const Element& each : list) {
    text += fmt::format("{:10}{:10}{:10}{:10}{:10}{:10}\n", each.label, each.descriptor, each.property, 0, 7,
                        each.nodes.size());
    if (each.descriptor < 30) text += "         0         0         0\n";
    for (std::size_t i = 0; i < each.nodes.size(); ++i)
      text += fmt::format("{:10}{}", each.nodes[i], i % 8 == 7 || i + 1 == each.nodes.size() ? "\n" : "");
  }
  return text + "    -1\n";
}

std::vector<int> count_to(std::size_t n) {
  std::vector<int> numbers(n);
  for (std::size_t i = 0; i < n; ++i) numbers[i] = static_cast<int>(i) + 1;
  return numbers;
}

// Cells as the manual draws them: corners, and nodes between two corners, in the order of the file.
struct Drawn {
  CellKind kind;
  int descriptor;
  std::vector<std::vector<int>> nodes;
};

std::vector<Drawn> drawn_cells() {
  return {{tet4, 111, {{1}, {2}, {3}, {4}}},
          {tet10, 118, {{1}, {1, 2}, {2}, {2, 3}, {3}, {3, 1}, {1, 4}, {2, 4}, {3, 4}, {4}}},
          {prism6, 112, {{1}, {2}, {3}, {4}, {5}, {6}}},
          {prism15,
           113,
           {{1}, {1, 2}, {2}, {2, 3}, {3}, {3, 1}, {1, 4}, {2, 5}, {3, 6}, {4}, {4, 5}, {5}, {5, 6}, {6}, {6, 4}}},
          {hex8, 115, {{1}, {2}, {3}, {4}, {5}, {6}, {7}, {8}}},
          {hex20, 116, {{1},    {1, 2}, {2}, {2, 3}, {3}, {3, 4}, {4}, {4, 1}, {1, 5}, {2, 6},
                        {3, 7}, {4, 8}, {5}, {5, 6}, {6}, {6, 7}, {7}, {7, 8}, {8},    {8, 5}}},
          {pyramid5, 312, {{1}, {2}, {3}, {4}, {5}}},
          {pyramid13, 313, {{1}, {1, 2}, {2}, {2, 3}, {3}, {3, 4}, {4}, {4, 1}, {1, 5}, {2, 5}, {3, 5}, {4, 5}, {5}}},
          {tri3, 91, {{1}, {2}, {3}}},
          {tri6, 42, {{1}, {1, 2}, {2}, {2, 3}, {3}, {3, 1}}},
          {quad4, 44, {{1}, {2}, {3}, {4}}},
          {quad8, 95, {{1}, {1, 2}, {2}, {2, 3}, {3}, {3, 4}, {4}, {4, 1}}}};
}

TEST(Universal, NodesOfEveryCellAreWhereTheManualDrawsThem) {
  for (const Drawn& cell : drawn_cells()) {
    const auto reference = reference_nodes(cell.kind);
    std::vector<Point> points;
    for (const std::vector<int>& between : cell.nodes) {
      Point mean{};
      for (const int corner : between)
        for (std::size_t k = 0; k < 3; ++k)
          mean[k] += reference[static_cast<std::size_t>(corner - 1)][k] / static_cast<double>(between.size());
      points.push_back(traits(cell.kind).dimension == 3 ? test::bent(mean) : test::bent_in_plane(mean));
    }
    SCOPED_TRACE(cell.descriptor);
    test::expect_bent_cell(read_text(nodes(points) + elements({{7, cell.descriptor, count_to(points.size())}})),
                           cell.kind);
  }
}

const std::vector<Point> two_tetrahedra{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 1, 1}};

std::string with_groups() {
  return nodes(two_tetrahedra) +
         elements({{11, 111, {1, 2, 3, 4}, 3}, {12, 111, {2, 3, 4, 5}, 4}, {20, 91, {1, 2, 3}, 5}, {30, 137, {1, 5}}}) +
         "    -1\n  2467\n"
         "         1         0         0         0         0         0         0         2\nupper part\n"
         "         8        12         0         0         8        30         0         0\n"
         "         2         0         0         0         0         0         0         1\nfloor\n"
         "         8        20         0         0\n"
         "         3         0         0         0         0         0         0         2\ntips\n"
         "         7         4         0         0         7         5         0         0\n    -1\n";
}

TEST(Universal, GroupsAreRegionsOfCellsFacetsAndNodes) {
  std::vector<std::string> notices;
  const Mesh mesh = read_text(with_groups(), &notices);
  EXPECT_EQ(mesh.cell_count(), 2);
  EXPECT_EQ(mesh.region("upper part").cells.size(), 1u);
  EXPECT_EQ(mesh.region("floor").facets.size(), 1u);
  EXPECT_EQ(mesh.region("tips").nodes.size(), 2u);
  EXPECT_THAT(notices, Contains(HasSubstr("1 springs, rigid elements or lumped masses (descriptors 137)")));
}

TEST(Universal, PhysicalPropertiesAreRegionsWithoutGroups) {
  const Mesh mesh =
      read_text(nodes(two_tetrahedra) + elements({{11, 111, {1, 2, 3, 4}, 3}, {12, 111, {2, 3, 4, 5}, 4}}));
  EXPECT_EQ(mesh.region("volume_3").cells.size(), 1u);
  EXPECT_EQ(mesh.region("volume_4").cells.size(), 1u);
}

TEST(Universal, BeamsAndShellsAreBodiesOfAStructure) {
  const Mesh mesh = read_text(nodes({{0, 0, 0}, {1, 0, 0}, {2, 0, 0}, {2, 1, 0}}) +
                                  elements({{1, 21, {1, 2}}, {2, 91, {2, 3, 4}}, {3, 11, {1, 4}}}),
                              nullptr, true);
  EXPECT_EQ(mesh.cell_count(), 3);
}

TEST(Universal, OlderNodesAndNumbersWithGapsAreRead) {
  const std::string old =
      "    -1\n    15\n        10         0         0         0  0.00000E+00  0.00000E+00  0.00000E+00\n"
      "  99999999         0         0         0  1.00000E+00  0.00000E+00  0.00000E+00\n"
      "        12         0         0         0  0.00000E+00  1.00000E+00  0.00000E+00\n"
      "        13         0         0         0  0.00000E+00  0.00000E+00  1.00000E+00\n    -1\n";
  const Mesh mesh = read_text(old + elements({{4, 111, {10, 99999999, 12, 13}}}));
  for (int node = 0; node < 4; ++node)
    for (std::size_t k = 0; k < 3; ++k)
      EXPECT_EQ(mesh.point(mesh.nodes_of(0)[static_cast<std::size_t>(node)])[k], int(k) + 1 == node);
}

TEST(Universal, UnitOfLengthIsANotice) {
  const std::string units = "    -1\n   164\n         5mm (milli-newton)         2\n" + real(1000) + real(1000) +
                            real(1) + "\n" + real(273.15) + "\n    -1\n";
  std::vector<std::string> notices;
  read_text(units + with_groups(), &notices);
  EXPECT_THAT(notices, Contains(AllOf(HasSubstr("lengths are in mm"), HasSubstr("scale = 0.001"))));
}

TEST(Universal, OtherDatasetsAreNamedAndPassedOver) {
  std::vector<std::string> notices;
  read_text("    -1\n   151\nmodel file\nany text\n    -1\n" + with_groups(), &notices);
  EXPECT_THAT(notices, Contains(AllOf(HasSubstr("ignored"), HasSubstr("151"))));
}

TEST(Universal, WhatWouldLeaveAHoleOrIsDamagedIsAnErrorWithItsLine) {
  const std::string good = with_groups();
  EXPECT_THAT(message_for(replaced(good, "       111", "       114")),
              AllOf(HasSubstr("descriptor 114 and 4 nodes"), HasSubstr("line")));
  EXPECT_THAT(message_for(replaced(good, "  2412\n", "   780\n")), HasSubstr("older dataset 780"));
  EXPECT_THAT(message_for(good.substr(0, good.find("upper part"))), HasSubstr("cut short"));
  EXPECT_THAT(message_for(good.substr(0, good.find("  2467"))), HasSubstr("cut short"));
  EXPECT_THAT(message_for(replaced(good, "         8        12         0         0",
                                   "         8        77         0         0")),
              AllOf(HasSubstr("'upper part' has element 77"), HasSubstr("line")));
}

}  // namespace
}  // namespace ritz::universal_test
