"""Pictures without VTK: surfaces are closed, pixels show what is nearest, files of Ritz are read."""
import os
import pathlib
import struct
import subprocess
import sys
import tempfile
import unittest
import zlib

import numpy as np

import ritz
from ritz import _picture

# Reference cells: corners, their volume, VTK's numbers of the linear and the quadratic cell.
SOLIDS = {"tet": ([(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)], 1 / 6, (10, 24)),
          "hex": ([(x, y, z) for z in (0, 1) for x, y in ((0, 0), (1, 0), (1, 1), (0, 1))], 1, (12, 25)),
          "prism": ([(x, y, z) for z in (0, 1) for x, y in ((0, 0), (1, 0), (0, 1))], 1 / 2, (13, 26)),
          "pyramid": ([(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0), (0, 0, 1)], 1 / 3, (14, 27))}


def with_edges(shape, corners):
    points = np.array(corners, float)
    return np.vstack([points, [points[[int(digit) for digit in edge]].mean(axis=0) for edge in _picture.EDGES[shape].split()]])


def write_vtu(path, points, nodes, kinds, point_fields):
    """As Ritz writes: raw, appended, 64-bit headers."""
    blocks, offset = [], 0

    def array(name, values, kind):
        nonlocal offset
        values = np.ascontiguousarray(values)
        blocks.append(struct.pack("<Q", values.nbytes) + values.tobytes())
        columns = values.shape[1] if values.ndim > 1 else 1
        tag = f'<DataArray type="{kind}" Name="{name}" NumberOfComponents="{columns}" format="appended" offset="{offset}"/>'
        offset += len(blocks[-1])
        return tag

    text = ('<VTKFile type="UnstructuredGrid" version="1.0" byte_order="LittleEndian" header_type="UInt64"><UnstructuredGrid>'
            f'<Piece NumberOfPoints="{len(points)}" NumberOfCells="{len(nodes)}"><PointData>'
            + "".join(array(name, np.asarray(values, float), "Float64") for name, values in point_fields.items()) + "</PointData><Points>"
            + array("Points", np.asarray(points, float), "Float64") + "</Points><Cells>"
            + array("connectivity", np.concatenate(nodes).astype(np.int32), "Int32")
            + array("offsets", np.cumsum([len(each) for each in nodes]).astype(np.int32), "Int32")
            + array("types", np.array(kinds, np.uint8), "UInt8") + '</Cells></Piece></UnstructuredGrid><AppendedData encoding="raw">_')
    pathlib.Path(path).write_bytes(text.encode() + b"".join(blocks) + b"</AppendedData></VTKFile>")


def read_png(path):
    data = pathlib.Path(path).read_bytes()
    width, height = struct.unpack(">II", data[16:24])
    at = data.index(b"IDAT")
    rows = zlib.decompress(data[at + 4:at + 4 + struct.unpack(">I", data[at - 4:at])[0]])
    return np.frombuffer(rows, np.uint8).reshape(height, 3 * width + 1)[:, 1:].reshape(height, width, 3)


class Surfaces(unittest.TestCase):
    def test_triangles_of_a_cell_enclose_its_volume(self):
        for shape, (corners, volume, kinds) in SOLIDS.items():
            for kind, points in zip(kinds, (np.array(corners, float), with_edges(shape, corners))):
                with self.subTest(cell=kind):
                    nodes = np.arange(len(points))[None]
                    triangles, *_ = _picture.surface(_picture.Grid(points, [(kind, np.array([0]), nodes)], {}, {}))
                    a, b, c = (points[triangles[:, i]] for i in range(3))
                    self.assertLess(np.abs(np.cross(b - a, c - a).sum(axis=0)).max(), 1e-14)  # closed
                    self.assertAlmostEqual(np.einsum("ij,ij->", a, np.cross(b, c)) / 6, volume, delta=1e-14)

    def test_facets_between_cells_are_not_drawn(self):
        points = np.array([(x, y, z) for z in (0, 1) for y in (0, 1) for x in (0, 1, 2)], float)
        cell = np.array([0, 1, 4, 3, 6, 7, 10, 9])
        triangles, cells, *_ = _picture.surface(_picture.Grid(points, [(12, np.array([0, 1]), np.stack([cell, cell + 1]))], {}, {}))
        self.assertEqual((len(triangles), np.bincount(cells).tolist()), (20, [10, 10]))


class Pixels(unittest.TestCase):
    def test_the_nearest_triangle_is_seen_in_either_order(self):
        corners = np.array([[[0, 0, depth], [9, 0, depth], [0, 9, depth]] for depth in (2.0, 1.0)])
        for order in ([0, 1], [1, 0]):
            canvas = _picture.Canvas(10, 10)
            for i in order:
                canvas.triangles(corners[i:i + 1], np.full((1, 3), float(i)), np.ones(1))
            self.assertEqual(canvas.value[2 * 10 + 2], 1)
            self.assertEqual(np.isfinite(canvas.depth).sum(), 55)  # 10 + 9 + ... + 1

    def test_a_square_has_its_size_and_the_colours_of_its_field(self):
        with tempfile.TemporaryDirectory() as folder:
            points = [(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0)]
            write_vtu(f"{folder}/a.vtu", points, [[0, 1, 2, 3]], [9], {"x": [0, 1, 1, 0], "move": np.ones((4, 3))})
            ritz.picture(f"{folder}/a.vtu", f"{folder}/a.png", "x", warp="move", size=(400, 300))
            image = read_png(f"{folder}/a.png").astype(int)
        self.assertEqual(image.shape, (300, 400, 3))
        part = image[36:280, 40:300]  # between title, colour bar and margins
        covered = (part < 250).any(axis=2)
        self.assertAlmostEqual(covered.sum(), (0.8 * 300) ** 2, delta=0.02 * (0.8 * 300) ** 2)
        left, right = part[120, np.flatnonzero(covered[120])[3]], part[120, np.flatnonzero(covered[120])[-4]]
        self.assertGreater(left[2] - left[0], 100)
        self.assertGreater(right[0] - right[2], 100)


class Refused(unittest.TestCase):
    def test_fields_and_files_that_are_not_there(self):
        with tempfile.TemporaryDirectory() as folder:
            good, cut = pathlib.Path(folder, "good.vtu"), pathlib.Path(folder, "cut.vtu")
            write_vtu(good, np.eye(3), [[0, 1, 2]], [5], {"heat": [0, 1, 2]})
            with self.assertRaisesRegex(ritz.InputError, "there is no field 'cold'") as caught:
                ritz.picture(good, f"{folder}/a.png", "cold")
            self.assertEqual(caught.exception.remedy, "the fields are heat")
            cut.write_bytes(good.read_bytes()[:-60])
            for path in (cut, pathlib.Path(folder, "missing.vtu"), pathlib.Path(__file__)):
                with self.subTest(path=path.name), self.assertRaises(ritz.MeshError):
                    ritz.picture(path, f"{folder}/a.png")
            with self.assertRaises(ritz.OutputError):
                ritz.picture(good, f"{folder}/none/a.png")


class Demo(unittest.TestCase):
    def test_demo_leaves_results_and_pictures_in_a_new_folder(self):
        with tempfile.TemporaryDirectory() as folder:
            command = [sys.executable, "-m", "ritz", "demo", f"{folder}/demo"]
            done = subprocess.run(command, capture_output=True, text=True, timeout=200)
            self.assertEqual(done.returncode, 0, done.stderr)
            for name in ("bracket", "heat_sink"):
                self.assertEqual(read_png(f"{folder}/demo/{name}.png").shape, (900, 1200, 3))
                self.assertTrue(os.path.getsize(f"{folder}/demo/results/{name}/{name}.pvd"))
            self.assertEqual(subprocess.run(command, capture_output=True).returncode, 7)
