// The functions of NCCL that Ritz calls, between processes with an emulated GPU each: messages are files of a folder
// that all see. As with NCCL, the host goes on when an exchange is queued, what is sent is what the stream has written
// when its turn comes, and what arrives is there when the stream has come so far: only who waits for it sees it.
//
//   RITZ_EMULATED_NCCL         the folder (/tmp)
//   RITZ_EMULATED_NCCL_FAULT   "init:1", "group:1:20", "killed:1:20": on rank 1 the start fails, or the 20th exchange,
//   or
//                              the process is killed there
#include "tests/cuda_emulator/memory.hpp"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <map>
#include <nccl.h>
#include <thread>
#include <unistd.h>
#include <utility>
#include <vector>

using namespace ritz::emulator;
namespace files = std::filesystem;

struct ncclComm {
  files::path folder;
  int rank, count;
  int device = current_device();
  int exchanges = 0;
  std::map<int, int> sent, received;  // [peer], messages so far
  std::shared_ptr<bool> is_aborted = std::make_shared<bool>(false);
};

namespace {

constexpr std::chrono::seconds patience{120};

struct Operation {
  ncclComm_t communicator;
  cudaStream_t stream;
  int peer;
  const void* sent;  // null: received
  void* received;
  std::size_t bytes;
};
int depth = 0;
std::vector<Operation> group;

bool is_fault(const char* kind, const ncclComm& c) {
  const char* const given = std::getenv("RITZ_EMULATED_NCCL_FAULT");
  const std::string text = given != nullptr ? given : "";
  if (text == fmt::format("{}:{}", kind, c.rank)) return true;
  const std::string start = fmt::format("{}:{}:", kind, c.rank);
  if (!text.starts_with(start)) return false;
  return c.exchanges == std::atoi(text.c_str() + start.size());
}

void write(const files::path& file, const void* bytes, std::size_t size) {
  const files::path early = file.string() + "~";
  std::ofstream(early, std::ios::binary).write(static_cast<const char*>(bytes), static_cast<std::streamsize>(size));
  files::rename(early, file);
}

std::string text_of(const files::path& file) {
  std::ifstream from(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(from), {}};
}

bool wait_for(const std::function<bool()>& is_there) {
  const auto end = std::chrono::steady_clock::now() + patience;
  while (!is_there()) {
    if (std::chrono::steady_clock::now() > end) return false;
    std::this_thread::sleep_for(std::chrono::microseconds(100));
  }
  return true;
}

files::path message(const ncclComm& c, int from, int to, int number) {
  return c.folder / fmt::format("{}-{}-{}", from, to, number);
}

cudaError_t enqueue_sent(const Operation& each) {
  ncclComm& c = *each.communicator;
  const files::path file = message(c, c.rank, each.peer, c.sent[each.peer]++);
  return enqueue(each.stream, [=, is_aborted = c.is_aborted] {
    if (*is_aborted) return;
    touch_range("ncclSend", each.sent, each.bytes, Access::read);
    write(file, each.sent, each.bytes);
  });
}

cudaError_t enqueue_received(const Operation& each) {
  ncclComm& c = *each.communicator;
  const files::path file = message(c, each.peer, c.rank, c.received[each.peer]++);
  const auto is_aborted = c.is_aborted;
  return enqueue_when(
      each.stream, [=] { return *is_aborted || files::exists(file); },
      [=] {
        if (*is_aborted) return;
        const std::string text = text_of(file);
        files::remove(file);
        touch_range("ncclRecv", each.received, each.bytes, Access::write);
        if (text.size() != each.bytes)
          report("nccl", fmt::format("a message of {} bytes for {}", text.size(), each.bytes));
        std::copy_n(text.data(), std::min(text.size(), each.bytes), static_cast<char*>(each.received));
      });
}

bool has_lost_another(const ncclComm& c) {
  for (int other = 0; other < c.count; ++other)
    if (other != c.rank && files::exists(c.folder / fmt::format("left-{}", other))) return true;
  return false;
}

// A message leaves before the host goes on: a GPU would send it while the host waits for another rank elsewhere.
ncclResult_t run_group() {
  if (group.empty()) return ncclSuccess;
  const std::vector<Operation> all = std::exchange(group, {});
  ncclComm& c = *all.front().communicator;
  ++c.exchanges;
  if (c.device != current_device()) return ncclInvalidUsage;
  if (is_fault("group", c)) return ncclSystemError;
  if (is_fault("killed", c)) std::raise(SIGKILL);
  const auto has_left = std::make_shared<bool>(false);
  for (const Operation& each : all)
    if (each.sent != nullptr && enqueue_sent(each) != cudaSuccess) return ncclUnhandledCudaError;
  if (enqueue(all.front().stream, [has_left] { *has_left = true; }) != cudaSuccess) return ncclUnhandledCudaError;
  for (const Operation& each : all)
    if (each.sent == nullptr && enqueue_received(each) != cudaSuccess) return ncclUnhandledCudaError;
  const bool goes_on =
      wait_for([&] { return advance(all.front().stream, [&] { return *has_left; }) || has_lost_another(c); });
  return goes_on ? ncclSuccess : ncclRemoteError;
}

ncclResult_t add(const Operation& operation) {
  const bool is_right =
      operation.communicator != nullptr && operation.peer >= 0 && operation.peer < operation.communicator->count &&
      (group.empty() ||
       (group.front().communicator == operation.communicator && group.front().stream == operation.stream));
  if (!is_right) return ncclInvalidArgument;
  group.push_back(operation);
  return depth > 0 ? ncclSuccess : run_group();
}

std::size_t bytes_of(std::size_t count, ncclDataType_t type) {
  return count * (type == ncclDouble ? sizeof(double) : type == ncclFloat ? sizeof(float) : 1);
}

std::string card() {
  char address[32] = "";
  cudaDeviceGetPCIBusId(address, sizeof address, current_device());
  return address;
}

}  // namespace

extern "C" {
#pragma GCC visibility push(default)

ncclResult_t ncclGetVersion(int* version) { return *version = NCCL_VERSION_CODE, ncclSuccess; }
const char* ncclGetErrorString(ncclResult_t status) {
  return status == ncclSystemError ? "unhandled system error" : status == ncclInvalidUsage ? "invalid usage" : "failed";
}
const char* ncclGetLastError(ncclComm_t) { return "a fault of the emulated NCCL"; }

ncclResult_t ncclGetUniqueId(ncclUniqueId* id) {
  static int jobs = 0;
  const char* const given = std::getenv("RITZ_EMULATED_NCCL");
  const std::string name = fmt::format("{}/nccl-{}-{}", given != nullptr ? given : "/tmp", getpid(), jobs++);
  if (name.size() >= sizeof id->internal) return ncclSystemError;
  *id = {};
  std::copy(name.begin(), name.end(), id->internal);
  return ncclSuccess;
}

ncclResult_t ncclCommInitRank(ncclComm_t* communicator, int count, ncclUniqueId id, int rank) {
  const files::path folder = id.internal;
  files::create_directories(folder);
  auto* const c = new ncclComm{folder, rank, count};
  const std::string mine = is_fault("init", *c) ? "failed" : card();
  write(folder / fmt::format("rank-{}", rank), mine.data(), mine.size());
  std::vector<std::string> cards;
  for (int other = 0; other < count; ++other) {
    const files::path file = folder / fmt::format("rank-{}", other);
    if (!wait_for([&] { return files::exists(file); })) return ncclRemoteError;
    cards.push_back(text_of(file));
  }
  if (std::ranges::find(cards, "failed") != cards.end()) return mine == "failed" ? ncclSystemError : ncclRemoteError;
  std::ranges::sort(cards);
  if (std::ranges::adjacent_find(cards) != cards.end()) return ncclInvalidUsage;  // one GPU for two ranks
  *communicator = c;
  return ncclSuccess;
}

// The last one removes what is left.
ncclResult_t ncclCommDestroy(ncclComm_t c) {
  write(c->folder / fmt::format("left-{}", c->rank), "", 0);
  int left = 0;
  for (int other = 0; other < c->count; ++other) left += files::exists(c->folder / fmt::format("left-{}", other));
  std::error_code another_was_faster;
  if (left == c->count) files::remove_all(c->folder, another_was_faster);
  delete c;
  return ncclSuccess;
}
ncclResult_t ncclCommAbort(ncclComm_t c) {
  *c->is_aborted = true;
  return ncclCommDestroy(c);
}
ncclResult_t ncclCommGetAsyncError(ncclComm_t, ncclResult_t* status) { return *status = ncclSuccess, ncclSuccess; }

ncclResult_t ncclGroupStart() { return ++depth, ncclSuccess; }
ncclResult_t ncclGroupEnd() { return --depth == 0 ? run_group() : ncclSuccess; }
ncclResult_t ncclSend(const void* sent, std::size_t count, ncclDataType_t type, int peer, ncclComm_t c,
                      cudaStream_t stream) {
  return add({c, stream, peer, sent, nullptr, bytes_of(count, type)});
}
ncclResult_t ncclRecv(void* received, std::size_t count, ncclDataType_t type, int peer, ncclComm_t c,
                      cudaStream_t stream) {
  return add({c, stream, peer, nullptr, received, bytes_of(count, type)});
}
ncclResult_t ncclAllGather(const void* mine, void* all, std::size_t count, ncclDataType_t type, ncclComm_t c,
                           cudaStream_t stream) {
  const std::size_t bytes = bytes_of(count, type);
  ncclGroupStart();
  for (int other = 0; other < c->count; ++other) {
    ncclSend(mine, bytes, ncclChar, other, c, stream);
    ncclRecv(static_cast<char*>(all) + static_cast<std::size_t>(other) * bytes, bytes, ncclChar, other, c, stream);
  }
  return ncclGroupEnd();
}

#pragma GCC visibility pop
}
