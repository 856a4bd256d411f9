"""Solids, beams and shells in one case, from the command line."""
import json
import math
import re
import shutil
import subprocess
import unittest

import boxes
import ritz
import vtu
from ritz import BIN, CaseTest

E, B, H, L = 200e9, 0.2, 0.3, 2.0  # a bar of the section B x H, half of it a solid and half a beam
NX, NY, NZ = 4, 2, 2


def bar_and_beam(scale=1.0, gap=0.0, split=False):
    """A solid from x = 0 to 1, of two parts with nodes of their own where it is split, and a beam to x = 2: faces "wall", "side" and "face", points "tip"
    and "heel" of the beam, and "corner" of the solid."""
    points, elements = [], []

    def box(x0, x1, nx):
        before = len(points)
        number = lambda i, j, k: before + 1 + i + (nx + 1) * (j + (NY + 1) * k)
        face = lambda i, tag: [(3, tag, [number(i, j, k), number(i, j + 1, k), number(i, j + 1, k + 1), number(i, j, k + 1)])
                               for k in range(NZ) for j in range(NY)]
        points.extend((x0 + (x1 - x0) * i / nx, B * (j / NY - 0.5), H * (k / NZ - 0.5)) for k in range(NZ + 1) for j in range(NY + 1) for i in range(nx + 1))
        for k in range(NZ):
            for j in range(NY):
                for i in range(nx):
                    elements.append((5, 1, [number(i + x, j + y, k + z) for x, y, z in boxes.CORNERS]))
            for i in range(nx):
                elements.append((3, 5, [number(i, 0, k), number(i + 1, 0, k), number(i + 1, 0, k + 1), number(i, 0, k + 1)]))
        elements.extend(face(0, 2 if x0 == 0 else 8) + face(nx, 6 if x1 == 1 else 7))
        return number(nx, 0, 0)

    if split:
        box(0, 0.5, NX // 2)
    corner = box(0.5 if split else 0, 1, NX // 2 if split else NX)
    first = len(points) + 1
    points += [(1 + gap, 0, 0), (1.5, 0, 0), (2, 0, 0)]
    elements += [(1, 3, [first, first + 1]), (1, 3, [first + 1, first + 2]), (15, 4, [first + 2]), (15, 9, [first]), (15, 10, [corner])]
    names = [(3, "bar"), (2, "wall"), (1, "beam"), (0, "tip"), (2, "side"), (2, "face")] + [(2, "cut"), (2, "onto")] * split
    tags = {1: 1, 2: 2, 3: 3, 4: 4, 5: 5, 6: 6, 7: 7, 8: 8, 9: len(names) + 1, 10: len(names) + 2}
    elements = [(kind, tags[tag], nodes) for kind, tag, nodes in elements]
    return boxes.msh([tuple(scale * c for c in p) for p in points], elements, [*names, (0, "heel"), (0, "corner")])


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
        self.assertIn("joined: 1 nodes of 'beam' with 'bar' by its mean motion over their sections of 0.2 x 0.3", outcome.log)

    LAW = f'law = "j2"\nhardening = [[0, 250e6], [1, {250e6 + 20e9}]]\n'
    STATE = ('[[probe]]\nname = "face"\nfield = "displacement"\ncomponent = "{}"\nregion = "face"\nmeasure = "mean"\n'
             '[[probe]]\nname = "plastic"\nfield = "equivalent_plastic_strain"\nregion = "bar"\nmeasure = "mean"\n')

    def test_a_solid_yields_next_to_an_elastic_beam(self):
        """Drawn by 300 MPa: strains s / E + (s - 250 MPa) / H in the solid, s / E in the beam. Bent beyond yielding, the solid does what it does alone
        under the same force beyond its face."""
        stress = 300e6
        with_law = lambda load, axis: case(load=load).replace("poisson = 0\ndensity", f"poisson = 0\n{self.LAW}density", 1) + self.STATE.format(axis)
        free = '[[support]]\nregion = "wall"\nx = 0\n[[support]]\nregion = "tip"\ny = 0\nz = 0\nrx = 0\n'
        drawn = with_law(f'[[force]]\nregion = "tip"\nvalue = [{stress * B * H}, 0, 0]\n', "x").replace('[[support]]\nregion = "wall"\nfixed = true\n', free)
        outcome = self.solve_text(drawn + '[[probe]]\nname = "stress"\nfield = "stress"\ncomponent = "xx"\nregion = "bar"\nmeasure = "mean"\n')
        plastic = (stress - 250e6) / 20e9
        self.assert_close(outcome.probes["plastic"], plastic, 1e-6)
        self.assert_close(outcome.probes["face"], stress / E + plastic, 1e-6)
        self.assert_close(outcome.probes["stress"], stress, 1e-6)
        for load, reaction in zip(outcome.fact("applied_load"), outcome.fact("reaction")):
            self.assertAlmostEqual(load, -reaction, delta=1e-6 * stress * B * H)
        bent = self.solve_text(with_law('[[force]]\nregion = "tip"\nvalue = [0, 0, -500e3]\n', "z"))
        alone = with_law('[[force]]\nregion = "face"\nvalue = [0, 0, -500e3]\nat = [2, 0, 0]\n', "z").replace("[[support]]", "[[displacement]]")
        alone = alone[:alone.index("[[section]]")] + alone[alone.index("[[displacement]]"):alone.index('[[probe]]\nname = "down"')] + self.STATE.format("z")
        alone = self.solve_text(alone, program="ritz-elasticity")
        self.assertGreater(alone.probes["plastic"], 1e-5)
        for probe in ("face", "plastic"):
            self.assert_close(bent.probes[probe], alone.probes[probe], 1e-4)

    def test_laws_that_cannot_stand_next_to_sections_are_refused(self):
        self.fail_with(case().replace("poisson = 0\ndensity", "poisson = 0\nlaw = \"neo_hooke\"\ndensity", 1), "the law 'neo_hooke' next to sections")

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

    def test_a_beam_on_a_node_of_the_solid_is_no_gap(self):
        self.assertNotIn("lie on each other", self.solve_text(case()).log)

    def test_ritz_run_takes_the_case(self):
        self.write("body.msh", bar_and_beam())
        run = subprocess.run([BIN / "ritz", "run", self.write("body.toml", case()), "--check"], capture_output=True, text=True, cwd=self.folder)
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertIn("joined: 1 nodes of 'beam' with 'bar'", run.stdout)

    def test_modes_are_those_of_one_bar(self):
        free = case(load="[modal]\ncount = 8\n").replace('[[support]]\nregion = "wall"\nfixed = true\n', "")
        free = free[:free.index("[[probe]]")]
        outcome = self.solve_text(free, program="ritz-modal")
        self.assertEqual(outcome.fact("rigid_body_modes"), [6])
        frequencies = outcome.fact("frequencies_hz")
        inertia = H * B**3 / 12
        first = 4.730040745**2 / L**2 * math.sqrt(E * inertia / (2000 * B * H)) / (2 * math.pi)
        self.assert_close(frequencies[6], first, 0.06)  # of a beam without shear
        without = self.solve_text(free.replace("[modal]\ncount = 8\n", ""), program="ritz-modal")
        self.assert_close(without.fact("frequencies_hz")[6], frequencies[6], 1e-9)
        arrays = vtu.read(outcome.results())["PointData"]
        self.assertEqual(len(arrays["mode_7"]), len(arrays["mode_7_rotation"]))

    def test_a_load_along_a_path_ends_in_the_static_state(self):
        outcome = self.solve_text(case(more="[newton]\nincrements = 2\nwrite = \"increments\"\n"))
        inertia = B * H**3 / 12
        self.assert_close(outcome.probes["turn"], 3e4 * L / (E * inertia), 1e-6)

    def test_the_last_step_of_statics_is_that_of_its_loads(self):
        """Under order 2, whose results have cells of their own: those of the first step serve the others."""
        step = '[[step]]\nname = "{}"\n[[step.force]]\nregion = "tip"\nmoment = [0, {}, 0]\n'
        outcome = self.solve_text(case(load="", more=step.format("half", 1.5e4) + step.format("whole", 3e4)))
        turns = re.findall(r"probe turn: (\S+) rad", outcome.log)
        inertia = B * H**3 / 12
        for turn, moment in zip(turns, (1.5e4, 3e4), strict=True):
            self.assert_close(float(turn), moment * L / (E * inertia), 1e-6)

    def test_a_released_body_keeps_its_energy_in_time(self):
        time = "[time]\nend = 0.01\nstep = 0.001\nspectral_radius = 1\n[initial]\nvelocity = [0, 0, \"x\"]\nangular_velocity = [0, -1, 0]\n"
        outcome = self.solve_text(case(load="", more=time))
        begin = outcome.fact("energy_at_begin")[0]
        self.assert_close(begin, 2000 * B * H * L**3 / 6, 0.02)
        self.assert_close(outcome.fact("kinetic_energy")[0] + outcome.fact("strain_energy")[0], begin, 1e-6)
        self.assertIn("velocity", vtu.read(outcome.results())["PointData"])

    def test_explicit_steps_go_where_implicit_ones_do(self):
        push = '[[force]]\nregion = "tip"\nvalue = [0, 0, 1e5]\n'
        implicit, explicitly = (self.solve_text(case(load=push, more=f"[time]\nend = 4e-3\n{method}\n")).probes["down"]
                                for method in ("step = 2e-5", 'method = "central_differences"'))
        self.assertGreater(implicit, 1e-4)
        self.assert_close(explicitly, implicit, 0.02)  # lumped masses, on few cells

    def test_modes_of_a_law_are_those_of_its_elastic_part(self):
        """At rest, and in a step after loads below yielding."""
        modal = lambda text: text[:text.index("[[probe]]")]
        elastic = self.solve_text(modal(case(load="[modal]\ncount = 3\n")), program="ritz-modal").fact("frequencies_hz")
        law = case(load="[modal]\ncount = 3\n").replace("poisson = 0\ndensity", f"poisson = 0\n{self.LAW}density", 1)
        rest = self.solve_text(modal(law), program="ritz-modal").fact("frequencies_hz")
        steps = '[[step]]\nname = "push"\n[[step.force]]\nregion = "tip"\nvalue = [0, 0, 1e4]\n[[step]]\nname = "swing"\n[step.modal]\ncount = 3\n'
        outcome = self.solve_text(modal(law.replace("[modal]\ncount = 3\n", "")) + steps)
        loaded = [float(each) for each in outcome.report["steps"]["swing"]["facts"]["frequencies_hz"].split()]
        for found in (rest, loaded):
            for mine, expected in zip(found, elastic, strict=True):
                self.assert_close(mine, expected, 1e-6)

    def test_rotations_of_solids_are_an_error(self):
        self.fail_with(case().replace("fixed = true", "fixed = true\nrx = 0"), "solids have displacements alone")

    def test_a_gap_is_an_error(self):
        self.fail_with(case(), "of 'beam' lies 0.01 from a solid", bar_and_beam(gap=0.01), 4)

    def test_what_a_body_of_both_lacks_is_refused(self):
        self.fail_with(case(more='[gradient]\nof = "compliance"\n'),
                       "'gradient' was given, and the mesh has volumes among lines and surfaces")

    def buckling(self, text, rigid="wall", **options):
        """Between a hinge below, about which a rigid face turns, and a support that slides on the tip."""
        ends = (f'[[rigid]]\nregion = "{rigid}"\nx = 0\ny = 0\nz = 0\nrx = 0\n[[support]]\nregion = "tip"\ny = 0\nz = 0\n')
        text = text.replace('[[support]]\nregion = "wall"\nfixed = true\n', ends)
        return self.solve_text(text[:text.index("[[probe]]")], **options)

    PUSH = '[[force]]\nregion = "tip"\nvalue = [-1000, 0, 0]\n'

    def test_solid_and_beam_buckle_as_one_column(self):
        """Euler's load between hinges, 27.635 kN of a square of 20 x 20 mm, 1 m long, in proportion; Engesser's part of the shear."""
        outcome = self.buckling(case(load=self.PUSH + "[buckling]\ncount = 2\n"))
        euler = 27.635e3 * (E / 210e9) * (H * B**3 / 0.02**4) / L**2
        expected = euler / (1 + euler / (5 / 6 * E / 2 * B * H))
        factors = [1000 * each for each in outcome.fact("buckling_factors")]
        self.assert_close(factors[0], expected, 5e-3)
        self.assertGreater(factors[1], 2 * factors[0])
        arrays = vtu.read(outcome.results())["PointData"]
        shape = arrays["mode_1"]
        self.assertAlmostEqual(max(math.hypot(*shape[i:i + 3]) for i in range(0, len(shape), 3)), 1, delta=1e-9)
        self.assertEqual(len(arrays["mode_1"]), len(arrays["mode_1_rotation"]))
        self.assertIn("displacement", arrays)

    def test_modes_follow_the_axial_load(self):
        factor = 1000 * self.buckling(case(load=self.PUSH + "[buckling]\n")).fact("buckling_factors")[0]
        squares = []
        for part in (0, 0.5):
            load = self.PUSH.replace("-1000", str(-part * factor)) + f"[modal]\ncount = 1\npreload = {str(part > 0).lower()}\n"
            load = load if part else "[modal]\ncount = 1\n"
            squares.append(self.buckling(case(load=load), program="ritz-modal").fact("frequencies_hz")[0] ** 2)
        self.assert_close(squares[1], 0.5 * squares[0], 2e-2)  # shear and rotary inertia bend the straight line

    def test_a_mass_at_a_reference_point_weighs_and_swings(self):
        mass = 5e5
        rigid = f'[[rigid]]\nregion = "tip"\nmass = {mass}\n'
        weight = self.solve_text(case(load=rigid + "[gravity]\nacceleration = [0, 0, -10]\n"))
        self.assert_close(weight.fact("reaction")[2], 10 * (mass + 2000 * B * H * L), 1e-6)
        modal = case(load=rigid + "[modal]\ncount = 1\n")
        outcome = self.solve_text(modal[:modal.index("[[probe]]")], program="ritz-modal")
        soft = L**3 / (3 * E * H * B**3 / 12) + L / (5 / 6 * E / 2 * B * H)
        self.assert_close(outcome.fact("frequencies_hz")[0], math.sqrt(1 / (soft * mass)) / (2 * math.pi), 3e-3)
        self.assert_close(outcome.fact("total_mass")[0], mass + 2000 * B * H * L, 1e-9)

    def test_the_mean_motion_of_a_face_is_prescribed(self):
        """The force that it takes is that which moves the face so; the beam goes with it."""
        moved = self.solve_text(case(load='[[coupling]]\nregion = "face"\nz = 1e-3\n'))
        force = moved.fact("coupling face force")[2]
        pushed = self.solve_text(case(load=f'[[coupling]]\nregion = "face"\nforce = [0, 0, {force}]\n'))
        self.assert_close(moved.fact("coupling face")[2], 1e-3, 1e-9)
        self.assert_close(pushed.fact("coupling face")[2], 1e-3, 1e-6)
        for probe in ("down", "turn"):
            self.assert_close(moved.probes[probe], pushed.probes[probe], 1e-6)

    def test_a_path_ends_with_the_mean_motion_of_linear_statics(self):
        """Springs and given motions of the face, by Newton's method."""
        ends = '[[coupling]]\nregion = "face"\nz = 1e-3\nsprings = {y = 1e6}\n[[force]]\nregion = "tip"\nvalue = [0, 1e3, 0]\n'
        linear, newton = (self.solve_text(case(load=ends + path)) for path in ("", "[newton]\npath = [0.5, 1]\n"))
        for name in ("coupling face", "coupling face force"):
            scale = max(abs(value) for value in linear.fact(name))
            for a, b in zip(newton.fact(name), linear.fact(name), strict=True):
                self.assertAlmostEqual(a, b, delta=1e-7 * scale)

    def test_a_body_swings_on_the_spring_of_a_face(self):
        """A stiff body of mass m, whose wall has a soft spring along x: after half of 2 pi sqrt(m / k) a constant force has moved it by 2 F / k."""
        k, force, mass = 1e6, 1e3, 2000 * B * H * L
        held = '[[coupling]]\nregion = "wall"\ny = 0\nz = 0\nrx = 0\nry = 0\nrz = 0\nsprings = {x = 1e6}\n'
        half = math.pi * math.sqrt(mass / k)
        text = case(load=held + f'[[force]]\nregion = "tip"\nvalue = [{force}, 0, 0]\n[time]\nend = {half}\nstep = {half / 100}\n')
        text = text.replace('[[support]]\nregion = "wall"\nfixed = true\n', "")
        text = text[:text.index("[[probe]]")] + '[[probe]]\nname = "along"\nfield = "displacement"\ncomponent = "x"\nregion = "tip"\nmeasure = "mean"\n'
        alone = self.solve_text(text)
        self.assert_close(alone.probes["along"], 2 * force / k, 2e-3)  # the generalised-alpha method damps a little

    def test_a_beam_goes_with_a_side_that_follows_another(self):
        moved = self.solve_text(case(load='[[periodic]]\nregion = "face"\nonto = "wall"\njump = [0, 0, 1e-3]\n'))
        self.assert_close(moved.probes["down"], 1e-3, 1e-9)
        self.assertAlmostEqual(moved.probes["turn"], 0, delta=1e-12)
        self.assertIn("periodic 'face' onto 'wall': 25 nodes", moved.log)

    def assert_one_bar(self, outcome, length=L):
        self.assert_close(outcome.probes["turn"], 3e4 * length / (E * B * H**3 / 12), 1e-6)

    def test_a_tie_and_a_rigid_face_leave_it_one_bar(self):
        outcome = self.solve_text(case(more='[[tie]]\nregion = "cut"\nonto = "onto"\n[[rigid]]\nregion = "face"\n'), bar_and_beam(split=True))
        self.assert_one_bar(outcome)
        self.assertIn("tie 'cut' onto 'onto': 25 nodes tied", outcome.log)

    def test_a_joint_by_hand_spans_a_gap(self):
        for method in ("mean", "rigid"):
            outcome = self.solve_text(case(more=f'[[coupling]]\nregion = "face"\nnodes = "heel"\nmethod = "{method}"\n'), bar_and_beam(gap=0.1))
            self.assert_one_bar(outcome, L - 0.1)
            self.assertIn("joined: 1 nodes of 'beam' with 'face'", outcome.log)

    def test_an_equation_joins_unknowns_of_both(self):
        terms = 'terms = [{region = "tip", component = "z"}, {region = "corner", component = "z", factor = -1}]\nvalue = 1e-3\n'
        probe = '[[probe]]\nname = "corner"\nfield = "displacement"\ncomponent = "z"\nregion = "corner"\nmeasure = "mean"\n'
        outcome = self.solve_text(case(load="[[equation]]\n" + terms, more=probe))
        self.assert_close(outcome.probes["down"] - outcome.probes["corner"], 1e-3, 1e-9)
        self.assertGreater(outcome.probes["corner"], 1e-5)

    def test_solids_expand_and_sections_do_not(self):
        heat = '[thermal]\ntemperature = 120\nreference = 20\n'
        probe = '[[probe]]\nname = "along"\nfield = "displacement"\ncomponent = "x"\nregion = "tip"\nmeasure = "mean"\n'
        text = case(load=heat, more=probe).replace("poisson = 0\ndensity", "poisson = 0\nexpansion = 1e-5\ndensity", 1)
        outcome = self.solve_text(text)
        self.assert_close(outcome.probes["along"], 1e-5 * 100, 1e-6)
        self.assertIn("[thermal] is the temperature of the solids", outcome.log)

    @unittest.skipUnless(shutil.which("mpirun") and list((ritz.BIN.parent / "lib").glob("ritz_ranks.mpi.so")), "skipped: no MPI")
    def test_three_ranks_find_the_same(self):
        self.write("body.msh", bar_and_beam())
        text = self.write("body.toml", case())
        self.assert_close(self.by_ranks("ritz-structure", text)["probes"]["turn"], 3e4 * L / (E * B * H**3 / 12), 1e-6)
        alone = self.buckling(case(load=self.PUSH + "[buckling]\n"))
        shared = self.by_ranks("ritz-structure", "body.toml")["facts"]
        self.assert_close(float(shared["buckling_factors"]), alone.fact("buckling_factors")[0], 1e-7)
        heavy = case(load='[[rigid]]\nregion = "tip"\nmass = 5e5\n[modal]\ncount = 2\n')
        alone = self.solve_text(heavy[:heavy.index("[[probe]]")], program="ritz-modal")
        shared = self.by_ranks("ritz-modal", "body.toml")["facts"]
        for mine, expected in zip(shared["frequencies_hz"].split(), alone.fact("frequencies_hz")):
            self.assert_close(float(mine), expected, 1e-7)
        swinging = case(load='[[rigid]]\nregion = "tip"\nmass = 5e3\n[[force]]\nregion = "tip"\nvalue = [0, 0, 1e5]\n', more="[time]\nend = 0.02\nstep = 0.002\n")
        alone = self.solve_text(swinging).probes["down"]
        self.assertGreater(alone, 1e-5)
        self.assert_close(self.by_ranks("ritz-structure", "body.toml")["probes"]["down"], alone, 1e-6)
        alone = self.solve_text(swinging.replace("end = 0.02\nstep = 0.002\n", 'end = 2e-3\nmethod = "central_differences"\n')).probes["down"]
        self.assertGreater(alone, 1e-7)
        self.assert_close(self.by_ranks("ritz-structure", "body.toml")["probes"]["down"], alone, 1e-10)

    def by_ranks(self, program, text):
        run = subprocess.run(["mpirun", "--allow-run-as-root", "--oversubscribe", "--bind-to", "none", "-n", "3", BIN / program, text, "--json", "ranks.json", "--overwrite"],
                             capture_output=True, text=True, timeout=120, cwd=self.folder)
        self.assertEqual(run.returncode, 0, run.stderr)
        return json.loads((self.folder / "ranks.json").read_text())

    def test_a_material_without_volumes_is_refused(self):
        points = [(0, 0, 0), (1, 0, 0)]
        mesh = boxes.msh(points, [(1, 1, [1, 2]), (15, 2, [2])], [(1, "beam"), (0, "tip")])
        self.fail_with(case().replace('"wall"', '"tip"').replace('"bar"', '"beam"'), "the mesh has no volumes", mesh)


if __name__ == "__main__":
    unittest.main()
