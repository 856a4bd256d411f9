"""[[tie]], [[rigid]], [[periodic]], [[equation]] and supports along directions that are no axes: each against a closed form, or
against the same body without them."""
import csv
import json
import math
import subprocess
import unittest

import boxes
import modal_test
from ritz import BIN, CaseTest

STEEL = '[[material]]\nregion = "{}"\nyoung = 200e9\npoisson = {}\n'
PROBE = '[[probe]]\nname = "{}"\nfield = "{}"\n{}\n'
MESH = '[mesh]\nfile = "mesh.msh"\n'
EXACT = "[solver]\ntolerance = 1e-12\n"


def box(x, y, z, size=(1, 1, 1)):
    """From a corner, with these lengths."""
    return lambda u, v, w: (x + size[0] * u, y + size[1] * v, z + size[2] * w)


def held(region, **components):
    return f'[[displacement]]\nregion = "{region}"\n' + "".join(f"{key} = {value}\n" for key, value in components.items())


def stress(name, component, region, measure="max"):
    return PROBE.format(name, "stress", f'component = "{component}"\nregion = "{region}"\nmeasure = "{measure}"')


def at(name, field, point, component=None):
    return PROBE.format(name, field, f"point = {list(point)}" + (f'\ncomponent = "{component}"' if component else ""))


class Joining(CaseTest):
    def of(self, mesh, text, program="ritz-elasticity", **options):
        self.write("mesh.msh", mesh)
        return self.solve(program, self.write("case.toml", MESH + text), **options)

    def refuse(self, exit, words, mesh, text, program="ritz-elasticity", errors=None):
        self.write("mesh.msh", mesh)
        outcome = self.run_case(program, self.write("case.toml", MESH + text), "--check")
        self.assertEqual(outcome.exit, exit, outcome.errors)
        for word in words:
            self.assertIn(word, outcome.errors)
        if errors is not None:
            self.assertEqual(outcome.errors.count("error:"), errors, outcome.errors)


def two(low=(3, 3, 2), up=(2, 2, 2), gap=0):
    return boxes.blocks(("low", low, box(0, 0, 0)), ("up", up, box(0, 0, 1 + gap)))


TIE = '[[tie]]\nregion = "up.z0"\nonto = "low.z1"\n'
BOTH = STEEL.format("low", 0.3) + STEEL.format("up", 0.3)


class Ties(Joining):
    def test_tension_along_a_tie_that_does_not_match_is_exact(self):
        text = BOTH + TIE + EXACT + "".join(held(f"{part}.x0", x=0) + held(f"{part}.x1", x=1e-3) + held(f"{part}.y0", y=0) for part in ("low", "up"))
        for gap in (0, 0.01):  # linear fields are met across a gap, too
            outcome = self.of(two(gap=gap), text + held("low.z0", z=0) + stress("low", "xx", "low") + stress("least", "xx", "up", "min"))
            for name in ("low", "least"):
                self.assert_close(outcome.probes[name], 200e6, 1e-9)
            self.assertIn("tied, at most", outcome.log)
            self.assertNotIn("by themselves", outcome.log)  # which is told of surface integrals only

    def test_tension_across_is_exact_where_the_nodes_of_the_coarser_side_are_the_others_too(self):
        text = BOTH + TIE + EXACT + held("low.z0", z=0) + held("low.x0", x=0) + held("low.y0", y=0) + '[[pressure]]\nregion = "up.z1"\nvalue = -1e6\n'
        ends = stress("low", "zz", "low") + stress("least", "zz", "up", "min")
        outcome = self.of(two((2, 2, 2), (4, 6, 3)), text + ends)
        for name in ("low", "least"):
            self.assert_close(outcome.probes[name], 1e6, 1e-9)
        # else the sum of the forces is, and the end moves as far within a percent
        end = PROBE.format("end", "displacement", 'component = "z"\nregion = "up.z1"\nmeasure = "mean"')
        outcome = self.of(two((4, 4, 4), (5, 5, 5)), text + end)
        self.assert_close(outcome.fact("reaction")[2], -1e6, 1e-9)
        self.assert_close(outcome.probes["end"], 2 * 1e6 / 200e9, 1e-2)

    def test_tension_across_is_exact_by_the_surface(self):
        text = BOTH.replace("0.3", "0") + TIE + 'method = "surface"\n' + EXACT + "".join(held(f"{part}.x0", x=0) + held(f"{part}.y0", y=0) for part in ("low", "up"))
        text += held("low.z0", z=0) + '[[pressure]]\nregion = "up.z1"\nvalue = -1e6\n' + stress("low", "zz", "low") + stress("least", "zz", "up", "min")
        outcome = self.of(two((4, 4, 4), (5, 5, 5)), text)
        self.assert_close(outcome.probes["low"], 1e6, 1e-6)
        self.assert_close(outcome.probes["least"], 1e6, 1e-6)
        self.assert_close(self.of(two((7, 7, 7), (4, 4, 4)), text).probes["low"], 1e6, 1e-6)  # the wrong way round
        self.assertIn("36 of them integrated", outcome.log)
        self.assertNotIn("do not match", outcome.log)
        for more, gap in (("", 0.004), ("[space]\norder = 2\n", 0.004)):  # 2 % of a facet
            outcome = self.of(two((4, 4, 1), (5, 5, 1), gap), more + text)
            for probe in ("low", "least"):
                self.assert_close(outcome.probes[probe], 1e6, 1e-8)
        by_nodes = self.of(two((4, 4, 4), (5, 5, 5)), text.replace('method = "surface"\n', ""))
        self.assertIn("do not match: no node stands at", by_nodes.log)
        self.assertGreater(abs(by_nodes.probes["low"] - 1e6), 0.05e6)

    def test_constant_stresses_of_every_kind_pass_through_a_surface(self):
        """The displacements of a constant stress on one end, its tractions on all other faces: so it is in every cell."""
        faces = {"x0": (-1, 0, 0), "x1": (1, 0, 0), "y0": (0, -1, 0), "y1": (0, 1, 0), "z1": (0, 0, 1)}
        for name, (i, j) in {"xx": (0, 0), "yy": (1, 1), "zz": (2, 2), "xy": (0, 1), "yz": (1, 2), "xz": (0, 2)}.items():
            sigma = [[1e6 if (a, b) in ((i, j), (j, i)) else 0 for b in range(3)] for a in range(3)]
            strain = [[(1.3 * sigma[a][b] - (0.3 * sum(sigma[c][c] for c in range(3)) if a == b else 0)) / 200e9 for b in range(3)] for a in range(3)]
            text = BOTH + TIE + 'method = "surface"\n' + EXACT + "".join(stress(part, name, part, measure) for part, measure in (("low", "max"), ("up", "min")))
            text += held("low.z0", **{axis: f'"{strain[a][0]} * x + {strain[a][1]} * y"' for a, axis in enumerate("xyz")})
            for part in ("low", "up"):
                for face, normal in faces.items():
                    if (part, face) != ("low", "z1"):
                        value = [sum(sigma[a][b] * normal[b] for b in range(3)) for a in range(3)]
                        text += f'[[traction]]\nregion = "{part}.{face}"\nvalue = {value}\n'
            outcome = self.of(two((4, 4, 4), (5, 5, 5)), text)
            for probe in ("low", "up"):
                self.assert_close(outcome.probes[probe], 1e6, 1e-6)

    def test_nodes_that_no_surface_integral_ties_are_named(self):
        mesh = boxes.blocks(("low", (2, 2, 2), box(0, 0, 0)), ("up", (1, 1, 1), box(0.6, 0, 1)))
        text = BOTH + TIE + 'method = "surface"\noutside = "free"\n' + held("low.z0", fixed="true") + held("up.z1", fixed="true")
        text += '[[pressure]]\nregion = "up.x1"\nvalue = 1e6\n'
        self.assertIn("2 of 2 nodes of 'up.z0' are tied by themselves, not by the surface", self.of(mesh, text).log)

    def test_a_surface_of_order_2_bends_across_a_gap_as_beams_do(self):
        """A moment M on two bars of length L with nu = 0: turned by 2 M L / (E I). Facets that differ disturb the linear stress a little."""
        gap = 0.01
        bars = boxes.blocks(("low", (4, 2, 2), box(0, 0, 0, (4, 1, 1))), ("up", (4, 3, 3), box(4 + gap, 0, 0, (4, 1, 1))))
        text = BOTH.replace("0.3", "0") + "[space]\norder = 2\n" + EXACT + held("low.x0", fixed="true") + '[[rigid]]\nregion = "up.x1"\nreference = [8.01, 0.5, 0.5]\nmoment = [0, 1e6, 0]\n'
        text += '[[tie]]\nregion = "up.x0"\nonto = "low.x1"\nmethod = "surface"\n'
        outcome = self.of(bars, text)
        self.assertIn("49 of them integrated", outcome.log)
        turn = 1e6 * 8 / (200e9 / 12)
        self.assert_close(outcome.fact("rigid up.x1")[4], turn, 1e-3)
        self.assert_close(outcome.fact("rigid up.x1")[2], -turn * 4 - turn / 2 * gap, 1e-3)

    def test_a_beam_of_two_tied_halves_bends_like_the_whole_one(self):
        half = lambda x: box(x, 0, 0, (4, 1, 1))
        tip = PROBE.format("tip", "displacement", 'component = "z"\nregion = "{}.x1"\nmeasure = "mean"')
        load = '[space]\norder = 2\n[[force]]\nregion = "{}.x1"\nvalue = [0, 0, -1e4]\n'
        whole = self.of(boxes.blocks(("low", (12, 3, 3), box(0, 0, 0, (8, 1, 1)))),
                        STEEL.format("low", 0.3) + held("low.x0", fixed="true") + load.format("low") + tip.format("low"))
        tied = self.of(boxes.blocks(("low", (6, 3, 3), half(0)), ("up", (6, 4, 4), half(4))),
                       BOTH + held("low.x0", fixed="true") + load.format("up") + tip.format("up") + TIE.replace("z0", "x0").replace("z1", "x1"))
        self.assert_close(tied.probes["tip"], whole.probes["tip"], 2e-3)
        self.assertLess(tied.report["solver"]["iterations"], 2 * whole.report["solver"]["iterations"] + 5)

    def test_heat_flows_through(self):
        text = '[[material]]\nregion = "low"\nconductivity = 4\n[[material]]\nregion = "up"\nconductivity = 1\n' + TIE + EXACT
        text += '[[temperature]]\nregion = "low.z0"\nvalue = 0\n[[temperature]]\nregion = "up.z1"\nvalue = 100\n'
        middle = PROBE.format("middle", "temperature", 'region = "low.z1"\nmeasure = "mean"')
        outcome = self.of(two((2, 2, 2), (4, 4, 2)), text + middle, "ritz-heat")
        self.assert_close(outcome.probes["middle"], 20, 1e-9)  # resistances 1/4 and 1
        outcome = self.of(two((4, 4, 2), (5, 5, 2)), text + middle, "ritz-heat")
        self.assert_close(outcome.probes["middle"], 20, 1e-2)
        outcome = self.of(two((4, 4, 2), (5, 5, 2), 0.004), text.replace(TIE, TIE + 'method = "surface"\n') + middle, "ritz-heat")
        self.assert_close(outcome.probes["middle"], 20, 1e-9)  # a gap conducts without resistance

    def test_fields_show_what_is_tied(self):
        text = BOTH + TIE + held("low.z0", fixed="true") + PROBE.format("tied", "tied", 'region = "up.z0"\nmeasure = "min"')
        text += PROBE.format("gap", "tie_distance", 'region = "up.z0"\nmeasure = "max"') + PROBE.format("others", "tied", 'region = "low"\nmeasure = "max"')
        outcome = self.of(two(gap=0.01), text + '[[pressure]]\nregion = "up.z1"\nvalue = 1e6\n')
        self.assertEqual((outcome.probes["tied"], outcome.probes["others"]), (1, 0))
        self.assert_close(outcome.probes["gap"], 0.01, 1e-9)

    def test_a_tied_part_is_held_and_one_that_is_not_is_found(self):
        text = BOTH + held("low.z0", fixed="true")
        self.refuse(4, ["can still move freely"], two(), text)
        self.refuse(4, ["can still move freely"], two(), text + TIE + 'components = ["z"]\n')
        self.refuse(4, ["9 of 9 nodes of 'up.z0' lie outside of the tolerance", "0.1 m from 'low.z1'"], two(gap=0.1), text + TIE)
        self.refuse(2, ["'w' is no component"], two(), text + TIE + 'components = ["w"]\n')
        self.refuse(2, ["a load case cannot have its own [tie]"], two(), text + TIE + '[[load_case]]\nname = "a"\n[[load_case.tie]]\nregion = "up.z0"\nonto = "low.z1"\n')
        self.of(two(gap=0.1), text + TIE + "tolerance = 0.2\n" + '[[pressure]]\nregion = "up.z1"\nvalue = 1e6\n')

    def test_free_vibration_of_tied_halves_has_six_rigid_motions(self):
        text = (BOTH + TIE).replace("poisson", "density = 7850\npoisson") + "[modal]\ncount = 9\n"
        tied = self.of(two((4, 4, 4), (4, 4, 4)), text, "ritz-modal")
        whole = self.of(boxes.blocks(("low", (4, 4, 8), box(0, 0, 0, (1, 1, 2)))),
                        STEEL.format("low", 0.3).replace("poisson", "density = 7850\npoisson") + "[modal]\ncount = 9\n", "ritz-modal")
        self.assertEqual(tied.report["facts"]["rigid_body_modes"], "6")
        for a, b in zip(tied.fact("frequencies_hz")[6:], whole.fact("frequencies_hz")[6:]):
            self.assert_close(a, b, 1e-6)  # the meshes match: the same matrix


class Rigid(Joining):
    bar = boxes.blocks(("bar", (4, 1, 1), box(0, 0, 0, (4, 1, 1))))

    def test_a_moment_turns_the_end_of_a_bar_as_statics_say(self):
        # Poisson's ratio 0: quadratic displacements, so that order 2 is exact. M L / (E I), M L^2 / (2 E I)
        text = STEEL.format("bar", 0) + "[space]\norder = 2\n" + EXACT + held("bar.x0", fixed="true") + '[[rigid]]\nregion = "bar.x1"\nreference = [4, 0.5, 0.5]\n'
        outcome = self.of(self.bar, text + "moment = [0, 1e6, 0]\n")
        motion = outcome.fact("rigid bar.x1")
        turn = 1e6 * 4 / (200e9 / 12)
        self.assert_close(motion[4], turn, 1e-8)
        self.assert_close(motion[2], -turn * 4 / 2, 1e-8)
        # the same rotation prescribed, the end free to move: no force, so the same bending
        outcome = self.of(self.bar, text + f"ry = {turn}\n")
        self.assert_close(outcome.fact("rigid bar.x1")[2], -turn * 4 / 2, 1e-8)
        # a force beside the bar is that force and its moment
        outcome = self.of(self.bar, text.replace("[4, 0.5, 0.5]", "[4, 0.5, 3.5]") + "force = [1e6, 0, 0]\n")
        self.assert_close(outcome.fact("rigid bar.x1")[4], 3 * turn, 1e-8)
        self.assert_close(outcome.fact("reaction")[0], -1e6, 1e-8)

    def test_a_body_that_is_rigid_altogether_moves_as_prescribed(self):
        text = STEEL.format("bar", 0.3) + '[[rigid]]\nregion = "bar"\nreference = [1, 0, 0]\nx = 0.001\ny = 0\nz = 0\nrx = 0\nry = 0\nrz = 0.002\n'
        outcome = self.of(self.bar, text + at("corner", "displacement", (4, 1, 1)))
        for value, exact in zip(outcome.probes["corner"], (0.001 - 0.002, 0.006, 0)):
            self.assertAlmostEqual(value, exact, delta=1e-12)

    def test_regions_without_such_a_rotation_are_refused(self):
        line = '[[region]]\nname = "line"\nkind = "nodes"\nbox = {low = [0, 0, 0], high = [4, 0, 0]}\n'
        text = STEEL.format("bar", 0.3) + held("bar.x0", fixed="true") + line + '[[rigid]]\nregion = "line"\n'
        self.refuse(4, ["the rotation about x of a rigid region is prescribed that it does not have"], self.bar, text + "rx = 0.1\n")
        self.refuse(2, ["'bar.x9'"], self.bar, text.replace(line, "").replace('"line"\n', '"bar.x9"\n'))


class Couplings(Joining):
    """A bar of 4 x 1 x 1 m without Poisson's effect, which order 2 bends exactly: E = 200 GPa, I = 1/12 m^4."""
    bar = boxes.blocks(("bar", (4, 2, 2), box(0, 0, 0, (4, 1, 1))))
    text = STEEL.format("bar", 0) + "[space]\norder = 2\n" + EXACT + held("bar.x0", fixed="true")
    end = '[[coupling]]\nregion = "bar.x1"\nreference = {}\n'

    def test_a_force_and_a_moment_move_a_reference_point_as_statics_say(self):
        turn = 1e6 * 4 / (200e9 / 12)  # M L / (E I)
        outcome = self.of(self.bar, self.text + self.end.format("[4, 0.5, 0.5]") + "moment = [0, 1e6, 0]\n")
        motion = outcome.fact("coupling bar.x1")
        self.assert_close(motion[4], turn, 1e-8)
        self.assert_close(motion[2], -turn * 4 / 2, 1e-8)
        # three metres beside the bar a force is itself and its moment, and the reference point turns along
        outcome = self.of(self.bar, self.text + self.end.format("[4, 0.5, 3.5]") + "force = [1e6, 0, 0]\n")
        motion = outcome.fact("coupling bar.x1")
        self.assert_close(motion[4], 3 * turn, 1e-8)
        self.assert_close(motion[0], 1e6 * 4 / 200e9 + 3 * 3 * turn, 1e-8)
        self.assert_close(outcome.fact("reaction")[0], -1e6, 1e-8)

    def test_two_couplings_of_one_surface_have_facts_of_their_own(self):
        ends = "".join(self.end.format(point) + "force = [1e6, 0, 0]\n" for point in ("[4, 0.5, 0.5]", "[5, 0.5, 1.5]"))
        outcome = self.of(self.bar, self.text + ends)
        first, second = outcome.fact("coupling bar.x1"), outcome.fact("coupling bar.x1 2")
        turn = 1e6 * 4 / (200e9 / 12)
        self.assert_close(first[0], 2e6 * 4 / 200e9, 1e-8)
        self.assert_close(second[0], first[0] + turn, 1e-8)  # one metre above
        self.assert_close(second[2], first[2] - turn, 1e-8)  # one metre beyond

    def test_a_prescribed_mean_motion_takes_the_force_of_statics(self):
        for solver in ("", 'operator = "matrix_free"\n', 'method = "direct"\n'):
            text = self.text.replace(EXACT, EXACT + solver)
            outcome = self.of(self.bar, text + self.end.format("[4, 0.5, 0.5]") + "x = 0.001\nry = 0.002\n")
            force = outcome.fact("coupling bar.x1 force")
            self.assert_close(force[0], 200e9 * 0.001 / 4, 1e-8)
            self.assert_close(force[4], 200e9 / 12 * 0.002 / 4, 1e-8)
            motion = outcome.fact("coupling bar.x1")
            for value, exact in zip(motion, (0.001, 0, -0.002 * 4 / 2, 0, 0.002, 0)):
                self.assertAlmostEqual(value, exact, delta=1e-11)
            self.assert_close(outcome.fact("reaction")[0], -200e9 * 0.001 / 4, 1e-8)

    def test_all_six_motions_beside_gravity_and_another_coupling(self):
        """What six prescribed motions take, applied as force and moment, gives the same field."""
        text = STEEL.format("bar", 0.3) + "density = 7850\n" + EXACT + held("bar.x0", fixed="true") + "[gravity]\nacceleration = [0, 0, -9.81]\n"
        text += '[[coupling]]\nregion = "bar.y1"\nforce = [0, 3e5, 0]\n' + at("tip", "displacement", (4, 1, 1))
        end = self.end.format("[5, 0, 1]")
        moved = (1e-3, -2e-3, 3e-3, 1e-3, 2e-3, -1e-3)
        prescribed = self.of(self.bar, text + end + "".join(f"{name} = {value}\n" for name, value in zip(("x", "y", "z", "rx", "ry", "rz"), moved)))
        for value, exact in zip(prescribed.fact("coupling bar.x1"), moved):
            self.assert_close(value, exact, 1e-8)
        force = prescribed.fact("coupling bar.x1 force")
        loaded = self.of(self.bar, text + end + f"force = {force[:3]}\nmoment = {force[3:]}\n")
        for a, b in zip(loaded.probes["tip"], prescribed.probes["tip"]):
            self.assert_close(a, b, 1e-6)
        for a, b in zip(loaded.fact("reaction"), prescribed.fact("reaction")):
            self.assert_close(a, b, 1e-6)

    def test_a_sweep_over_a_prescribed_motion_is_proportional_to_it(self):
        text = self.text + self.end.format("[4, 0.5, 0.5]") + "x = 0.001\n" + PROBE.format("tip", "displacement", 'component = "x"\npoint = [4, 1, 1]')
        outcome = self.of(self.bar, text + '[[sweep.parameter]]\nkey = "coupling.0.x"\nvalues = [0.001, 0.002]\n')
        members = [member["probes"]["tip"] for member in outcome.report["sweep"].values()]
        self.assert_close(members[0], 0.001, 1e-8)
        self.assert_close(members[1], 0.002, 1e-8)

    def test_what_couplings_cannot_do_is_refused(self):
        end = self.end.format("[4, 0.5, 0.5]")
        load_case = '[[load_case]]\nname = "a"\n[[load_case.force]]\nregion = "bar.x1"\nvalue = [1, 0, 0]\n'
        self.refuse(2, ["'x' was given with a spring", "coupling.0.x"], self.bar, self.text + end + "x = 0.1\nsprings = {x = 1e6}\n")
        self.refuse(4, ["coupling.0.springs.x"], self.bar, self.text + end + "springs = {x = -1e6}\n")
        self.refuse(4, ["can still move freely"], self.bar, self.text.replace("fixed = true", "x = 0") + end + "y = 0\nz = 0\n")
        self.refuse(2, ["a load case cannot have its own [coupling]"], self.bar, self.text + load_case + '[[load_case.coupling]]\nregion = "bar.x1"\n')
        self.refuse(2, ["'bar.x9'"], self.bar, self.text + end.replace("x1", "x9"))
        self.write("mesh.msh", self.bar)
        twice = self.run_case("ritz-elasticity", self.write("case.toml", MESH + self.text + end.replace("x1", "x0") + "x = 0.1\n"))
        self.assertEqual(twice.exit, 4, twice.errors)
        self.assertIn("the mean motion is prescribed twice", twice.errors)

    def test_load_cases_take_couplings_with_forces(self):
        load_case = '[[load_case]]\nname = "{}"\n[[load_case.force]]\nregion = "bar.x1"\nvalue = [{}, 0, 0]\n'
        outcome = self.of(self.bar, self.text + self.end.format("[4, 0.5, 0.5]") + "force = [1e6, 0, 0]\n" + load_case.format("a", 0) + load_case.format("b", 1e6))
        self.assertIn("in the mean it moves by (2e-05,", outcome.log)
        self.assertIn("in the mean it moves by (4e-05,", outcome.log)

    def test_springs_at_a_reference_point_share_the_load_with_the_bar(self):
        """Beside E A / L and E I / L stand springs of the same and of three times the stiffness."""
        along, about = 200e9 / 4, 200e9 / 12 / 4
        springs = f"springs = {{x = {along}, ry = {3 * about}}}\n"
        outcome = self.of(self.bar, self.text + self.end.format("[4, 0.5, 0.5]") + springs + "force = [1e6, 0, 0]\nmoment = [0, 2e6, 0]\n")
        motion, force = outcome.fact("coupling bar.x1"), outcome.fact("coupling bar.x1 force")
        self.assert_close(motion[0], 0.5e6 / along, 1e-8)
        self.assert_close(motion[4], 0.5e6 / about, 1e-8)
        self.assert_close(force[0], -0.5e6, 1e-8)
        self.assert_close(force[4], -1.5e6, 1e-8)
        self.assert_close(outcome.fact("reaction")[0], -0.5e6, 1e-8)

    def test_springs_against_motions_that_are_zero_by_symmetry_take_nothing(self):
        """A bar between planes of symmetry that is warm along its length: z and ry stay zero but for rounding."""
        text = STEEL.format("bar", 0.3) + "expansion = 1e-5\n" + EXACT + held("bar.x0", fixed="true") + self.end.format("[4, 0.5, 0.5]")
        for moved in ("x = 0.001\n", ""):
            outcome = self.of(self.bar, text + moved + 'springs = {ry = 1e5, z = 1e4}\n[thermal]\ntemperature = "100*x"\nreference = 20\n')
            motion = outcome.fact("coupling bar.x1")
            self.assertLess(abs(motion[2]) + abs(motion[4]), 1e-8)

    def test_load_cases_and_combinations_keep_a_prescribed_mean_motion(self):
        """What all cases share counts once, so the end moves by 1 mm in each: 5e7 N, less what pulls there."""
        load_case = '[[load_case]]\nname = "{}"\n[[load_case.force]]\nregion = "bar.x1"\nvalue = [{}, 0, 0]\n'
        outcome = self.of(self.bar, self.text + self.end.format("[4, 0.5, 0.5]") + "x = 0.001\n" + load_case.format("a", 1e6) +
                          load_case.format("b", -3e6) + '[[combination]]\nname = "sum"\nfactors = {a = 2, b = 1}\n')
        lines = [line for line in outcome.log.splitlines() if "held by the force" in line]
        forces = [float(line.split("force (")[1].split(",")[0]) for line in lines]
        for found, pulls in zip(forces, (1e6, -3e6, -1e6), strict=True):
            self.assert_close(found, 5e7 - pulls, 1e-5)
        self.assertEqual(outcome.log.count("in the mean it moves by (0.001,"), 3)


class OnlyCouplings(Joining):
    """The same bar without supports: couplings hold it in the mean, so forces and moments follow from statics."""
    bar = Couplings.bar
    steel = STEEL.format("bar", 0) + "density = 7850\n[space]\norder = 2\n" + EXACT
    start, end = (f'[[coupling]]\nregion = "bar.{side}"\nreference = {point}\n' for side, point in (("x0", "[0, 0.5, 0.5]"), ("x1", "[4, 0.5, 0.5]")))
    weight, gravity = 7850 * 4 * 9.81, "[gravity]\nacceleration = [0, 0, -9.81]\n"

    @staticmethod
    def zero(*names):
        return "".join(f"{name} = 0\n" for name in names)

    def assert_near(self, found, expected, scale):
        for value, exact in zip(found, expected, strict=True):
            self.assertAlmostEqual(value, exact, delta=1e-7 * scale)

    def test_one_coupling_holds_a_bar_as_a_wall_does_in_the_mean(self):
        clamp = self.start + self.zero("x", "y", "z", "rx", "ry", "rz")
        for solver in ("", 'operator = "matrix_free"\n', 'method = "direct"\n'):
            text = self.steel.replace(EXACT, EXACT + solver)
            outcome = self.of(self.bar, text + clamp + self.end + "force = [1e6, 0, 0]\nmoment = [0, 1e6, 0]\n")
            self.assert_near(outcome.fact("coupling bar.x0 force"), (-1e6, 0, 0, 0, -1e6, 0), 1e6)
            self.assert_near(outcome.fact("coupling bar.x0"), [0] * 6, 1e-5)
            turn = 1e6 * 4 / (200e9 / 12)
            self.assert_near(outcome.fact("coupling bar.x1"), (1e6 * 4 / 200e9, 0, -turn * 4 / 2, 0, turn, 0), 1e-3)

    def test_weights_of_the_bar_and_of_masses_at_reference_points(self):
        clamp = self.start + self.zero("x", "y", "z", "rx", "ry", "rz")
        for follower in (self.end, self.end.replace("coupling", "rigid")):
            outcome = self.of(self.bar, self.steel + self.gravity + clamp + follower + "mass = 3000\n")
            mass = 3000 * 9.81
            self.assert_near(outcome.fact("coupling bar.x0 force"), (0, 0, self.weight + mass, 0, -2 * self.weight - 4 * mass, 0), self.weight)

    def test_springs_and_couplings_together_hold_a_bar(self):
        springs = self.start + self.zero("x", "y", "rx", "rz") + "springs = {z = 1e7, ry = 1e9}\n"
        outcome = self.of(self.bar, self.steel + self.gravity + springs)
        motion = outcome.fact("coupling bar.x0")
        self.assert_close(motion[2], -self.weight / 1e7, 1e-6)
        self.assert_close(motion[4], 2 * self.weight / 1e9, 1e-6)
        # on two ends, as a simply supported beam
        outcome = self.of(self.bar, self.steel + self.gravity + self.start + self.zero("x", "y", "z", "rx") + self.end + self.zero("y", "z"))
        for name in ("coupling bar.x0 force", "coupling bar.x1 force"):
            self.assert_near(outcome.fact(name), (0, 0, self.weight / 2, 0, 0, 0), self.weight)

    def test_supports_hold_some_motions_and_load_cases_add_up(self):
        """Held along x by a wall, and in the mean elsewhere."""
        text = self.steel + held("bar.x0", x=0) + self.start + self.zero("y", "z", "rx") + self.end + "force = [2e5, 0, 0]\n"
        cases = '[[load_case]]\nname = "a"\n[load_case.gravity]\nacceleration = [0, -9.81, 0]\n[[load_case]]\nname = "b"\n[[load_case.force]]\nregion = "bar.x1"\nvalue = [0, 0, 1e5]\n'
        outcome = self.of(self.bar, text + cases + '[[combination]]\nname = "sum"\nfactors = {a = 2, b = 1}\n')
        forces = [[float(value) for value in line.split("force (")[1].split(")")[0].split(",")] for line in outcome.log.splitlines() if "held by the force" in line]
        for found, expected in zip(forces, ((0, self.weight, 0), (0, 0, -1e5), (0, 2 * self.weight, -1e5)), strict=True):
            for value, exact in zip(found, expected):
                self.assertAlmostEqual(value, exact, delta=2e-5 * self.weight)

    def test_what_does_not_hold_a_bar_is_named(self):
        self.refuse(4, ["can still move freely", "rotation about the axis through (2, 0.5, 0.5) along x"], self.bar,
                    self.steel + self.start + self.zero("x", "y", "z", "ry", "rz"))


class MassesInVibration(Joining):
    def frequencies(self, mesh, text, count, **options):
        outcome = self.of(mesh, text + f"[modal]\ncount = {count}\n", "ritz-modal", **options)
        return outcome.fact("frequencies_hz"), outcome

    def test_a_stiff_cube_on_springs_at_its_centre_swings_as_a_rigid_body(self):
        """Six modes on their own: k / m, and k / J with the cube's m / 6. It is 1e5 times stiffer than the springs."""
        springs, inertia = {"x": 1e6, "y": 2e6, "z": 3e6, "rx": 4e6, "ry": 5e6, "rz": 6e6}, [100, 200, 300]
        text = STEEL.format("cube", 0.3) + "density = 8000\n"
        at_centre = '[[{}]]\nregion = "{}"\nreference = [0.5, 0.5, 0.5]\n'
        held_by = "springs = {" + ", ".join(f"{key} = {value}" for key, value in springs.items()) + "}\n"
        masses = f"mass = 500\ninertia = {inertia}\n"
        exact = [k / (8500 if i < 3 else 8000 / 6 + inertia[i - 3]) for i, k in enumerate(springs.values())]
        exact = sorted(math.sqrt(value) / (2 * math.pi) for value in exact)
        mesh = boxes.blocks(("cube", (2, 2, 2), box(0, 0, 0)))
        for attached in (at_centre.format("coupling", "cube.x0") + held_by + masses,
                         at_centre.format("coupling", "cube.x0") + held_by + at_centre.format("rigid", "cube.x1") + masses):
            found, outcome = self.frequencies(mesh, text + attached, 6)
            for value, expected in zip(found, exact, strict=True):
                self.assert_close(value, expected, 1e-4)
            self.assert_close(outcome.fact("total_mass")[0], 8500, 1e-9)

    def test_a_mass_at_the_tip_of_a_cantilever_swings_as_euler_and_bernoulli_say(self):
        """1 + cos b cosh b + mu b (cos b sinh b - sin b cosh b) = 0 with mu = 2; shear and the shape of the section lower it by (h/L)^2."""
        bar = boxes.blocks(("bar", (10, 1, 1), box(0, 0, 0, (20, 1, 1))))
        text = STEEL.format("bar", 0) + "density = 8000\n[space]\norder = 2\n" + held("bar.x0", fixed="true")
        low, high = 0.5, 1.8
        root = lambda b: 1 + math.cos(b) * math.cosh(b) + 2 * b * (math.cos(b) * math.sinh(b) - math.sin(b) * math.cosh(b))
        for _ in range(60):
            middle = (low + high) / 2
            low, high = (middle, high) if root(middle) * root(low) > 0 else (low, middle)
        exact = low**2 / (2 * math.pi * 20**2) * math.sqrt(200e9 / 12 / 8000)
        for table in ("coupling", "rigid"):
            for method in ("lanczos", "lobpcg"):
                tip = f'[[{table}]]\nregion = "bar.x1"\nreference = [20, 0.5, 0.5]\nmass = 320000\n'
                outcome = self.of(bar, text + tip + f'[modal]\ncount = 2\nmethod = "{method}"\n', "ritz-modal")
                for value in outcome.fact("frequencies_hz"):
                    self.assert_close(value, exact, 5e-3)

    def test_a_bar_that_is_held_in_the_mean_vibrates_along_as_at_a_wall(self):
        """Without Poisson's effect sections stay plane: c / (4 L). What holds less than a wall lowers the other frequencies, a little."""
        bar, text = Couplings.bar, STEEL.format("bar", 0) + "density = 8000\n[space]\norder = 2\n"
        mean = '[[coupling]]\nregion = "bar.x0"\n' + OnlyCouplings.zero("x", "y", "z", "rx", "ry", "rz")
        ours, outcome = self.frequencies(bar, text + mean, 6)
        self.assertNotIn("6 rigid", outcome.log)
        clamped, _ = self.frequencies(bar, text + held("bar.x0", fixed="true"), 6)
        self.assertLess(min(abs(value / (5000 / 16) - 1) for value in ours), 1e-3)
        for value, limit in zip(ours, clamped):
            self.assertLess(value, limit * (1 + 1e-7))
            self.assertGreater(value, 0.95 * limit)

    def test_what_masses_cannot_do_is_refused(self):
        bar, text = Couplings.bar, STEEL.format("bar", 0) + "density = 8000\n" + held("bar.x0", fixed="true")
        end = '[[coupling]]\nregion = "bar.x1"\n'
        self.refuse(4, ["coupling.0.mass"], bar, text + end + "mass = -1\n")
        self.refuse(4, ["a moment of inertia is -2"], bar, text + end + "inertia = [1, -2, 3]\n")
        self.refuse(2, ["the support moves by 0.1"], bar, text + end + "x = 0.1\n[modal]\ncount = 1\n", "ritz-modal")
        line = '[[region]]\nname = "line"\nkind = "nodes"\nbox = {low = [0, 0, 0], high = [4, 0, 0]}\n[[rigid]]\nregion = "line"\n'
        self.refuse(4, ["has inertia about x, and its region does not turn"], bar,
                    text.replace("bar.x0", "bar.y1") + line + "inertia = [1, 0, 0]\n[modal]\ncount = 1\n", "ritz-modal")
        self.write("mesh.msh", bar)
        outcome = self.run_case("ritz-modal", self.write("case.toml", MESH + text + end + 'springs = {x = 1e6}\n[modal]\ncount = 1\nmethod = "lobpcg"\n'))
        self.assertEqual(outcome.exit, 2, outcome.errors)
        self.assertIn("LOBPCG does not take motions that springs hold", outcome.errors)


def mean_of(region, component="x"):
    return PROBE.format("u", "displacement", f'region = "{region}"\ncomponent = "{component}"\nmeasure = "mean"')


def half_period(stiffness, mass, times=2, steps=200):
    """[time] over so many half periods by Newmark's method, which loses no energy; a result after each."""
    half = math.pi * math.sqrt(mass / stiffness)
    return f"[time]\nend = {times * half!r}\nstep = {2 * half / steps!r}\noutput = {half!r}\nspectral_radius = 1\n"


class MassesInMotion(Joining):
    """A mass at the end of a bar that weighs next to nothing: from its displacement it is on the other side after half of 2 pi sqrt(m / k)."""

    def displacements(self, outcome):
        with open(outcome.folder / "results" / "case_probes.csv") as file:
            return [float(row["u"]) for row in csv.DictReader(file)]

    def assert_swings(self, outcome, amplitude, energy):
        for value, exact in zip(self.displacements(outcome), (amplitude, -amplitude, amplitude), strict=True):
            self.assertAlmostEqual(value, exact, delta=1e-3 * amplitude)
        self.assert_close(outcome.fact("energy_at_begin")[0], energy, 1e-6)
        self.assertLess(abs(outcome.fact("lost_energy")[0]), 1e-7 * energy)

    def test_a_mass_on_a_light_bar_swings_with_its_period(self):
        bar, k, m = boxes.blocks(("bar", (4, 1, 1), box(0, 0, 0, (4, 1, 1)))), 200e9 / 4, 5e4
        text = STEEL.format("bar", 0) + "density = 1e-3\n" + held("bar.x0", fixed="true") + mean_of("bar.x1")
        text += '[initial]\ndisplacement = ["1e-3*x/4", 0, 0]\n'
        for table in ("coupling", "rigid"):
            mass = f'[[{table}]]\nregion = "bar.x1"\nmass = {m}\n'
            self.assert_swings(self.of(bar, text + mass + half_period(k, m)), 1e-3, k * 1e-6 / 2)
        # Damping by alpha M takes the mass along: the amplitude falls as exp(-alpha t / 2).
        damped = "[damping]\nrayleigh = [50, 0]\n[solver]\nmethod = \"cg\"\n"
        outcome = self.of(bar, text + mass + half_period(k, m).replace("step =", "largest_step =") + damped)
        self.assertAlmostEqual(self.displacements(outcome)[-1], 1e-3 * math.exp(-50 * math.pi * math.sqrt(m / k)), delta=5e-6)

    def test_a_mass_in_the_plane_and_on_a_body_of_revolution(self):
        """k = E A / L with the thickness 0.1, and with the ring of radii 1 and 2."""
        mesh, m = boxes.blocks(("bar", (2, 4), lambda u, v: (1 + u, 4 * v))), 3e4
        for model, area, sides in (('type = "plane_stress"\nthickness = 0.1', 0.1, held("bar.x0", x=0)), ('type = "axisymmetric"', 3 * math.pi, "")):
            k = 200e9 * area / 4
            text = STEEL.format("bar", 0) + f"density = 1e-3\n[model]\n{model}\n" + held("bar.y0", y=0) + sides
            mass = f'[[rigid]]\nregion = "bar.y1"\nmass = {m}\n'
            probe = mean_of("bar.y1", "y")
            self.assert_swings(self.of(mesh, text + '[initial]\ndisplacement = [0, "1e-3*y/4"]\n' + mass + probe + half_period(k, m)), 1e-3, k * 1e-6 / 2)
            weighed = self.of(mesh, text + mass + probe + "[gravity]\nacceleration = [0, -10]\n")
            self.assert_close(weighed.probes["u"], -10 * m / k, 1e-6)
            modes = self.of(mesh, text.replace("1e-3", "1") + mass + "[modal]\ncount = 1\n", "ritz-modal").fact("frequencies_hz")
            self.assert_close(modes[0], math.sqrt(k / (m + 4 * area / 3)) / (2 * math.pi), 1e-6)

    def test_what_turns_has_the_energy_of_its_inertia(self):
        """A free cube that turns about z through its middle, w = 3: (m / 6 + J) w^2 / 2, in the plane a square likewise."""
        turn = '[initial]\nvelocity = ["-3*(y-0.5)", "3*(x-0.5)"{}]\n[time]\nend = 1e-6\nstep = 1e-6\nspectral_radius = 1\n'
        cube, square = boxes.blocks(("cube", (2, 2, 2), box(0, 0, 0))), boxes.blocks(("cube", (2, 2), lambda u, v: (u, v)))
        steel = STEEL.format("cube", 0.3) + "density = 8000\n"
        for table in ("coupling", "rigid"):
            at = f'[[{table}]]\nregion = "cube.x1"\nreference = [0.5, 0.5, 0.5]\nmass = 700\ninertia = [1, 2, 300]\n'
            outcome = self.of(cube, steel + at + turn.format(", 0"))
            self.assert_close(outcome.fact("energy_at_begin")[0], 4.5 * (8000 / 6 + 300), 1e-9)
        at = '[[rigid]]\nregion = "cube.x1"\nreference = [0.5, 0.5]\nmass = 700\ninertia = 300\n'
        outcome = self.of(square, steel + '[model]\ntype = "plane_strain"\n' + at + turn.format(""))
        self.assert_close(outcome.fact("energy_at_begin")[0], 4.5 * (8000 / 6 + 300), 1e-9)

    def test_bodies_of_revolution_have_no_moment_of_inertia(self):
        mesh = boxes.blocks(("bar", (2, 4), lambda u, v: (1 + u, 4 * v)))
        text = STEEL.format("bar", 0) + 'density = 8\n[model]\ntype = "axisymmetric"\n[[rigid]]\nregion = "bar.y1"\ninertia = 1\n'
        self.refuse(2, ["a moment of inertia in a body of revolution"], mesh, text + "[time]\nend = 1\nstep = 1\n")


class MassesOnFrames(Joining):
    """A cantilever of Bernoulli with a mass at a reference point beyond or beside its tip."""
    L, E, I, A, rho = 5, 200e9, 0.1**4 / 12, 0.01, 8000

    def arm(self, density, reference, mass, inertia=(0, 0, 0)):
        self.mesh = modal_test.lines([(self.L * i / 10, 0, 0) for i in range(11)], [(i, i + 1) for i in range(10)],
                                     {"arm": (range(10), []), "hub": ([], [0]), "tip": ([], [10])})
        section = f'[[section]]\nregion = "arm"\nelement = "beam"\nyoung = {self.E}\npoisson = 0.3\narea = {self.A}\ninertia_y = {self.I!r}\n'
        section += f'inertia_z = {self.I!r}\ntorsion = {2 * self.I!r}\ndensity = {density}\n[[support]]\nregion = "hub"\nfixed = true\n'
        return section + f'[[rigid]]\nregion = "tip"\nreference = {reference}\nmass = {mass}\ninertia = {list(inertia)}\n'

    def exact(self, m, e, J):
        """The least root of the frequency equation of w = a (cosh bx - cos bx) + c (sinh bx - sin bx): with the motion v = w + e w1 of the mass
        and W = omega^2 the tip has E I w2 = W (J w1 + m e v) and E I w3 = -W m v, where w1, w2, w3 are derivatives."""
        def residual(b):
            W, x = self.E * self.I * b**4 / (self.rho * self.A), b * self.L
            ch, co, sh, si = math.cosh(x), math.cos(x), math.sinh(x), math.sin(x)
            rows = []
            for w, w1, w2, w3 in ((ch - co, sh + si, ch + co, sh - si), (sh - si, ch - co, sh + si, ch + co)):
                v = w + e * b * w1
                rows.append((self.E * self.I * b * b * w2 - W * (J * b * w1 + m * e * v), self.E * self.I * b**3 * w3 + W * m * v))
            return rows[0][0] * rows[1][1] - rows[0][1] * rows[1][0]
        low, high = 0.01 / self.L, 1.87 / self.L
        for _ in range(80):
            middle = (low + high) / 2
            low, high = (middle, high) if residual(middle) * residual(low) > 0 else (low, middle)
        return low**2 * math.sqrt(self.E * self.I / (self.rho * self.A)) / (2 * math.pi)

    def test_frequencies_are_those_of_the_closed_form(self):
        for m, e, J in ((400, 0, 0), (400, 0.5, 0), (800, 0.5, 300)):
            text = self.arm(self.rho, [self.L + e, 0, 0], m, (0, J, J))
            outcome = self.of(self.mesh, text + "[modal]\ncount = 2\n", "ritz-modal")
            for value in outcome.fact("frequencies_hz"):
                self.assert_close(value, self.exact(m, e, J), 5e-3)
            self.assert_close(outcome.fact("total_mass")[0], m + self.rho * self.A * self.L, 1e-9)

    def test_a_weight_that_is_let_go_falls_twice_as_far_as_it_rests(self):
        """Beside the tip, along y: it bends and twists the arm, u = m g (L^3 / (3 E I) + a^2 L / (G J)) where it hangs."""
        m, a = 400, 0.7
        flexibility = self.L**3 / (3 * self.E * self.I) + a * a * self.L / (self.E / 2.6 * 2 * self.I)
        text, gravity = self.arm(1e-3, [self.L, a, 0], m), "gravity]\nacceleration = [0, 0, -10]\n"
        for weight in ("[" + gravity, '[[load_case]]\nname = "g"\n[load_case.' + gravity):
            rest = self.of(self.mesh, text + weight, "ritz-structure")
            moved = [float(value) for value in rest.log.split("its reference point moves by (")[1].split(")")[0].split(",")]
            self.assert_close(moved[2], -10 * m * flexibility, 1e-5)
            self.assertIn("reactions: (0, 0, 4000) N", rest.log)
        falls = self.of(self.mesh, text + "[" + gravity + half_period(1 / flexibility, m, 1), "ritz-structure")
        self.assert_close(falls.fact("rigid tip")[2], -20 * m * flexibility, 2e-3)
        self.assertLess(abs(falls.fact("lost_energy")[0]), 1e-7 * falls.fact("work_of_loads")[0])


class Periodicity(Joining):
    def test_a_laminate_is_its_closed_form(self):
        """Two layers with moduli E and E / 4, halves of the cell along z. Strain zz: 1 / mean(1 / C); shear xz: 1 / mean(1 / mu); strain xx
        with the layers held across: mean(C) - mean(lambda^2 / C) + mean(lambda / C)^2 / mean(1 / C)."""
        mesh = boxes.blocks(("cell", (2, 3, 4), box(0, 0, 0)))
        layers = [(200e9, 0.3), (50e9, 0.3)]
        text = "".join(f'[[region]]\nname = "{name}"\nkind = "cells"\nbox = {{low = [0, 0, {z}], high = [1, 1, {z + 0.5}]}}\n'
                       f'[[material]]\nregion = "{name}"\nyoung = {young}\npoisson = {nu}\n' for (name, z), (young, nu) in zip((("a", 0), ("b", 0.5)), layers))
        text += '[[region]]\nname = "corner"\nkind = "nodes"\nbox = {low = [0, 0, 0], high = [0, 0, 0]}\n' + held("corner", fixed="true") + EXACT
        C = [E * (1 - nu) / (1 + nu) / (1 - 2 * nu) for E, nu in layers]
        lam = [E * nu / (1 + nu) / (1 - 2 * nu) for E, nu in layers]
        mu = [E / 2 / (1 + nu) for E, nu in layers]
        mean = lambda values: sum(values) / 2
        exact = {"zz": 1 / mean([1 / c for c in C]), "xz": 2 / mean([1 / m for m in mu]),
                 "xx": mean(C) - mean([a * a / c for a, c in zip(lam, C)]) + mean([a / c for a, c in zip(lam, C)])**2 / mean([1 / c for c in C])}
        for component, position in (("xx", 0), ("zz", 2), ("xz", 5)):
            strain = [0.0] * 6
            strain[position] = 1e-3
            pairs = "".join(f'[[periodic]]\nregion = "cell.{a}1"\nonto = "cell.{a}0"\nstrain = {strain}\n' for a in "xyz")
            outcome = self.of(mesh, text + pairs + stress("mean", component, "cell", "mean"))
            self.assert_close(outcome.probes["mean"], 1e-3 * exact[component], 1e-8)

    def test_a_sector_is_the_whole_disc(self):
        """A ring, held inside, under spin and under a load around it, which bends what was radial: one sector of six."""
        angle = math.pi / 3
        place = lambda total: lambda u, v: ((1 + u) * math.cos(total * v), (1 + u) * math.sin(total * v))
        text = '[model]\ntype = "plane_stress"\n' + STEEL.format("all", 0.3) + EXACT + '[[body_force]]\nregion = "all"\nvalue = ["7850e4 * x - 3e7 * y", "7850e4 * y + 3e7 * x"]\n'
        text += at("u", "displacement", (2, 0)) + held("ring.x0", fixed="true")
        # six sectors, tied one to the next where their nodes coincide, are the whole
        six = boxes.blocks(*((f"r{n}", (4, 5), (lambda n: lambda u, v: place(angle)(u, v + n))(n)) for n in range(6)))
        ties = "".join(f'[[tie]]\nregion = "r{n}.y1"\nonto = "r{(n + 1) % 6}.y0"\n' for n in range(6))
        whole = self.of(six, text.replace(held("ring.x0", fixed="true"), "".join(held(f"r{n}.x0", fixed="true") for n in range(6))) + ties)
        turn = '[[periodic]]\nregion = "r.y1"\nonto = "r.y0"\nrotation = {angle = "60 deg"}\n'
        sector = self.of(boxes.blocks(("r", (4, 5), place(angle))), text.replace("ring", "r") + turn)
        for a, b in zip(sector.probes["u"], whole.probes["u"]):
            self.assert_close(a, b, 1e-8)
        self.refuse(4, ["have no image on 'r.y0'", "sign of the angle"], boxes.blocks(("r", (4, 5), place(angle))), text.replace("ring", "r") + turn.replace("60", "-60"))

    def test_a_mean_gradient_of_the_temperature(self):
        text = '[[material]]\nregion = "cell"\nconductivity = 3\n[[periodic]]\nregion = "cell.x1"\nonto = "cell.x0"\ngradient = [20, 0]\n'
        text += '[[periodic]]\nregion = "cell.y1"\nonto = "cell.y0"\n[[region]]\nname = "corner"\nkind = "nodes"\nbox = {low = [0, 0], high = [0, 0]}\n[[temperature]]\nregion = "corner"\nvalue = 5\n'
        outcome = self.of(boxes.blocks(("cell", (4, 3), lambda u, v: (2 * u, v))), text + at("T", "temperature", (1, 0.5)) + EXACT, "ritz-heat")
        self.assert_close(outcome.probes["T"], 25, 1e-9)


class Oblique(Joining):
    def test_planes_of_symmetry_may_be_oblique(self):
        c, s = math.cos(0.5), math.sin(0.5)
        turned = lambda u, v, w: (c * 2 * u - s * v, s * 2 * u + c * v, w)
        text = STEEL.format("b", 0.3) + EXACT + '[[pressure]]\nregion = "b.x1"\nvalue = -1e6\n' + at("u", "displacement", turned(1, 1, 1))
        exact = (2 * 1e6 / 200e9, -0.3 * 1e6 / 200e9)
        mesh = boxes.blocks(("b", (3, 2, 2), turned))
        for supports in (held("b.x0", normal=0) + held("b.y0", normal=0) + held("b.z0", normal=0),
                         held("b.x0", direction=[c, s, 0]) + held("b.y0", direction=[-2 * s, 2 * c, 0], value=0) + held("b.z0", z=0)):
            outcome = self.of(mesh, text + supports)
            u = outcome.probes["u"]
            for force, load in zip(outcome.fact("reaction"), outcome.fact("applied_load")):
                self.assertAlmostEqual(force, -load, delta=1e-3)  # of 1e6
            for value, expected in zip(u, (c * exact[0] - s * exact[1], s * exact[0] + c * exact[1], exact[1])):
                self.assert_close(value, expected, 1e-8)

    def test_a_sector_of_a_tube_between_its_planes_is_lames_tube(self):
        place = lambda u, v: ((1 + u) * math.cos(0.3 + 0.9 * v), (1 + u) * math.sin(0.3 + 0.9 * v))
        text = '[model]\ntype = "plane_stress"\n' + STEEL.format("r", 0.3) + '[space]\norder = 2\n[[pressure]]\nregion = "r.x0"\nvalue = 1e6\n'
        text += PROBE.format("inside", "displacement", 'component = "magnitude"\nregion = "r.x0"\nmeasure = "mean"')
        exact = 1e6 / (200e9 * 3) * ((1 - 0.3) + (1 + 0.3) * 4)  # p a^3 / (E (b^2 - a^2)) ((1 - nu) + (1 + nu) b^2 / a^2)
        for supports in (held("r.y0", normal=0) + held("r.y1", normal=0),
                         held("r.y0", cylindrical="{tangential = 0}") + held("r.y1", cylindrical="{tangential = 0}")):
            self.assert_close(self.of(boxes.blocks(("r", (8, 16), place)), text + supports).probes["inside"], exact, 2e-3)

    def test_what_cannot_be_meant_is_refused(self):
        mesh, text = boxes.cubes(["a"]), STEEL.format("a", 0.3)
        nodes = '[[region]]\nname = "n"\nkind = "nodes"\nbox = {low = [0, 0, 0], high = [0, 1, 1]}\n'
        self.refuse(2, ["'n' is a region of nodes"], mesh, text + nodes + held("n", normal=0))
        self.refuse(2, ["the direction of a support has no length"], mesh, text + held("a.x0", direction=[0, 0, 0]))
        self.refuse(4, ["lies on the axis, and is to move"], mesh, text + held("a.x0", cylindrical="{axis = [0, 0, 1], radial = 0.1}"))
        for key in ("normal = 0", "direction = [1, 1, 0]\nvalue = 0.1", "cylindrical = {axis = [0, 0, 1], radial = 0.1}"):
            self.refuse(2, [f"a load case cannot have its own '{key.split()[0]}'"], mesh,
                        text + f'[[displacement]]\nregion = "a.x1"\nfixed = true\n[[load_case]]\nname = "l"\n[[load_case.displacement]]\nregion = "a.x0"\n{key}\n', errors=1)
        process = subprocess.run([BIN / "ritz-elasticity", "--schema"], capture_output=True, text=True)
        supports = json.loads(process.stdout)["properties"]["load_case"]["items"]["properties"]["displacement"]["items"]
        self.assertEqual(set(supports["properties"]), {"region", "fixed", "x", "y", "z"})  # what is refused is no key


class Equations(Joining):
    def test_terms_may_name_nodes_and_a_first_region_of_many(self):
        mesh = boxes.blocks(("a", (2, 1, 1), box(0, 0, 0)))
        node = '[[region]]\nname = "tip"\nkind = "nodes"\nbox = {low = [1, 1, 1], high = [1, 1, 1]}\n'
        text = STEEL.format("a", 0.3) + EXACT + held("a.x0", fixed="true") + node + '[[force]]\nregion = "tip"\nvalue = [1e6, 2e6, 0]\n'
        text += at("low", "displacement", (1, 0, 0)) + at("tip", "displacement", (1, 1, 1))
        row = '[[equation]]\nterms = [{region = "tip", component = "x"}, {region = "tip", component = "z", factor = -2}]\nvalue = 1e-5\n'
        u = self.of(mesh, text + row).probes["tip"]
        self.assert_close(u[0] - 2 * u[2], 1e-5, 1e-9)
        level = '[[equation]]\nterms = [{region = "a.x1", component = "y"}, {region = "tip", component = "y", factor = -1}]\n'
        outcome = self.of(mesh, text + row + level)
        self.assert_close(outcome.probes["low"][1], outcome.probes["tip"][1], 1e-9)
        self.refuse(2, ["the region 'a.x1' of a term has 4 nodes"], mesh, text + level.replace('"tip"', '"a.x1"'))
        self.refuse(4, ["contradicts"], mesh, text + row + row.replace("1e-5", "2e-5"))



class Revolution(Joining):
    """In a body of revolution a radial motion or a tilt strains each ring, and x is the radial direction everywhere."""
    ring = boxes.square(((1, 0), (2, 0), (2, 1), (1, 1)))
    text = '[model]\ntype = "axisymmetric"\n' + STEEL.format("all", 0.3) + held("bottom", y=0) + '[[pressure]]\nregion = "left"\nvalue = 1e6\n'

    def test_a_rigid_region_moves_along_the_axis_only(self):
        outcome = self.of(self.ring, self.text + "[space]\norder = 2\n" + '[[rigid]]\nregion = "right"\n'
                          + PROBE.format("most", "displacement", 'component = "x"\nregion = "right"\nmeasure = "max"'))
        self.assertEqual(outcome.probes["most"], 0)
        motion = outcome.fact("rigid right")
        self.assertEqual([motion[0], *motion[2:]], [0] * 5)
        up = self.of(self.ring, self.text + '[[rigid]]\nregion = "top"\ny = 1e-3\n' + at("corner", "displacement", (2, 1)))
        for value, exact in zip(up.probes["corner"], (0, 1e-3)):
            self.assertAlmostEqual(value, exact, delta=1e-12)

    def test_what_strains_a_ring_is_refused(self):
        for words, more in (("moves along its axis", '[[rigid]]\nregion = "right"\nx = 1e-3\n'), ("moves along its axis", '[[rigid]]\nregion = "right"\nrz = 1e-3\n'),
                            ("a cylindrical support of a body of revolution", held("right", cylindrical="{radial = 0}")),
                            ("is not periodic across its axis", '[[periodic]]\nregion = "right"\nonto = "left"\n')):
            self.refuse(2, [words], self.ring, self.text + more)
        self.of(self.ring, self.text + '[[periodic]]\nregion = "top"\nonto = "bottom"\n')
        self.refuse(2, ["a total force across the axis", "is a formula"], self.ring,
                    self.text.replace("poisson", "density = 1\npoisson") + '[[force]]\nregion = "right"\nvalue = ["t", 0]\n[time]\nend = 1\nstep = 0.5\n')

    def test_heat_along_axes_that_vary_is_refused_too(self):
        text = ('[model]\ntype = "axisymmetric"\n[[orientation]]\nname = "o"\ncylindrical = {}\n[[material]]\nregion = "all"\nconductivity_along = [1, 2, 3]\n'
                'orientation = "o"\n[[temperature]]\nregion = "bottom"\nvalue = 0\n')
        self.refuse(4, ["material axes that vary", "hoop in each section"], self.ring, text, "ritz-heat")


if __name__ == "__main__":
    unittest.main()
