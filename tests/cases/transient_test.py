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

    def test_times_of_results_that_differ_by_rounding_are_one(self):
        text = CASE.replace("end = 4\noutput = 1\n", "end = 1\noutput = 0.1\noutput_at = [0.3, 0.9999999999999999]\n")
        rows = self.rows(self.solve("ritz-heat", self.write_case(text)))
        self.assertEqual([round(t, 12) for t, _ in rows], [round(0.1 * i, 12) for i in range(11)])
        self.assertEqual(rows[-1][0], 1)

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

    def test_a_pulse_behind_a_long_rest_is_not_passed_over(self):
        """10 J, by a table whose times are those of its rows and by a formula that jumps; the certificate is that of the pulse."""
        self.write("pulse.csv", "t,q\n0,0\n1,0\n1.01,100\n1.1,100\n1.11,0\n")
        table = '[[table]]\nname = "pulse"\nfile = "pulse.csv"\ninterpolation = "linear"\noutside = "constant"\n'
        case = self.write_case(CASE.replace("temperature = 20", "temperature = 0").replace("end = 4\noutput = 1", "end = 400") + table)
        for formula in ("pulse(t-300)", "t > 300 && t < 302 ? 5 : 0"):
            outcome = self.solve("ritz-heat", case, "--overwrite", keys={"flux.0.value": f'"{formula}"'})
            self.assert_close(outcome.fact("stored")[0], 10, 2e-2)
            self.assertLess(outcome.fact("residual_certificate")[0], 1e-7)

    def test_a_body_at_the_zero_of_the_scale_starts_under_a_load_that_grows_from_nothing(self):
        case = self.write_case(CASE.replace("temperature = 20", "temperature = 0"))
        outcome = self.solve("ritz-heat", case, keys={"flux.0.value": '"100*t^2"'})
        self.assert_close(outcome.fact("stored")[0], 100 * 4**3 / 3, 5e-3)  # errors of a thousandth in a step add up

    def test_a_temperature_beyond_a_table_between_results_is_an_error(self):
        self.write("k.csv", "T,k\n0,1\n50,2\n")
        table = '[[table]]\nname = "k"\nfile = "k.csv"\ninterpolation = "linear"\n'
        case = self.write_case(CASE.replace("output = 1", "step = 0.1") + table)
        keys = {"material.0.conductivity": '"k(T)"', "flux.0.value": '"t < 2 ? 500 : -500"'}
        outcome = self.run_case("ritz-heat", case, keys=keys)
        self.assertEqual(outcome.exit, 4, outcome.log + outcome.errors)
        self.assertIn("lies outside of the table", outcome.errors)
        self.assertIn("of 4", outcome.errors)

    def test_a_general_form_is_the_same_as_heat(self):
        heat = self.solve("ritz-heat", self.write_case())
        text = CASE.replace("density = 3\nspecific_heat = 5\n", "").replace("[[flux]]", "[[load]]").replace("temperature = 20", "value = 20")
        text = text.replace("[[material]]", '[model]\nform = "diffusion3"\n[[capacity]]\nregion = "a"\nvalue = 15\n[[material]]')
        general = self.solve("ritz-solve", self.write_case(text))
        for (t, a), (s, b) in zip(self.rows(heat), self.rows(general)):
            self.assertEqual(t, s)
            self.assertAlmostEqual(a, b, delta=1e-9)

    def test_a_form_without_a_capacity_says_so(self):
        text = CASE.replace("density = 3\nspecific_heat = 5\n", "").replace("[[flux]]", "[[load]]").replace("temperature = 20", "value = 20")
        text = text.replace("[[material]]", '[model]\nform = "diffusion3"\n[[material]]')
        outcome = self.run_case("ritz-solve", self.write_case(text), "--check")
        self.assertEqual(outcome.exit, 2, outcome.log)
        self.assertIn("capacity", outcome.errors)
        steady = text.replace("[time]\nend = 4\noutput = 1\n", '[[capacity]]\nregion = "a"\nvalue = 1\n')
        outcome = self.run_case("ritz-solve", self.write_case(steady), "--check")
        self.assertIn("'capacity' was given without [time]", outcome.errors)

    def test_what_is_wrong_says_so(self):
        for change, words in (
            (("density = 3\n", ""), ["density", "rho [kg/m^3]"]),
            (("end = 4\n", ""), ["end"]),
            (("output = 1\n", "step = 0.1\ntolerance = 1e-3\n"), ["'tolerance' was given with a fixed step"]),
            (("temperature = 20", 'temperature = "20+t"'), ["depends on t"]),
            (("density = 3", 'density = "3+t"'), ["'3+t' depends on t", "keeps its mass"]),
            (("specific_heat = 5", 'specific_heat = "5+t"'), ["'5+t' depends on t"]),
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


class InitialTest(ritz.CaseTest):
    """[initial] file: what another run on the same mesh left."""
    BODY = """[mesh]
file = "mesh.msh"
refine = 1
[[material]]
region = "a"
conductivity = 2
density = 3
specific_heat = 5
[[temperature]]
region = "a.x0"
value = 20
[[flux]]
region = "a.x1"
value = 8
[[probe]]
name = "end"
field = "temperature"
region = "a.x1"
measure = "mean"
"""
    TIME = '[time]\nend = 3\noutput = 1\n'

    def setUp(self):
        super().setUp()
        self.write("mesh.msh", boxes.cubes(["a"]))
        self.steady = self.write("steady.toml", self.BODY)

    def from_file(self, *lines, body=None, time=TIME):
        text = "".join(f"{line}\n" for line in lines)
        return self.write("later.toml", (body or self.BODY) + "[initial]\n" + text + time)

    def refuse(self, case, *words, program="ritz-heat"):
        outcome = self.run_case(program, case, "--check")
        self.assertEqual(outcome.exit, 2, outcome.log + outcome.errors)
        for word in words:
            self.assertIn(word, outcome.errors)

    def test_a_state_in_balance_stays(self):
        for keys in ({}, {"space.order": 2}, {"output.single_precision": "true", "output.compression": '"lz4"'}):
            steady = self.solve("ritz-heat", self.steady, "--overwrite", output=self.folder / "steady", keys=keys)
            self.assert_close(steady.probes["end"], 24, 1e-7)
            keys = {key: value for key, value in keys.items() if not key.startswith("output")}
            outcome = self.solve("ritz-heat", self.from_file('file = "steady/steady.pvd"'), "--overwrite", output=self.folder / "later", keys=keys)
            rows = [float(line.split(",")[3]) for line in (self.folder / "later/later_probes.csv").read_text().splitlines()[1:]]
            self.assertEqual(len(rows), 4)
            for value in rows:
                self.assertAlmostEqual(value, 24, delta=1e-4)
            self.assertLess(abs(outcome.fact("stored")[0]), 1e-3)

    def test_a_run_goes_on_from_a_step_of_another(self):
        """Insulated, the cube warms by 8 / 15 a second."""
        free = self.BODY.replace('[[temperature]]\nregion = "a.x0"\nvalue = 20\n', "").replace('region = "a.x1"\nmeasure', 'region = "a"\nmeasure')
        first = self.write("first.toml", free + "[initial]\ntemperature = 20\n" + self.TIME)
        self.solve("ritz-heat", first, output=self.folder / "first")
        for lines, begin in ((['file = "first/first.pvd"'], 3), (['file = "first/first.pvd"', "time = 1"], 1),
                             (['file = "first/first/first_000002.vtu"', 'field = "temperature"'], 2)):
            outcome = self.solve("ritz-heat", self.from_file(*lines, body=free), output=self.folder / f"later_{begin}")
            self.assert_close(outcome.probes["end"], 20 + 8 / 15 * (begin + 3), 1e-7)
        form = free.replace("density = 3\nspecific_heat = 5\n", "").replace("[[flux]]", "[[load]]")
        form = '[model]\nform = "diffusion3"\n[[capacity]]\nregion = "a"\nvalue = 15\n' + form
        outcome = self.solve("ritz-solve", self.from_file('file = "first/first.pvd"', body=form), output=self.folder / "form")
        self.assert_close(outcome.probes["end"], 20 + 8 / 15 * 6, 1e-7)

    def test_what_does_not_fit_says_so(self):
        self.solve("ritz-heat", self.steady, output=self.folder / "steady")
        steady = 'file = "steady/steady.pvd"'
        self.refuse(self.from_file(steady, body=self.BODY.replace("refine = 1", "refine = 2")), "has 27 points, and the mesh has 125 nodes")
        self.refuse(self.from_file(steady, body=self.BODY.replace("refine = 1", "refine = 1\nscale = 2")), "and the mesh has its node at")
        self.refuse(self.from_file(steady, 'field = "temprature"'), "has no field 'temprature'", "did you mean 'temperature'?")
        self.refuse(self.from_file(steady, 'field = "heat_flux"'), "has 3 components", "the unknown has 1")
        self.refuse(self.from_file(steady, "time = 7"), "has no step at the time 7", "it has 0")
        self.refuse(self.from_file(steady, "temperature = 20"), "'temperature' was given with a file")
        self.refuse(self.from_file('file = "none.pvd"'), "none.pvd", "does not exist")
        self.refuse(self.from_file('file = "mesh.msh"'), "fields are read from .vtu, .pvtu, .pvd and HDF5")
        self.write("bad.pvd", "<VTKFile>\n<DataSet timestep=\"x\" file=\"a.vtu\"/>\n</VTKFile>\n")
        outcome = self.run_case("ritz-heat", self.from_file('file = "bad.pvd"'), "--check")
        self.assertIn("a step has no time or no file at", outcome.errors)
        self.assertIn("line 2", outcome.errors)


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


class ResumeFromAFile(Resume):
    def test_a_changed_step_of_the_initial_values_is_seen(self):
        self.write("mesh.msh", boxes.cubes(["a"]))
        self.solve("ritz-heat", self.write("first.toml", CASE.replace("output = 1\n", "")), output=self.folder / "first")
        case = self.write("case.toml", CASE.replace("temperature = 20", 'file = "first/first.pvd"', 1))
        keys = {"time.step": 0.1}
        code, errors = self.stopped("ritz-heat", case, self.folder / "r", behind="t = 2, step", keys=keys)
        self.assertEqual(code, 75, errors)
        step = max((self.folder / "first" / "first").glob("*.vtu"))
        step.write_bytes(step.read_bytes() + b"\n")
        outcome = self.run_case("ritz-heat", case, "--resume", output=self.folder / "r", keys=keys)
        self.assertEqual(outcome.exit, 9, outcome.log + outcome.errors)
        self.assertIn(step.name, outcome.errors)


if __name__ == "__main__":
    unittest.main()
