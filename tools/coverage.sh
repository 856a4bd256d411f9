#!/usr/bin/env bash
# Builds with gcov, runs the tests, and prints how much of each folder they run: libraries and programs, without kernels. Needs gcovr.
# Headers count with every source that compiles them. Usage: tools/coverage.sh [ctest options]
set -euo pipefail
cd "$(dirname "$0")/.."
build=build-coverage
launcher=()
if command -v ccache >/dev/null; then launcher=(-DCMAKE_C_COMPILER_LAUNCHER=ccache -DCMAKE_CXX_COMPILER_LAUNCHER=ccache); fi
cmake --preset coverage ${launcher[@]+"${launcher[@]}"} | grep -E '^-- Ritz|Error' || true
cmake --build "$build"
find "$build" -name '*.gcda' -delete
OMP_WAIT_POLICY=passive ctest --test-dir "$build" --output-on-failure "$@" || echo "some tests failed"
if [ $# -gt 0 ]; then echo "\`ctest $*\`"; else echo "all of ctest"; fi >"$build/tests.txt"
report() { gcovr --root . --object-directory "$build" --exclude 'build.*' --exclude 'tests/.*' --gcov-ignore-parse-errors \
  -j "$(nproc)" "$build" "$@"; }
report --json-summary "$build/coverage.json" >/dev/null
python3 - "$build/coverage.json" <<'END'
import collections, json, sys

lines = collections.defaultdict(lambda: [0, 0])
for file in json.load(open(sys.argv[1]))["files"]:
    for folder in (file["filename"].split("/")[0], "all"):
        lines[folder][0] += file["line_covered"]
        lines[folder][1] += file["line_total"]
print(f"{'folder':12}{'lines':>8}{'run':>8}")
for folder, (covered, total) in sorted(lines.items(), key=lambda item: (item[0] == "all", item[0])):
    print(f"{folder:12}{total:8}{100 * covered / max(total, 1):7.1f}%")
END
