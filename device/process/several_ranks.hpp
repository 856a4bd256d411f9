// Jobs of several ranks (mpirun, srun), each of which would run the whole case.
#pragma once

namespace ritz {

// Throws Error(Exit::environment) where OMPI_COMM_WORLD_SIZE, PMI_SIZE, MV2_COMM_WORLD_SIZE or SLURM_STEP_NUM_TASKS
// names more than one rank. RITZ_INDEPENDENT_RANKS=1 says that each rank has a case of its own.
void refuse_several_ranks();

}  // namespace ritz
