"""Pictures of results in files: the surface, coloured by a field, as PNG. No display.

    ritz.picture("results/bracket/bracket.pvd", "bracket.png", "von_mises", warp="displacement")
"""
from __future__ import annotations

import os
import pathlib

import numpy as np

from ritz import _errors, _ritz, _run

KINDS = {number: name for name, number in _run.VTK_TYPE.items()}


class Grid:
    """A mesh with fields: points (nodes, 3), blocks [(VTK's number, positions of its cells, nodes of shape (cells, n))], fields by name, names
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


def write(path, content):
    try:
        pathlib.Path(path).write_bytes(content)
    except OSError as error:
        raise _errors.make(7, "picture", f"cannot write '{path}': {error.strerror}", "", "check that the folder exists and may be written to") from None


def picture(result, file, field=None, *, component=None, warp=None, factor=None, limits=None, size=(1200, 900), time=None, cells=False):
    """Writes a PNG of the surface of a result, as the command `ritz picture`.

    result: the .pvd of a run, or a step (.vtu, .pvtu); field: at points or cells, default the first; component: its name or number, default
    the magnitude; warp: a displacement that moves the points, by `factor` or a tenth of the size at most; limits: (low, high) of the colours;
    size: pixels; time: of a step in a .pvd, default the last; cells: the field in cells, where points have one of its name, too.
    Raises Error, OutputError."""
    look = {"field": field, "component": None if component is None else str(component), "warp": warp, "factor": factor, "limits": limits,
            "width": size[0], "height": size[1]}
    _ritz.picture_of_file(os.fspath(result), os.fspath(file), look, time, cells)
