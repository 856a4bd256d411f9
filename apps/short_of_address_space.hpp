// Where addresses are limited (ulimit -v, some batch systems), each thread that OpenBLAS starts when it is loaded tries for ever to allocate
// its 128 MiB, and the program, which waits for it, never ends.
#pragma once

namespace ritz {

// Starts the program again with one such thread, where there is a limit and the user has said nothing about them (OPENBLAS_NUM_THREADS).
// More are asked for where they are wanted (solvers/blas_threads.hpp). Call it first in main().
void use_one_blas_thread_where_addresses_are_limited(char** argv);

}  // namespace ritz
