// Memory and processors of the host that this process may use: limits of the machine, of its control groups
// (containers, batch systems), and of the affinity mask.
#pragma once

#include "device/machine.hpp"

#include <string>

namespace ritz {

// How many processes of one job (ranks) share this machine, how many of them the same processors, and which of the
// processes this one is.
struct HostShare {
  int processes = 1, on_these_processors = 1, number = 0;
};

struct HostLimits {
  Index memory_total = 0;       // [bytes] of the machine, or less where a control group allows less
  Index memory_available = 0;   // [bytes] that may still be taken without swapping
  Index group_memory = 0;       // [bytes] limit of the control group; 0: none
  int processors = 0;           // all of the machine
  int affinity = 0;             // that the affinity mask allows
  double group_processors = 0;  // quota of the control group in processors; 0: none
  HostShare share;
  int threads() const;               // that make sense: at least 1
  bool group_limits_memory() const;  // below what the machine has
};

// From now on host_limits() gives the share of one of them: of memory and of a control group's quota, and threads().
void share_host(HostShare share);

// The processors of the affinity mask, to compare with those of another process: "ff".
std::string affinity_text();

// Reads /proc and /sys/fs/cgroup (version 2, and 1 where that is mounted). `root` is put before both paths, for tests.
HostLimits host_limits(const std::string& root = "");

}  // namespace ritz
