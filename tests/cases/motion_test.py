"""Evolution of second order in time: bodies that fall, fly and are shaken, energies in the table of probes, errors, and runs that resume."""
import csv
import math
import signal
import unittest

import boxes
import modal_test
import ritz
from resume_test import Resume, files_of

CUBE = """[mesh]
file = "mesh.msh"
[[material]]
region = "a"
young = 1e6
poisson = 0.3
density = 1000
[time]
end = 2
step = 0.1
output = 1
[[probe]]
name = "u"
field = "displacement"
component = "z"
region = "a"
measure = "mean"
[[probe]]
name = "v"
field = "velocity"
component = "z"
region = "a"
measure = "mean"
[[probe]]
name = "a"
field = "acceleration"
component = "z"
region = "a"
measure = "mean"
"""


class Motion(ritz.CaseTest):
    def write_case(self, text):
        self.write("mesh.msh", boxes.cubes(["a"]))
        return self.write("case.toml", text)

    def rows(self, outcome, name="case"):
        with open(outcome.folder / "results" / f"{name}_probes.csv") as file:
            return [{key: float(value or 0) for key, value in row.items()} for row in csv.DictReader(file)]

    def test_a_table_that_moves_a_support_may_end_with_the_run(self):
        # u = t^2: the last velocity is that of the support, by one-sided differences of second order.
        self.write("lift.csv", "t,z\n" + "".join(f"{i / 100},{(i / 100) ** 2}\n" for i in range(201)))
        held = "".join(f'[[displacement]]\nregion = "a.{side}"\nx = 0\ny = 0\nz = "lift(t)"\n' for side in ("z0", "z1"))
        rows = self.rows(self.solve("ritz-elasticity", self.write_case(
            CUBE + held + '[[table]]\nname = "lift"\nfile = "lift.csv"\ninterpolation = "linear"\n')))
        self.assertEqual([row["time"] for row in rows], [0, 1, 2])
        for row in rows:
            self.assertAlmostEqual(row["u"], row["time"] ** 2, delta=1e-9)
            self.assertAlmostEqual(row["v"], 2 * row["time"], delta=0.02)

    def test_a_rigid_face_that_is_moved_from_the_begin_stays_level(self):
        # By symmetry it cannot turn, whichever of its unknowns follow the others.
        outcome = self.solve("ritz-elasticity", self.write_case(
            CUBE + '[[displacement]]\nregion = "a.z0"\nfixed = true\n[[rigid]]\nregion = "a.z1"\nz = 0.001\n'))
        turns = [line.split("turns by (")[1].split(")")[0] for line in outcome.log.splitlines() if "turns by (" in line]
        self.assertEqual(len(turns), 3)
        for turn in turns:
            for angle in map(float, turn.split(", ")):
                self.assertLess(abs(angle), 1e-12)

    def test_a_cube_that_is_thrown_up_falls_as_it_must(self):
        outcome = self.solve("ritz-elasticity", self.write_case(CUBE + "[gravity]\nacceleration = [0, 0, -10]\n[initial]\nvelocity = [0, 0, 8]\n"))
        rows = self.rows(outcome)
        self.assertEqual([row["time"] for row in rows], [0, 1, 2])
        for row in rows:
            t = row["time"]
            self.assertAlmostEqual(row["u"], 8 * t - 5 * t * t, delta=1e-8)
            self.assertAlmostEqual(row["v"], 8 - 10 * t, delta=1e-8)
            self.assertAlmostEqual(row["a"], -10, delta=1e-7)
            self.assertAlmostEqual(row["kinetic_energy"], 500 * (8 - 10 * t) ** 2, delta=1e-4)
            self.assertAlmostEqual(row["work_of_loads"], -10000 * (8 * t - 5 * t * t), delta=1e-4)
        self.assertLess(abs(outcome.fact("lost_energy")[0]), 1e-4)
        self.assertIn("kinetic", outcome.log)

    def test_explicit_steps_follow_a_thrown_cube_and_know_their_limit(self):
        thrown = CUBE.replace("step = 0.1", 'method = "central_differences"').replace("end = 2\n", "end = 0.05\n").replace("output = 1\n", "output = 0.025\n")
        acts = "[gravity]\nacceleration = [0, 0, -10]\n[initial]\nvelocity = [0, 0, 20]\n"
        outcome = self.solve("ritz-elasticity", self.write_case(thrown + acts))
        for row in self.rows(outcome):
            t = row["time"]
            self.assertAlmostEqual(row["u"], 20 * t - 5 * t**2, 9)
            self.assertAlmostEqual(row["a"], -10, 6)
        self.assertIn("by central differences", outcome.log)
        long = self.run_case("ritz-elasticity", self.write_case(thrown.replace("[time]", "[time]\nstep = 0.05") + acts))
        self.assertEqual(long.exit, 4)
        self.assertIn("the highest frequency of the mesh allows", long.errors)
        both = self.run_case("ritz-elasticity", self.write_case(thrown.replace("[time]", "[time]\ntolerance = 1e-4") + acts))
        self.assertEqual(both.exit, 2)
        self.assertIn("'tolerance' was given with central differences", both.errors)

    def test_a_force_that_grows_in_time_moves_a_free_cube(self):
        outcome = self.solve("ritz-elasticity", self.write_case(CUBE + '[[force]]\nregion = "a.z1"\nvalue = [0, 0, "600*t"]\n'))
        self.assertAlmostEqual(self.rows(outcome)[-1]["v"], 0.6 * 2 * 2 / 2, delta=5e-3)  # the mean over the cube: it swings, too

    def test_a_body_at_rest_starts_under_a_force_that_grows_from_nothing(self):
        """By a = 600 t^2 / 1000 of the mean; the same behind a long rest."""
        text = CUBE.replace("step = 0.1\noutput = 1", "")
        for start, end in ((0, 2), (98, 100)):
            load = f'[[body_force]]\nregion = "a"\nvalue = [0, 0, "t < {start} ? 0 : 600*(t-{start})^2"]\n'
            outcome = self.solve("ritz-elasticity", self.write_case(text + load), "--overwrite", keys={"time.end": end})
            self.assertAlmostEqual(self.rows(outcome)[-1]["v"], 0.6 * 2**3 / 3, delta=1e-2)
            self.assertAlmostEqual(self.rows(outcome)[-1]["u"], 0.6 * 2**4 / 12, delta=5e-3)

    def test_the_reaction_of_a_foundation_includes_its_damping(self):
        """It balances the force and the inertia: R = M a - F."""
        held = '[[displacement]]\nregion = "a"\nx = 0\ny = 0\n[[foundation]]\nregion = "a.z0"\nstiffness = 1e5\n[damping]\nrayleigh = [0, 0.05]\n'
        load = '[[force]]\nregion = "a.z1"\nvalue = [0, 0, -1000]\n[[probe]]\nname = "R"\nregion = "a"\nmeasure = "reaction"\ncomponent = "z"\n'
        keys = {"time.end": 0.02, "time.step": 1e-4, "time.output": 0.01, "material.0.poisson": 0}
        outcome = self.solve("ritz-elasticity", self.write_case(CUBE + held + load), keys=keys)
        for row in self.rows(outcome)[1:]:
            self.assertAlmostEqual(row["R"], 1000 * row["a"] + 1000, delta=5)
        self.assertAlmostEqual(float(outcome.report["facts"]["ground"].split()[-1]), row["R"], delta=1e-6)

    def test_a_body_that_expands_freely_stores_no_energy(self):
        heat = '[thermal]\ntemperature = "100*t"\nreference = 0\n[initial]\nequilibrium = true\n'
        free = "".join(f'[[displacement]]\nregion = "a.{side}0"\n{side} = 0\n' for side in "xyz")
        text = CUBE.replace("density = 1000", "density = 1\nexpansion = 1e-5")
        outcome = self.solve("ritz-elasticity", self.write_case(text + heat + free))
        self.assertLess(abs(outcome.fact("strain_energy")[0]), 1e-3)  # E (alpha T)^2 / 2 V = 2
        self.assertLess(abs(outcome.fact("work_of_loads")[0]), 1e-3)
        self.assertFalse([each for each in outcome.report["notices"] if "too long" in each])

    def test_steps_that_add_energy_are_told(self):
        """One step over hundreds of periods: the velocity at its end is that of the acceleration at its begin."""
        load = '[[displacement]]\nregion = "a.z0"\nfixed = true\n[[force]]\nregion = "a.z1"\nvalue = [0, 0, -1000]\n'
        for step, told in ((2, True), (1e-4, False)):
            keys = {"time.end": step if told else 0.01, "time.step": step, "time.output": 1}
            outcome = self.solve("ritz-elasticity", self.write_case(CUBE + load), keys=keys)
            self.assertEqual(any("too long for this motion" in each for each in outcome.report["notices"]), told, outcome.log)

    def test_from_equilibrium_nothing_moves(self):
        text = CUBE + '[gravity]\nacceleration = [0, 0, -10]\n[[displacement]]\nregion = "a.z0"\nfixed = true\n[initial]\nequilibrium = true\n'
        outcome = self.solve("ritz-elasticity", self.write_case(text))
        self.assertFalse([each for each in outcome.report["notices"] if "too long" in each])
        rows = self.rows(outcome)
        self.assertLess(rows[0]["u"], 0)
        for row in rows:
            self.assertAlmostEqual(row["u"], rows[0]["u"], delta=1e-9 * abs(rows[0]["u"]))

    def test_a_shaken_ground_takes_the_cube_along(self):
        text = CUBE + '[[displacement]]\nregion = "a.z0"\nx = 0\ny = 0\nz = "0.01*t^2"\n'
        rows = self.rows(self.solve("ritz-elasticity", self.write_case(text)))
        self.assertAlmostEqual(rows[-1]["u"], 0.04, delta=1e-4)
        self.assertGreater(rows[-1]["work_of_supports"], 0.5 * 1000 * 0.04 ** 2 * 0.8)

    def test_a_moving_support_of_a_frame(self):
        """The left end of the beam of NAFEMS 5T is moved aside with a constant acceleration: the rest turns about the right end."""
        case = ritz.example("transient/nafems_5t")
        outcome = self.solve("ritz-structure", case, keys={"support.0.pinned": "false", "support.0.x": 0, "support.0.z": 0, "support.0.y": '"0.5*t^2"', "line_load.0.value": "[0, 0, 0]", "damping.rayleigh": "[0, 0]", "time.end": 0.5, "time.output": 0.5, "time.step": 1e-3})
        self.assertAlmostEqual(outcome.probes["deflection"], 0.0625, delta=1e-4)

    def test_a_bar_of_displacement_and_pressure_swings_as_that_of_the_displacement(self):
        """Let go from its equilibrium under a pull, with Poisson's ratio 0.3; average acceleration keeps the energy."""
        self.write("bar.msh", boxes.shell(lambda u, v, w: (u, 0.1 * v, 0.1 * w), 5, (8, 1, 1)))
        text = '[mesh]\nfile = "bar.msh"\norder = 2\n' + "".join(f'[[region]]\nname = "{name}"\nkind = "facets"\nplane = {{point = [{x}, 0, 0], normal = [1, 0, 0]}}\n' for name, x in (("x0", 0), ("x1", 1)))
        text += '[[displacement]]\nregion = "x0"\nfixed = true\n[[traction]]\nregion = "x1"\nvalue = ["0.1 * (t <= 0)", 0, 0]\n[initial]\nequilibrium = true\n'
        text += '[time]\nend = 0.8\nstep = 0.02\nspectral_radius = 1\n[[probe]]\nname = "u"\nfield = "displacement"\ncomponent = "x"\nregion = "x1"\nmeasure = "mean"\n'
        text += '[[material]]\nregion = "all"\nyoung = 200\npoisson = 0.3\ndensity = 8\nformulation = "{}"\n'
        alone, mixed = (self.solve("ritz-elasticity", self.write("bar.toml", text.replace("{}", each)), "--overwrite") for each in ("displacement", "mixed"))
        self.assert_close(mixed.probes["u"], alone.probes["u"], 2e-3)
        self.assertLess(abs(mixed.fact("lost_energy")[0]), 1e-7 * mixed.fact("energy_at_begin")[0])

    def test_a_free_beam_that_turns_has_the_energy_of_its_inertia(self):
        """About its end: (rho A L^3 / 3 + rho I L) w^2 / 2, the second by the sections, which turn with it."""
        self.write("mesh.msh", modal_test.lines([(i, 0, 0) for i in range(5)], [(i, i + 1) for i in range(4)], {"beam": (range(4), [])}))
        case = self.write("case.toml", """[mesh]
file = "mesh.msh"
[[section]]
region = "beam"
element = "beam"
young = 2e11
poisson = 0.3
density = 8000
profile = "rectangle"
width = 0.5
height = 0.5
[time]
end = 1e-5
step = 1e-5
[initial]
velocity = ["-3*y", "3*x", 0]
angular_velocity = [0, 0, 3]
[[probe]]
name = "u"
field = "displacement"
component = "y"
region = "beam"
measure = "max"
""")
        outcome = self.solve("ritz-structure", case)
        self.assertAlmostEqual(self.rows(outcome)[0]["kinetic_energy"], 8000 * (0.25 * 4**3 / 3 + 0.5**4 / 12 * 4) * 9 / 2, delta=1e-6)
        word = "[initial] velocity varies along the structure and has no angular_velocity"
        self.assertFalse(any(word in notice for notice in outcome.report["notices"]))
        bent = self.solve("ritz-structure", self.write("bent.toml", case.read_text().replace("angular_velocity = [0, 0, 3]\n", "")))
        self.assertTrue(any(word in notice for notice in bent.report["notices"]), bent.report["notices"])

    def test_what_is_wrong_says_so(self):
        for change, words, code in (
            (("density = 1000\n", ""), ["density", "needed with gravity, [time]"], 2),
            (("density = 1000", 'density = "1000+t"'), ["'1000+t' depends on t"], 2),
            (("end = 2\n", "end = 2\nspectral_radius = 1.5\n"), ["spectral_radius", "1.5"], 4),
            (("[time]", "[initial]\nvelocity = [0, 0]\n[time]"), ["velocity"], 2),
            (("[time]", '[initial]\nvelocity = ["t", 0, 0]\n[time]'), ["depends on t"], 2),
            (("[time]", "[initial]\nequilibrium = true\ndisplacement = [0, 0, 0]\n[time]"), ["was given with equilibrium"], 2),
            (("[time]", "[initial]\nequilibrium = true\n[time]"), ["free"], 4),
            (("[time]", "[damping]\nratios = [0.02, 0.02]\nfrequencies = [5, 5]\n[time]"), ["two different frequencies"], 4),
            (("[time]", "[damping]\nrayleigh = [-1, 0]\n[time]"), ["-1"], 2),
            (("[time]", '[[load_case]]\nname = "one"\n[load_case.gravity]\nacceleration = [0, 0, -10]\n[time]'), ["load cases of an evolution in time"], 4),
            (("[time]\nend = 2\nstep = 0.1\noutput = 1\n", "[damping]\nrayleigh = [1, 0]\n"), ["damping"], 2),
        ):
            text = CUBE.replace(*change)
            self.assertNotEqual(text, CUBE)
            outcome = self.run_case("ritz-elasticity", self.write_case(text), "--check")
            with self.subTest(words=words):
                self.assertEqual(outcome.exit, code, outcome.log + outcome.errors)
                for word in words:
                    self.assertIn(word, outcome.errors)

    def test_ratios_are_those_of_both_factors(self):
        f, ratio = (10, 50), (0.03, 0.04)
        w = [2 * math.pi * each for each in f]
        beta = 2 * (ratio[1] * w[1] - ratio[0] * w[0]) / (w[1] ** 2 - w[0] ** 2)
        alpha = 2 * ratio[0] * w[0] - beta * w[0] ** 2
        load = '[[displacement]]\nregion = "a.z0"\nfixed = true\n[[force]]\nregion = "a.z1"\nvalue = [0, 0, 1]\n[damping]\n'
        one = self.solve("ritz-elasticity", self.write_case(CUBE + load + f"ratios = [{ratio[0]}, {ratio[1]}]\nfrequencies = [{f[0]}, {f[1]}]\n"))
        first = self.rows(one)[-1]["u"]
        two = self.solve("ritz-elasticity", self.write_case(CUBE + load + f"rayleigh = [{alpha!r}, {beta!r}]\n"), "--overwrite")
        self.assertAlmostEqual(first, self.rows(two)[-1]["u"], delta=1e-9 * abs(first))

    def test_the_forecast_holds(self):
        case = self.write_case(CUBE)
        keys = {"solver.method": '"direct"', "mesh.refine": 3}
        forecast = self.run_case("ritz-elasticity", case, "--estimate", keys=keys).report["forecast"]["direct"]
        outcome = self.solve("ritz-elasticity", case, keys=keys)
        self.assertLessEqual(outcome.report["memory"]["device_peak"], 1.05 * forecast["device_peak"])
        self.assertGreater(outcome.report["memory"]["device_peak"], 0.6 * forecast["device_peak"])


class ResumeMotion(Resume):
    case = ritz.EXAMPLES / "transient" / "nafems_5t.toml"
    keys = {"time.end": 0.03, "time.output": 1e-3, "time.step": 2e-5}

    def test_stopped_and_killed_it_ends_with_the_same_bytes(self):
        whole, parts = self.folder / "whole", self.folder / "parts"
        self.solve("ritz-structure", self.case, output=whole, keys=self.keys)
        code, errors = self.stopped("ritz-structure", self.case, parts, behind="t = 0.01, step", keys=self.keys)
        self.assertEqual(code, 75, errors)
        code, errors = self.stopped("ritz-structure", self.case, parts, "--resume", "--checkpoint-every", 1e-6, behind="t = 0.02, step", keys=self.keys, number=signal.SIGKILL)
        self.assertEqual(code, -signal.SIGKILL, errors)
        self.solve("ritz-structure", self.case, "--resume", output=parts, keys=self.keys)
        self.assertTrue(self.verified(parts))
        self.assertEqual(files_of(parts), files_of(whole))


if __name__ == "__main__":
    unittest.main()
