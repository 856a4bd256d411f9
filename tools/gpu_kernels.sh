#!/usr/bin/env bash
# All kernels of GPUs, compiled by nvcc as they are shipped, and their registers, stack and instructions against the table: where there is no
# GPU, test.sh builds one family, and none of the tests' own. Usage: tools/gpu_kernels.sh [BUILD]
set -euo pipefail
cd "$(dirname "$0")/.."
build=${1:-build}
cmake --build "$build" --target ritz_fem_kernels ritz_test_forms ritz_mixed_forms ritz_faulty_forms ritz_case_forms
python3 tests/cuda_kernels/check_ptxas.py --table tests/cuda_kernels/ptxas.tsv "$build"/lib/ritz_{device,solvers,fem}_kernels*.cuda.so
