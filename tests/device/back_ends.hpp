// The back ends that this build has and this machine can run: a build of RITZ_CPU_BACKENDS=native has one for the CPU.
#pragma once

#include "device/device.hpp"
#include "device/error.hpp"

#include <initializer_list>
#include <string>
#include <vector>

namespace ritz::test {

inline bool has_back_end(const std::string& name) {
  try {
    Device::named(name, 1);
    return true;
  } catch (const Error&) { return false; }
}

inline std::vector<std::string> back_ends(std::initializer_list<const char*> names = {"cpu:v3", "cpu:v4", "fake"}) {
  std::vector<std::string> result;
  for (const char* name : names)
    if (has_back_end(name)) result.emplace_back(name);
  return result;
}

}  // namespace ritz::test
