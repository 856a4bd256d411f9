// Files that are cut short, wrong or hostile: an Error with its place, never a crash, a hang or a huge allocation.
#include "io/meshes/mesh_reader.hpp"
#include "tests/io/files.hpp"

#include <cstring>
#include <random>

#include <fmt/format.h>

namespace ritz {
namespace {

using test::contents_of;
using test::data_file;
using test::error_of;
using test::Folder;
using test::replaced;
using ::testing::AllOf;
using ::testing::HasSubstr;

std::string small_2() {
  return "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n"
         "$Nodes\n4\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n$EndNodes\n"
         "$Elements\n1\n2 4 2 9 1 1 2 3 4\n$EndElements\n";
}

std::string small_4() {
  return "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n"
         "$Nodes\n1 4 1 4\n3 1 0 4\n1\n2\n3\n4\n0 0 0\n1 0 0\n0 1 0\n0 0 1\n$EndNodes\n"
         "$Elements\n1 1 1 1\n3 1 4 1\n1 1 2 3 4\n$EndElements\n";
}

std::string message_for(const std::string& text) {
  const Folder folder;
  const std::string path = folder.put("a.msh", text);
  return error_of([&] { read_mesh(path); }, Exit::mesh);
}

// Everything before the last $EndElements must be there; what follows may be cut.
void expect_error_at_every_length(const std::string& name) {
  const Folder folder;
  const std::string whole = contents_of(data_file("gmsh/" + name));
  ASSERT_FALSE(whole.empty());
  const std::size_t needed = whole.find("$EndElements") + std::strlen("$EndElements");
  const std::string path = folder.put("cut.msh", whole);
  for (std::size_t length = needed; length-- > 0;) {  // shortened in place: writing thousands of files is slow
    std::filesystem::resize_file(path, length);
    try {
      read_mesh_data(path);
      ADD_FAILURE() << name << " cut after " << length << " bytes was accepted";
    } catch (const Error& error) {
      ASSERT_EQ(error.exit(), Exit::mesh) << error.what();
      ASSERT_THAT(error.what(), HasSubstr("cut.msh")) << length;
    }
  }
}

TEST(GmshDamage, TruncationOfText41IsAnError) { expect_error_at_every_length("periodic.41.ascii.msh"); }
TEST(GmshDamage, TruncationOfBinary41IsAnError) { expect_error_at_every_length("periodic.41.binary.msh"); }
TEST(GmshDamage, TruncationOfText22IsAnError) { expect_error_at_every_length("mixed1.22.ascii.msh"); }
TEST(GmshDamage, TruncationOfBinary22IsAnError) { expect_error_at_every_length("plate2i.22.binary.msh"); }

// A flipped bit may go unnoticed (a coordinate), but may not crash, hang or take memory without limit.
TEST(GmshDamage, FlippedBytesNeverCrash) {
  const Folder folder;
  std::mt19937 random(1);
  for (const std::string name : {"periodic.41.ascii.msh", "periodic.41.binary.msh", "plate2i.22.binary.msh",
                                 "two_boxes.22.ascii.msh", "partitioned.41.binary.msh"}) {
    const std::string whole = contents_of(data_file("gmsh/" + name));
    const std::string path = folder.put("damaged.msh", whole);
    for (int round = 0; round < 1500; ++round) {
      std::string damaged = whole;
      for (int i = 0; i <= round % 3; ++i) damaged[random() % damaged.size()] = static_cast<char>(random());
      std::fstream(path, std::ios::binary | std::ios::in | std::ios::out) << damaged;  // in place: faster
      try {
        read_mesh_data(path);
      } catch (const Error& error) { ASSERT_EQ(error.exit(), Exit::mesh) << error.what(); }
    }
  }
}

TEST(GmshDamage, AbsurdCountsAreErrorsBeforeAnythingIsAllocated) {
  for (const std::string count : {"2147483648", "9223372036854775807", "1000000000", "5"}) {
    EXPECT_THAT(message_for(replaced(small_2(), "$Nodes\n4\n", "$Nodes\n" + count + "\n")), HasSubstr("line")) << count;
    EXPECT_THAT(message_for(replaced(small_2(), "$Elements\n1\n", "$Elements\n" + count + "\n")), HasSubstr("line"));
    EXPECT_THAT(message_for(replaced(small_4(), "1 4 1 4\n3 1 0 4", "1 " + count + " 1 4\n3 1 0 " + count)),
                HasSubstr("line"));
    EXPECT_THAT(message_for(replaced(small_4(), "1 1 1 1\n3 1 4 1", "1 " + count + " 1 1\n3 1 4 " + count)),
                HasSubstr("line"));
  }
  EXPECT_THAT(
      message_for(replaced(small_2(), "$Nodes\n4\n", "$Nodes\n1000000000\n")),
      AllOf(HasSubstr("number of nodes is 1000000000"), HasSubstr("bytes are left"), HasSubstr("line 5 in $Nodes")));
}

TEST(GmshDamage, NegativeCountsAreErrors) {
  EXPECT_THAT(message_for(replaced(small_2(), "$Nodes\n4\n", "$Nodes\n-1\n")), HasSubstr("-1"));
  EXPECT_THAT(message_for(replaced(small_4(), "1 4 1 4\n3 1 0 4", "1 -4 1 4\n3 1 0 -4")),
              HasSubstr("cannot be negative"));
  EXPECT_THAT(message_for(replaced(small_4(), "3 1 4 1\n1 1", "3 1 4 -1\n1 1")), HasSubstr("cannot be negative"));
}

TEST(GmshDamage, CountOf64BitsInABinaryFileIsAnError) {
  const std::string whole = contents_of(data_file("gmsh/periodic.41.binary.msh"));
  const std::size_t at = whole.find("$Nodes\n") + 7;
  for (const std::uint64_t count :
       {std::uint64_t{1} << 31, std::uint64_t{1} << 63, ~std::uint64_t{0}, std::uint64_t{1} << 60}) {
    std::string damaged = whole;
    std::memcpy(damaged.data() + at, &count, 8);
    EXPECT_THAT(message_for(damaged), HasSubstr("byte " + std::to_string(at))) << count;
    damaged = whole;
    std::memcpy(damaged.data() + at + 8, &count, 8);
    EXPECT_THAT(message_for(damaged), HasSubstr("byte " + std::to_string(at + 8))) << count;
  }
}

TEST(GmshDamage, FewerOrMoreEntriesThanAnnouncedAreErrors) {
  EXPECT_THAT(message_for(replaced(small_2(), "$Nodes\n4\n", "$Nodes\n3\n")), HasSubstr("expected $EndNodes"));
  EXPECT_THAT(message_for(replaced(small_2(), "$Elements\n1\n", "$Elements\n2\n")),
              HasSubstr("2 elements were announced, but 1"));
  EXPECT_THAT(message_for(replaced(small_4(), "1 1 1 1\n", "1 2 1 1\n")), HasSubstr("2 elements were announced"));
}

TEST(GmshDamage, WordWhereANumberBelongsIsNamedWithItsLine) {
  EXPECT_THAT(message_for(replaced(small_2(), "2 1 0 0", "2 1,0 0 0")),
              AllOf(HasSubstr("found '1,0'"), HasSubstr("line 7 in $Nodes")));
  EXPECT_THAT(message_for(replaced(small_4(), "1 0 0\n0 1 0", "1 zero 0\n0 1 0")),
              AllOf(HasSubstr("expected a coordinate, found 'zero'"), HasSubstr("line 12 in $Nodes")));
  EXPECT_THAT(message_for(replaced(small_2(), "1 2 3 4\n", "1 2 3\n")), HasSubstr("a node number"));
}

TEST(GmshDamage, UnknownNodeIsNamedWithItsLine) {
  EXPECT_THAT(message_for(replaced(small_2(), "1 2 3 4\n", "1 2 3 44\n")),
              AllOf(HasSubstr("node 44 does not exist"), HasSubstr("line 13 in $Elements")));
  EXPECT_THAT(message_for(replaced(small_4(), "1 1 2 3 4\n", "1 1 2 3 44\n")), HasSubstr("node 44 does not exist"));
}

TEST(GmshDamage, RepeatedNodeIsAnError) {
  EXPECT_THAT(message_for(replaced(small_2(), "3 0 1 0", "2 0 1 0")), HasSubstr("node 2 is defined twice"));
}

TEST(GmshDamage, UnsupportedElementsAreNamedWithTheirCount) {
  EXPECT_THAT(message_for(replaced(small_2(), "2 4 2 9", "2 20 2 9")),
              AllOf(HasSubstr("type 20 (9-node incomplete triangle of order 3)"), HasSubstr("gmsh -order 2")));
  EXPECT_THAT(message_for(replaced(small_2(), "2 4 2 9", "2 77 2 9")), HasSubstr("1 elements of type 77"));
  EXPECT_THAT(message_for(replaced(small_4(), "3 1 4 1", "3 1 77 1")), HasSubstr("1 elements of type 77"));
}

TEST(GmshDamage, CellsOfOneShapeAreOfOneOrderWhereTheyAreLowered) {
  const std::string six = "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n16\n" + [] {
    std::string nodes;
    for (int i = 1; i <= 16; ++i) nodes += fmt::format("{} {} {} 0\n", i, i % 4, i / 4);
    return nodes;
  }() + "$EndNodes\n$Elements\n2\n1 9 2 0 1 1 2 3 4 5 6\n2 21 2 0 1 1 2 3 4 5 6 7 8 9 10\n$EndElements\n";
  EXPECT_THAT(message_for(six),
              AllOf(HasSubstr("1 elements of type 21 (10-node triangle of order 3)"), HasSubstr("all of one order")));
}

TEST(GmshDamage, OtherVersionsNameTheSupportedOnes) {
  EXPECT_THAT(message_for(replaced(small_2(), "2.2 0 8", "4 0 8")),
              AllOf(HasSubstr("MSH version 4 is not supported"), HasSubstr("MSH 2.2 and MSH 4.1"), HasSubstr("msh41")));
  EXPECT_THAT(message_for("$NOD\n1\n1 0 0 0\n$ENDNOD\n$EndNOD\n"), HasSubstr("MSH version 1"));
  EXPECT_THAT(message_for(replaced(small_2(), "2.2 0 8", "2.2 0 4")), HasSubstr("4 bytes"));
  EXPECT_THAT(message_for(replaced(small_2(), "2.2 0 8", "2.2 7 8")), HasSubstr("file type 7"));
}

TEST(GmshDamage, OtherByteOrderIsRecognised) {
  std::string text = contents_of(data_file("gmsh/periodic.41.binary.msh"));
  const std::size_t at = text.find("4.1 1 8\n") + 8;
  std::swap(text[at], text[at + 3]);
  EXPECT_THAT(message_for(text), HasSubstr("big-endian"));
}

TEST(GmshDamage, MissingSectionsAreNamed) {
  EXPECT_THAT(message_for("$MeshFormat\n2.2 0 8\n$EndMeshFormat\n"), HasSubstr("expected $Nodes"));
  EXPECT_THAT(message_for(small_2().substr(0, small_2().find("$Elements"))), HasSubstr("expected $Elements"));
  EXPECT_THAT(message_for(replaced(small_2(), "$EndNodes\n", "")),
              AllOf(HasSubstr("expected $EndNodes"), HasSubstr("$Nodes started at line 4")));
  EXPECT_THAT(message_for(small_2() + "stray words\n"), HasSubstr("found 'stray'"));
  EXPECT_THAT(message_for(small_2() + "$Nodes\n0\n$EndNodes\n"), HasSubstr("a second section $Nodes"));
}

TEST(GmshDamage, SurfaceInSpaceIsNoPlaneMesh) {
  const std::string text = replaced(replaced(small_2(), "2 4 2 9 1 1 2 3 4", "2 2 2 9 1 1 2 4"), "4 0 0 1", "4 0 1 1");
  EXPECT_THAT(message_for(text), AllOf(HasSubstr("not parallel to the x-y plane"), HasSubstr("gmsh -3")));
}

TEST(GmshDamage, PointsAloneAreNoMesh) {
  EXPECT_THAT(message_for(replaced(small_2(), "2 4 2 9 1 1 2 3 4", "2 15 2 9 1 1")), HasSubstr("points only"));
  EXPECT_THAT(message_for(replaced(small_2(), "1\n2 4 2 9 1 1 2 3 4", "0")), HasSubstr("no elements at all"));
}

TEST(GmshDamage, SurfaceThatFitsPartlyIsAnError) {
  std::string text = replaced(small_2(), "$Nodes\n4\n", "$Nodes\n7\n5 5 0 0\n6 6 0 0\n7 5 1 0\n");
  text = replaced(text, "$Elements\n1\n", "$Elements\n3\n8 2 2 5 1 5 6 7\n9 2 2 5 1 1 2 3\n");
  EXPECT_THAT(message_for(text), HasSubstr("1 of the 2 cells of surface 'surface_5'"));
}

TEST(GmshDamage, GroupCalledAllMustBeAll) {
  std::string text = replaced(small_2(), "$Nodes\n4\n", "$Nodes\n5\n5 0 0 -1\n");
  text = replaced(text, "$Elements\n1\n", "$Elements\n2\n1 4 2 8 1 1 3 2 5\n");
  text = replaced(text, "$Nodes", "$PhysicalNames\n1\n3 9 \"all\"\n$EndPhysicalNames\n$Nodes");
  EXPECT_THAT(message_for(text), HasSubstr("group 'all'"));
}

}  // namespace
}  // namespace ritz
