#!/usr/bin/env bash
# Configures a build folder for a release, with the CUDA code when there is a toolkit.
# Usage: tools/configure.sh [FOLDER] [CMake options...]
set -euo pipefail
cd "$(dirname "$0")/.."
folder=${1:-build}
shift || true
if [ -x /usr/local/cuda/bin/nvcc ] && ! command -v nvcc >/dev/null; then export PATH=$PATH:/usr/local/cuda/bin; fi
options=(-G Ninja "$@")
if command -v ccache >/dev/null; then
  options+=(-DCMAKE_C_COMPILER_LAUNCHER=ccache -DCMAKE_CXX_COMPILER_LAUNCHER=ccache -DCMAKE_CUDA_COMPILER_LAUNCHER=ccache)
fi
mkdir -p "$folder"
if ! cmake -S . -B "$folder" "${options[@]}" >"$folder/configure.log" 2>&1; then
  cat "$folder/configure.log"
  exit 1
fi
grep -E '^-- Ritz' "$folder/configure.log" || true
