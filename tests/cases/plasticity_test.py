"""Forms with a point state from the command line: closed forms of plasticity and damage, unloading, files, stopping and going on."""
import math
import unittest

import boxes
import vtu
from resume_test import Resume, files_of
from ritz import EXAMPLES, example

# Hill, The Mathematical Theory of Plasticity, 1950, ch. V.2: a sphere 0.1 ... 0.2 m, plastic to c.
YIELD, YOUNG, POISSON, A, B, C = 250e6, 200e9, 0.3, 0.1, 0.2, 0.14
PRESSURE = 2 * YIELD * math.log(C / A) + 2 / 3 * YIELD * (1 - (C / B) ** 3)


def elastic_outside(p):
    return p * A**3 * B / (YOUNG * (B**3 - A**3)) * 1.5 * (1 - POISSON)


def elastic_hoop(p):
    return p / 2 * (B**3 + 2 * A**3) / (B**3 - A**3)


def rows_of(folder, name):
    """[step] -> {probe: number}"""
    lines = [line.split(",") for line in (folder / f"{name}_probes.csv").read_text().splitlines()]
    return [{key: float(value) for key, value in zip(lines[0], line) if value} for line in lines[1:]]


class Sphere(Resume):
    def test_under_pressure_and_unloaded(self):
        outcome = self.solve("ritz-solve", example("plasticity/sphere"), output=self.folder / "r")
        steps = rows_of(self.folder / "r", "sphere")
        self.assertEqual([step["time"] for step in steps], [i / 5 for i in range(1, 11)])
        elastic, loaded, unloaded = steps[0], steps[4], steps[-1]
        self.assert_close(elastic["u_outside"], elastic_outside(PRESSURE / 5), 5e-4)
        self.assertEqual(elastic["plastic_inside"], 0)
        u = YIELD * C**3 * (1 - POISSON) / (YOUNG * B**2)
        self.assert_close(loaded["u_outside"], u, 1e-3)
        self.assert_close(loaded["plastic_inside"], 2 * YIELD * (1 - POISSON) / YOUNG * ((C / A) ** 3 - 1), 0.03)
        self.assertLess(abs(loaded["plastic_zone"]), 0.02 * loaded["plastic_inside"])
        # It unloads elastically: what is left is what it was less what the pressure does to an elastic sphere.
        self.assert_close(unloaded["u_outside"], u - elastic_outside(PRESSURE), 3e-3)
        self.assert_close(unloaded["hoop_inside"], YIELD - PRESSURE - elastic_hoop(PRESSURE), 0.01)
        self.assertEqual(unloaded["plastic_inside"], loaded["plastic_inside"])
        self.assertLessEqual(outcome.residual, 1e-8)
        self.assertLessEqual(outcome.fact("residual_certificate")[0], 1e-8)

    def test_as_a_body_of_revolution(self):
        outcome = self.solve("ritz-solve", example("plasticity/sphere_section"), output=self.folder / "r")
        steps = rows_of(self.folder / "r", "sphere_section")
        loaded, unloaded = steps[4], steps[-1]
        u = YIELD * C**3 * (1 - POISSON) / (YOUNG * B**2)
        self.assert_close(steps[0]["u_outside"], elastic_outside(PRESSURE / 5), 1e-4)
        self.assert_close(loaded["u_outside"], u, 1e-3)
        self.assert_close(loaded["plastic_inside"], 2 * YIELD * (1 - POISSON) / YOUNG * ((C / A) ** 3 - 1), 0.01)
        self.assert_close(unloaded["u_outside"], u - elastic_outside(PRESSURE), 3e-3)
        self.assert_close(unloaded["hoop_inside"], YIELD - PRESSURE - elastic_hoop(PRESSURE), 0.005)
        self.assertLessEqual(outcome.residual, 1e-8)

    def test_the_section_may_not_fly_along_the_axis(self):
        text = example("plasticity/sphere_section").with_suffix(".toml").read_text()
        held = '[[prescribe]]\nregion = "equator"\ncomponent = 1\nvalue = 0\n'
        self.assertIn(held, text)
        case = self.write("free.toml", text.replace(held, "").replace('"sphere_section.msh"', f'"{example("plasticity/sphere_section").parent}/sphere_section.msh"'))
        outcome = self.run_case("ritz-solve", case)
        self.assertEqual(outcome.exit, 4)
        self.assertIn("translation along y", outcome.errors)

    def test_the_zone_ends_where_it_should(self):
        self.solve("ritz-solve", example("plasticity/sphere"), output=self.folder / "r", keys={"newton.path": 1, "newton.write": '"last"'})
        file = vtu.read(next((self.folder / "r").rglob("*.vtu")))
        points, cells = file["Points"]["Points"], file["Cells"]
        alpha, stress = file["CellData"]["equivalent_plastic_strain"], file["CellData"]["stress"]
        self.assertEqual(len(file["CellData"]["plastic_strain"]), 6 * len(alpha))
        begin = 0
        plastic = 0
        for cell, end in enumerate(cells["offsets"]):
            nodes = cells["connectivity"][begin:end]
            begin = end
            radii = [math.dist(points[3 * n:3 * n + 3], (0, 0, 0)) for n in nodes]
            plastic += alpha[cell] > 0
            if min(radii) > C + 1e-3:
                self.assertEqual(alpha[cell], 0)
            if max(radii) < C:
                self.assertGreater(alpha[cell], 0)
                s = stress[6 * cell:6 * cell + 6]
                mises = math.sqrt(0.5 * ((s[0] - s[1]) ** 2 + (s[1] - s[2]) ** 2 + (s[2] - s[0]) ** 2) + 3 * sum(t * t for t in s[3:]))
                self.assert_close(mises, YIELD, 0.02)  # of the mean over a cell in which the stress turns
        self.assertGreater(plastic, 0)


def hardening_sphere(p, hardening):
    """The motion outside of a sphere that yields all through, u = a r + b / r^2 + c r ln(r): the equilibrium of radii
    with Y = yield stress + hardening times the plastic strain, in which volumes change elastically."""
    shear, bulk = YOUNG / (2 * (1 + POISSON)), YOUNG / (3 * (1 - 2 * POISSON))
    stiffness, begin = 2 * shear * hardening / (hardening + 3 * shear), YIELD * 3 * shear / (hardening + 3 * shear)
    c = 2 * begin / (3 * bulk + 2 * stiffness)
    b = (p - 3 * bulk * c * math.log(B / A)) / (2 * stiffness * (1 / A**3 - 1 / B**3))
    radial = lambda r: bulk * c * (3 * math.log(r) + 1) - 2 / 3 * (begin + stiffness * (3 * b / r**3 - c))
    a = -radial(B) / (3 * bulk)
    return a * B + b / B**2 + c * B * math.log(B)


class BeyondFullPlasticity(Resume):
    """More pressure than the perfectly plastic sphere bears, 2 Y ln(b/a) = 346.6 MPa, under load control."""

    def sphere(self, name, increments, **material):
        keys = {"newton.path": "[1]", "newton.increments": increments, "newton.write": '"last"', "boundary.0.pressure": 400e6}
        keys |= {f"material.0.{key}": value for key, value in material.items()}
        return self.run_case("ritz-solve", example(f"plasticity/{name}"), "--overwrite", output=self.folder / "r", keys=keys)

    def test_with_hardening_in_one_increment_and_in_many(self):
        for name, increments, hardening, kind, tolerance in (
                ("sphere_section", 1, 2e9, "isotropic", 1e-3), ("sphere_section", 12, 2e9, "isotropic", 1e-3), ("sphere_section", 1, 2e9, "kinematic", 1e-3),
                ("sphere_section", 1, 0.2e9, "isotropic", 3e-3), ("sphere_section", 12, 0.2e9, "kinematic", 3e-3), ("sphere", 1, 2e9, "isotropic", 1e-2), ("sphere", 6, 2e9, "kinematic", 1e-2)):
            with self.subTest(name, increments=increments, hardening=hardening, kind=kind):
                outcome = self.sphere(name, increments, **{f"{kind}_hardening": hardening})
                self.assertEqual(outcome.exit, 0, outcome.errors)
                self.assert_close(outcome.probes["u_outside"], hardening_sphere(400e6, hardening), tolerance)

    def test_a_pipe_goes_as_far_as_that_of_calculix(self):
        """16 quadrilaterals of 8 nodes over the wall, held along the axis; CalculiX 2.20, CAX8. Without hardening it bears 2 / sqrt(3) Y ln(b/a) = 200 MPa."""
        elements = []
        corner = lambda i, j: 1 + i + 17 * j
        points = [(A + (B - A) * i / 16, (B - A) / 16 * j, 0) for j in (0, 1) for i in range(17)]
        points += [(A + (B - A) * (i + 0.5) / 16, (B - A) / 16 * j, 0) for j in (0, 1) for i in range(16)] + [(A + (B - A) * i / 16, (B - A) / 32, 0) for i in range(17)]
        along, across = lambda i, j: 35 + i + 16 * j, lambda i: 67 + i
        for i in range(16):
            elements.append((16, 1, [corner(i, 0), corner(i + 1, 0), corner(i + 1, 1), corner(i, 1), along(i, 0), across(i + 1), along(i, 1), across(i)]))
            elements += [(8, 2, [corner(i, j), corner(i + 1, j), along(i, j)]) for j in (0, 1)]
        elements.append((8, 3, [corner(0, 0), corner(0, 1), across(0)]))
        self.write("pipe.msh", boxes.msh(points, elements, [(2, "pipe"), (1, "ends"), (1, "inside")]))
        text = ('[mesh]\nfile = "pipe.msh"\n[model]\nform = "axisymmetric_von_mises_plasticity"\n[newton]\nincrements = {}\n[[material]]\nregion = "pipe"\nyoung = 200e9\npoisson = 0.3\n'
                'yield_stress = 250e6\nisotropic_hardening = {}\n[[boundary]]\nregion = "inside"\nform = "axisymmetric_pressure3"\npressure = {}\n[[prescribe]]\nregion = "ends"\ncomponent = 1\nvalue = 0\n'
                '[[probe]]\nname = "u"\nfield = "displacement"\ncomponent = "x"\npoint = [0.2, 0]\n')
        run = lambda *numbers: self.run_case("ritz-solve", self.write("pipe.toml", text.format(*numbers)), "--overwrite")
        for hardening, pressure, u in ((2e9, 230e6, 1.640565e-3), (2e9, 300e6, 5.184743e-3), (0, 190e6, 1.773043e-4)):
            for increments in (1, 10):
                with self.subTest(hardening=hardening, pressure=pressure, increments=increments):
                    self.assert_close(run(increments, hardening, pressure).probes["u"], u, 1e-3)
        beyond = run(10, 0, 210e6)
        self.assertEqual(beyond.exit, 5, beyond.log)
        self.assertIn("a limit load may be reached", beyond.errors)

    def test_without_hardening_the_limit_load_is_named(self):
        for increments in (1, 8):
            outcome = self.sphere("sphere_section", increments)
            self.assertEqual(outcome.exit, 5, outcome.errors)
            self.assertIn("a limit load may be reached", outcome.errors)
            self.assertNotIn("take more increments", outcome.errors)


BAR = """[mesh]
file = "{mesh}"
[model]
form = "von_mises_plasticity"
[newton]
path = [1, -1, 0.5]
increments = {increments}
tolerance = 1e-11
write = "increments"
[[material]]
region = "all"
young = 200
poisson = 0.3
yield_stress = 0.25
isotropic_hardening = 4
kinematic_hardening = 16
[[prescribe]]
region = "x0"
component = 0
value = 0
[[prescribe]]
region = "y0"
component = 1
value = 0
[[prescribe]]
region = "z0"
component = 2
value = 0
[[prescribe]]
region = "x1"
component = 0
value = 0.01
[[probe]]
name = "force"
region = "x1"
measure = "reaction"
component = 0
"""


class Bar(Resume):
    def case(self, increments):
        return self.write("bar.toml", BAR.format(mesh=example("custom_form/varying_conduction").parent / "bar.msh", increments=increments))

    def test_load_unload_reload_in_closed_form(self):
        self.solve("ritz-solve", self.case(5), output=self.folder / "r")
        steps = rows_of(self.folder / "r", "bar")
        plastic = alpha = 0.0
        parts = [i / 5 for i in range(1, 6)] + [1 - 2 * i / 5 for i in range(1, 6)] + [-1 + 1.5 * i / 5 for i in range(1, 6)]
        for part, step in zip(parts, steps, strict=True):
            strain = 0.01 * part
            xi = 200 * (strain - plastic) - 16 * plastic  # Simo and Hughes, box 1.5
            slip = max(0.0, (abs(xi) - 0.25 - 4 * alpha) / (200 + 20))
            plastic += math.copysign(slip, xi)
            alpha += slip
            self.assertAlmostEqual(step["force"], 0.09 * 200 * (strain - plastic), delta=1e-11)
        self.assertGreater(alpha, 0.01)

    def test_stopped_it_goes_on_with_its_state_to_the_last_byte(self):
        case = self.case(30)
        whole, parts = self.folder / "whole", self.folder / "parts"
        self.solve("ritz-solve", case, output=whole)
        for arguments, increment in ((), 5), (("--resume",), 40):
            code, errors = self.stopped("ritz-solve", case, parts, *arguments, behind=f"increment {increment} of 90", keys={})
            self.assertEqual(code, 75, errors)
        self.assertTrue(self.verified(parts))
        outcome = self.solve("ritz-solve", case, "--resume", output=parts)
        self.assertIn("resuming after increment", outcome.log)
        self.assertEqual(files_of(parts), files_of(whole))

    def test_without_a_matrix_it_is_the_same(self):
        keys = {"newton.increments": 2, "solver.operator": '"matrix_free"', "newton.tolerance": 1e-9}
        free = self.solve("ritz-solve", self.case(2), output=self.folder / "free", keys=keys)
        matrix = self.solve("ritz-solve", self.case(2), output=self.folder / "matrix")
        self.assert_close(free.probes["force"], matrix.probes["force"], 1e-7)

    def test_what_is_kept_is_described(self):
        outcome = self.run_case("ritz-solve", self.case(2), "--describe")
        self.assertIn("fields of the results at nodes: displacement (3), strain (6), stress (6), plastic_strain (6), equivalent_plastic_strain (1), reaction (3)", outcome.log)


YIELDING = """[mesh]
file = "{mesh}"
[model]
form = "von_mises_plasticity"
[[material]]
region = "body"
young = 1.2925
poisson = 0.10558
yield_stress = 0.41553
isotropic_hardening = 0.31511
[[prescribe]]
region = "held"
value = 0
[[load]]
region = "loaded"
value = [0.28469, 0.30335, -0.53678]
[newton]
tolerance = 1e-10
increments = 2
halvings = 0
[solver]
tolerance = 1e-11
method = "cg"
preconditioner = "{preconditioner}"
operator = "{operator}"
[[probe]]
name = "moved"
region = "loaded"
field = "displacement"
measure = "max"
component = 1
"""


class YieldingCells(Resume):
    """Few cells that yield have the largest eigenvalues: 12 Lanczos steps found less than 0.9 of them, and the polynomial was indefinite."""

    def test_a_chebyshev_polynomial_stays_definite(self):
        mesh = EXAMPLES.parent / "tests/data/gmsh/yielding_tetrahedra.msh"
        moved = []
        for operator, preconditioner in ("matrix", "none"), ("matrix", "chebyshev"), ("matrix_free", "chebyshev"), ("matrix_free", "multigrid"):
            case = self.write("yielding.toml", YIELDING.format(mesh=mesh, operator=operator, preconditioner=preconditioner))
            moved.append(self.solve("ritz-solve", case, "--overwrite").probes["moved"])
        for other in moved[1:]:
            self.assert_close(other, moved[0], 1e-7)


class ThreeBars(Resume):
    def test_a_whole_element_of_ones_own_yields_and_is_unloaded(self):
        """F = Y A + 2 E A u cos^3 behind the yield of the middle bar; it unloads elastically, F = E A u (1 + 2 cos^3)."""
        self.solve("ritz-structure", example("custom_yield/three_bars"), output=self.folder / "r")
        steps = rows_of(self.folder / "r", "three_bars")
        ea, cube, loaded = 2e7, 2 ** -1.5, (55000 - 25000) / (2 * 2e7 * 2 ** -1.5)
        back = 55000 / (ea * (1 + 2 * cube))
        self.assertAlmostEqual(steps[3]["joint"], -loaded, delta=1e-12)
        self.assertAlmostEqual(steps[3]["middle"], 25000, delta=1e-6)
        self.assertAlmostEqual(steps[-1]["joint"], -(loaded - back), delta=1e-12)
        self.assertAlmostEqual(steps[-1]["middle"], 25000 - ea * back, delta=1e-6)
        strains = vtu.read(sorted((self.folder / "r").rglob("*.vtu"))[-1])["CellData"]["plastic_strain"]
        self.assertAlmostEqual(max(strains), loaded - 25000 / ea, delta=1e-12)  # of the middle bar, 1 m long

    def test_beyond_the_limit_load_it_ends_with_an_error(self):
        outcome = self.run_case("ritz-structure", example("custom_yield/three_bars"), keys={"force.0.value": "[0, 0, -60400]"})
        self.assertNotEqual(outcome.exit, 0)
        self.assertIn("singular", outcome.errors + outcome.log)


class Damage(Resume):
    def test_a_form_of_ones_own_in_one_file(self):
        """Uniaxial tension: r = sqrt(E) strain, of which the largest counts; E = 2.5."""
        self.solve("ritz-solve", example("custom_state/damage"), output=self.folder / "r")
        parts = [i / 4 for i in range(1, 5)] + [1 - 0.75 * i / 4 for i in range(1, 5)] + [0.25 + 1.25 * i / 4 for i in range(1, 5)]
        largest = 0.1
        for part, step in zip(parts, rows_of(self.folder / "r", "damage"), strict=True):
            strain = 0.2 * part
            largest = max(largest, math.sqrt(2.5) * strain)
            left = 0.2 * 0.1 / largest + 0.8 * math.exp(2 * (0.1 - largest))
            self.assertAlmostEqual(step["damage"], 1 - left, delta=1e-9)
            self.assertAlmostEqual(step["force"], 0.09 * left * 2.5 * strain, delta=1e-11)


if __name__ == "__main__":
    unittest.main()
