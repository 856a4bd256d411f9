"""[harmonic], [random], [spectrum] and [history]: NAFEMS R0016, what follows from linearity, and what is refused."""
import csv
import math
import pathlib
import shutil
import subprocess
import unittest

import boxes
import vtu
from buckling_test import LOADED
from ritz import CaseTest, example

DEEP = example("vibration/nafems_5h")
PLATE = example("vibration/nafems_13t")
CUBE = """[mesh]
file = "mesh.msh"
[[material]]
region = "a"
young = 200e9
poisson = 0
density = 8000
"""
CLAMP = '[[displacement]]\nregion = "a.x0"\nfixed = true\n[modal]\ncount = 3\n'
SMOOTH = "".join(f'[[displacement]]\nregion = "a.{axis}0"\n{axis} = 0\n' for axis in "xyz") + "[modal]\ncount = 1\n"
PULL = '[[load_case]]\nname = "{0}"\n[[load_case.traction]]\nregion = "a.{1}1"\nvalue = {2}\n'
TABLE = '[[table]]\nname = "quake"\nfile = "quake.csv"\ninterpolation = "linear"\n'


class Vibration(CaseTest):
    def cube(self, body):
        self.write("mesh.msh", boxes.cubes(["a"]))
        self.write("quake.csv", "f,a\n1,2\n10,5\n5000,5\n")
        return self.write("case.toml", CUBE + body)

    def refuse(self, phrase, body, exit_code=2, *arguments):
        outcome = self.run_case("ritz-modal", self.cube(body), *arguments)
        self.assertEqual(outcome.exit, exit_code, outcome.log + outcome.errors)
        self.assertIn(phrase, outcome.errors)

    def rows(self, outcome, name):
        path = next(p for p in outcome.report["outputs"] if p.endswith(name))
        with open(path, newline="") as file:
            return list(csv.DictReader(file))

    def test_nafems_5h_meets_its_amplitude_moment_and_frequency(self):
        """13.45 mm and 241.9 MPa at 42.65 Hz; the stress is 0.75 M of the section of 2 m."""
        outcome = self.solve("ritz-modal", DEEP)
        self.assert_close(outcome.fact("largest_deflection")[0], 13.45e-3, 0.004)
        self.assert_close(outcome.fact("largest_deflection_hz")[0], 42.65, 5e-4)
        self.assert_close(0.75 * outcome.probes["moment"], 241.9e6, 0.02)
        self.assert_close(outcome.probes["deflection"], outcome.fact("largest_deflection")[0], 1e-5)
        rows = self.rows(outcome, "_response.csv")
        self.assertGreater(len(rows), 100)
        top = max(rows, key=lambda row: float(row["deflection"]))
        self.assert_close(float(top["frequency"]), 42.65, 1e-3)
        self.assert_close(float(top["deflection_phase"]), -90, 0.03)

    def test_nafems_5r_meets_its_density(self):
        outcome = self.solve("ritz-modal", example("vibration/nafems_5r"))
        self.assert_close(outcome.fact("largest_density_deflection")[0], 180.90e-6, 0.01)
        # of one mode of width pi / 2 * 2 zeta f
        width = math.sqrt(180.90e-6 * math.pi * 0.02 * 42.65)
        self.assert_close(outcome.probes["deflection"], width, 0.02)

    def changed(self, case, *changes):
        """A case of the examples with other texts."""
        text = pathlib.Path(case).read_text()
        for old, new in (('file = "', f'file = "{pathlib.Path(case).parent}/'), *changes):
            self.assertIn(old, text)
            text = text.replace(old, new, 1)
        return self.write("changed.toml", text)

    def between(self, case, first, last):
        text = pathlib.Path(case).read_text()
        return text[text.index(first): text.index(last)]

    def test_nafems_5t_and_13t_meet_their_peaks(self):
        """1.043 mm at 0.0117 s; 3.523 mm at 0.210 s of the first mode alone: loads that act at once."""
        deep = self.changed(DEEP, ("[harmonic]\nfrequencies = [1, 100]        # Hz", "[history]\nend = 0.03"))
        for case, largest, time, close in ((deep, 1.043e-3, 0.0117, 2e-3), (PLATE, 3.523e-3, 0.210, 3e-3)):
            outcome = self.solve("ritz-modal", case)
            self.assert_close(outcome.fact("largest_deflection")[0], largest, close)
            self.assert_close(outcome.fact("largest_deflection_s")[0], time, 0.01)
            rows = self.rows(outcome, "_response.csv")
            self.assertEqual((float(rows[0]["time"]), float(rows[0]["deflection"])), (0, 0))
            self.assert_close(max(float(row["deflection"]) for row in rows), largest, close)
            self.assert_close(outcome.probes["deflection"], largest, 3e-3)

    def test_nafems_13_and_21_meet_their_amplitudes_and_densities(self):
        """13: 45.42 mm at 2.377 Hz, 2063.20 mm^2/Hz. 21 is thick: the first mode of Mindlin's plate, which is 2.8 % above NAFEMS's 58.33 mm."""
        history = self.between(PLATE, "[history]", "[[probe]]")
        rigidity = 200e9 / 12 / 0.91
        shear = rigidity * 2 * math.pi**2 / 100 / (5 / 6 * 200e9 / 2.6)
        thick = 16e6 / math.pi**2 / rigidity / (2 * math.pi**2 / 100)**2 * (1 + shear) / 0.04
        for changes, amplitude, frequency, close in (((), 45.42e-3, 2.377, 3e-3), (
                (("thickness = 0.05 ", "thickness = 1 "), ("100]", "1e6]")), thick, 45.90, 3e-3)):
            band = f"frequencies = [{0.5 * frequency}, {2 * frequency}]\n"
            outcome = self.solve("ritz-modal", self.changed(PLATE, *changes, (history, f"[harmonic]\n{band}")), "--overwrite")
            self.assert_close(outcome.fact("largest_deflection")[0], amplitude, close)
            self.assert_close(outcome.fact("largest_deflection_hz")[0], frequency, 5e-3)
            shaken = self.changed(PLATE, *changes, (history, f"[random]\n{band}[[random.load]]\ndensity = 1\n"))
            self.assert_close(self.solve("ritz-modal", shaken, "--overwrite").fact("largest_density_deflection")[0], amplitude**2, 2 * close)

    def test_without_modes_the_answer_is_that_of_the_modes(self):
        answers = []
        damped = ("ratio = 0.02                  # of the critical damping, of each mode", "rayleigh = [5.36, 7.46e-5]")
        for method, modes in (("modal", "[modal]\ncount = 16"), ("direct", "")):
            harmonic = f'[harmonic]\nmethod = "{method}"\ncount = 2\nfields_at = [42.6]\nfrequencies = [1, 100] '
            case = self.changed(DEEP, damped, ("[harmonic]\nfrequencies = [1, 100] ", harmonic), ("[modal]\ncount = 16", modes))
            outcome = self.solve("ritz-modal", case, "--overwrite")
            answers.append((outcome.probes["deflection"], outcome.probes["moment"]))
        for modal, direct in zip(*answers):
            self.assert_close(direct, modal, 1e-4)
        self.assert_close(answers[1][0], 13.45e-3, 0.01)

    def test_loss_factors_and_dashpots_act_where_they_are(self):
        """A bar of one cell that is pushed along x: f L / E A over 1 + i eta, and over k + i w c."""
        pulled = SMOOTH.replace("[modal]\ncount = 1\n", "") + '[[traction]]\nregion = "a.x1"\nvalue = [1e6, 0, 0]\n' + """
[harmonic]
method = "direct"
frequencies = [0.01, 0.02]
count = 2
[[probe]]
name = "end"
field = "displacement"
component = "x"
region = "a.x1"
measure = "mean"
"""
        still = 1e6 / 200e9
        lossy = self.solve("ritz-modal", self.cube(pulled + '[[damping.region]]\nregion = "a"\nstructural = 0.75\n'))
        self.assert_close(lossy.probes["end"], still / 1.25, 1e-6)
        c = 200e9 / (2 * math.pi * 0.02)  # N s/m: as stiff as the cube at the higher frequency
        dashpot = f'[[damping.dashpot]]\nregion = "a.x1"\nvalue = [{c}, 0, 0]\n'
        rows = self.rows(self.solve("ritz-modal", self.cube(pulled + dashpot), "--overwrite"), "_response.csv")
        self.assert_close(float(rows[1]["end"]), still / math.sqrt(2), 1e-5)
        self.assert_close(float(rows[1]["end_phase"]), -45, 1e-5)

    def test_a_base_that_is_pushed_slowly_carries_the_body_in_time(self):
        case = self.cube(CLAMP + '[damping]\nratio = 0.02\n[history]\nend = 1\nstep = 0.01\nfields_at = [1]\n'
                         '[[history.base]]\ndirection = [0, 0, 1]\nacceleration = "9.81*t"\n')
        for value in vtu.read(self.solve("ritz-modal", case).results())["PointData"]["acceleration"][2::3]:
            self.assert_close(value, 9.81, 1e-3)

    def test_units_of_force_and_mass_do_not_matter(self):
        deep, unit = [self.solve("ritz-modal", DEEP, keys=keys).fact("largest_deflection")[0] for keys in ({}, {
            "section.0.young": 200e3, "section.0.density": 8e-3, "line_load.0.value": [0, 1, 0]})]
        self.assert_close(unit, deep, 1e-9)

    def test_forces_at_reference_points_excite_and_a_negative_amplitude_turns_them_around(self):
        """A cube between planes of symmetry, pulled by a traction, by the force of a rigid side, and pushed by half a turn of phase."""
        harmonic = '[harmonic]\nfrequencies = [0, 1]\ncount = 2\nfields_at = [0.01]\n[[harmonic.load]]\namplitude = {}\nphase = {}\n'
        probe = '[[probe]]\nname = "end"\nfield = "{}"\ncomponent = "x"\nregion = "a.x1"\nmeasure = "mean"\n'
        side = '[[{}]]\nregion = "a.x1"\n{} = [1e6, 0, 0]\n'
        for table, key in (("traction", "value"), ("rigid", "force"), ("coupling", "force")):
            for amplitude, phase, angle in ((1, 0, 0), (-1, 0, 180), (-1, 180, 0)):
                case = self.cube(SMOOTH + side.format(table, key) + harmonic.format(amplitude, phase) + probe.format("displacement") +
                                 probe.format("displacement_phase").replace('"end"', '"angle"'))
                probes = self.solve("ritz-modal", case, "--overwrite").probes
                self.assert_close(probes["end"], 1e6 / 200e9, 1e-6)
                self.assertAlmostEqual(abs(probes["angle"]), angle, delta=1e-3)

    def test_loads_that_nothing_excites_are_reported_and_those_on_supports_add_no_vector(self):
        base = '[damping]\nratio = 0.05\n[spectrum]\n[[spectrum.base]]\ndirection = [0, 1, 0]\nacceleration = 1\n'
        vectors = []
        for load in ("", '[[pressure]]\nregion = "a.x0"\nvalue = 1e6\n'):
            outcome = self.solve("ritz-modal", self.cube(CLAMP + base + load), "--overwrite")
            vectors.append(outcome.fact("residual_vectors")[0])
            self.assertEqual("the loads outside of load cases do not act" in outcome.log, bool(load))
        self.assertEqual(*vectors)

    def test_von_mises_is_the_largest_over_a_period(self):
        """Stresses a along x and y in phase: a; a quarter of a period apart: sqrt(3/2) a; slowly, as in statics."""
        for phase, largest in ((0, 1), (90, math.sqrt(1.5)), (180, math.sqrt(3))):
            case = self.cube(SMOOTH + PULL.format("one", "x", [1e6, 0, 0]) + PULL.format("two", "y", [0, 1e6, 0]) + f"""
[harmonic]
frequencies = [0, 1]
count = 2
fields_at = [0.01]
[[harmonic.load]]
load_case = "one"
[[harmonic.load]]
load_case = "two"
phase = {phase}
[[probe]]
name = "stress"
field = "von_mises"
region = "a"
measure = "max"
""")
            self.assert_close(self.solve("ritz-modal", case, "--overwrite").probes["stress"], 1e6 * largest, 1e-6)

    def test_directions_add_as_their_rules_say(self):
        sums = {}
        for rule in ("srss", "100-40-40"):
            base = '[[spectrum.base]]\ndirection = [0, 1, 0]\nacceleration = "quake(f)"\n'
            case = self.cube(TABLE + CLAMP + f'[damping]\nratio = 0.05\n[spectrum]\ndirections = "{rule}"\n' + base * 2 +
                             '[[probe]]\nname = "end"\nfield = "displacement"\ncomponent = "y"\nregion = "a.x1"\nmeasure = "max"\n')
            sums[rule] = self.solve("ritz-modal", case, "--overwrite").probes["end"]
        self.assert_close(sums["100-40-40"] / sums["srss"], 1.4 / math.sqrt(2), 1e-9)

    def test_a_base_that_moves_slowly_carries_the_body_along(self):
        case = self.cube(CLAMP + """[damping]
ratio = 0.02
[harmonic]
frequencies = [0.01, 1]
fields_at = [0.1]
[[harmonic.base]]
direction = [0, 0, 1]
acceleration = 9.81
""")
        fields = vtu.read(self.solve("ritz-modal", case).results())["PointData"]
        for value in fields["acceleration"][2::3]:
            self.assert_close(value, 9.81, 1e-6)
        self.assertLess(max(abs(w) for w in fields["displacement"]), 1e-6)

    def test_a_preload_moves_the_peak(self):
        """f^2 = f_0^2 (1 + P / P_cr) of the pinned column at half of Euler's load, pushed across by a load case."""
        peaks = []
        for force in (0, -0.5 * math.pi**2 * 210e9 * 0.02**4 / 12):
            loaded = LOADED.format(force=force or -1e-6, preload="true").replace("count = 1", "count = 4")
            case = self.write("column.toml", f"""[mesh]
file = "{pathlib.Path(example("buckling/column")).parent}/column.msh"
scale = 0.001
{loaded}
[[load_case]]
name = "across"
[[load_case.line_load]]
region = "column"
value = [1, 0, 0]
[damping]
ratio = 0.01
[harmonic]
frequencies = [10, 100]
[[probe]]
name = "middle"
field = "displacement"
component = "x"
point = [0, 0, 0.5]
""")
            peaks.append(self.solve("ritz-modal", case, "--overwrite").fact("largest_middle_hz")[0])
        self.assert_close((peaks[1] / peaks[0])**2, 0.5, 0.005)

    def test_a_sector_has_the_modes_of_its_disc(self):
        """Torsion of a disc: J2(kb) Y1(ka) = Y2(kb) J1(ka), 954.3157 Hz. The whole disc has other modes twice."""
        outcome = self.solve("ritz-modal", example("vibration/disc_sector"))
        self.assertEqual(outcome.fact("sectors")[0], 6)
        without = outcome.fact("frequencies_hz_n0")
        self.assert_close(min(without, key=lambda f: abs(f - 954.3157)), 954.3157, 1e-4)
        fields = [vtu.read(path)["PointData"] for path in outcome.report["outputs"] if path.endswith(".vtu")]
        self.assertEqual(len(fields), 4)
        self.assertEqual(max(map(abs, fields[0]["mode_1_sine"])), 0)
        self.assertGreater(max(map(abs, fields[1]["mode_1_sine"])), 0)
        sector = self.changed(example("vibration/disc_sector"), ("nodal_diameters = [0, 1, 2, 3]", "nodal_diameters = [4]"))
        outcome = self.run_case("ritz-modal", sector)
        self.assertIn("4 nodal diameters of 6 sectors", outcome.errors)

    def test_loads_that_go_around_meet_the_modes_with_as_many_nodal_diameters(self):
        """The disc is pulled outwards; engine orders 2 and 8 are the same to six sectors. That one sector answers as the wheel is a test of C++."""
        answers = ('[harmonic]\nengine_order = 2\nfrequencies = [3000, 4000]\ncount = 5\n[damping]\nratio = 0.01\n[[body_force]]\nregion = "steel"\nvalue = ["1e7*x", "1e7*y"]\n'
                   '[[probe]]\nname = "rim"\nfield = "displacement"\ncomponent = "x"\npoint = [0.35, 0.15]\n')
        case = self.changed(example("vibration/disc_sector"), ("nodal_diameters = [0, 1, 2, 3]     # all of 6 sectors", ""))
        case.write_text(case.read_text() + answers)
        outcome = self.solve("ritz-modal", case)
        self.assertIn("engine order 2 on 6 sectors: 2 nodal diameters, waves that go forwards", outcome.log)
        modes = self.solve("ritz-modal", example("vibration/disc_sector")).fact("frequencies_hz_n2")
        self.assertEqual(len(outcome.fact("frequencies_hz_n2")), len(modes))
        for mine, other in zip(outcome.fact("frequencies_hz_n2"), modes):
            self.assert_close(mine, other, 1e-9)
        at = outcome.fact("largest_rim_hz")[0]
        self.assertLess(min(abs(at / f - 1) for f in modes), 2e-3)
        eight = self.solve("ritz-modal", case, keys={"harmonic.engine_order": 8})
        self.assert_close(eight.fact("largest_rim")[0], outcome.fact("largest_rim")[0], 1e-9)
        self.assertIn("waves that go backwards", self.solve("ritz-modal", case, keys={"harmonic.engine_order": 4}).log)
        text = case.read_text()
        for old, new, message in (("[harmonic]", '[harmonic]\nmethod = "direct"', "an engine order with method = \"direct\""),
                                  ("[damping]", "[[harmonic.base]]\ndirection = [1, 0]\nacceleration = 1\n[damping]", "an engine order of a motion of the base"),
                                  ("engine_order = 2", "engine_order = -1", "engine_order"),
                                  (text[text.index("[[periodic]]"):text.index("[modal]")], "", "modes with waves of a model without sides of a sector")):
            refused = self.run_case("ritz-modal", self.write("refused.toml", text.replace(old, new)))
            self.assertEqual(refused.exit, 2, message)
            self.assertIn(message, refused.errors)

    def test_the_whole_body_of_a_sector_is_turned_copies_with_waves(self):
        """Six sectors of a disc in torsion move alike; with n waves the shape a quarter of a wave on is as large, and a wave goes around."""
        keys = {"modal.whole": "true", "modal.count": 1, "modal.animate": 4, "modal.animate_displacement": 0.001, "modal.normalise": "maximum"}
        outcome = self.solve("ritz-modal", example("vibration/disc_sector"), keys=keys)
        whole = [vtu.read(path) for path in outcome.report["outputs"] if "_whole" in path and path.endswith(".vtu")]
        sector = vtu.read(next(path for path in outcome.report["outputs"] if path.endswith(".vtu") and "_whole" not in path))
        self.assertEqual(len(whole), 4)  # 0 to 3 waves
        count = len(next(iter(sector["Points"].values()))) // 3
        for n, fields in enumerate(whole):
            shape, quarter = fields["PointData"]["mode_1"], fields["PointData"]["mode_1_quarter"]
            self.assertEqual(len(shape), 6 * 3 * count)
            lengths = [[math.hypot(*values[3 * i: 3 * i + 3]) for i in range(6 * count)] for values in (shape, quarter)]
            # sector j + 3 is half a turn away: n half waves
            for i in range(0, 3 * count, 97):
                self.assertAlmostEqual(lengths[0][i], lengths[0][i + 3 * count], delta=1e-9)
            self.assertEqual(max(lengths[1]) > 0.1, n in (1, 2))
        waves = [vtu.read(path)["PointData"]["displacement"] for path in outcome.report["outputs"] if "_mode_1_n2" in path and path.endswith(".vtu")]
        self.assertEqual(len(waves), 4)
        for a, b in zip(waves[0], waves[2]):
            self.assertAlmostEqual(a, -b, delta=1e-12)  # half a period later
        self.refuse("shapes of the whole body without nodal_diameters", SMOOTH.replace("count = 1", "count = 1\nwhole = true"), 2)

    def test_a_shaft_that_turns_whirls_backwards_and_forwards(self):
        """Rayleigh's shaft: (rho A + rho I k^2) w^2 -+ 2 speed rho I k^2 w = E I k^4."""
        outcome = self.solve("ritz-modal", example("vibration/rotor"))
        found = outcome.fact("complex_frequencies_hz")
        for exact in (97.83313, 99.78459, 387.81744, 395.48230):
            self.assertTrue(any(abs(f - exact) < 1e-4 * exact for f in found), (exact, found))
        still = self.changed(example("vibration/rotor"), ("\n[complex]\n", "\n"))
        self.assertIn("a shaft that turns, without [complex]", self.run_case("ritz-modal", still).errors)
        flat = self.changed(example("vibration/rotor"), ("inertia_y = 7.85398163e-5", "inertia_y = 7e-5"))
        self.assertIn("a turning section that is not round", self.run_case("ritz-modal", flat).errors)

    def test_a_body_that_turns_is_loaded_stiffer_and_softer(self):
        """One cell between planes of symmetry that turns about z. Its load along x is rho speed^2 / 2. Of u = x the tension rho speed^2 / 3
        adds as much to the stiffness as growing centrifugal forces take."""
        turning = SMOOTH.split("[modal]")[0] + "[rotation]\nspeed = 100\n"
        outcome = self.solve("ritz-elasticity", self.cube(turning))
        self.assert_close(outcome.fact("applied_load")[0], 8000 * 100**2 / 2, 1e-9)  # rho speed^2 x over the cube
        modes = self.solve("ritz-modal", self.cube(turning + "[modal]\ncount = 1\n"))
        self.assertIn("without Coriolis' forces", modes.log)
        self.assert_close(modes.fact("eigenvalues")[0], 3 * 200e9 / 8000, 1e-9)
        timed = self.run_case("ritz-elasticity", self.cube(turning + "[time]\nend = 1\nstep = 0.1\n"))
        self.assertIn("a body that turns, and [time]", timed.errors)

    def test_nafems_fv41_meets_its_frequencies(self):
        """A free cylinder of revolution: along its axis, then 243.53, 377.41, 394.11, 397.72, 405.28 Hz."""
        points = [(x, 10 * j / 16, 0) for j in range(17) for x in (1.8, 2.2)]
        cells = [(3, 1, [2 * j + 1, 2 * j + 2, 2 * j + 4, 2 * j + 3]) for j in range(16)]
        self.write("tube.msh", boxes.msh(points, cells, [(2, "a")]))
        tube = CUBE.replace("mesh.msh", "tube.msh").replace("poisson = 0\n", "poisson = 0.3\n")
        case = self.write("tube.toml", tube + '[model]\ntype = "axisymmetric"\n[space]\norder = 2\n[modal]\ncount = 6\n')
        found = self.solve("ritz-modal", case).fact("frequencies_hz")
        self.assertEqual(found[0], 0)
        for f, exact in zip(found[1:], (243.53, 377.41, 394.11, 397.72, 405.28), strict=True):
            self.assert_close(f, exact, 1e-3)

    def test_a_cylinder_with_waves_from_its_meridian(self):
        """FV41 without waves, and its torsion k sqrt(G / rho) / 2 L. Rigid motions have no wave or one. The whole body has the waves of its meridian."""
        outcome = self.solve("ritz-modal", example("vibration/cylinder"))
        torsion = [k * math.sqrt(200e9 / 2.6 / 8000) / 20 for k in (1, 2)]
        expected = sorted([243.53, 377.41, 394.11, 397.72, 405.28] + torsion)
        found = outcome.fact("frequencies_hz_n0")
        self.assertEqual(found[:2], [0, 0])
        for f, exact in zip(found[2:], expected, strict=True):
            self.assert_close(f, exact, 1e-3)
        self.assertEqual(outcome.fact("frequencies_hz_n1")[:2], [0, 0])
        self.assertGreater(outcome.fact("frequencies_hz_n2")[0], 1)
        files = [path for path in outcome.report["outputs"] if path.endswith(".vtu")]
        whole = [vtu.read(path)["PointData"] for path in files if "_whole" in path]
        meridian = [vtu.read(path)["PointData"] for path in files if "_whole" not in path]
        self.assertEqual((len(whole), len(meridian)), (4, 4))
        for n, (all_around, shapes) in enumerate(zip(whole, meridian)):
            shape, turned = shapes["mode_3"], all_around["mode_3"]
            nodes, copies = len(shape) // 3, len(turned) // len(shape)
            self.assertEqual(copies, 48)
            for node in range(0, nodes, 7):
                u, v, w = shape[3 * node: 3 * node + 3]
                for j in (0, 5):
                    angle = 2 * math.pi * j / copies
                    r, y, hoop = (u, v, w) if n == 0 else (u * math.cos(n * angle), v * math.cos(n * angle), w * math.sin(n * angle))
                    moved = turned[3 * (j * nodes + node): 3 * (j * nodes + node) + 3]
                    for a, b in zip(moved, (r * math.cos(angle) - hoop * math.sin(angle), y, r * math.sin(angle) + hoop * math.cos(angle))):
                        self.assertAlmostEqual(a, b, delta=1e-9)

    def test_waves_around_go_with_preload_and_are_refused_with_what_has_no_meaning_there(self):
        """Held around alone a body moves along its axis, and held at all components not at all. Pressure from outside makes it softer, one from inside stiffer by as much."""
        self.write("mesh.msh", boxes.square(((1, 0), (2, 0), (2, 1), (1, 1))))
        round_body = CUBE.replace('region = "a"', 'region = "all"') + '[model]\ntype = "axisymmetric"\n'
        held = '[[displacement]]\nregion = "left"\nz = 0\n'
        modal = "[modal]\ncount = 2\nnodal_diameters = [0, 2]\n"
        self.assertEqual(self.solve("ritz-modal", self.write("case.toml", round_body + held + modal)).fact("frequencies_hz_n0")[0], 0)
        held = held.replace("z = 0", "fixed = true")
        unloaded = self.solve("ritz-modal", self.write("case.toml", round_body + held + modal), "--overwrite")
        self.assertGreater(unloaded.fact("frequencies_hz_n0")[0], 1)
        pressed = [self.solve("ritz-modal", self.write("case.toml", round_body + held + modal + f'preload = true\n[[pressure]]\nregion = "right"\nvalue = {p}\n'), "--overwrite")
                   .fact("frequencies_hz_n2")[0]**2 - unloaded.fact("frequencies_hz_n2")[0]**2 for p in (1e7, -1e7)]
        self.assertLess(pressed[0], 0)
        self.assert_close(pressed[0], -pressed[1], 1e-3)
        turning = self.solve("ritz-modal", self.write("case.toml", round_body + held + modal + "[rotation]\nspeed = 100\n"), "--overwrite")
        self.assertIn("without Coriolis' forces", turning.log)
        self.assertGreater(abs(turning.fact("frequencies_hz_n2")[0] / unloaded.fact("frequencies_hz_n2")[0] - 1), 1e-6)
        moved = self.run_case("ritz-modal", self.write("case.toml", round_body + held + "z = 0.1\n" + modal + "preload = true\n"), "--overwrite")
        self.assertIn("the support moves by 0.1", moved.errors)
        for phrase, more in (("foundations or springs", '[[foundation]]\nregion = "right"\nstiffness = 1e9\n'),
                             ("[[rigid]]", '[[rigid]]\nregion = "right"\n'), ("[harmonic] of", "[harmonic]\nfrequencies = [1, 2]\n")):
            outcome = self.run_case("ritz-modal", self.write("case.toml", round_body + modal + more), "--overwrite")
            self.assertIn(phrase, outcome.errors)

    def test_multigrid_in_single_precision_bends_a_slender_column(self):
        """L / t = 200: 71 iterations with the dense inverse of the coarsest level in double precision, 97 in single, 68 with a cycle in double."""
        self.write("column.msh", boxes.cut("hexa", (2, 2, 200), (0.02, 0.02, 4.0)))
        case = self.write("column.toml", """[mesh]
file = "column.msh"
[space]
order = 2
[[material]]
region = "part"
young = 210e9
poisson = 0.3
[[region]]
name = "foot"
kind = "nodes"
box = {low = [-1, -1, 0], high = [1, 1, 0]}
[[region]]
name = "head"
kind = "nodes"
box = {low = [-1, -1, 4], high = [1, 1, 4]}
[[displacement]]
region = "foot"
fixed = true
[[force]]
region = "head"
value = [1, 0, 0]
[solver]
method = "cg"
preconditioner = "multigrid"
""")
        outcome = self.solve("ritz-elasticity", case)
        solver = outcome.report["solver"]
        self.assertLess(solver["iterations"], 85)
        self.assertIn("single precision", solver["preconditioner"])

    def test_loads_of_one_source_add_and_universal_files_have_what_the_table_has(self):
        """Twice the same load, wholly correlated: 4 times the mean square of one; half of that when apart."""
        rms = []
        for coherence in (0, 1):
            case = self.cube(SMOOTH + PULL.format("one", "x", [1e6, 0, 0]) + PULL.format("two", "x", [1e6, 0, 0]) + f"""
[damping]
ratio = 0.05
[output]
response = "universal"
[random]
frequencies = [1, 3000]
count = 4
[[random.load]]
load_case = "one"
density = 1
[[random.load]]
load_case = "two"
density = 1
[[random.correlation]]
between = ["one", "two"]
coherence = {coherence}
[[probe]]
name = "end"
field = "displacement"
component = "x"
region = "a.x1"
measure = "mean"
""")
            outcome = self.solve("ritz-modal", case, "--overwrite")
            rms.append(outcome.fact("rms_end")[0])
        self.assert_close(rms[1] / rms[0], math.sqrt(2), 1e-9)
        rows = self.rows(outcome, "_response.csv")
        lines = pathlib.Path(next(p for p in outcome.report["outputs"] if p.endswith(".uff"))).read_text().splitlines()
        self.assertEqual((lines[0].strip(), lines[1].strip(), lines[2].strip(), lines[-1].strip()), ("-1", "58", "end", "-1"))
        self.assertEqual([int(lines[7][:5]), int(lines[8][:10]), int(lines[8][10:20])], [9, 4, len(rows)])
        pairs = [(float(line[at: at + 13]), float(line[at + 13: at + 33])) for line in lines[13:-1] for at in range(0, len(line), 33)]
        for row, (frequency, density) in zip(rows, pairs, strict=True):
            self.assert_close(frequency, float(row["frequency"]), 1e-5)
            self.assert_close(density, float(row["end"]), 1e-11)

    def test_a_dashpot_damps_the_mode_that_it_meets(self):
        """One cell in tension: k = E A / L, m = rho A L / 3, zeta = c / 2 sqrt(k m)."""
        c = 1e6
        case = self.cube(SMOOTH.replace("count = 1", "count = 3") + f"""
[complex]
[[damping.dashpot]]
region = "a.x1"
value = [{c}, 0, 0]
""")
        outcome = self.solve("ritz-modal", case)
        self.assert_close(max(outcome.fact("damping_ratios")), c / 2 / math.sqrt(200e9 * 8000 / 3), 1e-6)
        self.assertAlmostEqual(min(outcome.fact("damping_ratios")), 0, delta=1e-9)
        self.refuse("a spinning disc at nodes without rotations", SMOOTH + """
[complex]
[[complex.disc]]
region = "a.x1"
polar_inertia = 1
speed = 10
""", 4)

    def test_a_substructure_is_its_matrices_and_gives_its_fields_back(self):
        """Guyan of one cell without contraction: as a spring E A / L and a third of the mass at the interface."""
        clamp = '[[displacement]]\nregion = "a.x0"\nfixed = true\n[substructure]\ninterface = "a.x1"\nmethod = "guyan"\n'
        outcome = self.solve("ritz-modal", self.cube(clamp))
        read = {}
        for name in ("stiffness", "mass"):
            path = next(p for p in outcome.report["outputs"] if p.endswith(f"_{name}.mtx"))
            head, size, *values = pathlib.Path(path).read_text().splitlines()
            self.assertEqual((head, size), ("%%MatrixMarket matrix array real symmetric", "12 12"))
            places = [(i, j) for j in range(12) for i in range(j, 12)]
            read[name] = dict(zip(places, map(float, values), strict=True))
        along = [i for i, row in enumerate(self.rows(outcome, "_unknowns.csv")) if row["component"] == "x"]
        for name, exact in (("stiffness", 200e9), ("mass", 8000 / 3)):
            total = sum(value * (1 if i == j else 2) for (i, j), value in read[name].items() if i in along and j in along)
            self.assert_close(total, exact, 1e-9)
        self.write("motion.csv", ",".join("1e-6" if i in along else "0" for i in range(12)) + "\n")
        again = self.solve("ritz-modal", self.cube(clamp + 'recover = "motion.csv"\n[[probe]]\nname = "stress"\n'
                                                   'field = "von_mises"\nregion = "a"\nmeasure = "max"\n'), "--overwrite")
        self.assert_close(again.probes["stress"], 200e3, 1e-6)

    @unittest.skipUnless(shutil.which("ccx"), "skipped: no CalculiX (ccx)")
    def test_a_cantilever_answers_as_in_calculix(self):
        """*STEADY STATE DYNAMICS on 8 modes, as ours without residual vectors: amplitudes to the six digits of its files, phases to 0.01 degrees."""
        count, length, side, young, density, force = 6, 0.6, 0.05, 210e9, 7800, (1000, 300)
        nodes = {}
        number = lambda p: nodes.setdefault(tuple(round(c, 9) for c in p), len(nodes) + 1)
        edges = [(0, 1), (1, 2), (2, 3), (3, 0), (4, 5), (5, 6), (6, 7), (7, 4), (0, 4), (1, 5), (2, 6), (3, 7)]
        cells, corners = [], []
        for cell in range(count):
            points = [((cell + x) * length / count, y * side, z * side) for x, y, z in boxes.CORNERS]
            corners.append([number(p) for p in points])
            cells.append((corners[-1], [tuple((a + b) / 2 for a, b in zip(points[i], points[j])) for i, j in edges]))
        in_mesh, tip = list(nodes), number((length, side, side))
        cells = [own + [number(p) for p in middles] for own, middles in cells]
        lines = lambda rows: "".join(",".join(map(str, row)) + "\n" for row in rows)
        deck = ("*NODE,NSET=NALL\n" + lines((i, *p) for p, i in nodes.items()) + "*ELEMENT,TYPE=C3D20,ELSET=EALL\n" +
                "".join(lines([(k, *cell[:10], ""), cell[10:]]) for k, cell in enumerate(cells, 1)) +
                f"*MATERIAL,NAME=M\n*ELASTIC\n{young},0.3\n*DENSITY\n{density}\n*SOLID SECTION,ELSET=EALL,MATERIAL=M\n*BOUNDARY\n" +
                lines((i, 1, 3, 0) for p, i in nodes.items() if p[0] == 0) + "*STEP\n*FREQUENCY,STORAGE=YES\n8\n*END STEP\n*STEP\n*STEADY STATE DYNAMICS\n50.,600.,2,1.\n"
                "*MODAL DAMPING\n1,8,0.02\n*CLOAD\n" + lines([(tip, 2, force[0]), (tip, 3, force[1])]) + "*NODE FILE\nPU\n*END STEP\n")
        self.write("deck.inp", deck)
        run = subprocess.run(["ccx", "deck"], capture_output=True, text=True, cwd=self.folder, timeout=120)
        self.assertEqual(run.returncode, 0, run.stdout)
        theirs, frequency = {}, None
        for line in (self.folder / "deck.frd").read_text().splitlines():
            if line.startswith("  100CL"):
                frequency = float(line[12:24])
            elif line.startswith(f" -1{tip:10}") and frequency is not None:
                theirs[round(frequency)] = [float(line[13 + 12 * k:25 + 12 * k]) for k in range((len(line) - 13) // 12)]
        faces = [(3, 2, [corners[0][i] for i in boxes.SIDES["x0"]]), (15, 3, [tip])]
        self.write("mesh.msh", boxes.msh(in_mesh, [(5, 1, own) for own in corners] + faces, [(3, "bar"), (2, "wall"), (0, "tip")]))
        case = (f'[mesh]\nfile = "mesh.msh"\norder = 2\n[[material]]\nregion = "bar"\nyoung = {young}\npoisson = 0.3\ndensity = {density}\n'
                f'[[displacement]]\nregion = "wall"\nfixed = true\n[[force]]\nregion = "tip"\nvalue = [0, {force[0]}, {force[1]}]\n[modal]\ncount = 8\n'
                "[damping]\nratio = 0.02\n[harmonic]\nfrequencies = [50, 600]\ncount = 2\nresidual_vectors = false\n"
                '[[probe]]\nname = "tip"\nfield = "displacement"\ncomponent = "y"\nregion = "tip"\nmeasure = "mean"\n')
        rows = self.rows(self.solve("ritz-modal", self.write("case.toml", case)), "_response.csv")
        for at in (50, 600):
            row = next(row for row in rows if float(row["frequency"]) == at)
            self.assert_close(float(row["tip"]), theirs[at][1], 1e-5)
            self.assertAlmostEqual((float(row["tip_phase"]) - theirs[at][4] + 180) % 360 - 180, 0, delta=0.01)

    def test_inertia_balances_a_force_across_a_free_beam(self):
        """M = F x^2 (L - x) / L^2, so that the ends bend away from the middle by F L^3 / 38.4 E I; the shear of a slender beam adds 2e-4."""
        n, length, side, force = 4, 2.0, 0.02, 10.0
        places = {"tail": 1, "middle": n // 2 + 1, "tip": n + 1}
        names = [(1, "beam"), *((0, name) for name in places)]
        elements = [(1, 1, [i + 1, i + 2]) for i in range(n)] + [(15, 2 + k, [node]) for k, node in enumerate(places.values())]
        self.write("free.msh", boxes.msh([(length * i / n, 0, 0) for i in range(n + 1)], elements, names))
        probes = "".join(f'[[probe]]\nname = "{each}"\nfield = "displacement"\ncomponent = "z"\nregion = "{each}"\nmeasure = "mean"\n' for each in places)
        section = (f'[[section]]\nregion = "beam"\nelement = "beam"\nyoung = 200e9\npoisson = 0\nprofile = "rectangle"\nheight = {side}\nwidth = {side}\n'
                   'orientation = [0, 1, 0]\ndensity = 8000\n')
        load = f'[[force]]\nregion = "tip"\nvalue = [0, 0, {force}]\n[inertia_relief]\n'
        found = self.solve("ritz-structure", self.write("free.toml", '[mesh]\nfile = "free.msh"\n' + section + load + probes)).probes
        self.assert_close(found["tail"] - 2 * found["middle"] + found["tip"], force * length**3 / (38.4 * 200e9 * side**4 / 12), 5e-4)

    def test_what_is_not_possible_is_refused(self):
        harmonic = "[harmonic]\nfrequencies = [1, 5000]\n"
        pull = '[[traction]]\nregion = "a.x1"\nvalue = [1, 0, 0]\n'
        damped = "[damping]\nratio = 0.02\n"
        self.refuse("nothing damps it", pull + CLAMP + harmonic, 4)
        self.refuse("nothing excites the modes", CLAMP + "[random]\nfrequencies = [1, 2]\n", 2)
        self.refuse("no load outside of load cases excites", CLAMP + "preload = true\n" + pull + damped + harmonic +
                    "[[harmonic.load]]\n")
        self.refuse("there is no load case 'two'", PULL.format("one", "x", [1, 0, 0]) + CLAMP + damped + harmonic +
                    '[[harmonic.load]]\nload_case = "two"\n')
        self.refuse("a case has [harmonic] and [random]", pull + CLAMP + damped + harmonic + "[random]\n")
        self.refuse("the range from 5 to 1 Hz is empty", pull + CLAMP + damped + "[harmonic]\nfrequencies = [5, 1]\n")
        self.refuse("a constant spectral density without a range", pull + CLAMP + damped +
                    "[random]\n[[random.load]]\ndensity = 1\n")
        self.refuse("a response spectrum of a body with", TABLE + "[modal]\ncount = 8\n" + damped +
                    '[spectrum]\n[[spectrum.base]]\ndirection = [1, 0, 0]\nacceleration = "quake(f)"\n', 4)

    def test_what_is_not_possible_in_time_and_without_modes_is_refused(self):
        pull = '[[traction]]\nregion = "a.x1"\nvalue = [1, 0, 0]\n'
        history = "[history]\nend = 1\n"
        self.refuse("2 s is after the end", pull + CLAMP + history + "fields_at = [2]\n")
        self.refuse("depends on the position", pull + CLAMP + history + '[[history.load]]\namplitude = "x"\n')
        self.refuse("'t' is not known", pull.replace("[1, 0, 0]", '["t", 0, 0]') + CLAMP + history)
        self.refuse("[history] without [modal]", pull + CLAMP.replace("[modal]\ncount = 3\n", "") + history)
        direct = '[harmonic]\nmethod = "direct"\nfrequencies = [1, 5]\n'
        self.refuse("a damping ratio of modes where no modes are found", pull + CLAMP + direct + "[damping]\nratio = 0.02\n")
        self.refuse("unknown table 'damping.dashpot'", pull + CLAMP + direct.replace("direct", "modal") +
                    '[damping]\nratio = 0.02\n[[damping.dashpot]]\nregion = "a.x1"\nvalue = [1, 1, 1]\n')

    def test_a_check_reads_everything_and_foresees_the_memory(self):
        outcome = self.run_case("ritz-modal", DEEP, "--check")
        self.assertEqual(outcome.exit, 0, outcome.errors)
        self.assertIn("forecast: 66 unknowns", outcome.log)


if __name__ == "__main__":
    unittest.main()
