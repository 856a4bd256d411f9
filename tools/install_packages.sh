#!/usr/bin/env bash
# Installs the Debian packages that Ritz needs, when one of them is missing. Usage: install_packages.sh [tests] [wheel]
set -euo pipefail
packages=(g++ gfortran cmake ninja-build ccache libfmt-dev libtomlplusplus-dev libcli11-dev nlohmann-json3-dev
          libvtk9-dev libhdf5-dev zlib1g-dev libmumps-seq-dev libopenblas-dev)
for part in "$@"; do
  case $part in
    wheel) packages+=(python3-dev python3-pip patchelf) ;;
    tests) packages+=(libgtest-dev libgmock-dev calculix-ccx openmpi-bin libopenmpi-dev libmumps-dev gmsh patchelf python3-dev python3-pip python3-venv pybind11-dev python3-numpy python3-scipy python3-sympy python3-meshio python3-gmsh python3-h5py python3-jsonschema python3-vtk9 xvfb xauth libgl1-mesa-dri
                      clang clang-format libclang-rt-14-dev libomp-dev libboost-context-dev) ;;
  esac
done
missing=()
for package in "${packages[@]}"; do
  dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q 'ok installed' || missing+=("$package")
done
[ ${#missing[@]} -eq 0 ] && exit 0
echo "installing ${#missing[@]} packages: ${missing[*]}"
run=()
if [ "$(id -u)" -ne 0 ]; then run=(sudo); fi
"${run[@]}" apt-get update -qq
DEBIAN_FRONTEND=noninteractive "${run[@]}" apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
