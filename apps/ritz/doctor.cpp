#include "apps/ritz/doctor.hpp"

#include "device/device.hpp"
#include "device/environment_variable.hpp"
#include "device/gpu_check.hpp"
#include "device/host_limits.hpp"
#include "device/kernels.hpp"
#include "device/transfer_rate.hpp"
#include "io/files/byte_size.hpp"
#include "io/results/library_versions.hpp"

#include <algorithm>
#include <chrono>
#include <fcntl.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

namespace ritz {
namespace {

using State = Finding::State;

// The first program of these on the PATH, with its folder.
std::string on_path(const std::vector<std::string>& names) {
  const std::string path = environment("PATH");
  for (const std::string& name : names)
    for (std::size_t begin = 0; begin <= path.size();) {
      const std::size_t end = std::min(path.find(':', begin), path.size());
      const std::string file = path.substr(begin, end - begin) + "/" + name;
      if (::access(file.c_str(), X_OK) == 0) return file;
      begin = end + 1;
    }
  return "";
}

void look_at_processor(std::vector<Finding>& findings) {
  try {
    const Device cpu = Device::named("cpu");
    findings.push_back({State::good, "processor",
                        cpu.info().name + ", kernels for " + (cpu.backend() == "v4" ? "AVX-512" : "AVX2"), ""});
    findings.push_back(
        {State::good, "copy rate",
         fmt::format("{:.1f} GB/s with {} threads", 1e-9 * measure_copy_rate(cpu, Index{1} << 26), cpu.threads()), ""});
  } catch (const Error& error) { findings.push_back({State::fault, "processor", error.message(), error.fix()}); }
}

void look_at_threads(std::vector<Finding>& findings) {
  const HostLimits limits = host_limits();
  std::string value = fmt::format("{} of {} processors", limits.threads(), limits.processors);
  if (limits.affinity < limits.processors) value += fmt::format("; the affinity mask allows {}", limits.affinity);
  if (limits.group_processors > 0) value += fmt::format("; the control group allows {:.2g}", limits.group_processors);
  const std::string asked = environment("OMP_NUM_THREADS");
  if (!asked.empty()) value += "; OMP_NUM_THREADS is " + asked;
  const bool too_many = !asked.empty() && std::atoi(asked.c_str()) > limits.threads();
  findings.push_back(
      {too_many ? State::advice : State::good, "threads", value,
       too_many
           ? fmt::format("more threads than processors only wait for each other: OMP_NUM_THREADS={} or --threads {}",
                         limits.threads(), limits.threads())
           : ""});
}

void look_at_memory(std::vector<Finding>& findings) {
  const HostLimits limits = host_limits();
  std::string value =
      fmt::format("{}, {} available", text_of_bytes(limits.memory_total), text_of_bytes(limits.memory_available));
  if (limits.group_memory > 0)
    value += fmt::format("; limited by the control group to {}", text_of_bytes(limits.group_memory));
  const bool little = limits.memory_available < 2'000'000'000;
  findings.push_back({little ? State::advice : State::good, "memory", value,
                      little ? "room for about two million unknowns of heat or half a million of elasticity at most: "
                               "close other programs, or ask the batch system for more"
                             : ""});
}

void look_at_transfers(const Device& gpu, std::vector<Finding>& findings) {
  const TransferRate rate = measure_transfer_rate(gpu);
  const bool slow = std::min(rate.to_device, rate.to_host) < 3e9;  // PCI Express 3.0 with four lanes
  std::string remedy =
      slow ? "the GPU is connected by few lanes, or another program uses them: nvidia-smi -q shows the link" : "";
  if (!rate.pinned)
    remedy = "the system locks no more pages, and copies go through a buffer: raise the limit that ulimit -l shows";
  findings.push_back({remedy.empty() ? State::good : State::advice, "transfers",
                      fmt::format("{:.1f} GB/s to gpu:{}, {:.1f} GB/s back, host memory {}", 1e-9 * rate.to_device,
                                  gpu.info().ordinal, 1e-9 * rate.to_host, rate.pinned ? "pinned" : "not pinned"),
                      remedy});
}

// One GPU: does this build run on it, and how fast is it reached?
void look_at_gpu(const GpuFacts& facts, const MachineInfo& gpu, std::vector<Finding>& findings) {
  const std::string subject = fmt::format("gpu:{}", gpu.ordinal);
  if (const auto fault = gpu_fault(facts, gpu)) {
    findings.push_back({State::fault, subject, fault->what, fault->fix});
    return;
  }
  try {
    const Device device = Device::named(subject);  // runs a kernel
    const MachineInfo now = device.machine().current_info();
    findings.push_back({State::good, subject,
                        fmt::format("{}, compute capability {}, {} with {} free", now.name, now.compute_capability,
                                    text_of_bytes(now.memory_total), text_of_bytes(now.memory_free)),
                        ""});
    look_at_transfers(device, findings);
  } catch (const Error& error) {
    findings.push_back(
        {State::fault, subject, error.message() + (error.why().empty() ? "" : ": " + error.why()), error.fix()});
  }
}

// NVIDIA's libraries for it are loaded when it is first used, so that all else does without.
void look_at_direct_solver(bool has_gpu, std::vector<Finding>& findings) {
  const char* subject = "GPU direct";
  const std::string missing = load_kernels("cuda", "ritz_direct");
  if (missing.empty()) findings.push_back({State::good, subject, "its libraries are here", ""});
  else
    findings.push_back(
        {has_gpu ? State::advice : State::good, subject, missing + (has_gpu ? "" : "; needed with a GPU alone"),
         has_gpu ? "install CUDA's toolkit, or in Python's environment: pip install 'ritz-fem[direct]'" : ""});
}

// GPUs are optional; one that exists and does not work is a fault.
void look_at_gpus(std::vector<Finding>& findings) {
  const std::string visible = environment("CUDA_VISIBLE_DEVICES");
  const std::string chosen = visible.empty() ? "" : fmt::format(" (CUDA_VISIBLE_DEVICES is '{}')", visible);
  const GpuFacts facts = gpu_facts();
  if (!facts.why_no_module.empty()) {
    const bool without = facts.why_no_module == "this build has no GPU code";
    findings.push_back({without ? State::good : State::fault, "GPU", "none is used: " + facts.why_no_module,
                        without ? "" : "install the CUDA libraries of this build, or use --device cpu"});
    return;
  }
  findings.push_back({State::good, "CUDA",
                      fmt::format("built with {} for compute capabilities {}; {}", facts.toolkit, facts.architectures,
                                  facts.driver.empty() ? "no driver" : "the driver is for CUDA " + facts.driver),
                      ""});
  look_at_direct_solver(!facts.gpus.empty(), findings);
  if (const auto fault = driver_fault(facts)) {
    findings.push_back({State::fault, "driver", fault->what, fault->fix});
    return;
  }
  const Device taken = Device::named("auto");
  for (const MachineInfo& gpu : facts.gpus)
    if (taken.is_gpu() && taken.info().ordinal != gpu.ordinal && !gpu_fault(facts, gpu))
      findings.push_back({State::good, fmt::format("gpu:{}", gpu.ordinal),
                          fmt::format("{}, compute capability {}, {}; not opened: runs take gpu:{} here", gpu.name,
                                      gpu.compute_capability, text_of_bytes(gpu.memory_total), taken.info().ordinal),
                          ""});
    else look_at_gpu(facts, gpu, findings);
  if (!facts.gpus.empty()) return;
  const bool harmless = facts.driver.empty() || facts.why_no_gpu == "the driver reports no GPU" ||
                        facts.why_no_gpu.find("no CUDA-capable device") != std::string::npos;
  findings.push_back({harmless ? State::good : State::fault, "GPU", "none is used: " + facts.why_no_gpu + chosen,
                      harmless ? ""
                               : "nvidia-smi shows what the driver sees; restart the machine after an update of the "
                                 "driver, or use --device cpu"});
}

// Write rate of a folder, flushed. [bytes/s]; negative: it cannot be written.
double write_rate(const std::string& folder, Index bytes) {
  const std::string file = fmt::format("{}/.ritz-doctor-{}", folder, ::getpid());
  const int descriptor = ::open(file.c_str(), O_CREAT | O_EXCL | O_WRONLY, 0600);
  if (descriptor < 0) return -1;
  const std::string block(std::size_t{1} << 20, 'r');
  const auto start = std::chrono::steady_clock::now();
  Index written = 0;
  for (ssize_t last = 1; written < bytes && last > 0; written += std::max<ssize_t>(0, last)) {
    last = ::write(descriptor, block.data(), block.size());
    if (std::chrono::steady_clock::now() - start > std::chrono::milliseconds(400)) bytes = written;
  }
  const bool flushed = ::fsync(descriptor) == 0;
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  ::close(descriptor);
  ::unlink(file.c_str());
  return written > 0 && flushed ? double(written) / seconds : -1;
}

void look_at_disk(const std::string& folder, std::vector<Finding>& findings) {
  const double rate = write_rate(folder, Index{24} << 20);
  const std::string name = folder == "." ? "this folder" : "'" + folder + "'";
  if (rate < 0)
    findings.push_back({State::advice, "disk", name + " cannot be written", "run in another folder, or give --output"});
  else
    findings.push_back(
        {rate < 20e6 ? State::advice : State::good, "disk",
         fmt::format("{:.0f} MB/s to {}, flushed", 1e-6 * rate, name),
         rate < 20e6 ? "write results to a local disk with --output, or compress them: [output] compression" : ""});
}

void look_at_programs(std::vector<Finding>& findings) {
  findings.push_back({State::good, "libraries", library_versions(), ""});
  const std::string viewer = on_path({"paraview", "pvpython"});
  findings.push_back({viewer.empty() ? State::advice : State::good, "ParaView",
                      viewer.empty() ? "not on the PATH" : viewer,
                      viewer.empty() ? "results open in ParaView on any machine: www.paraview.org" : ""});
  const std::string wanted = environment("CXX"),
                    compiler = on_path(wanted.empty() ? std::vector<std::string>{"c++", "g++"}
                                                      : std::vector<std::string>{wanted});
  findings.push_back({compiler.empty() ? State::advice : State::good, "compiler",
                      compiler.empty() ? "no C++ compiler on the PATH" : compiler,
                      compiler.empty() ? "forms of your own need one: install g++, or name it in CXX" : ""});
}

std::string name_of(State state) { return state == State::good ? "good" : state == State::advice ? "advice" : "fault"; }

}  // namespace

Exit Diagnosis::exit() const {
  const bool fault = std::ranges::any_of(findings, [](const Finding& f) { return f.state == State::fault; });
  return fault ? Exit::environment : Exit::ok;
}

Diagnosis diagnose(const std::string& folder) {
  Diagnosis diagnosis;
  look_at_processor(diagnosis.findings);
  look_at_threads(diagnosis.findings);
  look_at_memory(diagnosis.findings);
  look_at_gpus(diagnosis.findings);
  look_at_disk(folder, diagnosis.findings);
  look_at_programs(diagnosis.findings);
  return diagnosis;
}

std::string text_of(const Diagnosis& diagnosis) {
  std::string text;
  for (const Finding& f : diagnosis.findings) {
    text += fmt::format("{:<7} {:<10} {}\n", name_of(f.state), f.subject, f.value);
    if (!f.remedy.empty()) text += fmt::format("{:<19}{}\n", "", f.remedy);
  }
  return text;
}

std::string json_of(const Diagnosis& diagnosis) {
  nlohmann::ordered_json json = nlohmann::ordered_json::array();
  for (const Finding& f : diagnosis.findings)
    json.push_back({{"state", name_of(f.state)}, {"subject", f.subject}, {"value", f.value}, {"remedy", f.remedy}});
  return json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace ritz
