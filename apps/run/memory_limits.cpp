#include "apps/run/memory_limits.hpp"

#include "device/error.hpp"
#include "device/host_limits.hpp"
#include "device/host_memory.hpp"
#include "io/files/byte_size.hpp"
#include "io/results/report.hpp"

#include <CLI/CLI.hpp>

#include <algorithm>
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
             throw CLI::ValidationError(
                 fmt::format("{}: '{}' is no size of memory; write 6G, 512MiB or a number of bytes", name, text));
           bytes = *size;
         },
         about)
      ->type_name("SIZE");
}

// The share of a control group's memory for counted blocks: all but the uncounted memory of the program now, libraries'
// pages included, and its future uncounted memory: stacks, small blocks, overhead of malloc, page tables (measured:
// docs/memory.md). Memory of the group's other programs is not considered, as they may end soon; nor are files that the
// system has cached for them.
Index limit_within(Index group_memory) {
  const Index beside = std::max<Index>(0, host_memory_now() - host_memory_live());
  const Index to_come = 16'000'000 + group_memory / 32;
  return std::max<Index>(1, group_memory - beside - to_come);  // 0 would be none
}

// Signal-safe in spirit: no allocation.
[[noreturn]] void terminate() {
  try {
    if (const std::exception_ptr error = std::current_exception()) std::rethrow_exception(error);
  } catch (const std::bad_alloc&) {
    constexpr char text[] =
        "error: out of host memory, where the program could not continue\n  fix: use a machine with more memory, a "
        "larger --host-memory-limit, a coarser mesh or order 1\n";
    const auto ignored = ::write(STDERR_FILENO, text, sizeof text - 1);
    static_cast<void>(ignored);
    std::_Exit(static_cast<int>(Exit::resources));
  } catch (...) {}
  std::abort();
}

}  // namespace

void add_memory_options(CLI::App& cli, MemoryLimits& limits) {
  add_size(cli, "--memory-limit", limits.device, "that arrays on the device may take: 6G, 512MiB; kept to the byte");
  add_host_memory_option(cli, limits);
}

void add_host_memory_option(CLI::App& cli, MemoryLimits& limits) {
  add_size(cli, "--host-memory-limit", limits.host,
           "that this program may take of the host in blocks from 64 KiB, arrays on a CPU included");
}

std::string obey(const MemoryLimits& limits) {
  const HostLimits host = host_limits();
  const bool by_group = limits.host == 0 && host.group_limits_memory();
  set_host_memory_limit(by_group ? limit_within(host.group_memory) : limits.host);
  if (!by_group) return "";
  return_large_blocks_at_once(large_host_block);  // so that counted memory is held memory
  return fmt::format(
      "host memory: the control group allows {}, so arrays, meshes and lists may take {} (--host-memory-limit sets "
      "another limit)",
      text_of_bytes(host.group_memory), text_of_bytes(host_memory_limit()));
}

void limit(const Device& device, const MemoryLimits& limits) {
  if (limits.device > 0) device.memory().set_limit(limits.device);
}

void end_in_order_without_memory() {
  std::set_terminate(terminate);
  // Resident memory of ritz-heat with two million unknowns of order 2 falls by 29 % (21 November 2026).
  return_large_blocks_at_once();
}

}  // namespace ritz
