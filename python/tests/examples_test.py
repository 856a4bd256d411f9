"""The examples in Python print the numbers that their first lines name, and notebooks those of their first cells."""
import importlib.util
import json
import os
import pathlib
import subprocess
import sys
import unittest

FOLDER = pathlib.Path(os.environ["RITZ_EXAMPLES"]) / "python"


class Examples(unittest.TestCase):
    def test_each_prints_its_number(self):
        numbers = {"poisson.py": (0.0736714, 2e-5), "bending.py": (4.8e-4, 1e-6), "topology.py": (0.2299, 2e-3),  # the grid's error; a solver's; a path's
                   "preload.py": (21127.8, 1e-4), "picard.py": (54.93, 1e-3), "failure.py": (114.60, 1e-4)}
        self.assertEqual({path.name for path in FOLDER.glob("*.py")}, set(numbers))
        for name, (number, relative) in numbers.items():
            done = subprocess.run([sys.executable, FOLDER / name], capture_output=True, text=True, timeout=120)
            self.assertEqual((done.returncode, done.stderr), (0, ""), name)
            self.assertAlmostEqual(float(done.stdout.split()[-1]), number, delta=relative * number, msg=name)

    def test_notebooks_end_with_their_number(self):
        """Their cells as one program: no Jupyter is needed."""
        numbers = {"first_part.ipynb": (100.5, 2e-3), "vibration.ipynb": (1.003, 2e-3), "foreign_matrix.ipynb": (70, 0.15), "topology_3d.ipynb": (0.1223, 2e-2),
                   "calibration.ipynb": (70, 1e-3), "own_form.ipynb": (0.149172, 1e-5)}
        self.assertEqual({path.name for path in FOLDER.glob("*.ipynb")}, set(numbers))
        for name, (number, relative) in numbers.items():
            notebook = json.loads((FOLDER / name).read_text())
            if "import sympy" in (FOLDER / name).read_text() and importlib.util.find_spec("sympy") is None:
                print(f"{name} is left out: this Python has no sympy")
                continue
            self.assertEqual((notebook["nbformat"], notebook["cells"][0]["cell_type"]), (4, "markdown"))
            code = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
            self.assertFalse([cell for cell in code if cell["outputs"] or cell["execution_count"]], name)
            done = subprocess.run([sys.executable, "-W", "ignore", "-c", "\n".join("".join(cell["source"]) for cell in code)], capture_output=True, text=True, timeout=280)
            self.assertEqual((done.returncode, done.stderr), (0, ""), name)
            self.assertAlmostEqual(float(done.stdout.split()[-1]), number, delta=relative * number, msg=name)
