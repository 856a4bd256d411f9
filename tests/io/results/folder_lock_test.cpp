#include "io/results/folder_lock.hpp"

#include "io/results/library_versions.hpp"
#include "tests/io/files.hpp"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <unistd.h>

namespace ritz {
namespace {

using test::error_of;
using test::Folder;
using ::testing::HasSubstr;

TEST(FolderLock, OnlyAFolderThatARunHoldsHasAHolder) {
  const Folder folder;
  const std::string left = folder.put(".ritz-lock", "");  // by a run that died
  EXPECT_FALSE(holder_of(folder.path()).has_value());
  {
    const FolderLock held(folder.path(), "ritz-heat");
    ASSERT_TRUE(holder_of(folder.path()).has_value());
    EXPECT_EQ(holder_of(folder.path())->program, "ritz-heat");
    EXPECT_THAT(error_of([&] { FolderLock(folder.path(), "ritz-modal"); }, Exit::output), HasSubstr("ritz-heat"));
  }
  folder.put(".ritz-lock", "");
  errno = EWOULDBLOCK;  // of an earlier call
  EXPECT_FALSE(holder_of(folder.path()).has_value());
}

int looks = -1;

// An alarm ends the look, so that a busy machine does not delay it beyond the next try.
TEST(FolderLock, WaitsForOneWhoOnlyLooks) {
  const Folder folder;
  looks = ::open(folder.put(".ritz-lock", "").c_str(), O_RDONLY | O_CLOEXEC);
  ASSERT_EQ(::flock(looks, LOCK_SH), 0);
  const auto old_handler = std::signal(SIGALRM, [](int) { ::close(looks); });
  const itimerval soon{{0, 0}, {0, 5000}};
  ::setitimer(ITIMER_REAL, &soon, nullptr);
  EXPECT_NO_THROW(FolderLock(folder.path(), "ritz-heat"));
  std::signal(SIGALRM, old_handler);
}

// A limit on the size of files stands for a full disk.
TEST(FolderLock, ThatCannotBeWrittenIsAnErrorAndLeavesNoFile) {
  const Folder folder;
  const auto old_handler = std::signal(SIGXFSZ, SIG_IGN);
  rlimit limit{};
  getrlimit(RLIMIT_FSIZE, &limit);
  rlimit none = limit;
  none.rlim_cur = 0;
  setrlimit(RLIMIT_FSIZE, &none);
  const std::string text = error_of([&] { FolderLock(folder.path(), "ritz-heat"); }, Exit::output);
  setrlimit(RLIMIT_FSIZE, &limit);
  std::signal(SIGXFSZ, old_handler);
  EXPECT_THAT(text, HasSubstr("File too large"));
  EXPECT_FALSE(std::filesystem::exists(folder.file(".ritz-lock")));
}

TEST(LibraryVersions, OfFmtIsThatOfItsHeader) {
  const std::string text = library_versions();
  int major = 0, minor = 0, patch = 0;
  ASSERT_EQ(std::sscanf(text.substr(text.find("fmt ")).c_str(), "fmt %d.%d.%d", &major, &minor, &patch), 3) << text;
  EXPECT_LT(std::max(minor, patch), 100);
  EXPECT_EQ(10000 * major + 100 * minor + patch, FMT_VERSION);
}

}  // namespace
}  // namespace ritz
