#!/usr/bin/env bash
# Builds Ritz and passes its tests. GPU tests say "skipped: no GPU" where there is none.
set -euo pipefail
cd "$(dirname "$0")"
tools/install_packages.sh tests
tools/configure.sh build -DRITZ_TESTS=ON -DRITZ_UNITY=ON -DRITZ_CPU_BACKENDS=runnable -DRITZ_KERNEL_FAMILIES=all -DRITZ_CUDA="${RITZ_CUDA:-AUTO}"
cmake --build build
export OMP_WAIT_POLICY=passive  # several tests share the cores: waiting threads must not spin
ctest --test-dir build --output-on-failure -j"$(nproc)" "$@"
