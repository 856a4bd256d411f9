"""Models drawn at random, of every program: a solution follows its model when that is turned, mirrored, moved, put into other units, numbered, ordered
or written otherwise, loaded in parts, or solved in another way.

RITZ_SEED=7 repeats a run; without it the seed is the date. tools/relations.py runs as many models as one likes, and writes those that fail as files."""
import dataclasses
import datetime
import os
import unittest

import numpy as np

import ritz
from relations import draw, harness, meshes, solutions
from relations.model import CONDUCTIVITY
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
                changes = type(quantity) is Number and quantity.unit in (STRESS, CONDUCTIVITY) and not seen
                seen.extend([quantity] * changes)
                return dataclasses.replace(quantity, value=1.001 * quantity.value) if changes else quantity

            other = model.changed(off)
            self.assertEqual(1, len(seen), model.name)
            change = solutions.Change(other)
            self.assertTrue(solutions.compare(model, solutions.solve(model), solutions.solve(other), change), model.name)

    def test_supports_that_a_rigid_region_repeats_hold_nothing_more_wherever_the_body_is(self):
        """Of 30 supports of its nodes most follow from the others: what rounding leaves of those, 2e-12, once held a motion."""
        sides = [side + end for side in "xyz" for end in "01"]
        random = np.random.default_rng(39)
        mesh = meshes.body(random, 3, [("pyramid", [2, 1, 1], 1, False)], sides)
        turn = meshes.sheared(random, 3)
        case = {"material": [{"region": "part1", "young": 1.0, "poisson": 0.3, "density": 1.0}], "modal": {"count": 1}, "space": {"order": 3},
                "displacement": [{"region": f"part1.{side}0", "normal": 0.0} for side in "xyz"], "rigid": [{"region": "part1.x1", "mass": 2.0}]}
        found = [ritz.run(case, mesh=solutions.ritz_mesh(mesh.at(mesh.points @ turn.T + shift)), physics="modal").frequencies[0]
                 for shift in ([0, 0, 0], [20, -30, 10], [-7, 3, 40])]
        self.assertLess(max(found) - min(found), 1e-6 * min(found), found)


if __name__ == "__main__":
    unittest.main()
