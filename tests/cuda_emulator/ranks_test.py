"""Cases on several ranks, each with an emulated GPU of its own: iterations and results are those of ranks on CPUs and of one process on a GPU,
bits repeat themselves, an iteration sends what it sends on CPUs, and who has which GPU is said or refused.

    ranks_test.py BUILD/bin TESTS/cases SOURCE [CLASS...]
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
    def start(self, device, ranks, program, case, keys, environment):
        """Messages between GPUs go through the host, unless the environment says otherwise."""
        environment = {**ON_GPUS, "RITZ_RANKS_TRANSPORT": "host", "RITZ_EMULATED_NCCL": str(self.folder), **(environment or {})}
        return self.on_ranks(ranks, program, case, "--device", device, keys={"solver.method": "cg", **keys}, environment=environment)

    def on_device(self, device, ranks, program, case, keys, environment):
        outcome = self.start(device, ranks, program, case, keys, environment)
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
        self.assert_an_iteration_sends_each_ghost_once("host", 8)

    def assert_an_iteration_sends_each_ghost_once(self, transport, to_host_for_a_ghost):
        case, keys = self.case("ritz-heat", "hexa", (8, 3, 3)), {"solver.preconditioner": "jacobi"}
        told = lambda run: list(map(int, re.search(r"rank 0 sent (\d+) nodes to (\d+) neighbours in (\d+) exchanges: (\d+) messages, (\d+) bytes", run.log).groups()))
        # Bytes from the first rank's GPU of two runs that differ in their iterations: of each its ghosts, and what CG reads of sums.
        runs = [self.on_gpus(2, "ritz-heat", case, {**keys, "solver.tolerance": tolerance}, {"RITZ_RANKS_TRANSPORT": transport}) for tolerance in (1e-3, 1e-10)]
        iterations = [run.report["solver"]["iterations"] for run in runs]
        nodes, neighbours, _, messages, bytes_sent = told(runs[1])
        exchanges = [told(run)[2] for run in runs]
        self.assertEqual(neighbours, 1)
        self.assertEqual(exchanges[1] - exchanges[0], iterations[1] - iterations[0])
        self.assertEqual((messages, bytes_sent), (exchanges[1], exchanges[1] * nodes * 8))
        to_host = [sum(phase["to_host"] for name, phase in run.report["phases"].items() if name.endswith("/iteration")) for run in runs]
        self.assertEqual(to_host[1] - to_host[0], (exchanges[1] - exchanges[0]) * nodes * to_host_for_a_ghost)

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


@unittest.skipUnless(shutil.which("mpirun") and list((BIN.parent / "lib/emulated").glob("ritz_ranks.cuda.so")), "skipped: no MPI, or no headers of NCCL")
class RanksByNccl(RanksOnGpus):
    """The module that calls NCCL, over one that is a program: messages go from GPU to GPU, and the bits are those of messages through the host."""

    def by_nccl(self, ranks, program, case, keys, environment=None):
        return self.start("gpu", ranks, program, case, keys, {"RITZ_RANKS_TRANSPORT": "", **(environment or {})})

    def assert_same_bits(self, ranks, program, case, keys, environment=None):
        host, nccl = self.on_gpus(ranks, program, case, keys, environment), self.by_nccl(ranks, program, case, keys, environment)
        self.assertEqual(nccl.exit, 0, nccl.log + nccl.errors)
        self.assertIn("messages between GPUs through the memory of the hosts (as RITZ_RANKS_TRANSPORT asks)", host.log)
        self.assertRegex(nccl.log, r"messages between GPUs by NCCL 2\.\d+\.\d+")
        self.assertEqual(nccl.probes, host.probes)
        self.assertEqual(nccl.report["solver"]["iterations"], host.report["solver"]["iterations"])
        self.assertEqual(list(self.folder.glob("nccl-*")), [], "the communicator was not destroyed by all ranks")
        return host, nccl

    def test_statics_with_a_matrix(self):
        fields = [("ritz-heat", "hexa", (5, 4, 4), 2, {"solver.preconditioner": "jacobi"}), ("ritz-elasticity", "tetra", (3, 3, 2), 3, {"solver.preconditioner": "chebyshev"}),
                  ("ritz-heat", "hexa", (5, 5, 5), 3, AGGREGATES), ("ritz-elasticity", "hexa", (4, 4, 3), 2, AGGREGATES), ("ritz-heat", "quad", (8, 8), 4, AGGREGATES),
                  ("ritz-heat", "hexa", (6, 6, 6), 2, {"solver.preconditioner": "multigrid", "solver.multigrid.levels": "nested"})]
        for program, cell, counts, ranks, keys in fields:
            with self.subTest(program=program, ranks=ranks, keys=keys):
                host, nccl = self.assert_same_bits(ranks, program, self.case(program, cell, counts), keys, {**LEVELS, "RITZ_EMULATED_GPUS": "4"})
                self.assertEqual(self.field(program, nccl), self.field(program, host))

    def test_elements_without_a_matrix(self):
        self.assert_same_bits(2, "ritz-heat", self.case("ritz-heat", "hexa", (3, 2, 2)), {"space.order": 4})

    def test_other_krylov_methods(self):
        for method in ("minres", "gmres", "bicgstab"):
            self.assert_same_bits(3, "ritz-heat", self.case("ritz-heat", "hexa", (4, 3, 3)), {"solver.method": method, "solver.preconditioner": "jacobi"})

    def test_evolutions(self):
        heat = "[time]\nend = 200.0\nstep = 100.0\n[initial]\ntemperature = 20\n"
        keys = {"material.0.density": 1000, "material.0.specific_heat": "100 + 50 * y", "solver.preconditioner": "jacobi"}
        self.assert_same_bits(2, "ritz-heat", self.case("ritz-heat", "hexa", (3, 2, 2), heat), keys)

    def test_modes(self):
        case = self.case("ritz-elasticity", "hexa", (2, 2, 2))
        text = case.read_text()
        modal = self.write("modal.toml", text[: text.index("[[pressure]]")] + "[modal]\ncount = 1\n")
        runs = [self.on_ranks(2, "ritz-modal", modal, "--device", "gpu", environment={**ON_GPUS, "RITZ_RANKS_TRANSPORT": way, "RITZ_EMULATED_NCCL": str(self.folder)}) for way in ("host", "nccl")]
        for run in runs:
            self.assertEqual(run.exit, 0, run.log + run.errors)
        self.assertEqual(runs[0].fact("frequencies_hz"), runs[1].fact("frequencies_hz"))

    def test_an_iteration_sends_each_ghost_once_and_copies_no_more(self):
        self.assert_an_iteration_sends_each_ghost_once("nccl", 0)

    def test_one_process_on_a_gpu_and_the_same_bits_on_as_many_ranks(self):
        case = self.case("ritz-elasticity", "hexa", (4, 3, 3))
        first, again = (self.by_nccl(3, "ritz-elasticity", case, AGGREGATES, LEVELS) for _ in range(2))
        self.assertEqual(self.field("ritz-elasticity", first), self.field("ritz-elasticity", again))

    def test_each_rank_takes_a_gpu_of_its_own(self):
        """One GPU for two ranks: NCCL refuses it, and the host carries the messages, unless that is forbidden."""
        case, keys, shared = self.case("ritz-heat", "hexa", (4, 3, 3)), {"solver.preconditioner": "jacobi"}, {"RITZ_EMULATED_GPUS": "1", "RITZ_SHARE_GPU": "1"}
        run = self.by_nccl(2, "ritz-heat", case, keys, shared)
        self.assertEqual(run.exit, 0, run.log + run.errors)
        self.assertRegex(run.log, r"messages between GPUs through the memory of the hosts \(ranks 0 and 1 have the same GPU, 0000:00:00.0 of")
        self.assert_refused(self.by_nccl(2, "ritz-heat", case, keys, {**shared, "RITZ_RANKS_TRANSPORT": "nccl"}), "RITZ_RANKS_TRANSPORT is 'nccl', and NCCL cannot be used", "ranks 0 and 1 have the same GPU")
        self.assert_refused(self.start("cpu", 2, "ritz-heat", case, keys, {"RITZ_RANKS_TRANSPORT": "nccl"}), "NCCL cannot be used", "rank 0: its device is cpu")
        self.assert_refused(self.by_nccl(2, "ritz-heat", case, keys, {"RITZ_RANKS_TRANSPORT": "mpi"}), "RITZ_RANKS_TRANSPORT is 'mpi'", "use nccl or host")

    def assert_refused(self, run, *words):
        self.assertEqual((run.exit, run.errors.count("error: ")), (8, 1), run.log + run.errors)
        for each in words:
            self.assertIn(each, run.errors)

    def test_faults_of_nccl_end_all_ranks_or_leave_the_host(self):
        case, keys = self.case("ritz-heat", "hexa", (4, 3, 3)), {"solver.preconditioner": "jacobi"}
        start = {"RITZ_EMULATED_NCCL_FAULT": "init:1"}
        run = self.by_nccl(3, "ritz-heat", case, keys, start)
        self.assertEqual(run.exit, 0, run.log + run.errors)
        self.assertIn("through the memory of the hosts (NCCL failed in ncclCommInitRank: ", run.log)
        self.assert_refused(self.by_nccl(3, "ritz-heat", case, keys, {**start, "RITZ_RANKS_TRANSPORT": "nccl"}), "NCCL failed in ncclCommInitRank", "RITZ_RANKS_TRANSPORT=host")
        # The others wait for its messages in their streams.
        self.assert_refused(self.by_nccl(3, "ritz-heat", case, keys, {"RITZ_EMULATED_NCCL_FAULT": "group:1:20"}), "rank 1: NCCL failed in nccl", ": unhandled system error")

    def test_a_rank_that_is_killed_ends_all(self):
        case, keys = self.case("ritz-heat", "hexa", (4, 3, 3)), {"solver.preconditioner": "jacobi"}
        run = self.by_nccl(3, "ritz-heat", case, keys, {"RITZ_EMULATED_NCCL_FAULT": "killed:1:20"})
        self.assertEqual(run.exit, 137, run.log + run.errors)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[4:], verbosity=2)
