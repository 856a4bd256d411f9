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
        self.moves: bool = self._model.moves  # and its equations are of second order in time
        self.times: np.ndarray | None = None  # of the last solve() of a case with [time]
        self.gradient_memory: int | None = None  # bytes of states that the last vjp() of a case with [time] kept
        self._u: np.ndarray | None = None
        self._changes = 0  # of numbers and solution

    def __repr__(self) -> str:
        return f"<ritz.Model of {self.shape[0]} nodes with {self.components} unknowns each>"

    @property
    def memory(self) -> tuple[int, int]:
        """Bytes of arrays on the device: in use, and held for reuse."""
        return self._model.memory

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
        values = _errors.real(values, name)
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

    def solve(self, *, load=None, prescribed=None, initial=None, velocity=None, tolerance: float | None = None, progress=None) -> np.ndarray:
        """u of a static model, (nodes, components). The factor or hierarchy serves further solutions. Of a case with [time]:
        u at `times`, (times, nodes, components): the begin, [time] output and the end.

        load: forces at nodes beside those of the case; of an evolution they act all the time. prescribed: values in place of the
        case's, read where `fixed` is true; of linear statics. initial: the unknown at the begin of an evolution, in place of [initial].
        tolerance: relative; else that of [solver]. progress: called with a text. Raises NotConverged."""
        load, prescribed, initial, velocity = (None if values is None else self._nodal(values, name) for values, name in (
            (load, "load"), (prescribed, "prescribed"), (initial, "initial"), (velocity, "velocity")))
        if tolerance is not None and not 0 < tolerance < 1:
            raise _errors.refuse(f"tolerance={tolerance!r}", "it is relative to the load", "give a number between 0 and 1")
        if self.evolves and prescribed is not None:
            raise _errors.refuse("other prescribed values in an evolution", "they may vary in time", "change the values in the case")
        if initial is not None and not self.evolves:
            raise _errors.refuse("initial values of a static model", "it has no begin", "omit them, or give the case [time]")
        if velocity is not None and not self.moves:
            raise _errors.refuse("an initial velocity", "the equations are not of second order in time", "omit it")
        self._u = None
        self._changes += 1
        with self._names.without_lines():
            if self.evolves:
                self.times, self._steps, self._u, facts, self.residual_norm = self._model.evolve(load, initial, velocity, tolerance, progress)
            else:
                self._u, facts, self.residual_norm = self._model.solve(load, prescribed, tolerance, progress)
        self.report = Report(**facts)
        return self._u.copy()

    @property
    def solution(self) -> np.ndarray | None:
        """u of the last solve(); None before it and after update()."""
        return None if self._u is None else self._u.copy()

    @property
    def derived_fields(self) -> tuple[str, ...]:
        """Names of the fields that follow from a solution, and that field() and vjp() know: stress, heat_flux and their like."""
        return tuple(name for name, _, _ in self._model.derived_names())

    def field(self, name: str) -> np.ndarray:
        """A field of the results at nodes, (nodes, components), at the last solution: its mean over the cells around a node. Of a case with
        [time] at each of `times`."""
        return self._field(name, False)

    def cell_field(self, name: str) -> np.ndarray:
        """The same in cells, (cells, components): the mean over the cell."""
        return self._field(name, True)

    def _known_field(self, name: str, in_cells: bool) -> int:
        if self._u is None:
            raise _errors.refuse(f"the field {name!r} before solve()", "it follows from a solution", "call solve() first, and after each update()")
        known = {each: components for each, components, too in self._model.derived_names() if too or not in_cells}
        if name not in known:
            raise _errors.refuse(f"no field {name!r}{' in cells' if in_cells else ''}", "",
                                 "one of " + ", ".join(map(repr, known)) if known else "its results have no derived fields")
        return known[name]

    def _states(self):
        """u, its time and the length of the step that ends there, of each solution."""
        return zip(self._u, self.times, self._steps) if self.evolves else [(self._u, 0.0, 0.0)]

    def _field(self, name: str, in_cells: bool) -> np.ndarray:
        self._known_field(name, in_cells)
        with self._names.without_lines():
            values = [self._model.derived(name, in_cells, u, t, dt) for u, t, dt in self._states()]
        return np.stack(values) if self.evolves else values[0]

    def _through_fields(self, g, given, arrays):
        """g with dJ/du through fields added, and what the entries of arrays change in them at fixed u."""
        direct = {name: 0.0 for name in arrays}
        for in_cells, fields in enumerate(given):
            for name, values in (fields or {}).items():
                components = self._known_field(name, bool(in_cells))
                shape = ((len(self.times),) if self.evolves else ()) + (self._model.cell_count if in_cells else self.shape[0], components)
                values = _errors.real(values, name)
                if values.size != np.prod(shape):
                    raise _errors.refuse(f"dJ/d({name}) has the shape {values.shape}", "", f"give an array of shape {shape}")
                values = np.ascontiguousarray(values.reshape(shape))
                for i, (u, t, dt) in enumerate(self._states()):
                    at = values[i] if self.evolves else values
                    if not at.any():
                        continue
                    by_u, by_arrays = self._model.derived_derivatives(name, bool(in_cells), u, t, dt, at, arrays)
                    (g[i] if self.evolves else g)[...] += by_u
                    for array, each in zip(arrays, by_arrays):
                        direct[array] = direct[array] + each
        return g, direct

    def vjp(self, g=None, of=None, *, fields: dict | None = None, cell_fields: dict | None = None) -> dict[str, np.ndarray]:
        """Derivatives of a number J(u) from g = dJ/du at the last solution: one more solve, with the same matrix.

        J may depend on derived fields, too: fields={"stress": dJ/d(field("stress"))}, and likewise cell_fields of cell_field().

        Returns {"load": dJ/d(forces at nodes), "prescribed": dJ/d(prescribed values)} of shape (nodes, components), and for each key
        that is an array dJ/d(its entries), 0 for prescribed values that solve(prescribed=...) replaced. Of a case with [time] g has the
        shape of u, (times, nodes, components), or (nodes, components) at the end; "load" and "prescribed" are by values that stay, and
        "initial" by those at the begin. of: the names that are wanted; else all.

        of="points": dJ/d(positions of the mesh's nodes), (nodes, 3), through u alone. It is computed where it is named: a pass over the
        cells for each of 4 steps of each node of a cell along each axis, in time for each part of the way back. What solve() was given
        stays with the nodes; of a case whose [initial] is a formula of the position there is none.

        A number of a material, an orientation or [thermal] has a derivative where it is named, too, of="material.0.orthotropic.shear.0":
        (cells,), dJ/d(the number in each cell); their sum is dJ/d(the number)."""
        if self._u is None:
            raise _errors.refuse("vjp() before solve()", "it is taken at a solution", "call solve() first, and after each update()")
        every = ("load", "prescribed", *(("initial",) if self.evolves else ()), *(("velocity",) if self.moves else ()), *self.arrays)
        known = (*every, "points")
        names = every if of is None else ((of,) if isinstance(of, str) else tuple(of))
        for name in names:
            if name not in known and not self._model.has_number(name):
                raise _errors.refuse(f"the derivative by {name!r}", "", "one of " + ", ".join(map(repr, known)))
        arrays = [name for name in names if name in self.arrays or name not in known]
        if "points" in names and (fields or cell_fields):
            raise _errors.refuse("the derivative by positions of what depends on derived fields", "these depend on positions, too", "take the others")
        with self._names.without_lines():
            g = self._evolution_g(g) if self.evolves else self._nodal(g, "g").copy()
            g, direct = self._through_fields(g, (fields, cell_fields), arrays)
            if self.evolves:
                result = self._evolution_vjp(g, [*arrays, *(["points"] if "points" in names else [])])
            else:
                direction, by_prescribed = self._model.adjoint(g)
                result = {"load": direction * ~self.fixed, "prescribed": by_prescribed * self.fixed}
                if "points" in names:
                    result["points"] = self._model.by_positions(self._u, direction)
                for name in arrays:
                    result[name] = self._model.derivative(name, self._u, direction, by_prescribed)
        return {name: result[name] + direct.get(name, 0.0) for name in names}

    def _evolution_g(self, g) -> np.ndarray:
        result = np.zeros(self._u.shape)
        if g is None:
            return result
        given = _errors.real(g, "g")
        if given.shape == self._u.shape:
            return result + given
        result[-1] = self._nodal(given, f"g, of u with the shape {self._u.shape} or of its end,")
        return result

    def _evolution_vjp(self, given: np.ndarray, arrays: list[str]) -> dict[str, np.ndarray]:
        nodal, by_array, self.gradient_memory = self._model.evolution_derivatives(np.ascontiguousarray(given), arrays)
        fixed = self.fixed
        result = {name: each * (fixed if name == "prescribed" else ~fixed) for name, each in nodal.items()} | dict(zip(arrays, by_array))
        return {name: each.reshape(-1, 3) if name == "points" else each for name, each in result.items()}


def assemble(case, overrides: dict | None = None, *, mesh=None, physics: str | None = None, folder: str | os.PathLike | None = None,
             device: str = "auto", threads: int = 0):
    """A, b of a linear case with its supports, as SciPy's matrix and a vector: Model(...).equations()."""
    return Model(case, overrides, mesh=mesh, physics=physics, folder=folder, device=device, threads=threads).equations()
