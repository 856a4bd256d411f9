// One run at a time in a folder of results. The file `.ritz-lock` names the run that holds it (host, process, since
// when); the lock itself is flock(2), which the system releases when the process dies, so that a stale file is
// recognised with certainty, even if its process number is in use again.
#pragma once

#include "device/message_sink.hpp"
#include "device/process/stop_request.hpp"

#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace ritz {

struct LockHolder {
  std::string host, program, began;  // began: UTC
  long pid = 0;
};

class FolderLock {
 public:
  // Throws Error: Exit::output, naming the holder, when another run holds it. `notice` is called if a dead run left its
  // file.
  FolderLock(const std::string& folder, const std::string& program, const MessageSink& notice = {});
  ~FolderLock();  // removes the file
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;

 private:
  void take(const std::string& folder);
  std::optional<LockHolder> earlier_holder();
  void take_over(const std::string& folder, const LockHolder& dead, const LockHolder& me, const MessageSink& notice);
  void write_holder(const std::string& folder, const LockHolder& me);
  [[noreturn]] void fail(const std::string& folder);
  [[noreturn]] void throw_other_file(const char* what);

  std::string path_;
  int descriptor_ = -1;
  std::unique_ptr<RemovedWhenStopped> removal_;
};

// The run that is writing there now; empty if there is none.
std::optional<LockHolder> holder_of(const std::string& folder);

std::string utc_now();  // "2026-11-21T07:31:01Z"

}  // namespace ritz
