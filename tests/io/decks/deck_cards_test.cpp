// Keyword lines of a deck by the rules of Abaqus: fields between commas, capitals do not matter, a comma at the end of
// a keyword line continues it, two asterisks begin a comment.
#include "io/decks/deck_cards.hpp"
#include "io/meshes/mesh_reader.hpp"

#include "tests/io/files.hpp"

#include <filesystem>

namespace ritz::test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::vector<DeckCard> cards_of(const std::string& text) {
  const Folder folder;
  return read_cards(folder.put("job.inp", text));
}

TEST(DeckCards, FieldsAreTrimmedAndACommaAtTheEndAddsNone) {
  const auto cards = cards_of("*BOUNDARY\n ROOT , 1,  3,\n7\n,2\n");
  ASSERT_EQ(cards.size(), 1u);
  EXPECT_THAT(cards[0].data, ElementsAre(ElementsAre("ROOT", "1", "3"), ElementsAre("7"), ElementsAre("", "2")));
}

TEST(DeckCards, AStarAloneIsAKeywordWithoutAName) {
  const auto cards = cards_of("*\n1,\n*STEP\n");
  ASSERT_EQ(cards.size(), 2u);
  EXPECT_EQ(cards[0].keyword, "");
  EXPECT_EQ(cards[1].keyword, "STEP");
}

TEST(DeckCards, QuotesAreNoPartOfAName) {
  const auto cards = cards_of("*MATERIAL, NAME=\"cast iron\"\n*ELASTIC\n\"1\n1\"\n\"\n");
  EXPECT_EQ(cards[0].parameter("NAME"), "cast iron");
  EXPECT_EQ(cards[1].text(0, 0), "\"1");  // one quote is no pair
  EXPECT_EQ(cards[1].text(1, 0), "1\"");
  EXPECT_EQ(cards[1].text(2, 0), "\"");
}

TEST(DeckCards, NamesOfKeywordsAndParametersAreInCapitals) {
  const auto cards = cards_of("*Solid Section, elset=EAll,Material = Steel\n");
  EXPECT_EQ(cards[0].keyword, "SOLID SECTION");
  EXPECT_EQ(cards[0].parameter("ELSET"), "EAll");
  EXPECT_EQ(cards[0].parameter("MATERIAL"), "Steel");
  EXPECT_EQ(cards[0].parameter("ORIENTATION"), "");
}

TEST(DeckCards, AKeywordLineGoesOnAfterACommaOverSeveralLines) {
  const auto cards = cards_of("*SURFACE INTERACTION,\nNAME=pads,\nUSER\n1, 2\n");
  ASSERT_EQ(cards.size(), 1u);
  EXPECT_EQ(cards[0].parameter("NAME"), "pads");
  EXPECT_TRUE(cards[0].parameters.contains("USER"));
  EXPECT_THAT(cards[0].data, ElementsAre(ElementsAre("1", "2")));
}

TEST(DeckCards, LinesOfTheMeshAndCommentsAreNoData) {
  const auto cards = cards_of("1, 2\n*NODE\n1, 0, 0, 0\n** a comment\n*DENSITY\n** another\n7.8\n*ELSET, ELSET=a\n1\n");
  ASSERT_EQ(cards.size(), 3u);
  EXPECT_TRUE(cards[0].data.empty());
  EXPECT_THAT(cards[1].data, ElementsAre(ElementsAre("7.8")));
  EXPECT_EQ(cards[1].line, 5);
  EXPECT_TRUE(cards[2].data.empty());
}

TEST(DeckCards, NumbersMayHaveAnExponentOfFortran) {
  const auto cards = cards_of("*DENSITY\n7.85D-9, 1d3, x\n");
  EXPECT_EQ(cards[0].number(0, 0), 7.85e-9);
  EXPECT_EQ(cards[0].number(0, 1), 1000);
  EXPECT_EQ(cards[0].number(0, 5), 0);
  EXPECT_EQ(cards[0].number(9, 0), 0);
  try {
    cards[0].number(0, 2);
    FAIL() << "'x' was taken for a number";
  } catch (const Error& error) {
    EXPECT_THAT(error.message(), HasSubstr("'x' of *DENSITY is no number"));
    EXPECT_THAT(error.message(), HasSubstr("job.inp:1"));
  }
}

TEST(DeckCards, SurfacesKeepTheirFaces) {
  const auto cards = cards_of("*SURFACE, NAME=bottom\nPLATE, SNEG\n*ELSET, ELSET=a\n1\n");
  EXPECT_THAT(cards[0].data, ElementsAre(ElementsAre("PLATE", "SNEG")));
}

TEST(DeckCards, BlanksWithinAKeywordAreOne) {
  EXPECT_EQ(cards_of("*Solid   Section, ELSET=a\n")[0].keyword, "SOLID SECTION");
  EXPECT_EQ(cards_of("*SolidSection, ELSET=a\n")[0].keyword, "SOLID SECTION");  // as CalculiX reads it
  EXPECT_EQ(cards_of("*HEATTRANSFER\n")[0].keyword, "HEAT TRANSFER");
}

TEST(DeckCards, AnIncludedFileStandsInTheDeckAsItsText) {
  const Folder folder;
  folder.put("steel.inc", "*ELASTIC\n2, 0\n");
  folder.put("loads.inc", "TOP, 3, -1.\n");
  const auto cards = read_cards(folder.put("job.inp",
                                           "*MATERIAL, NAME=s\n*INCLUDE, INPUT=steel.inc\n3, 0\n*STEP\n*CLOAD\n"
                                           "LEFT, 1, 2.\n*INCLUDE, INPUT=loads.inc\nRIGHT, 1, 4.\n"));
  ASSERT_EQ(cards.size(), 4u);
  EXPECT_EQ(cards[1].keyword, "ELASTIC");
  EXPECT_THAT(cards[1].data, ElementsAre(ElementsAre("2", "0"), ElementsAre("3", "0")));
  EXPECT_EQ(cards[2].line, 4);
  EXPECT_THAT(cards[3].data, ElementsAre(ElementsAre("LEFT", "1", "2."), ElementsAre("TOP", "3", "-1."),
                                         ElementsAre("RIGHT", "1", "4.")));
}

TEST(DeckCards, TheDataOfAnInputFileBelongToTheirKeyword) {
  const Folder folder;
  folder.put("loads.inc", "TOP, 3, -1.\n");
  const auto cards = read_cards(folder.put("job.inp", "*CLOAD,\nINPUT=loads.inc\nLEFT, 1, 2.\n"));
  ASSERT_EQ(cards.size(), 1u);
  EXPECT_THAT(cards[0].data, ElementsAre(ElementsAre("TOP", "3", "-1."), ElementsAre("LEFT", "1", "2.")));
}

// Cards and mesh of a deck follow one rule, that of CalculiX first.
TEST(DeckCards, IncludedFilesAreFoundFromTheDeckAndFromTheFileThatIncludes) {
  const Folder folder;
  std::filesystem::create_directory(folder.file("sub"));
  folder.put("sub/a.inc", "*INCLUDE, INPUT=sub/b.inc\n*INCLUDE, INPUT=c.inc\n");
  folder.put("sub/b.inc", "*NODE\n1,0,0,0\n2,1,0,0\n3,0,1,0\n4,0,0,1\n");
  folder.put("sub/c.inc", "*ELEMENT, TYPE=C3D4, ELSET=E\n1,1,2,3,4\n");
  const std::string deck = folder.put("job.inp", "*INCLUDE, INPUT=sub/a.inc\n");
  EXPECT_EQ(read_cards(deck).size(), 2u);
  EXPECT_EQ(read_mesh(deck).cell_count(), 1);
}

TEST(DeckCards, ADeckThatIncludesItselfIsRefused) {
  const Folder folder;
  try {
    read_cards(folder.put("job.inp", "*INCLUDE, INPUT=job.inp\n"));
    FAIL() << "it was read";
  } catch (const Error& error) { EXPECT_THAT(error.message(), HasSubstr("includes itself")); }
}

}  // namespace
}  // namespace ritz::test
