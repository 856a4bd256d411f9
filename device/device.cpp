#include "device/device.hpp"

#include "device/array.hpp"
#include "device/device_choice.hpp"
#include "device/device_kernels.hpp"
#include "device/error.hpp"
#include "device/forks.hpp"
#include "device/gpu_check.hpp"
#include "device/host_limits.hpp"
#include "device/host_memory.hpp"
#include "device/kernels.hpp"
#include "device/machine_cpu.hpp"
#include "device/machine_cuda.hpp"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <fmt/format.h>
#include <omp.h>

namespace ritz {

namespace {
std::string threads_text(int threads);
}

struct Device::State {
  State(std::unique_ptr<Machine> m, int thread_count, std::string why)
      : machine(std::move(m)),
        memory(*machine),
        pinned(*machine, MemoryPool::Of::pinned),
        profile(*machine, memory),
        threads(thread_count) {
    const MachineInfo& i = machine->info();
    description = i.kind == "gpu" ? fmt::format("gpu:{} {}, compute capability {}, {:.0f} GB", i.ordinal, i.name,
                                                i.compute_capability, 1e-9 * double(i.memory_total))
                                  : fmt::format("{} {}, {}, {}", i.kind, i.name, threads_text(threads),
                                                i.backend == "v4" ? "AVX-512" : "AVX2");
    if (!why.empty()) description += " (" + why + ")";
  }
  std::unique_ptr<Machine> machine;
  MemoryPool memory, pinned;
  HostCache cache{[this] {
    if (!machine->is_apart()) memory.trim();
    pinned.trim();
  }};
  Profile profile;
  int threads;
  std::string description;
};

const CudaFactory* cuda_factory(std::string& why) {
  why = load_kernels("cuda", "ritz_device");
  if (!why.empty()) {
    if (why.find("is not in") != std::string::npos) why = "this build has no GPU code";
    return nullptr;
  }
  return static_cast<const CudaFactory*>(find_kernels("cuda", "ritz_device", "machine"));
}

namespace {

// the second obeys OMP_NUM_THREADS
int available_threads() { return is_fork_of_threads() ? 1 : std::min(host_limits().threads(), omp_get_max_threads()); }

std::vector<MachineInfo> list_gpus(std::string& why) {
  const CudaFactory* factory = cuda_factory(why);
  return factory == nullptr ? std::vector<MachineInfo>{} : factory->list(why);
}

std::unique_ptr<Machine> make_gpu(const std::string& request, int ordinal) {
  std::string why;
  const std::vector<MachineInfo> gpus = list_gpus(why);
  if (gpus.empty()) {
    if (const auto fault = driver_fault(gpu_facts())) throw Error(ErrorKind::no_gpu, fault->what, why, fault->fix);
    throw Error(ErrorKind::no_gpu, fmt::format("device '{}' was asked for, but no GPU can be used", request), why,
                "use --device auto or --device cpu, or install the NVIDIA driver and the CUDA libraries of this build");
  }
  if (ordinal >= static_cast<int>(gpus.size()))
    throw Error(ErrorKind::no_gpu,
                fmt::format("device '{}' was asked for, but there are {} GPUs", request, gpus.size()),
                "GPUs are numbered from 0", "run 'ritz devices' to list them");
  check_gpu(gpu_facts(), gpus[static_cast<std::size_t>(ordinal)]);
  return std::unique_ptr<Machine>(cuda_factory(why)->create(ordinal));
}

// Ranks of a job that have started know better than the environment which of them share this machine.
DeviceFacts facts_here(std::string& why) {
  std::vector<MachineInfo> gpus = list_gpus(why);
  DeviceFacts facts = facts_of_environment(std::move(gpus), why);
  if (const HostShare share = host_limits().share; share.processes > 1) {
    facts.local_rank = share.number;
    facts.local_ranks = share.processes;
  }
  return facts;
}

// Opens the chosen GPU and no other. ranks: how many have it.
std::unique_ptr<Machine> make_chosen(std::string& why, int& ranks) {
  DeviceFacts facts = facts_here(why);
  std::unique_ptr<Machine> machine;
  const DeviceChoice choice =
      choose_usable(facts, [&](const MachineInfo& gpu) { machine = make_gpu("gpu", gpu.ordinal); });
  why = "auto: " + choice.why;
  ranks = choice.ranks;
  return choice.gpu < 0 ? make_cpu_machine("") : std::move(machine);
}

// "gpu", of which each rank of a node has its own, or one by its number.
std::unique_ptr<Machine> make_named_gpu(const std::string& request, int ordinal, std::string& why, int& ranks) {
  std::string why_none;
  const DeviceFacts facts = facts_here(why_none);
  why = "as asked";
  if (facts.gpus.empty() || !is_one_of_several_ranks(facts)) return make_gpu(request, ordinal);
  if (request != "gpu") {
    check_named_gpu(facts, request);
    return make_gpu(request, ordinal);
  }
  const DeviceChoice choice = choose_for_rank(facts);
  why += ": " + choice.why;
  ranks = choice.ranks;
  return make_gpu(request, facts.gpus[static_cast<std::size_t>(choice.gpu)].ordinal);
}

// "2 threads", what holds them down where they are fewer than processors, and where they are more than can run.
std::string threads_text(int threads) {
  const HostLimits limits = host_limits();
  std::string text = fmt::format("{} thread{}", threads, threads == 1 ? "" : "s");
  std::vector<std::string> bounds;
  if (limits.affinity < limits.processors) bounds.push_back(fmt::format("affinity {}", limits.affinity));
  if (limits.group_processors > 0 && limits.group_processors < limits.processors)
    bounds.push_back(fmt::format("control group {:.2g}", limits.group_processors));
  if (!bounds.empty()) text += fmt::format(" of {} processors ({})", limits.processors, fmt::join(bounds, ", "));
  if (threads > limits.threads()) text += fmt::format(", of which {} can run at a time", limits.threads());
  return text;
}

[[noreturn]] void throw_unknown_device(const std::string& request) {
  throw Error(ErrorKind::command_line, fmt::format("unknown device '{}'", request), {},
              "use auto, cpu, cpu:v3, cpu:v4, gpu or gpu:NUMBER");
}

int ordinal_in(const std::string& request) {
  int ordinal = 0;
  const char* first = request.data() + 4;
  const char* last = request.data() + request.size();
  const auto [end, status] = std::from_chars(first, last, ordinal);
  if (status != std::errc{} || end != last || ordinal < 0) throw_unknown_device(request);
  return ordinal;
}

}  // namespace

// A request may say why it is made: "cpu (small enough)".
Device Device::named(const std::string& asked, int threads) {
  const std::size_t reason = asked.find(" (");
  const std::string request = asked.substr(0, reason);
  const std::string as_asked =
      reason == std::string::npos ? "as asked" : asked.substr(reason + 2, asked.size() - reason - 3);
  const int available = available_threads();
  if (threads < 0 || threads > 4096)
    throw Error(ErrorKind::command_line, fmt::format("{} threads were asked for", threads), {},
                "use a number from 1 to 4096, or 0 for all");
  if (threads > 1 && is_fork_of_threads())
    throw Error(ErrorKind::command_line, fmt::format("{} threads were asked for in a process that was forked", threads),
                "it was forked after Ritz had started threads, which fork() leaves behind",
                "use one thread in each process, or start processes with multiprocessing.set_start_method(\"spawn\")");
  threads_may_start();
  std::unique_ptr<Machine> machine;
  std::string why;
  int ranks = 1;
  if (request == "auto") {
    machine = make_chosen(why, ranks);
  } else if (request == "cpu" || request == "cpu:v3" || request == "cpu:v4") {
    machine = make_cpu_machine(request == "cpu" ? "" : request.substr(4));
    why = as_asked;
  } else if (request == "fake") {
    machine = make_fake_machine();
  } else if (request == "gpu") {
    machine = make_named_gpu(request, 0, why, ranks);
  } else if (request.rfind("gpu:", 0) == 0) {
    machine = make_named_gpu(request, ordinal_in(request), why, ranks);
  } else {
    throw_unknown_device(request);
  }
  omp_set_num_threads(threads > 0 ? threads : available);  // host loops of the mesh and of set-up obey too
  Device device;
  device.state_ = std::make_shared<State>(std::move(machine), threads > 0 ? threads : available, why);
  if (ranks > 1) device.memory().set_limit(device.info().memory_total / ranks);
  return device;
}

void throw_size_mismatch(Index size, Index given) {
  throw Error(ErrorKind::internal, fmt::format("an array of {} entries was given {} values", size, given));
}

const MachineInfo& Device::info() const { return machine().info(); }
const std::string& Device::description() const { return state_->description; }
int Device::threads() const { return is_fork_of_threads() ? 1 : state_->threads; }
Machine& Device::machine() const {
  if (!state_) throw Error(ErrorKind::internal, "an empty Device was used");
  return *state_->machine;
}
MemoryPool& Device::memory() const {
  machine();
  return state_->memory;
}
MemoryPool& Device::pinned() const {
  machine();
  return state_->pinned;
}
Profile& Device::profile() const { return state_->profile; }

Device Device::with_sums(std::shared_ptr<const SumsOverRanks> sums) const {
  Device device = *this;
  device.sums_ = std::move(sums);
  return device;
}

DeviceList list_devices() {
  DeviceList list;
  list.devices.push_back(make_cpu_machine("")->current_info());
  for (const MachineInfo& gpu : list_gpus(list.why_no_gpu)) list.devices.push_back(gpu);
  return list;
}

double measure_copy_rate(const Device& device, Index bytes) {
  const Index count = bytes / Index{sizeof(double)} / 2;
  Vector source(device, count, "copy rate"), target(device, count, "copy rate");
  source.fill_zero();
  const auto& table = kernels<DeviceKernels>(device, "ritz_device_kernels", "device");
  double best = 0;
  for (int repeat = 0; repeat < 10; ++repeat) {
    device.synchronize();
    const auto start = std::chrono::steady_clock::now();
    table.copy(device, count, source.data(), target.data());
    device.synchronize();
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    if (repeat > 0) best = std::max(best, 2.0 * double(count) * sizeof(double) / seconds);
  }
  return best;
}

}  // namespace ritz
