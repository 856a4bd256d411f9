#!/usr/bin/env bash
# Runs a bundle (tools/bundle.sh) in a bare root folder that holds the C and C++ run-time libraries and nothing else.
#
#   tools/check_bundle.sh ritz-0.1.0-linux-x86_64.tar.xz
#
# A plugin in C++ is compiled with the bundle's headers, outside of that folder, where there is a compiler.
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
    cd / && exec env -i PATH="$PATH" OMP_WAIT_POLICY=passive chroot "$root" "$@"' sh "$root" "$@"
}
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

# `plugin = "x.cpp"` takes the headers of the bundle and a compiler of the machine.
example=$(grep -rl --include=*.toml '^plugin = ".*\.cpp"' "$root/ritz/share/ritz/examples" | sort | head -1)
echo "== a plugin: ${example#"$root/ritz/"}"
env -i PATH="$PATH" HOME="$root/tmp" XDG_CACHE_HOME="$root/tmp/cache" OMP_WAIT_POLICY=passive \
  "$root/ritz/bin/ritz-solve" "$example" --device cpu --output "$root/tmp/plugin"
[ -n "$(find "$root/tmp/plugin" -name '*.pvd' -size +0)" ] || { echo "the plugin's case left no result" >&2; exit 1; }
