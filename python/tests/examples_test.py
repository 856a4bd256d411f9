"""The examples in Python print the numbers that their first lines name."""
import os
import pathlib
import subprocess
import sys
import unittest

FOLDER = pathlib.Path(os.environ["RITZ_EXAMPLES"]) / "python"


class Examples(unittest.TestCase):
    def test_each_prints_its_number(self):
        numbers = {"poisson.py": (0.0736714, 2e-5), "bending.py": (4.8e-4, 1e-6), "topology.py": (0.2299, 2e-3)}  # the grid's error; a solver's; a path's
        self.assertEqual({path.name for path in FOLDER.glob("*.py")}, set(numbers))
        for name, (number, relative) in numbers.items():
            done = subprocess.run([sys.executable, FOLDER / name], capture_output=True, text=True, timeout=120)
            self.assertEqual((done.returncode, done.stderr), (0, ""), name)
            self.assertAlmostEqual(float(done.stdout.split()[-1]), number, delta=relative * number, msg=name)
