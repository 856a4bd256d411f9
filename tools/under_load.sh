#!/usr/bin/env bash
# Runs a command beside busy loops: tools/under_load.sh LOOPS COMMAND...
set -euo pipefail
loops=()
for _ in $(seq "$1"); do
  while :; do :; done &
  loops+=($!)
done
trap 'kill "${loops[@]}"' EXIT
shift
"$@"
