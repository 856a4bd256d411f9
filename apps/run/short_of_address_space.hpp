// Saves address space where it is limited (ulimit -v, some batch systems), since some libraries would use it up.
// OpenBLAS retries for ever to allocate the 128 MiB of each thread that it starts when it is loaded; the C library
// tries to have 64 MiB for each thread, at each of its allocations again, and takes a page for the smallest block if it
// cannot.
#pragma once

namespace ritz {

// One thread of OpenBLAS, unless the user has set OPENBLAS_NUM_THREADS, and one heap for all threads, if there is a
// limit. More threads are started where they are wanted (solvers/direct/blas_threads.hpp). Call it first in main():
// OpenBLAS is loaded with the first direct solution (solvers/direct/direct_factor.hpp).
void spare_addresses_where_they_are_limited();

}  // namespace ritz
