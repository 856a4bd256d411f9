#include "io/files/journal.hpp"
#include "io/results/log.hpp"
#include "tests/io/files.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ritz {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::string line(const std::string& series, int step) {
  return to_line({.case_name = "bar", .series = series, .step = step, .files = {{.path = series, .checksum = {1, 2}}}});
}

TEST(Journal, StepsOfEachSeriesFollowEachOther) {
  const std::string a = line("a.hdf", 0), b = line("a.hdf", 1), c = line("a.hdf", 2), other = line("mode.hdf", 0);
  EXPECT_THAT(parse_journal(a + other + b + c).damaged_lines, IsEmpty());
  EXPECT_THAT(parse_journal(a + c + b).damaged_lines, ElementsAre(2, 3)) << "swapped";
  EXPECT_THAT(parse_journal(a + c).damaged_lines, ElementsAre(2)) << "one is missing";
  EXPECT_THAT(parse_journal(a + "x" + b + c).damaged_lines, ElementsAre(2))
      << "what a damaged line held is not missing";
  EXPECT_THAT(parse_journal(a + a).damaged_lines, ElementsAre(2));
}

TEST(Journal, ALineThatNamesAFileElsewhereIsDamaged) {
  EXPECT_THAT(parse_journal(line("a..b/..c", 0)).damaged_lines, IsEmpty());
  for (const std::string& name : std::vector<std::string>{"/etc/passwd", "../a", "a/../../b", "a/..", "", {"a\0b", 3}})
    EXPECT_THAT(parse_journal(line(name, 0)).damaged_lines, ElementsAre(1)) << name;
  EXPECT_THAT(parse_journal(to_line({.case_name = "bar", .series = "a", .files = {}})).damaged_lines, ElementsAre(1));
}

TEST(Journal, ALinkThatLeadsOutOfTheFolderIsNotFollowed) {
  const test::Folder folder;
  std::filesystem::create_directories(folder.file("in/deep"));
  std::filesystem::create_directories(folder.file("out"));
  std::filesystem::create_directory_symlink("deep", folder.file("in/near"));
  std::filesystem::create_directory_symlink("../out", folder.file("in/far"));
  folder.put("out/file", "of somebody else");
  std::filesystem::create_symlink("../out/file", folder.file("in/file"));
  const std::string in = folder.file("in");
  for (const char* name : {"a", "deep/a", "near/a", "new/a"}) EXPECT_EQ(path_within(in, name), in + "/" + name);
  for (const char* name : {"far/a", "file", "far"})
    EXPECT_THAT(test::error_of([&] { path_within(in, name); }, Exit::checkpoint), HasSubstr("leads out of the folder"));
}

TEST(Journal, TheEndOfARunIsKnownUntilItHasAnotherStep) {
  const std::string end = to_line_of_end("bar", "this run");
  EXPECT_EQ(parse_journal(line("a", 0) + end).complete.at("bar"), "this run");
  EXPECT_TRUE(parse_journal(line("a", 0) + end + line("a", 1)).complete.empty());
}

TEST(Printable, ControlCharactersAreNamedAndLettersStay) {
  EXPECT_EQ(printable("\x1b[31mfin\x7f\r"), "\\x1b[31mfin\\x7f\\x0d");
  EXPECT_EQ(printable("\xc2\x9b"
                      "2J"),
            "\\xc2\\x9b2J");  // U+009B, which is ESC [
  EXPECT_EQ(printable("Größe \xc2\xb2\n\t✓"), "Größe \xc2\xb2\n\t✓");
}

}  // namespace
}  // namespace ritz
