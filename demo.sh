#!/usr/bin/env bash
# Builds Ritz and runs its main job: the stress in a bracket and the temperature of a heat sink, with a picture of each.
set -euo pipefail
cd "$(dirname "$0")"
tools/install_packages.sh demo
# Only what this machine can run: kernels of its own instruction set, and GPU code where there is a GPU.
gpu=OFF
if command -v nvidia-smi >/dev/null && nvidia-smi -L 2>/dev/null | grep -q GPU; then gpu=AUTO; fi
tools/configure.sh build -DRITZ_TESTS=OFF -DRITZ_CPU_BACKENDS=native -DRITZ_UNITY=ON -DRITZ_CUDA="${RITZ_CUDA:-$gpu}"
cmake --build build --target ritz-elasticity ritz-heat ritz
mkdir -p results
picture() { xvfb-run -a -s "-screen 0 1280x1024x24" /usr/bin/python3 tools/picture.py "$@" 2>/dev/null; }

echo; echo "== bracket: linear elasticity"
build/bin/ritz-elasticity examples/bracket/bracket.toml --output results/bracket --json results/bracket.json --overwrite "$@"
picture results/bracket/bracket/bracket_000000.vtu results/bracket.png --field von_mises --warp displacement
echo; echo "== heat sink: heat conduction with convection"
build/bin/ritz-heat examples/heat_sink/heat_sink.toml --output results/heat_sink --json results/heat_sink.json --overwrite "$@"
picture results/heat_sink/heat_sink/heat_sink_000000.vtu results/heat_sink.png --field temperature
echo
echo "ParaView: results/bracket/bracket.pvd results/heat_sink/heat_sink.pvd"
echo "pictures: results/bracket.png results/heat_sink.png"
