// Exodus II, MED and CGNS: files that netCDF4, libmed and libcgns wrote (tests/data/foreign/make.py).
#include "io/meshes/mesh_reader.hpp"
#include "mesh/generators.hpp"
#include "mesh/quality/quality.hpp"
#include "tests/io/files.hpp"
#include "tests/io/meshes/one_cell.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <numbers>
#include <set>

#include <fmt/format.h>

namespace ritz {
namespace {

using test::contents_of;
using test::data_file;
using test::error_of;
using test::Folder;
using test::overwrite;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::UnorderedElementsAre;
using enum CellKind;

Mesh read_foreign(const std::string& name, std::vector<std::string>* notices = nullptr, bool structural = false) {
  return read_mesh(data_file("foreign/" + name), {.structural = structural, .notices = notices});
}

// In the order of KINDS of make.py.
const std::vector<CellKind> kinds{tet4,     tet10,     hex8,      hex20, hex27, prism6, prism15, prism18,
                                  pyramid5, pyramid13, pyramid14, tri3,  tri6,  quad4,  quad8,   quad9};

class ForeignCells : public ::testing::TestWithParam<std::string> {};

TEST_P(ForeignCells, NodesOfEveryKindAreWhereTheManualPutsThem) {
  const std::string file = GetParam();
  const bool flat = file.find('2') == 5;
  std::vector<std::string> notices;
  const Mesh mesh = read_foreign(file, &notices);
  Index found = 0;
  for (std::size_t k = 0; k < kinds.size(); ++k) {
    const CellTraits& t = traits(kinds[k]);
    if (flat != (t.dimension == 2) || (file.ends_with("med") && kinds[k] == pyramid14)) continue;
    const Region& region = mesh.region(t.name);
    ASSERT_EQ(region.size(), 1) << t.name;
    const Index cell = region.cells[0];
    ASSERT_EQ(mesh.kind_of(cell), kinds[k]);
    const auto reference = reference_nodes(kinds[k]);
    for (std::size_t i = 0; i < reference.size(); ++i) {
      Point expected = flat ? test::bent_in_plane(reference[i]) : test::bent(reference[i]);
      expected[0] += 10 * static_cast<double>(k);
      const auto x = mesh.point(mesh.nodes_of(cell)[i]);
      for (std::size_t axis = 0; axis < 3; ++axis)
        EXPECT_NEAR(x[axis], expected[axis], 1e-12) << t.name << " node " << i;
    }
    ++found;
  }
  EXPECT_EQ(found, mesh.cell_count());
  for (const std::string& notice : notices) EXPECT_THAT(notice, ::testing::Not(HasSubstr("inside out")));
  EXPECT_THAT(mesh.notices(), ::testing::Not(Contains(HasSubstr("inside out"))));
}

INSTANTIATE_TEST_SUITE_P(, ForeignCells,
                         ::testing::Values("cells3.exo", "cells3_netcdf4.exo", "cells2.exo", "cells3.med", "cells2.med",
                                           "cells3.cgns", "cells2.cgns"),
                         [](const auto& info) {
                           std::string name = info.param;
                           std::replace(name.begin(), name.end(), '.', '_');
                           return name;
                         });

// The manual's figure of the sides (SAND92-2137, "Side set node numbering").
TEST(Exodus, SidesAreThoseOfTheManual) {
  const std::vector<std::vector<int>> hexahedron = {{1, 2, 6, 5}, {2, 3, 7, 6}, {3, 4, 8, 7},
                                                    {1, 5, 8, 4}, {1, 4, 3, 2}, {5, 6, 7, 8}},
                                      tetrahedron = {{1, 2, 4}, {2, 3, 4}, {1, 4, 3}, {1, 3, 2}},
                                      wedge = {{1, 2, 5, 4}, {2, 3, 6, 5}, {1, 4, 6, 3}, {1, 3, 2}, {4, 5, 6}},
                                      pyramid = {{1, 2, 5}, {2, 3, 5}, {3, 4, 5}, {1, 5, 4}, {1, 4, 3, 2}},
                                      triangle = {{1, 2}, {2, 3}, {3, 1}},
                                      quadrilateral = {{1, 2}, {2, 3}, {3, 4}, {4, 1}};
  for (const char* file : {"cells3.exo", "cells2.exo", "cells3_netcdf4.exo"}) {
    const Mesh mesh = read_foreign(file);
    for (const CellKind kind : kinds) {
      if (!mesh.has_region(traits(kind).name)) continue;
      const CellKind linear = traits(kind).linear;
      const auto& sides = linear == hex8       ? hexahedron
                          : linear == tet4     ? tetrahedron
                          : linear == prism6   ? wedge
                          : linear == pyramid5 ? pyramid
                          : linear == tri3     ? triangle
                                               : quadrilateral;
      const Index cell = mesh.region(traits(kind).name).cells[0];
      for (std::size_t side = 0; side < sides.size(); ++side) {
        const Region& region = mesh.region(fmt::format("{}_{}", traits(kind).name, side + 1));
        ASSERT_EQ(region.facets.size(), 1u);
        EXPECT_EQ(region.facets[0].cell, cell);
        std::set<Node> expected, found;
        for (const int corner : sides[side]) expected.insert(mesh.nodes_of(cell)[static_cast<std::size_t>(corner - 1)]);
        const auto nodes = mesh.nodes_of(region.facets[0]);
        found.insert(nodes.begin(), nodes.begin() + std::ssize(sides[side]));
        EXPECT_EQ(found, expected) << region.name;
      }
    }
  }
}

std::vector<Node> nodes_at(const Mesh& mesh, double x) {
  std::vector<Node> nodes;
  for (Node node = 0; node < mesh.node_count(); ++node)
    if (mesh.point(node)[0] == x) nodes.push_back(node);
  return nodes;
}

TEST(Exodus, BlocksAndSetsBecomeRegionsNamedOrNumbered) {
  std::vector<std::string> notices;
  const Mesh mesh = read_foreign("bar.exo", &notices);
  EXPECT_EQ(mesh.cell_count(), 2);
  EXPECT_DOUBLE_EQ(total_volume(mesh), 2);
  EXPECT_THAT(mesh.region("left").cells, ElementsAre(0));
  EXPECT_THAT(mesh.region("block_11").cells, ElementsAre(1)) << "a block without a name";
  EXPECT_EQ(nodes_in(mesh, mesh.region("clamp")), nodes_at(mesh, 0));
  EXPECT_EQ(nodes_in(mesh, mesh.region("sideset_7")), nodes_at(mesh, 2));
  EXPECT_EQ(mesh.region("sideset_7").kind, RegionKind::facets);
  EXPECT_EQ(mesh.region("both faces").kind, RegionKind::facets)
      << "both faces of a shell on the solid are the facet under it";
  EXPECT_EQ(mesh.region("skin").facets.size(), 1u);
  EXPECT_EQ(mesh.region("tip").nodes, nodes_at(mesh, 2));
  EXPECT_THAT(mesh.region("nodeset_5").nodes, ElementsAre(0));
  EXPECT_THAT(mesh.region("whole").cells, ElementsAre(0, 1));
  EXPECT_THAT(notices, Contains(HasSubstr("1 elements of")));
}

TEST(Exodus, AShellIsACellOfAStructuralMesh) {
  const Mesh mesh = read_foreign("bar.exo", nullptr, true);
  EXPECT_EQ(mesh.cell_count(), 3);
  EXPECT_EQ(mesh.kind_of(mesh.region("skin").cells[0]), quad4);
}

TEST(Med, GroupsOfElementsAndNodesBecomeRegions) {
  const Mesh mesh = read_foreign("bar.med");
  EXPECT_DOUBLE_EQ(total_volume(mesh), 2);
  EXPECT_THAT(mesh.region("left").cells, ElementsAre(0));
  EXPECT_THAT(mesh.region("right side of the bar").cells, ElementsAre(1));
  EXPECT_THAT(mesh.region("whole").cells, ElementsAre(0, 1)) << "a group of several families";
  EXPECT_EQ(mesh.region("clamp").kind, RegionKind::facets);
  EXPECT_EQ(nodes_in(mesh, mesh.region("clamp")), nodes_at(mesh, 0));
  EXPECT_EQ(mesh.region("tip").nodes, nodes_at(mesh, 2));
}

TEST(Med, CoordinatesThatAreNotCartesianAreRefused) {
  EXPECT_THAT(error_of([] { read_foreign("cylindrical.med"); }, Exit::mesh), HasSubstr("has cylindrical coordinates"));
}

TEST(Foreign, AUnitOfLengthOtherThanTheMetreIsTold) {
  for (const char* file : {"millimetres.med", "millimetres.cgns"}) {
    std::vector<std::string> notices;
    EXPECT_DOUBLE_EQ(total_volume(read_foreign(file, &notices)), 2);
    EXPECT_THAT(notices, Contains(HasSubstr("[mesh] scale = 0.001 makes them metres"))) << file;
  }
}

TEST(Cgns, SectionsConditionsAndFamiliesBecomeRegions) {
  std::vector<std::string> notices;
  const Mesh mesh = read_foreign("bar.cgns", &notices);
  EXPECT_DOUBLE_EQ(total_volume(mesh), 2);
  EXPECT_THAT(mesh.region("left").cells, ElementsAre(0));
  EXPECT_THAT(mesh.region("right").cells, ElementsAre(1)) << "of a mixed section";
  for (const char* name : {"clamp_faces", "clamp"}) {
    EXPECT_EQ(mesh.region(name).kind, RegionKind::facets);
    EXPECT_EQ(nodes_in(mesh, mesh.region(name)), nodes_at(mesh, 0));
  }
  for (const char* name : {"tip", "ends"}) EXPECT_EQ(mesh.region(name).nodes, nodes_at(mesh, 2));
  EXPECT_THAT(notices, Contains(HasSubstr("1 point elements")));
}

TEST(Cgns, PhysicalGroupsOfGmshAreFamiliesOfFamilies) {
  const Mesh mesh = read_foreign("gmsh_groups.cgns");
  EXPECT_THAT(mesh.region("left").cells, ElementsAre(0));
  EXPECT_THAT(mesh.region("right").cells, ElementsAre(1));
  EXPECT_THAT(mesh.region("whole").cells, ElementsAre(0, 1));
  EXPECT_EQ(nodes_in(mesh, mesh.region("clamp")), nodes_at(mesh, 0));
}

TEST(Cgns, ZonesAreJoinedWhereTheirPointsCoincide) {
  std::vector<std::string> notices;
  const Mesh mesh = read_foreign("two_zones.cgns", &notices);
  EXPECT_THAT(notices, Contains(HasSubstr("4 points of zones")));
  EXPECT_EQ(mesh.node_count(), 12) << "no points are left that no cell uses";
  EXPECT_DOUBLE_EQ(total_volume(mesh), 2);
  std::vector<Index> components;
  EXPECT_EQ(connected_components(mesh, components), 1);
  EXPECT_THAT(mesh.region("near").cells, ElementsAre(0));
  EXPECT_THAT(mesh.region("far").cells, ElementsAre(1));
  EXPECT_EQ(mesh.region("cells").size(), 2);
  EXPECT_EQ(mesh.region("clamp").nodes, nodes_at(mesh, 0));
  EXPECT_EQ(mesh.region("tip").nodes, nodes_at(mesh, 2));
}

TEST(Cgns, StructuredZonesAreHexahedraAndTheirRangesFacetsCellsAndNodes) {
  std::vector<std::string> notices;
  // 3 x 2 x 1 cells beside 1 x 2 x 1, with the opposite hand
  const Mesh mesh = read_foreign("structured.cgns", &notices);
  EXPECT_EQ(mesh.cell_count(), 8);
  EXPECT_DOUBLE_EQ(total_volume(mesh), 8);
  EXPECT_THAT(notices, Contains(HasSubstr("6 points of zones")));
  EXPECT_EQ(mesh.region("block").size(), 6);
  EXPECT_EQ(mesh.region("end").size(), 2);
  for (const char* name : {"clamp", "clamp by faces", "i faces", "supports"}) {
    EXPECT_EQ(mesh.region(name).kind, RegionKind::facets) << name;
    EXPECT_EQ(nodes_in(mesh, mesh.region(name)), nodes_at(mesh, 0)) << name;
  }
  EXPECT_EQ(mesh.region("one face").size(), 1);
  EXPECT_EQ(mesh.region("heated").kind, RegionKind::cells);
  EXPECT_THAT(mesh.region("heated").cells, ElementsAre(1, 4));
  EXPECT_EQ(mesh.region("edge").nodes.size(), 3u);
  EXPECT_EQ(mesh.region("tip").nodes, nodes_at(mesh, 4));
}

TEST(Cgns, APlaneStructuredZoneIsQuadrilateralsAndARingCloses) {
  std::vector<std::string> notices;
  const Mesh mesh = read_foreign("structured_ring.cgns", &notices);  // 12 cells around, 2 outwards
  EXPECT_EQ(mesh.cell_count(), 24);
  EXPECT_EQ(nodes_in(mesh, mesh.region("ring")).size(), 12u * 3);
  EXPECT_THAT(notices, Contains(HasSubstr("3 points of zones")));
  EXPECT_EQ(mesh.region("inside").size(), 12);
  EXPECT_NEAR(total_volume(mesh), 12 * 0.5 * std::sin(std::numbers::pi / 6) * (4 - 1), 1e-12);
}

// A tetrahedron in netCDF's classic format (NetCDF User's Guide, appendix B), its points in one variable [axis][node],
// as Exodus II wrote them until version 4.
std::string older_exodus() {
  const auto number = [](auto value) {
    std::string bytes(sizeof value, '\0');
    std::memcpy(bytes.data(), &value, sizeof value);
    std::ranges::reverse(bytes);
    return bytes;
  };
  const auto n = [&](std::size_t value) { return number(static_cast<std::uint32_t>(value)); };
  const auto text = [&](const std::string& s) { return n(s.size()) + s + std::string((4 - s.size() % 4) % 4, '\0'); };
  const auto header = [&](std::size_t size) {
    std::string h = "CDF\1" + n(0) + n(10) + n(6);
    for (const auto& [name, length] : {std::pair{"num_dim", 3},
                                       {"num_nodes", 4},
                                       {"num_elem", 1},
                                       {"num_el_blk", 1},
                                       {"num_el_in_blk1", 1},
                                       {"num_nod_per_el1", 4}})
      h += text(name) + n(static_cast<std::size_t>(length));
    h += n(0) + n(0) + n(11) + n(2);
    h += text("coord") + n(2) + n(0) + n(1) + n(0) + n(0) + n(6) + n(96) + n(size);
    return h + text("connect1") + n(2) + n(4) + n(5) + n(12) + n(1) + text("elem_type") + n(2) + text("TETRA") + n(4) +
           n(16) + n(size + 96);
  };
  std::string file = header(header(0).size());
  for (const double x : {0, 1, 0, 0, /* y */ 0, 0, 2, 0, /* z */ 0, 0, 0, 3}) file += number(x);
  for (const std::size_t node : {1, 2, 3, 4}) file += n(node);
  return file;
}

TEST(Exodus, PointsMayStandInOneVariable) {
  const Folder folder;
  const Mesh mesh = read_mesh(folder.put("a.exo", older_exodus()));
  ASSERT_EQ(mesh.node_count(), 4);
  EXPECT_NEAR(total_volume(mesh), 1.0 * 2 * 3 / 6, 1e-15);
}

// A damaged file is either an error that names it, or, where a number changed that means something, another mesh. It is
// never a crash or an error without words.
void expect_words_or_a_mesh(const std::string& path) {
  try {
    read_mesh_data(path);
  } catch (const Error& error) {
    EXPECT_EQ(static_cast<int>(error.exit()), static_cast<int>(Exit::mesh)) << error.what();
    EXPECT_THAT(error.what(), HasSubstr("a.exo"));
  }
}

TEST(Exodus, AClassicFileCutAnywhereOrChangedAnywhereInItsHeaderIsNoCrash) {
  const Folder folder;
  const std::string whole = contents_of(data_file("foreign/bar.exo")), path = folder.file("a.exo");
  for (std::size_t size = 0; size < whole.size(); size += size < 64 ? 1 : 7) {
    overwrite(path, whole.substr(0, size));
    if (size + 200 < whole.size())
      EXPECT_THAT(error_of([&] { read_mesh(path); }, Exit::mesh), HasSubstr("a.exo")) << size;
    else expect_words_or_a_mesh(path);
  }
  const std::size_t header = whole.size() - 200;  // and more than that
  for (std::size_t at = 4; at < header; ++at) {
    std::string changed = whole;
    changed[at] = "\xff\x7f\x80"[at % 3];
    overwrite(path, changed);
    expect_words_or_a_mesh(path);
  }
}

TEST(Foreign, Hdf5FilesCutShortAreErrors) {
  const Folder folder;
  for (const char* name : {"bar.med", "bar.cgns", "cells3_netcdf4.exo"}) {
    const std::string whole = contents_of(data_file(std::string("foreign/") + name)), path = folder.file(name);
    for (std::size_t size = 0; size < whole.size(); size += whole.size() / 61) {
      overwrite(path, whole.substr(0, size));
      EXPECT_THAT(error_of([&] { read_mesh(path); }, Exit::mesh), HasSubstr(name)) << size;
    }
  }
}

// Gmsh 4.15 wrote the files: a hexahedron, a pyramid and a tetrahedron with straight edges, whose maps are of order 1.
TEST(Cgns, CellsOfOrderThreeAndFourAreRead) {
  for (const char* name : {"shapes3.cgns", "shapes4.cgns"}) {
    std::vector<std::string> notices;
    const Mesh mesh = read_mesh(data_file(std::string("foreign/") + name),
                                {.checks = {.allow_orphan_nodes = false}, .notices = &notices});
    ASSERT_EQ(mesh.cell_count(), 3);
    EXPECT_EQ(mesh.node_count(), 27 + 5 + 4);
    EXPECT_NEAR(total_volume(mesh), 1 + 1.0 / 4 + 7.0 / 48, 1e-13);
    EXPECT_THAT(notices, Contains(HasSubstr("are of order 2 in their shape")));
    for (const std::string& notice : notices)
      if (const std::size_t at = notice.find("at most "); at != std::string::npos) {
        EXPECT_LT(std::stod(notice.substr(at + 8)), 1e-14) << name;
      }
  }
}

TEST(Foreign, WhatIsNotReadIsNamed) {
  const Folder folder;
  EXPECT_THAT(error_of([&] { read_mesh(folder.put("a.cgns", "@(#)ADF Database Version B02012>")); }, Exit::mesh),
              HasSubstr("adf2hdf"));
  EXPECT_THAT(error_of([&] { read_mesh(folder.put("a.stl", "solid part\nfacet normal 0 0 1\n")); }, Exit::mesh),
              HasSubstr("triangles of a surface without a volume"));
  std::string text = contents_of(data_file("foreign/cells3.exo"));
  EXPECT_THAT(error_of([&] { read_mesh(folder.put("a.exo", test::replaced(text, "TETRA10", "NFACED3"))); }, Exit::mesh),
              HasSubstr("elements 'NFACED3' with 10 nodes"));
}

}  // namespace
}  // namespace ritz
