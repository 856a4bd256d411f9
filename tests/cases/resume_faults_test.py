"""The disk fails, or the process is killed, at the k-th call while checkpoints and members of a sweep are written: the run that is
started again ends with the files of one that nothing happened to."""
import os
import random
import shutil
import signal

from faults_test import count_line, numbers, run_with_fault
from results_test import command, leftovers, verify
from ritz import CaseTest, example, settings

FAULTS = (("write", "EIO"), ("write", "ENOSPC"), ("fsync", "EIO"), ("fsync", "kill"), ("rename", "EIO"), ("rename", "kill"))


def increments(form):
    """The command of a run with a checkpoint after each of four increments."""
    keys = settings({"newton.increments": 4, "newton.write": '"increments"', "output.format": f'"{form}"'})
    return lambda folder: command("ritz-solve", example("custom_energy/neo_hooke"), folder, "--checkpoint-every", "1e-6", *keys)


class ResumeFaults(CaseTest):
    def check_all(self, name, words, whole, same):
        """`words(folder)` is the command; `same(files, whole)` asserts. No resumed run needs a person."""
        for call, kind in FAULTS:
            _, calls = run_with_fault(words(self.folder / f"{name}-{call}-{kind}-0"), self.folder / f"{name}-{call}-{kind}-0", self.folder / "count", call, 0, kind)
            self.assertGreater(calls, 10)
            runs = 0
            for number in numbers(calls):
                folder = self.folder / f"{name}-{call}-{kind}-{number}"
                with self.subTest(run=name, call=call, kind=kind, number=number):
                    process, _ = run_with_fault(words(folder), folder, self.folder / "count", call, number, kind)
                    self.assertIn(process.returncode, (-signal.SIGKILL,) if kind == "kill" else (7, 75), process.stderr)
                    if kind != "kill":
                        self.assertIn(str(folder), process.stderr)
                    if (folder / "results.journal").exists():
                        self.assertEqual(verify(folder)[0], 0, verify(folder)[2])
                    second, _ = run_with_fault([*words(folder), "--resume"], folder, self.folder / "count", "none", 0, kind)
                    self.assertEqual(second.returncode, 0, second.stderr)
                    self.assertEqual(verify(folder)[0], 0, verify(folder)[2])
                    self.assertFalse(leftovers(folder))
                    self.assertEqual(self.files(folder).keys(), whole.keys())
                    same(self.files(folder), whole)
                runs += 1
            count_line(test="resume", run=name, call=call, kind=kind, calls=calls, runs=runs)

    def files(self, folder):
        return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*"))
                if path.is_file()}

    def test_increments_with_a_checkpoint_after_each(self):
        for form in ("vtu", "vtkhdf"):
            words = increments(form)
            whole, _ = run_with_fault(words(self.folder / form), self.folder / form, self.folder / "count", "none", 0, "EIO")
            self.assertEqual(whole.returncode, 0, whole.stderr)
            self.check_all(f"increments, {form}", words, self.files(self.folder / form), self.assertEqual)

    def test_kills_at_random_moments_until_the_run_is_complete(self):
        """A moment is one of the calls that change a file. RITZ_KILLS: how many of each format."""
        random.seed(1)
        for form in ("vtu", "vtkhdf"):
            words = increments(form)
            run, calls = run_with_fault(words(self.folder / form), self.folder / form, self.folder / "count", "any", 0, "kill")
            self.assertEqual(run.returncode, 0, run.stderr)
            whole, kills, runs = self.files(self.folder / form), 0, 0
            while kills < int(os.environ.get("RITZ_KILLS", "6")):
                folder = self.folder / f"{form}-killed"
                killed = True
                while killed:
                    number = random.randint(1, 6 * calls // 5)
                    run, _ = run_with_fault([*words(folder), "--resume"], folder, self.folder / "count", "any", number, "kill")
                    killed = run.returncode == -signal.SIGKILL
                    kills += killed
                with self.subTest(form=form, kills=kills):
                    self.assertEqual(run.returncode, 0, run.stderr)
                    self.assertEqual(verify(folder)[0], 0, verify(folder)[2])
                    self.assertFalse(leftovers(folder))
                    self.assertEqual(self.files(folder), whole)
                shutil.rmtree(folder)
                runs += 1
            count_line(test="kills and resume", format=form, kills=kills, completed=runs)

    def test_members_of_a_sweep(self):
        text = example("le1").read_text().replace('file = "', f'file = "{example("le1").parent}/')
        case = self.write("le1.toml", text + "\n[[sweep.parameter]]\nkey = 'pressure.0.value'\nvalues = [1.0, 2.0, 3.0]\n")

        def words(folder):
            return command("ritz-elasticity", case, folder, "--set", "sweep.batch=1")

        whole, _ = run_with_fault(words(self.folder / "whole"), self.folder / "whole", self.folder / "count", "none", 0, "EIO")
        self.assertEqual(whole.returncode, 0, whole.stderr)
        self.check_all("sweep", words, self.files(self.folder / "whole"), self.same_table)

    def same_table(self, files, whole):
        """Members begin with what the one before left, so a sweep that went on has the same numbers to the solver's tolerance only."""
        rows, wanted = ([row.split(",") for row in found["le1_sweep.csv"].decode().splitlines()] for found in (files, whole))
        self.assertEqual([row[:3] for row in rows], [row[:3] for row in wanted])
        column = rows[0].index("stress_at_D")
        for row, other in zip(rows[1:], wanted[1:], strict=True):
            self.assert_close(float(row[column]), float(other[column]), 1e-6)
