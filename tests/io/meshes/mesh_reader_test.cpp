#include "io/meshes/mesh_reader.hpp"

#include "tests/io/files.hpp"

#include <cmath>

namespace ritz::mesh_reader_test {
namespace {

using test::data_file;
using test::error_of;
using test::Folder;
using ::testing::AllOf;
using ::testing::HasSubstr;

std::string message_for(const std::string& path) {
  return error_of([&] { read_mesh(path); }, Exit::mesh);
}

TEST(MeshReader, MissingFileFolderAndEmptyFileAreErrors) {
  const Folder folder;
  EXPECT_THAT(message_for(folder.file("none.msh")), AllOf(HasSubstr("none.msh"), HasSubstr("No such file")));
  EXPECT_THAT(message_for(folder.path()), HasSubstr("is a folder"));
  EXPECT_THAT(message_for(folder.put("empty.msh", "")), HasSubstr("is empty"));
  EXPECT_THAT(message_for("/dev/null"), HasSubstr("not a regular file"));
}

TEST(MeshReader, UnknownFormatNamesTheKnownOnes) {
  const Folder folder;
  EXPECT_THAT(message_for(folder.put("part.stp", "ISO-10303-21;")),
              AllOf(HasSubstr("STEP"), HasSubstr(".vtu"), HasSubstr("part.stp")));
  EXPECT_THAT(message_for(folder.put("a.msh", "\x1f\x8b\x08 packed")), HasSubstr("gzip"));
  EXPECT_THAT(message_for(folder.put("a.e", "CDF\x02 more")), HasSubstr("netCDF"));
  EXPECT_THAT(message_for(folder.put("a.med", "\x89HDF\r\n")), AllOf(HasSubstr("HDF5"), HasSubstr("a.med")));
  EXPECT_THAT(message_for(folder.put("a.stl", "solid part\nfacet normal 0 0 1\n")),
              AllOf(HasSubstr("STL"), HasSubstr("gmsh -3")));
  std::string binary(84 + 50, 'x');
  binary.replace(80, 4, std::string("\1\0\0\0", 4));
  EXPECT_THAT(message_for(folder.put("part", binary)), HasSubstr("STL"));
  EXPECT_THAT(message_for(folder.put("a.html", "<html></html>")), HasSubstr("not known"));
}

TEST(MeshReader, ContentDecidesBeforeTheExtension) {
  const Folder folder;
  const std::string text = test::contents_of(data_file("gmsh/plate1.41.ascii.msh"));
  EXPECT_GT(read_mesh(folder.put("plate.vtu", text)).cell_count(), 0);
  EXPECT_GT(read_mesh(folder.put("plate", text)).cell_count(), 0);
}

TEST(MeshReader, ScaleMustBePositive) {
  for (const double scale : {0.0, -1.0, std::nan("")})
    EXPECT_THAT(error_of([&] { read_mesh(data_file("gmsh/plate1.41.ascii.msh"), {.scale = scale}); }, Exit::input),
                HasSubstr("scale"));
}

}  // namespace
}  // namespace ritz::mesh_reader_test
