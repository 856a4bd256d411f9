// The ranks that the launcher of a job (mpirun, srun) started, as its environment tells them.
#pragma once

#include <string>

namespace ritz {

struct Launched {
  int ranks = 1, rank = 0;
  std::string variable;  // of the environment, that says how many; empty for one rank
};

// From OMPI_COMM_WORLD_SIZE, PMI_SIZE, MV2_COMM_WORLD_SIZE or SLURM_STEP_NUM_TASKS, and their kin for the rank.
// RITZ_INDEPENDENT_RANKS=1 says that each rank has a case of its own: then there is one.
Launched launched();

// Throws Error: Exit::environment for several ranks: each would run the whole case.
void require_one_rank();

}  // namespace ritz
