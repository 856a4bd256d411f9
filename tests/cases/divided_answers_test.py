"""Answers to vibration on three ranks: tables, facts, probes and fields are those of one process, for each analysis."""
import pathlib
import re
import shutil
import unittest

import ritz
import vtu
from divided_reach_test import SUPPORTED
from divided_test import OnRanks

MODES = "[modal]\ncount = 4\ntolerance = 1e-9\n"
DAMPED = "[damping]\nratio = 0.02\n"
PUSHED = '[[force]]\nregion = "right"\nvalue = [1e3, 2e3, 0]\n'
SHAKEN = 'direction = [0, 1, 0]\n'
DASHPOT = '[[damping.dashpot]]\nregion = "right"\nvalue = [0, 2e4, 1e4]\n'
PROBES = """
[[probe]]
name = "tip"
field = "displacement"
component = "y"
region = "right"
measure = "mean"
[[probe]]
name = "stress"
field = "stress"
component = "xx"
point = [0.1, 0.1, 0.1]
"""
# name: program, tables of the case
ANALYSES = {
    "harmonic": ("ritz-modal", MODES + DAMPED + PUSHED + PROBES + "[harmonic]\nfrequencies = [10, 3000]\ncount = 5\nfields_at = [500]\n"),
    "random": ("ritz-modal", MODES + DAMPED + PROBES + f"[random]\nfrequencies = [10, 3000]\ncount = 5\n[[random.base]]\n{SHAKEN}density = 2\n"),
    "spectrum": ("ritz-modal", MODES + DAMPED + f"[spectrum]\n[[spectrum.base]]\n{SHAKEN}acceleration = 5\n"),
    "history": ("ritz-modal", MODES + DAMPED + PUSHED + PROBES + "[history]\nend = 2e-3\nstep = 5e-4\n"),
    "complex": ("ritz-modal", MODES + DASHPOT + "[complex]\n"),
    "direct": ("ritz-modal", PUSHED + DASHPOT + PROBES + '[damping]\nrayleigh = [5, 1e-5]\n[[damping.region]]\nregion = "part"\nstructural = 0.1\n'
               '[harmonic]\nmethod = "direct"\nfrequencies = [10, 3000]\ncount = 9\nfields_at = [500]\n[[rigid]]\nregion = "right"\n'),
    "relief": ("ritz-elasticity", PUSHED + PROBES + "[inertia_relief]\n[solver]\ntolerance = 1e-11\n"),
    "craig-bampton": ("ritz-modal", MODES + PUSHED + '[substructure]\ninterface = "right"\n')}


@unittest.skipUnless(shutil.which("mpirun") and list((ritz.BIN.parent / "lib").glob("ritz_direct.mpi.so")), "skipped: no MPI with parallel MUMPS")
class DividedAnswers(OnRanks):
    def tables(self, run):
        """[file] numbers"""
        paths = [path for path in run.report["outputs"] if path.endswith((".csv", ".mtx"))]
        return {path.rsplit("/", 1)[-1]: [float(word) for word in re.split(r"[\s,]+", pathlib.Path(path).read_text()) if re.fullmatch(r"-?\d.*", word)] for path in paths}

    def assert_same_numbers(self, found, expected, relative, what):
        self.assertEqual(len(found), len(expected), what)
        scale = max(map(abs, expected), default=0)
        self.assertLessEqual(max((abs(a - b) for a, b in zip(found, expected)), default=0), relative * scale, what)

    def assert_same_answers(self, program, case, relative=1e-6, fields=True):
        several, alone = self.solved(3, program, case), self.solve(program, case)
        tables, expected = self.tables(several), self.tables(alone)
        self.assertEqual(tables.keys(), expected.keys())
        for name, numbers in expected.items():  # modes may have the other sign
            self.assert_same_numbers(*([abs(x) for x in list] if name.endswith(".mtx") else list for list in (tables[name], numbers)), relative, name)
        for name in ("frequencies_hz", "complex_frequencies_hz", "damping_ratios", "rigid_acceleration", "largest_tip", "rms_tip"):
            if name in alone.report["facts"] and (fields or name != "damping_ratios"):
                self.assert_same_numbers(several.fact(name), alone.fact(name), relative, name)
        if not fields:
            return
        ours, theirs = (vtu.read(run.results()) for run in (several, alone))
        for kind in ("PointData", "CellData"):
            self.assertEqual(ours[kind].keys(), theirs[kind].keys())
            for name, values in theirs[kind].items():
                if name.endswith("_phase") or name == "reaction" or name.endswith("_imaginary"):  # of what may be rounding alone
                    continue
                found = ours[kind][name]
                turned = name.startswith("mode_") and sum(x * y for x, y in zip(found, values)) < 0
                self.assert_same_numbers([-x for x in found] if turned else found, values, relative, name)

    def test_every_analysis_of_a_body(self):
        for name, (program, tables) in ANALYSES.items():
            with self.subTest(name=name):
                path = self.case("ritz-elasticity", "hexa", (5, 3, 2))
                text = path.read_text()
                held = SUPPORTED if name != "relief" else SUPPORTED[: SUPPORTED.index("[[displacement]]")]
                self.assert_same_answers(program, self.write(f"{name}.toml", text[: text.index("[[material]]")] + held + tables))

    def test_beams_on_modes_by_factors(self):
        """Of the rotor each mode may begin anywhere on its circle."""
        for name, fields in (("nafems_5h", True), ("rotor", False)):
            with self.subTest(name=name):
                self.assert_same_answers("ritz-modal", ritz.example(f"vibration/{name}"), 1e-5, fields)


if __name__ == "__main__":
    unittest.main()
