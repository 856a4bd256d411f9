// A place where arrays live and kernels run: a CPU with its threads, or a GPU with its stream. A Device is a cheap
// handle; copies share the machine, its memory pool and its profile.
//
//   Device device = Device::named("auto");   // a GPU when there is one, else the CPU; device.description() says why
#pragma once

#include "device/memory.hpp"
#include "device/profile.hpp"

#include <memory>
#include <string>
#include <vector>

namespace ritz {

struct SumsOverRanks;  // device/communicator.hpp

class Device {
 public:
  Device() = default;  // no device: only to be assigned to
  // request: "auto", "cpu", "cpu:v3" or "cpu:v4" (instruction set named), "gpu", "gpu:1", "fake" (for tests). threads:
  // of the CPU; 0 takes all that this process may use. Throws Error: Exit::environment if a GPU is named and cannot be
  // used, and Error: Exit::input for an unknown name.
  static Device named(const std::string& request, int threads = 0);

  const MachineInfo& info() const;
  const std::string& backend() const { return info().backend; }  // which kernel modules it runs
  const std::string& description() const;                        // one line: name and why it was chosen
  bool is_gpu() const { return info().kind == "gpu"; }
  int threads() const;  // CPU threads that drive the device or do its work
  // Threads of the team for a loop in so many parts: all or one. The OpenMP library ends the threads that a smaller
  // team leaves out, and starts them again for the next larger one, which takes longer than most loops.
  int team(Index parts) const { return parts > 1 ? threads() : 1; }
  Machine& machine() const;
  MemoryPool& memory() const;
  // host memory for copies; empty where the device has none of its own
  MemoryPool& pinned() const;
  Profile& profile() const;
  void synchronize() const { machine().synchronize(); }
  bool operator==(const Device& other) const { return state_ == other.state_; }

  // The same device for arrays that are this rank's part of arrays of all ranks: their sums (device/communicator.hpp)
  // are over all ranks. Arrays that are made on the device of such an array are parts, too. nullptr: of this process
  // alone, as it is at first.
  Device with_sums(std::shared_ptr<const SumsOverRanks> sums) const;
  Device alone() const { return with_sums(nullptr); }
  const SumsOverRanks* sums() const { return sums_.get(); }

 private:
  struct State;
  std::shared_ptr<State> state_;
  std::shared_ptr<const SumsOverRanks> sums_;
};

// Every device of this machine, CPU first, with the reason when GPUs cannot be used.
struct DeviceList {
  std::vector<MachineInfo> devices;
  std::string why_no_gpu;  // empty when there is one
};
DeviceList list_devices();

// Bytes read plus written per second by a copy kernel of the device's own, over `bytes` bytes: the yardstick of
// bandwidth-bound kernels. [bytes/s]
double measure_copy_rate(const Device& device, Index bytes = Index{1} << 28);

}  // namespace ritz
