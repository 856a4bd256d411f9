#include "apps/ritz/devices.hpp"

#include "apps/run/copy_rate.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace ritz {
namespace {

std::string instruction_set(const MachineInfo& info) {
  return info.backend == "v4" ? "AVX-512 (x86-64-v4)" : info.backend == "v3" ? "AVX2 (x86-64-v3)" : "";
}

// Lists CPUs, and the GPU that `--device auto` takes: the others are not opened.
std::vector<DeviceReport::Rate> copy_rates(const MachineInfo& info, const Device& chosen) {
  if (info.kind == "gpu") {
    if (!chosen.is_gpu() || chosen.info().ordinal != info.ordinal) return {};
    return {{0, copy_rate_or_none(chosen)}};
  }
  const int all = Device::named("cpu").threads();
  std::vector<DeviceReport::Rate> rates;
  for (const int threads : {1, all})
    if (rates.empty() || threads > 1) rates.push_back({threads, copy_rate_or_none(Device::named("cpu", threads))});
  return rates;
}

std::string line(const char* name, const std::string& value) {
  return value.empty() ? "" : fmt::format("  {:<20}{}\n", name, value);
}

std::string text_of(const DeviceReport& device) {
  const MachineInfo& info = device.info;
  std::string text =
      info.kind == "gpu" ? fmt::format("gpu:{}  {}\n", info.ordinal, info.name) : fmt::format("cpu    {}\n", info.name);
  text += line("instruction set", instruction_set(info));
  text += line("compute capability", info.compute_capability);
  const std::string free = info.memory_free > 0 ? fmt::format(", {:.1f} GB free", 1e-9 * double(info.memory_free)) : "";
  text += line("memory", fmt::format("{:.1f} GB{}", 1e-9 * double(info.memory_total), free));
  text += line("driver", info.driver);
  text += line("toolkit", info.toolkit);
  std::string rates;
  for (const auto& [threads, rate] : device.copy_rates)
    rates += fmt::format("{}{:.1f} GB/s{}", rates.empty() ? "" : ", ", 1e-9 * rate,
                         threads == 0 ? "" : fmt::format(" with {} thread{}", threads, threads == 1 ? "" : "s"));
  return text + line("copy rate", rates);
}

}  // namespace

DevicesReport inspect_devices() {
  const DeviceList list = list_devices();
  DevicesReport report{{}, list.why_no_gpu};
  const Device chosen = Device::named("auto");
  for (const MachineInfo& info : list.devices) report.devices.push_back({info, copy_rates(info, chosen)});
  return report;
}

std::string text_of(const DevicesReport& report) {
  std::string text;
  for (const DeviceReport& device : report.devices) text += text_of(device);
  if (!report.why_no_gpu.empty()) text += fmt::format("gpu    none: {}\n", report.why_no_gpu);
  return text;
}

std::string json_of(const DevicesReport& report) {
  nlohmann::ordered_json json;
  json["devices"] = nlohmann::ordered_json::array();
  for (const DeviceReport& device : report.devices) {
    const MachineInfo& info = device.info;
    nlohmann::ordered_json one = {{"kind", info.kind}, {"name", info.name}};
    if (info.kind == "gpu") {
      one["ordinal"] = info.ordinal;
      one["compute_capability"] = info.compute_capability;
      one["driver"] = info.driver;
      one["toolkit"] = info.toolkit;
    } else {
      one["instruction_set"] = instruction_set(info);
    }
    one["memory_total"] = info.memory_total;
    one["memory_free"] = info.memory_free;
    one["copy_rates"] = nlohmann::ordered_json::array();
    for (const auto& [threads, rate] : device.copy_rates)
      one["copy_rates"].push_back(threads == 0
                                      ? nlohmann::ordered_json{{"bytes_per_second", rate}}
                                      : nlohmann::ordered_json{{"threads", threads}, {"bytes_per_second", rate}});
    json["devices"].push_back(std::move(one));
  }
  if (!report.why_no_gpu.empty()) json["why_no_gpu"] = report.why_no_gpu;
  return json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace ritz
