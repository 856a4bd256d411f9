"""`ritz picture`: the surface of results in files, coloured by a field."""
import pathlib
import struct
import subprocess
import unittest
import zlib

import boxes
from ritz import BIN, CaseTest, example


def pixels(path):
    """Rows of bytes: red, green and blue of each pixel."""
    data = pathlib.Path(path).read_bytes()
    width, height = struct.unpack(">II", data[16:24])
    at = data.index(b"IDAT")
    raw = zlib.decompress(data[at + 4 : at + 4 + struct.unpack(">I", data[at - 4 : at])[0]])
    return [raw[y * (3 * width + 1) + 1 : (y + 1) * (3 * width + 1)] for y in range(height)]


def body_of(rows):
    """Below the title, which names the file, without the colour bar at the right and the axes at the left, below."""
    rows = [row[: 3 * (len(row) // 3 - 300)] for row in rows[100:]]
    return rows[:-140] + [b"\xff" * 3 * 160 + row[3 * 160 :] for row in rows[-140:]]


def extent(rows):
    """How many pixels wide and high what is drawn is."""
    drawn = [(x, y) for y, row in enumerate(rows) for x in range(len(row) // 3) if min(row[3 * x : 3 * x + 3]) < 250]
    across, down = [x for x, _ in drawn], [y for _, y in drawn]
    return max(across) - min(across), max(down) - min(down)


class Picture(CaseTest):
    def setUp(self):
        super().setUp()
        self.write("plate.msh", boxes.grid(6))
        self.case = self.write("plate.toml", '[mesh]\nfile = "plate.msh"\n[model]\ntype = "plane_stress"\nthickness = 1\n'
                               + '[[material]]\nregion = "all"\nyoung = 1e6\npoisson = 0.3\n[[displacement]]\nregion = "left"\nfixed = true\n[[displacement]]\nregion = "right"\nx = 0.2\ny = 0\n')
        outcome = self.solve("ritz-elasticity", self.case, "--picture", self.folder / "program.png", "--field", "von_mises", "--warp", "displacement")
        self.index, self.step = (next(path for path in outcome.report["outputs"] if path.endswith(end)) for end in (".pvd", ".vtu"))

    def picture(self, result, *words, to="a.png"):
        return subprocess.run([str(word) for word in (BIN / "ritz", "picture", result, self.folder / to, *words)], capture_output=True, text=True, timeout=120)

    def drawn(self, *words, result=None, to="a.png"):
        process = self.picture(result or self.step, *words, "--force", to=to)
        self.assertEqual((process.returncode, process.stderr), (0, ""))
        return pixels(self.folder / to)

    def test_it_has_its_size_and_that_of_the_program_by_default(self):
        for size in ((400, 300), (1200, 900), (32, 32)):
            rows = self.drawn("--size", *size)
            self.assertEqual((len(rows[0]) // 3, len(rows)), size)
        rows = self.drawn()
        self.assertEqual((len(rows[0]) // 3, len(rows)), (1200, 900))

    def test_an_index_of_another_program_may_have_other_quotes_and_lines_but_no_parts_of_one_step(self):
        entry = "<DataSet\n part='0'\n\ttimestep='{}'\nfile='{}'/>"
        text = "<VTKFile type='Collection'><Collection>{}</Collection></VTKFile>"
        index = self.write("other.pvd", text.format(entry.format(0, "missing.vtu") + entry.format(1, self.step)))
        self.assertEqual(self.drawn(), self.drawn(result=index))
        index = self.write("parts.pvd", text.format(f'<DataSet timestep="0" part="0" file="{self.step}"/>\n<DataSet timestep="0" part="1" file="{self.step}"/>'))
        refused = self.picture(index, "--force")
        self.assertEqual(refused.returncode, 3, refused.stderr)
        self.assertIn("the step at 0 has several parts", refused.stderr)

    def test_it_is_the_picture_of_the_program(self):
        ours = self.drawn("--field", "von_mises", "--warp", "displacement")
        self.assertEqual(body_of(ours), body_of(pixels(self.folder / "program.png")))
        self.assertEqual(ours, self.drawn("--field", "von_mises", "--warp", "displacement", result=self.index))

    def test_beams_and_shells_stand_on_their_solid(self):
        outcome = self.solve("ritz-structure", example("body/welded"), "--picture", self.folder / "program.png", "--field", "displacement", "--warp", "displacement")
        ours = self.drawn("--field", "displacement", "--warp", "displacement", result=outcome.results())
        self.assertEqual(body_of(ours), body_of(pixels(self.folder / "program.png")))
        across, down = extent(body_of(ours))
        self.assertGreater(down, across)  # the foot alone is wider than high

    def test_the_first_field_at_points_is_the_default_and_cells_have_their_own(self):
        self.assertEqual(self.drawn(), self.drawn("--field", "displacement"))
        self.assertNotEqual(self.drawn("--field", "von_mises"), self.drawn("--field", "von_mises", "--cells"))
        self.assertNotEqual(self.drawn("--component", "x"), self.drawn("--component", "y"))

    def test_points_move_by_the_factor(self):
        """The plate is pulled by a fifth of its width: six times as much moves its side by 1.2 widths."""
        still, moved = (extent(body_of(self.drawn("--limits", 0, 1, *words))) for words in ((), ("--warp", "displacement", "--factor", 6)))
        self.assertAlmostEqual(still[0] / still[1], 1, delta=0.02)
        self.assertGreater(moved[0] / moved[1], 2)

    def test_a_large_displacement_is_drawn_where_it_ends(self):
        """The tip of the cantilever rises by 6.7 of its 10 m and comes 3.3 m back (Sze, Liu and Lo)."""
        self.solve("ritz-elasticity", example("large/cantilever"), "--picture", self.folder / "large.png", keys={"newton.write": '"last"'})
        across, down = extent(body_of(pixels(self.folder / "large.png")))
        self.assertAlmostEqual(across / down, 6.71 / 6.70, delta=0.03)

    def test_limits_are_those_of_the_colours(self):
        wide = self.drawn("--component", "x", "--limits", -1e6, 1e6)
        middle = {row[3 * x : 3 * x + 3] for row in body_of(wide) for x in range(len(row) // 3) if min(row[3 * x : 3 * x + 3]) < 200}
        self.assertLess(len(middle), len({row[3 * x : 3 * x + 3] for row in body_of(self.drawn("--component", "x")) for x in range(len(row) // 3)}) / 2)

    def test_what_cannot_be_drawn_is_told(self):
        (self.folder / "cut.vtu").write_bytes(pathlib.Path(self.step).read_bytes()[:-400])
        self.write("text.vtu", "no grid")
        for result, words, exit, told in ((self.step, ("--field", "cold"), 2, "has no field 'cold'"), (self.step, ("--field", "von_mise"), 2, "did you mean 'von_mises'?"),
                                          (self.step, ("--component", "w"), 2, "w"), (self.step, ("--field", "stress"), 2, "component"), (self.step, ("--warp", "von_mises"), 2, "von_mises"),
                                          (self.index, ("--time", 3), 2, "no step at the time 3"), (self.folder / "none.vtu", (), None, "none.vtu"), (self.folder / "cut.vtu", (), 3, "cut.vtu"),
                                          (self.folder / "text.vtu", (), 3, "text.vtu"), (self.case, (), 2, "is not read as results"), (self.step, ("--size", 10, 10), 2, "10")):
            with self.subTest(words=words, result=str(result)):
                process = self.picture(result, *words)
                self.assertIn(process.returncode, (exit,) if exit else (2, 3))
                self.assertIn(told, process.stderr)
                self.assertFalse((self.folder / "a.png").exists())

    def test_files_are_kept(self):
        self.drawn()
        for to in ("a.png", "none/a.png"):
            process = self.picture(self.step, to=to)
            self.assertEqual(process.returncode, 7, process.stderr)
        self.assertIn("--force", self.picture(self.step).stderr)
        before = pathlib.Path(self.step).read_bytes()
        process = self.picture(self.step, "--force", to=self.step)
        self.assertEqual(process.returncode, 2, process.stderr)
        self.assertEqual(pathlib.Path(self.step).read_bytes(), before)


if __name__ == "__main__":
    unittest.main()
