"""The disk fails at every k-th call, and the process is killed at random: what was committed before is whole, nothing
half-written lies around, and the exit code says what happened."""
import itertools
import json
import os
import pathlib
import random
import signal
import subprocess

from ritz import CaseTest, example, fault
from results_test import command, leftovers, verify

STEPS = ["--set", "modal.count=1", "--set", "modal.animate=3"]  # one step, then three


turns = itertools.count()


def numbers(calls):
    """All calls with RITZ_ALL_FAULTS (tools/long_checks.sh); else the first ones, where the folder is tried and locked, the last one, and some
    between, other ones for each fault."""
    if "RITZ_ALL_FAULTS" in os.environ:
        return range(1, calls + 1)
    step = 1 + calls // 3
    return sorted({*range(1, min(calls, 3) + 1), *range(4 + next(turns) % step, calls + 1, step), calls})


def count_line(**counts):
    """For the counts of docs/reliability.md; RITZ_FAULT_TABLE names a file that collects them."""
    if "RITZ_FAULT_TABLE" in os.environ:
        with open(os.environ["RITZ_FAULT_TABLE"], "a") as table:
            table.write(json.dumps(counts) + "\n")


def run_with_fault(words, folder, count, call, number, kind, stays=False):
    """The number-th call on files of the folder fails (`stays`: and all after it); number 0: none. Returns the process and how many
    calls of the kind there were; of a process that was killed, 0."""
    count.write_text("0")
    environment = {**os.environ, **fault(folder, call, number, kind, stays=int(stays), count=count)}
    process = subprocess.run(words, env=environment, capture_output=True, text=True, timeout=300)
    return process, int(count.read_text())


class Faults(CaseTest):
    formats = ("vtu", "vtkhdf")

    def run_with_fault(self, folder, call, number, kind, stays, arguments):
        words = command("ritz-modal", example("modal/cantilever"), folder, *STEPS, *arguments)
        return run_with_fault(words, folder, self.folder / "count", call, number, kind, stays)

    def committed(self, folder):
        journal = pathlib.Path(folder) / "results.journal"
        return journal.read_bytes().count(b'"step":') if journal.exists() else 0  # without the end of the run

    def test_every_call_fails_once_and_for_good(self):
        for form in self.formats:
            arguments = ["--set", f"output.format='{form}'"] if form != "vtu" else []
            for call in ("open", "write", "fsync", "rename", "close"):
                folder = self.folder / f"{form}-{call}"
                process, calls = self.run_with_fault(folder, call, 0, "ENOSPC", False, arguments)
                self.assertEqual(process.returncode, 0, process.stderr)
                self.assertGreater(calls, 3)
                for kind, stays in (("ENOSPC", True), ("EIO", False), ("short", False)) if call == "write" else (("EIO", True), ("EIO", False)):
                    outcomes = {}
                    for number in numbers(calls):
                        with self.subTest(format=form, call=call, number=number, kind=kind, stays=stays):
                            folder = self.folder / f"{form}-{call}-{kind}-{stays}-{number}"
                            process, _ = self.run_with_fault(folder, call, number, kind, stays, arguments)
                            self.check(process, folder, kind, call)
                            outcomes[process.returncode] = outcomes.get(process.returncode, 0) + 1
                    count_line(test="fault", format=form, call=call, kind=kind, stays=stays, calls=calls, runs=sum(outcomes.values()), **{f"exit {k}": v for k, v in outcomes.items()})

    def check(self, process, folder, kind, call):
        if kind == "short":  # the rest is written by the next call
            self.assertEqual(process.returncode, 0, process.stderr)
        self.assertIn(process.returncode, (0, 7), process.stdout + process.stderr)
        self.assertFalse(leftovers(folder) if call != "open" else [name for name in leftovers(folder) if name.endswith(".tmp")])
        steps = self.committed(folder)
        if process.returncode == 0:
            self.assertEqual(steps, 4)
        else:
            self.assertIn(str(folder), process.stderr)
            self.assertRegex(process.stderr, "No space left on device|Input/output error")
        if steps > 0:
            exit_code, states, text = verify(folder)
            self.assertEqual(exit_code, 0, text)
            self.assertIn(f"{steps} steps committed", text)
            self.assertLessEqual(sum(state == "extra" for state in states.values()), 2, text)

    def test_a_failing_overwrite_loses_neither_the_old_nor_what_is_new(self):
        """Whatever fails, the four old steps are whole, here or in replaced/."""
        old = self.folder / "old"
        self.run_with_fault(old, "none", 0, "EIO", False, [])
        runs = 0
        for call in ("write", "fsync", "rename"):
            calls = self.run_with_fault(self.copy_of(old), call, 0, "EIO", False, ["--overwrite"])[1]
            for number in numbers(calls):
                folder = self.copy_of(old)
                process, _ = self.run_with_fault(folder, call, number, "EIO", True, ["--overwrite"])
                with self.subTest(call=call, number=number):
                    runs += 1
                    self.assertEqual(process.returncode, 7, process.stderr)
                    self.assertFalse(leftovers(folder))
                    exit_code, _, text = verify(folder)
                    self.assertEqual(exit_code, 0, text)
                    self.assertEqual(self.contents(old), self.contents(folder, old=True))
        count_line(test="overwrite", runs=runs)

    def copy_of(self, folder):
        self.run_count += 1
        copy = self.folder / f"copy{self.run_count}"
        subprocess.run(["cp", "-r", folder, copy], check=True)
        return copy

    def contents(self, folder, old=False):
        """Contents of the VTU files by name; of the older run, those set aside if there are some."""
        aside = folder / "replaced" / "cantilever-1"
        found = {p.relative_to(folder): p.read_bytes() for p in folder.rglob("*.vtu") if "replaced" not in p.parts}
        if old and aside.exists():
            found |= {p.relative_to(aside): p.read_bytes() for p in aside.rglob("*.vtu")}
        return found

    def test_kills_at_random_moments_lose_at_most_the_step_in_writing(self):
        """A moment is one of the calls that change a file, behind those of the first step."""
        random.seed(1)
        many = ["--set", "modal.count=4", "--set", "modal.animate=40"]
        for form in self.formats:
            arguments = many + (["--set", f"output.format='{form}'"] if form != "vtu" else [])
            steps_kept = 0
            kills = 50 if "RITZ_ALL_FAULTS" in os.environ else 8
            process, calls = self.run_with_fault(self.folder / f"whole-{form}", "any", 0, "kill", False, arguments)
            self.assertEqual(process.returncode, 0, process.stderr)
            for i in range(kills):
                folder = self.folder / f"kill-{form}-{i}"
                process, _ = self.run_with_fault(folder, "any", random.randint(calls // 10, calls), "kill", False, arguments)
                with self.subTest(format=form, kill=i):
                    self.assertEqual(process.returncode, -signal.SIGKILL)
                    steps = self.committed(folder)
                    self.assertGreater(steps, 0)
                    exit_code, states, text = verify(folder)
                    self.assertEqual(exit_code, 0, text)
                    self.assertIn(f"{steps} steps committed", text)
                    self.assertLessEqual(sum(state == "extra" for state in states.values()), 2, text)
                    steps_kept += steps
                if i % 10 == 0:  # the next run cleans up after it
                    again = self.run_case("ritz-modal", example("modal/cantilever"), "--overwrite", *STEPS, output=folder)
                    self.assertEqual(again.exit, 0, again.errors)
                    self.assertEqual((verify(folder)[0], leftovers(folder)), (0, []))
            count_line(test="kill", format=form, kills=kills, while_running=kills, steps_kept=steps_kept)

    def test_killed_at_every_rename_and_every_flush(self):
        """Not at random: between any two of the calls that make a commit."""
        for form in self.formats:
            arguments = ["--set", f"output.format='{form}'"] if form != "vtu" else []
            runs = 0
            for call in ("rename", "fsync", "write", "close"):
                calls = self.run_with_fault(self.folder / f"{form}{call}", call, 0, "EIO", False, arguments)[1]
                for number in numbers(calls):
                    folder = self.folder / f"{form}{call}-{number}"
                    self.run_with_fault(folder, call, number, "kill", False, arguments)
                    runs += 1
                    with self.subTest(format=form, call=call, number=number):
                        if self.committed(folder) > 0:
                            exit_code, _, text = verify(folder)
                            self.assertEqual(exit_code, 0, text)
            count_line(test="kill at calls", format=form, kills=runs)
