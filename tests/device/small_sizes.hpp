// The emulated GPU (tests/cuda_emulator) takes some hundred times as long as a CPU: tests take smaller meshes there,
// unless RITZ_FULL_SIZES is set (tools/long_checks.sh).
#pragma once

#include "device/device.hpp"

#include <cstdlib>

namespace ritz::test {

inline bool takes_small_sizes(const Device& device) {
  return device.description().find("emulated") != std::string::npos && std::getenv("RITZ_FULL_SIZES") == nullptr;
}

}  // namespace ritz::test
