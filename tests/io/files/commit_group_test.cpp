// Files that are committed together: none before, all after.
#include "io/files/commit_group.hpp"

#include "io/case/csv.hpp"
#include "io/files/atomic_file.hpp"
#include "tests/io/files.hpp"

#include <gtest/gtest.h>

#include <filesystem>

namespace ritz::test {
namespace {

TEST(CommitGroup, ShowsNothingBeforeAndAllAfter) {
  const Folder folder;
  const std::string a = folder.file("a.txt"), b = folder.file("b.txt");
  CommitGroup group;
  write_file(a, "first");
  write_file(b, "other");
  write_file(a, "second");  // the last one counts
  EXPECT_EQ(group.size(), 2u);
  EXPECT_FALSE(std::filesystem::exists(a));
  group.commit();
  EXPECT_EQ(contents_of(a), "second");
  EXPECT_EQ(contents_of(b), "other");
  EXPECT_FALSE(std::filesystem::exists(temporary_path(a)));
}

TEST(CommitGroup, DiscardsWhatWasNotCommitted) {
  const Folder folder;
  const std::string a = folder.file("a.txt");
  {
    CommitGroup group;
    write_file(a, "never");
  }
  EXPECT_FALSE(std::filesystem::exists(a));
  EXPECT_FALSE(std::filesystem::exists(temporary_path(a)));
  write_file(a, "at once");  // the group is gone
  EXPECT_EQ(contents_of(a), "at once");
}

TEST(Csv, ReadsWhatItWrites) {
  const std::vector<std::string> cells{"plain", "with, comma", "with \"quotes\"", "two\nlines", "", "[0, 1]"};
  std::string line;
  for (const std::string& cell : cells) line += csv_cell(cell) + (&cell == &cells.back() ? "\r\n" : ",");
  EXPECT_EQ(csv_rows("\xEF\xBB\xBF" + line + "\n\n" + line), (std::vector<std::vector<std::string>>{cells, cells}));
}

TEST(Csv, TakesBlanksAroundCells) {
  EXPECT_EQ(csv_rows(" a , \"b\" ,c "), (std::vector<std::vector<std::string>>{{"a", "b", "c"}}));
}

}  // namespace
}  // namespace ritz::test
