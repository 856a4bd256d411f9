"""Pictures of files: what Ritz and others wrote is read, and what cannot be drawn is refused. tests/apps/show has the pixels."""
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

EXAMPLES, BIN = (pathlib.Path(os.environ[f"RITZ_{name}"]) for name in ("EXAMPLES", "BIN"))


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


class Pixels(unittest.TestCase):
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
        self.assertGreater(left[1], 200)  # light where x is small, dark where it is large
        self.assertLess(right[1], 40)


class Refused(unittest.TestCase):
    def test_fields_and_files_that_are_not_there(self):
        with tempfile.TemporaryDirectory() as folder:
            good, cut = pathlib.Path(folder, "good.vtu"), pathlib.Path(folder, "cut.vtu")
            write_vtu(good, np.eye(3), [[0, 1, 2]], [5], {"heat": [0, 1, 2]})
            with self.assertRaisesRegex(ritz.InputError, "has no field 'cold'") as caught:
                ritz.picture(good, f"{folder}/a.png", "cold")
            self.assertEqual(caught.exception.why, "it has 'heat'")
            cut.write_bytes(good.read_bytes()[:-60])
            for path, kind in ((cut, ritz.MeshError), (pathlib.Path(folder, "missing.vtu"), (ritz.InputError, ritz.MeshError)), (pathlib.Path(__file__), ritz.InputError)):
                with self.subTest(path=path.name), self.assertRaises(kind):
                    ritz.picture(path, f"{folder}/a.png")
            for words in ({"size": (10, 10)}, {"limits": (2, 1)}, {"factor": float("nan")}):
                with self.subTest(words), self.assertRaises(ritz.InputError):
                    ritz.picture(good, f"{folder}/a.png", **words)
            with self.assertRaises(ritz.OutputError):
                ritz.picture(good, f"{folder}/none/a.png")


class Files(unittest.TestCase):
    def test_a_file_has_the_picture_that_the_program_wrote(self):
        """Below the title, which names the file, and the unit, which files lack: of cells, of nodes, of a tensor, of beams and shells."""
        for program, case, words in (("ritz-elasticity", "bracket/bracket", ["--field", "stress", "--component", "xx", "--warp", "displacement"]),
                                     ("ritz-heat", "wall/wall", []), ("ritz-structure", "structure/portal", ["--warp", "displacement"]),
                                     ("ritz-structure", "structure/roof", ["--field", "displacement", "--component", "z"])):
            with self.subTest(case), tempfile.TemporaryDirectory() as folder:
                done = subprocess.run([BIN / program, EXAMPLES / f"{case}.toml", "--output", "out", "--picture", "a.png", *words], cwd=folder, capture_output=True, text=True)
                self.assertEqual(done.returncode, 0, done.stderr)
                last = sorted(pathlib.Path(folder, "out").rglob("*.vtu"))[-1]
                done = subprocess.run([sys.executable, "-m", "ritz", "picture", last, "b.png", *words], cwd=folder, capture_output=True, text=True)
                self.assertEqual(done.returncode, 0, done.stderr)
                ours, theirs = (read_png(f"{folder}/{name}.png")[125:] for name in "ab")
                self.assertGreater((ours < 250).mean(), 0.01)
                self.assertLess((ours != theirs).mean(), 1e-4)


class Demo(unittest.TestCase):
    def test_demo_leaves_results_and_pictures_in_a_new_folder(self):
        with tempfile.TemporaryDirectory() as folder:
            command = [sys.executable, "-m", "ritz", "demo", f"{folder}/demo"]
            done = subprocess.run(command, capture_output=True, text=True, timeout=200)
            self.assertEqual(done.returncode, 0, done.stderr)
            for name in ("bracket", "heat_sink"):
                self.assertEqual(read_png(f"{folder}/demo/{name}.png").shape, (900, 1200, 3))
                self.assertTrue(os.path.getsize(f"{folder}/demo/results/{name}/{name}.pvd"))
                self.assertTrue(os.path.getsize(f"{folder}/demo/{name}.html"))
            self.assertEqual(subprocess.run(command, capture_output=True).returncode, 7)
