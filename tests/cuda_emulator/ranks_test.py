"""Cases on several ranks, each with an emulated GPU of its own: iterations and results are those of ranks on CPUs and of one process on a GPU,
bits repeat themselves, an iteration sends what it sends on CPUs, and who has which GPU is said or refused.

    ranks_test.py BUILD/bin TESTS/cases SOURCE
"""
import os
import pathlib
import re
import shutil
import sys
import unittest

BIN, CASES, SOURCE = (pathlib.Path(path).absolute() for path in sys.argv[1:4])
os.environ.update(RITZ_BIN=str(BIN), RITZ_EXAMPLES=str(SOURCE / "examples"), RITZ_SCHEMAS=str(SOURCE / "docs/schema"), RITZ_SOURCE=str(SOURCE), OMP_WAIT_POLICY="passive")
sys.path.append(str(CASES))
from divided_test import OnRanks  # noqa: E402

ON_GPUS, LEVELS = {"RITZ_EMULATED_GPUS": "3"}, {"RITZ_REPLICATED_UNKNOWNS": "40"}
AGGREGATES = {"solver.preconditioner": "multigrid", "solver.multigrid.levels": "aggregation"}


@unittest.skipUnless(shutil.which("mpirun") and list((BIN.parent / "lib").glob("ritz_ranks.mpi.so")), "skipped: no MPI")
class RanksOnGpus(OnRanks):
    def on_device(self, device, ranks, program, case, keys, environment):
        outcome = self.on_ranks(ranks, program, case, "--device", device, keys={"solver.method": "cg", **keys}, environment={**ON_GPUS, **(environment or {})})
        self.assertEqual(outcome.exit, 0, outcome.log + outcome.errors)
        return outcome

    def on_gpus(self, ranks, program, case, keys, environment=None):
        return self.on_device("gpu", ranks, program, case, keys, environment)

    def on_cpus(self, ranks, program, case, keys, environment=None):
        return self.on_device("cpu", ranks, program, case, keys, environment)

    def assert_alike(self, program, gpus, other):
        self.assertIn("emulated", gpus.report["device"])
        self.assertLessEqual(abs(gpus.report["solver"]["iterations"] - other.report["solver"]["iterations"]), 1)
        self.assert_same(program, gpus, other)

    def test_statics_with_a_matrix(self):
        fields = [("ritz-heat", "hexa", (5, 4, 4), 2, {"solver.preconditioner": "jacobi"}), ("ritz-elasticity", "tetra", (3, 3, 2), 3, {"solver.preconditioner": "chebyshev"}),
                  ("ritz-heat", "hexa", (5, 5, 5), 3, AGGREGATES), ("ritz-elasticity", "hexa", (4, 4, 3), 2, AGGREGATES),
                  ("ritz-heat", "hexa", (6, 6, 6), 2, {"solver.preconditioner": "multigrid", "solver.multigrid.levels": "nested"})]
        for program, cell, counts, ranks, keys in fields:
            with self.subTest(program=program, keys=keys):
                case = self.case(program, cell, counts)
                cpus = self.on_cpus(ranks, program, case, keys, LEVELS)
                self.assert_alike(program, self.on_gpus(ranks, program, case, keys, LEVELS), cpus)

    def test_elements_without_a_matrix(self):
        case, keys = self.case("ritz-heat", "hexa", (3, 2, 2)), {"space.order": 4}
        gpus = self.on_gpus(2, "ritz-heat", case, keys)
        self.assertIn("p-multigrid of orders 4, 2, 1", gpus.report["solver"]["preconditioner"])
        self.assert_alike("ritz-heat", gpus, self.on_cpus(2, "ritz-heat", case, keys))

    def test_one_process_on_a_gpu_and_the_same_bits_on_as_many_ranks(self):
        case, jacobi = self.case("ritz-elasticity", "hexa", (4, 3, 3)), {"solver.preconditioner": "jacobi"}
        alone = self.on_gpus(1, "ritz-elasticity", case, jacobi)
        for ranks in (2, 3):
            self.assert_alike("ritz-elasticity", self.on_gpus(ranks, "ritz-elasticity", case, jacobi), alone)
            first, again = (self.on_gpus(ranks, "ritz-elasticity", case, AGGREGATES, LEVELS) for _ in range(2))
            self.assertEqual(self.field("ritz-elasticity", first), self.field("ritz-elasticity", again))
            self.assert_same("ritz-elasticity", first, alone)

    def test_an_iteration_sends_each_ghost_once_and_copies_no_more(self):
        case, keys = self.case("ritz-heat", "hexa", (8, 3, 3)), {"solver.preconditioner": "jacobi"}
        told = lambda run: list(map(int, re.search(r"rank 0 sent (\d+) nodes to (\d+) neighbours in (\d+) exchanges: (\d+) messages, (\d+) bytes", run.log).groups()))
        # Bytes from the first rank's GPU of two runs that differ in their iterations: of each its ghosts, and what CG reads of sums.
        runs = [self.on_gpus(2, "ritz-heat", case, {**keys, "solver.tolerance": tolerance}) for tolerance in (1e-3, 1e-10)]
        iterations = [run.report["solver"]["iterations"] for run in runs]
        nodes, neighbours, _, messages, bytes_sent = told(runs[1])
        exchanges = [told(run)[2] for run in runs]
        self.assertEqual(neighbours, 1)
        self.assertEqual(exchanges[1] - exchanges[0], iterations[1] - iterations[0])
        self.assertEqual((messages, bytes_sent), (exchanges[1], exchanges[1] * nodes * 8))
        to_host = [sum(phase["to_host"] for name, phase in run.report["phases"].items() if name.endswith("/iteration")) for run in runs]
        self.assertEqual(to_host[1] - to_host[0], (exchanges[1] - exchanges[0]) * nodes * 8)

    def test_each_rank_takes_a_gpu_of_its_own(self):
        case, keys = self.case("ritz-heat", "hexa", (4, 3, 3)), {"solver.preconditioner": "jacobi"}
        self.assertIn("GPU 0 of 3 for rank 0 of the node", self.on_gpus(2, "ritz-heat", case, keys).report["device"])
        for request, count, words in (("gpu", 1, "2 ranks, 1 GPU"), ("gpu:0", 3, "device 'gpu:0' was asked for by 2 ranks, 3 GPUs")):
            refused = self.on_ranks(2, "ritz-heat", case, "--device", request, keys=keys, environment={"RITZ_EMULATED_GPUS": str(count)})
            self.assertEqual((refused.exit, refused.errors.count("error: ")), (8, 1), refused.log + refused.errors)
            self.assertIn(words, refused.errors)
        shared = self.on_gpus(2, "ritz-heat", case, keys, {"RITZ_EMULATED_GPUS": "1", "RITZ_SHARE_GPU": "1"})
        self.assertIn("shared as RITZ_SHARE_GPU allows", shared.report["device"])
        cpu = self.on_ranks(2, "ritz-heat", case, keys=keys, environment={"RITZ_EMULATED_GPUS": "1"})
        self.assertRegex(cpu.report["device"], "^cpu .*auto: 2 ranks, 1 GPU on this node")
        self.assert_same("ritz-heat", shared, cpu)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
