// Mesh files that are damaged, cut short, or made to do harm, in the formats that VTK and HDF5 read.
#include "io/files/child_process.hpp"
#include "io/files/input_file.hpp"
#include "io/meshes/mesh_reader.hpp"
#include "io/meshes/mesh_writer.hpp"
#include "io/vtk/vtu_writer.hpp"
#include "mesh/generators.hpp"
#include "tests/io/files.hpp"

#include <algorithm>
#include <array>
#include <csignal>
#include <cstring>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

namespace ritz {
namespace {

using test::contents_of;
using test::data_file;
using test::error_of;
using test::Folder;
using test::replaced;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string refusal(const Folder& folder, const std::string& name, const std::string& contents) {
  return error_of([&] { read_mesh(folder.put(name, contents)); }, Exit::mesh);
}

// --- VTK's legacy format

// Two triangles of regions 2 and 3, and the line between the first two points.
const std::string triangles =
    "# vtk DataFile Version 3.0\nTwo triangles\nASCII\nDATASET UNSTRUCTURED_GRID\n"
    "POINTS 4 double\n0 0 0 1 0 0\n1 1 0 0 1 0\n"
    "CELLS 3 11\n3 0 1 2\n3 0 2 3\n2 0 1\nCELL_TYPES 3\n5\n5\n3\n";
const std::string with_regions = triangles + "CELL_DATA 3\nSCALARS region int 1\nLOOKUP_TABLE default\n2\n3\n9";

TEST(LegacyVtk, CellsPointsAndRegionsAreThoseOfTheFile) {
  const Folder folder;
  const Mesh mesh = read_mesh(folder.put("a.vtk", with_regions));
  EXPECT_EQ(mesh.node_count(), 4);
  EXPECT_TRUE(std::ranges::equal(mesh.nodes_of(0), std::array{0, 1, 2}));
  EXPECT_TRUE(std::ranges::equal(mesh.nodes_of(1), std::array{0, 2, 3}));
  EXPECT_THAT(mesh.region("region_2").cells, ElementsAre(0));
  EXPECT_THAT(mesh.region("region_3").cells, ElementsAre(1));
  EXPECT_EQ(mesh.region("region_9").kind, RegionKind::facets);
}

TEST(LegacyVtk, AFileThatIsCutAnywhereIsRefused) {
  const Folder folder;
  const std::size_t data = with_regions.find("POINTS");
  for (std::size_t size = data; size < with_regions.size(); ++size) {
    const std::string cut = with_regions.substr(0, size);
    const bool is_whole = cut + "\n" == triangles || cut == triangles || cut == triangles + "CELL_DATA 3" ||
                          cut == triangles + "CELL_DATA 3\n";  // without the data of cells
    if (!is_whole) { EXPECT_NE(refusal(folder, "cut.vtk", cut), "") << size; }
  }
}

TEST(LegacyVtk, ListsOfCellsThatDoNotFitTheirTotalAreRefused) {
  const Folder folder;
  for (const int count : {0, 4, 9, 20, 100, -1})
    EXPECT_THAT(refusal(folder, "a.vtk", replaced(triangles, "3 0 1 2", fmt::format("{} 0 1 2", count))),
                AllOf(HasSubstr("a.vtk"), HasSubstr("line 8")))
        << count;
  EXPECT_THAT(refusal(folder, "a.vtk", replaced(triangles, "CELLS 3 11", "CELLS 2 11")), HasSubstr("CELLS announces"));
  EXPECT_THAT(refusal(folder, "a.vtk", replaced(triangles, "CELL_TYPES 3", "CELL_TYPES 4")), HasSubstr("4 cell types"));
  EXPECT_THAT(refusal(folder, "a.vtk", replaced(with_regions, "CELL_DATA 3", "CELL_DATA 2")), HasSubstr("there are 3"));
}

template <class T>
std::string big_endian(std::initializer_list<T> values) {
  std::string bytes;
  for (const T value : values) {
    char each[sizeof(T)];
    std::memcpy(each, &value, sizeof(T));
    bytes.append(std::reverse_iterator(each + sizeof(T)), std::reverse_iterator(each));
  }
  return bytes;
}

TEST(LegacyVtk, TextsAndRealNumbersAreNoListsOfPoints) {
  const Folder folder;
  EXPECT_THAT(refusal(folder, "a.vtk", replaced(triangles, "double", "string")), HasSubstr("POINTS cannot be of type"));
  const std::string head = triangles.substr(0, triangles.find("CELLS"));
  for (const std::string form : {"float", "string"})
    EXPECT_THAT(refusal(folder, "a.vtk", replaced(head, "3.0", "5.1") + "CELLS 2 3\nOFFSETS " + form + "\n0 3\n"),
                AllOf(HasSubstr("offsets cannot be of type " + form), HasSubstr("line 9")));
}

TEST(LegacyVtk, BinaryFilesOfBothListsOfCellsReadAsTextDoes) {
  const Folder folder;
  const Mesh text = read_mesh(folder.put("text.vtk", with_regions));
  const std::string points = "BINARY\nDATASET UNSTRUCTURED_GRID\nPOINTS 4 float\n" +
                             big_endian<float>({0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0}) + "\n";
  const std::string rest = "\nCELL_TYPES 3\n" + big_endian<std::int32_t>({5, 5, 3}) +
                           "\nCELL_DATA 3\nFIELD FieldData 2\nA%20name 2 3 double\n" +
                           big_endian<double>({1, 2, 3, 4, 5, 6}) + "\nMETADATA\nINFORMATION 0\n\nregion 1 3 short\n" +
                           big_endian<std::int16_t>({2, 3, 9}) + "\n";
  const std::string one_list = "CELLS 3 11\n" + big_endian<std::int32_t>({3, 0, 1, 2, 3, 0, 2, 3, 2, 0, 1});
  const std::string two_lists = "CELLS 4 8\nOFFSETS vtktypeint64\n" + big_endian<std::int64_t>({0, 3, 6, 8}) +
                                "\nCONNECTIVITY vtktypeint64\n" + big_endian<std::int64_t>({0, 1, 2, 0, 2, 3, 0, 1});
  for (const auto& [version, cells] : {std::pair{"4.2", one_list}, {"5.1", two_lists}}) {
    const std::string whole = fmt::format("# vtk DataFile Version {}\nbinary\n", version) + points + cells + rest;
    const Mesh mesh = read_mesh(folder.put("binary.vtk", whole));
    ASSERT_EQ(mesh.cell_count(), text.cell_count());
    for (Index cell = 0; cell < mesh.cell_count(); ++cell)
      EXPECT_TRUE(std::ranges::equal(mesh.nodes_of(cell), text.nodes_of(cell)));
    for (Node node = 0; node < 4; ++node) EXPECT_TRUE(std::ranges::equal(mesh.point(node), text.point(node)));
    EXPECT_EQ(mesh.region("region_3").cells, text.region("region_3").cells);
    for (std::size_t size = whole.find("POINTS"); size < whole.size() - 2; ++size)
      if (size < whole.find("\nCELL_DATA") - 1 || size > whole.find("FIELD")) {  // no array is begun there
        EXPECT_NE(refusal(folder, "cut.vtk", whole.substr(0, size)), "") << version << " " << size;
      }
  }
}

// --- VTK and HDF5 themselves

TEST(ForeignFiles, AVtuThatCrashesVtkIsAnErrorWithItsName) {
  const Folder folder;
  write_vtu(folder.file("whole.vtu"), box(1, 1, 1, {1, 1, 1}, CellKind::hex8), {});
  const std::string whole = contents_of(folder.file("whole.vtu"));
  ASSERT_NE(whole.find("offset=\"0\""), std::string::npos);
  for (const char* offset : {"1", "7", "1e400", "99999999999999999"})  // whatever becomes of it, this process goes on
    try {
      read_mesh(folder.put("wrong.vtu", replaced(whole, "offset=\"0\"", fmt::format("offset=\"{}\"", offset))));
    } catch (const Error& error) {
      EXPECT_EQ(error.exit(), Exit::mesh);
      EXPECT_THAT(error.message(), HasSubstr("wrong.vtu"));
    }
}

TEST(ForeignFiles, FlippedBitsOfHdf5FilesAreErrorsOrAMesh) {
  const Folder folder;
  const std::string whole = contents_of(data_file("foreign/bar.med"));
  std::vector<std::pair<std::size_t, int>> flips = {{13493, 4}, {11173, 0}};  // these two crash HDF5 1.10.8
  for (std::size_t at = 97; at < whole.size(); at += 397) flips.push_back({at, static_cast<int>(at % 8)});
  for (const auto& [at, bit] : flips) {
    std::string damaged = whole;
    damaged[at] = static_cast<char>(damaged[at] ^ 1 << bit);
    try {
      read_mesh(folder.put("damaged.med", damaged));
    } catch (const Error& error) {
      EXPECT_EQ(error.exit(), Exit::mesh) << at;
      EXPECT_THAT(error.message(), HasSubstr("damaged.med")) << at;
    }
  }
}

TEST(ForeignFiles, NumbersInOtherFilesAndLinksToThemAreRefused) {
  for (const char* name : {"external_storage.med", "external_link.med"})
    EXPECT_THAT(error_of([&] { read_mesh(data_file(fmt::format("foreign/{}", name))); }, Exit::mesh),
                AllOf(HasSubstr("NOE/COO"), HasSubstr(name), HasSubstr("another file")));
}

TEST(ForeignFiles, ARegionWithoutItsTableIsRefused) {
  const Folder folder;
  write_mesh(folder.file("whole.vtu"), read_mesh(data_file("gmsh/two_boxes.41.ascii.msh")));
  const std::string whole = contents_of(folder.file("whole.vtu"));
  ASSERT_NE(whole.find("\"region_table_cells_0\""), std::string::npos);
  EXPECT_THAT(refusal(folder, "a.vtu", replaced(whole, "\"region_table_cells_0\"", "\"region_table_bells_0\"")),
              HasSubstr("is missing"));
}

// --- the process of their own

std::string message_of(const std::function<void(Channel&)>& work) {
  ChildProcess child({.file = "part.vtu", .library = "VTK"}, work);
  return error_of([&] { child.answer([](Channel& from) { return from.get<int>(); }); }, Exit::mesh);
}

TEST(ChildProcess, AnswersAreThoseOfTheWork) {
  const std::vector<double> many(100000, 0.1);
  ChildProcess child({.file = "a", .library = "VTK"}, [&](Channel& parent) {
    ChildProcess::respond(
        parent, [&] { return many; },
        [](Channel& to, const auto& values) {
          to.put_numbers(values);
          to.put_text("and a text");
        });
  });
  child.answer([&](Channel& from) {
    EXPECT_EQ(from.numbers<double>(), many);
    EXPECT_EQ(from.text(), "and a text");
    return 0;
  });
}

TEST(ChildProcess, CrashesAreErrorsThatNameTheFileAndTheSignal) {
  for (const auto& [signal, name] : {std::pair{SIGSEGV, "SIGSEGV"}, {SIGABRT, "SIGABRT"}, {SIGFPE, "SIGFPE"}})
    EXPECT_THAT(message_of([signal = signal](Channel&) { std::raise(signal); }),
                AllOf(HasSubstr("'part.vtu'"), HasSubstr("VTK crashed"), HasSubstr(name)));
  EXPECT_THAT(message_of([](Channel&) {}), HasSubstr("ended without an answer"));
}

TEST(ChildProcess, AnswersWhereStandardStreamsAreClosed) {
  std::array<int, 3> kept{};
  for (int stream = 0; stream < 3; ++stream) {
    kept[static_cast<std::size_t>(stream)] = ::fcntl(stream, F_DUPFD, 10);
    ::close(stream);
  }
  int answer = 0;
  try {
    ChildProcess child({.file = "a", .library = "VTK"}, [](Channel& parent) {
      ChildProcess::respond(
          parent, [] { return 7; }, [](Channel& to, int value) { to.put(value); });
    });
    answer = child.answer([](Channel& from) { return from.get<int>(); });
  } catch (const Error&) {}
  for (int stream = 0; stream < 3; ++stream) {
    ::dup2(kept[static_cast<std::size_t>(stream)], stream);
    ::close(kept[static_cast<std::size_t>(stream)]);
  }
  EXPECT_EQ(answer, 7);
}

TEST(ChildProcess, ErrorsOfTheWorkComeWithTheirParts) {
  ChildProcess child({.file = "a", .library = "VTK"}, [](Channel& parent) {
    const auto fail = []() -> int { throw Error(ErrorKind::other_model, "what", "why", "fix"); };
    ChildProcess::respond(parent, fail, [](Channel& to, int value) { to.put(value); });
    ChildProcess::respond(
        parent, [] { return 7; }, [](Channel& to, int value) { to.put(value); });
  });
  const auto take = [](Channel& from) { return from.get<int>(); };
  try {
    child.answer(take);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.exit(), Exit::model);
    EXPECT_EQ(error.message() + error.why() + error.fix(), "whatwhyfix");
  }
  EXPECT_EQ(child.answer(take), 7) << "and the child is there for the next question";
}

TEST(ChildProcess, MemoryBeyondTheHostsIsAnErrorAndNotTheEnd) {
  EXPECT_THAT(message_of([](Channel& parent) {
                const auto allocate = [] {
                  return std::make_unique<std::vector<char>>(std::size_t{1} << 60).get()->size();
                };
                ChildProcess::respond(parent, allocate, [](Channel& to, std::size_t size) { to.put(size); });
              }),
              HasSubstr("memory"));
}

// --- what is no file

TEST(InputFile, PipesAndFoldersAreRefusedAtOnce) {
  const Folder folder;
  const std::string pipe = folder.file("pipe.msh");
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_THAT(error_of([&] { read_mesh(pipe); }, Exit::mesh), HasSubstr("not a regular file"));
  EXPECT_THAT(error_of([&] { read_mesh(folder.path()); }, Exit::mesh), HasSubstr("a folder"));
}

}  // namespace
}  // namespace ritz
