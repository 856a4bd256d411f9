// The processes over which MUMPS works: this one, or the ranks of the job. One implementation for each of the modules
// ritz_direct.cpu and ritz_direct.mpi.
#pragma once

namespace ritz {

int mumps_processes();  // a communicator, as Fortran has it

}  // namespace ritz
