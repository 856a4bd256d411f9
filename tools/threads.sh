#!/usr/bin/env bash
# Looks for data races in what runs beside the computation: the tests of device and io under clang's thread sanitizer, with libomp and its
# tool archer, which tells the sanitizer how OpenMP orders threads (Debian: clang, libclang-rt-14-dev, libomp-dev). Kernels are compiled
# without it. Builds in build-threads; exit code 66 of a test: a race was found.
#   tools/threads.sh [ARGUMENTS OF THE TESTS...]      for example --gtest_filter='Background*'
set -euo pipefail
cd "$(dirname "$0")/.."
folder=build-threads
tools/configure.sh "$folder" -DCMAKE_CXX_COMPILER=clang++ -DCMAKE_C_COMPILER=clang -DRITZ_CUDA=OFF -DRITZ_TESTS=ON -DRITZ_SANITIZE=thread \
  -DRITZ_SANITIZE_KERNELS=OFF -DCMAKE_BUILD_TYPE=RelWithDebInfo "-DCMAKE_CXX_FLAGS_RELWITHDEBINFO=-O1 -g1 -DNDEBUG" >/dev/null
cmake --build "$folder" --target test_device test_io >"$folder/build.log" || { cat "$folder/build.log"; exit 1; }
# A race that is one, so that a sanitizer that sees nothing is not taken for a program without races.
printf 'int main() { int n = 0;\n#pragma omp parallel num_threads(4)\n  for (int i = 0; i < 1000; ++i) n += i;\n  return n == 1; }\n' >"$folder/race.cpp"
clang++ -fsanitize=thread -fopenmp -g1 "$folder/race.cpp" -o "$folder/race"
archer=$(dirname "$(ldd "$folder/race" | awk '/libomp/ { print $3 }')")/libarcher.so
[ -e "$archer" ] || { echo "there is no $archer, and without it OpenMP itself looks like a race" >&2; exit 1; }
export OMP_TOOL_LIBRARIES=$archer TSAN_OPTIONS="ignore_noninstrumented_modules=1" OMP_NUM_THREADS=${OMP_NUM_THREADS:-4}
if "$folder/race" 2>/dev/null; then echo "the sanitizer does not find a race that is there" >&2; exit 1; fi
for test in device io; do "$folder/bin/test_$test" "$@"; done
