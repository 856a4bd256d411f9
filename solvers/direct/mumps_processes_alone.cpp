#include "solvers/direct/mumps_processes.hpp"

namespace ritz {

int mumps_processes() { return -987654; }  // MPI_COMM_WORLD of sequential MUMPS

}  // namespace ritz
