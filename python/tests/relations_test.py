"""Models drawn at random, of every program: a solution follows its model when that is turned, mirrored, moved, put into other units, numbered, ordered
or written otherwise, loaded in parts, or solved in another way.

RITZ_SEED=7 repeats a run; without it the seed is the date. tools/relations.py runs as many models as one likes, and writes those that fail as files."""
import datetime
import os
import unittest

from relations import harness

MODELS = 200  # a fixed number, whatever the load of the machine: 10 s of one core


class Relations(unittest.TestCase):
    def test_hold_for_models_drawn_at_random(self):
        seed = int(os.environ.get("RITZ_SEED") or f"{datetime.date.today():%Y%m%d}")
        print(f"RITZ_SEED={seed}", flush=True)
        outcome = harness.Outcome()
        for index in range(MODELS):
            harness.run(seed, index, outcome, relations_each=5, ranks=index % 41 == 0)
        print(outcome.summary(), flush=True)
        self.assertEqual([], outcome.failures)
        for name in harness.EVERY:  # each relation was looked at
            self.assertGreater(outcome.checked[name], 0, name)


if __name__ == "__main__":
    unittest.main()
