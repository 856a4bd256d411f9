"""Evolution in time: the balance of what is stored, results at their times, and runs that are stopped and resume."""
import signal
import unittest

import boxes
import ritz
from resume_test import Resume, files_of

CASE = """[mesh]
file = "mesh.msh"
[[material]]
region = "a"
conductivity = 2
density = 3
specific_heat = 5
[[flux]]
region = "a.x1"
value = "7*t"
[initial]
temperature = 20
[[probe]]
name = "mean"
field = "temperature"
region = "a"
measure = "mean"
[time]
end = 4
output = 1
"""


class TransientTest(ritz.CaseTest):
    def write_case(self, text=CASE):
        self.write("mesh.msh", boxes.cubes(["a"]))
        return self.write("case.toml", text)

    def rows(self, outcome):
        lines = (outcome.folder / "results" / "case_probes.csv").read_text().splitlines()
        return [[float(cell) for cell in (line.split(",")[1], line.split(",")[3])] for line in lines[1:]]

    def test_an_insulated_body_warms_by_what_enters(self):
        outcome = self.solve("ritz-heat", self.write_case())
        rows = self.rows(outcome)
        self.assertEqual([t for t, _ in rows], [0, 1, 2, 3, 4])
        for t, mean in rows:  # a cube of side 1
            self.assertAlmostEqual(mean, 20 + 7 * t * t / 2 / 15, delta=1e-7)
        self.assert_close(outcome.fact("stored")[0], 7 * 4 * 4 / 2, 1e-8)
        self.assertLess(outcome.fact("balance_defect")[0], 1e-9)
        self.assertIn("by prescribed values", outcome.log)

    def test_every_kind_of_step_ends_at_the_same(self):
        case = self.write_case()
        for keys in ({"time.method": '"backward_euler"', "time.step": 0.01}, {"time.step": 0.5}, {"time.output_at": "[0.3, 0.35]"}):
            outcome = self.solve("ritz-heat", case, keys=keys)
            self.assertAlmostEqual(self.rows(outcome)[-1][1], 20 + 7 * 16 / 2 / 15, delta=2e-2)

    def test_a_general_form_is_the_same_as_heat(self):
        heat = self.solve("ritz-heat", self.write_case())
        text = CASE.replace("density = 3\nspecific_heat = 5\n", "").replace("[[flux]]", "[[load]]").replace("temperature = 20", "value = 20")
        text = text.replace("[[material]]", '[model]\nform = "diffusion3"\n[[capacity]]\nregion = "a"\nvalue = 15\n[[material]]')
        general = self.solve("ritz-solve", self.write_case(text))
        for (t, a), (s, b) in zip(self.rows(heat), self.rows(general)):
            self.assertEqual(t, s)
            self.assertAlmostEqual(a, b, delta=1e-9)

    def test_what_is_wrong_says_so(self):
        for change, words in (
            (("density = 3\n", ""), ["density", "rho [kg/m^3]"]),
            (("end = 4\n", ""), ["end"]),
            (("output = 1\n", "step = 0.1\ntolerance = 1e-3\n"), ["'tolerance' was given with a fixed step"]),
            (("temperature = 20", 'temperature = "20+t"'), ["depends on t"]),
            (("output = 1\n", "output_at = [5]\n"), ["5 is after the end, 4"]),
            (("output = 1\n", "output = 1e-7\n"), ["makes 40000000 results"]),
            (("[time]\nend = 4\noutput = 1\n", ""), ["t"]),
        ):
            text = CASE.replace(*change)
            self.assertNotEqual(text, CASE)
            outcome = self.run_case("ritz-heat", self.write_case(text), "--check")
            self.assertEqual(outcome.exit, 2, outcome.log + outcome.errors)
            for word in words:
                self.assertIn(word, outcome.errors)

    def test_load_cases_do_not_go_with_time(self):
        outcome = self.run_case("ritz-heat", self.write_case(CASE + '[[load_case]]\nname = "one"\n'), "--check")
        self.assertNotEqual(outcome.exit, 0)
        self.assertIn("load cases of an evolution in time", outcome.errors)

    def test_the_forecast_holds(self):
        case = self.write_case()
        keys = {"solver.method": '"direct"', "mesh.refine": 4}
        forecast = self.run_case("ritz-heat", case, "--estimate", keys=keys).report["forecast"]["direct"]
        outcome = self.solve("ritz-heat", case, keys=keys)
        self.assertLessEqual(outcome.report["memory"]["device_peak"], 1.05 * forecast["device_peak"])
        self.assertGreater(outcome.report["memory"]["device_peak"], 0.6 * forecast["device_peak"])


class ResumeTest(Resume):
    case = ritz.EXAMPLES / "transient" / "nafems_t3.toml"
    keys = {"time.output": 0.5, "time.tolerance": 1e-6}

    def test_stopped_and_killed_it_ends_with_the_same_bytes(self):
        whole, parts = self.folder / "whole", self.folder / "parts"
        self.solve("ritz-heat", self.case, output=whole, keys=self.keys)
        code, errors = self.stopped("ritz-heat", self.case, parts, behind="t = 3, step", keys=self.keys)
        self.assertEqual(code, 75, errors)
        code, errors = self.stopped("ritz-heat", self.case, parts, "--resume", "--checkpoint-every", 1e-6, behind="t = 11, step", keys=self.keys, number=signal.SIGKILL)
        self.assertEqual(code, -signal.SIGKILL, errors)
        outcome = self.solve("ritz-heat", self.case, "--resume", output=parts, keys=self.keys)
        self.assertIn("of 32", outcome.log)
        self.assertTrue(self.verified(parts))
        self.assertEqual(files_of(parts), files_of(whole))


if __name__ == "__main__":
    unittest.main()
