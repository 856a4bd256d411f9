#!/usr/bin/env bash
# Checks that take too long for every change, run by hand: what ctest does with samples is done with all of them here.
# Each adds a line to tools/measurements/long_checks.tsv: date, commit, check, minutes of processors, outcome.
# Usage: tools/long_checks.sh [--in BUILD] [CHECK...]; --list names the checks with their commands.
set -euo pipefail
cd "$(dirname "$0")/.."
build=$PWD/build  # absolute, as tests run in folders of their own
if [ "${1:-}" = --in ]; then
  build=$(realpath "$2")
  shift 2
fi
operators=$(paste -sd: tests/fem/operator_tests.txt)
export OMP_WAIT_POLICY=passive OMP_NUM_THREADS=${OMP_NUM_THREADS:-2}
on_emulated="env RITZ_MODULES=$build/lib/emulated RITZ_TEST_DEVICE=gpu RITZ_FULL_SIZES=1"
names=() commands=()
check() {
  names+=("$1")
  commands+=("$2")
}
# Every call on files fails or ends the process, every message is late or refused.
check faults "env RITZ_ALL_FAULTS=1 tools/test_seconds.py $build ^cases\.(faults|resume_faults)"
check messages "env RITZ_ALL_FAULTS=7 tools/test_seconds.py $build ^cases\.divided_messages"
check allocations "env RITZ_ALL_FAULTS=1 $build/bin/test_memory --gtest_filter=Runs/AllocationFailures.*"
# Tests that ctest leaves out: half a minute of a processor each.
check long_tests "env RITZ_LONG_TESTS=1 tools/test_seconds.py $build ^(fem.NeedsNoMatrix|apps.RitzBench|cases\.(memory|divided_reach|ranks_forecast))"
# On the emulated GPU, with the meshes of a card.
check emulated_operators "$on_emulated $build/bin/test_fem --gtest_filter=$operators-AffineCells.*"
check emulated_multigrid "$on_emulated $build/bin/test_multigrid_gpu"
check emulated_solvers "$on_emulated $build/bin/test_solvers_gpu"
check emulated_memory_steps "$on_emulated python3 tests/cuda_emulator/memory_steps_test.py $build/bin/ritz-elasticity tools"
# The same kernels contracted as by nvcc, with overflows and the like as errors, and with memory that is never used again.
for kind in fma undefined fresh; do check emulated_$kind "tools/emulated_gpu.sh $build $kind -j2"; done
# All families of a GPU's kernels, with all optimisations, and the forms of the tests.
check gpu_kernels "tools/gpu_kernels.sh $build"
# What nvcc compiles, by the interpreter of PTX (tests/ptx/README.md); after gpu_kernels.
ptx=$(realpath -m "$build/lib/ptx")
on_ptx="env LD_LIBRARY_PATH=$ptx RITZ_MODULES=$ptx RITZ_TEST_DEVICE=gpu"
check ptx_coverage "$build/bin/ptx_coverage $(echo "$build"/lib/*.cuda.so)"
check ptx_device "$on_ptx $build/bin/test_device_gpu --gtest_filter=GpuMachine.*-*CopyRate*"
check ptx_solvers "$on_ptx $build/bin/test_solvers_gpu"
check ptx_multigrid "$on_ptx $build/bin/test_multigrid_gpu"
check ptx_mixed "$on_ptx $build/bin/test_mixed --gtest_filter=$(paste -sd: tests/fem/mixed/gpu_tests.txt)"
check ptx_fem "$on_ptx $build/bin/test_fem --gtest_filter=*Gpu*"
check ptx_operators "$on_ptx $build/bin/test_fem --gtest_filter=$operators-AffineCells.*"
# Whether the predicted bits (tests/ptx/golden.json) are still those of the tree; gpu_check.py --write-golden writes them.
check ptx_golden "$on_ptx python3 tools/gpu_check.py $build $build/golden --steps golden --minutes 120"
# Models at random of large strain and plasticity: in balance, or with a sentence.
check random_models "env RITZ_RANDOM_MODELS=40 $build/bin/test_fem --gtest_filter=RandomModels.*"
# Strip footings on soil of Mohr and Coulomb's law against Prandtl's factors, on finer meshes.
check bearing "env RITZ_BEARING=1 RITZ_BIN=$build/bin RITZ_EXAMPLES=$PWD/examples RITZ_SOURCE=$PWD python3 tests/cases/laws_test.py -k footing"
# Nonlinear cases at random: converged, or with a sentence that the arc length confirms; the seed is the day.
check random_newton "tools/random_newton.py $build/bin $build/random_newton --models 200 --seed $(date -u +%Y%m%d)"
# Small models of all programs at random, with relations between their solutions; the seed is the day.
check relations "env PYTHONPATH=$build/python RITZ_BIN=$build/bin tools/relations.py --models 100000 --seed $(date -u +%Y%m%d) --folder $build/relations"
# All rows of the examples from arrays; the test takes a third of the long ones.
check rows "env RITZ_ROWS=all tools/test_seconds.py $build ^python.rows"
# Universal files as another program reads them; pip install pyuff.
check universal_file "python3 tools/universal_file.py $build $build/universal_file"
# Both instruction sets of the CPU, compiled as they are shipped.
check shipped_kernels "tools/shipped_kernels.sh $build-shipped"
# The example programs and plugins outside of the tree, with all back ends.
check outside "env RITZ_ALL_BACK_ENDS=1 tools/test_seconds.py $build ^package.outside"
# No test depends on the clock: all of them beside two busy loops, and on one core.
check under_load "tools/under_load.sh 2 ctest --test-dir $build --output-on-failure -j2"
check on_one_core "taskset -c 0 ctest --test-dir $build --output-on-failure"

if [ "${1:-}" = --list ]; then
  for i in "${!names[@]}"; do printf '%-20s %s\n' "${names[i]}" "${commands[i]}"; done
  exit
fi
table=tools/measurements/long_checks.tsv
[ -f $table ] || printf 'date\tcommit\tcheck\tminutes of processors\toutcome\n' >$table
failed=0
for i in "${!names[@]}"; do
  if [ $# -gt 0 ] && [[ " $* " != *" ${names[i]} "* ]]; then continue; fi
  echo "== ${names[i]}: ${commands[i]}"
  used=$(mktemp)
  outcome=passed
  read -ra words <<<"${commands[i]}"
  /usr/bin/time -f '%U %S' -o "$used" "${words[@]}" || outcome=failed
  [ $outcome = passed ] || failed=1
  minutes=$(tail -n 1 "$used" | awk '{printf "%.1f", ($1 + $2) / 60}')
  rm "$used"
  printf '%s\t%s\t%s\t%s\t%s\n' "$(date -u +%F)" "$(git rev-parse --short HEAD)" "${names[i]}" "$minutes" $outcome >>$table
done
exit $failed
