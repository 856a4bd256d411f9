"""Solids, beams and shells in one case, from the command line."""
import subprocess
import unittest

import boxes
import vtu
from ritz import BIN, CaseTest

E, B, H, L = 200e9, 0.2, 0.3, 2.0  # a bar of the section B x H, half of it a solid and half a beam
NX, NY, NZ = 4, 2, 2


def bar_and_beam(scale=1.0, gap=0.0):
    """A solid from x = 0 to 1, a beam from there to 2; the faces "wall" and "side", the point "tip"."""
    number = lambda i, j, k: 1 + i + (NX + 1) * (j + (NY + 1) * k)
    points = [(i / NX, B * (j / NY - 0.5), H * (k / NZ - 0.5)) for k in range(NZ + 1) for j in range(NY + 1) for i in range(NX + 1)]
    first = len(points) + 1
    points += [(1 + gap, 0, 0), (1.5, 0, 0), (2, 0, 0)]
    elements = []
    for k in range(NZ):
        for j in range(NY):
            for i in range(NX):
                elements.append((5, 1, [number(i + x, j + y, k + z) for x, y, z in boxes.CORNERS]))
            elements.append((3, 2, [number(0, j, k), number(0, j + 1, k), number(0, j + 1, k + 1), number(0, j, k + 1)]))
        for i in range(NX):
            elements.append((3, 5, [number(i, 0, k), number(i + 1, 0, k), number(i + 1, 0, k + 1), number(i, 0, k + 1)]))
    elements += [(1, 3, [first, first + 1]), (1, 3, [first + 1, first + 2]), (15, 4, [first + 2])]
    return boxes.msh([tuple(scale * c for c in p) for p in points], elements,
                     [(3, "bar"), (2, "wall"), (1, "beam"), (0, "tip"), (2, "side")])


def case(scale=1.0, load='[[force]]\nregion = "tip"\nmoment = [0, 3e4, 0]\n', more=""):
    modulus = E / scale**2
    return f"""
[mesh]
file = "body.msh"
[space]
order = 2
[[material]]
region = "bar"
young = {modulus}
poisson = 0
density = {2000 / scale**3}
[[section]]
region = "beam"
element = "beam"
young = {modulus}
poisson = 0
profile = "rectangle"
height = {B * scale}
width = {H * scale}
orientation = [0, 1, 0]
density = {2000 / scale**3}
[[support]]
region = "wall"
fixed = true
{load}
[[probe]]
name = "down"
field = "displacement"
component = "z"
region = "tip"
measure = "mean"
[[probe]]
name = "turn"
field = "rotation"
component = "y"
region = "tip"
measure = "mean"
{more}"""


class Body(CaseTest):
    def solve_text(self, text, mesh=None, program="ritz-structure", **options):
        self.write("body.msh", mesh or bar_and_beam())
        return self.solve(program, self.write("body.toml", text), **options)

    def fail_with(self, text, words, mesh=None, exit_code=None):
        self.write("body.msh", mesh or bar_and_beam())
        outcome = self.run_case("ritz-structure", self.write("body.toml", text))
        self.assertIn(words, outcome.errors)
        if exit_code is not None:
            self.assertEqual(outcome.exit, exit_code)

    def test_a_moment_bends_solid_and_beam_as_one_bar(self):
        outcome = self.solve_text(case())
        inertia = B * H**3 / 12
        self.assert_close(outcome.probes["turn"], 3e4 * L / (E * inertia), 1e-6)
        self.assert_close(outcome.probes["down"], -3e4 * L**2 / (2 * E * inertia), 1e-6)
        self.assertIn("joined: 1 nodes of 'beam' by the mean motion of their sections of 0.2 x 0.3", outcome.log)

    def test_loads_of_all_families_are_in_balance_with_the_reactions(self):
        loads = ('[[force]]\nregion = "tip"\nvalue = [0, 1000, 0]\n[[force]]\nregion = "side"\nvalue = [500, 0, 0]\n'
                 '[[pressure]]\nregion = "side"\nvalue = 1e4\n[[line_load]]\nregion = "beam"\nvalue = [0, 0, -300]\n'
                 '[gravity]\nacceleration = [0, 0, -10]\n')
        outcome = self.solve_text(case(load=loads))
        weight = 2000 * 10 * B * H * L
        expected = [500, 1000 + 1e4 * H, -300 - weight]
        for got, reaction, reference in zip(outcome.fact("applied_load"), outcome.fact("reaction"), expected):
            self.assert_close(got, reference, 1e-9)
            self.assert_close(reaction, -reference, 1e-6)

    def test_load_cases_add_up(self):
        loads = ('[[load_case]]\nname = "push"\n[[load_case.force]]\nregion = "tip"\nvalue = [0, 0, -1000]\n'
                 '[[load_case]]\nname = "press"\n[[load_case.pressure]]\nregion = "side"\nvalue = 1e5\n'
                 '[[combination]]\nname = "both"\nfactors = {push = 2, press = 1}\n')
        outcome = self.solve_text(case(load=loads))
        down = {name: part["probes"]["down"] for part in (outcome.report["load_cases"], outcome.report["combinations"]) for name, part in part.items()}
        self.assert_close(down["both"], 2 * down["push"] + down["press"], 1e-6)

    def test_millimetres_give_the_same_as_metres(self):
        metres = self.solve_text(case())
        millimetres = self.solve_text(case(1e3, '[[force]]\nregion = "tip"\nmoment = [0, 3e7, 0]\n'), bar_and_beam(1e3))
        self.assert_close(millimetres.probes["down"] / 1e3, metres.probes["down"], 1e-8)
        self.assert_close(millimetres.probes["turn"], metres.probes["turn"], 1e-8)

    def test_results_are_one_field_for_solids_and_beams(self):
        outcome = self.solve_text(case())
        arrays = vtu.read(outcome.results())
        points, displacement = next(iter(arrays["Points"].values())), arrays["PointData"]["displacement"]
        inertia, met = B * H**3 / 12, 0
        for node in range(len(points) // 3):
            x, y, z = points[3 * node:3 * node + 3]
            if abs(y) < 1e-12 and abs(z) < 1e-12:
                met += 1
                self.assertAlmostEqual(displacement[3 * node + 2], -3e4 * x**2 / (2 * E * inertia), delta=1e-9)
        self.assertEqual(met, NX + 1 + 3)

    def test_ritz_run_takes_the_case(self):
        self.write("body.msh", bar_and_beam())
        run = subprocess.run([BIN / "ritz", "run", self.write("body.toml", case()), "--check"], capture_output=True, text=True, cwd=self.folder)
        self.assertEqual(run.returncode, 0, run.stderr)

    def test_rotations_of_solids_are_an_error(self):
        self.fail_with(case().replace("fixed = true", "fixed = true\nrx = 0"), "solids have displacements alone")

    def test_a_gap_is_an_error(self):
        self.fail_with(case(), "of 'beam' lies 0.01 from a solid", bar_and_beam(gap=0.01), 4)

    def test_what_a_body_of_both_lacks_is_refused(self):
        self.fail_with(case(more='[[tie]]\nregion = "wall"\nonto = "side"\n'),
                       "'tie' was given, and the mesh has volumes among lines and surfaces")

    def test_a_material_without_volumes_is_refused(self):
        points = [(0, 0, 0), (1, 0, 0)]
        mesh = boxes.msh(points, [(1, 1, [1, 2]), (15, 2, [2])], [(1, "beam"), (0, "tip")])
        self.fail_with(case().replace('"wall"', '"tip"').replace('"bar"', '"beam"'), "the mesh has no volumes", mesh)


if __name__ == "__main__":
    unittest.main()
