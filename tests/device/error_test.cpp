#include "device/error.hpp"

#include <gtest/gtest.h>

namespace ritz {
namespace {

TEST(Error, SaysWhatWhyAndFixOnLinesOfTheirOwn) {
  const Error error(ErrorKind::inverted_cells, "cell 12 has volume -0.3", "its nodes are inside out", "swap two nodes");
  EXPECT_STREQ(error.what(), "error: cell 12 has volume -0.3\n  why: its nodes are inside out\n  fix: swap two nodes");
  EXPECT_EQ(error.exit(), Exit::mesh);
  EXPECT_STREQ(Error(ErrorKind::other_input, "short").what(), "error: short");
}

TEST(Error, ExitCodesAreTheDocumentedOnes) {
  EXPECT_EQ(static_cast<int>(Exit::not_converged), 5);
  EXPECT_EQ(static_cast<int>(Exit::resources), 6);
  EXPECT_EQ(static_cast<int>(Exit::environment), 8);
  EXPECT_EQ(static_cast<int>(Exit::stopped), 75);
}

TEST(ErrorList, ThrowsNothingOneOrAll) {
  ErrorList list;
  EXPECT_NO_THROW(list.throw_if_any());
  list.add(Error(ErrorKind::other_model, "first"));
  EXPECT_THROW(list.throw_if_any(), Error);
  ErrorList more;
  more.add(Error(ErrorKind::other_input, "second"));
  list.add(more);
  try {
    list.throw_if_any();
    FAIL();
  } catch (const Errors& errors) {
    EXPECT_EQ(errors.list().size(), 2u);
    EXPECT_EQ(errors.exit(), Exit::model);
    EXPECT_STREQ(errors.what(), "error: first\nerror: second");
  }
}

TEST(NearestMatch, FindsTyposAndRefusesTheFarFetched) {
  const std::vector<std::string> names{"steel", "aluminium", "fixed", "load"};
  EXPECT_EQ(nearest_match("stel", names), "steel");
  EXPECT_EQ(nearest_match("Steel", names), "steel");
  EXPECT_EQ(nearest_match("aluminum", names), "aluminium");
  EXPECT_EQ(nearest_match("fxied", names), "fixed");
  EXPECT_EQ(nearest_match("from", {"frame", "form"}), "form");  // neighbours swapped are one mistake, not two
  EXPECT_EQ(nearest_match("temperature", names), "");
  EXPECT_EQ(nearest_match("yield", {"young", "yield_stress"}), "yield_stress");  // the only one that begins like this
  EXPECT_EQ(nearest_match("plane", {"plane_strain_plasticity", "plane_stress_plasticity"}), "");
  EXPECT_EQ(nearest_match("A", {"all"}), "");  // of three letters one is right
  EXPECT_EQ(nearest_match("xO", {"x0"}), "x0");
  EXPECT_EQ(nearest_match("steel", {}), "");
}

TEST(QuotedList, ReadsLikeASentence) {
  EXPECT_EQ(quoted_list({}), "none");
  EXPECT_EQ(quoted_list({"a"}), "'a'");
  EXPECT_EQ(quoted_list({"a", "b", "c"}), "'a', 'b' and 'c'");
}

}  // namespace
}  // namespace ritz
