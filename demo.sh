#!/usr/bin/env bash
# Builds Ritz and runs its main job: the stress in a bracket and the temperature of a heat sink, with a picture and a page of each.
set -euo pipefail
cd "$(dirname "$0")"
tools/install_packages.sh
# Only what this machine can run: kernels of its own instruction set, and GPU code where there is a GPU.
gpu=OFF
if command -v nvidia-smi >/dev/null && nvidia-smi -L 2>/dev/null | grep -q GPU; then gpu=AUTO; fi
tools/configure.sh build -DRITZ_TESTS=OFF -DRITZ_CPU_BACKENDS=native -DRITZ_UNITY=ON -DRITZ_CUDA="${RITZ_CUDA:-$gpu}"
cmake --build build --target ritz-elasticity ritz-heat ritz
mkdir -p results
# shows NAME FIELD: options for the report and the pictures of a run.
shows() { echo --json "results/$1.json" --picture "results/$1.png" --report "results/$1.html" --field "$2"; }

echo; echo "== bracket: linear elasticity"
# shellcheck disable=SC2046
build/bin/ritz-elasticity examples/bracket/bracket.toml --output results/bracket $(shows bracket von_mises) --warp displacement --overwrite "$@"
echo; echo "== heat sink: heat conduction with convection"
# shellcheck disable=SC2046
build/bin/ritz-heat examples/heat_sink/heat_sink.toml --output results/heat_sink $(shows heat_sink temperature) --overwrite "$@"
echo
echo "ParaView: results/bracket/bracket.pvd results/heat_sink/heat_sink.pvd"
echo "pictures: results/bracket.png results/heat_sink.png"
echo "pages, to be turned in a browser: results/bracket.html results/heat_sink.html"
