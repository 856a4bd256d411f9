#!/usr/bin/env bash
# Runs a bundle (tools/bundle.sh) in a bare root folder that holds the C and C++ run-time libraries and nothing else.
#
#   tools/check_bundle.sh ritz-0.1.0-linux-x86_64.tar.xz
#
# A plugin in C++ is compiled with the bundle's headers, outside of that folder, where there is a compiler. There two ranks
# solve a case, too, where there is mpirun of the MPI that the bundle was built with.
# Needs to be root, or user namespaces.
set -euo pipefail
bundle=$1
root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT
mkdir -p "$root"/{lib64,lib/x86_64-linux-gnu,proc,tmp,ritz,dev}
cp -L /lib64/ld-linux-x86-64.so.2 "$root/lib64/"
for name in libc.so.6 libm.so.6 libdl.so.2 librt.so.1 libpthread.so.0 libresolv.so.2 libstdc++.so.6 libgcc_s.so.1; do
  cp -L "$(gcc -print-file-name=$name)" "$root/lib/x86_64-linux-gnu/$name"
done
tar -C "$root/ritz" --strip-components=1 -xf "$bundle"

# A mount namespace of its own: /proc ($ORIGIN and the memory report need it) goes away with it.
inside() {
  echo "== $*"
  unshare --mount --fork --pid ${maybe_user[@]+"${maybe_user[@]}"} sh -c '
    root=$1; shift
    mount -t proc proc "$root/proc" 2>/dev/null || mount --rbind /proc "$root/proc" || exit 1
    cd / && exec env -i PATH="$PATH" OMP_WAIT_POLICY=passive $environment chroot "$root" "$@"' sh "$root" "$@"
}
export environment=
maybe_user=()
if [ "$(id -u)" -ne 0 ]; then maybe_user=(--map-root-user); fi

inside /ritz/bin/ritz devices
inside /ritz/bin/ritz-elasticity /ritz/share/ritz/examples/bracket/bracket.toml --output /tmp/bracket
inside /ritz/bin/ritz-heat /ritz/share/ritz/examples/heat_sink/heat_sink.toml --output /tmp/heat_sink
[ -s "$root/tmp/bracket/bracket.pvd" ] || { find "$root/tmp"; exit 1; }
for test in "$root"/ritz/bin/test_device "$root"/ritz/bin/test_mesh; do
  if [ -x "$test" ]; then inside "/ritz/bin/${test##*/}" --gtest_brief=1; fi
done
status=0
inside /ritz/bin/ritz-elasticity /ritz/share/ritz/examples/bracket/bracket.toml --device gpu --output /tmp/gpu || status=$?
[ $status -eq 8 ] || { echo "a GPU that is not there: exit $status instead of 8" >&2; exit 1; }

# Several ranks: an error that names the library where there is no MPI, and one solution where there is.
module=$(find "$root/ritz" -name ritz_ranks.mpi.so)
heat_sink=share/ritz/examples/heat_sink/heat_sink.toml
if [ -n "$module" ]; then
  mpi=$(readelf -dW "$module" | sed -n 's/.*NEEDED.*\[\(libmpi.*\)\]/\1/p')
  status=0
  environment="OMPI_COMM_WORLD_SIZE=2 OMPI_COMM_WORLD_RANK=0"
  inside /ritz/bin/ritz-heat /ritz/$heat_sink --output /tmp/ranks >"$root/tmp/ranks.log" 2>&1 || status=$?
  environment=
  cat "$root/tmp/ranks.log"
  [ $status -eq 8 ] && grep -q "started as 2 ranks" "$root/tmp/ranks.log" && grep -q "$mpi" "$root/tmp/ranks.log" ||
    { echo "an MPI that is not there: exit $status instead of 8, or no word of $mpi" >&2; exit 1; }
  if command -v mpirun >/dev/null && ldd "$module" | grep -q "$mpi => /"; then
    for method in cg direct; do
      echo "== two ranks of $(mpirun --version | head -1): $method"
      env -i PATH="$PATH" OMP_WAIT_POLICY=passive OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 \
        OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_hwloc_base_binding_policy=none \
        mpirun -n 2 "$root/ritz/bin/ritz-heat" "$root/ritz/$heat_sink" --set solver.method="$method" --device cpu \
        --output "$root/tmp/ranks-$method" | tee "$root/tmp/ranks.log"
      grep -q "2 ranks by" "$root/tmp/ranks.log" || { echo "the ranks did not solve together" >&2; exit 1; }
    done
  fi
fi

# `plugin = "x.cpp"` takes the headers of the bundle and a compiler of the machine.
example=$(grep -rl --include=*.toml '^plugin = ".*\.cpp"' "$root/ritz/share/ritz/examples" | sort | head -1)
echo "== a plugin: ${example#"$root/ritz/"}"
env -i PATH="$PATH" HOME="$root/tmp" XDG_CACHE_HOME="$root/tmp/cache" OMP_WAIT_POLICY=passive \
  "$root/ritz/bin/ritz-solve" "$example" --device cpu --output "$root/tmp/plugin"
[ -n "$(find "$root/tmp/plugin" -name '*.pvd' -size +0)" ] || { echo "the plugin's case left no result" >&2; exit 1; }
