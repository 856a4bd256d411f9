// Shared by the tests of io: files to read, a folder to write to, and errors to expect.
#pragma once

#include "device/error.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include <unistd.h>

namespace ritz::test {

inline std::string data_file(const std::string& name) { return std::string(RITZ_TEST_DATA) + "/" + name; }

// A folder of its own that disappears with the test; the name has a space and an umlaut on purpose.
class Folder {
 public:
  Folder() {
    std::string test = ::testing::UnitTest::GetInstance()->current_test_info()->name();
    std::ranges::replace(test, '/', ' ');  // of a parameter, which would make a folder in a folder
    path_ = std::filesystem::temp_directory_path() / ("ritz io ä " + std::to_string(::getpid()) + " " + test);
    std::filesystem::create_directory(path_);
  }
  ~Folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  std::string file(const std::string& name) const { return (path_ / name).string(); }
  std::string path() const { return path_.string(); }
  std::string put(const std::string& name, const std::string& contents) const {
    std::ofstream(file(name), std::ios::binary) << contents;
    return file(name);
  }

 private:
  std::filesystem::path path_;
};

// Gives a file other contents in place: much faster than making thousands of files, or truncating one thousands of
// times.
inline void overwrite(const std::string& path, const std::string& contents) {
  if (!std::filesystem::exists(path)) std::ofstream(path, std::ios::binary) << contents;
  else std::fstream(path, std::ios::binary | std::ios::in | std::ios::out) << contents;
  std::filesystem::resize_file(path, contents.size());
}

inline std::string contents_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

inline std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << "'" << from << "' is not in the text";
  return at == std::string::npos ? text : text.replace(at, from.size(), to);
}

// The whole text of the error that `run` throws.
template <class Run>
std::string error_of(Run&& run, Exit exit) {
  try {
    run();
  } catch (const Error& error) {
    EXPECT_EQ(static_cast<int>(error.exit()), static_cast<int>(exit)) << error.what();
    return error.what();
  } catch (const std::exception& other) {
    ADD_FAILURE() << "an exception that is no Error: " << other.what();
    return {};
  }
  ADD_FAILURE() << "no error was thrown";
  return {};
}

}  // namespace ritz::test
