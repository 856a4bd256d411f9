#include "io/files/included_files.hpp"

#include "tests/io/files.hpp"

namespace ritz {
namespace {

std::vector<std::string> names_of(const std::vector<std::string>& paths) {
  std::vector<std::string> names;
  for (const std::string& path : paths) names.push_back(std::filesystem::path(path).filename().string());
  return names;
}

TEST(IncludedFiles, AreThoseOfAllWaysToInclude) {
  using ::testing::ElementsAre;
  const test::Folder folder;
  folder.put("part.inc", "1, 0., 0., 0.\n");
  folder.put("cells.inc", "** none\n*include , Input = \"part.inc\"\n");
  EXPECT_THAT(
      names_of(with_included_files(folder.put(
          "a.inp", "*NODE, INPUT=part.inc, SYSTEM=R\r\n *INCLUDE,INPUT=cells.inc\r\n*INCLUDE, INPUT=missing.inc\r\n"))),
      ElementsAre("a.inp", "part.inc", "cells.inc"));
  EXPECT_THAT(names_of(with_included_files(folder.put("a.bdf", "BEGIN BULK\nINCLUDE 'part.inc'\n"))),
              ElementsAre("a.bdf", "part.inc"));
  EXPECT_THAT(names_of(with_included_files(
                  folder.put("a.pvtu", "<VTKFile type=\"PUnstructuredGrid\">\n  <Piece Source=\"part.inc\"/>\n"))),
              ElementsAre("a.pvtu", "part.inc"));
  EXPECT_THAT(names_of(with_included_files(folder.put("a.cpp", "#include <cmath>\n#include \"part.inc\"\n"))),
              ElementsAre("a.cpp", "part.inc"));
  EXPECT_THAT(names_of(with_included_files(folder.put("circle.inp", "*INCLUDE, INPUT=circle.inp\n"))),
              ElementsAre("circle.inp"));
  EXPECT_THAT(names_of(with_included_files(folder.put("a.bin", std::string("\0\nINCLUDE 'part.inc'\n", 20)))),
              ElementsAre("a.bin"));
}

}  // namespace
}  // namespace ritz
