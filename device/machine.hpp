// The thin layer under everything that touches a device: raw memory, copies, launches, synchronisation.
// Every call is counted, and the n-th of a kind can be made to fail, so that tests reach every error path.
// Three machines exist: the CPU, a fake device (CPU with access-checked memory of its own), and CUDA.
// Code outside device/ uses Device, MemoryPool and Array, not this.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

namespace ritz {

using Index = std::int64_t;

enum class MachineCall { allocate, copy, launch, synchronize };

// Counts and injected faults. `fail(call, n)` makes the n-th call of that kind from now on (n >= 1) fail as
// a real one would: allocation as out of memory, the others as a device error.
class MachineCalls {
 public:
  void fail(MachineCall call, Index n) { countdown_[static_cast<int>(call)] = n; }
  Index count(MachineCall call) const { return count_[static_cast<int>(call)]; }
  bool next_fails(MachineCall call) {
    ++count_[static_cast<int>(call)];
    Index& left = countdown_[static_cast<int>(call)];
    return left > 0 && --left == 0;
  }

 private:
  Index count_[4] = {}, countdown_[4] = {};
};

struct MachineInfo {
  std::string kind;                         // "cpu", "fake", "gpu"
  std::string name;                         // "AMD EPYC", "NVIDIA H200"
  std::string backend;                      // kernel modules to load: "v3", "v4", "cuda"
  std::string compute_capability;           // "9.0"; empty for CPUs
  std::string driver, toolkit;              // versions; empty for CPUs
  Index memory_total = 0, memory_free = 0;  // [bytes]
  int ordinal = 0;
};

// Bytes that crossed between host and device, the times a few scalars were read back, and what the host asked for:
// kernels started one by one (on CPUs: launches), recorded launches replayed together, waits for the device.
struct Traffic {
  Index to_device = 0, to_host = 0, scalar_reads = 0;
  Index kernels = 0, graphs = 0, waits = 0;
};

// A few numbers on their way from a device to the host: the solvers' way to them is device/communicator.hpp.
class ScalarRead {
 public:
  virtual ~ScalarRead() = default;
  virtual void begin(const double* device, int count) = 0;  // the copy is queued after the launches so far
  // Waits for that copy alone, not for what was launched after it.
  virtual void finish(double* host, int count) = 0;
};

class Machine {
 public:
  virtual ~Machine() = default;
  const MachineInfo& info() const { return info_; }
  MachineCalls& calls() { return calls_; }
  const Traffic& traffic() const { return traffic_; }

  void* allocate(Index bytes);  // nullptr when the memory is short; the pool turns that into an Error
  void free(void* memory) noexcept { do_free(memory); }
  virtual void trim() noexcept {}  // gives freed memory that a driver keeps back to the system
  // Page-locked host memory, so that copies from and to it run beside the host; ordinary memory, counted as host
  // memory, on machines that are not GPUs. nullptr when the system locks no more.
  void* allocate_pinned(Index bytes);
  void free_pinned(void* memory, Index bytes) noexcept { do_free_pinned(memory, bytes); }
  // Has memory of its own, apart from the host's: large copies are staged through pinned memory (device/staging.hpp).
  virtual bool is_apart() const { return false; }
  void copy_to_device(void* device, const void* host, Index bytes);
  void copy_to_host(void* host, const void* device, Index bytes);
  // Copies from and to pinned memory, which may run until synchronize().
  void begin_copy_to_device(void* device, const void* pinned, Index bytes);
  void begin_copy_to_host(void* pinned, const void* device, Index bytes);
  void copy_on_device(void* target, const void* source, Index bytes);
  void fill_zero(void* device, Index bytes);
  void begin_launch(const char* name);
  void end_launch();
  void synchronize();
  void count_kernel() { ++traffic_.kernels; }  // for launch_cuda.hpp
  void count_graph() { ++traffic_.graphs; }    // for recordings

  // A zero in the device's memory: the last block of a reduction finds by it that it is the last, and leaves it zero.
  // All launches of a machine are in one stream, so one at a time uses it. nullptr on machines that are not GPUs.
  virtual unsigned* ticket() { return nullptr; }
  virtual void* stream() { return nullptr; }  // cudaStream_t on CUDA
  virtual void push_range(const char*) {}     // profiler ranges (NVTX)
  virtual void pop_range() {}
  virtual MachineInfo current_info() { return info_; }  // with memory_free as it is now

 protected:
  virtual void* do_allocate(Index bytes) = 0;
  virtual void do_free(void* memory) noexcept = 0;
  virtual void do_copy_to_device(void* device, const void* host, Index bytes) = 0;
  virtual void do_copy_to_host(void* host, const void* device, Index bytes) = 0;
  virtual void* do_allocate_pinned(Index bytes);
  virtual void do_free_pinned(void* memory, Index bytes) noexcept;
  virtual void do_begin_copy_to_device(void* device, const void* pinned, Index bytes) {
    do_copy_to_device(device, pinned, bytes);
  }
  virtual void do_begin_copy_to_host(void* pinned, const void* device, Index bytes) {
    do_copy_to_host(pinned, device, bytes);
  }
  virtual void do_copy_on_device(void* target, const void* source, Index bytes) = 0;
  virtual void do_fill_zero(void* device, Index bytes) = 0;
  virtual void do_begin_launch() {}
  virtual void do_end_launch() {}
  virtual void do_synchronize() {}
  virtual std::unique_ptr<ScalarRead> do_make_scalar_read(int most);  // the default copies at once

  MachineInfo info_;

 private:
  friend class Communicator;
  friend class PendingSum;
  void read_scalars(double* host, const double* device, int count);  // waits for the stream
  // Room for at most `most` numbers; the caller owns it, and has one copy under way at a time.
  std::unique_ptr<ScalarRead> make_scalar_read(int most) { return do_make_scalar_read(most); }
  void begin_read(ScalarRead& read, const double* device, int count);
  void finish_read(ScalarRead& read, double* host, int count);
  void checked(MachineCall call, const char* what);
  MachineCalls calls_;
  Traffic traffic_;
};

}  // namespace ritz
