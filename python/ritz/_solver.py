"""Linear systems of SciPy solved by Ritz: smoothed aggregation with rigid motions, direct solvers, and the choice between them."""
import dataclasses

import numpy as np
import scipy.sparse as sparse
from scipy.sparse.linalg import LinearOperator

from ritz import _errors, _ritz

METHODS = ("auto", "cg", "flexible_cg", "minres", "gmres", "bicgstab", "direct")
PRECONDITIONERS = ("auto", "none", "jacobi", "chebyshev", "multigrid")
PROMISES = ("none", "symmetric", "positive_definite")


@dataclasses.dataclass(frozen=True)
class Report:
    """How a system was solved. residual: ||b - A x|| / ||b||, recomputed in double precision after the iteration."""

    method: str
    preconditioner: str
    reason: str  # why it stopped: "converged", "iteration limit", ...
    converged: bool
    iterations: int
    residual: float
    choice: str  # why this method
    fallbacks: list  # methods tried before, and why they were given up
    history: list  # relative residual of each iteration
    advice: str
    where: str

    def __str__(self):
        by = f"{self.method} with {self.preconditioner}" if self.preconditioner else self.method
        return f"{by}: {self.reason} after {self.iterations} iterations, residual {self.residual:.2g}"


def _blocks(A, coordinates, block):
    """Offsets, columns, values [block][b][b], b, coordinates: contiguous, of the types that Ritz has, copied where they are not."""
    if not sparse.issparse(A) or A.format not in ("csr", "bsr"):
        raise _errors.refuse(f"the matrix is a {type(A).__name__}", "Ritz takes scipy.sparse matrices and arrays in CSR or BSR", "convert it: A.tocsr()")
    rows, columns = A.shape
    if rows != columns:
        raise _errors.refuse(f"the matrix has {rows} rows and {columns} columns", "a system has as many equations as unknowns", "give a square matrix")
    if np.iscomplexobj(A.data):
        raise _errors.refuse("the matrix is complex", "Ritz computes with real numbers", "solve for real and imaginary parts")
    x = np.zeros((0, 0)) if coordinates is None else np.ascontiguousarray(coordinates, dtype=float)
    if x.ndim == 1:
        x = x.reshape(-1, 1)
    if coordinates is not None and (x.ndim != 2 or not 1 <= x.shape[1] <= 3 or x.shape[0] == 0 or rows % x.shape[0] != 0):
        raise _errors.refuse(f"coordinates of shape {x.shape} for {rows} unknowns", "each node has one to three coordinates and equally many unknowns",
                             "give an array of shape (nodes, dimension)")
    own = A.blocksize[0] if A.format == "bsr" and A.blocksize[0] == A.blocksize[1] else 1
    b = block or (rows // x.shape[0] if coordinates is not None else own)
    if rows % b != 0 or not 1 <= b <= 6 or (coordinates is not None and rows // b != x.shape[0]):
        raise _errors.refuse(f"blocks of {b} for {rows} unknowns", "a node has 1 to 6 unknowns, which follow each other", "give block= or coordinates= that fit")
    if A.format == "bsr" and A.blocksize != (b, b):
        A = A.tocsr()
    if A.format == "csr" and b > 1:
        A = A.tobsr((b, b))
    if not A.has_canonical_format:
        A = A.copy()
        A.sum_duplicates()
    values = np.ascontiguousarray(A.data, dtype=float).reshape(-1, b, b)
    return np.ascontiguousarray(A.indptr, np.int64), np.ascontiguousarray(A.indices, np.int32), values, b, x


def _vector(b, rows, name):
    v = np.ascontiguousarray(b, dtype=float)
    if v.shape != (rows,):
        raise _errors.refuse(f"{name} has the shape {v.shape} for {rows} unknowns", "", f"give an array of shape ({rows},)")
    return v


class Matrix:
    """A square matrix in Ritz's memory, with the solver that was made for it: a factor or a hierarchy serves every right-hand side.

    A: scipy.sparse CSR or BSR, real. Its values are copied once; SciPy's 32-bit row offsets become 64-bit ones.
    coordinates: (nodes, dimension); multigrid takes the rigid motions from them where a node has as many unknowns as dimensions.
    block: unknowns of a node, which follow each other; else unknowns / nodes, or the blocks of a BSR matrix.
    device: "auto", "cpu", "gpu"; threads: 0 takes all."""

    def __init__(self, A, coordinates=None, *, block=None, device="auto", threads=0):
        offsets, columns, values, self.block, x = _blocks(A, coordinates, block)
        self.shape = A.shape
        self._pattern = (offsets, columns)
        self._coordinates = x if coordinates is not None else None
        self._matrix = _ritz.Matrix(offsets, columns, values, self.block, x, x.shape[1], device, threads)

    @property
    def data(self):
        """Values (blocks, b, b): a view of Ritz's memory on a CPU, no copy; None on a GPU. After a change call update()."""
        return self._matrix.values

    @property
    def device(self):
        return self._matrix.device

    def update(self, A=None):
        """Takes over the values of a matrix with the same pattern, or what was written into `data`. Analyses and aggregates serve on."""
        if A is None:
            if self.data is None:
                raise _errors.refuse("no matrix to update from", "values on a GPU have no view", "give the matrix with the new values")
            self._matrix.set_values(np.array(self.data))
            return
        offsets, columns, values, b, _ = _blocks(A, self._coordinates, self.block)
        if b != self.block or any(not np.array_equal(a, c) for a, c in zip((offsets, columns), self._pattern)):
            raise _errors.refuse("the new values stand at other places", "aggregates and analyses are of one pattern", "make a new Matrix")
        self._matrix.set_values(values)

    def __matmul__(self, x):
        return self._matrix.apply(_vector(x, self.shape[0], "the vector"))

    def solve(self, b, *, start=None, tolerance=1e-8, method="auto", preconditioner="auto", max_iterations=20000, promise="none"):
        """x, report of A x = b; b: (unknowns,) or (unknowns, columns), which then have a report each.

        tolerance: of ||b - A x|| / ||b||, met by the residual recomputed in double precision, or NotConverged is raised.
        promise: "none", "symmetric", or "positive_definite", which is taken at its word. start: initial guess.
        x is Ritz's memory, not a copy, on a CPU."""
        for name, value, names in (("method", method, METHODS), ("preconditioner", preconditioner, PRECONDITIONERS), ("promise", promise, PROMISES)):
            if value not in names:
                raise _errors.refuse(f"{name}={value!r}", "", "one of " + ", ".join(map(repr, names)))
        if not 0 < tolerance < 1:
            raise _errors.refuse(f"tolerance={tolerance!r}", "it is relative to the right-hand side", "give a number between 0 and 1")
        b = np.asarray(b, dtype=float)
        if b.ndim == 2:
            if start is not None:
                raise _errors.refuse("a start for several right-hand sides", "each has a solution of its own", "omit it, or solve them one by one")
            columns = [self.solve(b[:, j], tolerance=tolerance, method=method, preconditioner=preconditioner, max_iterations=max_iterations, promise=promise)
                       for j in range(b.shape[1])]
            return np.stack([x for x, _ in columns], axis=1) if columns else np.zeros_like(b), [report for _, report in columns]
        b = _vector(b, self.shape[0], "the right-hand side")
        x0 = np.zeros_like(b) if start is None else _vector(start, self.shape[0], "the start")
        x, facts = self._matrix.solve(b, x0, method, preconditioner, tolerance, max_iterations, promise)
        report = Report(**facts)
        if not report.converged:
            error = _errors.make(5, "not-converged", f"the linear solver did not converge: {report}", report.where, report.advice)
            error.report = report
            raise error
        return x, report


def solve(A, b, coordinates=None, *, block=None, device="auto", threads=0, **options):
    """x, report of A x = b. Arguments: those of Matrix and of Matrix.solve.

        x, report = ritz.solve(K, f, coordinates=points, promise="positive_definite")
    """
    return Matrix(A, coordinates, block=block, device=device, threads=threads).solve(b, **options)


class Multigrid(LinearOperator):
    """One V-cycle of smoothed aggregation, symmetric and positive definite as A is: a preconditioner for SciPy's methods."""

    def __init__(self, matrix):
        self._owner = matrix
        self._cycle = _ritz.Multigrid(matrix._matrix)
        super().__init__(float, matrix.shape)

    def _matvec(self, b):
        return self._cycle.apply(np.ascontiguousarray(b, dtype=float).reshape(-1))

    _rmatvec = _matvec

    def update(self, A=None):
        """Follows new values of the matrix on the same pattern: aggregates stay."""
        self._owner.update(A)
        self._cycle.refresh()

    @property
    def levels(self):
        """[(unknowns, nonzeros)], the finest first."""
        return self._cycle.levels

    @property
    def operator_complexity(self):
        """Nonzeros of all levels over those of the matrix."""
        return self._cycle.operator_complexity


def multigrid(A, coordinates=None, *, block=None, device="auto", threads=0):
    """A preconditioner for scipy.sparse.linalg: cg(A, b, M=ritz.multigrid(A, coordinates=x)).

    A must be symmetric and positive definite. Near-null space: rigid motions where a node has as many unknowns as coordinates,
    else constants of each component."""
    matrix = A if isinstance(A, Matrix) else Matrix(A, coordinates, block=block, device=device, threads=threads)
    return Multigrid(matrix)
