"""Typical mistakes of static and nonlinear cases: each ends with a sentence that names its cause, its place and a remedy."""
import unittest

import boxes
from ritz import CaseTest

HEAD = '[mesh]\nfile = "mesh.msh"\n[model]\n{}\n'
STEEL = '[[material]]\nregion = "all"\nyoung = 210e9\npoisson = 0.3\n'
RUBBER = '[[material]]\nregion = "all"\nlaw = "neo_hooke"\nyoung = 1e6\npoisson = {}\n'
METAL = '[[material]]\nregion = "all"\nlaw = "j2"\nyoung = 210e9\npoisson = 0.3\n{}\n'
HELD = '[[displacement]]\nregion = "left"\nfixed = true\n'
PLANE, LARGE = 'type = "plane_strain"', 'type = "plane_strain"\nlarge_displacement = true'
HALF = '[[region]]\nname = "half"\nkind = "cells"\nbox = {low = [0, 0], high = [0.5, 1]}\n'
CRUSHED = 'type = "plane_stress"'


def pulled(x, y=0):
    return f'[[traction]]\nregion = "right"\nvalue = [{x}, {y}]\n'


def moved(x):
    return f'[[displacement]]\nregion = "right"\nx = {x}\n'


# name: model and tables, exit code, what the text has to name: cause, place, remedy
MISTAKES = {
    "no support": (HEAD.format(PLANE) + STEEL + pulled(1e6), 4, ["can still move freely: rotation .*; translation along x", "body 1 .4 cells", "support it so that"]),
    "a support that lets it turn": (HEAD.format(PLANE) + STEEL + '[[displacement]]\nregion = "left"\nx = 0\n' + pulled(1e6), 4, ["can still move freely: translation along y", "body 1 .4 cells", "support it so that"]),
    "a modulus in another unit": (HEAD.format(PLANE) + STEEL.replace("210e9", "210e3") + HELD + pulled(100), 0, ["210000 Pa", r"GPa|MPa|10\^|unit"]),
    "a yield stress in another unit": (HEAD.format(PLANE) + METAL.format("yield_stress = 250") + HELD + moved(1e-6), 0, ["yield stress 250", "both in Pa", r"\[\[material\]\]"]),
    "a load beyond the limit": (HEAD.format(CRUSHED) + METAL.format("yield_stress = 250e6") + HELD + pulled(400e6), 5,
                                ["limit load", r"of the loads are in balance", "lower the loads|hardening"]),
    "a hardening that falls": (HEAD.format(CRUSHED) + METAL.format("hardening = [[0, 250e6], [0.05, 100e6]]") + HELD + pulled(300e6), 5,
                               ["of the loads are in balance", "arc_length|prescribe displacements"]),
    "a column that snaps": (HEAD.format(LARGE) + '[[material]]\nregion = "all"\nyoung = 1e6\npoisson = 0\n' + '[[displacement]]\nregion = "all"\ny = 0\n' + HELD + pulled(-0.3e6), 5,
                            ["inside out|did not converge", "node|cell|at", "arc_length|smaller increments"]),
    "a first increment that is too large": (HEAD.format(LARGE) + RUBBER.format(0.45) + HELD + pulled(-3e6, 2e6) + "[newton]\nincrements = 1\nhalvings = 0\nmax_steps = 6\n", 5,
                                            ["increment 1 of 1", "largest at node|no number at node", "increments"]),
    "incompressible cells of order 1": (HEAD.format(PLANE) + STEEL.replace("0.3", "0.4999") + HELD + pulled(1e6), 0,
                                        ["above 0.49", "locking", 'formulation = "mixed"']),
    "incompressible with the displacement alone": (HEAD.format(PLANE) + STEEL.replace("0.3", "0.5") + HELD + pulled(1e6), 4, ["'material.0.poisson' is 0.5 at", 'formulation = "mixed" 0.5, too']),
    "supports that contradict each other": (HEAD.format(PLANE) + STEEL + HELD + '[[displacement]]\nregion = "bottom"\nx = 0.001\n', 4, ["conflicting values 0 and 0.001", "node 0", r"\[\[displacement\]\] #1 .* and \[\[displacement\]\] #2", "give both the same value"]),
    "a material that is missing": (HEAD.format(PLANE) + STEEL.replace('"all"', '"half"') + HALF + HELD + pulled(1e6), 4, ["2 of 4 cells have no material", "the first is cell 1", "add a"]),
    "a body on which nothing acts": (HEAD.format(PLANE) + STEEL + HELD, 4, ["nothing acts", "add what acts"]),
    "a law of large strain without them": (HEAD.format(PLANE) + RUBBER.format(0.45) + HELD + pulled(1e3), 4, ["neo_hooke", r"\[\[material\]\]", "large_displacement = true"]),
}


class Mistakes(CaseTest):
    def test_each_is_named_with_its_cause_its_place_and_a_remedy(self):
        self.write("mesh.msh", boxes.grid(2))
        for name, (text, exit_code, words) in MISTAKES.items():
            with self.subTest(name):
                outcome = self.run_case("ritz-elasticity", self.write("case.toml", text))
                told = outcome.errors + outcome.log
                self.assertEqual(outcome.exit, exit_code, told)
                for word in words:
                    self.assertRegex(told, word)

    def test_a_cell_that_is_inside_out_is_named_with_its_place(self):
        self.write("mesh.msh", boxes.square(((0, 0), (1, 0), (0.2, 0.2), (0, 1))))
        outcome = self.run_case("ritz-elasticity", self.write("case.toml", HEAD.format(PLANE) + STEEL + HELD + pulled(1)))
        self.assertNotEqual(outcome.exit, 0)
        self.assertRegex(outcome.errors, "cell 0|1 cell")


if __name__ == "__main__":
    unittest.main()
