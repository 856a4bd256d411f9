#!/usr/bin/env bash
# The tests of the emulated GPU with kernels that are compiled in another way, in a folder of their own.
#   fma         products and sums are contracted, as nvcc does
#   undefined   overflow of integers, shifts, bounds and casts end the process with the line
#   fresh       no memory is used again, so that each read of what nobody has written is found (no other build)
# Usage: tools/emulated_gpu.sh BUILD fma|undefined|fresh [ctest options...]
set -euo pipefail
cd "$(dirname "$0")/.."
build=$1 kind=$2
shift 2
case $kind in
  fma) options="-mfma;-ffp-contract=fast" ;;
  undefined) options="-fsanitize=signed-integer-overflow,shift,bounds,integer-divide-by-zero,float-cast-overflow;-fno-sanitize-recover=all" ;;
  fresh) RITZ_REUSE_MEMORY=0 exec ctest --test-dir "$build" -L emulated_gpu --output-on-failure "$@" ;;
  *) sed -n 2,7p "$0"; exit 2 ;;
esac
tools/configure.sh "$build-$kind" -DRITZ_TESTS=ON -DRITZ_UNITY=ON -DRITZ_CPU_BACKENDS=native -DRITZ_KERNEL_FAMILIES=all -DRITZ_HOST_LEVEL=1 \
  -DRITZ_CUDA=ON -DRITZ_CUDA_FAMILIES=plane "-DRITZ_EMULATED_OPTIONS=$options"
cmake --build "$build-$kind"
ctest --test-dir "$build-$kind" -L emulated_gpu --output-on-failure "$@"
