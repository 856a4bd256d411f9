// The CUDA runtime that modules of nvcc ask for when the interpreter is to run their kernels: fat binaries, kernels and
// variables are registered here, launches go into streams of the emulated GPU (tests/cuda_emulator), which has the
// rest of the runtime. Linked as libcudart.so.13, the name that modules ask for.
#include "tests/cuda_emulator/memory.hpp"
#include "tests/ptx/fat_binary.hpp"
#include "tests/ptx/machine.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cxxabi.h>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace ritz::ptx {
namespace {

using emulator::Access;

constexpr unsigned architecture = 90;  // of the emulated GPU
constexpr std::size_t plain_shared_bytes = 48 << 10;

struct FatBinary {  // what __cudaRegisterFatBinary gets
  int magic, version;
  const void* data;
  void* file;
};

struct Registered {
  const void* data = nullptr;
  std::map<int, std::unique_ptr<Module>> modules;  // of each device
};

struct Named {
  Registered* binary = nullptr;
  std::string name, readable;
  bool is_constant = false;
  std::size_t bytes = 0;
};

struct Registry {
  std::recursive_mutex mutex;
  std::vector<std::unique_ptr<Registered>> binaries;
  std::map<const void*, Named> kernels, variables;  // by the addresses of their stubs in host code
};

Registry& registry() {
  static Registry& instance = *new Registry;
  return instance;
}

std::string readable(const std::string& name) {
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> text(abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status),
                                                         std::free);
  return status == 0 ? text.get() : name;
}

char* allocate(std::uint64_t bytes, std::uint64_t, int device) {
  void* const memory = emulator::allocate(bytes, device);
  if (memory != nullptr && bytes > 0) emulator::touch_range("a module", memory, bytes, Access::write);
  return static_cast<char*>(memory);
}

// The newest text that the GPU can run. Memory of the device must be open.
Module& module_of(Registered& r, int device) {
  std::unique_ptr<Module>& module = r.modules[device];
  if (module != nullptr) return *module;
  std::vector<PtxText> texts = ptx_of_fat_binary(r.data);
  std::erase_if(texts, [](const PtxText& t) { return t.architecture > architecture; });
  if (texts.empty()) throw Unsupported("a module without PTX that compute capability 9.0 can run");
  PtxText& best = *std::ranges::max_element(texts, {}, &PtxText::architecture);
  module = std::make_unique<Module>(
      std::move(best.text), best.name,
      [device](std::uint64_t bytes, std::uint64_t alignment) { return allocate(bytes, alignment, device); });
  return *module;
}

// The accesses of a launch, as the emulated GPU looks at them.
class EmulatedWatch final : public Watch {
 public:
  explicit EmulatedWatch(const Module& module) : module_(module) {}
  void begin_block(const void* shared, std::size_t bytes) override {
    emulator::begin_block_accesses(shared, shared_room_bytes, bytes);
    threads_.clear();
  }
  void access(const Place& place, const void* memory, unsigned bytes, Kind kind) override {
    emulator::resume_moment(moment(place));
    if (kind == Kind::atomic_read) emulator::touch_strongly(memory, bytes, Access::read);
    else if (kind == Kind::atomic_write) emulator::touch_strongly(memory, bytes, Access::write);
    else if (kind == Kind::read_only) emulator::touch_read_only(memory, bytes, place.instruction);
    else emulator::touch(memory, bytes, kind == Kind::read ? Access::read : Access::write, place.instruction);
    last_ = place.instruction;
    check();
  }
  void end_access() override {
    emulator::end_moment();
    check();
  }
  void fence(const Place& place) override {
    const std::uint32_t now = moment(place);
    Thread& t = threads_[place.thread];
    t.fenced = now;
    if (t.has_read) emulator::resume_moment(now), emulator::acquire(now);
  }
  void release(const Place& place) override {
    const std::uint32_t now = moment(place);
    emulator::resume_moment(now);
    emulator::publish(now);
  }
  void acquire(const Place& place) override {
    const std::uint32_t now = moment(place);
    emulator::resume_moment(now);
    emulator::acquire(now);
  }
  void strong_write(const Place& place) override {
    const std::uint32_t now = moment(place);
    if (threads_[place.thread].fenced == 0) return;
    emulator::resume_moment(now);
    emulator::publish(threads_[place.thread].fenced);
  }
  void strong_read(const Place& place) override {
    moment(place);
    threads_[place.thread].has_read = true;
  }

 private:
  struct Thread {
    std::uint32_t moment = 0, epoch = 0, warp_epoch = 0, fenced = 0;
    bool has_read = false;
  };

  std::uint32_t moment(const Place& p) {
    if (p.thread >= threads_.size()) threads_.resize(p.thread + 1);
    Thread& t = threads_[p.thread];
    if (t.moment == 0 || t.epoch != p.epoch || t.warp_epoch != p.warp_epoch) {
      t.moment = emulator::add_moment({p.block, p.thread, p.epoch, p.warp_epoch});
      t.epoch = p.epoch;
      t.warp_epoch = p.warp_epoch;
    }
    return t.moment;
  }
  // The emulated GPU has said what is wrong: the kernel ends here.
  void check() const {
    if (emulator::has_fault()) throw Fault("", text_of(module_, *last_));
  }

  const Module& module_;
  const Instruction* last_ = nullptr;
  std::vector<Thread> threads_;
};

struct Arguments {
  Named* kernel;
  Registered* binary;
  std::vector<char> block;
};

void run_launch(const cudaLaunchConfig_t& c, const emulator::Kernel& kernel, int device) {
  const auto& arguments = *static_cast<const Arguments*>(kernel.arguments.get());
  emulator::begin_accesses(kernel, device);
  emulator::count_launch(kernel, c.gridDim.x * c.gridDim.y * c.gridDim.z, c.blockDim.x * c.blockDim.y * c.blockDim.z);
  try {
    Module& module = module_of(*arguments.binary, device);
    EmulatedWatch watch(module);
    run({.kernel = module.entry(arguments.kernel->name),
         .module = &module,
         .blocks = {c.gridDim.x, c.gridDim.y, c.gridDim.z},
         .threads = {c.blockDim.x, c.blockDim.y, c.blockDim.z},
         .parameters = arguments.block,
         .dynamic_shared_bytes = c.dynamicSmemBytes,
         .watch = &watch});
  } catch (const Fault& fault) {
    if (!fault.kind.empty()) emulator::report(fault.kind, fault.what());
    else std::fprintf(stderr, "  %s\n", fault.what());
  } catch (const std::exception& error) { emulator::report("unsupported", error.what()); }
  emulator::count_block();
}

// Opens device memory to host code.
struct OpenMemory {
  OpenMemory() { emulator::open_memory(); }
  ~OpenMemory() { emulator::close_memory(); }
  OpenMemory(const OpenMemory&) = delete;
};

cudaError_t fail(const char* what, const std::exception& error) {
  emulator::report("launch", std::string(what) + ": " + error.what());
  return cudaErrorInvalidDeviceFunction;
}

// Static and dynamic shared memory together, as CUDA allows it.
bool fits(const Function& f, const void* stub, std::size_t dynamic_bytes) {
  const auto allowed = emulator::allowed_shared(stub);
  const std::size_t both = f.shared_bytes + dynamic_bytes;
  return allowed ? dynamic_bytes <= *allowed && both <= emulator::shared_limit() : both <= plain_shared_bytes;
}

cudaError_t launch(const void* stub, dim3 grid, dim3 block, void** given, std::size_t shared, cudaStream_t stream) {
  const std::lock_guard lock(registry().mutex);
  const auto found = registry().kernels.find(stub);
  if (found == registry().kernels.end()) return cudaErrorInvalidDeviceFunction;
  Named& named = found->second;
  const auto arguments = std::make_shared<Arguments>();
  try {
    const OpenMemory open;
    const Function* const f = module_of(*named.binary, emulator::current_device()).entry(named.name);
    if (f == nullptr) return cudaErrorInvalidDeviceFunction;
    if (!fits(*f, stub, shared) || block.x * block.y * block.z > f->most_threads) return cudaErrorInvalidValue;
    arguments->kernel = &named;
    arguments->binary = named.binary;
    arguments->block.resize(f->parameter_bytes);
    for (std::size_t k = 0; k < f->parameters.size(); ++k)
      std::memcpy(arguments->block.data() + f->parameters[k].offset, given[k], f->parameters[k].bytes);
  } catch (const std::exception& error) { return fail(named.readable.c_str(), error); }
  cudaLaunchConfig_t c{};
  c.gridDim = grid;
  c.blockDim = block;
  c.dynamicSmemBytes = shared;
  c.stream = stream;
  emulator::Kernel kernel{named.readable.c_str(), stub, nullptr, nullptr, arguments, arguments->block.size()};
  kernel.run = run_launch;
  return emulator::launch(c, kernel);
}

struct Configuration {
  dim3 grid, block;
  std::size_t shared;
  cudaStream_t stream;
};
thread_local std::vector<Configuration> configurations;

char* variable(const void* symbol) {
  const auto found = registry().variables.find(symbol);
  if (found == registry().variables.end()) return nullptr;
  const OpenMemory open;
  const Variable* const v = module_of(*found->second.binary, emulator::current_device()).variable(found->second.name);
  return v == nullptr ? nullptr : v->memory;
}

}  // namespace
}  // namespace ritz::ptx

using namespace ritz::ptx;
namespace emulator = ritz::emulator;

extern "C" {
#pragma GCC visibility push(default)

// ---- what nvcc's host code calls ----

void** __cudaRegisterFatBinary(void* binary) {
  const std::lock_guard lock(registry().mutex);
  registry().binaries.push_back(std::make_unique<Registered>());
  registry().binaries.back()->data = static_cast<const FatBinary*>(binary)->data;
  return reinterpret_cast<void**>(registry().binaries.back().get());
}
void __cudaRegisterFatBinaryEnd(void**) {}
void __cudaUnregisterFatBinary(void**) {}  // texts stay, as streams may hold work
char __cudaInitModule(void**) { return 1; }
void __cudaRegisterFunction(void** binary, const char* stub, char*, const char* name, int, uint3*, uint3*, dim3*, dim3*,
                            int*) {
  const std::lock_guard lock(registry().mutex);
  registry().kernels[stub] = {reinterpret_cast<Registered*>(binary), name, readable(name), false, 0};
}
void __cudaRegisterVar(void** binary, char* host, char*, const char* name, int, std::size_t bytes, int constant, int) {
  const std::lock_guard lock(registry().mutex);
  registry().variables[host] = {reinterpret_cast<Registered*>(binary), name, name, constant != 0, bytes};
}
unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, std::size_t shared, void* stream) {
  configurations.push_back({grid, block, shared, static_cast<cudaStream_t>(stream)});
  return 0;
}
cudaError_t __cudaPopCallConfiguration(dim3* grid, dim3* block, std::size_t* shared, void* stream) {
  if (configurations.empty()) return cudaErrorMissingConfiguration;
  const Configuration c = configurations.back();
  configurations.pop_back();
  *grid = c.grid;
  *block = c.block;
  *shared = c.shared;
  *static_cast<cudaStream_t*>(stream) = c.stream;
  return cudaSuccess;
}
cudaError_t __cudaGetKernel(cudaKernel_t* kernel, const void* stub) {
  *kernel = reinterpret_cast<cudaKernel_t>(const_cast<void*>(stub));
  return cudaSuccess;
}
cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void** arguments, std::size_t shared,
                               cudaStream_t stream) {
  return launch(kernel, grid, block, arguments, shared, stream);
}

// ---- the runtime's calls about kernels and variables, and those without a stream ----

cudaError_t cudaLaunchKernel(const void* stub, dim3 grid, dim3 block, void** arguments, std::size_t shared,
                             cudaStream_t stream) {
  return launch(stub, grid, block, arguments, shared, stream);
}
cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t* c, const void* stub, void** arguments) {
  return launch(stub, c->gridDim, c->blockDim, arguments, c->dynamicSmemBytes, c->stream);
}
cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* attributes, const void* stub) {
  const std::lock_guard lock(registry().mutex);
  const auto found = registry().kernels.find(stub);
  if (found == registry().kernels.end()) return cudaErrorInvalidDeviceFunction;
  *attributes = {};
  attributes->numRegs = 32;
  attributes->ptxVersion = attributes->binaryVersion = static_cast<int>(architecture);
  attributes->maxDynamicSharedSizeBytes = plain_shared_bytes;
  try {
    const OpenMemory open;
    const Function* const f = module_of(*found->second.binary, emulator::current_device()).entry(found->second.name);
    if (f == nullptr) return cudaErrorInvalidDeviceFunction;
    attributes->maxThreadsPerBlock = static_cast<int>(f->most_threads);
    attributes->sharedSizeBytes = f->shared_bytes;
    attributes->localSizeBytes = f->local_bytes;
  } catch (const std::exception& error) { return fail(found->second.readable.c_str(), error); }
  return cudaSuccess;
}
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* blocks, const void*, int threads,
                                                                   std::size_t shared, unsigned) {
  const std::size_t by_shared = most_shared_bytes / std::max<std::size_t>(shared, 1024);
  *blocks = std::min({2048 / std::max(threads, 1), 32, static_cast<int>(by_shared)});
  return cudaSuccess;
}
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, const void* stub, int threads,
                                                          std::size_t shared) {
  return cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, stub, threads, shared, 0);
}
cudaError_t cudaGetSymbolAddress(void** address, const void* symbol) {
  const std::lock_guard lock(registry().mutex);
  *address = variable(symbol);
  return *address != nullptr ? cudaSuccess : cudaErrorInvalidSymbol;
}
cudaError_t cudaMemcpy(void* target, const void* source, std::size_t bytes, cudaMemcpyKind kind) {
  const cudaError_t before = cudaDeviceSynchronize();
  if (before != cudaSuccess) return before;
  const cudaError_t status = cudaMemcpyAsync(target, source, bytes, kind, emulator::default_stream());
  return status != cudaSuccess ? status : cudaStreamSynchronize(emulator::default_stream());
}
cudaError_t cudaMemset(void* target, int value, std::size_t bytes) {
  const cudaError_t before = cudaDeviceSynchronize();
  return before != cudaSuccess ? before : cudaMemsetAsync(target, value, bytes, emulator::default_stream());
}
cudaError_t cudaMemcpyToSymbol(const void* symbol, const void* source, std::size_t bytes, std::size_t offset,
                               cudaMemcpyKind kind) {
  char* const target = variable(symbol);
  return target == nullptr ? cudaErrorInvalidSymbol : cudaMemcpy(target + offset, source, bytes, kind);
}
cudaError_t cudaMemcpyFromSymbol(void* target, const void* symbol, std::size_t bytes, std::size_t offset,
                                 cudaMemcpyKind kind) {
  const char* const source = variable(symbol);
  return source == nullptr ? cudaErrorInvalidSymbol : cudaMemcpy(target, source + offset, bytes, kind);
}
const char* cudaGetErrorName(cudaError_t status) { return cudaGetErrorString(status); }
cudaError_t cudaPeekAtLastError() { return emulator::has_fault() ? cudaErrorIllegalAddress : cudaSuccess; }

#pragma GCC visibility pop
}
