"""Cases of Ritz run in this process: tables in, arrays out."""
from __future__ import annotations

import contextlib
import json
import os
import pathlib
import platform
import re
import tempfile

import numpy as np

from ritz import _errors, _ritz

PHYSICS = ("elasticity", "heat", "modal", "structure", "solve")
# Kinds of cells by their names here, and by meshio's; nodes stand in VTK's order.
KINDS = {name: name for name in ("line2", "line3", "tri3", "tri6", "quad4", "quad8", "quad9", "tet4", "tet10", "hex8", "hex20", "hex27",
                                 "prism6", "prism15", "prism18", "pyramid5", "pyramid13", "pyramid14")}
KINDS |= {"line": "line2", "triangle": "tri3", "triangle6": "tri6", "quad": "quad4", "tetra": "tet4", "tetra10": "tet10", "hexahedron": "hex8",
          "hexahedron20": "hex20", "hexahedron27": "hex27", "wedge": "prism6", "wedge15": "prism15", "wedge18": "prism18", "pyramid": "pyramid5"}
NODE_COUNT = {"line2": 2, "line3": 3, "tri3": 3, "tri6": 6, "quad4": 4, "quad8": 8, "quad9": 9, "tet4": 4, "tet10": 10, "hex8": 8, "hex20": 20,
              "hex27": 27, "prism6": 6, "prism15": 15, "prism18": 18, "pyramid5": 5, "pyramid13": 13, "pyramid14": 14}
VTK_TYPE = {"line2": 3, "line3": 21, "tri3": 5, "tri6": 22, "quad4": 9, "quad8": 23, "quad9": 28, "tet4": 10, "tet10": 24, "hex8": 12, "hex20": 25,
            "hex27": 29, "prism6": 13, "prism15": 26, "prism18": 32, "pyramid5": 14, "pyramid13": 27}
AXIS_ALIGNED = {8: ("quad4", [0, 1, 3, 2]), 11: ("hex8", [0, 1, 3, 2, 4, 5, 7, 6])}  # VTK's pixels and voxels
MESHIO = {ours: theirs for theirs, ours in KINDS.items() if theirs != ours}


def _kind(name):
    if name not in KINDS:
        raise _errors.refuse(f"cells of kind {name!r}", "Ritz does not know these cells", "one of " + ", ".join(map(repr, KINDS)))
    return KINDS[name]


def _numbers(chosen, count, what):
    """Ascending positions of a list of them."""
    if chosen.size and (not np.issubdtype(chosen.dtype, np.integer) or chosen.min() < 0 or chosen.max() >= count):
        raise _errors.refuse(f"{what} that are not there", f"they count from 0 to {count - 1}", "give their numbers, or a mask")
    return np.unique(chosen.reshape(-1)).astype(np.int64)


def _positions(chosen, count, what):
    """Ascending positions of a mask or a list of indices. A mask of integers looks like a list; a range is no mask."""
    is_range = isinstance(chosen, range)
    chosen = np.asarray(chosen)
    if chosen.dtype == bool:
        if chosen.shape != (count,):
            raise _errors.refuse(f"a mask of shape {chosen.shape} for {count} {what}", "", "give one entry for each")
        return np.flatnonzero(chosen).astype(np.int64)
    if chosen.size and chosen.dtype.itemsize == 1:
        raise _errors.refuse(f"{what} by numbers of type {chosen.dtype}", "a mask of bytes would be taken as positions",
                             "make it a mask of booleans: mask.astype(bool); or positions: numbers.astype(int)")
    numbers = _numbers(chosen, count, what)
    if not is_range and count > 1 and chosen.shape == (count,) and chosen.max(initial=0) <= 1:
        raise _errors.refuse(f"{what} by {count} numbers that are 0 or 1", "a mask of integers would be taken as the numbers of the first two",
                             "make it a mask of booleans: mask.astype(bool); or positions: range(start, stop)")
    return numbers


def _mask(numbers, count, what):
    """Positions that are no mask, whatever they look like."""
    numbers = np.asarray(numbers)
    if numbers.dtype == bool:
        return numbers
    mask = np.zeros(count, bool)
    mask[_numbers(numbers, count, what)] = True
    return mask


class Mesh:
    """A mesh from arrays, checked where it is used, with the messages of a mesh from a file.

    points: (nodes, 3), or (nodes, 2) in the plane. cells: {"tet10": (cells, 10), ...}, nodes in VTK's order from 0, names of Ritz or meshio.
    Cells of a lower dimension than the body's name its facets, in regions.
    regions: {name: {"tet10": mask or positions in that block, "tri6": ..., "nodes": mask or node numbers}}. Arrays in cells stand in the order
    of `cells`, block after block; of a mesh from pyvista or meshio in the order there."""

    _order = None  # row of an array in cells for each cell of the body, block after block; None: that order
    _structural = False  # lines and surfaces are cells of the body

    def __init__(self, points, cells: dict, regions: dict | None = None):
        points = _errors.real(points, "points")
        if points.ndim != 2 or points.shape[1] not in (2, 3):
            raise _errors.refuse(f"points of shape {points.shape}", "", "give an array of shape (nodes, 3), or (nodes, 2) in the plane")
        self.points = points if points.shape[1] == 3 else np.column_stack([points, np.zeros(len(points))])
        self.cells: dict[str, np.ndarray] = {}
        for name, nodes in cells.items():
            kind, nodes = _kind(name), np.ascontiguousarray(nodes)
            if nodes.size and not np.issubdtype(nodes.dtype, np.integer):
                raise _errors.refuse(f"cells {name!r} of type {nodes.dtype}", "they are numbers of nodes", "give whole numbers: cells.astype(int)")
            if nodes.ndim != 2 or nodes.shape[1] != NODE_COUNT[kind]:
                raise _errors.refuse(f"cells {name!r} of shape {nodes.shape}", f"they have {NODE_COUNT[kind]} nodes each", "give whole numbers of shape (cells, nodes)")
            if nodes.size and (nodes.min() < 0 or nodes.max() >= len(points)):
                raise _errors.refuse(f"cells {name!r} have nodes from {nodes.min()} to {nodes.max()}", f"there are {len(points)}, from 0", "count nodes from 0")
            if kind in self.cells:
                raise _errors.refuse(f"two blocks of cells {kind!r}", "", "join them")
            self.cells[kind] = nodes.astype(np.int64)
        self.regions: dict[str, tuple[list[tuple[str, np.ndarray]], np.ndarray]] = {}
        for name, parts in (regions or {}).items():
            if not isinstance(parts, dict):
                raise _errors.refuse(f"region {name!r} is a {type(parts).__name__}", "it says of which block its cells are", '{"tet10": mask}, {"nodes": numbers}')
            nodes = _positions(parts.get("nodes", []), len(points), "nodes") if "nodes" in parts else np.zeros(0, np.int64)
            chosen = []
            for block, part in parts.items():
                if block == "nodes":
                    continue
                if _kind(block) not in self.cells:
                    raise _errors.refuse(f"region {name!r} has cells {block!r}", "the mesh has none of these", "one of " + ", ".join(map(repr, self.cells)))
                chosen.append((_kind(block), _positions(part, len(self.cells[_kind(block)]), f"cells {block!r}")))
            self.regions[name] = (chosen, nodes)
        self._arrays = _ritz.MeshArrays(self.points, list(self.cells.items()), [(name, chosen, nodes) for name, (chosen, nodes) in self.regions.items()])

    @classmethod
    def _of(cls, arrays, structural=False) -> Mesh:
        blocks = dict(arrays.blocks)
        count = lambda part: len(arrays.points) if part == "nodes" else len(blocks[part])
        regions = {name: {part: _mask(numbers, count(part), part) for part, numbers in parts.items()} for name, parts in arrays.regions.items()}
        mesh = cls(arrays.points, blocks, regions)._ordered(arrays.order)
        mesh._structural = structural
        return mesh

    def _ordered(self, rows) -> Mesh:
        if not np.array_equal(rows, np.arange(len(rows))):
            self._order = self._arrays.order = rows
        return self

    def _ranked(self, places) -> Mesh:
        """places: of the cells of each kind in what the mesh was made of."""
        body = np.concatenate([np.zeros(0, np.int64), *(places[kind] for kind in self._body())])
        rows = np.empty(len(body), np.int64)
        rows[np.argsort(body, kind="stable")] = np.arange(len(body))
        return self._ordered(rows)

    @classmethod
    def from_file(cls, path, scale: float = 1.0, structural: bool = False) -> Mesh:
        """Of a mesh file in any format that the programs read (docs/formats.md), with its groups or sets as regions. structural: of
        beams and shells, so that lines and surfaces in space are cells of the body."""
        return cls._of(_ritz.read_mesh(os.fspath(path), scale, structural), structural)

    @classmethod
    def from_gmsh(cls, scale: float = 1.0) -> Mesh:
        """Of the present model of Gmsh's Python module, which has been meshed: its physical groups become regions."""
        import gmsh

        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "model.msh")
            gmsh.write(path)
            return cls.from_file(path, scale)

    @classmethod
    def from_pyvista(cls, grid, regions=None) -> Mesh:
        """Of a pyvista.UnstructuredGrid, or anything that pyvista casts to one. regions: {name: mask over the grid's cells, or
        {"nodes": mask or numbers}}. Pixels and voxels become quadrilaterals and hexahedra."""
        grid = grid if hasattr(grid, "cells_dict") else grid.cast_to_unstructured_grid()
        types = np.asarray(grid.celltypes)
        names = {number: name for name, number in VTK_TYPE.items()} | {number: name for number, (name, _) in AXIS_ALIGNED.items()}
        cells: dict[str, np.ndarray] = {}
        positions: dict[str, np.ndarray] = {}
        for number, nodes in grid.cells_dict.items():
            if number not in names:
                raise _errors.refuse(f"cells of VTK's type {number}", "Ritz does not know these cells", "remove them")
            name = names[number]
            nodes = nodes[:, AXIS_ALIGNED[number][1]] if number in AXIS_ALIGNED else nodes
            cells[name] = np.vstack([cells[name], nodes]) if name in cells else nodes
            positions[name] = np.concatenate([positions.get(name, np.zeros(0, int)), np.flatnonzero(types == number)])
        split = {}
        for name, part in (regions or {}).items():
            if isinstance(part, dict):
                split[name] = part
                continue
            mask = np.zeros(len(types), bool)
            mask[_positions(part, len(types), "cells of the grid")] = True
            split[name] = {kind: mask[at] for kind, at in positions.items() if mask[at].any()}
        return cls(np.asarray(grid.points), cells, split)._ranked(positions)

    def _body(self) -> list[str]:
        """Kinds of the cells that carry the physics, block after block."""
        dimension = {"line": 1, "tri": 2, "quad": 2}
        of = {kind: dimension.get(kind.rstrip("0123456789"), 3) for kind, cells in self.cells.items() if len(cells)}
        return [kind for kind in of if self._structural or of[kind] == max(of.values())]

    def to_meshio(self, point_data=None, cell_data=None):
        """A meshio.Mesh with the cells of the body, and those that name facets; regions become cell sets and point sets."""
        import meshio

        sets = {name: [dict(chosen).get(kind, np.zeros(0, np.int64)) for kind in self.cells] for name, (chosen, _) in self.regions.items() if chosen}
        nodes = {name: numbers for name, (_, numbers) in self.regions.items() if len(numbers)}
        blocks = [(MESHIO.get(kind, kind), cells) for kind, cells in self.cells.items()]
        spread = {}
        for name, values in (cell_data or {}).items():
            body, parts, start = self._body(), [], 0
            for kind, cells in self.cells.items():
                if kind in body:
                    parts.append(values[start : start + len(cells)])
                    start += len(cells)
                else:
                    parts.append(np.full((len(cells), *values.shape[1:]), np.nan))
            spread[name] = parts
        return meshio.Mesh(self.points, blocks, point_data=point_data, cell_data=spread, cell_sets=sets, point_sets=nodes)

    def to_pyvista(self):
        """A pyvista.UnstructuredGrid of the body's cells."""
        import pyvista

        unknown = [kind for kind in self._body() if kind not in VTK_TYPE]
        if unknown:
            raise _errors.refuse(f"cells {unknown[0]!r} for pyvista", "VTK has no such cells", "take other cells")
        return pyvista.UnstructuredGrid({VTK_TYPE[kind]: self.cells[kind] for kind in self._body()}, self.points)

    @classmethod
    def from_meshio(cls, mesh) -> Mesh:
        """Of a meshio.Mesh, with its cell sets and point sets as regions. Points of a mesh in the plane must have z = 0."""
        cells = {kind: nodes for kind, nodes in mesh.cells_dict.items() if kind != "vertex"}
        regions = {}
        for name, parts in mesh.cell_sets_dict.items():
            if not name.startswith("gmsh:"):
                regions[name] = {kind: _mask(positions, len(cells[kind]), f"cells {kind!r}") for kind, positions in parts.items() if kind in cells}
        for name, nodes in mesh.point_sets.items():
            regions.setdefault(name, {})["nodes"] = _mask(nodes, len(mesh.points), "nodes")
        places, first = {}, 0
        for block in mesh.cells:
            kind = KINDS.get(block.type, block.type)
            places[kind] = np.concatenate([places.get(kind, np.zeros(0, np.int64)), np.arange(first, first + len(block.data))])
            first += len(block.data)
        return cls(mesh.points, cells, regions)._ranked(places)


class Array:
    """Numbers for each cell or node of the mesh, in place of one number or formula of a case: ritz.per_cell, ritz.per_node."""

    def __init__(self, values, at_nodes: bool):
        self.values, self.at_nodes = _errors.real(values, "an array of a case"), at_nodes
        if self.values.ndim != 1:
            raise _errors.refuse(f"an array of shape {self.values.shape} in a case", "a key takes one number at each place",
                                 "give one array for each component")


def per_cell(values) -> Array:
    """One number for each cell of the body: "young": ritz.per_cell(E). Serves wherever a case takes a formula of x, y and z.

    The order is that of the Mesh that is given, block after block, or of the grid that it was made of; Result.cell_fields and vjp() have it, too.
    Where the case names a file, or refines the mesh, it is the order of Result.cell_fields."""
    return Array(values, False)


def per_node(values) -> Array:
    """One number for each node of the mesh; between nodes it is interpolated by the cells' shape functions."""
    return Array(values, True)


class _Names:
    """What a case of tables calls its file and its arrays."""

    def __init__(self):
        self.file, self.arrays = "", {}

    def toml(self, value, key):
        return _toml(value, key, self.arrays)

    def drop(self, key):
        """Forgets the arrays at a key and below it: an override takes their place."""
        self.arrays = {name: array for name, array in self.arrays.items() if name != key and not name.startswith(f"{key}.")}

    def without_lines(self):
        return _without_lines(self.file) if self.file else contextlib.nullcontext()


_DEEPEST = 100  # of tables and lists within each other


def _toml(value, key, arrays):
    """A value as TOML on one line. Arrays are collected by their keys, which stand for them."""
    if isinstance(value, Array):
        arrays[key] = value
        return json.dumps(key)
    if isinstance(value, np.ndarray) and value.ndim == 0:
        value = value.item()
    if isinstance(value, (bool, np.bool_)):
        return "true" if value else "false"
    if isinstance(value, (int, np.integer)):
        return str(int(value))
    if isinstance(value, (float, np.floating)):
        return repr(float(value))
    if isinstance(value, (str, os.PathLike)):
        return json.dumps(os.fspath(value), ensure_ascii=False)
    if key.count(".") > _DEEPEST:
        raise _errors.refuse(f"{key[:40]}... lies more than {_DEEPEST} tables and lists deep", "the case seems to hold itself", "give tables of numbers and texts")
    if isinstance(value, dict):
        return "{" + ", ".join(f"{json.dumps(str(k))} = {_toml(v, f'{key}.{k}', arrays)}" for k, v in value.items() if v is not None) + "}"
    if isinstance(value, (list, tuple, np.ndarray)):
        return "[" + ", ".join(_toml(each, f"{key}.{i}", arrays) for i, each in enumerate(value)) + "]"
    raise _errors.refuse(f"{key} is a {type(value).__name__}", "a case holds numbers, texts, true or false, lists and tables", "convert it")


def materials() -> dict[str, dict]:
    """The materials that a case may name, {"material": "steel S235"}: their constants by name, in SI units, each with its "source"."""
    return {each.pop("name"): each for each in json.loads(_ritz.materials())}


class Step:
    """Results of one step: of a load case, combination, increment, member in time, or mode.

    fields: {"displacement": (nodes, components), "von_mises": (nodes,)}; cell_fields: one value in each cell; probes: numbers or lists."""

    def __init__(self, step):
        self.time, self.load_case, self.fields, self.cell_fields = step["time"], step["load_case"], step["fields"], step["cell_fields"]
        self._labels = step["components"]
        self.probes = {name: values[0] if len(values) == 1 else values for name, values in step["probes"].items()}

    def __repr__(self):
        return f"<ritz.Step {self.load_case or self.time or ''} with {', '.join(self.fields)}>"


class Result:
    """Results of a run: `steps`, and those of the last one as `fields`, `cell_fields` and `probes`; `report` is that of the program (--json)."""

    def __init__(self, report, steps, mesh, case):
        self.case: str = case  # as it was solved, in TOML: with overrides and used defaults
        self.report: dict = json.loads(report)
        self.steps: list[Step] = [Step(each) for each in steps]
        self._arrays, self._mesh = mesh, None

    fields = property(lambda self: self.steps[-1].fields if self.steps else {})
    cell_fields = property(lambda self: self.steps[-1].cell_fields if self.steps else {})
    probes = property(lambda self: self.steps[-1].probes if self.steps else {})
    facts = property(lambda self: self.report.get("facts", {}))
    notices = property(lambda self: self.report.get("notices", []))

    @property
    def frequencies(self) -> np.ndarray:
        """[Hz] of the modes, whose shapes are fields["mode_1"] and so on; empty where none were asked for."""
        return np.array([float(each) for each in self.facts.get("frequencies_hz", "").split()])

    @property
    def mesh(self) -> Mesh:
        """The mesh of the run: that of the case, scaled, refined and raised in its order, with its regions."""
        if self._mesh is None:
            self._mesh = Mesh._of(self._arrays, self.report["program"] == "ritz-structure")
        return self._mesh

    def load_case(self, name: str) -> Step:
        """The step of a load case or combination."""
        for step in self.steps:
            if step.load_case == name:
                return step
        raise KeyError(name)

    def _data(self, step):
        step = self.steps[-1] if step is None else step if isinstance(step, Step) else self.load_case(step)
        mesh = self.mesh
        for name, values in step.fields.items():
            if len(values) != len(mesh.points):
                raise _errors.refuse(f"the field {name!r} has {len(values)} points, and the mesh {len(mesh.points)} nodes",
                                     'it stands on finer points: [output] cells = "lagrange"', 'say [output] cells = "mesh"')
        cells = {name: values if mesh._order is None else values[mesh._order] for name, values in step.cell_fields.items()}
        return mesh, step.fields, cells

    def to_meshio(self, step: Step | str | None = None):
        """A meshio.Mesh with the fields of a step, or of a load case by its name; else of the last step."""
        mesh, nodal, cells = self._data(step)
        return mesh.to_meshio(nodal, cells)

    def to_pyvista(self, step: Step | str | None = None):
        """A pyvista.UnstructuredGrid with the fields of a step, likewise. Cell fields have a name of their own where nodes have it."""
        mesh, nodal, cells = self._data(step)
        grid = mesh.to_pyvista()
        for name, values in nodal.items():
            grid.point_data[name] = values
        for name, values in cells.items():
            grid.cell_data[name if name not in nodal else f"{name}_cells"] = values
        return grid

    def write_html(self, file, field: str | None = None, *, component: int | str | None = None, warp: str | None = None, step: Step | str | None = None) -> None:
        """One HTML file without links to others, as --report of the programs: a view of the load cases and of the last step, or of `step`; probes,
        balance, convergence, notices, materials, loads and supports, versions. Raises Error, OutputError."""
        from ritz import _picture
        last = self.steps[-1] if step is None and self.steps else step if isinstance(step, Step) or step is None else self.load_case(step)
        shown = [each for each in self.steps if each.load_case and each is not last] + ([last] if last else [])
        arrays = lambda values, each: [(name, np.ascontiguousarray(part, dtype=float), each._labels.get(name, [])) for name, part in values.items()]
        steps = [(each.load_case, arrays(nodal, each), arrays(cells, each)) for each in shown for _, nodal, cells in [self._data(each)]]
        look = {"field": field, "component": None if component is None else str(component), "warp": warp}
        versions = [("Python", platform.python_version()), ("NumPy", np.__version__)]
        text = _ritz.page(self.mesh._arrays, self.report["program"] == "ritz-structure", steps, look, json.dumps(self.report), self.case, versions)
        _picture.write(file, text.encode())

    def __repr__(self) -> str:
        return f"<ritz.Result of {len(self.steps)} steps with {', '.join(self.fields)}>"


@contextlib.contextmanager
def _without_lines(name):
    """Messages about a case of tables name keys, not the lines of a text that nobody sees."""
    try:
        yield
    except _errors.Error as error:
        place = re.compile(r",? at " + re.escape(name) + r"(:\d+)*")
        for each in {id(e): e for e in (error, *error.errors)}.values():
            for attribute in ("message", "why", "remedy", "place"):
                setattr(each, attribute, place.sub("", getattr(each, attribute)).replace(name, "the case"))
        raise


def _case_call(case, overrides, mesh, physics, folder, device, threads, log):
    """The call, the names in it, and the mesh, which must outlive it."""
    if physics is not None and physics not in PHYSICS:
        raise _errors.refuse(f"physics={physics!r}", "", "one of " + ", ".join(map(repr, PHYSICS)))
    names = _Names()
    if isinstance(case, dict):
        names.file = path = str(pathlib.Path(folder or ".").absolute() / "case.toml")
        text = "".join(f"{json.dumps(str(key))} = {names.toml(value, str(key))}\n" for key, value in case.items() if value is not None)
    else:
        path, text = os.fspath(case), None
    settings = []
    for key, value in (overrides or {}).items():
        names.drop(key)
        settings.append(f"{key}={names.toml(value, key)}")
    arrays = None
    if isinstance(mesh, Mesh):
        arrays = mesh._arrays
    elif mesh is not None:
        settings.append(f"mesh.file={names.toml(str(mesh), 'mesh.file')}")
    with names.without_lines():
        program = physics or _ritz.program_of(path, text, settings)
    given = [(key, array.at_nodes, array.values) for key, array in names.arrays.items()]
    return _ritz.CaseCall(program, path, text, settings, arrays, given, device, threads, log), names, mesh


def _call(case, overrides, mesh, physics, folder, output, device, threads, check, log, overwrite, progress):
    call, names, _ = _case_call(case, overrides, mesh, physics, folder, device, threads, log)
    with names.without_lines():
        return _ritz.run(call, os.fspath(output or ""), check, overwrite, progress)


def run(case, overrides: dict | None = None, *, mesh=None, physics: str | None = None, folder=None, output=None, device: str = "auto",
        threads: int = 0, log: bool = False, overwrite: bool = False, progress=None) -> Result:
    """Runs a case in this process and returns its Result. Every key, unit, check and message is that of the programs.

    case: path of a case file, or tables {"material": [{"region": "steel", "young": 210e9, "poisson": 0.3}], ...}, lists where a file has [[...]].
    overrides: {"material.0.young": 70e9}, as --set. mesh: a Mesh, or the path of a file, in place of [mesh] file.
    physics: "elasticity", "heat", "modal", "structure" or "solve"; else the tables tell. folder: of relative paths in tables; else the current one.
    output: folder that gets the files of the programs, too; else nothing is written. log: the program's lines on standard output.
    progress: called with a text while solvers iterate, ten times a second at most; an exception of it ends the run.
    Raises Error: with kind, place, why and remedy; NotConverged; KeyboardInterrupt within an iteration after Ctrl-C."""
    return Result(*_call(case, overrides, mesh, physics, folder, output, device, threads, False, log, overwrite, progress))


def check(case, overrides: dict | None = None, *, mesh=None, physics: str | None = None, folder=None, device: str = "auto", threads: int = 0,
          log: bool = False) -> dict:
    """Reads and checks everything as run() does, and solves nothing. Returns the report, with the forecast of memory and time."""
    return json.loads(_call(case, overrides, mesh, physics, folder, None, device, threads, True, log, False, None)[0])
