"""ritz.solve, ritz.multigrid and ritz.Matrix against SciPy."""
import ast
import importlib.util
import os
import pathlib
import signal
import subprocess
import sys
import threading
import time
import types
import unittest
import unittest.mock

import numpy as np
import scipy.sparse as sparse
import scipy.sparse.linalg as linalg

import ritz


def laplacian(n, dimension=3):
    """-u'' on a grid of n^dimension points, zero around it, and the points."""
    line, one = sparse.diags([-1, 2, -1], [-1, 0, 1], shape=(n, n)), sparse.identity(n)
    A = line
    for _ in range(dimension - 1):
        A = sparse.kron(A, one) + sparse.kron(sparse.identity(A.shape[0]), line)
    return A.tocsr(), np.stack(np.meshgrid(*[np.arange(n, dtype=float)] * dimension, indexing="ij"), -1).reshape(-1, dimension)


def springs(n):
    """Nodes of a cube of n^3, each joined to its 26 neighbours by springs; one side is held. Three unknowns a node: elasticity."""
    x = np.stack(np.meshgrid(*[np.arange(n, dtype=float)] * 3, indexing="ij"), -1).reshape(-1, 3)
    number = np.arange(n**3).reshape(n, n, n)
    component = np.arange(3)
    triplets = []
    for step in [(a, b, c) for a in (0, 1) for b in (-1, 0, 1) for c in (-1, 0, 1) if (a, b, c) > (0, 0, 0)]:
        near = number[tuple(slice(max(0, -s), n - max(0, s)) for s in step)].ravel()
        far = number[tuple(slice(max(0, s), n + min(0, s)) for s in step)].ravel()
        along = np.array(step) / np.linalg.norm(step)
        k = np.outer(along, along)
        for p, q, sign in ((near, near, 1), (far, far, 1), (near, far, -1), (far, near, -1)):
            shape = (len(p), 3, 3)
            triplets.append([np.broadcast_to(each, shape).ravel() for each in
                             (sign * k, 3 * p[:, None, None] + component[:, None], 3 * q[:, None, None] + component[None, :])])
    values, rows, columns = (np.concatenate(each) for each in zip(*triplets))
    A = sparse.csr_matrix((values, (rows, columns)))
    free = sparse.diags(np.repeat(x[:, 0] > 0, 3).astype(float))
    return (free @ A @ free + sparse.identity(3 * n**3) - free).tocsr(), x


class Solve(unittest.TestCase):
    A, x = laplacian(20)
    b = np.linspace(0, 1, 8000)

    def test_every_method_meets_the_tolerance(self):
        exact = linalg.spsolve(self.A.tocsc(), self.b)
        for method in ("auto", "cg", "flexible_cg", "minres", "gmres", "bicgstab", "direct"):
            x, report = ritz.solve(self.A, self.b, self.x, method=method, tolerance=1e-10)
            self.assertLess(np.linalg.norm(self.b - self.A @ x), 2e-10 * np.linalg.norm(self.b), method)
            self.assertLess(np.linalg.norm(x - exact), 1e-8 * np.linalg.norm(exact), method)
            self.assertTrue(report.converged and report.residual <= 1e-10, report)

    def test_blocks_and_rows_are_one_matrix(self):
        A, points = springs(6)
        b = np.sin(np.arange(A.shape[0]))
        exact = linalg.spsolve(A.tocsc(), b)
        for matrix in (A, A.tobsr((3, 3)), A.tobsr((1, 1)), sparse.csr_array(A)):
            x, _ = ritz.solve(matrix, b, points, tolerance=1e-11, promise="positive_definite")
            self.assertLess(np.linalg.norm(x - exact), 1e-8 * np.linalg.norm(exact))
        self.assertEqual(ritz.Matrix(A, points).block, 3)
        self.assertEqual(ritz.Matrix(A.tobsr((3, 3))).block, 3)
        self.assertEqual(ritz.Matrix(A).block, 1)

    def test_entries_that_stand_twice_or_in_disorder_are_summed_and_sorted(self):
        A = sparse.csr_matrix((np.array([1.0, 3, 1, 4]), np.array([1, 0, 0, 1]), np.array([0, 3, 4])), shape=(2, 2))  # (0,0): 4
        x, _ = ritz.solve(A, [5.0, 8])
        self.assertTrue(np.allclose(x, [0.75, 2]))
        self.assertEqual(A.nnz, 4)  # the caller's matrix is left alone

    def test_an_unsymmetric_matrix_and_several_right_hand_sides(self):
        A = (sparse.random(200, 200, 0.05, random_state=3) + 10 * sparse.identity(200)).tocsr()
        B = np.stack([np.ones(200), np.arange(200.0)], 1)
        X, reports = ritz.solve(A, B)
        self.assertLess(np.linalg.norm(A @ X - B), 1e-7 * np.linalg.norm(B))
        self.assertEqual(len(reports), 2)

    def test_a_solver_serves_further_right_hand_sides_and_values(self):
        M = ritz.Matrix(self.A, self.x)
        x, _ = M.solve(self.b)
        M.update(2 * self.A)
        y, _ = M.solve(self.b)
        self.assertLess(np.linalg.norm(x - 2 * y), 1e-6 * np.linalg.norm(x))
        M.data[:] *= 2
        M.update()
        z, _ = M.solve(self.b, start=y / 2)
        self.assertLess(np.linalg.norm(y - 2 * z), 1e-6 * np.linalg.norm(y))
        self.assertLess(np.linalg.norm(M @ self.b - 4 * (self.A @ self.b)), 1e-12 * np.linalg.norm(self.A @ self.b))
        with self.assertRaises(ritz.InputError):
            M.update(self.A[:400, :400])

    def test_values_and_solutions_are_no_copies(self):
        M = ritz.Matrix(self.A, self.x)
        address = M.data.__array_interface__["data"][0]
        self.assertEqual(M.data.__array_interface__["data"][0], address)
        view = M.data
        view[0, 0, 0] = 17.0
        self.assertEqual(M.data[0, 0, 0], 17.0)
        x, _ = ritz.solve(self.A, self.b, self.x)
        self.assertFalse(x.flags.owndata)
        self.assertTrue(x.flags.writeable)
        del M
        self.assertEqual(view[0, 0, 0], 17.0)  # the view keeps the matrix

    def test_a_matrix_may_stand_on_the_values_of_scipy(self):
        for A, x in ((self.A.copy(), self.x), (springs(6)[0].tobsr((3, 3)), springs(6)[1])):
            A.sum_duplicates()  # and sorts: SciPy's sums need not be
            before, b = A.data.copy(), np.sin(np.arange(A.shape[0]))
            M = ritz.Matrix(A, x, copy=False)
            self.assertEqual(M.data.__array_interface__["data"][0], A.data.__array_interface__["data"][0])
            self.assertFalse(M.data.flags.writeable)
            exact = linalg.spsolve(A.tocsc(), b)
            y, _ = M.solve(b, tolerance=1e-11)
            self.assertLess(np.linalg.norm(y - exact), 1e-8 * np.linalg.norm(exact))
            second = ritz.Matrix(A, x, copy=False)  # two on the same values, the first goes before
            A.data *= 2
            M.update()
            self.assertLess(np.linalg.norm(M.solve(b, tolerance=1e-11)[0] - exact / 2), 1e-8 * np.linalg.norm(exact))
            del M
            B = A.copy()
            B.data *= 2
            second.update(B)  # stands on B's from now on
            self.assertEqual(second.data.__array_interface__["data"][0], B.data.__array_interface__["data"][0])
            self.assertLess(np.linalg.norm(second.solve(b, tolerance=1e-11)[0] - exact / 4), 1e-8 * np.linalg.norm(exact))
            self.assertTrue(np.array_equal(A.data, 2 * before))

    def test_values_of_another_type_are_converted(self):
        single = self.A.astype(np.float32)
        M = ritz.Matrix(single, self.x, copy=False)
        self.assertNotEqual(M.data.__array_interface__["data"][0], single.data.__array_interface__["data"][0])
        self.assertLess(np.linalg.norm(M @ self.b - self.A @ self.b), 1e-6 * np.linalg.norm(self.b))

    def test_a_matrix_that_was_rearranged_under_ritz_is_refused(self):
        A = self.A.copy()
        A.data[A.indices > 100] = 0
        M, cycle = ritz.Matrix(A, copy=False), ritz.multigrid(A + sparse.identity(8000))
        A.eliminate_zeros()
        for use in (lambda: M @ self.b, lambda: M.solve(self.b), M.update):
            with self.assertRaises(ritz.InputError) as raised:
                use()
            self.assertIn("rearranged", str(raised.exception))
        cycle @ self.b  # stands on a matrix that nobody else has

    def test_matrices_of_other_libraries_are_taken_by_dlpack(self):
        class Tensor:
            def __init__(self, values):
                self.values = values

            def __dlpack__(self, **how):
                return self.values.__dlpack__(**how)

            def __dlpack_device__(self):
                return self.values.__dlpack_device__()

        class Torch:  # as torch.sparse_csr and torch.sparse_bsr are seen
            def __init__(self, A):
                self.A, self.shape = A, A.shape
                self.values, self.col_indices, self.crow_indices = (lambda each=each: Tensor(each) for each in (A.data, A.indices.astype(np.int64), A.indptr.astype(np.int64)))

            def detach(self):
                return self

        class Jax:  # as jax.experimental.sparse.BCSR is seen
            def __init__(self, A):
                self.shape, self.data, self.indices, self.indptr = A.shape, Tensor(A.data), Tensor(A.indices), Tensor(A.indptr)

        A, x = springs(5)
        blocks = A.tobsr((3, 3))
        blocks.sum_duplicates()
        b = np.cos(np.arange(A.shape[0]))
        expected = ritz.solve(blocks, b, x)[0]
        for given in (blocks, A):
            for make in (Torch, Jax):
                M = ritz.Matrix(make(given), x, copy=False)
                if given.format == "bsr":
                    self.assertEqual(M.data.__array_interface__["data"][0], given.data.__array_interface__["data"][0])
                self.assertTrue(np.array_equal(M.solve(b)[0], expected))
        with self.assertRaises(ritz.InputError):
            ritz.solve(np.identity(3), np.ones(3))

    def test_results_are_handed_on_without_a_copy(self):
        for x in (ritz.solve(self.A, self.b, self.x)[0], ritz.Matrix(self.A) @ self.b, ritz.Matrix(self.A).data, ritz.multigrid(self.A, self.x) @ self.b):
            address = x.__array_interface__["data"][0]
            self.assertEqual(np.from_dlpack(x).__array_interface__["data"][0], address)
            self.assertEqual(x.__dlpack_device__(), (1, 0))
            self.assertEqual(np.asarray(memoryview(x)).__array_interface__["data"][0], address)

    def test_scipy_may_stand_on_the_values_of_ritz(self):
        for A, x in ((self.A, self.x), springs(6)):
            M = ritz.Matrix(A, x)
            B = M.to_scipy()
            self.assertEqual(B.data.__array_interface__["data"][0], M.data.__array_interface__["data"][0])
            self.assertEqual(abs(A - B).max(), 0)
            B.data *= 2
            M.update()
            b = np.ones(A.shape[0])
            self.assertLess(np.linalg.norm(M @ b - 2 * (A @ b)), 1e-12 * np.linalg.norm(A @ b) + 1e-12)

    def test_indices_are_not_shared(self):
        A, b = self.A.copy(), np.ones(self.A.shape[0])
        A.data[A.indices > 100] = 0
        values, expected = A.copy(), A @ b
        M = ritz.Matrix(A, block=1)
        A.eliminate_zeros()  # moves indices in place
        self.assertLess(len(A.data), len(values.data))
        self.assertLess(np.linalg.norm(M @ b - expected), 1e-12 * np.linalg.norm(expected))
        self.assertEqual(abs(M.to_scipy() - values).max(), 0)
        B = M.to_scipy()
        B.eliminate_zeros()
        M.update(values)
        self.assertEqual(abs(M.to_scipy() - values).max(), 0)
        self.assertLess(np.linalg.norm(M @ b - expected), 1e-12 * np.linalg.norm(expected))

    def test_arrays_of_other_libraries_come_back_as_theirs_without_a_copy(self):
        class Tensor:
            """An array of the array API standard that is not NumPy's."""

            def __init__(self, values):
                self.values, self.__dlpack_device__ = values, values.__dlpack_device__

            def __dlpack__(self, **how):
                return self.values.__dlpack__(**how)

            def __array_namespace__(self):
                return type("namespace", (), {"from_dlpack": staticmethod(lambda other: Tensor(np.from_dlpack(other)))})

        x, _ = ritz.solve(self.A, Tensor(self.b), self.x)
        self.assertIsInstance(x, Tensor)
        self.assertTrue(np.array_equal(x.values, ritz.solve(self.A, self.b, self.x)[0]))
        X, reports = ritz.solve(self.A, Tensor(np.stack([self.b, 2 * self.b], 1)), self.x)
        self.assertEqual((X.values.shape, len(reports)), ((8000, 2), 2))
        far = Tensor(self.b)
        far.__dlpack_device__ = lambda: (2, 0)
        with self.assertRaises(ritz.InputError):
            ritz.solve(self.A, far, self.x)

    class Far:
        """An array as CuPy has them. Its numbers can be had by get() alone."""

        def __init__(self, values):
            self._values = values
            self.ndim, self.shape = values.ndim, values.shape
            self.__cuda_array_interface__ = {"shape": values.shape, "typestr": values.dtype.str, "data": (values.ctypes.data, False), "version": 3, "stream": 1}

        def __array__(self, *_, **__):
            raise TypeError("no implicit conversion")

        def get(self):
            return self._values.copy()

    def test_arrays_in_the_memory_of_a_gpu_are_told_where_there_is_none(self):
        from ritz import _ritz
        if not _ritz.why_no_gpu():
            self.skipTest("there is a GPU")
        far = self.Far
        matrix = types.SimpleNamespace(data=far(self.A.data), indices=far(self.A.indices), indptr=far(self.A.indptr), shape=self.A.shape)
        near = ritz.Matrix(self.A, self.x)
        for call in (lambda: ritz.solve(self.A, far(self.b), self.x), lambda: ritz.solve(matrix, self.b, self.x), lambda: ritz.solve(self.A, self.b, far(self.x)),
                     lambda: near.solve(self.b, start=far(self.b)), lambda: near @ far(self.b), lambda: ritz.per_cell(far(self.b)), lambda: ritz.Mesh(far(self.x), {"point1": [[0]]})):
            with self.assertRaises(ritz.InputError) as raised:
                call()
            self.assertIn("in the memory of a GPU", str(raised.exception))
            self.assertIn(_ritz.why_no_gpu(), raised.exception.why)
            self.assertIn("x.get() of CuPy", raised.exception.remedy)

    def test_arrays_in_the_memory_of_a_gpu_are_copied_and_results_go_back(self):
        from ritz import _ritz
        far = self.Far
        library = types.ModuleType("library_of_a_gpu")
        library.asarray = lambda values: far(np.asarray(values))
        sys.modules[library.__name__] = library
        self.addCleanup(sys.modules.pop, library.__name__)
        with unittest.mock.patch.object(_ritz, "why_no_gpu", lambda: ""), unittest.mock.patch.object(far, "__module__", "library_of_a_gpu.core"):
            matrix = types.SimpleNamespace(data=far(self.A.data), indices=far(self.A.indices), indptr=far(self.A.indptr), shape=self.A.shape)
            x, report = ritz.solve(matrix, far(self.b), far(self.x), device="cpu")
            X, _ = ritz.solve(self.A, far(np.stack([self.b, 2 * self.b], 1)), self.x, device="cpu")
        self.assertIsInstance(x, far)
        self.assertTrue(report.converged)
        self.assertTrue(np.array_equal(x.get(), ritz.solve(self.A, self.b, self.x, device="cpu")[0]))
        self.assertEqual(X.get().shape, (len(self.b), 2))

    def test_arrays_of_jax_and_torch(self):
        for name, make in (("jax", lambda m: m.numpy.asarray(self.b, m.numpy.float64)), ("torch", lambda m: m.from_numpy(self.b.copy()))):
            with self.subTest(name):
                try:
                    module = __import__(name if name != "jax" else "jax.numpy")
                except ImportError:
                    self.skipTest(f"no {name}")
                if name == "jax":
                    module.config.update("jax_enable_x64", True)
                x, _ = ritz.solve(self.A, make(module), self.x)
                self.assertIsInstance(x, type(make(module)))
                self.assertTrue(np.array_equal(np.asarray(x), ritz.solve(self.A, self.b, self.x)[0]))

    def test_solutions_go_to_jax_and_torch_where_they_stand(self):
        x, _ = ritz.solve(self.A, self.b, self.x)
        for name in ("jax", "torch"):
            with self.subTest(name):
                try:
                    module = __import__(name if name != "jax" else "jax.numpy")
                except ImportError:
                    self.skipTest(f"no {name}")
                if name == "jax":
                    module.config.update("jax_enable_x64", True)
                there = module.numpy.from_dlpack(x) if name == "jax" else module.from_dlpack(x)
                self.assertEqual(there.unsafe_buffer_pointer() if name == "jax" else there.data_ptr(), x.ctypes.data)

    def test_a_matrix_of_torch_serves_where_its_values_stand(self):
        try:
            import torch
        except ImportError:
            self.skipTest("no torch")
        A, x = laplacian(20)
        guest = torch.sparse_csr_tensor(torch.from_numpy(A.indptr), torch.from_numpy(A.indices), torch.from_numpy(A.data.copy()), A.shape)
        matrix = ritz.Matrix(guest, x, copy=False)
        self.assertEqual(matrix.data.ctypes.data, guest.values().data_ptr())
        u, _ = matrix.solve(torch.ones(8000, dtype=torch.float64), promise="positive_definite")
        self.assertLess(float(torch.linalg.vector_norm(guest @ u - 1)), 1e-6)

    def test_several_right_hand_sides_share_the_solver(self):
        A, x = springs(8)
        B = np.cos(np.outer(np.arange(A.shape[0]), [1, 2, 3]))
        X, reports = ritz.solve(A, B, x, promise="positive_definite", method="cg", tolerance=1e-10)
        for j in range(3):
            self.assertLess(np.linalg.norm(A @ X[:, j] - B[:, j]), 1.1e-10 * np.linalg.norm(B[:, j]))
        self.assertEqual([r.converged for r in reports], [True] * 3)
        with self.assertRaises(ritz.NotConverged) as raised:
            ritz.solve(A, B, x, method="cg", preconditioner="none", max_iterations=2)
        self.assertIn("right-hand side 0", str(raised.exception))
        with self.assertRaises(ritz.InputError):
            ritz.solve(A, B[1:], x)

    def test_progress_is_told_and_may_stop(self):
        A, x = laplacian(40)
        said = []
        ritz.solve(A, np.ones(64000), x, promise="positive_definite", preconditioner="multigrid", method="cg", progress=said.append)
        self.assertTrue(any("multigrid" in text for text in said), said)

        class Enough(Exception):
            pass

        def stop(text):
            raise Enough(text)

        with self.assertRaises(Enough):
            ritz.solve(A, np.ones(64000), x, promise="positive_definite", preconditioner="multigrid", method="cg", progress=stop)
        self.assertTrue(ritz.solve(A, np.ones(64000), x)[1].converged)

    def test_what_does_not_converge_raises(self):
        with self.assertRaises(ritz.NotConverged) as raised:
            ritz.solve(self.A, self.b, self.x, method="cg", preconditioner="none", max_iterations=3)
        self.assertEqual(raised.exception.report.iterations, 3)
        self.assertEqual(raised.exception.exit_code, 5)
        with self.assertRaises(ritz.NotConverged):
            ritz.solve(self.A, np.full(8000, np.nan), self.x)
        with self.assertRaises(ritz.Error):
            ritz.solve(-self.A, self.b, self.x, promise="positive_definite")

    def test_index_arrays_that_were_spoilt_are_refused(self):
        """SciPy's own routines read beyond them."""
        for array, place, value in (("indptr", 3, 10**6), ("indptr", 3, 0), ("indices", 5, 10**6), ("indices", 5, -1)):
            A = self.A.copy()
            getattr(A, array)[place] = value
            A.has_sorted_indices = A.has_canonical_format = False
            for call in (lambda: ritz.solve(A, self.b), lambda: ritz.eigs(A, k=1), lambda: ritz.eigs(self.A, A, k=1), lambda: ritz.multigrid(A)):
                with self.assertRaises(ritz.InputError, msg=array):
                    call()

    def test_what_is_no_matrix_has_no_eigenvalues(self):
        for given in (None, 3.0, "K", np.eye(3), self.A.tocoo(), linalg.aslinearoperator(self.A)):
            with self.assertRaises(ritz.InputError):
                ritz.eigs(given, k=1)

    def test_a_matrix_without_entries_is_singular(self):
        with self.assertRaises(ritz.ModelError) as raised:
            ritz.solve(sparse.csr_matrix((3, 3)), np.ones(3))
        self.assertIn("the matrix is singular", str(raised.exception))

    def test_arguments_that_cannot_be_are_refused_in_words(self):
        for words, call in {"CSR or BSR": lambda: ritz.solve(self.A.tocoo(), self.b), "shape (7999,)": lambda: ritz.solve(self.A, self.b[1:]),
                            "coordinates of shape": lambda: ritz.solve(self.A, self.b, self.x[1:]), "method='lu'": lambda: ritz.solve(self.A, self.b, method="lu"),
                            "7999 columns": lambda: ritz.solve(self.A[:, 1:], self.b), "complex": lambda: ritz.solve(1j * self.A, self.b), "complex128": lambda: ritz.solve(self.A, 1j * self.b),
                            "masked": lambda: ritz.solve(self.A, np.ma.array(self.b, mask=True)),
                            "tolerance=0": lambda: ritz.solve(self.A, self.b, tolerance=0), "max_iterations=-3": lambda: ritz.solve(self.A, self.b, max_iterations=-3),
                            "max_iterations=2.5": lambda: ritz.solve(self.A, self.b, max_iterations=2.5),
                            "coordinates of node 0 are not finite": lambda: ritz.solve(self.A, self.b, np.nan * self.x), "blocks of 7": lambda: ritz.solve(self.A, self.b, block=7)}.items():
            with self.assertRaises(ritz.InputError) as raised:
                call()
            self.assertIn(words, str(raised.exception))
            self.assertIsInstance(raised.exception, ValueError)


class Multigrid(unittest.TestCase):
    def iterations(self, A, b, M):
        count = [0]
        x, info = linalg.cg(A, b, M=M, callback=lambda _: count.__setitem__(0, count[0] + 1), **tolerance(1e-8))
        self.assertEqual(info, 0)
        self.assertLess(np.linalg.norm(b - A @ x), 1.1e-8 * np.linalg.norm(b))
        return count[0]

    def test_it_preconditions_the_methods_of_scipy(self):
        A, x = laplacian(40)
        b = np.ones(A.shape[0])
        M = ritz.multigrid(A, coordinates=x)
        self.assertLess(self.iterations(A, b, M), 20)
        self.assertGreater(len(M.levels), 2)
        self.assertEqual(M.levels[0][0], A.shape[0])
        self.assertLess(M.operator_complexity, 2)
        M.update(3 * A)
        self.assertLess(self.iterations(3 * A, b, M), 20)

    def test_it_is_symmetric(self):
        A, x = springs(8)
        M = ritz.multigrid(A, coordinates=x)
        u, v = np.cos(np.arange(A.shape[0])), np.sin(np.arange(A.shape[0]) ** 2)
        self.assertLess(abs(u @ (M @ v) - v @ (M @ u)), 1e-4 * abs(u @ (M @ u)))  # a cycle in single precision

    def test_rotations_are_taken_from_the_coordinates(self):
        A, x = springs(16)
        b = np.tile([0.0, 0, 1], len(x)) * np.repeat(x[:, 0] > 0, 3)
        with_rotations, without = self.iterations(A, b, ritz.multigrid(A, coordinates=x)), self.iterations(A, b, ritz.multigrid(A, block=3))
        self.assertLess(with_rotations, 25)
        self.assertLess(with_rotations, without)


    def test_a_near_null_space_of_ones_own_is_as_good_as_the_rotations(self):
        A, x = springs(16)
        b = np.tile([0.0, 0, 1], len(x)) * np.repeat(x[:, 0] > 0, 3)
        c = x - x.mean(0)
        B = np.zeros((A.shape[0], 6))
        for i in range(3):
            j, k = (i + 1) % 3, (i + 2) % 3
            B[i::3, i] = 1
            B[k::3, 3 + i], B[j::3, 3 + i] = c[:, j], -c[:, k]
        from_coordinates = self.iterations(A, b, ritz.multigrid(A, coordinates=x))
        M = ritz.multigrid(A, near_null=1e5 * B, block=3)
        self.assertLessEqual(abs(self.iterations(A, b, M) - from_coordinates), 1)
        M.update(2 * A)
        self.assertLessEqual(abs(self.iterations(2 * A, b, M) - from_coordinates), 1)
        _, report = ritz.solve(A, b, near_null=B, block=3, method="cg", preconditioner="multigrid", promise="positive_definite")
        self.assertLessEqual(abs(report.iterations - from_coordinates), 1)
        for wrong in (B[:, :4], B[1:], B * 0):
            with self.assertRaises(ritz.InputError):
                ritz.multigrid(A, near_null=wrong, block=3)


class Eigenvalues(unittest.TestCase):
    def test_of_a_string_are_known(self):
        n = 400
        K = sparse.diags([-1, 2, -1], [-1, 0, 1], shape=(n, n)).tocsr()
        exact = 4 * np.sin(np.pi * np.arange(1, 8) / (2 * (n + 1))) ** 2
        values, vectors, report = ritz.eigs(K, k=7)
        self.assertTrue(np.allclose(values, exact, rtol=1e-9))
        self.assertTrue(report["verified"], report)
        self.assertLess(abs(vectors.T @ vectors - np.eye(7)).max(), 1e-8)
        values, _, _ = ritz.eigs(K, 2 * sparse.identity(n, format="csr"), band=(exact[1] / 2.01, exact[4] / 1.99))
        self.assertTrue(np.allclose(values, exact[1:5] / 2, rtol=1e-9))

    def test_of_unlike_patterns_as_scipy_by_both_methods(self):
        A, x = springs(5)
        M = sparse.diags(1 + np.arange(375) / 375.0).tocsr()
        exact = linalg.eigsh(A, 5, M, sigma=0)[0]
        for method in ("lanczos", "lobpcg"):
            values, vectors, _ = ritz.eigs(A, M, 5, coordinates=x, method=method, tolerance=1e-7)
            self.assertTrue(np.allclose(values, exact, rtol=1e-8), method)
            self.assertLess(abs(A @ vectors - (M @ vectors) * values).max(), 1e-5)

    def test_of_a_free_string_begin_with_zero(self):
        n = 60
        K = sparse.diags([-1, 2, -1], [-1, 0, 1], shape=(n, n)).tolil()
        K[0, 0] = K[-1, -1] = 1
        values, _, _ = ritz.eigs(K.tocsr(), k=4, zeros=1)
        self.assertTrue(np.allclose(values, 4 * np.sin(np.pi * np.arange(4) / (2 * n)) ** 2, rtol=1e-8, atol=1e-10))

    def test_arguments(self):
        A, x = laplacian(4)
        for call in (lambda: ritz.eigs(A, sparse.identity(3)), lambda: ritz.eigs(A, method="arpack"), lambda: ritz.eigs(A, k=0)):
            with self.assertRaises(ritz.InputError):
                call()
        askew = (A + sparse.csr_matrix(([1.0], ([0], [1])), shape=A.shape)).tocsr()
        for K, M, name in ((askew, None, "K"), (A, sparse.csr_matrix(askew - A + sparse.identity(A.shape[0])), "M")):
            with self.assertRaises(ritz.InputError) as raised:
                ritz.eigs(K, M, k=2)
            self.assertIn(f"{name} is not symmetric", str(raised.exception))


class Names(unittest.TestCase):
    def test_the_stub_has_the_names_of_the_package_and_all_have_docstrings(self):
        stub = (pathlib.Path(ritz.__file__).parent / "__init__.pyi").read_text()
        named = {each.asname for node in ast.parse(stub).body if isinstance(node, ast.ImportFrom) for each in node.names}
        self.assertEqual(named, set(ritz.__all__))
        for name in named - {"jax_function", "torch_function"}:
            self.assertTrue(getattr(ritz, name).__doc__, name)

    def test_a_type_checker_finds_a_mistake_and_nothing_else(self):
        if importlib.util.find_spec("mypy") is None:
            self.skipTest("no mypy")
        code = 'import ritz\nprobe = ritz.run("a.toml", mesh=ritz.Mesh.from_file("a.msh")).probes\nritz.Model("a.toml").solve(tolerance="small")\n'
        done = subprocess.run([sys.executable, "-m", "mypy", "--ignore-missing-imports", "-c", code], capture_output=True, text=True,
                              env=os.environ | {"MYPYPATH": str(pathlib.Path(ritz.__file__).parents[1])})
        self.assertIn('Argument "tolerance" to "solve" of "Model"', done.stdout)
        self.assertIn("Found 1 error in 1 file", done.stdout)


class Guest(unittest.TestCase):
    def interrupted(self, ticks):
        """An iteration that only Ctrl-C ends, which another thread sends when it has run for a while beside it. Returns how often it ran."""
        n = 400000
        A = sparse.diags([-1.0, 2, -1], [-1, 0, 1], shape=(n, n)).tocsr()  # condition 6e10
        begun, ran = threading.Event(), []

        def interrupt():
            begun.wait()
            while len(ran) < ticks:
                ran.append(True)
                time.sleep(0)  # gives the interpreter away, and takes it again
            os.kill(os.getpid(), signal.SIGINT)

        thread = threading.Thread(target=interrupt, daemon=True)
        thread.start()
        with self.assertRaises(KeyboardInterrupt):
            ritz.solve(A, np.ones(n), method="cg", preconditioner="none", max_iterations=10 ** 8, progress=lambda _: begun.set())
        thread.join()
        return len(ran)

    def test_ctrl_c_ends_an_iteration_and_the_next_call_works(self):
        self.interrupted(0)
        A, x = laplacian(10)
        self.assertTrue(ritz.solve(A, np.ones(1000), x)[1].converged)

    def test_other_threads_run_during_a_solve(self):
        self.assertEqual(self.interrupted(100), 100)

    def test_threads_may_solve_at_once(self):
        A, x = laplacian(16)
        b = np.ones(A.shape[0])
        alone, results = ritz.solve(A, b, x)[0], [None] * 4

        def work(i):
            results[i] = ritz.solve(A, b, x)[0]

        threads = [threading.Thread(target=work, args=(i,)) for i in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        for result in results:
            self.assertTrue(np.array_equal(result, alone))

    def test_objects_end_while_no_other_thread_is_at_work(self):
        """The end of a factor sets the threads of BLAS for all: with one thread more or less the other's bits differ."""
        A, _ = laplacian(12)
        b, (small, x) = np.ones(A.shape[0]), laplacian(4)
        alone, ended, done = ritz.solve(A, b, method="direct", threads=2)[0], [], threading.Event()
        matrices = []
        for _ in range(40):
            matrices.append(ritz.Matrix(small, x, threads=1))
            matrices[-1].solve(np.ones(small.shape[0]), method="direct")

        def end():
            while matrices and not done.wait(0.002):
                matrices.pop()
                ended.append(True)

        thread = threading.Thread(target=end)
        thread.start()
        try:
            while thread.is_alive():
                self.assertTrue(np.array_equal(ritz.solve(A, b, method="direct", threads=2)[0], alone))
        finally:
            done.set()
            thread.join()
        self.assertEqual(len(ended), 40)

    def test_a_cycle_that_ends_ends_its_matrix(self):
        A, x = laplacian(6)
        cycle = ritz.multigrid(A, x)
        del A
        cycle @ np.ones(216)
        del cycle  # would wait for ever if the matrix waited for the cycle
        self.assertTrue(ritz.solve(laplacian(4)[0], np.ones(64))[1].converged)

    def test_nothing_is_printed_and_the_import_loads_no_library(self):
        code = ("import sys, importlib; before = set(sys.modules); import ritz; assert set(sys.modules) - before == {'ritz'}, set(sys.modules) - before;"
                "import numpy as np, scipy.sparse as s; x, r = ritz.solve(s.identity(50, format='csr'), np.ones(50))")
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))

    def test_a_thousand_matrices_leave_no_memory_behind(self):
        A, x = laplacian(5)
        grown = grows(lambda: ritz.solve(A, np.ones(125), x, method="cg", preconditioner="multigrid", threads=1), 200, 800)
        self.assertLess(grown, 2e6)


def tolerance(value):
    """SciPy 1.12 renamed the argument."""
    return {"rtol" if tuple(map(int, __import__("scipy").__version__.split(".")[:2])) >= (1, 12) else "tol": value}


def grows(work, first, more):
    """Bytes of resident memory that `more` calls add after the `first` ones."""
    def resident():
        with open("/proc/self/statm") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")

    for _ in range(first):
        work()
    before = resident()
    for _ in range(more):
        work()
    return resident() - before
