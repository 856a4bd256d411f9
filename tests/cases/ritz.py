"""Runs the executables of Ritz the way a user does, and keeps what they leave behind.

    outcome = run("ritz-elasticity", example("le1"), "--set", "material.0.young=70e9")
    outcome.exit, outcome.errors, outcome.report["probes"]["stress_at_D"]

The environment says where things are: RITZ_BIN (executables), RITZ_EXAMPLES (the folder examples/).
"""
import json
import os
import pathlib
import subprocess
import tempfile
import unittest

BIN = pathlib.Path(os.environ["RITZ_BIN"])
EXAMPLES = pathlib.Path(os.environ["RITZ_EXAMPLES"])


# Tests that tools/long_checks.sh runs, and ctest does not.
long = unittest.skipUnless("RITZ_LONG_TESTS" in os.environ, "skipped: RITZ_LONG_TESTS is not set")


class Outcome:
    def __init__(self, process, folder):
        self.exit, self.log, self.errors = process.returncode, process.stdout, process.stderr
        self.folder = folder
        report = folder / "report.json"
        self.report = json.loads(report.read_text()) if report.exists() else None

    @property
    def probes(self):
        return self.report["probes"]

    @property
    def residual(self):
        return self.report["solver"]["true_relative_residual"]

    def fact(self, name):
        """Numbers of a fact of the report: "applied_load", "reaction"."""
        return [float(number) for number in self.report["facts"][name].split()]

    def results(self):
        """Path of the VTU file."""
        return next(path for path in self.report["outputs"] if path.endswith(".vtu"))


def example(name):
    """ "le1" or "lame/solid": the case file in examples/."""
    path = EXAMPLES / name
    return path / f"{path.name}.toml" if path.is_dir() else path.with_suffix(".toml")


def fault(folder, call, number, kind, **more):
    """Environment of a run in which the number-th call on files of the folder fails as fault_shim.c says; fault(..., stays=1)."""
    names = {"folder": folder, "call": call, "number": number, "kind": kind, **more}
    return {"LD_PRELOAD": os.environ["FAULT_SHIM"], **{f"FAULT_{name.upper()}": str(value) for name, value in names.items()}}


def stops(run):
    """Waits until a child process stops itself (a fault of kind "stop"), or has ended: False."""
    return os.waitid(os.P_PID, run.pid, os.WSTOPPED | os.WEXITED | os.WNOWAIT).si_code == os.CLD_STOPPED


def settings(keys):
    """{"solver.method": "cg"} as arguments."""
    return [argument for key, value in keys.items() for argument in ("--set", f"{key}={value}")]


class CaseTest(unittest.TestCase):
    """A test with a folder of its own."""

    def setUp(self):
        self.scratch = tempfile.TemporaryDirectory(prefix="ritz-")
        self.addCleanup(self.scratch.cleanup)
        self.folder = pathlib.Path(self.scratch.name)
        self.run_count = 0

    def run_case(self, program, case, *arguments, output=None, report=None, keys=None, threads=1, environment=None):
        self.run_count += 1
        folder = self.folder / f"run{self.run_count}"
        folder.mkdir()
        command = [BIN / program, case, "--threads", threads, "--json", report or folder / "report.json",
                   "--output", output or folder / "results", *settings(keys or {}), *arguments]
        process = subprocess.run([str(word) for word in command], capture_output=True, text=True, timeout=300, cwd=folder,
                                 env={**os.environ, **(environment or {})})
        return Outcome(process, folder)

    def has_device(self, name):
        """Back ends for the CPU depend on the processor and on the build."""
        return self.run_case("ritz-heat", example("wall"), "--check", "--device", name).exit == 0

    def solve(self, program, case, *arguments, **options):
        """A run that must succeed."""
        outcome = self.run_case(program, case, *arguments, **options)
        self.assertEqual(outcome.exit, 0, outcome.log + outcome.errors)
        self.assertEqual(outcome.errors, "")
        self.assertEqual(outcome.report["status"], "complete")
        return outcome

    def assert_close(self, value, reference, relative):
        self.assertLessEqual(abs(value - reference), relative * abs(reference), f"{value} against {reference}")

    def write(self, name, text):
        path = self.folder / name
        path.write_text(text)
        return path
