#!/usr/bin/env python3
"""Times ritz.multigrid and ritz.solve against pyamg on a cantilever that scikit-fem assembles: elasticity of hexahedra, 4 x 1 x 1.

    pip install pyamg scikit-fem;  PYTHONPATH=build/python tools/python_against_pyamg.py [cells along the width, 18] [rounds, 5]

Both have the six rigid motions as near-null space, and SciPy's conjugate gradients to 1e-8. One thread; seconds of processor time, the
median of the rounds, which take turns.
"""
import os
import statistics
import sys
import time
import warnings

os.environ.setdefault("OMP_NUM_THREADS", "1")
import numpy as np
import pyamg
import ritz
import scipy
import scipy.sparse as sparse
import scipy.sparse.linalg as linalg
import skfem
from skfem.models.elasticity import lame_parameters, linear_elasticity

warnings.filterwarnings("ignore")
RTOL = {"rtol" if tuple(map(int, scipy.__version__.split(".")[:2])) >= (1, 12) else "tol": 1e-8}


def cantilever(n):
    """K, f, node positions, rigid motions; clamped unknowns have a diagonal entry alone."""
    mesh = skfem.MeshHex.init_tensor(np.linspace(0, 4, 4 * n + 1), np.linspace(0, 1, n + 1), np.linspace(0, 1, n + 1))
    basis = skfem.Basis(mesh, skfem.ElementVector(skfem.ElementHex1()), intorder=2)
    K = linear_elasticity(*lame_parameters(1e3, 0.3)).assemble(basis)
    f = skfem.LinearForm(lambda v, w: -v[2]).assemble(basis)
    held = basis.get_dofs(lambda x: x[0] == 0).all()
    keep = np.ones(K.shape[0])
    keep[held] = 0
    A = sparse.csr_matrix(sparse.diags(keep) @ K @ sparse.diags(keep) + sparse.diags((1 - keep) * K.diagonal().mean()))
    A.eliminate_zeros()
    A.sort_indices()
    x = mesh.p.T
    c = x - x.mean(0)
    B = np.zeros((K.shape[0], 6))
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        B[i::3, i] = 1
        B[k::3, 3 + i], B[j::3, 3 + i] = c[:, j], -c[:, k]
    B[held] = 0
    return A, f * keep, np.ascontiguousarray(x), B


def with_scipy(make, A, b):
    """Seconds of the set-up and of the iteration, iterations, residual."""
    count = [0]
    begin = time.process_time()
    M = make()
    set_up = time.process_time()
    x, info = linalg.cg(A, b, M=M, callback=lambda _: count.__setitem__(0, count[0] + 1), **RTOL)
    assert info == 0
    return set_up - begin, time.process_time() - set_up, count[0], np.linalg.norm(b - A @ x) / np.linalg.norm(b)


def by_ritz(A, b, x):
    begin = time.process_time()
    u, report = ritz.solve(A, b, x, promise="positive_definite", threads=1)
    return time.process_time() - begin, 0.0, report.iterations, np.linalg.norm(b - A @ u) / np.linalg.norm(b)


def main(n=18, rounds=5):
    A, b, x, B = cantilever(n)
    blocks = A.tobsr((3, 3))
    blocks.sort_indices()
    ways = {"ritz.multigrid, SciPy's cg": lambda: with_scipy(lambda: ritz.multigrid(blocks, x, threads=1), A, b),
            "pyamg, SciPy's cg": lambda: with_scipy(lambda: pyamg.smoothed_aggregation_solver(
                blocks, B=B, strength=("symmetric", {"theta": 0.0}), improve_candidates=None).aspreconditioner(), A, b),
            "ritz.solve": lambda: by_ritz(blocks, b, x)}
    times = {name: [] for name in ways}
    for _ in range(rounds):
        for name, way in ways.items():
            times[name].append(way())
    print(f"{A.shape[0]} unknowns, {A.nnz} nonzeros, pyamg {pyamg.__version__}, SciPy {scipy.__version__}")
    print("| | set-up [s] | iteration [s] | together | iterations | residual |\n|---|---|---|---|---|---|")
    for name, rows in times.items():
        set_up, iteration = (statistics.median(row[i] for row in rows) for i in (0, 1))
        together = statistics.median(row[0] + row[1] for row in rows)
        print(f"| {name} | {set_up:.2f} | {iteration:.2f} | {together:.2f} | {rows[0][2]} | {rows[0][3]:.1e} |")


main(*map(int, sys.argv[1:]))
