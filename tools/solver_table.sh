#!/usr/bin/env bash
# Iterations, seconds and memory of conjugate gradients with multigrid while the meshes grow (docs/performance.md#solvers).
# Usage: tools/solver_table.sh [BUILD] [SIZES...]
set -euo pipefail
cd "$(dirname "$0")/.."
build=${1:-build}
shift || true
sizes=("$@")
[ ${#sizes[@]} -gt 0 ] || sizes=(0.35 0.5 0.7 1 1.4)
echo "| problem | unknowns | iterations | set-up s | solve s | operator complexity | hierarchy, bytes per unknown |"
echo "|---|---|---|---|---|---|---|"
for task in solve-poisson-P1 solve-poisson-P2 solve-elastic-Q1 solve-elastic-P1 solve-elastic-P2; do
  for size in "${sizes[@]}"; do
    "$build/bin/ritz-bench" --only $task --size "$size" --threads 0 --repeat 1 --no-triplets |
      awk -v task=$task '
        $1 == "unknowns" { n = $2 }
        /multigrid iterations/ { it = $3 }
        /multigrid operator complexity/ { oc = $4 }
        /multigrid bytes per unknown/ { bytes = $5 }
        /multigrid set-up/ { setup = $3 }
        /multigrid CG/ { solve = $3 }
        END { printf "| %s | %d | %d | %.2f | %.2f | %.2f | %d |\n", substr(task, 7), n, it, setup, solve, oc, bytes }'
  done
done
