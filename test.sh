#!/usr/bin/env bash
# Builds Ritz and passes its tests. GPU tests say "skipped: no GPU" where there is none.
set -euo pipefail
cd "$(dirname "$0")"
tools/install_packages.sh tests
# Without a GPU its kernels are only compiled: those of all cases and of one family here, the others by tools/long_checks.sh gpu_kernels.
cuda_families=$(if tools/has_gpu.sh; then echo all; else echo plane; fi)
tools/configure.sh build -DRITZ_TESTS=ON -DRITZ_UNITY=ON -DRITZ_CPU_BACKENDS=native -DRITZ_KERNEL_FAMILIES=all \
  -DRITZ_HOST_LEVEL=1 -DRITZ_QUICK_FAMILIES=all -DRITZ_CUDA="${RITZ_CUDA:-AUTO}" -DRITZ_CUDA_FAMILIES="$cuda_families"
cmake --build build
export OMP_WAIT_POLICY=passive  # several tests share the cores: waiting threads must not spin
# Two more than there are cores, as tests wait for files, launchers and each other.
ctest --test-dir build --output-on-failure -j"$(($(nproc) + 2))" "$@"
# After a whole run: no group of tests takes half more processor time than its table says. Nothing is printed where it does not.
[ $# -gt 0 ] || tools/test_seconds.py build --check > build/tests/seconds.txt || [ $? -eq 77 ] || { cat build/tests/seconds.txt; exit 1; }
