#include "device/process/several_ranks.hpp"

#include "device/environment_variable.hpp"
#include "device/error.hpp"

#include <charconv>
#include <string>

#include <fmt/format.h>

namespace ritz {

void refuse_several_ranks() {
  if (environment("RITZ_INDEPENDENT_RANKS") == "1") return;
  // The launchers of Open MPI, MPICH and Intel MPI, MVAPICH; srun, which sets it for the tasks of a step alone.
  for (const char* variable :
       {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "MV2_COMM_WORLD_SIZE", "SLURM_STEP_NUM_TASKS"}) {
    const std::string text = environment(variable);
    int ranks = 0;
    std::from_chars(text.data(), text.data() + text.size(), ranks);
    if (ranks <= 1) continue;
    throw Error(Exit::environment, fmt::format("started as {} ranks, each of which would run the whole case", ranks),
                fmt::format("{} is {}; Ritz runs in one process on one device", variable, text),
                "start it without mpirun, or with one task (srun --ntasks=1) and all of its cores (--cpus-per-task); "
                "ranks with a case of their own each: RITZ_INDEPENDENT_RANKS=1");
  }
}

}  // namespace ritz
