"""Linear systems of SciPy solved by Ritz: smoothed aggregation with rigid motions, direct solvers, and the choice between them."""
from __future__ import annotations

import dataclasses
import importlib
from typing import Any

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


def _borrowed(values):
    """Arrays of other libraries as NumPy's, by DLPack and without a copy; those in the memory of a GPU are copied."""
    values = _errors.on_host(values, "an array")
    if isinstance(values, np.ndarray) or not hasattr(values, "__dlpack__"):
        return np.asarray(values)
    if values.__dlpack_device__()[0] != 1:
        raise _errors.refuse("an array that is not in the memory of the CPU", "Ritz's results in Python are on the CPU", "move it there first")
    return np.from_dlpack(values.detach() if hasattr(values, "detach") else values)  # PyTorch gives no tensor with a gradient


def _numpy(values):
    return _errors.real(values if np.ma.is_masked(values) else _borrowed(values), "an array")


def _scipy(A):
    """A sparse matrix of PyTorch, JAX or another library in CSR or BSR as SciPy's, over its values."""
    if sparse.issparse(A):
        return A
    if hasattr(A, "crow_indices"):  # PyTorch
        A = A.detach()
        parts = (A.values(), A.col_indices(), A.crow_indices())
    elif all(hasattr(A, name) for name in ("data", "indices", "indptr", "shape")):
        parts = (A.data, A.indices, A.indptr)
    else:
        raise _errors.refuse(f"the matrix is a {type(A).__name__}", "Ritz takes matrices in CSR or BSR of scipy.sparse, and of libraries with DLPack", "convert it: A.tocsr()")
    data, *pattern = map(_borrowed, parts)
    return (sparse.csr_matrix if data.ndim == 1 else sparse.bsr_matrix)((data, *pattern), shape=tuple(A.shape))


def _as_given(values, given):
    """The result as an array of the library whose array was given: by its from_dlpack, without a copy, or where it was on a GPU, there."""
    if _errors.is_on_gpu(given):
        library = importlib.import_module(type(given).__module__.split(".")[0])
        if not hasattr(library, "asarray"):
            return values
        result = library.asarray(values)
        return result.to(given.device) if hasattr(result, "to") else result
    if isinstance(given, np.ndarray) or not hasattr(given, "__dlpack__"):
        return values
    if hasattr(given, "__array_namespace__"):
        return given.__array_namespace__().from_dlpack(values)
    name = type(given).__module__.split(".")[0]
    library = importlib.import_module("jax.numpy" if name == "jaxlib" else name)
    return library.from_dlpack(values) if hasattr(library, "from_dlpack") else values


def _check_places(A):
    """Refuses a matrix whose index arrays were spoilt: SciPy's own routines would read beyond them."""
    rows, columns = (size // per_block for size, per_block in zip(A.shape, A.blocksize if A.format == "bsr" else (1, 1)))
    if len(A.indptr) != rows + 1 or A.indptr[0] != 0 or (np.diff(A.indptr) < 0).any() or A.indptr[-1] > min(len(A.indices), len(A.data)):
        raise _errors.refuse("the row offsets (indptr) of the matrix are not those of a matrix", "they rise from 0 to the number of entries, one more than rows",
                             "make the matrix again, from its entries")
    used = A.indices[: A.indptr[-1]]
    if len(used) and (used.min() < 0 or used.max() >= columns):
        raise _errors.refuse(f"the matrix has entries in columns from {used.min()} to {used.max()}", f"there are {columns}, from 0", "make the matrix again, from its entries")


def _sound(A):
    """SciPy's matrix, in CSR or BSR, whose arrays SciPy's routines may read."""
    A = _scipy(A)
    if A.format not in ("csr", "bsr"):
        raise _errors.refuse(f"the matrix is a {type(A).__name__}", "Ritz takes scipy.sparse matrices and arrays in CSR or BSR", "convert it: A.tocsr()")
    _check_places(A)
    return A


def _blocks(A, coordinates, block):
    """Offsets, columns, values [block][b][b], b, coordinates: contiguous, of the types that Ritz has, copied where they are not."""
    A = _sound(A)
    rows, columns = A.shape
    if rows != columns:
        raise _errors.refuse(f"the matrix has {rows} rows and {columns} columns", "a system has as many equations as unknowns", "give a square matrix")
    if np.iscomplexobj(A.data):
        raise _errors.refuse("the matrix is complex", "Ritz computes with real numbers", "solve for real and imaginary parts")
    x = np.zeros((0, 0)) if coordinates is None else _errors.real(coordinates, "coordinates")
    if x.ndim == 1:
        x = x.reshape(-1, 1)
    if coordinates is not None and (x.ndim != 2 or not 1 <= x.shape[1] <= 3 or x.shape[0] == 0 or rows % x.shape[0] != 0):
        raise _errors.refuse(f"coordinates of shape {x.shape} for {rows} unknowns", "each node has one to three coordinates and equally many unknowns",
                             "give an array of shape (nodes, dimension)")
    if not np.isfinite(x).all():
        raise _errors.refuse(f"the coordinates of node {np.argwhere(~np.isfinite(x))[0, 0]} are not finite", "", "give a place to each node")
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
    v = _errors.real(b, name)
    if v.shape != (rows,):
        raise _errors.refuse(f"{name} has the shape {v.shape} for {rows} unknowns", "", f"give an array of shape ({rows},)")
    return v


def _near_null(B, rows, block, coordinates):
    if B is None:
        return np.zeros((0, 0))
    B = np.array(_errors.real(B, "near_null"))
    if B.ndim == 1:
        B = B.reshape(-1, 1)
    if B.ndim != 2 or B.shape[0] != rows or B.shape[1] not in {block, {2: 3, 3: 6}.get(block, block)}:
        raise _errors.refuse(f"near_null of shape {B.shape} for {rows} unknowns in blocks of {block}",
                             "multigrid takes as many vectors as a node has unknowns, or 3 for 2 of them, 6 for 3", "give that many, or other blocks")
    largest = np.abs(B).max(0)
    if not np.isfinite(largest).all() or (largest == 0).any():
        raise _errors.refuse("near_null has a column that is zero or not finite", "", "give vectors that A maps nearly to zero")
    return B / largest


class Matrix:
    """A square matrix in Ritz's memory, with the solver that was made for it: a factor or a hierarchy serves every right-hand side.

    A: CSR or BSR, real, of scipy.sparse or of a library with DLPack, such as PyTorch's on the CPU. SciPy's 32-bit row offsets become 64-bit ones.
    copy: False takes the values of A as they are, where they are contiguous 64-bit numbers in blocks of a node: `data` is then a view that cannot
    be written, A stays in memory, and after a change of A.data call update(). What moves values of A in place is noticed, and an error.
    coordinates: (nodes, dimension); multigrid takes the rigid motions from them where a node has as many unknowns as dimensions.
    block: unknowns of a node, which follow each other; else unknowns / nodes, or the blocks of a BSR matrix.
    near_null: (unknowns, k), in place of rigid motions: vectors that A maps nearly to zero. k: unknowns of a node; or 3 for 2, 6 for 3, translations first.
    device: "auto", "cpu", "gpu"; threads: 0 takes all."""

    def __init__(self, A, coordinates=None, *, near_null=None, block: int | None = None, device: str = "auto", threads: int = 0, copy: bool = True):
        A = _scipy(A)
        offsets, columns, values, self.block, x = _blocks(A, coordinates, block)
        B = _near_null(near_null, A.shape[0], self.block, x)
        self.shape: tuple[int, int] = A.shape
        self._stands_on(None if copy else A, values)
        self._pattern = (offsets.copy(), columns.copy())  # SciPy changes its own in place
        self._coordinates = x if coordinates is not None else None
        self._matrix = _ritz.Matrix(offsets, columns, values, not copy and values.flags.aligned, self.block, x, x.shape[1], B, B.shape[1], device, threads)

    def _stands_on(self, A, values):
        self._given = (A, A.data, A.indices) if A is not None and np.may_share_memory(values, A.data) else None

    def _checked(self):
        """The matrix of Ritz. Sorting, pruning and the like give SciPy's matrix new arrays after they have moved entries."""
        if self._given is not None:
            A, data, indices = self._given
            if A.data is not data or A.indices is not indices:
                raise _errors.refuse("the matrix was rearranged in place, or got other arrays", "with copy=False Ritz's matrix stands on its values",
                                     "make a new Matrix, or one with copy=True")
        return self._matrix

    def to_scipy(self):
        """SciPy's CSR, or BSR of several unknowns a node, over Ritz's values: no copy. What is written into its data counts after update().
        The indices are copies. What moves values in place, such as eliminate_zeros(), moves Ritz's, too: take a copy() for that."""
        if self.data is None:
            raise _errors.refuse("a matrix on a GPU as SciPy's", "its values are not in the memory of the CPU", "keep the matrix that it was made of")
        offsets, columns = (each.copy() for each in self._pattern)
        if self.block == 1:
            return sparse.csr_matrix((self.data.reshape(-1), columns, offsets), shape=self.shape)
        return sparse.bsr_matrix((self.data, columns, offsets), shape=self.shape)

    @property
    def data(self):
        """Values (blocks, b, b): a view of Ritz's memory, or with copy=False of A's, on a CPU, no copy; None on a GPU. After a change call update()."""
        return self._matrix.values

    @property
    def device(self):
        return self._matrix.device

    def update(self, A=None):
        """Takes over the values of a matrix with the same pattern, or what was written into `data`. Analyses and aggregates serve on."""
        if A is None:
            if self.data is None:
                raise _errors.refuse("no matrix to update from", "values on a GPU have no view", "give the matrix with the new values")
            self._checked().values_changed()
            return
        A = _scipy(A)
        offsets, columns, values, b, _ = _blocks(A, self._coordinates, self.block)
        if b != self.block or any(not np.array_equal(a, c) for a, c in zip((offsets, columns), self._pattern)):
            raise _errors.refuse("the new values stand at other places", "aggregates and analyses are of one pattern", "make a new Matrix")
        self._matrix.set_values(values, values.flags.aligned)
        self._stands_on(A if self._matrix.shares else None, values)

    def __matmul__(self, x):
        return self._checked().apply(_vector(x, self.shape[0], "the vector"))

    def solve(self, b, *, start=None, tolerance: float = 1e-8, method: str = "auto", preconditioner: str = "auto", max_iterations: int = 20000,
              promise: str = "none", progress=None) -> tuple[Any, Any]:
        """x, report of A x = b; b: (unknowns,) or (unknowns, columns), which are solved together and have a report each.

        tolerance: of ||b - A x|| / ||b||, met by the residual recomputed in double precision, or NotConverged is raised.
        promise: "none", "symmetric", or "positive_definite", which is taken at its word. start: initial guess.
        progress: called with a text, ten times a second at most. x is Ritz's memory, not a copy, on a CPU, as an array of b's library:
        b may be any array on the CPU with DLPack, such as a tensor of PyTorch."""
        for name, value, names in (("method", method, METHODS), ("preconditioner", preconditioner, PRECONDITIONERS), ("promise", promise, PROMISES)):
            if value not in names:
                raise _errors.refuse(f"{name}={value!r}", "", "one of " + ", ".join(map(repr, names)))
        if not 0 < tolerance < 1:
            raise _errors.refuse(f"tolerance={tolerance!r}", "it is relative to the right-hand side", "give a number between 0 and 1")
        if not isinstance(max_iterations, (int, np.integer)) or max_iterations < 1:
            raise _errors.refuse(f"max_iterations={max_iterations!r}", "", "give a whole number, 1 at least")
        given, b = b, _numpy(b)
        options = (method, preconditioner, tolerance, max_iterations, promise, progress)
        if b.ndim == 2:
            if start is not None:
                raise _errors.refuse("a start for several right-hand sides", "each has a solution of its own", "omit it, or solve them one by one")
            if b.shape[0] != self.shape[0]:
                raise _errors.refuse(f"right-hand sides of shape {b.shape} for {self.shape[0]} unknowns", "", f"give an array of shape ({self.shape[0]}, columns)")
            if b.shape[1] == 0:
                return np.zeros_like(b), []
            X, facts = self._checked().solve_columns(np.ascontiguousarray(b.T), *options)
            return _as_given(X.T, given), [self._judged(each, f" of right-hand side {j}") for j, each in enumerate(facts)]
        b = _vector(b, self.shape[0], "the right-hand side")
        x0 = np.zeros_like(b) if start is None else _vector(_numpy(start), self.shape[0], "the start")
        x, facts = self._checked().solve(b, x0, *options)
        return _as_given(x, given), self._judged(facts, "")

    @staticmethod
    def _judged(facts, which) -> Report:
        report = Report(**facts)
        if not report.converged:
            error = _errors.make(5, "not-converged", f"the linear solver did not converge{which}: {report}", report.where, report.advice)
            error.report = report
            raise error
        return report


def solve(A, b, coordinates=None, *, near_null=None, block: int | None = None, device: str = "auto", threads: int = 0, **options) -> tuple[Any, Any]:
    """x, report of A x = b. Arguments: those of Matrix and of Matrix.solve; A is not copied.

        x, report = ritz.solve(K, f, coordinates=points, promise="positive_definite")
    """
    return Matrix(A, coordinates, near_null=near_null, block=block, device=device, threads=threads, copy=False).solve(b, **options)


def _on_one_pattern(K, M):
    """Offsets, columns, and the values of both on the union of their patterns, with all diagonal blocks."""
    parts = [(np.repeat(np.arange(len(offsets) - 1), np.diff(offsets)), columns, values) for offsets, columns, values in (K, M)]
    n, b = len(K[0]) - 1, K[2].shape[1]
    places = [rows.astype(np.int64) * n + columns for rows, columns, _ in parts]
    union = np.unique(np.concatenate([*places, np.arange(n, dtype=np.int64) * (n + 1)]))
    spread = []
    for at, (_, _, values) in zip(places, parts):
        full = np.zeros((len(union), b, b))
        full[np.searchsorted(union, at)] = values
        spread.append(full)
    offsets = np.searchsorted(union, np.arange(n + 1, dtype=np.int64) * n).astype(np.int64)
    return offsets, (union % n).astype(np.int32), *spread


def _refuse_unsymmetric(tolerance, **matrices):
    """Less than a tenth of the tolerance is rounding, as of matrices that were made in single precision."""
    for name, A in matrices.items():
        A = A.tocsr()
        apart, size = abs(A - A.T).max(), abs(A).max()
        if apart > 0.1 * tolerance * size:
            raise _errors.refuse(f"{name} is not symmetric: entries differ from those across the diagonal by up to {apart:g}, of {size:g}",
                                 "the methods are those of symmetric matrices", "give a symmetric matrix, or take scipy.sparse.linalg.eigs")


def eigs(K, M=None, k: int = 6, *, coordinates=None, near_null=None, block: int | None = None, band: tuple[float, float] | None = None,
         tolerance: float = 1e-6, method: str = "auto", zeros: int = 0, device: str = "auto", threads: int = 0,
         progress=None) -> tuple[np.ndarray, np.ndarray, dict]:
    """values, vectors, report of K x = value M x: the k lowest eigenvalues, or all in a band (low, high).

    K: symmetric and positive semidefinite, M: symmetric and positive definite, or positive semidefinite with prescribed unknowns empty;
    not given: the identity. CSR or BSR. vectors: (unknowns, k), vectors.T @ M @ vectors = 1. zeros: eigenvalues known to be zero, such as
    the rigid motions of a free body: K is then singular.
    method: "lanczos" factorises, and counts by inertia, so that none is missed (report["verified"]); "lobpcg" iterates with multigrid,
    for which coordinates or near_null matter; "auto" chooses by size. Raises NotConverged."""
    if method not in ("auto", "lanczos", "lobpcg"):
        raise _errors.refuse(f"method={method!r}", "", "one of 'auto', 'lanczos', 'lobpcg'")
    K = _sound(K)
    M = sparse.identity(K.shape[0], format="csr") if M is None else _sound(M)
    if K.shape != M.shape:
        raise _errors.refuse(f"K of shape {K.shape} and M of shape {M.shape}", "", "give matrices of one size")
    *first, b, x = _blocks(K, coordinates, block)
    _refuse_unsymmetric(tolerance, K=K, M=M)
    *second, _, _ = _blocks(M if b == 1 or M.format != "bsr" or M.blocksize == (b, b) else M.tocsr(), coordinates, b)
    B = _near_null(near_null, K.shape[0], b, x)
    offsets, columns, stiffness, mass = _on_one_pattern(first, second)
    left = _ritz.Matrix(offsets, columns, stiffness, True, b, x, x.shape[1], B, B.shape[1], device, threads)
    values, vectors, report = _ritz.eigs(left, _ritz.Matrix(left, mass), k, band, tolerance, method, zeros, progress)
    if not report["converged"]:
        error = _errors.make(5, "not-converged", f"{report['method']} did not converge: {report['reason']} after {report['iterations']} iterations",
                             report["verification"], "allow a larger tolerance, ask for fewer eigenvalues, or take method='lanczos'")
        error.report = report
        raise error
    return np.array(values), vectors.T, report


class Multigrid(LinearOperator):
    """One V-cycle of smoothed aggregation, symmetric and positive definite as A is: a preconditioner for SciPy's methods."""

    def __init__(self, matrix):
        self._owner = matrix
        self._cycle = _ritz.Multigrid(matrix._matrix)
        super().__init__(float, matrix.shape)

    def _matvec(self, b):
        self._owner._checked()
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


def multigrid(A, coordinates=None, *, near_null=None, block: int | None = None, device: str = "auto", threads: int = 0) -> Multigrid:
    """A preconditioner for scipy.sparse.linalg: cg(A, b, M=ritz.multigrid(A, coordinates=x)).

    A must be symmetric and positive definite. Near-null space: near_null (unknowns, k) as in Matrix; else rigid motions where a node has as
    many unknowns as coordinates, else constants of each component. The values of A are not copied: A must keep them while the preconditioner is used."""
    matrix = A if isinstance(A, Matrix) else Matrix(A, coordinates, near_null=near_null, block=block, device=device, threads=threads, copy=False)
    return Multigrid(matrix)
