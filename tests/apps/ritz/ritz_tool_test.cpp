// The tool `ritz` and `ritz-bench`, through their command lines.
#include "tests/apps/ritz/command_line.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include <unistd.h>

namespace {

using nlohmann::json;
using ritz::test::CommandResult;
using ritz::test::run_command;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

CommandResult ritz_tool(const std::string& arguments) { return run_command(std::string(RITZ_TOOL) + " " + arguments); }
json ritz_json(const std::string& arguments) {
  return json::parse(run_command(std::string(RITZ_TOOL) + " " + arguments + " --json", true).output);
}
std::string data_file(const std::string& name) { return std::string(RITZ_TEST_DATA) + "/gmsh/" + name; }

// A mesh file that disappears with the test.
class MeshFile {
 public:
  explicit MeshFile(const std::string& contents)
      : path_(std::filesystem::temp_directory_path() /
              ("ritz-tool-" + std::to_string(::getpid()) + "-" +
               ::testing::UnitTest::GetInstance()->current_test_info()->name() + ".msh")) {
    std::ofstream(path_) << contents;
  }
  ~MeshFile() { std::filesystem::remove(path_); }
  std::string path() const { return path_.string(); }

 private:
  std::filesystem::path path_;
};

// Nodes of two unit squares side by side and the elements given (Gmsh 2.2).
std::string squares(int node_count, const std::string& nodes, int element_count, const std::string& elements) {
  return "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n" + std::to_string(node_count) + "\n" + nodes +
         "$EndNodes\n$Elements\n" + std::to_string(element_count) + "\n" + elements + "$EndElements\n";
}

TEST(RitzTool, HelpShowsExamples) {
  const CommandResult help = ritz_tool("--help");
  EXPECT_EQ(help.exit_code, 0);
  EXPECT_THAT(help.output, AllOf(HasSubstr("ritz mesh info bracket.msh"), HasSubstr("Exit codes")));
}

TEST(RitzTool, WrongCommandLinesAreExitTwo) {
  for (const char* arguments : {"", "mash", "mesh", "mesh info", "devices --jsn", "mesh info a.msh --scale x"})
    EXPECT_EQ(ritz_tool(arguments).exit_code, 2) << arguments;
  const CommandResult scale = ritz_tool("mesh info " + data_file("plate1.41.ascii.msh") + " --scale=-1");
  EXPECT_EQ(scale.exit_code, 2);
  EXPECT_THAT(scale.output, HasSubstr("--scale is -1"));
}

TEST(RitzTool, DevicesListTheCpuWithItsCopyRate) {
  const json list = ritz_json("devices");
  const json& cpu = list["devices"][0];
  EXPECT_EQ(cpu["kind"], "cpu");
  EXPECT_FALSE(cpu["name"].get<std::string>().empty());
  EXPECT_GT(cpu["memory_total"].get<double>(), cpu["memory_free"].get<double>());
  EXPECT_GT(cpu["copy_rates"][0]["bytes_per_second"].get<double>(), 1e8);
  EXPECT_EQ(cpu["copy_rates"][0]["threads"], 1);
  EXPECT_EQ(list.contains("why_no_gpu"), list["devices"].size() == 1);
}

TEST(RitzTool, MeshInfoCountsMeasuresAndScales) {
  const json info = ritz_json("mesh info " + data_file("two_boxes.41.ascii.msh") + " --scale 0.001");
  EXPECT_EQ(info["dimension"], 3);
  EXPECT_EQ(info["cells_by_kind"].size(), 1u);
  EXPECT_EQ(info["cells_by_kind"]["tet4"], info["cells"]);
  EXPECT_NEAR(info["volume"].get<double>(), 1e-9, 1e-21);
  EXPECT_DOUBLE_EQ(info["box"][1][0].get<double>(), 0.001);
  EXPECT_EQ(info["parts"], 1);
  double lower = 0;
  for (const json& region : info["regions"])
    if (region["name"] == "lower part") lower = region["size"];
  EXPECT_NEAR(lower, 0.4e-9, 1e-21);
  int cells = 0;
  for (const json& count : info["quality"]["histogram"]) cells += count.get<int>();
  EXPECT_EQ(cells, info["cells"]);
  EXPECT_TRUE(info["errors"].empty());
}

TEST(RitzTool, MeshInfoForPeopleNamesKindsAndRegions) {
  const CommandResult info = ritz_tool("mesh info " + data_file("mixed2.41.binary.msh"));
  EXPECT_EQ(info.exit_code, 0);
  EXPECT_THAT(info.output, AllOf(HasSubstr("hex27"), HasSubstr("pyramid14"), HasSubstr("origin corner"),
                                 HasSubstr("facets area"), HasSubstr("nothing is wrong")));
}

TEST(RitzTool, MissingAndForeignFilesAreExitThree) {
  EXPECT_EQ(ritz_tool("mesh info none.msh").exit_code, 3);
  const MeshFile file("ISO-10303-21;");
  EXPECT_EQ(ritz_tool("mesh info " + file.path()).exit_code, 3);
}

TEST(RitzTool, HangingNodesAreExitThree) {
  const MeshFile file(squares(9, "1 0 0 0\n2 1 0 0\n3 1 1 0\n4 0 1 0\n5 1 .5 0\n6 2 0 0\n7 2 .5 0\n8 2 1 0\n9 3 0 0\n",
                              3, "1 3 2 0 1 1 2 3 4\n2 3 2 0 1 2 6 7 5\n3 3 2 0 1 5 7 8 3\n"));
  const CommandResult info = ritz_tool("mesh info " + file.path());
  EXPECT_EQ(info.exit_code, 3);
  EXPECT_THAT(info.output, AllOf(HasSubstr("1 hanging node in"), HasSubstr("(1, 0.5, 0)")));
}

TEST(RitzTool, CoincidentNodesAreANotice) {
  const MeshFile file(squares(8, "1 0 0 0\n2 1 0 0\n3 1 1 0\n4 0 1 0\n5 1 0 0\n6 2 0 0\n7 2 1 0\n8 1 1 0\n", 2,
                              "1 3 2 0 1 1 2 3 4\n2 3 2 0 1 5 6 7 8\n"));
  const json info = ritz_json("mesh info " + file.path());
  EXPECT_EQ(info["parts"], 2);
  EXPECT_THAT(info["notices"].dump(), HasSubstr("2 pairs of free nodes"));
  EXPECT_EQ(ritz_tool("mesh info " + file.path()).exit_code, 0);
}

TEST(RitzTool, BrokenMeshesKeepTheirCountsBesideTheError) {
  const MeshFile file(
      squares(5, "1 0 0 0\n2 1 0 0\n3 1 1 0\n4 0 1 0\n5 2 0 0\n", 2, "1 3 2 0 1 1 2 3 4\n2 2 2 0 1 1 2 5\n"));
  const CommandResult info = ritz_tool("mesh info " + file.path());
  EXPECT_EQ(info.exit_code, 3);
  EXPECT_THAT(info.output,
              AllOf(HasSubstr("1 quad4, 1 tri3"), HasSubstr("error:"), Not(HasSubstr("nothing is wrong"))));
}

TEST(RitzBench, SmallRunReportsEveryTask) {
  const std::string file =
      (std::filesystem::temp_directory_path() / ("ritz-bench-" + std::to_string(::getpid()) + ".json")).string();
  const CommandResult run = run_command(std::string(RITZ_BENCH) + " --size 0.06 --repeat 2 --threads 1 --json " + file);
  ASSERT_EQ(run.exit_code, 0) << run.output;
  const json report = json::parse(std::ifstream(file));
  std::filesystem::remove(file);
  EXPECT_EQ(report["records"].size(), 7u + 7 + 5 + 1 + 2 + 8 + 4 + 7);
  int with_a_solution = 0;
  for (const json& record : report["records"]) {
    EXPECT_GT(record["copy_rate"].get<double>(), 0);
    EXPECT_GT(record["host_peak"].get<double>(), 0);
    for (const auto& [name, m] : record["measurements"].items()) {
      if (name == "lists" || record["name"] == "small-cg") continue;  // differences
      EXPECT_GT(m["seconds"].get<double>(), 0) << record["name"] << " " << name;
    }
    if (record["name"] != "solve-poisson-P2") continue;
    EXPECT_NEAR(record["facts"]["Jacobi max |u|"].get<double>(), 1, 0.1);
    ++with_a_solution;
  }
  EXPECT_EQ(with_a_solution, 1);
}

// Rows of numbers of a table in Markdown, by columns from 1.
std::vector<std::vector<std::string>> convergence_table(const std::string& output) {
  std::vector<std::vector<std::string>> rows;
  std::istringstream lines(output);
  for (std::string line; std::getline(lines, line);) {
    std::vector<std::string> columns;
    std::istringstream parts(line);
    for (std::string part; std::getline(parts, part, '|');) columns.push_back(part);
    if (columns.size() >= 9 && columns[3].find_first_of("0123456789") != std::string::npos) rows.push_back(columns);
  }
  return rows;
}

// | cell | equations | order p | cells per side | error in L2 | order in L2 | error in H1 | order in H1 |
TEST(RitzBench, TabulatesOrdersOfConvergence) {
  if (std::getenv("RITZ_LONG_TESTS") == nullptr) GTEST_SKIP() << "RITZ_LONG_TESTS is not set";
  const CommandResult run = run_command(std::string(RITZ_BENCH) + " --only convergence --size 0.5 --threads 1");
  ASSERT_EQ(run.exit_code, 0) << run.output;
  const std::vector<std::vector<std::string>> rows = convergence_table(run.output);
  for (const std::vector<std::string>& row : rows) {
    const int order = std::stoi(row[3]);
    EXPECT_GE(std::stod(row[6]), order + 1 - 0.7) << row[1] << row[2] << order;  // on meshes of few cells
    EXPECT_GE(std::stod(row[8]), order - 0.7) << row[1] << row[2] << order;
  }
  EXPECT_EQ(rows.size(), 2u * (4 + 8 + 4 + 8 + 4 + 3));
}

// Curved triangles, quadrilaterals, tetrahedra, prisms and hexahedra of MFEM, refined: orders are kept.
TEST(RitzBench, TabulatesOrdersOfConvergenceOnCurvedMeshes) {
  const std::string folder = RITZ_TEST_DATA "/mfem/";
  const CommandResult run =
      run_command(std::string(RITZ_BENCH) + " --only convergence-meshes --size 0.1 --threads 1 --mesh " + folder +
                  "star-mixed-p2.mesh " + folder + "fichera-mixed-p2.mesh " + folder + "escher-p2.mesh");
  ASSERT_EQ(run.exit_code, 0) << run.output;
  const std::vector<std::vector<std::string>> rows = convergence_table(run.output);
  for (const std::vector<std::string>& row : rows) {
    const int order = std::stoi(row[3]);
    EXPECT_GE(std::stod(row[6]), order + 1 - 0.7) << row[1] << row[2] << order;  // at last on two meshes of few cells
    EXPECT_GE(std::stod(row[8]), order - 0.5) << row[1] << row[2] << order;
  }
  EXPECT_EQ(rows.size(), 3u * 2 * 4);
}

TEST(RitzBench, ConvergenceOnMeshesWantsMeshes) {
  const CommandResult run = run_command(std::string(RITZ_BENCH) + " --only convergence-meshes --threads 1");
  EXPECT_EQ(run.exit_code, 2);
  EXPECT_THAT(run.output, HasSubstr("without meshes"));
}

TEST(RitzBench, UnknownTaskNamesTheNearest) {
  const CommandResult run = run_command(std::string(RITZ_BENCH) + " --only spvm-tet-P1");
  EXPECT_EQ(run.exit_code, 2);
  EXPECT_THAT(run.output, HasSubstr("did you mean 'spmv-tet-P1'?"));
}

}  // namespace
