"""[[path]]: fields along a line, and linearised stresses, by closed forms."""
import csv
import math

import boxes
from ritz import CaseTest, example

INNER, OUTER, PRESSURE = 0.1, 0.2, 60e6  # of Lamé's tube, examples/lame
PATH = '\n[[path]]\nname = "wall"\npoints = {}\nlinearise = true\n'


def closed_form():
    """Hoop stress of Lamé's tube: mean over the wall (by balance), bending at the inside, and the stress at both sides."""
    a, b, t = INNER, OUTER, OUTER - INNER
    A = PRESSURE * a * a / (b * b - a * a)
    B = A * b * b
    return PRESSURE * a / t, 6 * B / t**2 * (t**2 / (2 * a * b) - math.log(b / a) + t / b), A + B / a**2, A + B / b**2


class Paths(CaseTest):
    def with_path(self, name, points):
        path = example(name)
        text = path.read_text().replace('file = "', f'file = "{path.parent}/')
        return self.write(path.name, text + PATH.format(points))

    def table(self, outcome, name):
        file = next(path for path in outcome.report["outputs"] if path.endswith(f"_{name}_000000.csv"))
        with open(outcome.folder / file, newline="") as text:
            return list(csv.DictReader(text))

    def check_tube(self, name, points, hoop, relative):
        outcome = self.solve("ritz-elasticity", self.with_path(name, points))
        membrane, bending, inside, outside = closed_form()
        parts = {(row["part"], row["place"]): float(row[hoop]) for row in self.table(outcome, "wall_linearised")}
        for part, value in {("membrane", ""): membrane, ("bending", "begin"): bending, ("bending", "end"): -bending,
                            ("total", "begin"): inside, ("total", "end"): outside,
                            ("membrane_bending", "begin"): membrane + bending, ("peak", "begin"): inside - membrane - bending}.items():
            self.assertLessEqual(abs(parts[part] - value), relative * membrane, f"{part}: {parts[part]} against {value}")
        for row in self.table(outcome, "wall"):
            radius = INNER + float(row["distance"])
            value = PRESSURE * INNER**2 / (OUTER**2 - INNER**2) * (1 + OUTER**2 / radius**2)
            self.assertLessEqual(abs(float(row[f"stress_{hoop}"]) - value), relative * membrane)
        return outcome

    def test_the_wall_of_lames_tube(self):
        self.check_tube("lame/axisymmetric", "[[0.1, 0.025], [0.2, 0.025]]", "zz", 0.01)
        self.check_tube("lame/plane_strain", "[[0.1, 0], [0.2, 0]]", "yy", 0.01)
        outcome = self.check_tube("lame/solid", "[[0.1, 0, 0.01], [0.2, 0, 0.01]]", "yy", 0.03)
        self.assertIn("path wall: membrane stress: von Mises", outcome.log)
        self.assertEqual(outcome.report["probe_units"]["wall_membrane"], "Pa")

    def test_a_beam_in_bending_has_no_membrane_stress(self):
        """A moment of 1e4 N m on a plate 0.1 m high and 0.01 m thick: sigma = M y / I = 6e8 Pa at the sides."""
        height, thickness, top = 0.1, 0.01, 6e8
        mesh = boxes.blocks(("beam", (8, 4), lambda u, v: (u, height * (v - 0.5))))
        self.write("beam.msh", mesh)
        case = self.write("beam.toml", f"""
[mesh]
file = "beam.msh"
order = 2
[model]
type = "plane_stress"
thickness = {thickness}
[[material]]
region = "beam"
young = 210e9
poisson = 0.3
[[displacement]]
region = "beam.x0"
x = 0
[[displacement]]
region = "corner"
y = 0
[[region]]
name = "corner"
kind = "nodes"
box = {{ low = [-0.001, -0.051], high = [0.001, -0.049] }}
[[traction]]
region = "beam.x1"
value = ["{top / (height / 2)} * y", 0]
""" + PATH.format("[[0.5, -0.05], [0.5, 0.05]]"))
        outcome = self.solve("ritz-elasticity", case, "--report", "page.html")
        parts = {(row["part"], row["place"]): row for row in self.table(outcome, "wall_linearised")}
        self.assertLess(abs(float(parts["membrane", ""]["xx"])), 1e-6 * top)
        self.assert_close(float(parts["bending", "begin"]["xx"]), -top, 1e-6)
        self.assert_close(float(parts["membrane_bending", "end"]["tresca"]), top, 1e-6)
        self.assertLess(float(parts["peak", "end"]["von_mises"]), 1e-5 * top)
        self.assert_close(outcome.probes["wall_membrane_bending_end"], top, 1e-6)
        page = (outcome.folder / "page.html").read_text()
        self.assertIn("<h2>Path wall</h2>", page)
        self.assertIn("<figcaption>total, membrane, membrane + bending [Pa]</figcaption>", page)
        self.assertIn("<td>membrane_bending</td><td>end</td>", page)

    def test_a_path_of_heat_and_one_that_leaves_the_body(self):
        """The wall between two temperatures: linear along any line."""
        self.write("wall.msh", boxes.grid(4))
        case = """
[mesh]
file = "wall.msh"
[[material]]
region = "all"
conductivity = 5
[[temperature]]
region = "left"
value = 100
[[temperature]]
region = "right"
value = 20
[[path]]
name = "across"
points = [[0, 0], [1, 1]]
count = 5
fields = ["temperature"]
"""
        outcome = self.solve("ritz-heat", self.write("wall.toml", case))
        rows = self.table(outcome, "across")
        self.assertEqual([list(row) for row in rows[:1]], [["distance", "x", "y", "z", "temperature"]])
        for row in rows:
            self.assertAlmostEqual(float(row["temperature"]), 100 - 80 * float(row["x"]), places=9)
        refused = self.run_case("ritz-heat", self.write("wall.toml", case.replace("[1, 1]", "[1, 1.5]")))
        self.assertEqual(refused.exit, 2)
        self.assertIn("along the path, the point", refused.errors)
        self.assertIn("end the path at the surface of the body", refused.errors)
