// `ritz mesh check`, `convert` and `refine`, through their command lines.
#include "tests/apps/ritz/command_line.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <filesystem>
#include <fstream>

#include <unistd.h>

namespace {

using nlohmann::json;
using ritz::test::CommandResult;
using ritz::test::run_command;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

// A folder that disappears with the test; commands run in it.
class RitzMesh : public ::testing::Test {
 protected:
  RitzMesh()
      : folder_(std::filesystem::temp_directory_path() /
                ("ritz mesh " + std::to_string(::getpid()) +
                 ::testing::UnitTest::GetInstance()->current_test_info()->name())) {
    std::filesystem::create_directories(folder_);
  }
  ~RitzMesh() override { std::filesystem::remove_all(folder_); }

  CommandResult run(const std::string& arguments) const {
    return run_command("cd '" + folder_.string() + "' && " + RITZ_TOOL + " mesh " + arguments);
  }
  json info(const std::string& file) const {
    return json::parse(
        run_command("cd '" + folder_.string() + "' && " + RITZ_TOOL + " mesh info --json " + file, true).output);
  }
  bool exists(const std::string& name) const { return std::filesystem::exists(folder_ / name); }
  void remove(const std::string& name) const { std::filesystem::remove(folder_ / name); }
  void put(const std::string& name, const std::string& text) const { std::ofstream(folder_ / name) << text; }
  // Quoted for the shell.
  static std::string data(const std::string& name) { return std::string("'") + RITZ_TEST_DATA + "/gmsh/" + name + "'"; }

  // A deck of two unit squares; the node of the last number is free to be put elsewhere.
  void put_squares(const std::string& name, const std::string& last_node, const std::string& elements) const {
    put(name, "*NODE\n1,0,0\n2,1,0\n3,1,1\n4,0,1\n5,2,0\n6," + last_node + "\n*ELEMENT,TYPE=CPS4\n" + elements);
  }

 private:
  std::filesystem::path folder_;
};

double region_size(const json& info, const std::string& name) {
  for (const json& region : info["regions"])
    if (region["name"] == name) return region["size"];
  return -1;
}

TEST_F(RitzMesh, ConvertKeepsVolumeAndRegionsInEveryFormat) {
  for (const char* to : {"a.vtu", "a.msh", "a.inp"}) {
    const CommandResult convert = run("convert " + data("two_boxes.41.ascii.msh") + " " + to + " --scale 2");
    EXPECT_EQ(convert.exit_code, 0) << convert.output;
    const json mesh = info(to);
    EXPECT_NEAR(mesh["volume"].get<double>(), 8, 1e-11);
    EXPECT_NEAR(region_size(mesh, "top"), 4, 1e-11) << to;
    EXPECT_NEAR(region_size(mesh, "whole"), 8, 1e-11) << to;
    EXPECT_NEAR(region_size(mesh, std::string(to) == "a.inp" ? "lower_part" : "lower part"), 3.2, 1e-11) << to;
  }
}

// Three shells that meet at an edge.
TEST_F(RitzMesh, CheckFindsNothingWrongWithAnEdgeOfThreeShells) {
  put("t.inp",
      "*NODE\n1,0,0,0\n2,1,0,0\n3,1,1,0\n4,0,1,0\n5,2,0,0\n6,2,1,0\n7,1,0,1\n8,1,1,1\n*ELEMENT,TYPE=S4\n"
      "1,1,2,3,4\n2,2,5,6,3\n3,2,7,8,3\n");
  const CommandResult check = run("check t.inp");
  EXPECT_EQ(check.exit_code, 0) << check.output;
  EXPECT_THAT(check.output, Not(HasSubstr("problem")));
  EXPECT_FALSE(exists("t-problems.vtu"));
}

TEST_F(RitzMesh, ConvertChangesTheOrder) {
  EXPECT_EQ(run("convert " + data("mixed1.22.binary.msh") + " a.msh --order 2 --text").exit_code, 0);
  EXPECT_TRUE(info("a.msh")["cells_by_kind"].contains("hex27"));
  EXPECT_EQ(run("convert a.msh b.vtu --serendipity").exit_code, 0);
  EXPECT_TRUE(info("b.vtu")["cells_by_kind"].contains("hex20"));
  EXPECT_EQ(run("convert b.vtu c.inp --order 1").exit_code, 0);
  EXPECT_TRUE(info("c.inp")["cells_by_kind"].contains("hex8"));
  EXPECT_DOUBLE_EQ(info("c.inp")["volume"].get<double>(), info("a.msh")["volume"].get<double>());
}

TEST_F(RitzMesh, ConvertDoesNotOverwriteUnlessAsked) {
  put("a.vtu", "precious");
  const CommandResult refused = run("convert " + data("plate1.41.ascii.msh") + " a.vtu");
  EXPECT_EQ(refused.exit_code, 7);
  EXPECT_THAT(refused.output, AllOf(HasSubstr("exists already"), HasSubstr("--force")));
  EXPECT_EQ(run("convert " + data("plate1.41.ascii.msh") + " a.vtu --force").exit_code, 0);
  EXPECT_EQ(info("a.vtu")["dimension"], 2);
}

TEST_F(RitzMesh, ConvertRefusesOtherFormatsAndBrokenMeshes) {
  EXPECT_EQ(run("convert " + data("plate1.41.ascii.msh") + " a.stl").exit_code, 2);
  EXPECT_EQ(run("convert " + data("plate1.41.ascii.msh") + " a.inp --plane-type CPX").exit_code, 2);
  EXPECT_EQ(run("convert none.msh a.vtu").exit_code, 3);
  put_squares("bow.inp", "1,2", "1,1,2,4,3\n");
  EXPECT_EQ(run("convert bow.inp a.vtu").exit_code, 3);
  EXPECT_FALSE(exists("a.vtu"));
}

TEST_F(RitzMesh, RefineHalvesAsOftenAsAsked) {
  const json before = info(data("mixed2i.41.binary.msh"));
  EXPECT_EQ(run("refine " + data("mixed2i.41.binary.msh") + " fine.msh --times 2").exit_code, 0);
  const json after = info("fine.msh");
  EXPECT_EQ(after["cells_by_kind"]["hex20"].get<int>(), 64 * before["cells_by_kind"]["hex20"].get<int>());
  EXPECT_NEAR(after["volume"].get<double>(), before["volume"].get<double>(), 1e-12);
  EXPECT_NEAR(region_size(after, "roof"), region_size(before, "roof"), 1e-6)
      << "the quadrature is not exact for curved areas";
  EXPECT_EQ(run("refine " + data("mixed2i.41.binary.msh") + " finer.msh --times 99").exit_code, 2);
}

TEST_F(RitzMesh, CheckOfASoundMeshWritesNoPicture) {
  const CommandResult check = run("check " + data("two_boxes.41.ascii.msh"));
  EXPECT_EQ(check.exit_code, 0);
  EXPECT_THAT(check.output, HasSubstr("nothing is wrong"));
  EXPECT_FALSE(exists("two_boxes.41.ascii-problems.vtu"));
}

TEST_F(RitzMesh, CheckShowsTheCellsWithAProblem) {
  struct Bad {
    const char *last_node, *elements, *what;
    int cells;
  };
  // the other way round than its neighbour
  for (const Bad& bad :
       {Bad{"2,1", "1,1,2,3,4\n2,2,3,6,5\n", "inside out", 1}, Bad{"0.9,0.4", "1,1,2,3,4\n2,2,5,6,3\n", "folded", 1},
        Bad{"2,1", "1,1,2,3,4\n2,2,5,6,3\n3,2,3,4,1\n", "repeated", 3},
        Bad{"1,0.5", "1,1,2,3,4\n2,2,5,5,6\n", "", 1}}) {
    put_squares("bad.inp", bad.last_node, bad.elements);
    const CommandResult check = run("check bad.inp --vtu picture.vtu");
    EXPECT_EQ(check.exit_code, 3) << check.output;
    EXPECT_THAT(check.output, AllOf(HasSubstr(bad.what),
                                    HasSubstr(std::to_string(bad.cells) + " cells with a problem are in picture.vtu")));
    EXPECT_TRUE(exists("picture.vtu"));
    remove("picture.vtu");
  }
}

TEST_F(RitzMesh, CheckFindsHangingNodesCracksAndPoorShapes) {
  put("hanging.inp",
      "*NODE\n1,0,0\n2,1,0\n3,1,1\n4,0,1\n5,1,.5\n6,2,0\n7,2,.5\n8,2,1\n*ELEMENT,TYPE=CPS4\n1,1,2,3,4\n2,2,6,7,5\n3,5,"
      "7,8,3\n");
  EXPECT_EQ(run("check hanging.inp").exit_code, 3);
  EXPECT_EQ(info("hanging-problems.vtu")["cells"], 1);
  put("crack.inp",
      "*NODE\n1,0,0\n2,1,0\n3,1,1\n4,0,1\n5,1,0\n6,2,0\n7,2,1\n8,1,1\n*ELEMENT,TYPE=CPS4\n1,1,2,3,4\n2,5,6,7,8\n");
  EXPECT_EQ(run("check crack.inp").exit_code, 0) << "two bodies in touch may be meant";
  EXPECT_EQ(info("crack-problems.vtu")["cells"], 2);
  put("thin.inp", "*NODE\n1,0,0\n2,1,0\n3,1,1\n4,0.45,0.55\n*ELEMENT,TYPE=CPS4\n1,1,2,3,4\n");
  EXPECT_EQ(run("check thin.inp").exit_code, 0);
  const CommandResult poor = run("check thin.inp --min-jacobian 0.3");
  EXPECT_EQ(poor.exit_code, 3);
  EXPECT_THAT(poor.output, HasSubstr("scaled Jacobian below 0.3"));
  EXPECT_EQ(run("check thin.inp --min-jacobian 7").exit_code, 2);
}

TEST_F(RitzMesh, SliversAreNotNothingWrong) {
  put("sliver.inp",
      "*NODE\n1,0,0\n2,1,0\n3,1,1\n4,0,1\n5,0.5,0.005\n*ELEMENT,TYPE=CPS3\n1,1,2,5\n2,2,3,5\n3,3,4,5\n4,4,1,5\n");
  const CommandResult check = run("check sliver.inp --quality quality.vtu");
  EXPECT_EQ(check.exit_code, 0);
  EXPECT_THAT(check.output, AllOf(HasSubstr("verdict: poor: 1 cell below 0.1"), HasSubstr("(0.5, 0.00166667, 0)"),
                                  HasSubstr("1 cells with a problem are in sliver-problems.vtu"),
                                  Not(HasSubstr("nothing is wrong"))));
  EXPECT_EQ(info("quality.vtu")["cells"], 4);
}

TEST_F(RitzMesh, AGapBelowAHundredthOfAnEdgeIsNoticed) {
  for (const auto& [gap, is_noticed] : {std::pair{"1.001", true}, {"1.1", false}}) {
    put("gap.inp", std::string("*NODE\n1,0,0\n2,1,0\n3,1,1\n4,0,1\n5,") + gap + ",0\n6,2.1,0\n7,2.1,1\n8," + gap +
                       ",1\n*ELEMENT,TYPE=CPS4\n1,1,2,3,4\n2,5,6,7,8\n");
    EXPECT_EQ(run("check gap.inp").output.find("almost on each other") != std::string::npos, is_noticed) << gap;
  }
}

}  // namespace
