"""Models of cases: their matrices and residuals for SciPy, solutions with other numbers, and derivatives by the adjoint method."""
from __future__ import annotations

import os

import numpy as np
import scipy.sparse as sparse
from scipy.sparse.linalg import LinearOperator

from ritz import _errors, _ritz
from ritz._run import Array, _case_call
from ritz._solver import Report


class Model:
    """The equations of a case, without a run. Arguments: those of run().

    Arrays of nodes have the shape (nodes, components). `points` says where the nodes are: the mesh's, in their order, where the field
    stands on them; with [space] order the field's own. Unknown i of a matrix is component i % components of node i // components.

    u = model.solve() solves static models and evolutions in time; model.vjp(g) gives derivatives. Numbers of the case that were given as ritz.per_cell
    or ritz.per_node may change: model.update({"material.0.young": values})."""

    def __init__(self, case, overrides: dict | None = None, *, mesh=None, physics: str | None = None, folder=None,
                 device: str = "auto", threads: int = 0):
        self._call, self._names, self._mesh = _case_call(case, overrides, mesh, physics, folder, device, threads, False)
        with self._names.without_lines():
            self._model = _ritz.Model(self._call)
        self.components: int = self._model.components
        self.on_mesh: bool = self._model.on_mesh
        self.points: np.ndarray = self._model.points
        self.shape: tuple[int, int] = (len(self.points), self.components)
        self.report: Report | None = None
        self.residual_norm: float | None = None
        self.evolves: bool = self._model.evolves  # the case has [time]
        self.times: np.ndarray | None = None  # of the last solve() of a case with [time]
        self.gradient_memory: int | None = None  # bytes of states that the last vjp() of a case with [time] kept
        self._u: np.ndarray | None = None
        self._changes = 0  # of numbers and solution

    def __repr__(self) -> str:
        return f"<ritz.Model of {self.shape[0]} nodes with {self.components} unknowns each>"

    @property
    def arrays(self) -> tuple[str, ...]:
        """The keys that were given as ritz.per_cell or ritz.per_node."""
        return tuple(self._names.arrays)

    def update(self, arrays: dict) -> None:
        """Other numbers in keys that were given as arrays: {"material.0.young": values}. Stands where the first array stood.
        Where one of them is refused, all stay as they were."""
        given = []
        for key, values in arrays.items():
            if key not in self._names.arrays:
                raise _errors.refuse(f"no array at {key!r}", "only keys that were given as arrays may change",
                                     "one of " + ", ".join(map(repr, self.arrays)) if self.arrays else "give it as ritz.per_cell(values)")
            array = values if isinstance(values, Array) else Array(values, self._names.arrays[key].at_nodes)
            given.append((key, array.at_nodes, array.values))
        self._u = None
        self._changes += 1
        with self._names.without_lines():
            self._model.set_arrays(given)

    def _nodal(self, values, name: str) -> np.ndarray:
        if values is None:
            return np.zeros(self.shape)
        values = np.ascontiguousarray(values, dtype=float)
        if values.size != self.shape[0] * self.shape[1] or values.shape not in (self.shape, (values.size,)):
            raise _errors.refuse(f"{name} has the shape {values.shape}", "", f"give an array of shape {self.shape}")
        return values.reshape(self.shape)

    @staticmethod
    def _scipy(parts):
        offsets, columns, values, _ = parts
        n, b = len(offsets) - 1, values.shape[1]
        if len(columns) < 2**31:
            offsets = offsets.astype(np.int32)
        if b == 1:
            return sparse.csr_matrix((values.reshape(-1), columns, offsets), shape=(n, n))
        return sparse.bsr_matrix((values, columns, offsets), shape=(n * b, n * b))

    def stiffness(self, u=None):
        """The tangent d(residual)/du at u (zero) as SciPy's CSR, or BSR of several components; prescribed unknowns are in it."""
        return self._scipy(self._model.matrix("stiffness", self._nodal(u, "u"), False))

    def mass(self):
        """The mass matrix, or of heat the capacity. Materials need their density, and specific_heat."""
        return self._scipy(self._model.matrix("mass", self._nodal(None, ""), False))

    def residual(self, u) -> np.ndarray:
        """Internal minus external forces at u, (nodes, components), also at prescribed unknowns: there it is what supports exert."""
        return self._model.residual(self._nodal(u, "u"), False)

    def load(self, load_case: str | None = None) -> np.ndarray:
        """The external forces, (nodes, components): those outside of load cases, or those of one load case alone."""
        return -self.residual(np.zeros(self.shape)) if load_case is None else self._model.load_of(load_case)

    def operator(self, u=None) -> LinearOperator:
        """The tangent at u as a LinearOperator without a matrix."""
        at = self._nodal(u, "u")
        act = lambda x: self._model.action(at, self._nodal(x, "the vector")).reshape(-1)  # noqa: E731
        n = self.shape[0] * self.shape[1]
        return LinearOperator((n, n), matvec=act, dtype=float)

    @property
    def fixed(self) -> np.ndarray:
        """True where an unknown is prescribed, or has no cell: (nodes, components)."""
        return self._model.prescribed()[0] == 1

    @property
    def prescribed(self) -> np.ndarray:
        """The prescribed values, 0 elsewhere: (nodes, components)."""
        return self._model.prescribed()[1]

    def equations(self):
        """A, b of a linear static model with its supports, for any solver: A is symmetric where the model is, and b holds what prescribed
        values exert. complete(x) is the solution, with what follows others by [[tie]] and its like. Raises ModelError for a case with
        nonlinear equations, a load path, [time], [modal], load cases or prescribed mean motions, as solve() does."""
        *parts, pivot = self._model.matrix("stiffness", self._nodal(None, ""), True)
        fixed, values = self._model.prescribed()
        b = -self._model.residual(self.complete(np.zeros(self.shape)), True) + pivot * fixed * values
        return self._scipy((*parts, pivot)), b.reshape(-1)

    def complete(self, x) -> np.ndarray:
        """(nodes, components) of a solution of equations()."""
        return self._model.complete(self._nodal(x, "x"))

    def solve(self, *, load=None, prescribed=None, initial=None, tolerance: float | None = None, progress=None) -> np.ndarray:
        """u of a static model, (nodes, components). The factor or hierarchy serves further solutions. Of a case with [time]:
        u at `times`, (times, nodes, components): the begin, [time] output and the end.

        load: forces at nodes beside those of the case; of an evolution they act all the time. prescribed: values in place of the
        case's, read where `fixed` is true; of linear statics. initial: the unknown at the begin of an evolution, in place of [initial].
        tolerance: relative; else that of [solver]. progress: called with a text. Raises NotConverged."""
        load, prescribed, initial = (None if values is None else self._nodal(values, name)
                                     for values, name in ((load, "load"), (prescribed, "prescribed"), (initial, "initial")))
        if tolerance is not None and not 0 < tolerance < 1:
            raise _errors.refuse(f"tolerance={tolerance!r}", "it is relative to the load", "give a number between 0 and 1")
        if self.evolves and prescribed is not None:
            raise _errors.refuse("other prescribed values in an evolution", "they may vary in time", "change the values in the case")
        if initial is not None and not self.evolves:
            raise _errors.refuse("initial values of a static model", "it has no begin", "omit them, or give the case [time]")
        self._u = None
        self._changes += 1
        with self._names.without_lines():
            if self.evolves:
                self.times, self._u, facts, self.residual_norm = self._model.evolve(load, initial, tolerance, progress)
            else:
                self._u, facts, self.residual_norm = self._model.solve(load, prescribed, tolerance, progress)
        self.report = Report(**facts)
        return self._u.copy()

    @property
    def solution(self) -> np.ndarray | None:
        """u of the last solve(); None before it and after update()."""
        return None if self._u is None else self._u.copy()

    def vjp(self, g, of=None) -> dict[str, np.ndarray]:
        """Derivatives of a number J(u) from g = dJ/du at the last solution: one more solve, with the same matrix.

        Returns {"load": dJ/d(forces at nodes), "prescribed": dJ/d(prescribed values)} of shape (nodes, components), and for each key
        that is an array dJ/d(its entries), 0 for prescribed values that solve(prescribed=...) replaced. Of a case with [time] g has the
        shape of u, (times, nodes, components), or (nodes, components) at the end; "load" and "prescribed" are by values that stay, and
        "initial" by those at the begin. of: the names that are wanted; else all.

        of="points", of statics: dJ/d(positions of the mesh's nodes), (nodes, 3), through u alone. It is computed where it is named: a pass
        over the cells for each of 4 steps of each node of a cell along each axis."""
        if self._u is None:
            raise _errors.refuse("vjp() before solve()", "it is taken at a solution", "call solve() first, and after each update()")
        every = ("load", "prescribed", *(("initial",) if self.evolves else ()), *self.arrays)
        known = every if self.evolves else (*every, "points")
        names = every if of is None else ((of,) if isinstance(of, str) else tuple(of))
        for name in names:
            if name not in known:
                raise _errors.refuse(f"the derivative by {name!r}", "", "one of " + ", ".join(map(repr, known)))
        arrays = [name for name in names if name in self.arrays]
        with self._names.without_lines():
            if self.evolves:
                result = self._evolution_vjp(g, arrays)
            else:
                direction, by_prescribed = self._model.adjoint(self._nodal(g, "g"))
                result = {"load": direction * ~self.fixed, "prescribed": by_prescribed * self.fixed}
                if "points" in names:
                    result["points"] = self._model.by_positions(self._u, direction)
                for name in arrays:
                    result[name] = self._model.derivative(name, self._u, direction, by_prescribed)
        return {name: result[name] for name in names}

    def _evolution_vjp(self, g, arrays: list[str]) -> dict[str, np.ndarray]:
        given = np.asarray(g, dtype=float)
        if given.shape != self._u.shape:
            at_end = self._nodal(given, f"g, of u with the shape {self._u.shape} or of its end,")
            given = np.zeros(self._u.shape)
            given[-1] = at_end
        initial, load, prescribed, by_array, self.gradient_memory = self._model.evolution_derivatives(np.ascontiguousarray(given), arrays)
        free = ~self.fixed
        return {"initial": initial * free, "load": load * free, "prescribed": prescribed * ~free} | dict(zip(arrays, by_array))


def assemble(case, overrides: dict | None = None, *, mesh=None, physics: str | None = None, folder: str | os.PathLike | None = None,
             device: str = "auto", threads: int = 0):
    """A, b of a linear case with its supports, as SciPy's matrix and a vector: Model(...).equations()."""
    return Model(case, overrides, mesh=mesh, physics=physics, folder=folder, device=device, threads=threads).equations()
