#!/usr/bin/env bash
# All kernels of GPUs, compiled by nvcc as they are shipped, and their registers, stack and instructions against the table: where there is no
# GPU, test.sh builds three families. Usage: tools/gpu_kernels.sh [BUILD]
set -euo pipefail
cd "$(dirname "$0")/.."
build=${1:-build}
cmake --build "$build" --target ritz_fem_kernels
python3 tests/cuda_kernels/check_ptxas.py --table tests/cuda_kernels/ptxas.tsv "$build"/lib/ritz_{device,solvers,fem}_kernels*.cuda.so
