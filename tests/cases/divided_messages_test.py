"""Each message between ranks is late once, or refused once: the results have the same bits, or the job ends with one error. Messages
beyond the longest go in pieces."""
import concurrent.futures
import hashlib
import os
import re
import shutil
import unittest

import ritz
from divided_reach_test import SUPPORTED
from divided_test import MESSAGE_SHIM as SHIM, OnRanks, sides

HEAT = "ritz-heat"
BODY = SUPPORTED + "[modal]\ncount = 3\n"
# With RITZ_ALL_FAULTS alone.
OTHERS = {"a factorisation": ("ritz-elasticity", (3, 3, 3), {"solver.method": "direct"}), "no matrix": ("ritz-elasticity", (2, 2, 2), {"space.order": 4, "solver.method": "cg", "solver.tolerance": 1e-3}),
          "modes": ("ritz-modal", (4, 3, 3), {}), "several fields": ("ritz-solve", None, {"solver.method": "minres", "solver.tolerance": 0.03}), "files of all ranks": (HEAT, (4, 4, 4), {"output.format": '"pvtu"'})}


def numbers(messages):
    """Each RITZ_ALL_FAULTS-th one: all with 1. Without it some of the start, of the solution and of the end, where ranks forget their parts."""
    if step := os.environ.get("RITZ_ALL_FAULTS"):
        return sorted({*range(1, messages, int(step)), *range(messages - 9, messages + 1)})
    return sorted({1, 5, *range(9, messages, 1 + messages // 3), messages - 4, messages})


@unittest.skipUnless(shutil.which("mpirun") and os.path.exists(SHIM), "skipped: no MPI")
class Messages(OnRanks):
    def bits(self, outcome):
        """Of all files of results, by their names."""
        return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in (outcome.folder / "results").rglob("*vtu")}

    def with_shim(self, rank, number, kind, program=HEAT, keys=None):
        """Of 3 ranks. Returns the outcome, and how many messages this rank sent."""
        folder = self.folder / f"{program}-{rank}-{number}-{kind}"
        folder.mkdir()
        count = folder / "count"
        count.write_text("0")
        environment = {"LD_PRELOAD": SHIM, "MESSAGE_RANK": str(rank), "MESSAGE_NUMBER": str(number), "MESSAGE_KIND": kind, "MESSAGE_COUNT": str(count)}
        if program == HEAT:
            environment["RITZ_REPLICATED_UNKNOWNS"] = "30"
        outcome = self.on_ranks(3, program, self.part, keys={"solver.method": "cg"} if keys is None else keys, environment=environment, folder=folder)
        return outcome, int(count.read_text())

    def setUp(self):
        super().setUp()
        self.part = self.case(HEAT, "hexa", (4, 4, 4))

    def assert_each_message_may_fail(self, program, keys, ranks, same_bits=True):
        """Waiting for others is most of what a failing job does: several jobs run at a time."""
        for rank in ranks:
            whole, messages = self.with_shim(rank, 0, "none", program, keys)
            self.assertEqual(whole.exit, 0, whole.log + whole.errors)
            self.assertGreater(messages, 60)
            jobs = [(rank, number, kind) for number in numbers(messages) for kind in ("late", "refused")] + [(rank, number, "gone") for number in (1, messages // 2, messages - 4)]
            with concurrent.futures.ThreadPoolExecutor(4) as pool:
                for job, (outcome, _) in zip(jobs, pool.map(lambda job: self.with_shim(*job, program, keys), jobs)):
                    with self.subTest(rank=rank, number=job[1], kind=job[2]):
                        self.judge(job[2], outcome, whole, same_bits)
                    shutil.rmtree(outcome.folder)
            shutil.rmtree(whole.folder)

    def judge(self, kind, outcome, whole, same_bits):
        if kind == "late":
            self.assertEqual(outcome.exit, 0, outcome.log + outcome.errors)
        else:
            self.assertEqual(outcome.exit, 8, outcome.log + outcome.errors)
            self.assertEqual(len(re.findall("error: (rank [12]: )?MPI failed in ", outcome.errors)), 1, outcome.errors)
        bits = self.bits(outcome)
        self.assertEqual(set(bits) - set(self.bits(whole)), set())
        if outcome.report and outcome.report["status"] == "complete":  # behind it a message said that the run is over, or that a part may go
            self.assertEqual(len(bits), len(self.bits(whole)))
            if same_bits:
                self.assertEqual(bits, self.bits(whole))

    def test_each_message_is_late_or_refused(self):
        self.assert_each_message_may_fail(HEAT, {"solver.method": "cg"}, (0, 1, 2) if "RITZ_ALL_FAULTS" in os.environ else (0, 1))

    @unittest.skipUnless("RITZ_ALL_FAULTS" in os.environ, "skipped: RITZ_ALL_FAULTS is not set")
    def test_each_message_of_other_cases(self):
        """Bits of a factorisation over ranks differ from run to run."""
        for name, (program, counts, keys) in OTHERS.items():
            with self.subTest(name):
                if counts is None:
                    self.part = ritz.example("several_fields/cavity")
                elif program == "ritz-modal":
                    self.case(HEAT, "hexa", counts)
                    self.part = self.write("modal.toml", f'[mesh]\nfile = "part.msh"\n{sides(counts)}{BODY}')
                else:
                    self.part = self.case(program, "hexa", counts)
                self.assert_each_message_may_fail(program, keys, (0, 1, 2), same_bits=keys.get("solver.method") != "direct")

    # Rank 1 still waits for the start of rank 2, whose second message is late, when the first rank does not find the mesh.
    def test_a_failure_during_the_start_is_told_once(self):
        environment = {"LD_PRELOAD": SHIM, "MESSAGE_RANK": "2", "MESSAGE_NUMBER": "2", "MESSAGE_KIND": "late", "MESSAGE_COUNT": str(self.folder / "count")}
        run = self.on_ranks(3, HEAT, self.part, keys={"mesh.file": "absent.msh"}, environment=environment)
        self.assertEqual((run.exit, run.errors.count("error: ")), (2, 1), run.errors)

    def test_long_messages_go_in_pieces(self):
        for program in (HEAT, "ritz-elasticity"):
            case = self.case(program, "mixed", (4, 4, 4))
            whole = self.solved(3, program, case)
            for longest in (8192, 1000):
                pieces = self.on_ranks(3, program, case, environment={"RITZ_LONGEST_MESSAGE": str(longest)})
                self.assertEqual((pieces.exit, self.bits(pieces)), (0, self.bits(whole)), pieces.errors)
