"""Pictures of results in files: the surface of a VTU file of Ritz, coloured by a field, as PNG. No display, no VTK.

    python3 -m ritz picture results/bracket/bracket/bracket_000000.vtu bracket.png --field von_mises --warp displacement
"""
from __future__ import annotations

import argparse
import base64
import pathlib
import re
import sys

import numpy as np

from ritz import _errors, _ritz, _run

TYPES = {"Float64": "<f8", "Float32": "<f4", "Int64": "<i8", "Int32": "<i4", "UInt8": "u1"}
KINDS = {number: name for name, number in _run.VTK_TYPE.items()}


class Grid:
    """What a VTU file holds: points (nodes, 3), blocks [(VTK's number, positions of its cells, nodes of shape (cells, n))], fields by name, names
    of their components."""

    def __init__(self, points, blocks, point_fields, cell_fields, labels=None):
        self.points, self.blocks, self.point_fields, self.cell_fields, self.labels = points, blocks, point_fields, cell_fields, labels or {}

    def shown(self):
        """Mesh, structural and steps as _ritz.picture takes them."""
        unknown = [kind for kind, _, _ in self.blocks if kind not in KINDS]
        if unknown:
            raise _errors.make(2, "picture", f"cells of VTK's type {unknown[0]} cannot be drawn", "",
                               'write the results with [output] cells = "mesh"' if unknown[0] in range(68, 76) else "")
        names = {KINDS[kind] for kind, _, _ in self.blocks}
        dimensions = {1 if name.startswith("line") else 2 if name.startswith(("tri", "quad")) else 3 for name in names}
        structural = max(dimensions) < 3 and (len(dimensions) > 1 or np.ptp(self.points[:, 2]) > 0 or dimensions == {1})
        order = np.concatenate([positions for _, positions, _ in self.blocks])
        fields = lambda values, chosen: [(name, np.ascontiguousarray(each[chosen], dtype=float), self.labels.get(name, []))
                                         for name, each in values.items() if each.ndim < 3 and np.issubdtype(each.dtype, np.number)]
        mesh = _ritz.MeshArrays(np.ascontiguousarray(self.points, dtype=float), [(KINDS[kind], nodes) for kind, _, nodes in self.blocks], [])
        return mesh, structural, [("", fields(self.point_fields, slice(None)), fields(self.cell_fields, order))]


def read_vtu(path):
    """The Grid of a file that Ritz wrote, without compression."""
    try:
        data = pathlib.Path(path).read_bytes()
    except OSError as error:
        raise _errors.make(3, "picture", f"'{path}' cannot be read: {error.strerror}") from None
    mark = data.find(b"<AppendedData")
    head = data[:mark if mark >= 0 else len(data)].decode(errors="replace")
    start = data.find(b"_", mark) + 1
    about = _attributes(head[head.find("<VTKFile"):].split(">")[0])
    if about.get("type") != "UnstructuredGrid" or about.get("header_type") != "UInt64" or "compressor" in about:
        raise _errors.make(3, "picture", f"'{path}' is no VTU file as Ritz writes it", "others may be compressed, or have pieces",
                           "take the .vtu file of a run, with [output] compression = \"none\"")
    sections, labels = {}, {}
    try:
        for section in ("PointData", "CellData", "Points", "Cells"):
            part = head[head.index(f"<{section}"):head.index(f"</{section}>")] if f"</{section}>" in head else ""
            arrays = sections[section] = {}
            for tag, content in re.findall(r"<DataArray ([^>]*)>([^<]*)", part):
                each = _attributes(tag)
                raw = data[start + int(each["offset"]):] if each["format"] == "appended" else base64.b64decode(content.strip())
                size = int.from_bytes(raw[:8], "little")
                values, columns = np.frombuffer(raw[8:8 + size], TYPES[each["type"]]), int(each.get("NumberOfComponents") or 1)
                arrays[each["Name"]] = values.reshape(-1, columns) if columns > 1 else values
                own = [each.get(f"ComponentName{i}", "") for i in range(columns)]
                if columns > 1 and all(own) and own not in (["X", "Y", "Z"], ["XX", "YY", "ZZ", "XY", "YZ", "XZ"]):
                    labels[each["Name"]] = own
        points, cells = sections["Points"]["Points"], sections["Cells"]
        ends = cells["offsets"].astype(np.int64)
        blocks = []
        for kind in np.unique(cells["types"]):
            mine = np.flatnonzero(cells["types"] == kind)
            first = np.concatenate([[0], ends])[mine]
            width = int(ends[mine[0]] - first[0])
            blocks.append((int(kind), mine, cells["connectivity"][first[:, None] + np.arange(width)].astype(np.int64)))
        if not len(points) or not blocks or max(nodes.max() for _, _, nodes in blocks) >= len(points):
            raise ValueError("no cells, or nodes that are not there")
    except (KeyError, ValueError, IndexError) as error:
        raise _errors.make(3, "picture", f"'{path}' is damaged: {error}") from None
    return Grid(points, blocks, sections["PointData"], sections["CellData"], labels)


def _attributes(tag):
    return {name: value.strip() for name, value in re.findall(r'(\w+)="([^"]*)"', tag)}


def write(path, content):
    try:
        pathlib.Path(path).write_bytes(content)
    except OSError as error:
        raise _errors.make(7, "picture", f"cannot write '{path}': {error.strerror}", "", "check that the folder exists and may be written to") from None


def picture(result, file, field=None, *, component=None, warp=None, factor=None, limits=None, size=(1200, 900)):
    """Writes a PNG of the surface of a result, as --picture of the programs.

    result: a .vtu file of a run; field: at points or cells, default the first; component: its name or number, default the magnitude;
    warp: a displacement that moves the points, by `factor` or a tenth of the size at most; limits: (low, high) of the colours;
    size: pixels. Raises Error, OutputError."""
    look = {"field": field, "component": None if component is None else str(component), "warp": warp, "factor": factor, "limits": limits,
            "width": size[0], "height": size[1]}
    write(file, _ritz.picture(*read_vtu(result).shown(), look, pathlib.Path(result).stem))


def main(arguments):
    parser = argparse.ArgumentParser(prog="python -m ritz picture", description="The surface of a result, coloured by a field, as PNG.")
    parser.add_argument("result", help="a .vtu file of a run")
    parser.add_argument("picture", help="PNG file to write")
    parser.add_argument("--field", help="point or cell field that gives the colour; default: the first one")
    parser.add_argument("--component", help="name or number of a component; default: the magnitude")
    parser.add_argument("--warp", help="vector field that moves the points")
    parser.add_argument("--factor", type=float, help="how much it moves them; default: a tenth of the size at most")
    parser.add_argument("--limits", nargs=2, type=float, metavar=("LOW", "HIGH"), help="of the colours")
    parser.add_argument("--size", nargs=2, type=int, default=(1200, 900), metavar=("WIDTH", "HEIGHT"), help="pixels")
    asked = vars(parser.parse_args(arguments))
    try:
        picture(asked.pop("result"), asked.pop("picture"), **asked)
    except _errors.Error as error:
        print(f"error: {error}", file=sys.stderr)
        return error.exit_code
    return 0
