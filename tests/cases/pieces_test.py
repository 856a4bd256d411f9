"""Results in pieces: each rank writes a file of its cells, and VTK's parallel reader finds in them what one file holds."""
import base64
import json
import pathlib
import shutil
import struct
import subprocess
import unittest

import boxes
import picture_test
import ritz
from divided_test import OnRanks

PYTHON = "/usr/bin/python3"  # Debian's, which has VTK
READ = """
import json, sys
import vtk
path = sys.argv[1]
reader = vtk.vtkXMLPUnstructuredGridReader() if path.endswith(".pvtu") else vtk.vtkXMLUnstructuredGridReader()
reader.SetFileName(path)
reader.Update()
grid = reader.GetOutput()
arrays = lambda data: {data.GetArray(i).GetName(): [data.GetArray(i).GetTuple(k) for k in range(data.GetArray(i).GetNumberOfTuples())] for i in range(data.GetNumberOfArrays())}
cells = []
for c in range(grid.GetNumberOfCells()):
    points = grid.GetCell(c).GetPoints()
    cells.append((grid.GetCellType(c), sorted(points.GetPoint(k) for k in range(points.GetNumberOfPoints()))))
pieces = reader.GetNumberOfPieces()
json.dump({"points": [grid.GetPoint(k) for k in range(grid.GetNumberOfPoints())], "cells": cells, "at_points": arrays(grid.GetPointData()), "in_cells": arrays(grid.GetCellData()), "pieces": pieces}, sys.stdout)
"""


def can_read():
    return pathlib.Path(PYTHON).exists() and subprocess.run([PYTHON, "-c", "import vtk"], capture_output=True).returncode == 0


class Borders(ritz.CaseTest):
    """Two cubes in two pieces, which share the nodes at x = 1."""

    def write_piece(self, name, first, values):
        corners = [(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0), (0, 0, 1), (1, 0, 1), (1, 1, 1), (0, 1, 1)]
        points = " ".join(f"{first + x} {y} {z}" for x, y, z in corners)
        array = lambda kind, name, text, more="": f'<DataArray type="{kind}" Name="{name}" format="ascii"{more}>{text}</DataArray>'
        numbers = base64.b64encode(struct.pack("<I8d", 64, *values)).decode()  # VTK reads no "nan" in texts
        self.write(name, '<VTKFile type="UnstructuredGrid" version="1.0" byte_order="LittleEndian" header_type="UInt32"><UnstructuredGrid><Piece NumberOfPoints="8" NumberOfCells="1">'
                   + "<PointData>" + array("Float64", "T", numbers).replace("ascii", "binary") + "</PointData>"
                   + "<Points>" + array("Float64", "Points", points, ' NumberOfComponents="3"') + "</Points><Cells>"
                   + array("Int64", "connectivity", "0 1 2 3 4 5 6 7") + array("Int64", "offsets", "8") + array("UInt8", "types", "12") + "</Cells></Piece></UnstructuredGrid></VTKFile>")

    def solved(self, right, left=(5.0,) * 8):
        """With a conductivity that is T: 5 in all nodes, and these at x = 1 in the right piece."""
        self.write_piece("left.vtu", 0, left)
        self.write_piece("right.vtu", 1, [value if corner in (0, 3, 4, 7) else 5.0 for corner, value in enumerate(right)])
        self.write("two.pvtu", '<VTKFile type="PUnstructuredGrid" version="1.0" byte_order="LittleEndian"><PUnstructuredGrid GhostLevel="0"><PPointData><PDataArray type="Float64" Name="T"/></PPointData>'
                   '<PPoints><PDataArray type="Float64" NumberOfComponents="3"/></PPoints><Piece Source="left.vtu"/><Piece Source="right.vtu"/></PUnstructuredGrid></VTKFile>')
        self.write("mesh.msh", boxes.shell(lambda u, v, w: (2 * u, v, w), "hex8", (2, 1, 1)))
        end = '[[region]]\nname = "x{0}"\nkind = "facets"\nplane = {{point = [{0}, 0, 0], normal = [1, 0, 0]}}\n'
        case = self.write("case.toml", '[mesh]\nfile = "mesh.msh"\n' + end.format(0) + end.format(2) + '[[field]]\nname = "s"\nfile = "two.pvtu"\nfield = "T"\n[[material]]\nregion = "part"\nconductivity = "s"\n'
                          '[[temperature]]\nregion = "x0"\nvalue = 0\n[[flux]]\nregion = "x2"\nvalue = 10\n[[probe]]\nname = "p"\nfield = "temperature"\npoint = [1, 0.5, 0.5]\n')
        return self.run_case("ritz-heat", case)

    def test_values_that_agree_are_one(self):
        for off in (0, 1e-8):
            outcome = self.solved([5 + off] * 8)
            self.assertEqual(outcome.exit, 0, outcome.errors)
            self.assert_close(outcome.probes["p"], 2, 1e-6)

    def test_values_that_are_missing_in_both_pieces_are_missing(self):
        """NaN, as results of gradients have: a picture is drawn, and a formula that needs the value says so."""
        nan = float("nan")
        outcome = self.solved([nan] * 8, [5.0, nan, nan, 5.0, 5.0, nan, nan, 5.0])
        self.assertEqual(outcome.exit, 4, outcome.log)
        self.assertNotIn("has the values", outcome.errors)
        done = subprocess.run([str(ritz.BIN / "ritz"), "picture", str(self.folder / "two.pvtu"), str(self.folder / "two.png"), "--field", "T"], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_values_that_differ_are_told_with_their_place(self):
        outcome = self.solved([5, 5, 5, 7, 5, 5, 5, 5])
        self.assertEqual(outcome.exit, 2, outcome.log)
        self.assertIn("two.pvtu' has the values 5 and 7 at (1, 1, 0)", outcome.errors)
        self.assertIn("nodes of parts that touch are not told apart in pieces", outcome.errors)
        self.assertIn('write those results with [output] format = "vtu"', outcome.errors)
        done = subprocess.run([str(ritz.BIN / "ritz"), "picture", str(self.folder / "two.pvtu"), str(self.folder / "two.png"), "--field", "T"], capture_output=True, text=True)
        self.assertIn("has the values 5 and 7 at (1, 1, 0)", done.stderr)
        self.assertNotEqual(done.returncode, 0)


@unittest.skipUnless(shutil.which("mpirun") and list((ritz.BIN.parent / "lib").glob("ritz_ranks.mpi.so")), "skipped: no MPI")
@unittest.skipUnless(can_read(), "skipped: no VTK for Python")
class Pieces(OnRanks):
    def read(self, path):
        process = subprocess.run([PYTHON, "-c", READ, str(path)], capture_output=True, text=True)
        self.assertEqual((process.returncode, process.stderr), (0, ""))
        return json.loads(process.stdout)

    def outputs(self, run, extension):
        return [path for path in run.report["outputs"] if path.endswith(extension)]

    def assert_same_file(self, pieces, whole, ranks):
        """Each cell is in one piece, and cells and points have the values that they have in one file, to the last bit."""
        ours, theirs = self.read(pieces), self.read(whole)
        self.assertEqual(ours["pieces"], ranks)
        cell_of = lambda file: {json.dumps(cell): [values[c] for _, values in sorted(file["in_cells"].items())] for c, cell in enumerate(file["cells"])}
        self.assertEqual(len(ours["cells"]), len(theirs["cells"]))
        self.assertEqual(cell_of(ours), cell_of(theirs))
        self.assertEqual(set(ours["at_points"]), set(theirs["at_points"]))
        for name, values in theirs["at_points"].items():
            expected = {tuple(x): value for x, value in zip(theirs["points"], values)}
            self.assertEqual({tuple(x) for x in ours["points"]}, set(expected))
            for x, value in zip(ours["points"], ours["at_points"][name]):
                self.assertEqual(value, expected[tuple(x)], name)

    def both(self, ranks, program, case, keys=None):
        runs = [self.solved(ranks, program, case, keys={**(keys or {}), "output.format": form}) for form in ("pvtu", "vtu")]
        for run in runs:
            check = subprocess.run([str(ritz.BIN / "ritz"), "results", "verify", str(run.folder / "results")], capture_output=True, text=True)
            self.assertEqual(check.returncode, 0, check.stdout + check.stderr)
        return runs

    def test_all_shapes_of_cells_and_both_kinds_of_fields(self):
        for cell, counts, ranks in (("mixed", (4, 4, 4), 3), ("tetra", (4, 3, 3), 2), ("quad", (9, 8), 4)):
            for program in ("ritz-heat", "ritz-elasticity"):
                with self.subTest(program=program, cell=cell):
                    pieces, whole = self.both(ranks, program, self.case(program, cell, counts))
                    [index] = self.outputs(pieces, ".pvtu")
                    self.assert_same_file(index, self.outputs(whole, ".vtu")[0], ranks)
                    self.assertIn(pathlib.Path(index).name, pathlib.Path(self.outputs(pieces, ".pvd")[0]).read_text())

    def test_fields_of_higher_order_in_single_precision_and_one_process(self):
        keys = {"space.order": 3, "output.cells": "lagrange", "output.single_precision": "true"}
        pieces, whole = self.both(2, "ritz-heat", self.case("ritz-heat", "hexa", (4, 3, 3)), keys)
        self.assert_same_file(self.outputs(pieces, ".pvtu")[0], self.outputs(whole, ".vtu")[0], 2)
        case = self.case("ritz-heat", "hexa", (4, 3, 3))
        alone, one_file = (self.solve("ritz-heat", case, keys={"output.format": form}) for form in ("pvtu", "vtu"))
        self.assert_same_file(self.outputs(alone, ".pvtu")[0], self.outputs(one_file, ".vtu")[0], 1)

    def test_steps_in_time_and_load_cases(self):
        heat = self.case("ritz-heat", "hexa", (4, 4, 4), "[time]\nend = 300.0\nstep = 100.0\n[initial]\ntemperature = 20\n")
        pieces, whole = self.both(2, "ritz-heat", heat, {"material.0.density": 1000, "material.0.specific_heat": 100})
        indices, files = self.outputs(pieces, ".pvtu"), self.outputs(whole, ".vtu")
        self.assertEqual(len(indices), len(files))
        self.assertGreater(len(indices), 1)
        for index, file in zip(sorted(indices), sorted(files)):
            self.assert_same_file(index, file, 2)
        cases = '[[load_case]]\nname = "push"\n[[load_case.pressure]]\nregion = "top"\nvalue = 5e4\n'
        pieces, whole = self.both(2, "ritz-elasticity", self.case("ritz-elasticity", "hexa", (4, 4, 4), cases))
        self.assert_same_file(self.outputs(pieces, ".pvtu")[0], self.outputs(whole, ".vtu")[0], 2)

    def test_fields_in_pieces_are_those_of_one_file(self):
        """Of another case on the same mesh, to the last bit: nodes on borders of pieces are one, and cells have the order of the mesh."""
        for cell, counts, ranks in (("mixed", (4, 4, 4), 3), ("hexa", (4, 4, 4), 2)):
            pieces, whole = self.both(ranks, "ritz-heat", self.case("ritz-heat", cell, counts))
            case = self.case("ritz-heat", cell, counts)
            for use in ('[[field]]\nname = "s"\nfile = "{}"\nfield = "temperature"\n', '[[field]]\nname = "s"\nfile = "{}"\nfield = "heat_flux"\ncomponent = 0\nat = "cells"\n',
                        '[initial]\nfile = "{}"\n[time]\nend = 10.0\nstep = 5.0\n'):
                found = []
                for run, end in ((pieces, ".pvtu"), (whole, ".vtu"), (pieces, ".pvd"), (whole, ".pvd")):
                    text = case.read_text() + use.format(self.outputs(run, end)[0])
                    keys = {"material.0.density": 1000, "material.0.specific_heat": 100} if "initial" in use else {"material.0.conductivity": '"1e5 + s"'}
                    outcome = self.solve("ritz-heat", self.write("again.toml", text), keys=keys)
                    found.append(pathlib.Path(outcome.results()).read_bytes().split(b"<AppendedData")[-1])
                    self.assertNotIn("another mesh", outcome.log)
                with self.subTest(cell, use=use):
                    self.assertTrue(all(each == found[0] for each in found))

    def test_pictures_of_pieces_are_those_of_one_file(self):
        pieces, whole = self.both(3, "ritz-elasticity", self.case("ritz-elasticity", "mixed", (4, 4, 4)))
        drawn = []
        for run, end in ((pieces, ".pvtu"), (whole, ".vtu")):
            file = self.folder / f"{end[1:]}.png"
            done = subprocess.run([str(ritz.BIN / "ritz"), "picture", self.outputs(run, end)[0], str(file), "--field", "von_mises", "--warp", "displacement"], capture_output=True, text=True)
            self.assertEqual(done.returncode, 0, done.stderr)
            drawn.append(b"".join(picture_test.body_of(picture_test.pixels(file))))
        self.assertEqual(len(drawn[0]), len(drawn[1]))
        self.assertLess(sum(a != b for a, b in zip(*drawn)), len(drawn[0]) / 1000)  # facets come in another order

    def test_a_folder_that_cannot_be_written_is_told_once(self):
        """A folder with the name of the second rank's temporary file is in its way."""
        case = self.case("ritz-heat", "hexa", (4, 4, 4))
        folder = self.folder / "blocked"
        (folder / "results" / "ritz-heat-hexa" / "ritz-heat-hexa_000000.p1.vtu.tmp" / "in").mkdir(parents=True)
        process = subprocess.run(self.command(2, "ritz-heat", case, folder, "--set", "output.format=pvtu"), capture_output=True, text=True, timeout=120, cwd=self.folder)
        self.assertEqual(process.returncode, 7, process.stdout + process.stderr)
        self.assertEqual(process.stderr.count("error: "), 1)
        self.assertFalse(list((folder / "results").rglob("*.pvtu")))


if __name__ == "__main__":
    unittest.main()
