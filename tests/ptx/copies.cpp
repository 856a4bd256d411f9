// Writes a line for each copy from a GPU to the host, with a hash of its bytes: preloaded into a program, on a card as
// on the interpreter. Two runs of the same program have the same lines when all their results have the same bits.
//   RITZ_COPIES=lines.tsv LD_PRELOAD=build/lib/ptx/libritz_copies.so ritz-heat case.toml --device gpu
// Copies are waited for, but for those that a graph records, which are left out.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime_api.h>
#include <dlfcn.h>
#include <mutex>

namespace {

// The runtime that a module has loaded, which need not be visible to all.
template <class Function>
Function* real(const char* name) {
  char library[32];
  std::snprintf(library, sizeof library, "libcudart.so.%d", CUDART_VERSION / 1000);
  void* const handle = dlopen(library, RTLD_NOW | RTLD_NOLOAD);
  void* const found = handle != nullptr ? dlsym(handle, name) : nullptr;
  if (found == nullptr) {
    std::fprintf(stderr, "libritz_copies: no %s in %s\n", name, library);
    std::abort();
  }
  return reinterpret_cast<Function*>(found);
}

// FNV-1a, 64 bits.
std::uint64_t hash(const void* memory, std::size_t bytes) {
  std::uint64_t h = 0xcbf29ce484222325u;
  for (std::size_t k = 0; k < bytes; ++k) h = (h ^ static_cast<const unsigned char*>(memory)[k]) * 0x100000001b3u;
  return h;
}

void write_line(const void* memory, std::size_t bytes) {
  static std::mutex mutex;
  const std::lock_guard lock(mutex);
  static std::FILE* const file = [] {
    const char* const name = std::getenv("RITZ_COPIES");
    return name != nullptr ? std::fopen(name, "w") : nullptr;
  }();
  static long number = 0;
  if (file == nullptr) return;
  std::fprintf(file, "%ld\t%zu\t%016llx\n", ++number, bytes, static_cast<unsigned long long>(hash(memory, bytes)));
  std::fflush(file);
}

thread_local bool is_copying = false;  // a runtime may make one call by another

bool is_recording(cudaStream_t stream) {
  static const auto ask = real<decltype(cudaStreamIsCapturing)>("cudaStreamIsCapturing");
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  return ask(stream, &status) == cudaSuccess && status != cudaStreamCaptureStatusNone;
}

}  // namespace

extern "C" {
__attribute__((visibility("default"))) cudaError_t cudaMemcpyAsync(void* target, const void* source, std::size_t bytes,
                                                                   cudaMemcpyKind kind, cudaStream_t stream) {
  static const auto copy = real<decltype(cudaMemcpyAsync)>("cudaMemcpyAsync");
  static const auto wait = real<decltype(cudaStreamSynchronize)>("cudaStreamSynchronize");
  const cudaError_t status = copy(target, source, bytes, kind, stream);
  if (status != cudaSuccess || is_copying || kind != cudaMemcpyDeviceToHost || is_recording(stream)) return status;
  const cudaError_t waited = wait(stream);
  if (waited == cudaSuccess) write_line(target, bytes);
  return waited;
}
__attribute__((visibility("default"))) cudaError_t cudaMemcpy(void* target, const void* source, std::size_t bytes,
                                                              cudaMemcpyKind kind) {
  static const auto copy = real<decltype(cudaMemcpy)>("cudaMemcpy");
  is_copying = true;
  const cudaError_t status = copy(target, source, bytes, kind);
  is_copying = false;
  if (status == cudaSuccess && kind == cudaMemcpyDeviceToHost) write_line(target, bytes);
  return status;
}
}
