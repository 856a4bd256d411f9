#!/usr/bin/env bash
# Configures the build folder (default: build) for a release, with the CUDA code when there is a toolkit.
set -euo pipefail
cd "$(dirname "$0")/.."
folder=${1:-build}
if [ -x /usr/local/cuda/bin/nvcc ] && ! command -v nvcc >/dev/null; then export PATH=$PATH:/usr/local/cuda/bin; fi
options=(-G Ninja)
if command -v ccache >/dev/null; then
  options+=(-DCMAKE_C_COMPILER_LAUNCHER=ccache -DCMAKE_CXX_COMPILER_LAUNCHER=ccache -DCMAKE_CUDA_COMPILER_LAUNCHER=ccache)
fi
cmake -S . -B "$folder" "${options[@]}" | grep -E '^-- Ritz|Error|Warning' || true
