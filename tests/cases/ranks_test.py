"""Sweeps on several ranks, started by mpirun as a user would: the members are those of one process."""
import os
import shutil
import subprocess
import unittest

import ritz
from sweep_test import SweepTest, parameter

HEAT = "ritz-heat"


@unittest.skipUnless(shutil.which("mpirun") and list((ritz.BIN.parent / "lib").glob("ritz_ranks.mpi.so")), "skipped: no MPI")
class Ranks(SweepTest):
    def command(self, ranks, program, case, folder, *arguments):
        folder.mkdir(exist_ok=True)
        launcher = ["mpirun", "--allow-run-as-root", "--oversubscribe", "--bind-to", "none", "-n", ranks]
        words = [*launcher, ritz.BIN / program, case, "--output", folder / "results", "--json", folder / "report.json", *arguments]
        return [str(word) for word in words]

    def on_ranks(self, ranks, program, case, *arguments, folder=None, environment=None):
        self.run_count += 1
        folder = folder or self.folder / f"run{self.run_count}"
        process = subprocess.run(self.command(ranks, program, case, folder, *arguments), capture_output=True, text=True, timeout=120, cwd=self.folder,
                                 env={**os.environ, **(environment or {})})
        return ritz.Outcome(process, folder)

    def table(self, outcome):
        return next((outcome.folder / "results").glob("*_sweep.csv")).read_text()

    def assert_results_are_whole(self, outcome):
        check = subprocess.run([str(ritz.BIN / "ritz"), "results", "verify", str(outcome.folder / "results")], capture_output=True, text=True)
        self.assertEqual(check.returncode, 0, check.stdout + check.stderr)

    def test_members_are_those_of_one_process_and_repeat_themselves(self):
        case = self.sweep("fin", parameter("material.0.conductivity", values=[100, 200, 300]))
        alone = self.solve(HEAT, case)
        runs = [self.on_ranks(ranks, HEAT, case) for ranks in (2, 2, 4)]
        for run, ranks in zip(runs, (2, 2, 4)):
            self.assertEqual((run.exit, run.report["status"], run.report["facts"]["ranks"]), (0, "complete", str(ranks)), run.log + run.errors)
            self.assertIn(f"{ranks} ranks by ", run.log)
            self.assertEqual(run.log.count("device: "), 1)  # the first rank tells
            self.assertEqual(set(run.report["sweep"]), set(alone.report["sweep"]))
            self.assert_results_are_whole(run)
            for member, outcome in alone.report["sweep"].items():
                self.assertEqual(run.report["sweep"][member]["values"], outcome["values"])
                for probe, value in outcome["probes"].items():
                    self.assert_close(run.report["sweep"][member]["probes"][probe], value, 1e-6)
                self.assertTrue(all((self.folder / path).exists() for path in run.report["sweep"][member]["outputs"]))
        self.assertEqual(self.table(runs[0]), self.table(runs[1]))
        names = lambda outcome: sorted(path.relative_to(outcome.folder / "results").as_posix() for path in (outcome.folder / "results").rglob("*") if path.is_file())
        self.assertEqual(names(runs[2]), names(runs[0]))

    def test_what_is_there_is_kept_on_another_number_of_ranks(self):
        first = self.on_ranks(2, HEAT, self.sweep("fin", parameter("material.0.conductivity", values=[100, 200, 300])))
        again = self.on_ranks(3, HEAT, self.sweep("fin", parameter("material.0.conductivity", values=[100, 200, 300, 400, 500])), "--resume", folder=first.folder)
        self.assertEqual(again.exit, 0, again.errors)
        self.assertEqual([each["status"] for _, each in sorted(again.report["sweep"].items())], ["kept"] * 3 + ["complete"] * 2)
        self.assert_results_are_whole(again)

    def test_a_member_that_fails_fails_alone_and_all_ranks_end_with_its_code(self):
        case = self.sweep("fin", parameter("material.0.conductivity", values=[100, -1, 300, -1]))
        run = self.on_ranks(2, HEAT, case)
        self.assertEqual(run.exit, 4, run.errors)
        self.assertEqual([each["status"] for _, each in sorted(run.report["sweep"].items())], ["complete", "failed"] * 2)
        self.assertEqual(run.errors.count("error: "), 1)

    def test_what_ends_a_sweep_is_told_once_by_the_first_rank(self):
        case = self.sweep("fin", parameter("material.0.conductivity", values=[100, 200]))
        first = self.on_ranks(2, HEAT, case)
        refused = self.on_ranks(2, HEAT, case, folder=first.folder)
        self.assertEqual(refused.exit, 7)
        self.assertEqual(refused.errors.count("error: "), 1)
        replaced = self.on_ranks(2, HEAT, case, "--overwrite", folder=first.folder)
        self.assertEqual(replaced.exit, 0, replaced.errors)
        self.assertFalse((first.folder / "results/replaced").exists())
        self.assertEqual(self.on_ranks(2, HEAT, case, "--check").exit, 0)
        self.assertEqual(self.on_ranks(2, HEAT, self.sweep("fin", parameter("material.0.conductivity", values=[])), "--check").exit, 2)

    def test_a_killed_rank_ends_the_job_and_resume_completes_it(self):
        case = self.sweep("fin", parameter("material.0.conductivity", values=[100 + i for i in range(12)]))
        folder = self.folder / "killed"
        killed = self.on_ranks(2, HEAT, case, "--threads", "1", folder=folder, environment=ritz.fault(folder, "any", 20, "kill", rank=1))
        self.assertEqual(killed.exit, 137, killed.log + killed.errors)
        run = self.on_ranks(2, HEAT, case, "--resume", "--threads", "1", folder=folder)
        self.assertEqual(run.exit, 0, run.errors)
        self.assertEqual(len(run.report["sweep"]), 12)
        self.assertIn("kept", {member["status"] for member in run.report["sweep"].values()})
        self.assert_results_are_whole(run)


if __name__ == "__main__":
    unittest.main()
