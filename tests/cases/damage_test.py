"""Damage by a nonlocal strain: a bar that softens dissipates the same on every mesh, an even bar has the stress of the law, and damage stays."""
import math
import pathlib
import unittest

import boxes
from ritz import CaseTest, example

E, THRESHOLD, ALPHA, BETA = 20e9, 1e-4, 0.99, 300


def strip(cells, length=0.1, width=1e-3):
    """Quadrilaterals in a row: regions "strong" and, in the middle tenth but half a tenth each side, "weak"; sides "left" and "right"."""
    points = [(length * i / cells, width * j, 0) for j in range(2) for i in range(cells + 1)]
    n = cells + 1
    is_weak = lambda i: 0.45 < (i + 0.5) / cells < 0.55
    elements = [(3, 2 if is_weak(i) else 1, [1 + i, 2 + i, n + 2 + i, n + 1 + i]) for i in range(cells)]
    elements += [(1, 3, [1, n + 1]), (1, 4, [n, 2 * n])]
    return boxes.msh(points, elements, [(2, "strong"), (2, "weak"), (1, "left"), (1, "right")])


def material(region, threshold=THRESHOLD, length=4e-3, poisson=0.0):
    return f'[[material]]\nregion = "{region}"\nyoung = {E}\npoisson = {poisson}\nthreshold = {threshold}\nalpha = {ALPHA}\nbeta = {BETA}\nlength = {length}\n'


def held(region, component, value):
    return f'[[prescribe]]\nregion = "{region}"\ncomponent = {component}\nvalue = {value}\n'


def damage(kappa):
    return 0 if kappa <= THRESHOLD else 1 - THRESHOLD / kappa * (1 - ALPHA + ALPHA * math.exp(-BETA * (kappa - THRESHOLD)))


class GradientDamage(CaseTest):
    runs = 0

    def path(self, text, form="gradient_damage_of_sheet"):
        """Rows of the probes by increments, as dictionaries."""
        self.runs += 1
        head = f'[mesh]\nfile = "bar.msh"\n[model]\nform = "{form}"\n'
        outcome = self.run_case("ritz-solve", self.write("case.toml", head + text), output=self.folder / "r" / str(self.runs))
        self.assertEqual(outcome.exit, 0, outcome.errors)
        return self.rows(self.folder / "r" / str(self.runs))

    def rows(self, folder):
        lines = [line.split(",") for line in next(pathlib.Path(folder).rglob("*_probes.csv")).read_text().splitlines()]
        return [{name: float(text) for name, text in zip(lines[0], line) if text} for line in lines[1:]]

    def soften(self, cells):
        """Force, and work less what unloading returns: it goes back to the start."""
        self.write("bar.msh", strip(cells))
        rows = self.path('[newton]\nincrements = 30\nwrite = "increments"\n' + material("strong") + material("weak", 0.9 * THRESHOLD)
                                  + held("left", 0, 0) + held("left", 1, 0) + held("right", 0, 6e-5)
                                  + '[[probe]]\nname = "force"\nregion = "right"\nmeasure = "reaction"\ncomponent = 0\n')
        forces = [0.0] + [row["force"] for row in rows]
        moved = [0.0] + [6e-5 * row["load_factor"] for row in rows]
        work = sum((a + b) / 2 * (y - x) for a, b, x, y in zip(forces, forces[1:], moved, moved[1:]))
        return max(forces), forces[-1], work - forces[-1] * moved[-1] / 2

    def test_force_and_dissipated_energy_do_not_depend_on_the_mesh(self):
        """Of 20 and 40 cells an own program in one dimension, of linear elements and the same increments, has these forces [N per metre of width]."""
        coarse, middle, fine = (self.soften(cells) for cells in (20, 40, 80))
        for found, peak, end in ((coarse, 1934.2498596, 1214.80), (middle, 1927.7276910, 1118.35), (fine, 1925.8271625, 1088.60)):
            self.assert_close(found[0], peak, 1e-6)
            self.assert_close(found[1], end, 1e-5)
        self.assert_close(fine[0], middle[0], 2e-3)
        self.assert_close(fine[1], middle[1], 0.03)
        self.assert_close(fine[2], middle[2], 5e-3)

    def test_an_even_bar_has_the_stress_of_the_law_and_keeps_its_damage(self):
        """e is the strain everywhere; back at half of the largest strain the stress is that of the secant."""
        self.write("bar.msh", boxes.cubes(["a"]))
        rows = self.path('[newton]\npath = [1, 0.5]\nincrements = 10\nwrite = "increments"\n' + material("a", length=0.3, poisson=0.2)
                                  + "".join(held(f"a.{axis}0", i, 0) for i, axis in enumerate("xyz")) + held("a.x1", 0, 1e-3)
                                  + '[[probe]]\nname = "stress"\nfield = "stress"\ncomponent = "xx"\nregion = "a"\nmeasure = "mean"\n'
                                  '[[probe]]\nname = "damage"\nfield = "damage"\nregion = "a"\nmeasure = "mean"\n'
                                  '[[probe]]\nname = "e"\nfield = "displacement_and_strain"\ncomponent = 3\npoint = [0.3, 0.4, 0.5]\n', form="gradient_damage3")
        for row in rows:
            strain, largest = 1e-3 * row["load_factor"], 1e-3 * max(each["load_factor"] for each in rows[:rows.index(row) + 1])
            self.assert_close(row["e"], strain, 1e-6)
            self.assert_close(row["damage"] + 1, damage(largest) + 1, 1e-6)
            self.assert_close(row["stress"], (1 - damage(largest)) * E * strain, 1e-5)
        self.assertGreater(rows[-1]["damage"], 0.9)

    def test_the_example_has_the_numbers_of_its_title(self):
        outcome = self.run_case("ritz-solve", example("damage/bar"), output=self.folder / "r")
        self.assertEqual(outcome.exit, 0, outcome.errors)
        rows = self.rows(self.folder / "r")
        self.assert_close(max(row["force"] for row in rows), 1925.83, 1e-3)


if __name__ == "__main__":
    unittest.main()
