"""[[foundation]] and [[spring]]: bodies on elastic ground, each against a closed form."""
import math
import pathlib
import sys
import unittest

import boxes
from ritz import CaseTest, example

sys.path.append(str(pathlib.Path(__file__).resolve().parents[2] / "tools"))
import box_meshes  # noqa: E402

STEEL = '[[material]]\nregion = "a"\nyoung = 2e9\npoisson = 0.3\ndensity = 8000\n'
EXACT = "[solver]\ntolerance = 1e-11\n"


def foundation(region, **keys):
    return f'[[foundation]]\nregion = "{region}"\n' + "".join(f"{key} = {value}\n" for key, value in keys.items())


def mean(name, component, region):
    return f'[[probe]]\nname = "{name}"\nfield = "displacement"\ncomponent = "{component}"\nregion = "{region}"\nmeasure = "mean"\n'


class Ground(CaseTest):
    def case(self, text, cells=(2, 2, 2)):
        self.write("mesh.msh", boxes.blocks(("a", cells, lambda u, v, w: (u, 2 * v, w))))
        return self.write("case.toml", '[mesh]\nfile = "mesh.msh"\n' + text)

    def refuse(self, exit, words, text, program="ritz-elasticity"):
        outcome = self.run_case(program, self.case(text), "--check")
        self.assertEqual(outcome.exit, exit, outcome.errors)
        for word in words:
            self.assertIn(word, outcome.errors)

    def test_a_block_sinks_by_pressure_over_stiffness_and_reactions_balance(self):
        # Its sides slide, so it carries 1 MPa all the way: u_z = -p / k below, -p / k - p L / E above.
        slide = "".join(f'[[displacement]]\nregion = "a.{side}"\n{axis} = 0\n' for side, axis in (("x0", "x"), ("y0", "y")))
        outcome = self.solve("ritz-elasticity", self.case(
            STEEL + EXACT + slide + foundation("a.z0", stiffness=5e7) + '[[pressure]]\nregion = "a.z1"\nvalue = 1e6\n'
            + mean("below", "z", "a.z0") + mean("above", "z", "a.z1")
            + '[[probe]]\nname = "ground"\nregion = "a.z0"\nmeasure = "reaction"\ncomponent = "z"\n'))
        self.assert_close(outcome.probes["below"], -1e6 / 5e7, 1e-7)
        self.assert_close(outcome.probes["above"], -1e6 / 5e7 - 1e6 / 2e9, 1e-7)
        self.assert_close(outcome.probes["ground"], 2e6, 1e-7)
        self.assert_close(outcome.fact("applied_load")[2], -2e6, 1e-7)
        self.assert_close(outcome.fact("reaction")[2], 2e6, 1e-7)
        self.assertIn("foundation on 'a.z0': (0, 0, 2e+06) N", outcome.log)
        place, forces = outcome.report["facts"]["ground"].split(": ")
        self.assertEqual(place, "foundation a.z0")
        self.assert_close(float(forces.split()[2]), 2e6, 1e-7)

    def test_a_block_tilts_on_ground_that_only_presses(self):
        # Beyond a third of its width the eccentric load lifts it off: over 3 (b / 2 - e) the pressure is linear, at its edge 2 P / that (per depth).
        k, b, depth, e, load = 1e6, 1.0, 2.0, 0.35, 4e3
        held = ('[[displacement]]\nregion = "a.y0"\ny = 0\n[[foundation]]\nregion = "a.z0"\nx = 1e3\n'
                f'[[traction]]\nregion = "a.z1"\nvalue = [0, 0, "{load / (b * depth)} * (-1 - {12 * e / b ** 2} * (x - 0.5))"]\n')
        outcome = self.solve("ritz-elasticity", self.case(
            STEEL + "[newton]\ntolerance = 1e-9\n" + foundation("a.z0", stiffness=k, acts='"compression"') + held
            + '[[probe]]\nname = "deepest"\nfield = "displacement"\ncomponent = "z"\nregion = "a.z0"\nmeasure = "min"\n', (12, 1, 1)))
        self.assert_close(outcome.probes["deepest"], -2 * load / depth / (3 * (b / 2 - e)) / k, 0.02)
        self.assert_close(outcome.fact("reaction")[2], load, 1e-6)
        self.refuse(2, ("only presses", "along the facets"), STEEL + foundation("a.z0", stiffness=k, tangential=1, acts='"compression"') + held)

    def test_a_stop_carries_the_rest_of_the_load(self):
        slide = "".join(f'[[displacement]]\nregion = "a.{side}"\n{axis} = 0\n' for side, axis in (("x0", "x"), ("y0", "y"), ("z0", "z")))
        text = (STEEL + "[newton]\ntolerance = 1e-10\n" + slide + '[[traction]]\nregion = "a.x1"\nvalue = [{}, 0, 0]\n'
                '[[equation]]\nat_most = 1e-3\nterms = [{{region = "a.x1", component = "x"}}]\n' + mean("end", "x", "a.x1")
                + '[[probe]]\nname = "stop"\nregion = "a.x1"\nmeasure = "reaction"\ncomponent = "x"\n')
        for stress, end, force in ((1e6, 5e-4, 0), (4e6, 1e-3, -2 * (4e6 - 2e6)), (-4e6, -2e-3, 0)):
            outcome = self.solve("ritz-elasticity", self.case(text.format(stress)))
            self.assert_close(outcome.probes["end"], end, 1e-9)
            self.assertAlmostEqual(outcome.probes["stop"], force, delta=1e-2)
        self.refuse(4, ("an inequality in an analysis of free vibration",), STEEL + slide + '[[equation]]\nat_most = 0\nterms = [{region = "a.x1", component = "x"}]\n[modal]\ncount = 1\n', "ritz-modal")

    def test_a_gap_closes_and_a_spring_lets_go(self):
        # Two bars of 2e9 N/m each, 1 apart: drawn by 5e9 N the first one reaches the second, F = k u + k (u - 1). A spring
        # in the way of the second bar's end carries its share, one on the other side lets go.
        self.write("mesh.msh", boxes.cubes(["a", "b"]))
        nodes = "".join(f'[[region]]\nname = "{name}"\nkind = "nodes"\nof = "{side}"\n' for name, side in (("end", "a.x1"), ("face", "b.x0")))
        text = ('[mesh]\nfile = "mesh.msh"\n' + nodes + "".join(f'[[material]]\nregion = "{each}"\nyoung = 2e9\npoisson = 0\n' for each in "ab")
                + "".join(f'[[displacement]]\nregion = "{side}"\nfixed = true\n' for side in ("a.x0", "b.x1"))
                + mean("a", "x", "a.x1") + mean("b", "x", "b.x0") + '[[force]]\nregion = "end"\nvalue = [{}, 0, 0]\n')
        gap = '[[gap]]\nregion = "end"\nonto = "face"\n'
        spring = '[[spring]]\nregion = "face"\nstiffness = 1e9\ndirection = [{}, 0, 0]\nacts = "compression"\n'
        k, f = 2e9, 5e9
        for load, extra, a, b in ((f, gap, (f / k + 1) / 2, (f / k - 1) / 2), (0.9 * k, gap, 0.9, 0),
                                  (f, gap + spring.format(1), (f + k * 1.5) / (2.5 * k), (f - k) / (2.5 * k)),
                                  (f, gap + spring.format(-1), (f / k + 1) / 2, (f / k - 1) / 2)):
            outcome = self.solve("ritz-elasticity", self.write("case.toml", text.format(load) + "[newton]\ntolerance = 1e-11\n" + extra))
            self.assert_close(outcome.probes["a"], a, 1e-8)
            self.assertAlmostEqual(outcome.probes["b"], b, delta=1e-8)
        for extra, words in ((gap + "direction = [-1, 0, 0]\n", "a direction that leads from"), ('[[gap]]\nregion = "end"\n', "a stop of 'end' without a direction"),
                             (spring.replace("direction = [{}, 0, 0]\n", "").replace("1e9", "[1e9, 0, 0]"), "a spring in compression without a direction")):
            outcome = self.run_case("ritz-elasticity", self.write("case.toml", text.format(f) + extra), "--check")
            self.assertIn(words, outcome.errors)

    def test_unknowns_that_follow_others_add_nothing_to_the_loads(self):
        # A rigid base on elastic ground, alone and with load cases and a combination of them.
        base = STEEL + EXACT + foundation("a.z0", stiffness=5e7, tangential=5e7) + '[[rigid]]\nregion = "a.z0"\n'
        outcome = self.solve("ritz-elasticity", self.case(base + '[[pressure]]\nregion = "a.z1"\nvalue = 1e6\n'))
        self.assert_close(outcome.fact("applied_load")[2], -2e6, 1e-7)
        self.assert_close(outcome.fact("reaction")[2], 2e6, 1e-7)
        cases = "".join(f'[[load_case]]\nname = "{name}"\n[[load_case.pressure]]\nregion = "a.z1"\nvalue = {value}\n'
                        for name, value in (("p", 1e6), ("q", 3e6)))
        outcome = self.solve("ritz-elasticity", self.case(
            base + '[[displacement]]\nregion = "a.x0"\nx = 0.001\n' + cases
            + '[[combination]]\nname = "c"\nfactors = { p = 2, q = -1 }\n'))
        loads = [line.split("loads: (")[1].split(")")[0].split(", ")[2] for line in outcome.log.splitlines() if "loads: (" in line]
        for found, wanted in zip(map(float, loads), (-2e6, -6e6, 2e6), strict=True):
            self.assert_close(found, wanted, 1e-5)

    def test_the_ground_pushes_back_where_a_support_moves_its_nodes(self):
        # The whole base goes down by 1 mm: there is no load, and support and ground hold each other.
        outcome = self.solve("ritz-elasticity", self.case(
            STEEL + EXACT + foundation("a.z0", stiffness=5e7)
            + '[[displacement]]\nregion = "a.z0"\nx = 0\ny = 0\nz = -0.001\n'))
        self.assertLess(abs(outcome.fact("applied_load")[2]), 1e-3)
        self.assertLess(abs(outcome.fact("reaction")[2]), 1e-3)
        self.assertIn("foundation on 'a.z0': (0, 0, 100000) N", outcome.log)

    def test_load_cases_share_the_ground(self):
        loads = "".join(f'[[load_case]]\nname = "{name}"\n[[load_case.traction]]\nregion = "a.z0"\nvalue = {value}\n'
                        for name, value in (("one", [1e5, 0, 0]), ("two", [0, 0, 1e5])))
        outcome = self.solve("ritz-elasticity", self.case(
            STEEL + EXACT + foundation("a.z0", stiffness=5e7, tangential=1e7, x=1e7) + loads
            + mean("x", "x", "a") + mean("z", "z", "a")))
        cases = {name: case["probes"] for name, case in outcome.report["load_cases"].items()}
        self.assert_close(cases["one"]["x"], 1e5 / 2e7, 1e-7)
        self.assert_close(cases["two"]["z"], 1e5 / 5e7, 1e-7)

    def test_a_formula_of_the_position_turns_a_block(self):
        # k = k0 (1 + x) under a traction of the same shape: the block stays straight.
        outcome = self.solve("ritz-elasticity", self.case(
            STEEL + EXACT + foundation("a.z0", stiffness='"5e7 * (1 + x)"', tangential=1e7)
            + '[[traction]]\nregion = "a.z0"\nvalue = [0, 0, "-1e5 * (1 + x)"]\n'
            + '[[probe]]\nname = "left"\nfield = "displacement"\ncomponent = "z"\npoint = [0, 1, 0.5]\n'
            + '[[probe]]\nname = "right"\nfield = "displacement"\ncomponent = "z"\npoint = [1, 1, 0.5]\n'))
        for name in ("left", "right"):
            self.assert_close(outcome.probes[name], -1e5 / 5e7, 1e-7)

    def test_a_stiff_block_bounces_with_the_frequency_of_a_mass_on_a_spring(self):
        # 16000 kg on 2 m^2 of 1e5 N/m^3, 2e4 times softer than the block: sqrt(k A / m) / (2 pi).
        outcome = self.solve("ritz-modal", self.case(
            STEEL + foundation("a.z0", stiffness=1e5) + "".join(
                f'[[displacement]]\nregion = "a.{side}"\n{axis} = 0\n' for side, axis in (("x0", "x"), ("x1", "x"), ("y0", "y"), ("y1", "y")))
            + "[modal]\ncount = 1\n"))
        self.assert_close(outcome.fact("frequencies_hz")[0], math.sqrt(1e5 / 8000) / (2 * math.pi), 1e-4)
        self.assertNotIn("rigid-body", outcome.log)

    def test_a_stiff_block_that_is_let_go_bounces_back_after_a_period(self):
        period = 2 * math.pi * math.sqrt(8000 / 1e5)
        outcome = self.solve("ritz-elasticity", self.case(
            STEEL + foundation("a.z0", stiffness=1e5) + "".join(
                f'[[displacement]]\nregion = "a.{side}"\n{axis} = 0\n' for side, axis in (("x0", "x"), ("x1", "x"), ("y0", "y"), ("y1", "y")))
            + f"[initial]\ndisplacement = [0, 0, 0.01]\n[time]\nend = {period!r}\nstep = {period / 400!r}\n"
            + f"output_at = [{period / 2!r}]\nspectral_radius = 1.0\n" + mean("z", "z", "a")))
        steps = [line.split(",") for line in (outcome.folder / "results" / "case_probes.csv").read_text().splitlines()]
        z = [float(row[steps[0].index("z")]) for row in steps[1:]]
        self.assert_close(z[-1], 0.01, 1e-3)
        self.assert_close(z[-2], -0.01, 1e-3)

    def test_springs_at_nodes_carry_the_load(self):
        corners = '[[region]]\nname = "feet"\nkind = "nodes"\nplane = {point = [0, 0, 0], normal = [0, 0, 1]}\n'
        spring = '[[spring]]\nregion = "feet"\nstiffness = [1e6, 1e6, 2e6]\n'
        force = '[[force]]\nregion = "feet"\nvalue = [0, 0, -1000]\n'
        outcome = self.solve("ritz-elasticity", self.case(STEEL + EXACT + corners + spring + force + mean("z", "z", "feet")))
        self.assert_close(outcome.probes["z"], -1000 / 2e6, 1e-7)
        self.assertIn("spring on 'feet': (0, 0, 1000) N", outcome.log)
        outcome = self.solve("ritz-elasticity", self.case(STEEL + EXACT + corners + spring + "each = true\n" + force + mean("z", "z", "feet")))
        self.assert_close(outcome.probes["z"], -1000 / (9 * 2e6), 1e-7)

    def test_springs_hold_plane_bodies_for_their_thickness_and_rings_of_bodies_of_revolution(self):
        box_meshes.write_rectangle(self.folder / "plane.msh", box_meshes.QUADS, (4, 4, 0))
        for model in ('type = "plane_stress"\nthickness = 0.5', 'type = "axisymmetric"'):
            with self.subTest(model=model):
                case = self.write("plane.toml", f'[mesh]\nfile = "plane.msh"\n[model]\n{model}\n' + STEEL.replace('"a"', '"all"') + EXACT
                                  + '[[region]]\nname = "feet"\nkind = "nodes"\nplane = {point = [0, 0], normal = [0, 1]}\n'
                                  + '[[region]]\nname = "y1"\nkind = "facets"\nplane = {point = [0, 1], normal = [0, 1]}\n'
                                  + '[[spring]]\nregion = "feet"\nstiffness = [1e6, 2e6]\n'
                                  + '[[force]]\nregion = "y1"\nvalue = [0, -1000]\n' + mean("y", "y", "feet"))
                outcome = self.solve("ritz-elasticity", case)
                self.assert_close(outcome.probes["y"], -1000 / 2e6, 1e-7)
                self.assertRegex(outcome.log, r"spring on 'feet': \(\S+, 1000\) N")

    def test_a_beam_on_gravel_meets_hetenyi(self):
        outcome = self.solve("ritz-elasticity", example("foundation"))
        k, EI, L, P = 7e7 * 0.05, 210e9 * 0.05 * 0.1**3 / 12, 1.0, 1000
        b = (k / (4 * EI))**0.25
        sh, ch, s, c = math.sinh(b * L), math.cosh(b * L), math.sin(b * L), math.cos(b * L)
        end = 2 * P * b / k * (sh * ch - s * c) / (sh**2 - s**2)
        self.assert_close(outcome.probes["end"], -end, 5e-3)
        self.assert_close(outcome.fact("reaction")[2], 1000, 1e-6)

    def test_what_cannot_be_is_refused(self):
        self.refuse(2, ["this foundation has no stiffness"], STEEL + foundation("a.z0"))
        self.refuse(4, ["stiffness' is -1"], STEEL + foundation("a.z0", stiffness=-1))
        self.refuse(2, ["depends on t", "does not change in time"], STEEL + foundation("a.z0", stiffness='"1e6 * (1 + t)"')
                    + "[time]\nend = 1\nstep = 0.1\n")
        self.refuse(4, ["can still move freely", "translation along x"], STEEL + foundation("a.z0", stiffness=1e6))
        self.refuse(2, ["move it out of the load case"], STEEL + foundation("a.z0", stiffness=1e6, tangential=1)
                    + '[[load_case]]\nname = "a"\n[[load_case.foundation]]\nregion = "a.z1"\nstiffness = 1\n')


if __name__ == "__main__":
    unittest.main()
