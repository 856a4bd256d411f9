#include "apps/bench/measurement.hpp"

#include "io/files/version.hpp"
#include "io/results/report.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>
#include <ctime>
#include <fstream>

namespace ritz {
namespace {

double fraction_of_floor(const Record& record, const Measurement& m) {
  return m.floor->bytes / record.copy_rate / m.samples.median();
}

void forget_host_peak() {
  std::ofstream("/proc/self/clear_refs") << "5";  // resets VmHWM; where it may not, the peak is that of the process
}

nlohmann::ordered_json json_of(const Record& record) {
  nlohmann::ordered_json json = {{"name", record.name}, {"threads", record.threads}, {"copy_rate", record.copy_rate}};
  for (const auto& [name, value] : record.facts) json["facts"][name] = value;
  for (const Measurement& m : record.measurements) {
    nlohmann::ordered_json one = {{"seconds", m.samples.median()},
                                  {"least", m.samples.least()},
                                  {"most", m.samples.most()},
                                  {"runs", m.samples.seconds.size()},
                                  {"processor", m.samples.processor},
                                  {"launches", m.samples.calls.kernels},
                                  {"graphs", m.samples.calls.graphs},
                                  {"waits", m.samples.calls.waits},
                                  {"counted_bytes", m.samples.calls.bytes}};
    if (!m.work_name.empty()) one[m.work_name + "_per_second"] = m.work / m.samples.median();
    if (m.floor) {
      one["floor_bytes"] = m.floor->bytes;
      one["floor_formula"] = m.floor->formula;
      one["fraction_of_copy_rate"] = fraction_of_floor(record, m);
    }
    json["measurements"][m.name] = std::move(one);
  }
  json["host_peak"] = record.host_peak;
  json["device_peak"] = record.device_peak;
  return json;
}

Calls calls_of(const Traffic& before, const Traffic& after, Index bytes) {
  return {double(after.kernels - before.kernels), double(after.graphs - before.graphs),
          double(after.waits - before.waits), double(bytes)};
}

// Bytes that kernels have counted within the phase of this name.
Index bytes_within(const Device& device, const std::string& name) {
  for (const PhaseRecord& phase : device.profile().phases())
    if (phase.name == name) return phase.bytes;
  return 0;
}

}  // namespace

double processor_seconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return double(now.tv_sec) + 1e-9 * double(now.tv_nsec);
}

double Samples::median() const {
  std::vector<double> sorted = seconds;
  std::sort(sorted.begin(), sorted.end());
  const std::size_t n = sorted.size();
  return n % 2 == 1 ? sorted[n / 2] : 0.5 * (sorted[n / 2 - 1] + sorted[n / 2]);
}
double Samples::least() const { return *std::min_element(seconds.begin(), seconds.end()); }
double Samples::most() const { return *std::max_element(seconds.begin(), seconds.end()); }

Samples time(const Device& device, int repeat, FunctionRef<void()> run, FunctionRef<void()> prepare) {
  Samples samples;
  for (int i = 0; i < repeat; ++i) {
    prepare();
    device.synchronize();
    const char* const here = "bench";
    const Traffic before = device.machine().traffic();
    const Index bytes_before = bytes_within(device, here);
    const auto start = std::chrono::steady_clock::now();
    const double processor_start = processor_seconds();
    {
      auto phase = device.profile().phase(here);
      run();
    }
    const Traffic after = device.machine().traffic();
    device.synchronize();
    samples.seconds.push_back(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
    const double processor = processor_seconds() - processor_start;
    samples.processor = i == 0 ? processor : std::min(samples.processor, processor);
    samples.calls = calls_of(before, after, bytes_within(device, here) - bytes_before);
  }
  return samples;
}

Record begin_record(const std::string& name, const Device& device) {
  Record record{
      .name = name, .threads = device.is_gpu() ? 0 : device.threads(), .copy_rate = measure_copy_rate(device)};
  device.memory().trim();
  device.memory().reset_peak();
  forget_host_peak();
  return record;
}

void end_record(Record& record, const Device& device) {
  record.host_peak = host_memory_peak();
  record.device_peak = device.memory().statistics().peak;
}

std::string text_of(const Record& record) {
  std::string text = fmt::format(
      "{}{}: copy rate {:.1f} GB/s, peak {:.0f} MB resident, {:.0f} MB in device arrays\n", record.name,
      record.threads == 0 ? "" : fmt::format(", {} thread{}", record.threads, record.threads == 1 ? "" : "s"),
      1e-9 * record.copy_rate, 1e-6 * double(record.host_peak), 1e-6 * double(record.device_peak));
  for (const auto& [name, value] : record.facts) text += fmt::format("  {:<21} {:.10g}\n", name, value);
  for (const Measurement& m : record.measurements) {
    text +=
        fmt::format("  {:<21} {:.4g} s ({:.4g} .. {:.4g}, {} run{}{})", m.name, m.samples.median(), m.samples.least(),
                    m.samples.most(), m.samples.seconds.size(), m.samples.seconds.size() == 1 ? "" : "s",
                    m.samples.processor > 0 ? fmt::format(", processor {:.4g} s", m.samples.processor) : "");
    if (m.samples.calls.kernels > 0)
      text += fmt::format(", {:.4g} launches, {:.4g} graphs, {:.4g} waits, {:.4g} MB counted", m.samples.calls.kernels,
                          m.samples.calls.graphs, m.samples.calls.waits, 1e-6 * m.samples.calls.bytes);
    if (!m.work_name.empty()) text += fmt::format(", {:.4g} M {}/s", 1e-6 * m.work / m.samples.median(), m.work_name);
    if (m.floor)
      text += fmt::format(", {:.0f} % of the copy rate [{:.4g} MB = {}]", 100 * fraction_of_floor(record, m),
                          1e-6 * m.floor->bytes, m.floor->formula);
    text += "\n";
  }
  return text;
}

std::string json_of(const BenchReport& report) {
  nlohmann::ordered_json json = {{"program", "ritz-bench"},
                                 {"version", ritz_version()},
                                 {"device", report.device},
                                 {"repeat", report.repeat},
                                 {"size", report.size}};
  json["records"] = nlohmann::ordered_json::array();
  for (const Record& record : report.records) json["records"].push_back(json_of(record));
  return json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace ritz
