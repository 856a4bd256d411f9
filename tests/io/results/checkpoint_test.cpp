// Checkpoints: what is read is what was written, or an error; damage is seen wherever it is.
#include "io/results/checkpoint.hpp"

#include "io/files/checksum.hpp"
#include "tests/io/files.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

namespace ritz::test {
namespace {

namespace fs = std::filesystem;

const CheckpointOwner bracket{
    "young = 2e11\npoisson = 0.3\n", "ritz-elasticity", "CPU, 2 threads", {"0badcafe bracket.msh"}};

struct Kept {
  explicit Kept(const Folder& folder, CheckpointOwner owner = bracket, double every = 0)
      : path(folder.file("bracket.checkpoint")),
        checkpoints(
            path, [owner] { return owner; }, every, [this](const std::string& text) { notices.push_back(text); }) {}
  std::vector<std::string> files() const {
    std::vector<std::string> names;
    if (fs::exists(path))
      for (const auto& entry : fs::directory_iterator(path)) names.push_back(entry.path().string());
    std::sort(names.begin(), names.end());
    return names;
  }
  void commit(int increment) {
    checkpoints.keep(state(increment));
    checkpoints.commit();
  }
  static CheckpointState state(int increment) {
    std::vector<double> u{
        0, -0.0, 1.0 / 3, 5e-324, std::numeric_limits<double>::infinity(), std::nan(""), double(increment)};
    return {fmt(increment),
            increment,
            {{"u", std::make_shared<const std::vector<double>>(u)},
             {"nothing", std::make_shared<const std::vector<double>>()}},
            {{"report", {"cg", "", "Größe = 3\nmm"}}}};
  }
  static std::string fmt(int increment) { return "increment " + std::to_string(increment) + " of 9"; }

  std::string path;
  std::vector<std::string> notices;
  Checkpoints checkpoints;
};

void expect_state(const std::optional<CheckpointState>& found, int increment) {
  ASSERT_TRUE(found.has_value());
  const CheckpointState expected = Kept::state(increment);
  EXPECT_EQ(found->where, expected.where);
  EXPECT_EQ(found->steps, increment);
  EXPECT_EQ(found->texts, expected.texts);
  ASSERT_EQ(found->numbers.size(), 2u);
  EXPECT_TRUE(found->numbers.at("nothing")->empty());
  const std::vector<double>&a = *found->numbers.at("u"), &b = *expected.numbers.at("u");
  ASSERT_EQ(a.size(), b.size());
  EXPECT_EQ(std::memcmp(a.data(), b.data(), a.size() * sizeof(double)), 0);  // NaN and -0 too
}

std::string bytes_of(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

Error error_of(const Checkpoints& checkpoints) {
  try {
    checkpoints.newest();
  } catch (const Error& error) { return error; }
  ADD_FAILURE() << "no error";
  return Error(ErrorKind{}, "");
}

TEST(Checkpoints, GiveBackWhatWasKeptToTheLastBit) {
  const Folder folder;
  Kept kept(folder);
  EXPECT_FALSE(kept.checkpoints.newest().has_value());
  kept.commit(3);
  expect_state(kept.checkpoints.newest(), 3);
  Kept later(folder);
  expect_state(later.checkpoints.newest(), 3);
  EXPECT_TRUE(later.notices.empty());
}

TEST(Checkpoints, AreWrittenWhenTheRunIsStoppedOrTheirTimeHasCome) {
  const Folder folder;
  Kept kept(folder);
  kept.checkpoints.commit();  // nothing is kept
  kept.checkpoints.keep(Kept::state(1));
  EXPECT_TRUE(kept.files().empty());
  kept.checkpoints.commit();
  kept.checkpoints.commit();
  EXPECT_EQ(kept.files().size(), 1u);
  Kept often(folder, bracket, 1e-9);
  often.checkpoints.keep(Kept::state(2));
  expect_state(often.checkpoints.newest(), 2);
}

TEST(Checkpoints, TwoStayAndNoTemporary) {
  const Folder folder;
  Kept kept(folder);
  for (int i = 1; i <= 5; ++i) kept.commit(i);
  EXPECT_EQ(kept.files().size(), 2u);
  Kept later(folder);
  later.commit(6);
  EXPECT_EQ(later.files().size(), 2u);
  expect_state(later.checkpoints.newest(), 6);
  later.checkpoints.remove();
  EXPECT_FALSE(fs::exists(later.path));
}

TEST(Checkpoints, ADamagedByteAnywhereMakesTheOneBeforeIt) {
  const Folder folder;
  Kept kept(folder);
  kept.commit(1);
  kept.commit(2);
  const std::string newest = kept.files().back(), whole = bytes_of(newest);
  for (std::size_t i = 0; i < whole.size(); i += 7) {
    std::string damaged = whole;
    damaged[i] = static_cast<char>(damaged[i] ^ 0x10);
    std::ofstream(newest, std::ios::binary) << damaged;
    ASSERT_EQ(kept.checkpoints.newest()->steps, 1) << "byte " << i;
  }
  std::ofstream(newest, std::ios::binary) << whole.substr(0, whole.size() / 2);
  EXPECT_EQ(kept.checkpoints.newest()->steps, 1);
  EXPECT_NE(kept.notices.back().find("is damaged"), std::string::npos);
  std::ofstream(newest, std::ios::binary) << whole;
  EXPECT_EQ(kept.checkpoints.newest()->steps, 2);
}

TEST(Checkpoints, NoneThatIsWholeIsAnError) {
  const Folder folder;
  Kept kept(folder);
  kept.commit(1);
  std::ofstream(kept.files().front(), std::ios::app) << "x";
  EXPECT_EQ(error_of(kept.checkpoints).exit(), Exit::checkpoint);
}

TEST(Checkpoints, WhoseNameFitsButHoldsSomethingElseIsAnError) {
  const Folder folder;
  Kept kept(folder);
  kept.commit(1);
  const std::string text = "no HDF5";
  char name[32];
  std::snprintf(name, sizeof name, "000009-%08x.h5", crc32_of(text));
  std::ofstream(kept.path + "/" + name) << text;
  EXPECT_EQ(error_of(kept.checkpoints).exit(), Exit::checkpoint);
}

TEST(Checkpoints, OfAnotherCaseFileOrProgramAreRefusedAndSayWhatDiffers) {
  const Folder folder;
  Kept kept(folder);
  kept.commit(1);
  const auto refused = [&](CheckpointOwner other) {
    const Kept now(folder, std::move(other));
    const Error error = error_of(now.checkpoints);
    EXPECT_EQ(error.exit(), Exit::checkpoint);
    return error.why();
  };
  CheckpointOwner other = bracket;
  other.case_text = "young = 2e11\npoisson = 0.2\n";
  EXPECT_EQ(refused(other), "the case has changed: 'poisson = 0.3' then, 'poisson = 0.2' now");
  other = bracket;
  other.case_text += "more = 1\n";
  EXPECT_EQ(refused(other), "the case has changed: nothing then, 'more = 1' now");
  other = bracket;
  other.files = {"0badcaff bracket.msh"};
  EXPECT_NE(refused(other).find("0badcaff bracket.msh"), std::string::npos);
  other = bracket;
  other.program = "ritz-heat";
  EXPECT_NE(refused(other).find("ritz-heat"), std::string::npos);
  other = bracket;
  other.device = "GPU 0";
  Kept elsewhere(folder, other);
  expect_state(elsewhere.checkpoints.newest(), 1);
  EXPECT_EQ(elsewhere.notices.size(), 1u);
}

TEST(Checkpoints, ThatCannotBeWrittenLeaveTheOlderOnes) {
  const Folder folder;
  Kept kept(folder);
  kept.commit(1);
  fs::create_directory(kept.path + "/checkpoint.tmp");  // where the next one would be started
  try {
    kept.commit(2);
    ADD_FAILURE() << "no error";
  } catch (const Error& error) { EXPECT_EQ(error.exit(), Exit::output); }
  expect_state(kept.checkpoints.newest(), 1);
}

}  // namespace
}  // namespace ritz::test
