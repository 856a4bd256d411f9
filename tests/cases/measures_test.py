"""Measures of stress and strain by their names, and energies along load paths: closed forms, a body that turns, orders of convergence, ranks."""
import csv
import json
import math
import os
import shutil
import subprocess
import unittest

import boxes
import ritz
from laws_test import ELASTIC, LAME, SHEAR, tension
from ritz import BIN, CaseTest

MEASURES = ["first_piola_kirchhoff_stress", "second_piola_kirchhoff_stress", "kirchhoff_stress", "green_lagrange_strain", "logarithmic_strain", "engineering_strain"]
ONE = [[1, 0, 0], [0, 1, 0], [0, 0, 1]]
RUBBER = 'law = "neo_hooke"\n' + ELASTIC["neo_hooke"][0]


def times(a, b):
    return [[sum(a[i][k] * b[k][j] for k in range(3)) for j in range(3)] for i in range(3)]


def turned_over(a):
    return [list(row) for row in zip(*a)]


def total(*terms):
    """Of (factor, matrix)."""
    return [[sum(x * a[i][j] for x, a in terms) for j in range(3)] for i in range(3)]


def determinant(a):
    return sum(a[0][i] * (a[1][(i + 1) % 3] * a[2][(i + 2) % 3] - a[1][(i + 2) % 3] * a[2][(i + 1) % 3]) for i in range(3))


def inverse(a):
    return [[(a[(j + 1) % 3][(i + 1) % 3] * a[(j + 2) % 3][(i + 2) % 3] - a[(j + 1) % 3][(i + 2) % 3] * a[(j + 2) % 3][(i + 1) % 3]) / determinant(a)
             for j in range(3)] for i in range(3)]


def full(numbers):
    """xx yy zz xy yz xz, or rows."""
    if len(numbers) == 9:
        return [numbers[3 * i:3 * i + 3] for i in range(3)]
    xx, yy, zz, xy, yz, xz = numbers
    return [[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]


def exponential(a):
    term = result = ONE
    for k in range(1, 30):
        term = times(total((1 / k, term)), a)
        result = total((1, result), (1, term))
    return result


def probe(name, region, **keys):
    return f'[[probe]]\nname = "{name}"\nregion = "{region}"\n' + "".join(f'{key} = "{value}"\n' for key, value in keys.items())


class Measures(CaseTest):
    def assert_tensor(self, found, expected, scale):
        for one, other in zip(found, expected):
            for x, y in zip(one, other):
                self.assertLessEqual(abs(x - y), 1e-9 * scale, f"{found} against {expected}")

    def measures_at(self, F, large="true", code=0):
        """A block of rubber whose sides are moved by F x."""
        rows = "".join(f'{axis} = "{row[0] - (i == 0)}*x + {row[1] - (i == 1)}*y + {row[2] - (i == 2)}*z"\n' for i, (axis, row) in enumerate(zip("xyz", F)))
        moved = "".join(f'[[displacement]]\nregion = "a.{side}"\n{rows}' for side in boxes.SIDES)
        self.write("cube.msh", boxes.cubes(["a"]))
        text = (f'[mesh]\nfile = "cube.msh"\n[space]\norder = 2\n[model]\nlarge_displacement = {large}\n[output]\nmeasures = {json.dumps(MEASURES)}\n'
                f'[newton]\ntolerance = 1e-13\n[[material]]\nregion = "a"\n{RUBBER}\n{moved}')
        for name in ["stress", *MEASURES]:
            text += probe(name, "a", field=name, component="all", measure="mean") + probe(f"{name}.cells", "a", field=name, component="all", measure="mean", values="cells")
        outcome = self.run_case("ritz-elasticity", self.write("case.toml", text))
        self.assertEqual(outcome.exit, code, outcome.errors)
        return outcome

    def test_a_block_that_is_stretched_sheared_and_turned(self):
        """Neo-Hooke: J s = mu (B - I) + lambda ln J I. Each measure by its definition; those of the material are the same in the body that turns."""
        stretched = [[1.3, 0.4, 0], [0, 0.9, 0.2], [0, 0, 1.1]]
        angle = 2.1
        turn = times([[math.cos(angle), -math.sin(angle), 0], [math.sin(angle), math.cos(angle), 0], [0, 0, 1]], [[1, 0, 0], [0, 0.6, -0.8], [0, 0.8, 0.6]])
        C = times(turned_over(stretched), stretched)
        for F in (stretched, times(turn, stretched)):
            probes = self.measures_at(F).probes
            J = determinant(F)
            kirchhoff = total((SHEAR, times(F, turned_over(F))), (LAME * math.log(J) - SHEAR, ONE))
            second = times(times(inverse(F), kirchhoff), turned_over(inverse(F)))
            expected = {"stress": total((1 / J, kirchhoff)), "kirchhoff_stress": kirchhoff, "second_piola_kirchhoff_stress": second,
                        "first_piola_kirchhoff_stress": times(F, second), "green_lagrange_strain": total((0.5, C), (-0.5, ONE))}
            for name, tensor in expected.items():
                for where in ("", ".cells"):
                    self.assert_tensor(full(probes[name + where]), tensor, SHEAR if "stress" in name else 1)
            for where in ("", ".cells"):
                self.assert_tensor(exponential(total((2, full(probes["logarithmic_strain" + where])))), C, 1)
                stretch = total((1, ONE), (1, full(probes["engineering_strain" + where])))
                self.assert_tensor(times(stretch, stretch), C, 1)

    def test_names_and_small_displacements_are_refused(self):
        small = self.measures_at(ONE, "false", 2)
        self.assertIn("measures of finite deformations at small displacements", small.errors)
        text = (self.folder / "case.toml").read_text().replace("large_displacement = false", "large_displacement = true")
        wrong = self.run_case("ritz-elasticity", self.write("wrong.toml", text.replace('"kirchhoff_stress"', '"kirchhof_stress"', 1)))
        self.assertEqual(wrong.exit, 2)
        self.assertIn("did you mean 'kirchhoff_stress'?", wrong.errors)


class Energies(CaseTest):
    HELD = "".join(f'[[displacement]]\nregion = "a.{side}0"\n{side} = 0\n' for side in "xyz")

    def energies(self, material, rest, increments=1, large="true", keys="", **options):
        self.write("cube.msh", boxes.cubes(["a"]))
        text = (f'[mesh]\nfile = "cube.msh"\n[model]\nlarge_displacement = {large}\n[newton]\nenergies = true\nincrements = {increments}\ntolerance = 1e-12\n{keys}'
                f'[[material]]\nregion = "a"\n{material}\n{self.HELD}{rest}{probe("x", "a.x1", field="displacement", component="x", measure="mean")}')
        outcome = self.run_case("ritz-elasticity", self.write("case.toml", text), **options)
        self.assertEqual(outcome.exit, 0, outcome.errors)
        return outcome

    def of(self, outcome, *names):
        return [outcome.fact(name)[0] for name in names]

    def test_a_linear_bar_keeps_the_work_of_its_load(self):
        outcome = self.energies("young = 200e9\npoisson = 0.3", '[[traction]]\nregion = "a.x1"\nvalue = [3e8, 0, 0]\n', large="false")
        strain, loads, lost = self.of(outcome, "strain_energy", "work_of_loads", "lost_energy")
        self.assert_close(strain, 3e8**2 / 400e9, 1e-9)
        self.assert_close(loads, strain, 1e-9)
        self.assertLess(abs(lost), 1e-9 * strain)
        self.assertNotIn("miss", outcome.log)

    def test_the_work_on_rubber_becomes_its_energy_as_increments_halve(self):
        """The energy itself is W(stretch); the trapezoids of the work are of the order 2. Pulled by its end, then by a pressure that follows."""
        w = ELASTIC["neo_hooke"][1]
        side = tension(w, 1.5)[2]
        for rest, work in (('[[displacement]]\nregion = "a.x1"\nx = 0.5\n', "work_of_supports"), (f'[[pressure]]\nregion = "a.x1"\nvalue = {-tension(w, 1.5)[1]}\n', "work_of_loads")):
            errors = []
            for increments in (4, 8, 16):
                outcome = self.energies(RUBBER, rest, increments)
                strain, done, lost = self.of(outcome, "strain_energy", work, "lost_energy")
                self.assert_close(strain, w(1.5, side, side), 1e-7)
                self.assertLess(abs(done - lost - strain), 1e-9 * strain)
                errors.append(lost)
            self.assertLess(abs(errors[-1]), 4e-3 * strain)
            for coarse, fine in zip(errors, errors[1:]):
                self.assertLess(abs(coarse / fine - 4), 0.3)
        coarse = self.energies(RUBBER, rest, 1, keys="halvings = 0\n")
        self.assertIn("energies of the path miss", coarse.log)

    def test_work_that_is_not_known_where_all_is_plastic_is_told(self):
        """Loads and stresses share the error of the trapezoids, so nothing is lost; pairs of increments estimate it. A bar with hardening, drawn by
        ten times the strain of yield: stress times strain, less the corner at yield."""
        metal = 'law = "j2"\nyoung = 200e9\npoisson = 0.3\nhardening = [[0, 400e6], [1, 20.6e9]]'
        plastic = (200e9 * 0.02 - 400e6) / (200e9 + 20.2e9)
        exact = 400e6 * plastic + 20.2e9 / 2 * plastic ** 2
        for increments, told in ((3, True), (60, False)):
            outcome = self.energies(metal, '[[displacement]]\nregion = "a.x1"\nx = 0.02\n', increments, "false")
            dissipated, lost = self.of(outcome, "dissipated_energy", "lost_energy")
            self.assertLess(abs(lost), 1e-9 * exact)
            self.assertEqual(abs(dissipated / exact - 1) > 0.01, told, dissipated)
            self.assertEqual("the work of materials with internal variables is known to" in outcome.log, told)

    def test_a_bar_that_yields_dissipates_its_plastic_work(self):
        """At small displacements: yield stress times plastic strain times volume, less nothing; pulled to four times the strain of yield and back by one."""
        metal = 'law = "j2"\nyoung = 200e9\npoisson = 0.3\nyield_stress = 400e6'
        outcome = self.energies(metal, '[[displacement]]\nregion = "a.x1"\nx = 0.008\n', 4, "false", "path = [1, 0.75]\nwrite = \"increments\"\n")
        dissipated, strain, supports = self.of(outcome, "dissipated_energy", "strain_energy", "work_of_supports")
        self.assert_close(dissipated, 400e6 * 0.006, 1e-9)
        self.assertLess(abs(strain), 1e-6 * dissipated)
        self.assert_close(supports, dissipated, 1e-9)
        path = next(path for path in outcome.report["outputs"] if path.endswith("_probes.csv"))
        with open(path, encoding="ascii") as file:
            rows = list(csv.DictReader(file))
        self.assertEqual(len(rows), 8)
        for row, expected in zip(rows, (0, 1, 2, 3, 3, 3, 3, 3)):
            self.assertAlmostEqual(float(row["dissipated_energy"]), 400e6 * 0.002 * expected, delta=1)
        self.assertAlmostEqual(float(rows[3]["strain_energy"]), 400e6**2 / 400e9, delta=1)

    def test_a_law_without_a_known_energy_is_refused(self):
        self.write("cube.msh", boxes.cubes(["a"]))
        prony = 'law = "prony"\nyoung = 100\npoisson = 0.3\ng1 = 0.5\ntau1 = 1'
        text = f'[mesh]\nfile = "cube.msh"\n[newton]\nenergies = true\ndurations = [1]\n[[material]]\nregion = "a"\n{prony}\n{self.HELD}[[displacement]]\nregion = "a.x1"\nx = 0.01\n'
        outcome = self.run_case("ritz-elasticity", self.write("case.toml", text))
        self.assertEqual(outcome.exit, 2)
        self.assertIn("how much of its work the law 'prony' gives back is not known", outcome.errors)

    METAL = ('[mesh]\nfile = "grid.msh"\n[model]\ntype = "plane_strain"\nlarge_displacement = true\n[newton]\nenergies = true\nincrements = 6\ntolerance = 1e-11\n'
                       'write = "increments"\n[[material]]\nregion = "all"\nlaw = "j2"\nyoung = 200e3\npoisson = 0.3\nyield_stress = 300\n'
                       '[[displacement]]\nregion = "left"\nfixed = true\n[[pressure]]\nregion = "top"\nvalue = 60\n[[displacement]]\nregion = "right"\nx = 0.004\n')
    NAMES = ["strain_energy", "work_of_loads", "work_of_supports", "dissipated_energy"]

    def test_a_run_that_resumes_has_the_same_energies(self):
        self.write("grid.msh", boxes.grid(3))
        case = self.write("case.toml", self.METAL)
        whole, output = self.solve("ritz-elasticity", case), self.folder / "stopped"
        stopped = self.run_case("ritz-elasticity", case, "--time-limit", 3000, output=output, environment=ritz.fault(output, "any", 90, "hour"))
        self.assertEqual(stopped.exit, 75, stopped.errors)
        resumed = self.run_case("ritz-elasticity", case, "--resume", output=output)
        self.assertEqual(resumed.exit, 0, resumed.errors)
        self.assertGreater(whole.fact("dissipated_energy")[0], 0)
        for name in self.NAMES:
            self.assertEqual(whole.fact(name), resumed.fact(name), name)

    @unittest.skipUnless(shutil.which("mpirun") and list((BIN.parent / "lib").glob("ritz_direct.mpi.so")), "skipped: no MPI with parallel MUMPS")
    def test_three_ranks_have_the_energies_of_one(self):
        self.write("grid.msh", boxes.grid(3))
        case = self.write("case.toml", self.METAL)
        alone = self.solve("ritz-elasticity", case)
        run = subprocess.run(["mpirun", "--allow-run-as-root", "--oversubscribe", "--bind-to", "none", "-n", "3", BIN / "ritz-elasticity", case, "--json", "ranks.json", "--output", "ranks"],
                             capture_output=True, text=True, cwd=self.folder, env={**os.environ, "OMP_NUM_THREADS": "1"})
        self.assertEqual(run.returncode, 0, run.stderr)
        facts = json.loads((self.folder / "ranks.json").read_text())["facts"]
        for name in self.NAMES:
            self.assert_close(float(facts[name]), alone.fact(name)[0], 1e-8)


if __name__ == "__main__":
    unittest.main()
