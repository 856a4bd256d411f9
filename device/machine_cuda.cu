// A CUDA GPU as a machine: one stream, the driver's stream-ordered pool under ours, pinned memory for scalars. Every
// call that works on the thread's current GPU chooses it first: there may be other machines, and other threads.
#include "device/counted_bytes.hpp"
#include "device/cuda_check.hpp"
#include "device/environment_variable.hpp"
#include "device/host_memory.hpp"
#include "device/kernels.hpp"
#include "device/last_launch.hpp"
#include "device/launch_table_cuda.hpp"
#include "device/machine_cuda.hpp"
#include "device/nvml_cuda.hpp"
#include "device/wait_watch.hpp"

#include <cstring>
#include <mutex>
#include <nvtx3/nvToolsExt.h>
#include <thread>

namespace ritz::cuda {
namespace {

std::string version_text(int version) {
  return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

MachineInfo info_of(int ordinal) {
  cudaDeviceProp properties{};
  cuda_check(cudaGetDeviceProperties(&properties, ordinal), "asking for a GPU's properties");
  int driver = 0, runtime = 0;
  cudaDriverGetVersion(&driver);
  cudaRuntimeGetVersion(&runtime);
  MachineInfo info;
  info.kind = "gpu";
  info.name = properties.name;
  info.backend = "cuda";
  info.ordinal = ordinal;
  info.compute_capability = std::to_string(properties.major) + "." + std::to_string(properties.minor);
  info.driver = version_text(driver);
  info.toolkit = version_text(runtime);
  info.memory_total = static_cast<Index>(properties.totalGlobalMem);
  return info;
}

// For calls that may fail without harm. Their failure is not the next launch's.
bool succeeded(cudaError_t status) {
  if (status != cudaSuccess) cudaGetLastError();
  return status == cudaSuccess;
}

// Until `query` has another answer than that it is too early. Where this thread watches, it does so between two looks;
// otherwise the driver waits.
template <class Query, class Wait>
cudaError_t watched(const Query& query, const Wait& wait) {
  constexpr int looks_between_watches = 1000, looks_before_rest = 100;
  const WaitWatch* const watch = wait_watch();
  if (watch == nullptr) return wait();
  for (int looks = 1;; ++looks) {
    if (const cudaError_t status = query(); status != cudaErrorNotReady) return status;
    cudaGetLastError();  // it is too early, which is no error
    if (looks % looks_between_watches == 0) (*watch)();
    if (looks > looks_before_rest) std::this_thread::yield();
  }
}

cudaError_t wait_for(cudaStream_t stream) {
  return watched([=] { return cudaStreamQuery(stream); }, [=] { return cudaStreamSynchronize(stream); });
}
cudaError_t wait_for(cudaEvent_t event) {
  return watched([=] { return cudaEventQuery(event); }, [=] { return cudaEventSynchronize(event); });
}
// In destructors: the failure of another rank is found again where it can be told, and work of this one is given up.
template <class Awaited>
void wait_quietly(Awaited awaited) noexcept {
  try {
    wait_for(awaited);
  } catch (const Error&) { cudaGetLastError(); }
}

__global__ void write_one(int* target) { *target = 1; }

class CudaMachine final : public Machine {
 public:
  explicit CudaMachine(int ordinal) {
    info_ = info_of(ordinal);
    try {
      open();
    } catch (...) {
      close();
      throw;
    }
  }
  ~CudaMachine() override { close(); }
  std::vector<LaunchRecord> take_launches() { return table_ ? table_->take() : std::vector<LaunchRecord>{}; }
  void* stream() override { return stream_; }
  unsigned* ticket() override { return ticket_; }
  bool is_apart() const override { return true; }
  void push_range(const char* name) override { nvtxRangePushA(name); }
  void pop_range() override { nvtxRangePop(); }
  void trim() noexcept override {
    wait_quietly(stream_);
    if (pool_ != nullptr) succeeded(cudaMemPoolTrimTo(pool_, 0));
  }
  MachineInfo current_info() override {
    MachineInfo info = info_;
    choose();
    std::size_t free = 0, total = 0;
    if (succeeded(cudaMemGetInfo(&free, &total))) info.memory_free = static_cast<Index>(free);
    // Freed memory that our pool of the driver keeps is available to us.
    unsigned long long reserved = 0, used = 0;
    if (pool_ != nullptr && succeeded(cudaMemPoolGetAttribute(pool_, cudaMemPoolAttrReservedMemCurrent, &reserved)) &&
        succeeded(cudaMemPoolGetAttribute(pool_, cudaMemPoolAttrUsedMemCurrent, &used)) && reserved > used)
      info.memory_free += static_cast<Index>(reserved - used);
    return info;
  }

 protected:
  void* do_allocate(Index bytes) override {
    if (bytes > info_.memory_total) return nullptr;  // drivers answer absurd sizes in different ways
    choose();
    require_not_recording();
    void* memory = nullptr;
    cudaError_t status = try_allocate(&memory, bytes);
    if (status == cudaErrorMemoryAllocation) {  // the driver's pool may keep what does not fit
      cudaGetLastError();                       // not sticky: clear it
      trim();
      status = try_allocate(&memory, bytes);
    }
    if (status == cudaErrorMemoryAllocation) {
      cudaGetLastError();
      return nullptr;
    }
    cuda_check(status, "allocating memory");
    return memory;
  }
  void do_free(void* memory) noexcept override {
    choose();
    pool_ != nullptr ? cudaFreeAsync(memory, stream_) : cudaFree(memory);
  }
  void do_copy_to_device(void* device, const void* host, Index bytes) override {
    transfer(device, host, bytes, cudaMemcpyHostToDevice);
  }
  void do_copy_to_host(void* host, const void* device, Index bytes) override {
    if (bytes <= Index{pinned_count * sizeof(double)}) {  // a few scalars: through pinned memory
      transfer(pinned_, device, bytes, cudaMemcpyDeviceToHost);
      std::memcpy(host, pinned_, static_cast<std::size_t>(bytes));
    } else {
      transfer(host, device, bytes, cudaMemcpyDeviceToHost);
    }
  }
  void* do_allocate_pinned(Index bytes) override {
    if (!take_host_memory(bytes)) return nullptr;
    choose();
    void* memory = nullptr;
    if (succeeded(cudaMallocHost(&memory, static_cast<std::size_t>(bytes)))) return memory;
    give_host_memory(bytes);
    return nullptr;
  }
  void do_free_pinned(void* memory, Index bytes) noexcept override {
    cudaFreeHost(memory);
    give_host_memory(bytes);
  }
  void do_begin_copy_to_device(void* device, const void* pinned, Index bytes) override {
    begin(device, pinned, bytes, cudaMemcpyHostToDevice);
  }
  void do_begin_copy_to_host(void* pinned, const void* device, Index bytes) override {
    begin(pinned, device, bytes, cudaMemcpyDeviceToHost);
  }
  void do_copy_on_device(void* target, const void* source, Index bytes) override {
    if (bytes == 0) return;
    cuda_check(cudaMemcpyAsync(target, source, static_cast<std::size_t>(bytes), cudaMemcpyDeviceToDevice, stream_),
               "a copy on the device");
  }
  void do_fill_zero(void* device, Index bytes) override {
    if (bytes == 0) return;
    choose();
    cuda_check(cudaMemsetAsync(device, 0, static_cast<std::size_t>(bytes), stream_), "filling memory with zeros");
  }
  void do_begin_launch() override {
    enter();
    choose();
    if (table_ && depth_ == 1) {
      const Index* const counted = counted_bytes(*this);
      table_->begin(stream_, last_launch(), counted != nullptr ? *counted : 0);
    }
  }
  void do_end_launch() override {
    if (table_ && depth_ == 1) table_->end(stream_);
    leave();
    launch_check(cudaGetLastError());
  }
  std::unique_ptr<ScalarRead> do_make_scalar_read(int most) override {
    choose();
    return std::make_unique<CudaRead>(*this, most);
  }
  void do_synchronize() override { wait("waiting for the GPU"); }

 private:
  static constexpr std::size_t pinned_count = 64;
  static constexpr unsigned read_places = 8;  // of pinned_count numbers each, for reads that are looked at later

  // The copy goes to pinned memory, and an event after it is waited for. Solvers make one for each solution, so memory
  // is the machine's own where there is a free place: locking pages takes longer than a small solution.
  class CudaRead final : public ScalarRead {
   public:
    CudaRead(CudaMachine& machine, int most) : machine_(machine) {
      cuda_check(cudaEventCreateWithFlags(&copied_, cudaEventDisableTiming), "creating an event");
      const auto size = static_cast<std::size_t>(most);
      while (place_ < read_places && (machine.places_taken_ >> place_ & 1) != 0) ++place_;
      if (size > pinned_count) place_ = read_places;
      if (place_ < read_places) {
        machine.places_taken_ |= 1u << place_;
        pinned_ = machine.pinned_ + (place_ + 1) * pinned_count;
      } else if (const cudaError_t status = cudaMallocHost(&pinned_, size * sizeof(double)); status != cudaSuccess) {
        cudaEventDestroy(copied_);
        cuda_check(status, "allocating pinned memory");
      }
    }
    ~CudaRead() override {
      wait_quietly(copied_);  // a copy may still be under way
      cudaEventDestroy(copied_);
      if (place_ < read_places) machine_.places_taken_ &= ~(1u << place_);
      else cudaFreeHost(pinned_);
    }
    CudaRead(const CudaRead&) = delete;
    void begin(const double* device, int count) override {
      machine_.choose();
      machine_.begin(pinned_, device, count * Index{sizeof(double)}, cudaMemcpyDeviceToHost);
      cuda_check(cudaEventRecord(copied_, machine_.stream_), "recording an event");
    }
    void finish(double* host, int count) override {
      machine_.check_wait(wait_for(copied_), "waiting for numbers");
      std::memcpy(host, pinned_, static_cast<std::size_t>(count) * sizeof(double));
    }

   private:
    CudaMachine& machine_;
    unsigned place_ = 0;
    double* pinned_ = nullptr;
    cudaEvent_t copied_ = nullptr;
  };

  // Threads may use a machine one after another: its scalars, counts and ticket are those of one launch at a time.
  void enter() {
    const std::lock_guard lock(mutex_);
    const std::thread::id me = std::this_thread::get_id();
    if (depth_ > 0 && launching_ != me)
      throw Error(ErrorKind::internal, "two threads launch on one GPU at the same time",
                  "a GPU's numbers on their way to the host are kept in one place",
                  "let one thread finish before the other begins, or name the GPU once more for each");
    launching_ = me;
    ++depth_;
  }
  void leave() {
    const std::lock_guard lock(mutex_);
    --depth_;
  }

  void choose() const noexcept {
    int now = -1;
    if (cudaGetDevice(&now) != cudaSuccess || now != info_.ordinal) cudaSetDevice(info_.ordinal);
  }

  void open() {
    const int ordinal = info_.ordinal;
    const cudaError_t chosen = cudaSetDevice(ordinal);  // makes the context
    if (chosen == cudaErrorDevicesUnavailable) {
      cudaGetLastError();  // `auto` tries another GPU
      throw Error(
          ErrorKind::no_gpu,
          "GPU " + std::to_string(ordinal) + " (" + info_.name + ") is taken by another process, or not available",
          "its compute mode lets one process in, or none: nvidia-smi -q -d COMPUTE",
          "wait for the other, take another GPU with --device gpu:N, or use --device cpu");
    }
    cuda_check(chosen, "choosing the GPU");
    cuda_check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "creating a stream");
    int pools = 0;
    cuda_check(cudaDeviceGetAttribute(&pools, cudaDevAttrMemoryPoolsSupported, ordinal), "asking for the memory pool");
    if (pools != 0) make_pool();  // some virtual GPUs have none
    cuda_check(cudaMallocHost(&pinned_, (1 + read_places) * pinned_count * sizeof(double)), "allocating pinned memory");
    ticket_ = static_cast<unsigned*>(do_allocate(sizeof(unsigned)));
    if (ticket_ == nullptr) cuda_check(cudaErrorMemoryAllocation, "allocating memory");
    do_fill_zero(ticket_, sizeof(unsigned));
    if (environment("RITZ_LAUNCH_TABLE") == "1") table_ = std::make_unique<LaunchTable>();
    probe();
  }
  void close() noexcept {
    if (stream_ != nullptr) cudaStreamSynchronize(stream_);
    table_.reset();
    if (ticket_ != nullptr) do_free(ticket_);
    if (pinned_ != nullptr) cudaFreeHost(pinned_);
    if (pool_ != nullptr) cudaMemPoolDestroy(pool_);
    if (stream_ != nullptr) cudaStreamDestroy(stream_);
  }
  // The default pool of the device is that of other libraries in this process (CuPy, PyTorch): how much it keeps, and
  // how much is counted in it, are theirs.
  void make_pool() {
    cudaMemPoolProps properties{};
    properties.allocType = cudaMemAllocationTypePinned;
    properties.location.type = cudaMemLocationTypeDevice;
    properties.location.id = info_.ordinal;
    cuda_check(cudaMemPoolCreate(&pool_, &properties), "making a memory pool");
    unsigned long long keep = ~0ull;  // freed memory stays with us until trimmed
    cuda_check(cudaMemPoolSetAttribute(pool_, cudaMemPoolAttrReleaseThreshold, &keep), "setting up the memory pool");
  }

  // Memory that is allocated while a stream is captured belongs to the graph, and exists only while the graph runs
  // (CUDA Runtime API, cudaMallocAsync): the pool would hand it to others.
  void require_not_recording() const {
    cudaStreamCaptureStatus recording = cudaStreamCaptureStatusNone;
    if (succeeded(cudaStreamIsCapturing(stream_, &recording)) && recording != cudaStreamCaptureStatusNone)
      cuda_check(cudaErrorStreamCaptureUnsupported, "allocating memory while launches are recorded");
  }
  cudaError_t try_allocate(void** memory, Index bytes) {
    const auto size = static_cast<std::size_t>(bytes);
    return pool_ != nullptr ? cudaMallocFromPoolAsync(memory, size, pool_, stream_) : cudaMalloc(memory, size);
  }
  void begin(void* target, const void* source, Index bytes, cudaMemcpyKind kind) {
    if (bytes > 0)
      cuda_check(cudaMemcpyAsync(target, source, static_cast<std::size_t>(bytes), kind, stream_), "a copy");
  }
  void transfer(void* target, const void* source, Index bytes, cudaMemcpyKind kind) {
    begin(target, source, bytes, kind);
    wait("waiting for a copy");
  }
  // A kernel's fault shows here, some launches later.
  void wait(const char* what) { check_wait(wait_for(stream_), what); }
  void check_wait(cudaError_t status, const char* what) const {
    if (succeeded(status)) return;
    throw Error(ErrorKind::environment, std::string(what) + " failed on the GPU: " + cudaGetErrorString(status),
                std::string("the last launch was '") + last_launch() + "', and the fault is in it or in one before it",
                "run again with CUDA_LAUNCH_BLOCKING=1, which names the launch, and report it; or use --device cpu");
  }

  // One tiny kernel, so that a GPU too old for this build is found now and not in the middle of a run.
  void probe() {
    int* const flag = static_cast<int*>(do_allocate(sizeof(int)));
    if (flag == nullptr) cuda_check(cudaErrorMemoryAllocation, "allocating memory");
    cudaLaunchConfig_t one{};
    one.gridDim = one.blockDim = dim3(1);
    one.stream = stream_;
    const cudaError_t status = cudaLaunchKernelEx(&one, write_one, flag);
    cudaGetLastError();
    do_free(flag);
    if (status != cudaSuccess)
      throw Error(ErrorKind::no_gpu,
                  "GPU " + std::to_string(info_.ordinal) + " (" + info_.name + ", compute capability " +
                      info_.compute_capability + ") cannot run this build: " + cudaGetErrorString(status),
                  "the build holds no code for this GPU, or the driver (" + info_.driver +
                      ") is older than the toolkit (" + info_.toolkit + ")",
                  "configure with -DRITZ_CUDA_ARCHITECTURES set to its compute capability, or update the driver");
    synchronize();
  }

  cudaStream_t stream_ = nullptr;
  double* pinned_ = nullptr;
  unsigned places_taken_ = 0;
  unsigned* ticket_ = nullptr;
  std::unique_ptr<LaunchTable> table_;  // where RITZ_LAUNCH_TABLE asks for it
  std::mutex mutex_;                    // of these two
  std::thread::id launching_;
  int depth_ = 0;                 // launches within launches
  cudaMemPool_t pool_ = nullptr;  // null: the device has none
};

std::vector<MachineInfo> list(std::string& why) {
  int count = 0;
  const cudaError_t status = cudaGetDeviceCount(&count);
  if (status != cudaSuccess || count == 0) {
    int driver = 0;
    cudaDriverGetVersion(&driver);
    why = driver == 0             ? "no NVIDIA driver is installed"
          : status == cudaSuccess ? "the driver reports no GPU"
                                  : cudaGetErrorString(status);
    cudaGetLastError();
    return {};
  }
  std::vector<MachineInfo> infos;
  const Nvml nvml;
  for (int ordinal = 0; ordinal < count; ++ordinal) {
    infos.push_back(info_of(ordinal));
    infos.back().memory_free = nvml.free_memory(ordinal);
  }
  return infos;
}

Machine* create(int ordinal) { return new CudaMachine(ordinal); }

void versions(std::string& driver, std::string& toolkit) {
  int number = 0;
  driver = cudaDriverGetVersion(&number) == cudaSuccess && number > 0 ? version_text(number) : "";
  toolkit = cudaRuntimeGetVersion(&number) == cudaSuccess ? version_text(number) : "";
}

bool pin(void* memory, Index bytes) {
  return succeeded(cudaHostRegister(memory, static_cast<std::size_t>(bytes), cudaHostRegisterDefault));
}

void unpin(void* memory) { cudaHostUnregister(memory); }

Index second_level_cache(int ordinal) {
  int bytes = 0;
  return succeeded(cudaDeviceGetAttribute(&bytes, cudaDevAttrL2CacheSize, ordinal)) ? bytes : 0;
}

std::vector<LaunchRecord> launches(Machine& machine) { return static_cast<CudaMachine&>(machine).take_launches(); }

const CudaFactory factory{list, create, versions, RITZ_ARCHITECTURES, pin, unpin, second_level_cache, launches};
const Registration registration("machine", &factory);

}  // namespace
}  // namespace ritz::cuda
