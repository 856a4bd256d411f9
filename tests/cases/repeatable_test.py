"""L21 and L18: the same input gives the same bits, whatever the number of threads (direct solver: for the same number); other
back ends agree; a device that is not there is an error and never another device."""
import pathlib
import unittest

import boxes
import vtu
from ritz import CaseTest, example

ITERATIVE = {"solver.method": "cg", "solver.tolerance": 1e-11}
DIRECT = {"solver.method": "direct"}


def largest_difference(a, b):
    return max(abs(x - y) for x, y in zip(a, b)) / max(map(abs, a))


class Repeatable(CaseTest):
    def bytes_of(self, *arguments, **options):
        return pathlib.Path(self.solve(*arguments, **options).results()).read_bytes()

    def test_two_runs_give_the_same_bits(self):
        for keys in (ITERATIVE, DIRECT):
            first = self.bytes_of("ritz-elasticity", example("lame/solid"), keys=keys)
            self.assertEqual(first, self.bytes_of("ritz-elasticity", example("lame/solid"), keys=keys))
        first = self.bytes_of("ritz-heat", example("fin"))
        self.assertEqual(first, self.bytes_of("ritz-heat", example("fin")))

    def test_one_and_two_threads_give_the_same_bits(self):
        for program, case in (("ritz-elasticity", "lame/solid"), ("ritz-elasticity", "lame/axisymmetric"), ("ritz-heat", "fin")):
            with self.subTest(case=case):
                one = self.bytes_of(program, example(case), keys=ITERATIVE, threads=1)
                self.assertEqual(one, self.bytes_of(program, example(case), keys=ITERATIVE, threads=2))

    def test_the_direct_solver_gives_the_same_bits_for_the_same_number_of_threads(self):
        """Its BLAS sums in another order for another number of threads: those agree to rounding, 1e-11 of the largest."""
        for program, case, fields in (("ritz-elasticity", "lame/solid", ("displacement", "stress")), ("ritz-heat", "fin", ("temperature",))):
            results = []
            for threads in (1, 2):
                first, second = (self.solve(program, example(case), keys=DIRECT, threads=threads).results() for _ in range(2))
                self.assertEqual(pathlib.Path(first).read_bytes(), pathlib.Path(second).read_bytes())
                results.append(vtu.read(first)["PointData"])
            for field in fields:
                self.assertLess(largest_difference(results[0][field], results[1][field]), 1e-11, field)

    def test_vector_units_agree(self):
        """Lanes of 4 and of 8: sums in another order, 1e-11 times the condition of the solve."""
        if not self.has_device("cpu:v3"):
            self.skipTest("skipped: this build has one set of vector instructions")
        devices = {}
        for device in ("cpu:v3", "cpu"):
            outcome = self.solve("ritz-elasticity", example("lame/solid"), "--device", device, keys=ITERATIVE)
            devices[device] = vtu.read(outcome.results())["PointData"]
        for field in ("displacement", "stress", "von_mises"):
            self.assertLess(largest_difference(devices["cpu:v3"][field], devices["cpu"][field]), 1e-9, field)

    def test_methods_agree(self):
        """L20 from outside: a factorisation and an iteration share no code."""
        results = [vtu.read(self.solve("ritz-elasticity", example("le10"), keys=keys).results())["PointData"]
                   for keys in (ITERATIVE, DIRECT)]
        for field in ("displacement", "stress"):
            self.assertLess(largest_difference(results[0][field], results[1][field]), 1e-8, field)

    def test_tighter_tolerance_means_smaller_true_residual(self):
        for tolerance in (1e-4, 1e-8, 1e-12):
            outcome = self.solve("ritz-elasticity", example("lame/solid"), keys={"solver.method": "cg", "solver.tolerance": tolerance})
            self.assertLessEqual(outcome.residual, tolerance)

    def test_what_double_precision_cannot_reach_is_not_called_converged(self):
        """A slender beam: |A| |x| u / |b| is 1e-11."""
        for method in ("cg", "direct"):
            outcome = self.run_case("ritz-elasticity", example("cantilever"), keys={"solver.method": method, "solver.tolerance": 1e-14})
            self.assertEqual(outcome.exit, 5)
            self.assertIn("did not converge", outcome.errors)

    def test_what_rounding_leaves_of_a_strip_is_told(self):
        """A cantilever 100 times as long as high, in plane stress under a load at its end: u = 4 F L^3 / (E h^3), plus shear."""
        nx, ny, height = 60, 30, 0.01
        points = [(i / nx, j / ny * height, 0) for j in range(ny + 1) for i in range(nx + 1)]
        node = lambda i, j: j * (nx + 1) + i + 1
        quads = [(3, 1, [node(i, j), node(i + 1, j), node(i + 1, j + 1), node(i, j + 1)]) for j in range(ny) for i in range(nx)]
        ends = [(1, 2 + (i > 0), [node(i, j), node(i, j + 1)]) for i in (0, nx) for j in range(ny)]
        (self.folder / "strip.msh").write_text(boxes.msh(points, quads + ends, [(2, "all"), (1, "held"), (1, "end")]))
        case = self.folder / "strip.toml"
        case.write_text("""
[mesh]
file = "strip.msh"
[model]
type = "plane_stress"
[space]
order = 2
[[material]]
region = "all"
young = 1e9
poisson = 0.3
[[displacement]]
region = "held"
x = 0
y = 0
[[traction]]
region = "end"
value = [0, 1]
[[probe]]
name = "tip"
field = "displacement"
component = "y"
point = [1, 0.005, 0]
""")
        keys = {"solver.method": "direct", "solver.operator": "matrix"}
        outcome = self.solve("ritz-elasticity", case, keys=keys)
        exact = 4 * height * 1 / (1e9 * height**3)
        self.assertAlmostEqual(outcome.probes["tip"], exact, delta=2e-3 * exact)
        self.assertGreater(outcome.residual, 1e-8)
        self.assertIn("no solution in double precision meets", outcome.log)
        named = self.run_case("ritz-elasticity", case, keys={**keys, "solver.tolerance": 1e-9})
        self.assertEqual(named.exit, 5)
        self.assertIn("above the tolerance", named.errors)

    def test_a_gpu_that_is_not_there_is_an_error(self):
        outcome = self.run_case("ritz-heat", example("wall"), "--device", "gpu:97")
        self.assertEqual(outcome.exit, 8)
        self.assertIn("device 'gpu:97' was asked for", outcome.errors)
        self.assertEqual(outcome.report["status"], "failed")
        self.assertEqual(outcome.report["outputs"], [])

    def test_gpu_agrees_or_is_reported_missing(self):
        gpu = self.run_case("ritz-elasticity", example("lame/solid"), "--device", "gpu:0", keys=ITERATIVE)
        if gpu.exit == 8:
            self.assertIn("gpu:0", gpu.errors)
            self.skipTest("no GPU")
        self.assertEqual(gpu.exit, 0, gpu.errors)
        self.assertIn("gpu", gpu.report["device"].lower())
        cpu = self.solve("ritz-elasticity", example("lame/solid"), "--device", "cpu", keys=ITERATIVE)
        a, b = vtu.read(gpu.results())["PointData"], vtu.read(cpu.results())["PointData"]
        for field in ("displacement", "stress"):
            self.assertLess(largest_difference(a[field], b[field]), 1e-9, field)

    def test_the_first_line_names_the_device_and_why(self):
        self.assertRegex(self.solve("ritz-heat", example("wall")).log.splitlines()[0], r"^device: .+\(.+\)$")


if __name__ == "__main__":
    unittest.main()
