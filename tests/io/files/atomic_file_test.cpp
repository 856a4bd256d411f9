// The promise of write_file about a loss of power: a file has its old contents or its new ones, whole. A disk may lose
// everything that was not flushed, and names in a folder are contents of that folder. So the contents are flushed
// before the new name is given, and the folder after it. The calls of the C library are recorded here, in their order.
#include "io/files/atomic_file.hpp"

#include "io/files/commit_group.hpp"
#include "tests/io/files.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <filesystem>

#include <dlfcn.h>
#include <limits.h>
#include <unistd.h>

namespace {

std::vector<std::string>* record = nullptr;  // while somebody listens

std::string path_of(int descriptor) {
  std::array<char, PATH_MAX> path{};
  const std::string link = "/proc/self/fd/" + std::to_string(descriptor);
  const ssize_t length = ::readlink(link.c_str(), path.data(), path.size());
  return {path.data(), length < 0 ? 0 : static_cast<std::size_t>(length)};
}

template <class Function>
Function* real(const char* name) {
  return reinterpret_cast<Function*>(::dlsym(RTLD_NEXT, name));
}

}  // namespace

extern "C" int fsync(int descriptor) {
  if (record != nullptr) record->push_back("flush " + path_of(descriptor));
  return real<int(int)>("fsync")(descriptor);
}

extern "C" int rename(const char* from, const char* to) noexcept {
  if (record != nullptr) record->push_back(std::string("rename ") + to);
  return real<int(const char*, const char*)>("rename")(from, to);
}

extern "C" int renameat2(int from_folder, const char* from, int to_folder, const char* to, unsigned flags) noexcept {
  if (record != nullptr) record->push_back(std::string("rename ") + to);
  return real<int(int, const char*, int, const char*, unsigned)>("renameat2")(from_folder, from, to_folder, to, flags);
}

namespace ritz::test {
namespace {

using ::testing::ElementsAre;

class Calls {
 public:
  Calls() { record = &list; }
  ~Calls() { record = nullptr; }
  std::vector<std::string> list;
};

TEST(WriteFile, FlushesContentsBeforeTheNameAndTheFolderAfterIt) {
  const Folder folder;
  const std::string path = folder.put("results.csv", "old");
  Calls calls;
  write_file(path, "new");
  EXPECT_EQ(contents_of(path), "new");
  EXPECT_THAT(calls.list, ElementsAre("flush " + temporary_path(path), "rename " + path, "flush " + folder.path()));
}

TEST(WriteFile, DoesSoInTheFolderOfTheProcess) {
  const Folder folder;
  const std::filesystem::path before = std::filesystem::current_path();
  std::filesystem::current_path(folder.path());
  Calls calls;
  write_file("here.csv", "new");
  std::filesystem::current_path(before);
  EXPECT_THAT(calls.list,
              ElementsAre("flush " + folder.file("here.csv.tmp"), "rename here.csv", "flush " + folder.path()));
}

TEST(WriteNamedFile, ReplacesTheFileBehindLinksAndKeepsTheLinks) {
  const Folder folder;
  std::filesystem::create_directories(folder.file("far"));
  const std::string target = folder.put("far/results.json", "old");
  std::filesystem::create_symlink("far/results.json", folder.file("near"));  // relative to the folder of the link
  std::filesystem::create_symlink(folder.file("near"), folder.file("link"));
  Calls calls;
  write_named_file(folder.file("link"), "new");
  EXPECT_EQ(contents_of(target), "new");
  EXPECT_TRUE(std::filesystem::is_symlink(folder.file("link")));
  EXPECT_TRUE(std::filesystem::is_symlink(folder.file("near")));
  EXPECT_THAT(calls.list,
              ElementsAre("flush " + temporary_path(target), "rename " + target, "flush " + folder.file("far")));
}

TEST(WriteNamedFile, MakesTheFileToWhichALinkLeads) {
  const Folder folder;
  std::filesystem::create_symlink("later", folder.file("link"));
  write_named_file(folder.file("link"), "new");
  EXPECT_TRUE(std::filesystem::is_symlink(folder.file("link")));
  EXPECT_EQ(contents_of(folder.file("later")), "new");
}

TEST(NamedFile, KnowsTheStreamsOfTheProcess) {
  EXPECT_EQ(named_file("/proc/self/fd/1").descriptor, 1);
  EXPECT_EQ(named_file("/dev/fd/2").descriptor, 2);
  EXPECT_EQ(named_file("/dev/stdout").descriptor, 1);
  EXPECT_TRUE(named_file("/dev/null").takes_a_stream());
  const Folder folder;
  const NamedFile plain = named_file(folder.file("1"));
  EXPECT_EQ(plain.descriptor, -1);
  EXPECT_FALSE(plain.takes_a_stream());
}

TEST(ExchangeFile, FlushesContentsBeforeTheNameAndTheFolderAfterIt) {
  const Folder folder;
  const std::string path = folder.put("steps.hdf", "old");
  folder.put("steps.hdf.tmp", "new");
  Calls calls;
  exchange_file(path);
  EXPECT_EQ(contents_of(path), "new");
  ASSERT_GE(calls.list.size(), 3u);
  EXPECT_EQ(calls.list.front(), "flush " + temporary_path(path));
  EXPECT_EQ(calls.list[1], "rename " + path);
  EXPECT_EQ(calls.list.back(), "flush " + folder.path());
}

// Files of one step: no name is given before all contents are safe, and the step is over when the folder is.
TEST(CommitGroup, FlushesAllContentsBeforeTheFirstNameAndTheFolderAfterTheLast) {
  const Folder folder;
  const std::string a = folder.file("a.vtu"), b = folder.file("b.csv");
  Calls calls;
  CommitGroup group;
  write_file(a, "first");
  write_file(b, "second");
  EXPECT_TRUE(std::ranges::none_of(calls.list, [](const std::string& call) { return call.starts_with("rename"); }));
  group.commit();
  const auto place = [&](const std::string& call) { return std::ranges::find(calls.list, call) - calls.list.begin(); };
  for (const std::string& path : {a, b})
    for (const std::string& other : {a, b})
      EXPECT_LT(place("flush " + temporary_path(path)), place("rename " + other)) << path << " " << other;
  for (const std::string& path : {a, b}) EXPECT_LT(place("rename " + path), std::ssize(calls.list));
  EXPECT_EQ(calls.list.back(), "flush " + folder.path());
}

}  // namespace
}  // namespace ritz::test
