#!/usr/bin/env bash
# Runs Ritz's main job: the stress in a bracket and the temperature of a heat sink, with a picture and a page of each. Builds what that takes,
# unless the programs of this version are installed.
set -euo pipefail
cd "$(dirname "$0")"
says() { printf '\n== minute %d:%02d: %s\n' $((SECONDS / 60)) $((SECONDS % 60)) "$1"; }

bin=
installed=$(command -v ritz-heat || true)
if [ -n "$installed" ]; then
  # "0.1.0 (1a2b3c4d)": a wheel of another commit, and sources that were changed, are not this version.
  here=$(git describe --always '--exclude=*' --abbrev=8 --dirty=+ 2>/dev/null || true)
  found=$(ritz-heat --version || true)
  if [ -n "$here" ] && [[ $here != *+ && $found == *"($here)"* ]]; then bin=$(dirname "$installed"); fi
  says "$installed is ${found:-without a version}, these sources are ${here:-of no commit}: $([ -n "$bin" ] && echo "nothing is built" || echo "they are built")"
fi
if [ -z "$bin" ]; then
  bin=build/bin
  says "packages"
  tools/install_packages.sh
  # Only what this machine can run, GPU code where there is a GPU, and of the kernels those that the two cases take.
  gpu=$(if tools/has_gpu.sh; then echo AUTO; else echo OFF; fi)
  says "build, some four minutes on two cores from nothing"
  tools/configure.sh build -DRITZ_TESTS=OFF -DRITZ_CPU_BACKENDS=native -DRITZ_UNITY=ON -DRITZ_KERNEL_FAMILIES=none -DRITZ_CUDA_FAMILIES=none \
    -DRITZ_HOST_LEVEL=1 -DRITZ_CUDA="${RITZ_CUDA:-$gpu}"
  NINJA_STATUS="[%f of %t steps, %e s] " cmake --build build --target ritz-elasticity ritz-heat
fi
mkdir -p results
# shows NAME FIELD: options for the report and the pictures of a run.
shows() { echo --json "results/$1.json" --picture "results/$1.png" --report "results/$1.html" --field "$2"; }

says "bracket: linear elasticity"
# shellcheck disable=SC2046
"$bin/ritz-elasticity" examples/bracket/bracket.toml --output results/bracket $(shows bracket von_mises) --warp displacement --overwrite "$@"
says "heat sink: heat conduction with convection"
# shellcheck disable=SC2046
"$bin/ritz-heat" examples/heat_sink/heat_sink.toml --output results/heat_sink $(shows heat_sink temperature) --overwrite "$@"
says "done"
echo "ParaView: results/bracket/bracket.pvd results/heat_sink/heat_sink.pvd"
echo "pictures: results/bracket.png results/heat_sink.png"
echo "pages, to be turned in a browser: results/bracket.html results/heat_sink.html"
if [ "$bin" = build/bin ]; then echo "the other programs, and kernels for everything else: cmake -B build -DRITZ_KERNEL_FAMILIES=all -DRITZ_CUDA_FAMILIES=all -DRITZ_HOST_LEVEL=2 && cmake --build build"; fi
