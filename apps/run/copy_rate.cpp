#include "apps/run/copy_rate.hpp"

#include "apps/run/machine_cache.hpp"
#include "device/error.hpp"

#include <algorithm>
#include <cstdlib>
#include <fmt/format.h>
#include <optional>
#include <string>

namespace ritz {
namespace {

constexpr const char* name = "copy-rate";

std::string key_of(const Device& device) {
  const MachineInfo& info = device.info();
  return fmt::format("1|{}|{}|{}|{}|{}", info.name, info.backend, info.memory_total, info.driver,
                     device.is_gpu() ? 0 : device.threads());
}

// 0: none, or nonsense.
double kept_rate(const Device& device) {
  const std::optional<std::string> before = kept(name, key_of(device));
  const double rate = before ? std::strtod(before->c_str(), nullptr) : 0;
  return rate > 1e8 && rate < 1e14 ? rate : 0;
}

}  // namespace

double copy_rate_or_none(const Device& device, Index bytes) {
  try {
    const double rate = measure_copy_rate(device, bytes);
    if (bytes >= copied_for_rate && rate > kept_rate(device))
      keep(name, key_of(device), fmt::format("{:.4g} bytes/s, read and written\n", rate));
    return rate;
  } catch (const Error&) { return 0; }
}

CopyRate known_copy_rate(const Device& device, Index available) {
  if (const double rate = kept_rate(device); rate > 0) return {rate, true};
  return {copy_rate_or_none(device, std::min(copied_for_rate, available / 4)), false};
}

}  // namespace ritz
