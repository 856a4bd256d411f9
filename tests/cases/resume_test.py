"""Runs that are stopped and go on: exit 75, --resume, and the same files to the last byte."""
import fcntl
import pathlib
import re
import signal
import subprocess
import unittest

import boxes
import ritz
from load_cases_test import CLAMP, MESH, PROBES, STEEL


COUNT = 80
INCREMENTS = {"newton.increments": COUNT, "newton.write": '"increments"'}
MODES_OF_WRITING = ("vtu", "vtkhdf")


def files_of(folder):
    return {path.relative_to(folder): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


class Resume(ritz.CaseTest):
    def stopped(self, program, case, output, *arguments, behind, keys, number=signal.SIGTERM):
        """Sends the signal when the log says so; returns the exit code and the errors. On a busy machine we may read late: the run waits for
        us, as the pipe between us holds no more than a page of its log: ten increments or load cases at most."""
        command = [ritz.BIN / program, case, "--threads", 1, "--verbose", "--log-json", "--output", output, "--json", self.folder / "stopped.json", *ritz.settings(keys), *arguments]
        run = subprocess.Popen([str(word) for word in command], bufsize=0, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        fcntl.fcntl(run.stdout, fcntl.F_SETPIPE_SZ, 4096)
        for line in run.stdout:
            if behind in line.decode():
                run.send_signal(number)
        errors = run.stderr.read().decode()
        run.stdout.close()
        run.stderr.close()
        return run.wait(timeout=120), errors

    def verified(self, folder):
        return subprocess.run([str(ritz.BIN / "ritz"), "results", "verify", str(folder)], capture_output=True, text=True, timeout=60).returncode == 0


class NewtonTest(Resume):
    case = ritz.EXAMPLES / "custom_energy" / "neo_hooke.toml"

    def keys(self, form):
        return {**INCREMENTS, "output.format": f'"{form}"'}

    def test_stopped_twice_it_ends_with_the_same_bytes(self):
        for form in MODES_OF_WRITING:
            whole, parts = self.folder / f"whole-{form}", self.folder / f"parts-{form}"
            self.solve("ritz-solve", self.case, output=whole, keys=self.keys(form))
            code, errors = self.stopped("ritz-solve", self.case, parts, behind=f"increment 2 of {COUNT}", keys=self.keys(form))
            self.assertEqual(code, 75, errors)
            self.assertIn("stopped by SIGTERM after increment", errors)
            self.assertIn('"status": "stopped"', (self.folder / "stopped.json").read_text())
            self.assertTrue(self.verified(parts))
            code, errors = self.stopped("ritz-solve", self.case, parts, "--resume", behind=f"increment 20 of {COUNT}", keys=self.keys(form), number=signal.SIGINT)
            self.assertEqual(code, 75, errors)
            outcome = self.solve("ritz-solve", self.case, "--resume", output=parts, keys=self.keys(form))
            self.assertGreaterEqual(int(re.search(rf"resuming after increment (\d+) of {COUNT}", outcome.log)[1]), 20)
            self.assertTrue(self.verified(parts))
            self.assertEqual(files_of(parts), files_of(whole))
            self.assertIn(pathlib.Path("neo_hooke_probes.csv"), files_of(parts))

    def test_killed_it_goes_on_behind_the_last_checkpoint(self):
        for form in MODES_OF_WRITING:
            whole, parts = self.folder / f"whole-{form}", self.folder / f"parts-{form}"
            self.solve("ritz-solve", self.case, output=whole, keys=self.keys(form))
            for line in (f"increment {i} of {COUNT}" for i in (1, 15, 30)):
                code, _ = self.stopped("ritz-solve", self.case, parts, "--resume", "--checkpoint-every", 1e-6, behind=line, keys=self.keys(form), number=signal.SIGKILL)
                self.assertEqual(code, -signal.SIGKILL)
            self.solve("ritz-solve", self.case, "--resume", output=parts, keys=self.keys(form))
            self.assertTrue(self.verified(parts))
            self.assertEqual(files_of(parts), files_of(whole))

    def test_killed_soon_behind_its_first_results_it_goes_on(self):
        whole, parts = self.folder / "whole", self.folder / "parts"
        self.solve("ritz-solve", self.case, output=whole, keys=INCREMENTS)
        code, _ = self.stopped("ritz-solve", self.case, parts, behind=f"increment 15 of {COUNT}", keys=INCREMENTS, number=signal.SIGKILL)
        self.assertEqual(code, -signal.SIGKILL)
        outcome = self.solve("ritz-solve", self.case, "--resume", output=parts, keys=INCREMENTS)  # long before ten minutes
        self.assertIn(f"resuming after increment 1 of {COUNT}", outcome.log)
        self.assertTrue(self.verified(parts))
        self.assertEqual(files_of(parts), files_of(whole))

    def test_increments_are_steps_whose_time_is_the_part_of_the_loads(self):
        outcome = self.solve("ritz-solve", self.case, output=self.folder / "r", keys=self.keys("vtu"))
        rows = (self.folder / "r" / "neo_hooke_probes.csv").read_text().splitlines()
        self.assertEqual([float(row.split(",")[1]) for row in rows[1:]], [i / COUNT for i in range(1, COUNT + 1)])
        forces = [float(row.split(",")[3]) for row in rows[1:]]
        self.assertEqual(forces, sorted(forces))  # it is pulled further and further
        last = self.solve("ritz-solve", self.case, output=self.folder / "once", keys={"newton.increments": COUNT})
        self.assertEqual(outcome.probes, last.probes)

    def test_a_time_limit_leaves_a_checkpoint_once_there_is_something_to_keep(self):
        output = self.folder / "r"
        outcome = self.run_case("ritz-solve", self.case, "--time-limit", 3000, output=output, keys={**INCREMENTS, "newton.increments": 1000},
                                environment=ritz.fault(output, "any", 60, "hour"))
        self.assertEqual(outcome.exit, 75, outcome.errors)
        self.assertIn("--resume", outcome.errors)

    def test_what_cannot_go_on_says_why(self):
        output = self.folder / "r"
        self.assertEqual(self.stopped("ritz-solve", self.case, output, behind=f"increment 3 of {COUNT}", keys=INCREMENTS)[0], 75)
        before = files_of(output)
        refused = self.run_case("ritz-solve", self.case, output=output, keys=INCREMENTS)
        self.assertEqual(refused.exit, 7)
        self.assertIn("holds a checkpoint of 'neo_hooke'", refused.errors)
        other = self.run_case("ritz-solve", self.case, "--resume", output=output, keys={**INCREMENTS, "newton.tolerance": 1e-9})
        self.assertEqual(other.exit, 9)
        self.assertIn("'tolerance = 1e-11' then, 'tolerance = 1e-09' now", other.errors)
        both = self.run_case("ritz-solve", self.case, "--resume", "--overwrite", output=output, keys=INCREMENTS)
        self.assertEqual(both.exit, 2)
        self.assertEqual(files_of(output), before)
        for checkpoint in (output / "neo_hooke.checkpoint").iterdir():
            with open(checkpoint, "ab") as file:
                file.write(b"x")
        damaged = self.run_case("ritz-solve", self.case, "--resume", output=output, keys=INCREMENTS)
        self.assertEqual(damaged.exit, 9)
        self.solve("ritz-solve", self.case, "--overwrite", output=output, keys=INCREMENTS)
        self.assertFalse((output / "neo_hooke.checkpoint").exists())
        complete = self.run_case("ritz-solve", self.case, "--resume", output=output, keys=INCREMENTS)
        self.assertEqual(complete.exit, 0)
        self.assertIn("complete already", complete.log)
        other = self.run_case("ritz-solve", self.case, "--resume", output=output, keys={**INCREMENTS, "newton.tolerance": 1e-9})
        self.assertEqual(other.exit, 7)
        self.assertIn("there is no checkpoint", other.errors)


class LoadCasesTest(Resume):
    def write_case(self):
        self.write("mesh.msh", boxes.cubes(["a"]))
        cases = "".join(f'[[load_case]]\nname = "c{i}"\n[[load_case.force]]\nregion = "a.x1"\nvalue = [{i}e5, {50 + i}e3, -2e5]\n' for i in range(60))
        return self.write("case.toml", MESH + STEEL + CLAMP + PROBES + cases + '[[combination]]\nname = "sum"\nfactors = {c0 = 1.0, c59 = 1.5}\n')

    def test_stopped_while_it_writes_it_ends_with_the_same_bytes(self):
        case = self.write_case()
        for method in ("cg", "direct"):
            for form in MODES_OF_WRITING:
                keys = {"solver.method": f'"{method}"', "output.format": f'"{form}"'}
                whole, parts = self.folder / f"whole-{method}-{form}", self.folder / f"parts-{method}-{form}"
                first = self.solve("ritz-elasticity", case, output=whole, keys=keys)
                for name, number in (("c2", signal.SIGKILL), ("c9", signal.SIGKILL), ("c17", signal.SIGKILL)):
                    code, errors = self.stopped("ritz-elasticity", case, parts, "--resume", behind=f"'{name}'", keys=keys, number=number)
                    self.assertEqual(code, -number, errors)
                rest = self.solve("ritz-elasticity", case, "--resume", output=parts, keys=keys)
                self.assertIn("resuming after 60 of 60 load cases", rest.log)
                self.assertEqual(files_of(parts), files_of(whole))
                for part in ("load_cases", "combinations"):
                    for name, report in first.report[part].items():
                        again = rest.report[part][name]
                        self.assertEqual(again["probes"], report["probes"])
                        self.assertEqual(again["solver"]["iterations"], report["solver"]["iterations"])
                        self.assertEqual(again["solver"]["true_relative_residual"], report["solver"]["true_relative_residual"])

    def test_a_changed_mesh_is_seen(self):
        case = self.write_case()
        self.assertEqual(self.stopped("ritz-elasticity", case, self.folder / "r", behind="'c2'", keys={}, number=signal.SIGKILL)[0], -signal.SIGKILL)
        mesh = self.folder / "mesh.msh"
        mesh.write_text(re.sub(r"\n1 0 0 0\n", "\n1 0.001 0 0\n", mesh.read_text()) + "\n")
        outcome = self.run_case("ritz-elasticity", case, "--resume", output=self.folder / "r")
        self.assertEqual(outcome.exit, 9)
        self.assertIn("mesh.msh", outcome.errors)

    def test_a_changed_file_that_the_mesh_includes_is_seen(self):
        case = self.write_case()
        subprocess.run([str(ritz.BIN / "ritz"), "mesh", "convert", "mesh.msh", "part.inp"], cwd=self.folder, check=True, capture_output=True)
        (self.folder / "part.inp").rename(self.folder / "part.inc")
        self.write("mesh.inp", "*INCLUDE, INPUT=part.inc\n")
        self.write("case.toml", case.read_text().replace("mesh.msh", "mesh.inp").replace("a.x", "a_x"))
        self.assertEqual(self.stopped("ritz-elasticity", case, self.folder / "r", behind="'c2'", keys={}, number=signal.SIGKILL)[0], -signal.SIGKILL)
        part = self.folder / "part.inc"
        part.write_text(part.read_text() + "** changed\n")
        outcome = self.run_case("ritz-elasticity", case, "--resume", output=self.folder / "r")
        self.assertEqual(outcome.exit, 9)
        self.assertIn("part.inc", outcome.errors)


class VibrationTest(Resume):
    def test_killed_among_frequencies_it_ends_with_the_same_bytes(self):
        """A preload as a step, then a step of modes and answers to a base that shakes."""
        self.write("mesh.msh", boxes.cubes(["a"]))
        steps = ('[[step]]\nname = "press"\n[[step.force]]\nregion = "a.x1"\nvalue = [-1e4, 0, 0]\n[[step]]\nname = "shake"\n[step.modal]\ncount = 3\n[step.harmonic]\n'
                 'frequencies = [1, 5000]\nfields_at = [10, 20, 30]\n[[step.harmonic.base]]\ndirection = [0, 1, 0]\nacceleration = 1\n')
        case = self.write("case.toml", MESH + STEEL + CLAMP + PROBES[:PROBES.rindex("[[probe]]")] + "[damping]\nratio = 0.02\n" + steps)
        whole, parts = self.folder / "whole", self.folder / "parts"
        self.solve("ritz-elasticity", case, output=whole)
        code, errors = self.stopped("ritz-elasticity", case, parts, "--checkpoint-every", 1e-6, behind="amplitudes at 10 Hz", keys={}, number=signal.SIGKILL)
        self.assertEqual(code, -signal.SIGKILL, errors)
        outcome = self.solve("ritz-elasticity", case, "--resume", output=parts)
        self.assertIn("resuming after step 'press'", outcome.log)
        self.assertEqual(files_of(parts), files_of(whole))
        self.assertTrue(any(path.name.endswith("_response.csv") for path in files_of(whole)))


if __name__ == "__main__":
    unittest.main()
