// The CUDA runtime of the emulated GPU: what Ritz calls of it, with the declarations of the toolkit's own headers.
#include "tests/cuda_emulator/memory.hpp"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <deque>
#include <fmt/format.h>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <thread>
#include <utility>
#include <vector>

using ritz::emulator::Clock;
using ritz::emulator::Work;

struct CUgraph_st {
  std::vector<Work> work;
};
struct CUgraphExec_st {
  std::vector<Work> work;
  bool is_destroyed = false;
};
struct CUevent_st {
  int device = 0;
  bool is_destroyed = false;
  cudaStream_t stream = nullptr;
  std::uint64_t asked = 0, reached = 0;  // times that the event was recorded, and came up in its stream
  std::chrono::steady_clock::time_point when;
  Clock clock;  // of its stream then
};
struct Item {
  Work work;
  std::function<bool()> ready;  // empty: at once
  Clock clock;                  // what the host knew to be over when it queued this
};
struct CUstream_st {
  int device = 0;
  bool is_destroyed = false;
  std::size_t number = 0;  // of all streams that there were
  Clock clock;
  std::deque<Item> waiting;
  CUgraph_st* recorded = nullptr;  // while a graph is recorded
  bool spoilt = false;             // the recording
};

namespace ritz::emulator {
namespace {

constexpr std::size_t plain_shared_bytes = 48 << 10;

struct Runtime {
  std::recursive_mutex mutex;
  bool at_fault = false;
  std::map<std::string, int> faults;                          // of each kind
  std::map<std::pair<int, const void*>, std::size_t> shared;  // what kernels may ask for on each device
  std::set<cudaStream_t> streams;
  std::size_t stream_count = 0;
  Clock clock;             // what the host has waited for
  std::set<int> contexts;  // GPUs that have been chosen
  std::size_t bytes = 0;   // of all copies and fills
};

Runtime& runtime() {
  static Runtime& instance = *new Runtime;
  return instance;
}

thread_local cudaError_t last_error = cudaSuccess;
thread_local int current = 0;

cudaError_t failed(cudaError_t status) {
  last_error = status;
  return status;
}

// Work of a stream until `enough`, or until some is not ready: false. What is behind waits on.
bool advance_until(cudaStream_t stream, const std::function<bool()>& enough) {
  open_memory();
  bool is_ready = true;
  while (!stream->waiting.empty() && !(enough && enough())) {
    is_ready = runtime().at_fault || !stream->waiting.front().ready || stream->waiting.front().ready();
    if (!is_ready) break;
    const Item item = std::move(stream->waiting.front());
    stream->waiting.pop_front();
    join(stream->clock, item.clock);
    ++stream->clock[stream->number];
    begin_work(stream->number, stream->clock);
    if (!runtime().at_fault) item.work();
  }
  close_memory();
  return is_ready;
}

// All work of a stream, or the first of it until `enough`.
void finish(cudaStream_t stream, const std::function<bool()>& enough = {}) {
  while (!advance_until(stream, enough)) std::this_thread::sleep_for(std::chrono::microseconds(50));
  if (!enough) join(runtime().clock, stream->clock);
}

void finish(cudaEvent_t event) {
  finish(event->stream, [event] { return event->reached == event->asked; });
  join(runtime().clock, event->clock);
}

// RITZ_EMULATED_GPU_WITHOUT_POOLS: a GPU of a virtual machine.
bool has_pools() {
  static const bool has = std::getenv("RITZ_EMULATED_GPU_WITHOUT_POOLS") == nullptr;
  return has;
}

// RITZ_EMULATED_GPU_TAKEN: one that another process has alone.
bool is_taken(int device) {
  const char* const given = std::getenv("RITZ_EMULATED_GPU_TAKEN");
  return given != nullptr && std::atoi(given) == device;
}

// Every call of the runtime begins with this: one at a time, none after a fault, and none that needs a GPU that does
// not exist.
#define RITZ_CALL                                                    \
  const std::lock_guard<std::recursive_mutex> lock(runtime().mutex); \
  if (runtime().at_fault) return failed(cudaErrorIllegalAddress);    \
  if (is_taken(current)) return failed(cudaErrorDevicesUnavailable)

// Handles stay when they are destroyed, so that their use afterwards is found.
template <class Handle>
bool was_destroyed(const Handle* handle, const char* call) {
  if (!handle->is_destroyed) return false;
  report("handles", fmt::format("{}: a handle that was destroyed before", call));
  return true;
}
#define RITZ_ALIVE(handle) \
  if (was_destroyed(handle, __func__)) return failed(cudaErrorInvalidResourceHandle)

// Streams of Ritz and the default one do not wait for each other (cudaStreamNonBlocking).
cudaStream_t real_stream(cudaStream_t stream) {
  if (stream != nullptr) return stream;
  stream = default_stream();
  if (runtime().streams.size() > 1)
    report("streams", "work in the default stream, next to other streams that do not wait for it");
  return stream;
}

bool is_recording(cudaStream_t stream) { return stream->recorded != nullptr; }

cudaError_t refuse_recording(cudaStream_t stream) {
  stream->spoilt = true;
  return failed(cudaErrorStreamCaptureUnsupported);
}

// Calls that no thread may make while a stream of its own is recorded (cudaStreamCaptureModeThreadLocal: CUDA Runtime
// API, cudaThreadExchangeStreamCaptureMode, "potentially unsafe API calls").
#define RITZ_NOT_WHILE_RECORDING                      \
  for (const cudaStream_t stream : runtime().streams) \
    if (is_recording(stream)) return refuse_recording(stream)

struct MemoryPool {
  int device;
  bool is_default;
};
int default_pool_changes = 0;
MemoryPool& default_pool(int device) {
  static std::map<int, MemoryPool> pools;
  return pools.try_emplace(device, MemoryPool{device, true}).first->second;
}
cudaMemPool_t handle_of(MemoryPool& pool) { return reinterpret_cast<cudaMemPool_t>(&pool); }
MemoryPool& pool_of(cudaMemPool_t handle) { return *reinterpret_cast<MemoryPool*>(handle); }
cudaError_t note_change(cudaMemPool_t pool) {
  default_pool_changes += pool_of(pool).is_default ? 1 : 0;
  return cudaSuccess;
}

}  // namespace

int device_count() {
  static const int count = [] {
    const char* const given = std::getenv("RITZ_EMULATED_GPUS");
    return given != nullptr ? std::max(1, std::atoi(given)) : 1;
  }();
  return count;
}
int current_device() noexcept { return current; }

std::size_t shared_limit() {
  static const std::size_t bytes = [] {
    const char* const given = std::getenv("RITZ_EMULATED_GPU_SHARED");  // KB
    return given != nullptr ? std::min(most_shared_bytes, static_cast<std::size_t>(std::atoi(given)) << 10)
                            : most_shared_bytes;
  }();
  return bytes;
}

void report(const std::string& kind, const std::string& fault) {
  constexpr int shown = 3;
  const int count = ++runtime().faults[kind];
  if (count <= shown) fmt::print(stderr, "emulated GPU, {}: {}\n", kind, fault);
  if (count == shown) fmt::print(stderr, "emulated GPU, {}: no more is shown\n", kind);
  runtime().at_fault = true;
}

bool has_fault() { return runtime().at_fault; }

std::optional<std::size_t> allowed_shared(const void* function) {
  const auto allowed = runtime().shared.find({current, function});
  return allowed != runtime().shared.end() ? std::optional(allowed->second) : std::nullopt;
}

bool is_dry() {
  static const bool dry = std::getenv("RITZ_EMULATED_GPU_DRY") != nullptr;
  return dry;
}

cudaStream_t default_stream() {
  static std::map<int, cudaStream_t>& streams = *new std::map<int, cudaStream_t>;
  cudaStream_t& stream = streams[current];
  if (stream == nullptr) cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
  return stream;
}

cudaError_t enqueue(cudaStream_t stream, Work work) {
  RITZ_CALL;
  RITZ_ALIVE(stream);
  if (is_recording(stream)) stream->recorded->work.push_back(std::move(work));
  else stream->waiting.push_back({std::move(work), {}, runtime().clock});
  return cudaSuccess;
}

cudaError_t enqueue_when(cudaStream_t stream, std::function<bool()> ready, Work work) {
  RITZ_CALL;
  if (is_recording(stream)) return refuse_recording(stream);
  stream->waiting.push_back({std::move(work), std::move(ready), runtime().clock});
  return cudaSuccess;
}

bool advance(cudaStream_t stream, const std::function<bool()>& enough) {
  const std::lock_guard lock(runtime().mutex);
  return advance_until(stream, enough);
}

cudaError_t launch(const cudaLaunchConfig_t& given, const Kernel& kernel) {
  RITZ_CALL;
  cudaLaunchConfig_t c = given;
  c.stream = real_stream(c.stream);
  RITZ_ALIVE(c.stream);
  // CUDA C++ Programming Guide, "Stream and Event Behavior"
  if (c.stream->device != current) return failed(cudaErrorInvalidResourceHandle);
  const std::size_t limit = allowed_shared(kernel.function).value_or(plain_shared_bytes);
  const bool fits = c.blockDim.x >= 1 && c.blockDim.x <= 1024 && c.blockDim.y == 1 && c.blockDim.z == 1 &&
                    c.gridDim.x >= 1 && c.gridDim.x <= 2147483647u && c.gridDim.y == 1 && c.gridDim.z == 1;
  if (!fits) return failed(cudaErrorInvalidConfiguration);
  if (c.dynamicSmemBytes > limit) return failed(cudaErrorInvalidValue);
  if (is_dry()) return cudaSuccess;
  return enqueue(c.stream, [c, kernel, device = current] {
    (kernel.run != nullptr ? kernel.run : run_kernel)(c, kernel, device);
  });
}

}  // namespace ritz::emulator

using namespace ritz::emulator;

extern "C" {
#pragma GCC visibility push(default)

// ---- errors and devices ----

cudaError_t cudaGetLastError() {
  const cudaError_t status = runtime().at_fault ? cudaErrorIllegalAddress : last_error;
  last_error = cudaSuccess;
  return status;
}
const char* cudaGetErrorString(cudaError_t status) {
  switch (status) {
    case cudaSuccess: return "no error";
    case cudaErrorMemoryAllocation: return "out of memory";
    case cudaErrorInvalidValue: return "invalid argument";
    case cudaErrorInvalidConfiguration: return "invalid configuration argument";
    case cudaErrorInvalidResourceHandle: return "invalid resource handle";
    case cudaErrorDevicesUnavailable: return "CUDA-capable device(s) is/are busy or unavailable";
    case cudaErrorStreamCaptureUnsupported: return "operation not permitted when stream is capturing";
    case cudaErrorNotReady: return "device not ready";
    case cudaErrorIllegalAddress: return "the emulated GPU found a fault, which it wrote to stderr";
    default: return "an error of the emulated GPU";
  }
}
cudaError_t cudaDriverGetVersion(int* version) { return *version = CUDART_VERSION, cudaSuccess; }
cudaError_t cudaRuntimeGetVersion(int* version) { return *version = CUDART_VERSION, cudaSuccess; }
cudaError_t cudaGetDeviceCount(int* count) { return *count = device_count(), cudaSuccess; }
cudaError_t cudaGetDevice(int* device) { return *device = current, cudaSuccess; }
cudaError_t cudaSetDevice(int device) {
  if (device < 0 || device >= device_count()) return failed(cudaErrorInvalidDevice);
  if (is_taken(device)) return failed(cudaErrorDevicesUnavailable);
  runtime().contexts.insert(device);
  return current = device, cudaSuccess;
}
cudaError_t cudaDeviceGetPCIBusId(char* id, int size, int device) {
  std::snprintf(id, static_cast<std::size_t>(size), "0000:%02x:00.0", device);
  return cudaSuccess;
}
cudaError_t cudaDeviceSynchronize() {
  RITZ_CALL;
  RITZ_NOT_WHILE_RECORDING;
  for (const cudaStream_t stream : runtime().streams)
    if (stream->device == current) finish(stream);
  return runtime().at_fault ? failed(cudaErrorIllegalAddress) : cudaSuccess;
}
cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int) {
  *properties = {};
  std::strcpy(properties->name, "emulated GPU");
  properties->major = 9;
  properties->totalGlobalMem = memory_size();
  return cudaSuccess;
}
cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int) {
  switch (attribute) {
    case cudaDevAttrMemoryPoolsSupported: return *value = has_pools(), cudaSuccess;
    case cudaDevAttrMaxSharedMemoryPerBlockOptin: return *value = static_cast<int>(shared_limit()), cudaSuccess;
    case cudaDevAttrL2CacheSize: return *value = second_level_cache, cudaSuccess;
    case cudaDevAttrComputeCapabilityMajor: return *value = 9, cudaSuccess;
    case cudaDevAttrComputeCapabilityMinor: return *value = 0, cudaSuccess;
    case cudaDevAttrMultiProcessorCount: return *value = 132, cudaSuccess;
    case cudaDevAttrMaxThreadsPerBlock: return *value = 1024, cudaSuccess;
    case cudaDevAttrWarpSize: return *value = 32, cudaSuccess;
    case cudaDevAttrMaxGridDimX: return *value = 2147483647, cudaSuccess;
    case cudaDevAttrMaxSharedMemoryPerBlock: return *value = plain_shared_bytes, cudaSuccess;
    default: return failed(cudaErrorInvalidValue);
  }
}
cudaError_t cudaFuncSetAttribute(const void* kernel, cudaFuncAttribute attribute, int value) {
  RITZ_CALL;
  if (attribute != cudaFuncAttributeMaxDynamicSharedMemorySize || value < 0 ||
      static_cast<std::size_t>(value) > shared_limit())
    return failed(cudaErrorInvalidValue);
  runtime().shared[{current, kernel}] = static_cast<std::size_t>(value);
  return cudaSuccess;
}

// ---- NVML, and what tests ask ----

int emulatedContexts() { return static_cast<int>(runtime().contexts.size()); }
std::size_t emulatedBytes() { return runtime().bytes; }
int nvmlInit_v2() { return 0; }
int nvmlShutdown() { return 0; }
int nvmlDeviceGetHandleByPciBusId_v2(const char* id, void** handle) {
  return *handle = reinterpret_cast<void*>(std::strtol(id + 5, nullptr, 16)), 0;
}
int nvmlDeviceGetMemoryInfo(void* handle, unsigned long long* memory) {  // total, free, used
  const std::size_t used = memory_in_use(static_cast<int>(reinterpret_cast<std::intptr_t>(handle)));
  memory[0] = memory_size();
  memory[1] = memory_size() - used;
  memory[2] = used;
  return 0;
}

// ---- memory ----

cudaError_t cudaMallocAsync(void** memory, std::size_t bytes, cudaStream_t stream) {
  RITZ_CALL;
  stream = real_stream(stream);
  RITZ_ALIVE(stream);
  if (is_recording(stream))
    report("capture",
           "memory is asked for while a stream is recorded: it belongs to the graph, and is nobody's when that does "
           "not run");
  *memory = allocate(bytes, stream->device);
  return *memory != nullptr ? cudaSuccess : failed(cudaErrorMemoryAllocation);
}
cudaError_t cudaMalloc(void** memory, std::size_t bytes) {
  RITZ_CALL;
  RITZ_NOT_WHILE_RECORDING;
  *memory = allocate(bytes, current);
  return *memory != nullptr ? cudaSuccess : failed(cudaErrorMemoryAllocation);
}
cudaError_t cudaFreeAsync(void* memory, cudaStream_t stream) {
  RITZ_CALL;
  stream = real_stream(stream);
  RITZ_ALIVE(stream);
  // not the graph's own
  if (memory != nullptr && is_recording(stream)) return stream->spoilt = true, failed(cudaErrorInvalidValue);
  return memory == nullptr ? cudaSuccess : enqueue(stream, [memory] { release(memory, true); });
}
cudaError_t cudaFree(void* memory) {
  RITZ_CALL;
  RITZ_NOT_WHILE_RECORDING;
  for (const cudaStream_t stream : runtime().streams) finish(stream);
  if (memory != nullptr) release(memory, false);
  return cudaSuccess;
}
cudaError_t cudaMemGetInfo(std::size_t* free, std::size_t* total) {
  RITZ_CALL;
  *total = memory_size();
  *free = *total - memory_in_use(current);
  return cudaSuccess;
}
// Pools keep no freed memory. The default one of a device belongs to all libraries of a process: changes of it count.
cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t* pool, int device) {
  return *pool = handle_of(default_pool(device)), cudaSuccess;
}
cudaError_t cudaMemPoolCreate(cudaMemPool_t* pool, const cudaMemPoolProps* properties) {
  RITZ_CALL;
  RITZ_NOT_WHILE_RECORDING;
  if (!has_pools()) return failed(cudaErrorNotSupported);
  if (properties->allocType != cudaMemAllocationTypePinned || properties->location.type != cudaMemLocationTypeDevice)
    return failed(cudaErrorInvalidValue);
  return *pool = handle_of(*new MemoryPool{properties->location.id, false}), cudaSuccess;
}
cudaError_t cudaMemPoolDestroy(cudaMemPool_t pool) { return delete &pool_of(pool), cudaSuccess; }
cudaError_t cudaMallocFromPoolAsync(void** memory, std::size_t bytes, cudaMemPool_t pool, cudaStream_t stream) {
  return pool_of(pool).device == stream->device ? cudaMallocAsync(memory, bytes, stream)
                                                : failed(cudaErrorInvalidValue);
}
cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t pool, cudaMemPoolAttr, void*) { return note_change(pool); }
cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t pool, cudaMemPoolAttr, void* value) {
  const unsigned long long bytes = memory_in_use(pool_of(pool).device);
  std::memcpy(value, &bytes, sizeof bytes);
  return cudaSuccess;
}
cudaError_t cudaMemPoolTrimTo(cudaMemPool_t pool, std::size_t) { return note_change(pool); }
int emulatedDefaultPoolChanges() { return default_pool_changes; }

cudaError_t cudaHostAlloc(void** memory, std::size_t bytes, unsigned) {
  RITZ_CALL;
  RITZ_NOT_WHILE_RECORDING;
  *memory = std::aligned_alloc(4096, (bytes + 4095) / 4096 * 4096);
  if (*memory == nullptr) return failed(cudaErrorMemoryAllocation);
  pin(*memory, bytes);
  return cudaSuccess;
}
cudaError_t cudaMallocHost(void** memory, std::size_t bytes) {
  return cudaHostAlloc(memory, bytes, cudaHostAllocDefault);
}
cudaError_t cudaFreeHost(void* memory) {
  RITZ_CALL;
  RITZ_NOT_WHILE_RECORDING;
  for (const cudaStream_t stream : runtime().streams) finish(stream);
  if (memory != nullptr && !unpin(memory)) return failed(cudaErrorInvalidValue);
  std::free(memory);
  return cudaSuccess;
}
cudaError_t cudaHostRegister(void* memory, std::size_t bytes, unsigned) {
  RITZ_CALL;
  RITZ_NOT_WHILE_RECORDING;
  pin(memory, bytes);
  return cudaSuccess;
}
cudaError_t cudaHostUnregister(void* memory) {
  RITZ_CALL;
  for (const cudaStream_t stream : runtime().streams) finish(stream);
  return unpin(memory) ? cudaSuccess : failed(cudaErrorHostMemoryNotRegistered);
}

cudaError_t cudaMemsetAsync(void* memory, int value, std::size_t bytes, cudaStream_t stream) {
  RITZ_CALL;
  stream = real_stream(stream);
  RITZ_ALIVE(stream);
  if (stream->device != current) return failed(cudaErrorInvalidResourceHandle);
  runtime().bytes += bytes;
  if (is_dry()) return cudaSuccess;
  return enqueue(stream, [=] {
    touch_range("a fill", memory, bytes, Access::write);
    std::memset(memory, value, bytes);
  });
}
cudaError_t cudaMemcpyAsync(void* target, const void* source, std::size_t bytes, cudaMemcpyKind kind,
                            cudaStream_t stream) {
  RITZ_CALL;
  stream = real_stream(stream);
  RITZ_ALIVE(stream);
  runtime().bytes += bytes;
  if (is_dry()) return cudaSuccess;
  const void* const host = kind == cudaMemcpyHostToDevice ? source : kind == cudaMemcpyDeviceToHost ? target : nullptr;
  const bool now = host != nullptr && !is_pinned(host);
  if (now && is_recording(stream)) return refuse_recording(stream);
  std::shared_ptr<PinnedCopy> pinned;
  if (host != nullptr && !now && !is_recording(stream))
    pinned = kind == cudaMemcpyHostToDevice ? begin_copy_from(source, bytes) : begin_copy_to(target, bytes);
  const cudaError_t status = enqueue(stream, [=] {
    if (kind != cudaMemcpyHostToDevice) touch_range("a copy", source, bytes, Access::read);
    if (kind != cudaMemcpyDeviceToHost) touch_range("a copy", target, bytes, Access::write);
    if (pinned != nullptr) end_copy(*pinned);
    std::memmove(target, source, bytes);
    if (kind == cudaMemcpyDeviceToHost) note_write_to_pinned(target, bytes);
  });
  if (now) finish(stream);
  return status;
}

// ---- events, streams and graphs ----

cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned) {
  RITZ_CALL;
  return *event = new CUevent_st{.device = current}, cudaSuccess;
}
cudaError_t cudaEventCreate(cudaEvent_t* event) { return cudaEventCreateWithFlags(event, cudaEventDefault); }
cudaError_t cudaEventDestroy(cudaEvent_t event) {
  const std::lock_guard lock(runtime().mutex);
  RITZ_ALIVE(event);
  if (event->stream != nullptr && runtime().streams.contains(event->stream)) finish(event->stream);
  return event->is_destroyed = true, cudaSuccess;
}
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  RITZ_CALL;
  stream = real_stream(stream);
  RITZ_ALIVE(event);
  RITZ_ALIVE(stream);
  if (stream->device != current || event->device != stream->device) return failed(cudaErrorInvalidResourceHandle);
  if (is_recording(stream)) return refuse_recording(stream);
  event->stream = stream;
  const std::uint64_t turn = ++event->asked;
  return enqueue(stream, [event, turn, stream] {
    event->reached = turn;
    event->clock = stream->clock;
    event->when = std::chrono::steady_clock::now();
  });
}
// Work that was launched after the event is not done by this, as on a GPU that is slow.
cudaError_t cudaEventSynchronize(cudaEvent_t event) {
  RITZ_CALL;
  RITZ_ALIVE(event);
  if (event->stream != nullptr) finish(event);
  return runtime().at_fault ? failed(cudaErrorIllegalAddress) : cudaSuccess;
}
cudaError_t cudaEventQuery(cudaEvent_t event) {
  RITZ_CALL;
  RITZ_ALIVE(event);
  const auto has_come = [event] { return event->reached == event->asked; };
  if (event->stream != nullptr) advance_until(event->stream, has_come);
  if (runtime().at_fault) return failed(cudaErrorIllegalAddress);
  if (!has_come()) return failed(cudaErrorNotReady);
  join(runtime().clock, event->clock);
  return cudaSuccess;
}
cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t first, cudaEvent_t last) {
  RITZ_CALL;
  RITZ_ALIVE(first);
  RITZ_ALIVE(last);
  if (first->device != last->device) return failed(cudaErrorInvalidResourceHandle);
  if (first->reached != first->asked || last->reached != last->asked) return failed(cudaErrorNotReady);
  *milliseconds = std::chrono::duration<float, std::milli>(last->when - first->when).count();
  return cudaSuccess;
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned) {
  RITZ_CALL;
  const std::size_t number = runtime().stream_count++;
  runtime().streams.insert(*stream = new CUstream_st{.device = current, .number = number, .clock = Clock(number + 1)});
  return cudaSuccess;
}
// Without regard to priorities.
cudaError_t cudaStreamCreateWithPriority(cudaStream_t* stream, unsigned flags, int) {
  return cudaStreamCreateWithFlags(stream, flags);
}
cudaError_t cudaDeviceGetStreamPriorityRange(int* least, int* greatest) {
  *least = *greatest = 0;
  return cudaSuccess;
}
// The work of the event's stream before it is done when this one comes here.
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned) {
  RITZ_CALL;
  stream = real_stream(stream);
  RITZ_ALIVE(event);
  RITZ_ALIVE(stream);
  if (event->stream == nullptr) return cudaSuccess;
  const auto has_come = [event, turn = event->asked] { return event->reached >= turn; };
  return enqueue_when(
      stream,
      [has_come, from = event->stream] {
        advance_until(from, has_come);
        return has_come();
      },
      [event, stream] { join(stream->clock, event->clock); });
}
cudaError_t cudaStreamQuery(cudaStream_t stream) {
  RITZ_CALL;
  stream = real_stream(stream);
  RITZ_ALIVE(stream);
  if (is_recording(stream)) return refuse_recording(stream);
  const bool is_done = advance_until(stream, {});
  if (runtime().at_fault) return failed(cudaErrorIllegalAddress);
  if (!is_done) return failed(cudaErrorNotReady);
  join(runtime().clock, stream->clock);
  return cudaSuccess;
}
cudaError_t cudaStreamIsCapturing(cudaStream_t stream, cudaStreamCaptureStatus* status) {
  *status = !is_recording(stream) ? cudaStreamCaptureStatusNone
            : stream->spoilt      ? cudaStreamCaptureStatusInvalidated
                                  : cudaStreamCaptureStatusActive;
  return cudaSuccess;
}
cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  RITZ_CALL;
  stream = real_stream(stream);
  RITZ_ALIVE(stream);
  if (is_recording(stream)) return refuse_recording(stream);
  finish(stream);
  return runtime().at_fault ? failed(cudaErrorIllegalAddress) : cudaSuccess;
}
cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  const std::lock_guard lock(runtime().mutex);
  RITZ_ALIVE(stream);
  finish(stream);
  runtime().streams.erase(stream);
  return stream->is_destroyed = true, cudaSuccess;
}
cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode) {
  RITZ_CALL;
  RITZ_ALIVE(stream);
  if (is_recording(stream)) return failed(cudaErrorIllegalState);
  stream->recorded = new CUgraph_st;
  stream->spoilt = false;
  return cudaSuccess;
}
cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t* graph) {
  RITZ_CALL;
  *graph = std::exchange(stream->recorded, nullptr);
  if (!stream->spoilt) return cudaSuccess;
  delete std::exchange(*graph, nullptr);
  return failed(cudaErrorStreamCaptureInvalidated);
}
cudaError_t cudaGraphInstantiate(cudaGraphExec_t* executable, cudaGraph_t graph, unsigned long long) {
  *executable = new CUgraphExec_st{graph->work};
  return cudaSuccess;
}
cudaError_t cudaGraphLaunch(cudaGraphExec_t executable, cudaStream_t stream) {
  RITZ_CALL;
  RITZ_ALIVE(executable);
  for (const Work& work : executable->work) enqueue(stream, work);
  return cudaSuccess;
}
cudaError_t cudaGraphDestroy(cudaGraph_t graph) { return delete graph, cudaSuccess; }
cudaError_t cudaGraphExecDestroy(cudaGraphExec_t executable) {
  const std::lock_guard lock(runtime().mutex);
  RITZ_ALIVE(executable);
  for (const cudaStream_t stream : runtime().streams) finish(stream);
  executable->work.clear();
  return executable->is_destroyed = true, cudaSuccess;
}

#pragma GCC visibility pop
}
