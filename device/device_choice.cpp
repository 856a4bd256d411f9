#include "device/device_choice.hpp"

#include "device/environment_variable.hpp"
#include "device/error.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <fmt/format.h>

namespace ritz {
namespace {

// The number that a text begins with ("4(x2)" of SLURM_NTASKS_PER_NODE); `missing` where there is none.
int number_in(const char* name, int missing) {
  const std::string text = environment(name);
  char* end = nullptr;
  const long value = std::strtol(text.c_str(), &end, 10);
  return end == text.c_str() || value < 0 || value > 1'000'000 ? missing : static_cast<int>(value);
}

bool are_equal(const MachineInfo& a, const MachineInfo& b) {
  return a.name == b.name && a.compute_capability == b.compute_capability && a.memory_total == b.memory_total;
}

std::string in_view(const DeviceFacts& facts) {
  if (facts.visible.empty()) return "";
  return fmt::format("; CUDA_VISIBLE_DEVICES is '{}'{}", facts.visible,
                     facts.visible.starts_with("MIG-") ? ", a slice of a GPU" : "");
}

int rank_count(const DeviceFacts& facts) { return std::max(facts.local_ranks, facts.local_rank + 1); }

// A batch system that shows each rank one GPU of its own has chosen already.
bool sees_its_own(const DeviceFacts& facts) { return facts.gpus.size() == 1 && !facts.visible.empty(); }

bool would_share(const DeviceFacts& facts) {
  return !sees_its_own(facts) && rank_count(facts) > static_cast<int>(facts.gpus.size());
}

std::string ranks_and_gpus(const DeviceFacts& facts) {
  return fmt::format("{} ranks, {} GPU{}", rank_count(facts), facts.gpus.size(), facts.gpus.size() == 1 ? "" : "s");
}

// The first and those that equal it: the order of the others is CUDA's, fastest first.
DeviceChoice choose_freest(const DeviceFacts& facts) {
  int best = 0, equals = 0;
  for (std::size_t i = 0; i < facts.gpus.size(); ++i) {
    if (!are_equal(facts.gpus[i], facts.gpus.front())) continue;
    ++equals;
    if (facts.gpus[i].memory_free > facts.gpus[static_cast<std::size_t>(best)].memory_free) best = static_cast<int>(i);
  }
  const std::string context = in_view(facts) + (facts.left_out.empty() ? "" : "; left out: " + facts.left_out);
  if (facts.gpus.size() == 1)
    return {0, (facts.left_out.empty() ? "the only GPU" : "the only GPU that can be used") + context};
  if (equals == 1) return {0, fmt::format("the first of {} GPUs{}", facts.gpus.size(), context)};
  if (facts.gpus[static_cast<std::size_t>(best)].memory_free == 0)
    return {0, fmt::format("the first of {} equal GPUs, whose free memory is not known{}", equals, context)};
  return {best, fmt::format("most free memory of {} equal GPUs, {:.1f} GB{}", equals,
                            1e-9 * double(facts.gpus[static_cast<std::size_t>(best)].memory_free), context)};
}

}  // namespace

bool is_one_of_several_ranks(const DeviceFacts& facts) {
  return facts.local_rank >= 0 && (facts.local_ranks > 1 || facts.local_rank > 0);
}

DeviceChoice choose_device(const DeviceFacts& facts) {
  if (facts.gpus.empty()) return {-1, facts.why_no_gpu + in_view(facts)};
  if (facts.crossover && facts.unknowns > 0 && facts.unknowns < *facts.crossover)
    return {-1, fmt::format(
                    "about {} unknowns are faster here than on a GPU, whose time begins at {}; --device gpu overrides",
                    facts.unknowns, *facts.crossover)};
  if (!is_one_of_several_ranks(facts)) return choose_freest(facts);
  if (would_share(facts) && !facts.may_share)
    return {-1, fmt::format("{} on this node; RITZ_SHARE_GPU=1 lets ranks share one{}", ranks_and_gpus(facts),
                            in_view(facts))};
  return choose_for_rank(facts);
}

DeviceChoice choose_for_rank(const DeviceFacts& facts) {
  const auto count = static_cast<int>(facts.gpus.size());
  if (sees_its_own(facts))
    return {0, fmt::format("the one GPU that rank {} of the node sees{}", facts.local_rank, in_view(facts))};
  const bool shared = would_share(facts);
  if (shared && !facts.may_share)
    throw Error(ErrorKind::no_gpu,
                fmt::format("rank {} of this node would share a GPU: {}", facts.local_rank, ranks_and_gpus(facts)),
                "two ranks on one GPU share its memory and wait for each other",
                "start one rank for each GPU (srun --ntasks-per-node, --gpus-per-task=1), use --device cpu, or allow "
                "it with RITZ_SHARE_GPU=1");
  const int gpu = facts.local_rank % count;
  return {gpu,
          fmt::format("GPU {} of {} for rank {} of the node{}{}", gpu, count, facts.local_rank,
                      shared ? ", shared as RITZ_SHARE_GPU allows" : "", in_view(facts)),
          shared ? (rank_count(facts) - gpu + count - 1) / count : 1};
}

void check_named_gpu(const DeviceFacts& facts, const std::string& request) {
  if (!is_one_of_several_ranks(facts) || sees_its_own(facts) || facts.may_share) return;
  throw Error(ErrorKind::no_gpu, fmt::format("device '{}' was asked for by {}", request, ranks_and_gpus(facts)),
              "all ranks of this node would take the same GPU",
              "use --device gpu, of which rank n of the node takes the n-th, or allow it with RITZ_SHARE_GPU=1");
}

// Ranks take theirs: another would be a second rank's.
DeviceChoice choose_usable(DeviceFacts& facts, FunctionRef<void(const MachineInfo&)> open) {
  while (true) {
    const DeviceChoice choice = choose_device(facts);
    if (choice.gpu < 0) return choice;
    const auto place = facts.gpus.begin() + choice.gpu;
    try {
      open(*place);
      return {place->ordinal, choice.why};
    } catch (const Error& error) {
      if (is_one_of_several_ranks(facts)) throw;
      facts.left_out += (facts.left_out.empty() ? "" : "; ") + error.message();
    }
    facts.gpus.erase(place);
    if (facts.gpus.empty()) facts.why_no_gpu = facts.left_out;
  }
}

DeviceFacts facts_of_environment(std::vector<MachineInfo> gpus, std::string why_no_gpu) {
  DeviceFacts facts;
  facts.gpus = std::move(gpus);
  facts.why_no_gpu = std::move(why_no_gpu);
  facts.visible = environment("CUDA_VISIBLE_DEVICES");
  facts.may_share = environment("RITZ_SHARE_GPU") == "1";
  constexpr std::array<std::array<const char*, 2>, 3> sources{
      {{"SLURM_LOCALID", "SLURM_NTASKS_PER_NODE"},
       {"OMPI_COMM_WORLD_LOCAL_RANK", "OMPI_COMM_WORLD_LOCAL_SIZE"},
       {"MPI_LOCALRANKID", "MPI_LOCALNRANKS"}}};
  for (const auto& [rank, size] : sources) {
    if (environment(rank).empty()) continue;
    facts.local_rank = number_in(rank, -1);
    facts.local_ranks = number_in(size, 0);
    break;
  }
  return facts;
}

Index crossover_of(const std::vector<Index>& sizes, const std::vector<double>& cpu_seconds,
                   const std::vector<double>& gpu_seconds) {
  // above 0: the GPU is ahead
  const auto lead = [&](std::size_t i) { return std::log(cpu_seconds[i] / gpu_seconds[i]); };
  if (sizes.empty() || lead(0) > 0) return 0;
  for (std::size_t i = 1; i < sizes.size(); ++i) {
    if (lead(i) <= 0) continue;
    const double share = -lead(i - 1) / (lead(i) - lead(i - 1));
    return static_cast<Index>(
        std::llround(double(sizes[i - 1]) * std::pow(double(sizes[i]) / double(sizes[i - 1]), share)));
  }
  return sizes.back();
}

}  // namespace ritz
