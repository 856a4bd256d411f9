#!/usr/bin/env bash
# Kernels of both instruction sets, compiled as wheels have them, under the tests that compare them: test.sh compiles the set that this
# machine chooses. Usage: tools/shipped_kernels.sh [FOLDER]
set -euo pipefail
cd "$(dirname "$0")/.."
folder=${1:-build-shipped}
programs=(test_device test_solvers test_multigrid test_fem test_mixed test_element_check)
tools/configure.sh "$folder" -DRITZ_TESTS=ON -DRITZ_UNITY=ON "-DRITZ_CPU_BACKENDS=v3;v4" -DRITZ_CUDA=OFF
cmake --build "$folder" --target "${programs[@]}" ritz_modules
for program in "${programs[@]}"; do "$folder/bin/$program" --gtest_brief=1; done
RITZ_TEST_DEVICE=cpu:v3 "$folder/bin/test_fem" --gtest_brief=1 --gtest_filter="$(paste -sd: tests/fem/operator_tests.txt)"
