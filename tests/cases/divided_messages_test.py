"""Each message between ranks is late once, or refused once: the results have the same bits, or the job ends with one error. Messages
beyond the longest go in pieces."""
import hashlib
import os
import pathlib
import re
import shutil
import subprocess
import unittest

import ritz
from divided_test import OnRanks

SHIM = os.environ.get("MESSAGE_SHIM", "")
HEAT = "ritz-heat"


def numbers(messages):
    """All with RITZ_ALL_FAULTS; else some of the start, of the solution and of the end."""
    if "RITZ_ALL_FAULTS" in os.environ:
        return range(1, messages + 1)
    return sorted({1, 5, *range(9, messages, 1 + messages // 5), messages})


@unittest.skipUnless(shutil.which("mpirun") and os.path.exists(SHIM), "skipped: no MPI")
class Messages(OnRanks):
    def bits(self, outcome):
        return hashlib.sha256(pathlib.Path(outcome.results()).read_bytes()).hexdigest()

    def with_shim(self, rank, number, kind):
        """Of 3 ranks. Returns the outcome, and how many messages this rank sent."""
        count = self.folder / "count"
        count.write_text("0")
        environment = {"LD_PRELOAD": SHIM, "MESSAGE_RANK": str(rank), "MESSAGE_NUMBER": str(number), "MESSAGE_KIND": kind, "MESSAGE_COUNT": str(count),
                       "RITZ_REPLICATED_UNKNOWNS": "30"}
        outcome = self.on_ranks(3, HEAT, self.part, keys={"solver.method": "cg"}, environment=environment)
        return outcome, int(count.read_text())

    def setUp(self):
        super().setUp()
        self.part = self.case(HEAT, "hexa", (4, 4, 4))

    def test_each_message_is_late_or_refused(self):
        for rank in (0, 1):
            whole, messages = self.with_shim(rank, 0, "none")
            self.assertEqual(whole.exit, 0, whole.log + whole.errors)
            self.assertGreater(messages, 60)
            for number in numbers(messages):
                with self.subTest(rank=rank, number=number):
                    late, _ = self.with_shim(rank, number, "late")
                    self.assertEqual((late.exit, self.bits(late)), (0, self.bits(whole)), late.errors)
                    refused, _ = self.with_shim(rank, number, "refused")
                    self.assertEqual(refused.exit, 8, refused.log + refused.errors)
                    self.assertEqual(len(re.findall("error: (rank 1: )?MPI failed in ", refused.errors)), 1, refused.errors)
                    if refused.report and refused.report["status"] == "complete":  # the message said that the run is over
                        self.assertEqual(self.bits(refused), self.bits(whole))

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
