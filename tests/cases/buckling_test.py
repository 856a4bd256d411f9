"""[buckling] and [modal] preload: columns and plates of the examples against closed forms, and what is refused."""
import math
import unittest

import boxes
import vtu
from ritz import CaseTest, example

EULER = math.pi**2 * 210e9 * 0.02**4 / 12  # of 1 m
COLUMN = example("buckling/column")
LOADED = """
[[section]]
region = "column"
element = "beam"
young = 210e9
poisson = 0.3
density = 7850
profile = "rectangle"
height = 0.02
width = 0.02
[[support]]
region = "foot"
pinned = true
[[support]]
region = "foot"
rz = 0
[[support]]
region = "head"
x = 0
y = 0
[[force]]
region = "head"
value = [0, 0, {force}]
[modal]
count = 1
preload = {preload}
"""


class Buckling(CaseTest):
    def refuse(self, phrase, exit_code, case, program, *arguments):
        outcome = self.run_case(program, case, *arguments)
        self.assertEqual(outcome.exit, exit_code, outcome.log + outcome.errors)
        self.assertIn(phrase, outcome.errors)

    def test_the_column_has_the_loads_of_euler_and_shapes_of_half_waves(self):
        outcome = self.solve("ritz-structure", COLUMN)
        for factor, waves in zip(outcome.fact("buckling_factors"), (1, 1, 2, 2), strict=True):
            self.assert_close(factor, waves**2 * EULER, 0.005)
        fields = vtu.read(outcome.results())["PointData"]
        heights = vtu.read(outcome.results())["Points"]["Points"][2::3]
        shape = fields["mode_1"]
        scale = max((math.hypot(x, y) for x, y in zip(shape[0::3], shape[1::3])))
        self.assertAlmostEqual(scale, 1, 9)
        for x, y, z in zip(shape[0::3], shape[1::3], heights):
            self.assertAlmostEqual(math.hypot(x, y), math.sin(math.pi * z), 3)
        self.assertAlmostEqual(max(abs(w) for w in fields["displacement"]), 1 / (210e9 * 4e-4), 15)

    def test_the_plate_has_a_coefficient_of_four(self):
        outcome = self.solve("ritz-structure", example("buckling/plate"))
        self.assert_close(outcome.fact("buckling_factors")[0], 75.92, 0.005)
        # Two half-waves along the load: (2 + 1 / 2)^2.
        self.assert_close(outcome.fact("buckling_factors")[1], 75.92 * 6.25 / 4, 0.02)

    def test_loads_that_only_stretch_are_an_error_with_their_negative_factor(self):
        self.refuse("no factor is positive", 4, COLUMN, "ritz-structure", "--set", "force.0.value=[0, 0, 1]")
        self.refuse("[buckling] in a case with a load path in [newton]", 2, COLUMN, "ritz-structure", "--set", "newton.path=[1, 0]")

    def test_a_negative_factor_that_is_nearer_is_told(self):
        case = self.write("case.toml", COLUMN.read_text().replace("column.msh", str(COLUMN.parent / "column.msh")) +
                          '\n[[line_load]]\nregion = "column"\nvalue = [0, 0, 3]\n')
        outcome = self.solve("ritz-structure", case)
        self.assertIn("a negative factor is nearer to zero", outcome.log)
        self.assertLess(-outcome.fact("negative_buckling_factor")[0], outcome.fact("buckling_factors")[0])

    def test_frequencies_under_an_axial_load_are_those_of_a_string_in_the_end(self):
        mesh = f'[mesh]\nfile = "{COLUMN.parent / "column.msh"}"\nscale = 0.001\n'
        frequencies = []
        for force, preload in ((0, "false"), (1.5 * EULER, "true"), (-0.75 * EULER, "true")):
            text = mesh + LOADED.format(force=force, preload=preload)
            if preload == "false":
                text = text[:text.index("[[force]]")] + "[modal]\ncount = 1\n"
            frequencies.append(self.solve("ritz-modal", self.write("case.toml", text)).fact("frequencies_hz")[0])
        self.assert_close(frequencies[1], math.sqrt(2.5) * frequencies[0], 1e-3)
        self.assert_close(frequencies[2], 0.5 * frequencies[0], 2e-3)
        beyond = self.write("case.toml", mesh + LOADED.format(force=-1.1 * EULER, preload="true"))
        self.refuse("the loaded state is unstable", 4, beyond, "ritz-modal")

    def test_solids_buckle_and_ring_under_preload(self):
        self.write("mesh.msh", boxes.cubes(["a"]))
        body = '[mesh]\nfile = "mesh.msh"\n[[material]]\nregion = "a"\nyoung = 1e6\npoisson = 0\ndensity = 1\n' \
               '[[displacement]]\nregion = "a.z0"\nfixed = true\n[[pressure]]\nregion = "a.z1"\nvalue = 1\n'
        factor = self.solve("ritz-elasticity", self.write("case.toml", body + "[buckling]\n")).fact("buckling_factors")[0]
        self.assertGreater(factor, 0)
        half = body.replace("value = 1\n", f"value = {0.5 * factor}\n") + "[modal]\ncount = 1\npreload = true\n"
        loaded = self.solve("ritz-modal", self.write("half.toml", half)).fact("eigenvalues")[0]
        free = self.solve("ritz-modal", self.write("free.toml", half.replace("preload = true\n", "").replace(
            half[half.index("[[pressure]]"):half.index("[modal]")], ""))).fact("eigenvalues")[0]
        self.assertLess(loaded, 0.7 * free)
        self.assertGreater(loaded, 0.3 * free)


if __name__ == "__main__":
    unittest.main()
