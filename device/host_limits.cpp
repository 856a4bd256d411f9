#include "device/host_limits.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <optional>
#include <sched.h>
#include <unistd.h>
#include <vector>

namespace ritz {
namespace {

constexpr Index without_limit = Index{1} << 60;  // version 1 says "none" by a number of this size

// The lines of a small file; none if it cannot be read. Paths are plain strings here: this also runs when memory is
// short, and a std::filesystem::path that fails to allocate frees its parts twice (libstdc++ 12).
std::vector<std::string> lines_of(const std::string& file) {
  std::vector<std::string> lines;
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> in(std::fopen(file.c_str(), "r"), std::fclose);
  char line[4096];
  while (in && std::fgets(line, sizeof line, in.get()) != nullptr) {
    lines.emplace_back(line);
    if (lines.back().ends_with('\n')) lines.back().pop_back();
  }
  return lines;
}

// A number in a file of one number; -1 where there is none ("max").
Index number_in(const std::string& file) {
  const std::vector<std::string> lines = lines_of(file);
  if (lines.empty()) return -1;
  char* end = nullptr;
  const Index number = std::strtoll(lines[0].c_str(), &end, 10);
  return end == lines[0].c_str() ? -1 : number;
}

// The number after a key at the start of a line; 0 if there is none.
Index keyed(const std::string& file, const std::string& key) {
  for (const std::string& line : lines_of(file))
    if (line.rfind(key + " ", 0) == 0) return std::strtoll(line.c_str() + key.size() + 1, nullptr, 10);
  return 0;
}

// "key:   123 kB" of /proc/meminfo, in bytes.
Index meminfo(const std::string& root, const std::string& key) {
  return 1024 * keyed(root + "/proc/meminfo", key + ":");
}

void limit_memory(HostLimits& limits, Index limit, Index used) {
  if (limit < 0 || limit >= without_limit) return;
  limits.group_memory = limits.group_memory == 0 ? limit : std::min(limits.group_memory, limit);
  limits.memory_total = std::min(limits.memory_total, limit);
  limits.memory_available = std::min(limits.memory_available, std::max<Index>(0, limit - std::max<Index>(0, used)));
}

void limit_processors(HostLimits& limits, double quota, double period) {
  if (!(quota > 0) || !(period > 0)) return;
  const double processors = quota / period;
  limits.group_processors = limits.group_processors == 0 ? processors : std::min(limits.group_processors, processors);
}

// Calls use(folder) for the group and those around it, which limit it too. Inside a container the path may name a group
// that only the host sees: then the root of the mount is the group.
template <class Use>
void walk_up(const std::string& mount, const std::string& group, const Use& use) {
  std::string folder = mount + (group == "/" ? "" : group);
  if (::access(folder.c_str(), F_OK) != 0) folder = mount;
  while (true) {
    use(folder);
    if (folder.size() <= mount.size()) break;
    folder.resize(folder.rfind('/'));
  }
}

void read_version_2(const std::string& folder, HostLimits& limits) {
  limit_memory(limits, number_in(folder + "/memory.max"),
               number_in(folder + "/memory.current") - keyed(folder + "/memory.stat", "inactive_file"));
  double allowed = 0, period = 0;
  for (const std::string& line : lines_of(folder + "/cpu.max"))
    if (std::sscanf(line.c_str(), "%lf %lf", &allowed, &period) == 2) limit_processors(limits, allowed, period);
}

void read_groups(const std::string& root, HostLimits& limits) {
  const std::string mount = root + "/sys/fs/cgroup";
  for (const std::string& line : lines_of(root + "/proc/self/cgroup")) {  // "number:controllers:path"
    const std::size_t first = line.find(':'), second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1), path = line.substr(second + 1);
    if (controllers.empty()) {
      walk_up(mount, path, [&](const std::string& folder) { read_version_2(folder, limits); });
    } else if (controllers == "memory") {
      walk_up(mount + "/memory", path, [&](const std::string& folder) {
        limit_memory(
            limits, number_in(folder + "/memory.limit_in_bytes"),
            number_in(folder + "/memory.usage_in_bytes") - keyed(folder + "/memory.stat", "total_inactive_file"));
      });
    } else if (("," + controllers + ",").find(",cpu,") != std::string::npos) {
      walk_up(mount + "/cpu", path, [&](const std::string& folder) {
        limit_processors(limits, double(number_in(folder + "/cpu.cfs_quota_us")),
                         double(number_in(folder + "/cpu.cfs_period_us")));
      });
    }
  }
}

std::optional<cpu_set_t> affinity_mask() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof set, &set) != 0) return std::nullopt;
  return set;
}

HostShare share_of_this_process;

}  // namespace

int HostLimits::threads() const {
  const int by_quota = group_processors > 0 ? static_cast<int>(std::ceil(group_processors)) : affinity;
  return std::max(1, std::min(affinity / share.on_these_processors, by_quota));
}

void share_host(HostShare share) { share_of_this_process = share; }

std::string affinity_text() {
  const std::optional<cpu_set_t> set = affinity_mask();
  std::string text;
  for (int processor = CPU_SETSIZE - 4; set && processor >= 0; processor -= 4) {
    int digit = 0;
    for (int bit = 0; bit < 4; ++bit) digit |= (CPU_ISSET(processor + bit, &*set) ? 1 : 0) << bit;
    if (digit != 0 || !text.empty()) text += "0123456789abcdef"[digit];
  }
  return text;
}

bool HostLimits::group_limits_memory() const { return group_memory > 0 && group_memory <= memory_total; }

HostLimits host_limits(const std::string& root) {
  HostLimits limits;
  limits.memory_total = meminfo(root, "MemTotal");
  if (limits.memory_total == 0) limits.memory_total = Index{sysconf(_SC_PHYS_PAGES)} * sysconf(_SC_PAGE_SIZE);
  limits.memory_available = meminfo(root, "MemAvailable");
  if (limits.memory_available == 0) limits.memory_available = Index{sysconf(_SC_AVPHYS_PAGES)} * sysconf(_SC_PAGE_SIZE);
  limits.processors = std::max(1, static_cast<int>(sysconf(_SC_NPROCESSORS_ONLN)));
  const std::optional<cpu_set_t> set = affinity_mask();
  limits.affinity = set ? std::max(1, CPU_COUNT(&*set)) : limits.processors;
  read_groups(root, limits);
  limits.share = share_of_this_process;
  for (Index* memory : {&limits.memory_total, &limits.memory_available, &limits.group_memory})
    *memory /= limits.share.processes;
  limits.group_processors /= limits.share.processes;
  return limits;
}

}  // namespace ritz
