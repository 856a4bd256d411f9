"""[harmonic], [random], [spectrum] and [history]: NAFEMS R0016, what follows from linearity, and what is refused."""
import csv
import math
import pathlib
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
