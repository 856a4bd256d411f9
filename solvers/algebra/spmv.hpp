// Sparse matrix times vector: multiply(device, A, x, y) and multiply_dot(device, A, x, y, xy), in kernel sources.
#pragma once

#ifdef __CUDACC__
#include "solvers/algebra/spmv_cuda.hpp"
#else
#include "solvers/algebra/spmv_cpu.hpp"
#endif
