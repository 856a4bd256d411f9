"""Models drawn at random, of every program: a solution follows its model when that is turned, mirrored, moved, put into other units, numbered, ordered
or written otherwise, loaded in parts, or solved in another way.

RITZ_SEED=7 repeats a run; without it the seed is the date. tools/relations.py runs as many models as one likes, and writes those that fail as files."""
import dataclasses
import datetime
import os
import unittest

from relations import draw, harness, relations
from relations.quantities import STRESS, Number

MODELS = 120  # a fixed number, whatever the load of the machine: some 15 s of one core


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

    def test_see_a_number_that_is_a_thousandth_off(self):
        for index in range(5):  # a model of each program
            model = draw.model(1, index)
            seen = []

            def off(quantity):
                changes = type(quantity) is Number and quantity.unit in (STRESS, draw.CONDUCTIVITY) and not seen
                seen.extend([quantity] * changes)
                return dataclasses.replace(quantity, value=1.001 * quantity.value) if changes else quantity

            other = model.changed(off)
            self.assertEqual(1, len(seen), model.name)
            self.assertTrue(relations.compare(model, relations.solve(model), relations.solve(other), relations.Change(other)), model.name)


if __name__ == "__main__":
    unittest.main()
