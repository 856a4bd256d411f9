#include "device/ranks/launcher.hpp"

#include "device/environment_variable.hpp"
#include "device/error.hpp"

#include <array>
#include <charconv>

#include <fmt/format.h>

namespace ritz {
namespace {

int number_of(const char* variable) {
  const std::string text = environment(variable);
  int number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

}  // namespace

Launched launched() {
  if (environment("RITZ_INDEPENDENT_RANKS") == "1") return {};
  // The launchers of Open MPI, MPICH and Intel MPI, MVAPICH; srun, which sets it for the tasks of a step alone.
  constexpr std::array<std::array<const char*, 2>, 4> launchers{{{"OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK"},
                                                                 {"PMI_SIZE", "PMI_RANK"},
                                                                 {"MV2_COMM_WORLD_SIZE", "MV2_COMM_WORLD_RANK"},
                                                                 {"SLURM_STEP_NUM_TASKS", "SLURM_PROCID"}}};
  for (const auto& [size, rank] : launchers)
    if (const int ranks = number_of(size); ranks > 1) return {ranks, number_of(rank), size};
  return {};
}

void require_one_rank() {
  const Launched job = launched();
  if (job.ranks == 1) return;
  throw Error(
      ErrorKind::several_ranks, fmt::format("started as {} ranks, each of which would run the whole case", job.ranks),
      fmt::format("{} is {}; this program divides nothing but members of a sweep among ranks", job.variable, job.ranks),
      "start it without mpirun, or with one task (srun --ntasks=1) and all of its cores (--cpus-per-task); "
      "ranks with a case of their own each: RITZ_INDEPENDENT_RANKS=1");
}

}  // namespace ritz
