// Messages between GPUs by NCCL, in a stream of their own: it begins after what the device's stream holds when an
// exchange begins, and the device's stream goes on after it when the exchange is finished. NCCL moves and never adds,
// so that the bits of sums do not depend on its algorithms. The library is loaded when first asked for; without it the
// module says so.
//
// The communicator is a blocking one: a non-blocking one starts a thread for every exchange. So the host may wait in
// the library while two ranks send to each other for the first time. All other waits are those of the device's stream,
// where Ranks looks for failures (device/wait_watch.hpp).
#include "device/array.hpp"
#include "device/cuda_check.hpp"
#include "device/kernels.hpp"
#include "device/launch.hpp"
#include "device/ranks/device_messages.hpp"

#include <algorithm>
#include <concepts>
#include <dlfcn.h>
#include <nccl.h>

namespace ritz::cuda {
namespace {

constexpr const char* library_name = "libnccl.so.2";

// Functions of the library that are called.
struct Library {
  decltype(&ncclGetVersion) get_version;
  decltype(&ncclGetUniqueId) get_unique_id;
  decltype(&ncclCommInitRank) init_rank;
  decltype(&ncclCommDestroy) destroy;
  decltype(&ncclCommAbort) abort;
  decltype(&ncclCommGetAsyncError) get_async_error;
  decltype(&ncclGetErrorString) get_error_string;
  decltype(&ncclGroupStart) group_start;
  decltype(&ncclGroupEnd) group_end;
  decltype(&ncclSend) send;
  decltype(&ncclRecv) receive;
  decltype(&ncclAllGather) all_gather;
  const char* (*get_last_error)(ncclComm_t);  // since 2.13; null: not there
};

template <class Function>
void take(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(dlsym(library, name));
  if (function == nullptr)
    throw Error(ErrorKind::environment, std::string(library_name) + " has no " + name,
                "it is older than 2.7, which brought messages between two ranks", "install a newer NCCL");
}

Library load() {
  void* const library = dlopen(library_name, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr)
    throw Error(ErrorKind::environment, dlerror(), {}, "install NCCL, and put its folder on LD_LIBRARY_PATH");
  Library nccl{};
  take(library, "ncclGetVersion", nccl.get_version);
  take(library, "ncclGetUniqueId", nccl.get_unique_id);
  take(library, "ncclCommInitRank", nccl.init_rank);
  take(library, "ncclCommDestroy", nccl.destroy);
  take(library, "ncclCommAbort", nccl.abort);
  take(library, "ncclCommGetAsyncError", nccl.get_async_error);
  take(library, "ncclGetErrorString", nccl.get_error_string);
  take(library, "ncclGroupStart", nccl.group_start);
  take(library, "ncclGroupEnd", nccl.group_end);
  take(library, "ncclSend", nccl.send);
  take(library, "ncclRecv", nccl.receive);
  take(library, "ncclAllGather", nccl.all_gather);
  nccl.get_last_error = reinterpret_cast<decltype(nccl.get_last_error)>(dlsym(library, "ncclGetLastError"));
  return nccl;
}

const Library& nccl() {
  static const Library library = load();
  return library;
}

void check(ncclResult_t status, const char* call, ncclComm_t communicator = nullptr) {
  if (status == ncclSuccess) return;
  cudaGetLastError();  // the next launch must not see the library's error
  const char* const last = nccl().get_last_error != nullptr ? nccl().get_last_error(communicator) : nullptr;
  throw Error(ErrorKind::several_ranks, std::string("NCCL failed in ") + call + ": " + nccl().get_error_string(status),
              last != nullptr ? last : "",
              "NCCL_DEBUG=WARN tells more; RITZ_RANKS_TRANSPORT=host sends messages through the memory of the hosts");
}

// numbers[k] = sum of gathered[rank][k], in the tree of Ranks::sum. thread = k
__global__ void sum_ranks(int ranks, int count, double* gathered, double* numbers) {
  for (int k = static_cast<int>(threadIdx.x); k < count; k += block_threads) {
    for (int s = 1; s < ranks; s *= 2)
      for (int begin = 0; begin + s < ranks; begin += 2 * s)
        gathered[begin * count + k] += gathered[(begin + s) * count + k];
    numbers[k] = gathered[k];
  }
}

class NcclMessages final : public DeviceMessages {
 public:
  NcclMessages(const Device& device, int rank, int ranks) : device_(device), rank_(rank), ranks_(ranks) {
    const LaunchScope on_this_gpu(device_, "messages");
    try {
      int low = 0, high = 0;
      cuda_check(cudaDeviceGetStreamPriorityRange(&low, &high), "asking for priorities of streams");
      // Its blocks come before those of the launches beside it.
      cuda_check(cudaStreamCreateWithPriority(&stream_, cudaStreamNonBlocking, high), "creating a stream");
      cuda_check(cudaEventCreateWithFlags(&ready_, cudaEventDisableTiming), "creating an event");
      cuda_check(cudaEventCreateWithFlags(&arrived_, cudaEventDisableTiming), "creating an event");
    } catch (const Error&) {
      release();
      throw;
    }
  }
  ~NcclMessages() override {
    try {
      device_.synchronize();
      const LaunchScope on_this_gpu(device_, "messages");
      if (communicator_ != nullptr) cudaStreamSynchronize(stream_);
    } catch (const Error&) { abandon(); }
    if (communicator_ != nullptr) nccl().destroy(communicator_);
    release();
  }
  NcclMessages(const NcclMessages&) = delete;

  const Device& device() const override { return device_; }

  void join(const std::string& id) override {
    const LaunchScope on_this_gpu(device_, "messages");
    ncclUniqueId unique{};
    if (id.size() != sizeof unique) throw Error(ErrorKind::internal, "the number of a job of NCCL has another length");
    std::copy(id.begin(), id.end(), unique.internal);
    const ncclResult_t status = nccl().init_rank(&communicator_, ranks_, unique, rank_);
    if (status != ncclSuccess) communicator_ = nullptr;
    check(status, "ncclCommInitRank");
  }

  void begin(std::span<const Parcel> parcels) override {
    start_behind_kernels([&] {
      check(nccl().group_start(), "ncclGroupStart");
      for (const Parcel& p : parcels) {
        if (!p.sent.empty())
          check(nccl().send(p.sent.data(), p.sent.size(), ncclChar, p.rank, communicator_, stream_), "ncclSend");
        if (!p.received.empty())
          check(nccl().receive(p.received.data(), p.received.size(), ncclChar, p.rank, communicator_, stream_),
                "ncclRecv");
      }
      check(nccl().group_end(), "ncclGroupEnd");
    });
  }

  void finish() override {
    const LaunchScope launch(device_, "messages");
    cuda_check(cudaStreamWaitEvent(stream_of(device_), arrived_, 0), "waiting for messages");
  }

  void sum(double* numbers, int count) override {
    if (gathered_.size() < Index{ranks_} * count) gathered_ = Vector(device_, Index{ranks_} * count, "ghosts");
    start_behind_kernels([&] {
      check(nccl().all_gather(numbers, gathered_.data(), static_cast<std::size_t>(count), ncclDouble, communicator_,
                              stream_),
            "ncclAllGather");
    });
    finish();
    const LaunchScope launch(device_, "sum over ranks");
    start(device_, {1}, sum_ranks, ranks_, count, gathered_.data(), numbers);
  }

  void check() override {
    if (communicator_ == nullptr) return;
    ncclResult_t status = ncclSuccess;
    check_status(nccl().get_async_error(communicator_, &status));
    check_status(status);
  }

  void abandon() noexcept override {
    if (communicator_ != nullptr) nccl().abort(std::exchange(communicator_, nullptr));
  }

 private:
  void check_status(ncclResult_t status) {
    if (status == ncclSuccess || status == ncclInProgress) return;
    try {
      cuda::check(status, "messages under way", communicator_);
    } catch (const Error&) {
      abandon();
      throw;
    }
  }
  void check(ncclResult_t status, const char* call) const { cuda::check(status, call, communicator_); }
  // Messages read what the kernels launched so far write; arrived_ stands after them.
  template <std::invocable Calls>
  void start_behind_kernels(const Calls& calls) {
    const LaunchScope launch(device_, "messages");
    if (communicator_ == nullptr)
      throw Error(ErrorKind::several_ranks, "messages between GPUs were given up before",
                  "another rank failed, or NCCL did");
    cuda_check(cudaEventRecord(ready_, stream_of(device_)), "recording an event");
    cuda_check(cudaStreamWaitEvent(stream_, ready_, 0), "waiting for kernels");
    calls();
    cuda_check(cudaEventRecord(arrived_, stream_), "recording an event");
  }
  void release() noexcept {
    if (ready_ != nullptr) cudaEventDestroy(ready_);
    if (arrived_ != nullptr) cudaEventDestroy(arrived_);
    if (stream_ != nullptr) cudaStreamDestroy(stream_);
  }

  Device device_;
  int rank_, ranks_;
  ncclComm_t communicator_ = nullptr;
  cudaStream_t stream_ = nullptr;
  cudaEvent_t ready_ = nullptr, arrived_ = nullptr;
  Vector gathered_;  // [rank][number]
};

int version() {
  int number = 0;
  check(nccl().get_version(&number), "ncclGetVersion");
  return number;
}

// NCCL refuses two ranks with one such address, slices of a GPU (MIG) included.
std::string card(const Device& device) {
  char address[32] = "";
  cuda_check(cudaDeviceGetPCIBusId(address, sizeof address, device.info().ordinal), "asking for a GPU's address");
  return address;
}

std::string id() {
  ncclUniqueId unique{};
  check(nccl().get_unique_id(&unique), "ncclGetUniqueId");
  return {unique.internal, sizeof unique.internal};
}

std::unique_ptr<DeviceMessages> prepare(const Device& device, int rank, int ranks) {
  return std::make_unique<NcclMessages>(device, rank, ranks);
}

const DeviceMessagesModule table{version, card, id, prepare};
const Registration registration("messages between devices", &table);

}  // namespace
}  // namespace ritz::cuda
