#include "io/meshes/gmsh_writer.hpp"

#include "io/meshes/mesh_reader.hpp"
#include "mesh/generators.hpp"
#include "tests/io/files.hpp"

#include <algorithm>

#include <fmt/core.h>

namespace ritz {
namespace {

using test::data_file;
using test::error_of;
using test::Folder;
using ::testing::HasSubstr;

std::vector<std::string> summary(const Mesh& mesh) {
  std::vector<std::string> lines;
  for (const Region& region : mesh.regions())
    lines.push_back(fmt::format("{} {} {}", region.name, static_cast<int>(region.kind), region.size()));
  std::sort(lines.begin(), lines.end());
  return lines;
}

void expect_same_after_round_trip(const Mesh& mesh, bool binary) {
  const Folder folder;
  const std::string path = folder.file("written.msh");
  write_gmsh(path, mesh, {.binary = binary});
  EXPECT_FALSE(std::filesystem::exists(path + ".tmp"));
  const Mesh again = read_mesh(path);
  EXPECT_EQ(again.dimension(), mesh.dimension());
  EXPECT_TRUE(std::ranges::equal(again.points(), mesh.points())) << "numbers keep all their digits";
  EXPECT_EQ(summary(again), summary(mesh));
  ASSERT_EQ(again.cell_count(), mesh.cell_count());
  const auto cell_regions = std::ranges::count(mesh.regions(), RegionKind::cells, &Region::kind);
  if (cell_regions > 1 || mesh.blocks().size() > 1) return;  // cells come back sorted by group and kind
  for (Index cell = 0; cell < mesh.cell_count(); ++cell) {
    EXPECT_TRUE(std::ranges::equal(again.nodes_of(cell), mesh.nodes_of(cell)));
  }
}

class EveryKind : public ::testing::TestWithParam<CellKind> {};
INSTANTIATE_TEST_SUITE_P(GmshWriter, EveryKind, ::testing::ValuesIn(all_cell_kinds().begin(), all_cell_kinds().end()),
                         [](const auto& info) { return std::string(traits(info.param).name); });

TEST_P(EveryKind, RoundTripKeepsThePointsCellsAndRegions) {
  const CellTraits& cell = traits(GetParam());
  if (cell.dimension < 2) return;
  const Distortion distortion{.smooth = 0.05, .curved = true};
  for (const bool binary : {true, false}) {
    if (cell.dimension == 2) expect_same_after_round_trip(rectangle(3, 2, {2, 1}, GetParam(), distortion), binary);
    else expect_same_after_round_trip(box(2, 3, 2, {1, 2, 1}, GetParam(), distortion), binary);
  }
}

TEST(GmshWriter, RoundTripOfAMixedMeshWithOverlappingRegions) {
  for (const bool binary : {true, false}) {
    expect_same_after_round_trip(box_mixed(4, 1, 1, {4, 1, 1}, 2), binary);
    expect_same_after_round_trip(read_mesh(data_file("gmsh/two_boxes.41.ascii.msh")), binary);
    expect_same_after_round_trip(read_mesh(data_file("gmsh/mixed2i.22.binary.msh")), binary);
  }
}

TEST(GmshWriter, UnwritableFolderIsAnErrorWithThePath) {
  const Mesh mesh = rectangle(1, 1, {1, 1}, CellKind::quad4);
  EXPECT_THAT(error_of([&] { write_gmsh("/nowhere/at/all/a.msh", mesh); }, Exit::output),
              HasSubstr("/nowhere/at/all/a.msh"));
}

}  // namespace
}  // namespace ritz
