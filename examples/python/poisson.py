"""Ritz's solver for a matrix of SciPy: -laplace(u) = 1 on the unit square, zero around it, by finite differences.

Prints the largest u: 0.0736714 (Timoshenko and Goodier), from below on a grid.
"""
import numpy as np
import ritz
import scipy.sparse as sparse

n = 255  # points of a line inside the square
h = 1 / (n + 1)
line = sparse.diags([-1, 2, -1], [-1, 0, 1], shape=(n, n)) / h**2
A = (sparse.kron(line, sparse.identity(n)) + sparse.kron(sparse.identity(n), line)).tocsr()
x = np.stack(np.meshgrid(*[h * np.arange(1, n + 1)] * 2, indexing="ij"), -1).reshape(-1, 2)

u, report = ritz.solve(A, np.ones(n * n), coordinates=x, promise="positive_definite")
print(report)
print(f"{u.max():.7f}")
