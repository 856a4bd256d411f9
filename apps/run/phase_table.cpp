#include "apps/run/phase_table.hpp"

#include "io/files/byte_size.hpp"

#include <fmt/format.h>

namespace ritz {

std::vector<std::string> phase_table(const RunReport& report) {
  std::string heading = fmt::format("{:<40}{:>10}{:>8}{:>12}{:>9}{:>10}{:>12}{:>12}", "phases", "seconds", "calls",
                                    "by kernels", "GB/s", "of copy", "to device", "to host");
  if (report.copy_rate > 0) heading += fmt::format("   (a copy: {:.1f} GB/s)", 1e-9 * report.copy_rate);
  std::vector<std::string> lines{heading};
  for (const RunPhase& phase : report.phases) {
    const double rate = phase.kernel_bytes > 0 && phase.seconds > 0 ? double(phase.kernel_bytes) / phase.seconds : 0;
    lines.push_back(fmt::format(
        "  {:<38}{:>10.3f}{:>8}{:>12}{:>9}{:>10}{:>12}{:>12}", phase.name, phase.seconds, phase.calls,
        rate > 0 ? text_of_bytes(phase.kernel_bytes) : "", rate > 0 ? fmt::format("{:.1f}", 1e-9 * rate) : "",
        rate > 0 && report.copy_rate > 0 ? fmt::format("{:.0f} %", 100 * rate / report.copy_rate) : "",
        text_of_bytes(phase.to_device), text_of_bytes(phase.to_host)));
  }
  return lines;
}

}  // namespace ritz
