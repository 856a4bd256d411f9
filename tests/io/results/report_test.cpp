#include "io/results/report.hpp"

#include "io/results/log.hpp"
#include "tests/io/files.hpp"

#include <limits>

#include <nlohmann/json.hpp>

namespace ritz {
namespace {

using test::contents_of;
using test::error_of;
using test::Folder;
using ::testing::HasSubstr;
using ::testing::StrEq;

TEST(Report, SaysWhatAScriptNeeds) {
  RunReport report;
  report.program = "ritz_heat";
  report.device = "cpu";
  report.cells = 12;
  report.unknowns = std::int64_t{1} << 40;
  report.phases = {{"assembly", 0.5, 1000}};
  report.solves = {{"cg", "amg", 7, "converged", 1e-9}};
  report.memory.host_peak = 100;
  report.memory.device_limit = 200;
  report.memory.tags = {{"mesh", 0, 50, 40}};
  report.probes = {{"T", {3.5}}, {"u", {1, 2, 3}}};
  report.notices = {"one orphan node"};
  report.complete();
  const auto json = nlohmann::json::parse(to_json(report));
  EXPECT_EQ(json["status"], "complete");
  EXPECT_EQ(json["exit_code"], 0);
  EXPECT_EQ(json["unknowns"], std::int64_t{1} << 40);
  EXPECT_EQ(json["phases"]["assembly"]["seconds"], 0.5);
  EXPECT_EQ(json["phases"]["assembly"]["bytes"], 1000);
  EXPECT_TRUE(json["phases"]["assembly"]["kernel_rate"].is_null());  // none of its kernels says what it moves
  EXPECT_TRUE(json["phases"]["assembly"]["of_copy_rate"].is_null());
  EXPECT_TRUE(json["copy_rate"].is_null());
  EXPECT_EQ(json["solver"]["iterations"], 7);
  EXPECT_EQ(json["solver"]["true_relative_residual"], 1e-9);
  EXPECT_EQ(json["memory"]["host_peak"], 100);
  EXPECT_EQ(json["memory"]["device_limit"], 200);
  EXPECT_EQ(json["memory"]["by_tag"]["mesh"], 50);
  EXPECT_EQ(json["memory"]["at_peak"]["mesh"], 40);
  EXPECT_EQ(json["probes"]["T"], 3.5);
  EXPECT_EQ(json["probes"]["u"].size(), 3u);
  EXPECT_EQ(json["notices"][0], "one orphan node");
}

TEST(Report, LoadCasesHaveNumbersOfTheirOwnInTheOrderOfTheFile) {
  RunReport report;
  report.load_cases = {{"wind", {"cg", "amg", 7, "converged", 1e-9}, {{"tip", {3.5}}}, {{"reaction", "1 2"}}, "a.vtu"},
                       {.name = "snow"}};
  report.combinations = {{.name = "both", .probes = {{"tip", {1, 2}}}}};
  const auto json = nlohmann::ordered_json::parse(to_json(report));
  EXPECT_EQ(json["load_cases"].begin().key(), "wind");
  EXPECT_EQ(json["load_cases"]["wind"]["solver"]["iterations"], 7);
  EXPECT_EQ(json["load_cases"]["wind"]["probes"]["tip"], 3.5);
  EXPECT_EQ(json["load_cases"]["wind"]["facts"]["reaction"], "1 2");
  EXPECT_EQ(json["load_cases"]["wind"]["output"], "a.vtu");
  EXPECT_EQ(json["combinations"]["both"]["probes"]["tip"].size(), 2u);
}

TEST(Report, FailureListsEveryError) {
  RunReport report;
  report.fail(Errors({Error(ErrorKind::other_input, "a", "b", "c"), Error(ErrorKind::other_model, "d")}));
  const auto json = nlohmann::json::parse(to_json(report));
  EXPECT_EQ(json["status"], "failed");
  EXPECT_EQ(json["exit_code"], 2);
  ASSERT_EQ(json["errors"].size(), 2u);
  EXPECT_EQ(json["errors"][0]["fix"], "c");
  EXPECT_EQ(json["errors"][1]["exit_code"], 4);
}

TEST(Report, NumbersThatAreNoneAndForeignBytesStayValidJson) {
  RunReport report;
  report.mesh_file =
      "Gr\xF6\xDF"
      "e.msh";
  report.probes = {{"x", {std::numeric_limits<double>::quiet_NaN()}}};
  EXPECT_EQ(nlohmann::json::parse(to_json(report))["probes"]["x"], "nan");
}

TEST(Report, IsWrittenAtomicallyOrNotAtAll) {
  const Folder folder;
  write_report(folder.file("run.json"), RunReport{});
  EXPECT_THAT(contents_of(folder.file("run.json")), HasSubstr("\"exit_code\": 1"));
  EXPECT_FALSE(std::filesystem::exists(folder.file("run.json.tmp")));
  EXPECT_THAT(error_of([] { write_report("/nowhere/run.json", RunReport{}); }, Exit::output),
              HasSubstr("/nowhere/run.json"));
}

TEST(Report, KnowsThePeakOfTheMemory) {
  const std::int64_t before = host_memory_now();
  const std::vector<char> block(64 << 20, 'x');
  EXPECT_GE(host_memory_peak(), before + (32 << 20)) << block[0];
}

TEST(Log, FilesGetPlainLinesAndErrorsGoToTheOtherStream) {
  const Folder folder;
  {
    std::FILE* out = std::fopen(folder.file("out").c_str(), "w");
    std::FILE* err = std::fopen(folder.file("err").c_str(), "w");
    {
      Log log(LogLevel::normal, out, err);
      log.line("{} cells", 12);
      log.detail("not shown");
      log.notice("odd");
      for (int step = 0; step < 100; ++step) log.progress(fmt::format("step {}", step));
      log.error(Error(ErrorKind::mesh_contents, "broken", "because", "mend it"));
      EXPECT_THAT(log.notices(), ::testing::ElementsAre("odd"));
    }
    std::fclose(out);
    std::fclose(err);
  }
  EXPECT_THAT(contents_of(folder.file("out")), StrEq("12 cells\nnotice: odd\nstep 0\nstep 99\n"));
  EXPECT_THAT(contents_of(folder.file("err")), StrEq("error: broken\n  why: because\n  fix: mend it\n"));
}

TEST(Log, QuietShowsErrorsOnly) {
  const Folder folder;
  std::FILE* out = std::fopen(folder.file("out").c_str(), "w");
  {
    Log log(LogLevel::quiet, out, out);
    log.line("no");
    log.progress("no");
    log.error(Error(ErrorKind::mesh_contents, "yes"));
  }
  std::fclose(out);
  EXPECT_THAT(contents_of(folder.file("out")), StrEq("error: yes\n"));
}

}  // namespace
}  // namespace ritz
