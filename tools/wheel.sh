#!/usr/bin/env bash
# Builds the wheel of the Python package: executables, libraries, headers, and a module for each Python. Prints its size, its tag, the
# libraries from elsewhere in it, and what it needs of the system.
#
#   tools/wheel.sh [--python PYTHON]... [--cuda ARCHITECTURES] [BUILD] [OUT]
#                                                         from build folder BUILD (build-wheel) to OUT/ritz_fem-....whl (.)
#
# BUILD is made where it is missing: in a quarter of an hour. In one that is there, modules are built, and the rest is packed as it is: in
# a minute. Without --python, Pythons are all of 3.10 to 3.14 on the PATH that have headers. Modules work with NumPy 1 and 2: pybind11
# comes from PyPI, as that of Debian 12 is too old for NumPy 2.
#
# --cuda "80-real;90-real;100-real;120": with GPU code for A100, H100, B200, RTX 50, and as PTX for later cards, compressed. It needs nvcc 12.8
# or newer on the PATH or in CUDACXX, and compiles what BUILD lacks of it.
set -euo pipefail
cd "$(dirname "$0")/.."
pythons=() architectures=
while true; do
  case ${1:-} in
    --python) pythons+=("$(command -v "$2")"); shift 2 ;;
    --cuda) architectures=$2; shift 2 ;;
    -*) echo "error: no option '$1'
  fix: see the head of $0" >&2; exit 2 ;;
    *) break ;;
  esac
done
build=${1:-build-wheel} out=${2:-.}
tools/install_packages.sh wheel

has_headers() { "$1" -c 'import pathlib, sysconfig, sys; sys.exit(not pathlib.Path(sysconfig.get_path("include"), "Python.h").exists())' 2>/dev/null; }
if [ ${#pythons[@]} -eq 0 ]; then
  for version in 10 11 12 13 14; do
    for python in $(type -ap "python3.$version"); do
      if has_headers "$python"; then pythons+=("$python"); break; fi
    done
  done
fi
[ ${#pythons[@]} -gt 0 ] || { echo "error: no Python with headers
  fix: apt-get install python3-dev, or name one: --python PYTHON" >&2; exit 2; }
packer=
for python in /usr/bin/python3 "${pythons[@]}"; do
  if "$python" -c 'import tomllib' 2>/dev/null; then packer=$python; break; fi
done
[ -n "$packer" ] || { echo "error: a wheel is packed by Python 3.11 or newer
  fix: apt-get install python3" >&2; exit 2; }

headers=$build/pybind11
[ -d "$headers" ] || "$packer" -m pip install --quiet --disable-pip-version-check --root-user-action=ignore --target "$headers" 'pybind11>=2.12'
options=(-DRITZ_PYTHON=ON "-DRITZ_PYTHONS=$(IFS=';'; echo "${pythons[*]}")" "-DPYBIND11_INCLUDE=$(realpath "$headers")/pybind11/include")
target=(--target ritz_python)
if [ ! -f "$build/CMakeCache.txt" ]; then
  options+=(-DRITZ_TESTS=OFF -DRITZ_UNITY=ON "-DRITZ_CPU_BACKENDS=v3;v4" -DRITZ_CUDA=OFF) target=()
fi
if [ -n "$architectures" ]; then
  options+=(-DRITZ_CUDA=ON -DRITZ_CUDA_COMPACT=ON "-DRITZ_CUDA_ARCHITECTURES=$architectures" -DRITZ_CUDA_FAMILIES=all) target=()
fi
tools/configure.sh "$build" "${options[@]}"
cmake --build "$build" "${target[@]}"
exec "$packer" tools/ritz_wheel.py "$build" "$out"
