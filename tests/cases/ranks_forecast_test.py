"""Forecasts for several ranks, beside what runs on as many take and send."""
import itertools
import os
import re
import shutil
import unittest

import ritz
from divided_direct_test import INDEFINITE
from divided_test import LOAD_CASES, OnRanks, sides
import boxes

AGGREGATES = {"solver.multigrid.levels": "aggregation"}


@unittest.skipUnless(shutil.which("mpirun") and list((ritz.BIN.parent / "lib").glob("ritz_ranks.mpi.so")), "skipped: no MPI")
class RanksForecast(OnRanks):
    def foreseen(self, ranks, program, case, keys=None):
        run = self.run_case(program, case, "--estimate", "--ranks", ranks, keys=keys)
        self.assertEqual(run.exit, 0, run.errors)
        self.assertEqual(run.report["outputs"], [])
        return run.report["forecast_of_ranks"]

    def sent(self, run):
        """Nodes, neighbours, messages and bytes of rank 0."""
        told = re.search(r"rank 0 sent (\d+) nodes to (\d+) neighbours in \d+ exchanges: (\d+) messages, (\d+) bytes", run.log)
        return tuple(map(int, told.groups()))

    def test_memory_of_each_rank(self):
        """Within the bounds of one process; larger models: 0.88 to 1.07. Two and four ranks in turns."""
        large, turns = (24, 20, 20), itertools.cycle((2, 4))
        cases = [("ritz-elasticity", large, {}), ("ritz-heat", (32, 28, 28), {}), ("ritz-elasticity", large, AGGREGATES), ("ritz-heat", (12, 10, 10), {"space.order": 4}),
                 ("ritz-elasticity", (16, 16, 12), {"space.order": 3}), ("ritz-elasticity", large, {"solver.preconditioner": "jacobi"})]
        for program, counts, keys in cases:
            case, ranks = self.case(program, "hexa", counts), next(turns)
            with self.subTest(program=program, keys=keys, ranks=ranks):
                foreseen = self.foreseen(ranks, program, case, keys)["ranks"]
                run = self.solved(ranks, program, case, keys=keys)
                ratios = [each["device_peak"] / peak for each, peak in zip(foreseen, self.peaks(run), strict=True)]
                ratios.append(foreseen[0]["device_peak"] / run.report["memory"]["device_peak"])  # results, too
                self.assertGreater(min(ratios), 0.85, ratios)
                self.assertLess(max(ratios), 1.2, ratios)
                self.assertEqual(sum(foreseen[0]["at_peak"].values()), foreseen[0]["device_peak"])

    def assert_foretold(self, ranks, program, case, keys, low=0.85, high=1.25):
        foreseen = self.foreseen(ranks, program, case, keys)
        run = self.solved(ranks, program, case, keys=keys)
        ratios = [each["device_peak"] / peak for each, peak in zip(foreseen["ranks"], self.peaks(run), strict=True)]
        ratios.append(foreseen["ranks"][0]["device_peak"] / run.report["memory"]["device_peak"])  # results, too
        self.assertGreater(min(ratios), low, (ratios, keys))
        self.assertLess(max(ratios), high, (ratios, keys))
        return foreseen, run

    def modal_case(self, counts, free=False):
        path = self.case("ritz-elasticity", "hexa", counts)
        text = path.read_text()
        load, support = text.index("[[pressure]]"), text.index("[[displacement]]")
        path.write_text(text[: support if free else load] + "[modal]\ncount = 10\n")
        return path

    def test_memory_of_modes(self):
        """Supported and free bodies, with matrices and without; larger models: 0.9 to 1.05."""
        cases = [((20, 16, 16), False, {}, 4), ((20, 16, 16), True, {}, 2), ((9, 8, 8), False, {"space.order": 3}, 2)]
        for counts, free, keys, ranks in cases["RITZ_LONG_TESTS" not in os.environ:]:
            with self.subTest(keys=keys, free=free, ranks=ranks):
                foreseen, _ = self.assert_foretold(ranks, "ritz-modal", self.modal_case(counts, free), keys)
                self.assertTrue(foreseen["path"].startswith("LOBPCG"))

    def test_memory_of_answers_to_vibration(self):
        """Modes with residual vectors, and a free body; 0.92 to 0.99."""
        pushed = '[[force]]\nregion = "right"\nvalue = [1e3, 2e3, 0]\n'
        harmonic = self.modal_case((16, 12, 12))
        harmonic.write_text(harmonic.read_text() + pushed + "[damping]\nratio = 0.02\n[harmonic]\nfrequencies = [10, 3000]\n")
        self.assert_foretold(2, "ritz-modal", harmonic, {})
        relief = self.modal_case((16, 12, 12), True)
        relief.write_text(relief.read_text().replace("[modal]\ncount = 10\n", pushed + "[inertia_relief]\n"))
        self.assert_foretold(2, "ritz-elasticity", relief, {})

    def test_memory_of_load_cases(self):
        """Several columns, solved together."""
        case = self.case("ritz-elasticity", "hexa", (16, 14, 14), LOAD_CASES)
        for preconditioner in ("multigrid", "chebyshev"):
            with self.subTest(preconditioner):
                self.assert_foretold(2, "ritz-elasticity", case, {"solver.method": "cg", "solver.preconditioner": preconditioner})

    def test_memory_with_equations_between_unknowns(self):
        """A rigid side, all of whose nodes follow three."""
        rigid = '[[rigid]]\nregion = "right"\nforce = [0, 300, 0]\n'
        case = self.case("ritz-elasticity", "hexa", (20, 16, 16), rigid)
        case.write_text(re.sub(r"\[\[force\]\]\s*region = \"right\"\s*value = \[.*?\]", "", case.read_text()))
        for ranks in (2, 4):
            with self.subTest(ranks=ranks):
                self.assert_foretold(ranks, "ritz-elasticity", case, {"solver.method": "cg"}, 0.85, 1.35)  # 10 MB a rank on four

    @unittest.skipUnless(list((ritz.BIN.parent / "lib").glob("ritz_direct.mpi.so")), "skipped: no parallel MUMPS")
    def test_memory_of_factors(self):
        """Of each rank, beside what MUMPS has used there."""
        for program, counts, ranks in (("ritz-elasticity", (16, 14, 14), 2), ("ritz-heat", (24, 20, 20), 3)):
            with self.subTest(program=program, ranks=ranks):
                foreseen, run = self.assert_foretold(ranks, program, self.case(program, "hexa", counts), {"solver.method": "direct"})
                used = re.search(r"factors of ranks: ([\d., ]+) MB", run.log).group(1)
                for each, megabytes in zip(foreseen["ranks"], used.split(","), strict=True):
                    self.assertGreater(each["factor"], 0.8e6 * float(megabytes))
                    self.assertLess(each["factor"], 1.35e6 * float(megabytes))
        self.assert_foretold(2, "ritz-elasticity", self.case("ritz-elasticity", "hexa", (16, 14, 14), LOAD_CASES), {"solver.method": "direct"})

    def test_memory_of_several_fields(self):
        case = ritz.example("several_fields/cavity")
        for method, ranks in (("direct", 2), ("minres", 4)):
            with self.subTest(method=method, ranks=ranks):
                foreseen, _ = self.assert_foretold(ranks, "ritz-solve", case, {"solver.method": method, "mesh.refine": 1}, 0.8, 1.3)
                self.assertEqual([each["factor"] > 0 for each in foreseen["ranks"]], [method == "direct"] * ranks)
        self.assert_foretold(2, "ritz-solve", ritz.example("several_fields/slab"), {"solver.method": "minres", "mesh.refine": 3}, 0.8, 1.3)  # auxiliary spaces of edges

    def test_messages_and_bytes_of_an_iteration(self):
        """Those of two runs differ by their iterations alone."""
        methods = [("ritz-elasticity", "hexa", {}), ("ritz-heat", "tetra", AGGREGATES), ("ritz-elasticity", "mixed", {"solver.preconditioner": "chebyshev"}),
                   ("ritz-heat", "hexa", {"space.order": 4}), ("ritz-elasticity", "hexa", {"solver.preconditioner": "jacobi"})]
        for (program, cell, keys), ranks in zip(methods, itertools.cycle((4, 2))):
            case = self.case(program, cell, (8, 6, 6))
            with self.subTest(program=program, cell=cell, keys=keys, ranks=ranks):
                first = self.foreseen(ranks, program, case, keys)["ranks"][0]
                rough, exact = (self.solved(ranks, program, case, keys={**keys, "solver.tolerance": tolerance}) for tolerance in (1e-3, 1e-10))
                iterations = exact.report["solver"]["iterations"] - rough.report["solver"]["iterations"]
                self.assertGreater(iterations, 0)
                nodes, neighbours, messages, sent_bytes = (more - less for more, less in zip(self.sent(exact), self.sent(rough)))
                self.assertEqual((nodes, neighbours), (0, 0))
                self.assertEqual(self.sent(exact)[1], first["neighbours"])
                self.assertEqual((messages / iterations, sent_bytes / iterations), (first["messages_per_iteration"], first["bytes_per_iteration"]))

    def ghosts(self, ranks, program, case):
        """Of each rank, over those around a cube of as many nodes; ascending."""
        return sorted(each["ghosts"] / ((each["nodes"] ** (1 / 3) + 2) ** 3 - each["nodes"]) for each in self.foreseen(ranks, program, case)["ranks"])

    def test_ghosts_of_inner_parts(self):
        """Of 64 parts of a box eight are inside: these have the most. No part of a box or of a real body has twice those of a cube."""
        for cell in ("hexa", "tetra"):
            found = self.ghosts(64, "ritz-heat", self.case("ritz-heat", cell, (31, 31, 31)))
            self.assertLess(sum(found[-8:]) / 8, 1.3)
            self.assertLess(found[-1], 1.5)
        for program, name in (("ritz-elasticity", "bracket/bracket"), ("ritz-heat", "heat_sink/heat_sink")):
            self.assertLess(self.ghosts(32, program, ritz.example(name))[-1], 2)

    def test_a_job_forecasts_its_own_ranks_and_a_plan_any_number(self):
        case = self.case("ritz-heat", "hexa", (9, 8, 8))
        job = self.on_ranks(3, "ritz-heat", case, "--estimate")
        self.assertEqual(job.exit, 0, job.errors)
        self.assertEqual(job.report["forecast_of_ranks"], self.foreseen(3, "ritz-heat", case))
        self.assertIn("forecast of 3 ranks, multigrid, single precision: device peak", job.log)
        self.assertIn("forecast of 3 ranks", self.on_ranks(3, "ritz-heat", case, "--check").log)
        planned = self.on_ranks(2, "ritz-heat", case, "--estimate", "--ranks", 16)
        self.assertEqual(len(planned.report["forecast_of_ranks"]["ranks"]), 16)
        self.assertNotIn("forecast_of_ranks", self.run_case("ritz-heat", case, "--estimate", "--ranks", 1).report)

    def test_senseless_plans_are_refused(self):
        case = self.case("ritz-heat", "hexa", (3, 3, 3))
        for arguments, exit_code, words in ((("--ranks", 4), 2, "without --estimate"), (("--estimate", "--ranks", 65), 8, "planned for 65 ranks, and a mesh of 64 nodes is not divided"),
                                            (("--estimate", "--ranks", 0), 2, "--ranks"), (("--estimate", "--ranks", 40, "--set", "space.order=4"), 8, "a mesh of 27 cells without a matrix")):
            refused = self.run_case("ritz-heat", case, *arguments)
            self.assertEqual(refused.exit, exit_code, refused.errors)
            self.assertIn(words, refused.errors)

    def test_a_rank_without_the_room_for_its_matrix_ends_all_before_the_assembly(self):
        case = self.case("ritz-elasticity", "hexa", (20, 16, 16))
        run = self.on_ranks(2, "ritz-elasticity", case, "--memory-limit", "6M")
        self.assertEqual((run.exit, run.errors.count("error: ")), (6, 1), run.errors)
        self.assertRegex(run.errors, r"rank \d: its part of the matrix needs [\d.]+ MB, and [\d.]+ MB are available")
        self.assertIn("more ranks", run.errors)

    @unittest.skipUnless(list((ritz.BIN.parent / "lib").glob("ritz_direct.mpi.so")), "skipped: no parallel MUMPS")
    def test_a_factor_takes_the_place_of_the_hierarchy(self):
        (self.folder / "part.msh").write_text(boxes.cut("hexa", (12, 10, 10)))
        form = INDEFINITE.replace("lambda = -5", "lambda = -2.5")  # of a positive diagonal: conjugate gradients come first
        case = self.write("indefinite.toml", f'[mesh]\nfile = "part.msh"\n{sides((12, 10, 10))}{form}[solver]\n')
        now = lambda run: [float(number) for number in re.search(r"now: ([\d., ]+) MB", run.log).group(1).split(",")]
        turned, direct = (self.solved(2, "ritz-solve", case, keys={"solver.method": method}) for method in ("auto", "direct"))
        self.assertIn("factorise together", turned.log)
        self.assertTrue(turned.report["solver"]["fallbacks"])  # an iteration came first
        for after_iteration, alone in zip(now(turned), now(direct), strict=True):
            self.assertLess(after_iteration, alone + 0.2)  # vectors of the matrix's products


if __name__ == "__main__":
    unittest.main()
