#include "device/ranks/launcher.hpp"

#include "device/error.hpp"
#include "device/process/stop_request.hpp"
#include "device/ranks/ranks.hpp"

#include <gtest/gtest.h>

#include <cstdlib>

namespace ritz {
namespace {

// Variables of launchers, set by a test and gone after it.
class SeveralRanks : public ::testing::Test {
 protected:
  SeveralRanks() { clear(); }
  ~SeveralRanks() override { clear(); }
  void set(const char* name, const char* value) { ::setenv(name, value, 1); }

 private:
  static void clear() {
    for (const char* name : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "MV2_COMM_WORLD_SIZE", "SLURM_STEP_NUM_TASKS",
                             "SLURM_NTASKS", "OMPI_COMM_WORLD_RANK", "RITZ_INDEPENDENT_RANKS"})
      ::unsetenv(name);
  }
};

TEST_F(SeveralRanks, AreRefusedWithWhatToDo) {
  for (const char* variable : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "MV2_COMM_WORLD_SIZE", "SLURM_STEP_NUM_TASKS"}) {
    set(variable, "16");
    try {
      require_one_rank();
      ADD_FAILURE() << variable;
    } catch (const Error& error) {
      EXPECT_EQ(error.exit(), Exit::environment);
      EXPECT_NE(error.message().find("16 ranks"), std::string::npos);
      EXPECT_NE(error.why().find(variable), std::string::npos);
      EXPECT_NE(error.fix().find("--ntasks=1"), std::string::npos);
    }
    ::unsetenv(variable);
  }
}

TEST_F(SeveralRanks, KnowTheirNumber) {
  set("OMPI_COMM_WORLD_SIZE", "4");
  set("OMPI_COMM_WORLD_RANK", "3");
  EXPECT_EQ(launched().ranks, 4);
  EXPECT_EQ(launched().rank, 3);
  set("RITZ_INDEPENDENT_RANKS", "1");
  EXPECT_EQ(launched().rank, 0);
}

TEST_F(SeveralRanks, OneRankAndABatchScriptOutsideOfSrunAreNone) {
  EXPECT_NO_THROW(require_one_rank());
  set("OMPI_COMM_WORLD_SIZE", "1");
  set("SLURM_STEP_NUM_TASKS", "1");
  set("SLURM_NTASKS", "64");  // of the job, in whose script one program runs
  set("PMI_SIZE", "none");
  EXPECT_NO_THROW(require_one_rank());
}

TEST_F(SeveralRanks, MayEachHaveACaseOfTheirOwn) {
  set("PMI_SIZE", "4");
  set("RITZ_INDEPENDENT_RANKS", "1");
  EXPECT_NO_THROW(require_one_rank());
  set("RITZ_INDEPENDENT_RANKS", "0");
  EXPECT_THROW(require_one_rank(), Error);
}

// All ranks have the same limit, and each may be the first to see that it is over.
TEST(Ranks, NameTheRankThatFailedButNotThatWhichStops) {
  EXPECT_EQ(message_of_rank(2, Exit::resources, "no memory"), "rank 2: no memory");
  EXPECT_EQ(message_of_rank(2, time_is_up, "stopped at the time limit of 3 s"), "stopped at the time limit of 3 s");
  EXPECT_EQ(message_of_rank(2, exit_of_signal(15), "stopped by SIGTERM"), "stopped by SIGTERM");
}

}  // namespace
}  // namespace ritz
