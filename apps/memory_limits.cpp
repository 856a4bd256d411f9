#include "apps/memory_limits.hpp"

#include "device/error.hpp"
#include "device/host_memory.hpp"
#include "io/byte_size.hpp"

#include <CLI/CLI.hpp>

#include <cstdlib>
#include <exception>
#include <fmt/format.h>
#include <new>
#include <unistd.h>

namespace ritz {
namespace {

void add_size(CLI::App& cli, const char* name, Index& bytes, const char* about) {
  cli.add_option_function<std::string>(
         name,
         [&bytes, name](const std::string& text) {
           const std::optional<Index> size = byte_size(text);
           if (!size || *size == 0)
             throw CLI::ValidationError(fmt::format("{}: '{}' is no size of memory; write 6G, 512MiB or a number of bytes", name, text));
           bytes = *size;
         },
         about)
      ->type_name("SIZE");
}

// Signal-safe in spirit: no allocation.
[[noreturn]] void terminate() {
  try {
    if (const std::exception_ptr error = std::current_exception()) std::rethrow_exception(error);
  } catch (const std::bad_alloc&) {
    constexpr char text[] = "error: out of host memory, where the program could not go on\n"
                            "  fix: use a machine with more memory, a larger --host-memory-limit, a coarser mesh or order 1\n";
    const auto ignored = ::write(STDERR_FILENO, text, sizeof text - 1);
    static_cast<void>(ignored);
    std::_Exit(static_cast<int>(Exit::resources));
  } catch (...) {
  }
  std::abort();
}

}  // namespace

void add_memory_options(CLI::App& cli, MemoryLimits& limits) {
  add_size(cli, "--memory-limit", limits.device, "that arrays on the device may take: 6G, 512MiB; kept to the byte");
  add_host_memory_option(cli, limits);
}

void add_host_memory_option(CLI::App& cli, MemoryLimits& limits) {
  add_size(cli, "--host-memory-limit", limits.host, "that this program may take of the host in blocks from 64 KiB, arrays on a CPU included");
}

void obey(const MemoryLimits& limits) {
  set_host_memory_limit(limits.host);
}

void limit(const Device& device, const MemoryLimits& limits) {
  if (limits.device > 0) device.memory().set_limit(limits.device);
}

void end_in_order_without_memory() {
  std::set_terminate(terminate);
  return_large_blocks_at_once();  // two million unknowns of order 2 took 29 % less (docs/measurements/2026-11-21-matrix-free-cpu.md)
}

}  // namespace ritz
