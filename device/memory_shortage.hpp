// Memory is short on a device, Error: Exit::resources from its pool, or on the host, std::bad_alloc. Code that can
// continue with less memory catches both here.
//
//   if (const std::optional<Error> shortage = memory_shortage([&] { solve(); })) step_down(*shortage);
#pragma once

#include "device/error.hpp"

#include <concepts>
#include <new>
#include <optional>

namespace ritz {

// Names the block that was refused last, where the program counts them (device/host_memory.hpp).
Error host_memory_error();

// nullopt: it was done. Else what was short; what the attempt held is free again. Other errors pass.
template <std::invocable F>
std::optional<Error> memory_shortage(const F& attempt) {
  try {
    attempt();
  } catch (const std::bad_alloc&) { return host_memory_error(); } catch (const Error& error) {
    if (error.exit() != Exit::resources) throw;
    return error;
  }
  return std::nullopt;
}

// The same for what may also want a library that is not there (Exit::environment).
template <std::invocable F>
std::optional<Error> shortage_or_no_library(const F& attempt) {
  try {
    return memory_shortage(attempt);
  } catch (const Error& error) {
    if (error.exit() != Exit::environment) throw;
    return error;
  }
}

}  // namespace ritz
