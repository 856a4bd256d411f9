"""Cases of Ritz run in this process: tables in, arrays out."""
import contextlib
import json
import os
import pathlib
import re

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


def _kind(name):
    if name not in KINDS:
        raise _errors.refuse(f"cells of kind {name!r}", "Ritz does not know these cells", "one of " + ", ".join(map(repr, KINDS)))
    return KINDS[name]


def _positions(chosen, count, what):
    """Ascending positions of a mask or a list of indices."""
    chosen = np.asarray(chosen)
    if chosen.dtype == bool:
        if chosen.shape != (count,):
            raise _errors.refuse(f"a mask of shape {chosen.shape} for {count} {what}", "", "give one entry for each")
        return np.flatnonzero(chosen).astype(np.int64)
    if chosen.size and (not np.issubdtype(chosen.dtype, np.integer) or chosen.min() < 0 or chosen.max() >= count):
        raise _errors.refuse(f"{what} that are not there", f"they count from 0 to {count - 1}", "give their numbers, or a mask")
    return np.unique(chosen.reshape(-1)).astype(np.int64)


class Mesh:
    """A mesh from arrays, checked where it is used, with the messages of a mesh from a file.

    points: (nodes, 3), or (nodes, 2) in the plane. cells: {"tet10": (cells, 10), ...}, nodes in VTK's order from 0, names of Ritz or meshio.
    Cells of a lower dimension than the body's name its facets, in regions.
    regions: {name: {"tet10": mask or positions in that block, "tri6": ..., "nodes": mask or node numbers}}."""

    def __init__(self, points, cells, regions=None):
        points = np.ascontiguousarray(points, dtype=float)
        if points.ndim != 2 or points.shape[1] not in (2, 3):
            raise _errors.refuse(f"points of shape {points.shape}", "", "give an array of shape (nodes, 3), or (nodes, 2) in the plane")
        self.points = points if points.shape[1] == 3 else np.column_stack([points, np.zeros(len(points))])
        self.cells = {}
        for name, nodes in cells.items():
            kind, nodes = _kind(name), np.ascontiguousarray(nodes)
            if nodes.ndim != 2 or nodes.shape[1] != NODE_COUNT[kind] or (nodes.size and not np.issubdtype(nodes.dtype, np.integer)):
                raise _errors.refuse(f"cells {name!r} of shape {nodes.shape}", f"they have {NODE_COUNT[kind]} nodes each", "give whole numbers of shape (cells, nodes)")
            if nodes.size and (nodes.min() < 0 or nodes.max() >= len(points)):
                raise _errors.refuse(f"cells {name!r} have nodes from {nodes.min()} to {nodes.max()}", f"there are {len(points)}, from 0", "count nodes from 0")
            if kind in self.cells:
                raise _errors.refuse(f"two blocks of cells {kind!r}", "", "join them")
            self.cells[kind] = nodes.astype(np.int64)
        self.regions = {}
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
    def from_meshio(cls, mesh):
        """Of a meshio.Mesh, with its cell sets and point sets as regions. Points of a mesh in the plane must have z = 0."""
        cells = {kind: nodes for kind, nodes in mesh.cells_dict.items() if kind != "vertex"}
        regions = {}
        for name, parts in mesh.cell_sets_dict.items():
            if not name.startswith("gmsh:"):
                regions[name] = {kind: positions for kind, positions in parts.items() if kind in cells}
        for name, nodes in mesh.point_sets.items():
            regions.setdefault(name, {})["nodes"] = nodes
        return cls(mesh.points, cells, regions)


def _toml(value, key):
    """A value as TOML on one line."""
    if isinstance(value, (bool, np.bool_)):
        return "true" if value else "false"
    if isinstance(value, (int, np.integer)):
        return str(int(value))
    if isinstance(value, (float, np.floating)):
        return repr(float(value))
    if isinstance(value, (str, os.PathLike)):
        return json.dumps(os.fspath(value), ensure_ascii=False)
    if isinstance(value, dict):
        return "{" + ", ".join(f"{json.dumps(str(k))} = {_toml(v, f'{key}.{k}')}" for k, v in value.items() if v is not None) + "}"
    if isinstance(value, (list, tuple, np.ndarray)):
        return "[" + ", ".join(_toml(each, f"{key}.{i}") for i, each in enumerate(value)) + "]"
    raise _errors.refuse(f"{key} is a {type(value).__name__}", "a case holds numbers, texts, true or false, lists and tables", "convert it")


def _physics(case, given):
    """The program that reads the case, by its tables where nobody says it."""
    if given is not None:
        if given not in PHYSICS:
            raise _errors.refuse(f"physics={given!r}", "", "one of " + ", ".join(map(repr, PHYSICS)))
        return given
    entries = case.get("material", [])
    materials = entries if isinstance(entries, list) else [entries]
    keys = {key for each in materials if isinstance(each, dict) for key in each}
    if "section" in case:
        return "modal" if "modal" in case else "structure"
    if keys & {"conductivity", "conductivity_along"}:
        return "heat"
    if keys & {"young", "orthotropic", "anisotropic"}:
        return "modal" if "modal" in case else "elasticity"
    return "solve"


class Step:
    """Results of one step: of a load case, combination, increment, member in time, or mode.

    fields: {"displacement": (nodes, components), "von_mises": (nodes,)}; cell_fields: one value in each cell; probes: numbers or lists."""

    def __init__(self, step):
        self.time, self.load_case, self.fields, self.cell_fields = step["time"], step["load_case"], step["fields"], step["cell_fields"]
        self.probes = {name: values[0] if len(values) == 1 else values for name, values in step["probes"].items()}

    def __repr__(self):
        return f"<ritz.Step {self.load_case or self.time or ''} with {', '.join(self.fields)}>"


class Result:
    """Results of a run: `steps`, and those of the last one as `fields`, `cell_fields` and `probes`; `report` is that of the program (--json)."""

    def __init__(self, report, steps):
        self.report = json.loads(report)
        self.steps = [Step(each) for each in steps]

    fields = property(lambda self: self.steps[-1].fields if self.steps else {})
    cell_fields = property(lambda self: self.steps[-1].cell_fields if self.steps else {})
    probes = property(lambda self: self.steps[-1].probes if self.steps else {})
    facts = property(lambda self: self.report.get("facts", {}))
    notices = property(lambda self: self.report.get("notices", []))

    def load_case(self, name):
        """The step of a load case or combination."""
        for step in self.steps:
            if step.load_case == name:
                return step
        raise KeyError(name)

    def __repr__(self):
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


def _call(case, overrides, mesh, physics, folder, output, device, threads, check, log, overwrite):
    settings = [f"{key}={_toml(value, key)}" for key, value in (overrides or {}).items()]
    arrays = None
    if isinstance(mesh, Mesh):
        arrays = mesh._arrays
    elif mesh is not None:
        settings.append(f"mesh.file={_toml(str(mesh), 'mesh.file')}")
    common = (settings, arrays, os.fspath(output or ""), device, threads, check, log, overwrite)
    if not isinstance(case, dict):
        path = os.fspath(case)
        return _ritz.run(_physics(_tables_of(path) if physics is None else {}, physics), path, None, *common)
    name = str(pathlib.Path(folder or ".").absolute() / "case.toml")
    text = "".join(f"{json.dumps(str(key))} = {_toml(value, key)}\n" for key, value in case.items() if value is not None)
    with _without_lines(name):
        return _ritz.run(_physics(case, physics), name, text, *common)


def _tables_of(path):
    """Enough of a case file to see which program reads it: its tables, and keys of [[material]]. The program reads it properly."""
    try:
        text = pathlib.Path(path).read_text(errors="replace")
    except OSError:
        return {}
    tables, name = {}, ""
    for line in text.splitlines():
        header = re.match(r"\s*\[+\s*([\w-]+)(?:\.([\w-]+))?", line)
        key = re.match(r"\s*([\w-]+)\s*=", line)
        if header:
            name = header[1]
            tables.setdefault(name, [{}])
            if header[2]:
                tables[name][0][header[2]] = True
        elif key and name:
            tables[name][0][key[1]] = True
    return tables


def run(case, overrides=None, *, mesh=None, physics=None, folder=None, output=None, device="auto", threads=0, log=False, overwrite=False):
    """Runs a case in this process and returns its Result. Every key, unit, check and message is that of the programs.

    case: path of a case file, or tables {"material": [{"region": "steel", "young": 210e9, "poisson": 0.3}], ...}, lists where a file has [[...]].
    overrides: {"material.0.young": 70e9}, as --set. mesh: a Mesh, or the path of a file, in place of [mesh] file.
    physics: "elasticity", "heat", "modal", "structure" or "solve"; else the tables tell. folder: of relative paths in tables; else the current one.
    output: folder that gets the files of the programs, too; else nothing is written. log: the program's lines on standard output.
    Raises Error: with kind, place, why and remedy; NotConverged; KeyboardInterrupt within an iteration after Ctrl-C."""
    return Result(*_call(case, overrides, mesh, physics, folder, output, device, threads, False, log, overwrite))


def check(case, overrides=None, *, mesh=None, physics=None, folder=None, device="auto", threads=0, log=False):
    """Reads and checks everything as run() does, and solves nothing. Returns the report, with the forecast of memory and time."""
    return json.loads(_call(case, overrides, mesh, physics, folder, None, device, threads, True, log, False)[0])
