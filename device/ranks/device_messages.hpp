// Messages from the memory of one rank's device to that of another's, in the order of the device's stream, so that the
// host waits for none: NCCL between GPUs, in a module of its own, ritz_ranks.cuda.so, which loads libnccl.so.2. Used
// through Ranks::connect() and its kin.
#pragma once

#include "device/device.hpp"
#include "device/ranks/ranks.hpp"

#include <memory>
#include <span>
#include <string>

namespace ritz {

class DeviceMessages {
 public:
  virtual ~DeviceMessages() = default;  // all ranks: what was sent has arrived
  virtual const Device& device() const = 0;
  // Joins the ranks of the job, which all call it. Before, nothing depends on another rank.
  virtual void join(const std::string& id) = 0;
  // Queued after what is launched so far; what is launched until finish() runs beside it. One exchange at a time.
  virtual void begin(std::span<const Parcel> parcels) = 0;
  // Kernels launched from now on run when everything has arrived and left. The host does not wait.
  virtual void finish() = 0;
  // numbers: [count] of the device become their sums over all ranks, in the tree of Ranks::sum. The host does not wait.
  virtual void sum(double* numbers, int count) = 0;
  // Throws where the library has found that a message cannot arrive.
  virtual void check() = 0;
  // Messages under way are given up, and no more are sent: the job ends.
  virtual void abandon() noexcept = 0;
};

// Table "messages between devices" of the module ritz_ranks.
struct DeviceMessagesModule {
  int (*version)();                    // of the library: 23203 for 2.32.3
  std::string (*card)(const Device&);  // where it is in its machine: equal for ranks that share one
  std::string (*id)();                 // of a job, for join() on all ranks
  std::unique_ptr<DeviceMessages> (*prepare)(const Device&, int rank, int ranks);
};
// Empty: `module` is set. Otherwise why there are none: no module in this build, or no library on this machine.
std::string load_device_messages(const DeviceMessagesModule*& module);
std::string nccl_version_text(int version);  // "2.32.3"

// How messages go between the devices of all ranks.
struct DeviceTransport {
  std::unique_ptr<DeviceMessages> messages;  // null: through the memory of the hosts
  std::string description;                   // "by NCCL 2.32.3", or why not; empty: no rank has a GPU
};
// All ranks call it, and all get the same. RITZ_RANKS_TRANSPORT of the first rank is "nccl" or "host" where it is set.
// Throws Error: Exit::environment where NCCL was asked for and cannot be had, AgreedError on all ranks.
DeviceTransport connect_devices(Ranks& ranks, const Device& device);

// Facts that a rank tells all others before. Exposed for tests.
struct RankDevice {
  bool is_gpu = false;
  std::string why_not;     // it has no NCCL; empty: it has
  std::string host, card;  // the same for ranks that share a GPU
  int version = 0;
};
// Why NCCL cannot be used by these ranks; empty: it can.
std::string why_not_nccl(std::span<const RankDevice> ranks);

}  // namespace ritz
