#!/usr/bin/env bash
# each_alone.sh TEST: every test of a GoogleTest program in a process of its own.
set -euo pipefail
failed=0 count=0
for name in $("$1" --gtest_list_tests | awk '/^[^ ]/ && /\.$/ {suite = $1} /^  / {print suite $1}'); do
  count=$((count + 1))
  "$1" --gtest_filter="$name" || failed=$((failed + 1))
done
echo "$count tests, $failed failed"
[ "$count" -gt 0 ] && [ "$failed" -eq 0 ]
