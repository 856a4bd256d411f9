// Where addresses are limited (ulimit -v, some batch systems), libraries that are lavish with them would use them up.
// OpenBLAS tries for ever to allocate the 128 MiB of each thread that it starts when it is loaded; the C library tries
// to have 64 MiB for each thread, at each of its allocations anew, and takes a page for the smallest block where it
// cannot.
#pragma once

namespace ritz {

// One thread of OpenBLAS, unless the user has said otherwise (OPENBLAS_NUM_THREADS), and one heap for all threads,
// where there is a limit. More threads are asked for where they are wanted (solvers/direct/blas_threads.hpp). Call it
// first in main(): OpenBLAS is loaded with the first direct solution (solvers/direct/direct_factor.hpp).
void spare_addresses_where_they_are_limited();

}  // namespace ritz
