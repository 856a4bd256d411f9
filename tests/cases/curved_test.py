"""Curved meshes of MFEM from the command line, of order 2 and of order 3: a known solution by formulas, refined by [mesh]
refine, of orders 1 to 4."""
import math
import pathlib
import unittest

import vtu
from boxes import square
from ritz import EXAMPLES, CaseTest

MESHES = EXAMPLES.parent / "tests" / "data" / "mfem"
CASE = """[mesh]
file = "{mesh}"
refine = {refine}
[[region]]
name = "boundary"
kind = "facets"
expression = "1"
[[material]]
region = "all"
conductivity = {conductivity}
[[source]]
region = "all"
value = "{source}"
[[temperature]]
region = "boundary"
value = "{value}"
[space]
order = {order}
[solver]
tolerance = 1e-12
"""
WAVE = "sin(2.1*x - 1.3*y + 0.3)"
WAVE3 = "sin(1.1*x - 0.8*y + 0.9*z + 0.3)"


class Curved(CaseTest):
    def error(self, mesh, order, refine):
        """Root mean square over the nodes of the mesh."""
        three = not mesh.startswith("star")
        value = WAVE3 if three else WAVE
        squares = 1.1**2 + 0.8**2 + 0.9**2 if three else 2.1**2 + 1.3**2
        case = self.write(f"{mesh}.toml", CASE.format(mesh=MESHES / f"{mesh}.mesh", refine=refine, order=order, value=value, conductivity=2.5, source=f"{2.5 * squares}*{value}"))
        outcome = self.solve("ritz-heat", case, "--overwrite", output=self.folder / "r")
        file = vtu.read(pathlib.Path(outcome.results()))
        points, values = file["Points"]["Points"], file["PointData"]["temperature"]
        total = 0
        for node, found in enumerate(values):
            x, y, z = points[3 * node:3 * node + 3]
            total += (found - eval(value, {"sin": math.sin, "x": x, "y": y, "z": z})) ** 2
        return math.sqrt(total / len(values))

    def test_errors_fall_with_the_order(self):
        """Of values at nodes: p + 1 at least, on meshes of few cells nearly so; where nodes are points of superconvergence, more."""
        for mesh, levels in {"star-mixed-p2": (1, 2, 2, 2), "fichera-mixed-p2": (1, 1, 1, 1)}.items():
            for order in (1, 2, 3, 4):
                coarse, fine = (self.error(mesh, order, levels[order - 1] + finer) for finer in (0, 1))
                with self.subTest(mesh=mesh, order=order):
                    self.assertGreater(math.log2(coarse / fine), order + 1 - 0.4)

    def test_errors_fall_with_the_order_on_meshes_of_order_three(self):
        for mesh, levels in {"star-q3": (2, 2), "bent-wedge-p3": (2, 1)}.items():
            for order in (2, 3):
                coarse, fine = (self.error(mesh, order, levels[order - 2] + finer) for finer in (0, 1))
                with self.subTest(mesh=mesh, order=order):
                    self.assertGreater(math.log2(coarse / fine), order + 1 - 0.4)

    def test_a_disc_of_order_four_has_its_closed_form(self):
        """A source of 4 and no heat on the rim: 1 - r^2, on eight cells, at points between nodes and in the mean; the flux through the rim is all heat."""
        case = self.write("disc.toml", """[mesh]
file = "%s"
[[material]]
region = "ball"
conductivity = 1
[[source]]
region = "ball"
value = 4
[[temperature]]
region = "skin"
value = 0
[space]
order = 4
[solver]
tolerance = 1e-12
[[probe]]
name = "mean"
field = "temperature"
region = "ball"
measure = "mean"
[[probe]]
name = "all"
field = "temperature"
region = "ball"
measure = "integral"
[[probe]]
name = "rim"
field = "temperature"
region = "skin"
measure = "integral"
[[probe]]
name = "flux"
field = "reaction"
region = "skin"
measure = "reaction"
[[probe]]
name = "point"
field = "temperature"
point = [0.31, 0.52]
""" % (MESHES.parent / "gmsh" / "disc-order4.msh"))
        for cells in ("mesh", "lagrange"):
            with self.subTest(cells=cells):
                probes = self.solve("ritz-heat", case, "--set", f"output.cells={cells}").report["probes"]
                self.assert_close(probes["mean"], 0.5, 1e-5)
                self.assert_close(probes["all"], math.pi / 2, 1e-5)
                self.assertLess(abs(probes["rim"]), 1e-12)
                self.assert_close(probes["flux"], -4 * math.pi, 2e-6)  # four times the area of the cells
                self.assert_close(probes["point"], 1 - 0.31**2 - 0.52**2, 1e-4)

    def test_points_between_nodes_see_the_whole_field(self):
        """One cell of order 1 with a field of order 4: x^4 - 6 x^2 y^2 + y^4 between its corners, on its facets, and its integrals."""
        value = "x^4 - 6*x^2*y^2 + y^4"
        case = self.write("one.toml", f"""[mesh]
file = "{self.write("one.msh", square())}"
[[region]]
name = "rim"
kind = "facets"
expression = "1"
[[material]]
region = "all"
conductivity = 1
[[temperature]]
region = "rim"
value = "{value}"
[space]
order = 4
[[probe]]
name = "point"
field = "temperature"
point = [0.3, 0.8]
[[probe]]
name = "integral"
field = "temperature"
region = "all"
measure = "integral"
[[probe]]
name = "around"
field = "temperature"
region = "rim"
measure = "integral"
""")
        probes = self.solve("ritz-heat", case).report["probes"]
        self.assert_close(probes["point"], 0.3**4 - 6 * 0.3**2 * 0.8**2 + 0.8**4, 1e-9)
        self.assert_close(probes["integral"], 2 / 5 - 6 / 9, 1e-9)
        self.assert_close(probes["around"], 2 * (1 / 5) + 2 * (1 / 5 - 2 + 1), 1e-9)

    def test_a_check_says_how_far_order_two_would_be_off(self):
        case = self.write("star.toml", CASE.format(mesh=MESHES / "star-q3.mesh", refine=0, order=2, value=WAVE, conductivity=1, source=WAVE))
        outcome = self.run_case("ritz-heat", case, "--check")
        self.assertIn("20 cells of order 3 in", outcome.log)
        self.assertIn("keep the file's map, with nodes of order 2: the two maps differ by at most 0.044 in the file's unit, 5.4 % of the cell's size (quad9 ", outcome.log)


if __name__ == "__main__":
    unittest.main()
