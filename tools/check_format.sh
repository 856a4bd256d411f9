#!/usr/bin/env bash
# Checks that the C, C++ and CUDA sources are formatted as .clang-format says, or formats them with --fix. Exits with 77
# where clang-format 14 is missing: other versions break lines in other places. Usage: tools/check_format.sh [--fix]
set -euo pipefail
cd "$(dirname "$0")/.."
skip() { echo "skipped: $1"; exit 77; }
tool=
for candidate in clang-format-14 clang-format; do
  if command -v "$candidate" >/dev/null && "$candidate" --version | grep -q 'version 14\.'; then
    tool=$candidate
    break
  fi
done
[ -n "$tool" ] || skip "clang-format 14 was not found; install the Debian 12 package clang-format"
git rev-parse --is-inside-work-tree >/dev/null 2>&1 || skip "the sources are no git checkout, so it is not known which files are ours"
case ${1:-} in
  --fix) options=(-i) ;;
  '') options=(--dry-run --Werror) ;;
  *) echo "usage: tools/check_format.sh [--fix]" >&2; exit 2 ;;
esac
git ls-files -z '*.cpp' '*.hpp' '*.cu' '*.h' '*.c' ':!tests/data' | xargs -0 -n 50 -P "$(nproc)" "$tool" "${options[@]}"
