#!/usr/bin/env python3
"""The constants of solvers/multigrid/hierarchy_needs.cpp from measured hierarchies (tests/memory/measure_hierarchies.cpp) on standard input.

Prints the table in C++, and on standard error how near it comes: least squares of relative errors, the larger heavier.
"""
import itertools
import sys

NESTING = ("none", "mesh", "cells")


def solve(A, y):
    """Least squares by the normal equations, Gauss-Jordan; None where they are singular."""
    n = len(A[0])
    M = [[sum(row[i] * row[j] for row in A) for j in range(n)] + [sum(row[i] * b for row, b in zip(A, y))] for i in range(n)]
    for i in range(n):
        if abs(M[i][i]) < 1e-9 * sum(row[i] ** 2 for row in A):
            return None
        M[i] = [m / M[i][i] for m in M[i]]
        for k in range(n):
            if k != i:
                M[k] = [a - M[k][i] * b for a, b in zip(M[k], M[i])]
    return [row[n] for row in M]


def fit(features, taken):
    """Not negative: the best of all choices of features, and fewer of them unless more are better by a fiftieth."""
    weights = [(min(1, t / 20e6) ** 0.5 + 0.15) / t for t in taken]
    best, least = None, float("inf")
    for count in (1, 2, 3):
        for chosen in itertools.combinations(range(3), count):
            A = [[w * f[i] for i in chosen] for f, w in zip(features, weights)]
            y = [w * t for t, w in zip(taken, weights)]
            x = solve(A, y)
            if x is None or min(x) < 0:
                continue
            error = sum((sum(a * b for a, b in zip(row, x)) - b0) ** 2 for row, b0 in zip(A, y))
            if error < 0.98 * least:
                least, best = error, [x[chosen.index(i)] if i in chosen else 0 for i in range(3)]
    return best


def main():
    groups = {}
    for line in sys.stdin:
        if line.startswith("taken "):
            *numbers, name = line.split()[1:]
            dimension, nesting, block, single, rows, entries, *taken = map(int, numbers)
            groups.setdefault((dimension, nesting, block > 1, single), []).append(((entries * block ** 2, rows * block, 1e6), taken, name))
    for (dimension, nesting, vectors, single), models in sorted(groups.items()):
        fits = [fit([f for f, _, _ in models], [taken[k] for _, taken, _ in models]) for k in range(3)]
        numbers = ", ".join("{%.1f, %.0f, %.2fe6}" % tuple(x) for x in fits)
        print("    {%s},  // %d D, %s, %s, %s precision" % (numbers, dimension, NESTING[nesting], "vectors" if vectors else "scalars", "single" if single else "double"))
        for k, (moment, x) in enumerate(zip(("live", "set-up", "refresh"), fits)):
            ratios = []
            for f, taken, name in models:
                linear = x[0] * f[0] + x[1] * f[1]
                if taken[k] > 8e6:
                    ratios.append(((linear + min(linear, x[2] * 1e6)) / taken[k], name))
            if ratios:
                low, high = min(ratios), max(ratios)
                print(f"{dimension} D, {NESTING[nesting]}, {'vectors' if vectors else 'scalars'}, {single=}, {moment}: {low[0]:.2f} ({low[1]}) to {high[0]:.2f} ({high[1]})", file=sys.stderr)


if __name__ == "__main__":
    main()
