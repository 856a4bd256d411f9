#!/usr/bin/env bash
# Packs a built Ritz so that it runs on any x86-64 Linux with this C library or a newer one: executables, libraries,
# kernel modules, headers for plugins, examples, and the shared libraries that they need, but for the C and C++ run-time
# libraries and CUDA.
#
#   tools/bundle.sh [--with-tests] [BUILD] [OUT]     from build folder BUILD (build) to OUT/ritz-VERSION-....tar.xz (.)
#
# Needs patchelf. CUDA modules are in the bundle; where the CUDA libraries are missing, Ritz says so and runs on the CPU.
# Modules for several ranks are there, too, with MUMPS. They take the machine's MPI, of the kind that they were built with.
set -euo pipefail
with_tests=
if [ "${1:-}" = --with-tests ]; then with_tests=1; shift; fi
build=$(realpath "${1:-build}") out=$(realpath -m "${2:-.}")
cd "$(dirname "$0")/.."
command -v patchelf >/dev/null || { echo "error: patchelf is missing
  fix: apt-get install patchelf" >&2; exit 2; }
[ -f "$build/CMakeCache.txt" ] || { echo "error: '$build' is no build folder" >&2; exit 2; }

cached() { sed -n "s/^$1:[A-Z]*=//p" "$build/CMakeCache.txt"; }
if [ -n "$(cached CMAKE_CUDA_COMPILER)" ] && [ "$(cached RITZ_CUDA_FAMILIES)" != all ]; then
  echo "error: '$build' has not all kernels of GPUs: RITZ_CUDA_FAMILIES is '$(cached RITZ_CUDA_FAMILIES)'
  fix: cmake -B '$build' -DRITZ_CUDA_FAMILIES=all && cmake --build '$build'" >&2
  exit 2
fi
version=$(cached CMAKE_PROJECT_VERSION)
name=ritz-$version-linux-$(uname -m)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
root=$work/$name
cmake --install "$build" --prefix "$root" --strip >/dev/null
bin=$root/$(cached CMAKE_INSTALL_BINDIR) lib=$root/$(cached CMAKE_INSTALL_LIBDIR)
rm -rf "$lib/cmake"  # to build on Ritz, install it; headers stay, as plugins in C++ are compiled with them

if [ -n "$with_tests" ]; then
  for file in "$build"/bin/test_*; do
    strip -o "$bin/${file##*/}" "$file"
  done
  for file in "$build"/lib/*test*.so "$build"/lib/ptx/libritz_copies.so; do [ ! -f "$file" ] || strip -o "$lib/${file##*/}" "$file"; done
fi

# Libraries that every Linux has, the driver's, and the large ones of CUDA, without which all but the direct solver runs, stay out.
# CUDA's run-time library is small, may be passed on, and comes along: a machine needs no more than the driver.
libraries=$(python3 tools/graft.py "$root" "$lib" "$root/share/doc/ritz/licences")

mkdir -p "$out"
tar -C "$work" --owner=0 --group=0 --sort=name -cf - "$name" | xz -T0 >"$out/$name.tar.xz"
megabytes() { du -b -L -c "$@" | awk 'END {printf "%7.1f MB", $1 / 1e6}'; }
echo "executables       $(megabytes "$bin"/*)"
echo "Ritz's libraries  $(megabytes "$lib"/libritz_*.so "$lib"/ritz_vtk.so "$lib"/ritz_hdf5.so "$lib"/ritz_direct.cpu.so "$lib"/*.v3.so "$lib"/*.v4.so)"
if compgen -G "$lib/*.cuda.so" >/dev/null; then
  echo "CUDA modules      $(megabytes "$lib"/*.cuda.so)   for $(cached RITZ_CUDA_ARCHITECTURES)"
  case $(cached RITZ_CUDA_ARCHITECTURES) in
    *80*90*100*120*) ;;
    *) echo "note: to pass on, configure with -DRITZ_CUDA_COMPACT=ON -DRITZ_CUDA_ARCHITECTURES='80-real;90-real;100-real;120': A100 to Blackwell, and PTX for later cards" ;;
  esac
fi
if compgen -G "$lib/*.mpi.so" >/dev/null; then
  echo "MPI modules       $(megabytes "$lib"/*.mpi.so)   for a machine's $(readelf -dW "$lib/ritz_ranks.mpi.so" | sed -n 's/.*NEEDED.*\[\(libmpi.*\)\]/\1/p')"
fi
echo "headers           $(megabytes "$root/include")   for plugins"
echo "$libraries"
echo "unpacked          $(megabytes "$root")"
echo "packed            $(megabytes "$out/$name.tar.xz")   $out/$name.tar.xz"
