#include "solvers/direct/mumps_processes.hpp"

#include <mpi.h>

namespace ritz {

// A copy of all ranks: messages of MUMPS are not those of device/ranks/ranks_mpi.cpp. The first call is made by all.
int mumps_processes() {
  static const MPI_Comm ours = [] {
    MPI_Comm copy = MPI_COMM_WORLD;
    MPI_Comm_dup(MPI_COMM_WORLD, &copy);
    return copy;
  }();
  return static_cast<int>(MPI_Comm_c2f(ours));
}

}  // namespace ritz
