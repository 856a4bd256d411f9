"""Budgets of memory: obeyed to the byte, less and less of it down the ladder, and exit code 6 with a table of tags instead of a crash."""
import os
import pathlib
import re
import resource
import signal
import subprocess
import sys
import unittest

import ritz
import vtu
from resume_test import Resume, files_of

sys.path.append(str(pathlib.Path(__file__).resolve().parents[2] / "tools"))
import box_meshes  # noqa: E402
import memory_ladder  # noqa: E402
import model_texts  # noqa: E402

CASE = "heat_sink"


class ShortFromSomeMomentOnTest(ritz.CaseTest):
    """Arrays of the CPU get no memory from the k-th of them on (fault_shim.c)."""

    def test_heat_that_cannot_be_told_costs_no_solution(self):
        box_meshes.write_box(self.folder / "box.msh", "hex", (6, 3, 3))
        case = self.write("box.toml", '[mesh]\nfile = "box.msh"\n[solver]\n' + model_texts.MULTIGRID + "\n" + model_texts.COOLED +
                          '[[probe]]\nname = "hot"\nfield = "temperature"\nregion = "x1"\nmeasure = "max"\n')

        def run(number):
            shim = {"LD_PRELOAD": os.environ["FAULT_SHIM"], "FAULT_CALL": "aligned_alloc", "FAULT_NUMBER": str(number), "FAULT_STAYS": "1",
                    "FAULT_COUNT": str(self.folder / "count")}
            return self.run_case("ritz-heat", case, "--device", "cpu", environment=shim)
        whole = run(0)
        self.assertEqual(whole.exit, 0, whole.errors)
        hot, count = whole.probes["hot"], int((self.folder / "count").read_text())
        self.assertIn("by convection", whole.log)
        untold, last = 0, None
        for number in range(count, 0, -1):
            short = run(number)
            with self.subTest(number=number):
                self.assertIn(short.exit, (0, 6), short.errors)
                if "heat that is exchanged is not reported: " in short.log:
                    untold += 1
                    self.assertNotIn("heat into the body", short.log)
                    self.assertNotIn("convection", short.report["facts"])
                    self.assertEqual(short.report["missing_fields"], ["heat_flux"])  # they have no room, either
                    self.assertEqual(short.probes["hot"], hot)
                elif untold:
                    last = short
                    break
        self.assertGreater(untold, 2)  # the prescribed values, a residual, its lists
        self.assertEqual(last.exit, 6)  # in the solution itself


class BudgetTest(ritz.CaseTest):
    def heat(self, *arguments, **options):
        return self.run_case("ritz-heat", ritz.example(CASE), *arguments, **options)

    def test_report_holds_the_memory_by_tag(self):
        outcome = self.heat("--verbose")
        memory = outcome.report["memory"]
        self.assertEqual(sum(memory["at_peak"].values()), memory["device_peak"])
        self.assertLessEqual(max(memory["by_tag"].values()), memory["device_peak"])
        self.assertEqual(memory["device_limit"], 0)
        self.assertGreater(memory["host_peak"], 0)
        self.assertIn("at common peak", outcome.log)
        for tag in ("matrix", "pattern", "vectors", "space"):
            self.assertGreater(memory["by_tag"][tag], 0)

    def test_a_limit_at_the_peak_changes_nothing(self):
        free = self.heat()
        peak = free.report["memory"]["device_peak"]
        held = self.heat("--memory-limit", str(peak))
        self.assertEqual(held.exit, 0, held.errors)
        self.assertEqual(held.probes, free.probes)
        self.assertLessEqual(held.report["memory"]["device_held_peak"], peak)

    def test_a_limit_that_nothing_fits_is_exit_6_with_the_tags(self):
        outcome = self.heat("--memory-limit", "100k")
        self.assertEqual(outcome.exit, 6)
        self.assertIn("limit 100.0 kB", outcome.errors)
        self.assertIn("raise --memory-limit", outcome.errors)
        self.assertIn("fix:", outcome.errors)
        self.assertEqual(outcome.report["exit_code"], 6)
        self.assertLessEqual(outcome.report["memory"]["device_held_peak"], 100_000)
        self.assertEqual(outcome.report["outputs"], [])

    def test_the_host_limit_is_exit_6_wherever_it_strikes(self):
        free = self.heat(threads=2)
        counted = free.report["memory"]["host_counted"]
        for share in (0.01, 0.1, 0.2, 0.4, 0.6, 0.8, 0.95):
            limit = int(counted * share)
            outcome = self.heat("--host-memory-limit", str(limit), threads=2)
            self.assertIn(outcome.exit, (0, 6), outcome.errors)
            self.assertLessEqual(outcome.report["memory"]["host_counted"], limit)
            if outcome.exit == 6:
                self.assertIn("out of", outcome.errors)
            else:  # perhaps by another way
                for name, value in free.probes.items():
                    self.assert_close(outcome.probes[name], value, 1e-6)
            if share < 0.3:  # where even the least of them has no room
                self.assertEqual(outcome.exit, 6)
        self.assertEqual(self.heat("--host-memory-limit", str(2 * counted), threads=2).exit, 0)

    def test_a_host_limit_above_the_peak_changes_nothing(self):  # which varies with the writer's thread
        free = self.heat()
        held = self.heat("--host-memory-limit", str(int(1.15 * free.report["memory"]["host_counted"])))
        self.assertEqual(held.exit, 0, held.errors)
        self.assertEqual(held.probes, free.probes)

    def test_a_size_that_is_none_is_exit_2(self):
        for text in ("6X", "-1G", "0", "many"):
            outcome = self.heat("--memory-limit=" + text)
            self.assertEqual(outcome.exit, 2)
            self.assertIn("6G", outcome.errors)

    def test_without_memory_on_another_device_the_cpu_takes_over(self):
        outcome = self.heat("--device", "fake", "--memory-limit", "100k")
        self.assertEqual(outcome.exit, 0, outcome.errors)
        self.assertTrue(any("on the CPU instead of" in notice for notice in outcome.report["notices"]))
        self.assertTrue(outcome.report["device"].startswith("cpu"))
        self.assertEqual(outcome.probes, self.heat("--device", "cpu").probes)


STEPS = ["single precision", "16 bits", "Chebyshev", "the diagonal", "no matrix"]


class ControlGroupTest(ritz.CaseTest):
    """Who passes a control group's limit is killed, so it is the host's limit. The groups are files (group_shim.c)."""

    def in_group(self, megabytes, case, *arguments, version=2):
        group = self.folder / f"group{version}-{megabytes}"
        folder, name = (group / "sys/fs/cgroup/job", "memory.max") if version == 2 else (group / "sys/fs/cgroup/memory/job", "memory.limit_in_bytes")
        for made in (folder, group / "proc/self"):
            made.mkdir(parents=True, exist_ok=True)
        (group / "proc/self/cgroup").write_text("0::/job\n" if version == 2 else "4:memory:/job\n")
        (folder / name).write_text(f"{megabytes}000000\n")
        return self.run_case("ritz-elasticity", case, *arguments, environment={"LD_PRELOAD": os.environ["GROUP_SHIM"], "GROUP_FOLDER": str(group)})

    def test_its_limit_holds_for_the_host(self):
        box_meshes.write_box(self.folder / "box.msh", "tet", (30, 20, 20))
        case = self.write("box.toml", '[mesh]\nfile = "box.msh"\n[solver]\nmethod = "cg"\npreconditioner = "multigrid"\n' + model_texts.ELASTICITY)
        free = self.in_group(900_000_000, case)  # more than any machine has
        self.assertEqual(free.exit, 0, free.errors)
        memory = free.report["memory"]
        self.assertEqual(memory["host_limit"], 0)
        wide, tight = memory["host_peak"] // 1_000_000 + 100, memory["host_peak"] // 1_000_000 - 16
        for version in (1, 2):
            with self.subTest(version=version):
                roomy = self.in_group(wide, case, version=version)
                self.assertEqual(roomy.exit, 0, roomy.errors)
                self.assertEqual(roomy.report["solver"]["fallbacks"], [])
                self.assertEqual(roomy.probes, free.probes)
                self.assertRegex(roomy.log, rf"host memory: the control group allows {wide}(\.0)? MB, so .* may take [0-9.]+ MB")
                self.assertRegex(self.in_group(wide, case, "--check", version=version).log, "forecast: .*: fits\n")
                check = self.in_group(tight, case, "--check", version=version)
                self.assertRegex(check.log, "forecast: .*: (does not fit|fits with: .*)\n")
                held = self.in_group(tight, case, version=version)
                limit = held.report["memory"]["host_limit"]
                self.assertLess(limit, min(memory["host_counted"], 1_000_000 * tight))
                self.assertLessEqual(held.report["memory"]["host_counted"], limit)
                self.assertIn(held.exit, (0, 6), held.errors)
                if held.exit == 0:
                    self.assertNotEqual(held.report["solver"]["fallbacks"], [])

    def test_a_limit_that_is_given_wins(self):
        outcome = self.in_group(60, ritz.example("le1"), "--host-memory-limit", "1G")
        self.assertEqual(outcome.exit, 0, outcome.errors)
        self.assertEqual(outcome.report["memory"]["host_limit"], 1_000_000_000)
        self.assertNotIn("control group allows", outcome.log)


class AddressSpaceTest(ritz.CaseTest):
    def test_a_run_ends_where_addresses_are_short(self):
        """ulimit -v: threads of OpenBLAS that find no memory try for ever, and the program waited for them at its end."""
        for megabytes in (300, 260, 230, 200, 170):
            limit = megabytes << 20
            words = [ritz.BIN / "ritz-heat", ritz.example(CASE), "--threads", "2", "--output", self.folder / str(megabytes)]
            process = subprocess.run([str(word) for word in words], preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (limit, limit)),
                                     env={name: value for name, value in os.environ.items() if name != "OPENBLAS_NUM_THREADS"}, capture_output=True, text=True, timeout=100)
            self.assertNotIn("a bug in Ritz", process.stderr)

    def test_a_direct_solution_ends_where_addresses_are_short(self):
        """OpenBLAS is loaded with it, and asks for ever for a buffer that it cannot have: the error comes before."""
        codes = []
        for megabytes in (2000, 340, 300, 200, 110, 100):
            limit = megabytes << 20
            words = [ritz.BIN / "ritz-heat", ritz.example("heat_sink"), "--threads", "2", "--output", self.folder / str(megabytes), "--set", 'solver.method="direct"']
            process = subprocess.run([str(word) for word in words], preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (limit, limit)),
                                     env={name: value for name, value in os.environ.items() if name != "OPENBLAS_NUM_THREADS"}, capture_output=True, text=True, timeout=100)
            codes.append(process.returncode)
            self.assertIn(process.returncode, (0, 6), process.stderr)
            self.assertNotIn("a bug in Ritz", process.stderr)
        self.assertEqual(codes[0], 0)
        self.assertIn(6, codes)


class NewtonTest(ritz.CaseTest):
    @ritz.long
    def test_newton_goes_on_without_a_matrix_where_there_is_no_room_for_one(self):
        """A long bar, whose Chebyshev iterations are so many that a matrix would be taken, by itself."""
        box_meshes.write_box(self.folder / "box.msh", "tet", (42, 5, 5))
        case = self.write("bar.toml", '[mesh]\nfile = "box.msh"\norder = 2\n[model]\nform = "von_mises_plasticity"\n[[material]]\nregion = "all"\nyoung = 1000\n'
                          'poisson = 0.3\nyield_stress = 1\n[[prescribe]]\nregion = "x0"\nvalue = 0\n[[load]]\nregion = "x1"\nvalue = [1e-6, 0, 1e-6]\n'
                          '[[probe]]\nname = "tip"\nfield = "displacement"\nregion = "x1"\nmeasure = "mean"\n')
        free = self.solve("ritz-solve", case)
        self.assertIn("p-multigrid", free.report["solver"]["preconditioner"])
        short = self.solve("ritz-solve", case, "--memory-limit", int(0.8 * free.report["memory"]["device_peak"]))
        self.assertIn("Chebyshev", short.report["solver"]["preconditioner"])
        self.assertTrue(any("Chebyshev" in step for step in short.report["solver"]["fallbacks"]))
        self.assertEqual(short.report["facts"]["newton_steps"], free.report["facts"]["newton_steps"])
        self.assert_close(short.probes["tip"][2], free.probes["tip"][2], 1e-5)


STRESSES = ["stress", "strain", "von_mises", "principal_stress"]


def ladder_case(test):
    """A cantilever with multigrid in double precision."""
    box_meshes.write_box(test.folder / "box.msh", "hex", (20, 10, 10))
    probe = ('[[probe]]\nname = "tip"\nfield = "displacement"\nregion = "x1"\nmeasure = "mean"\n'
             '[[probe]]\nname = "peak"\nfield = "von_mises"\nregion = "all"\nmeasure = "max"\n')
    return test.write("box.toml", '[mesh]\nfile = "box.msh"\n[solver]\nmethod = "cg"\npreconditioner = "multigrid"\nmultigrid.precision = "double"\n'
                      + model_texts.ELASTICITY + probe)


class LadderTest(ritz.CaseTest):
    """A falling limit walks down the ladder step by step, to the same answer each time."""

    def setUp(self):
        super().setUp()
        self.case = ladder_case(self)

    def test_each_step_gives_the_same_answer(self):
        free = self.solve("ritz-elasticity", self.case)
        self.assertEqual(free.report["solver"]["fallbacks"], [])
        limit, seen = free.report["memory"]["device_peak"], []
        while True:
            limit = int(0.9 * limit)
            outcome = self.run_case("ritz-elasticity", self.case, "--memory-limit", limit)
            self.assertLessEqual(outcome.report["memory"]["device_held_peak"], limit)
            if outcome.exit != 0:
                break
            self.assertLessEqual(outcome.residual, 1e-8)
            for component, expected in zip(outcome.probes["tip"], free.probes["tip"]):
                self.assertLessEqual(abs(component - expected), 1e-6 * abs(free.probes["tip"][2]))
            taken = [step for step in STEPS for text in outcome.report["solver"]["fallbacks"] if text.startswith("memory: ") and step in text]
            if taken and taken[-1] not in seen:
                seen.append(taken[-1])
            self.assertLessEqual(abs(outcome.probes["peak"] / free.probes["peak"] - 1), 1e-6)
            last = outcome
        self.assertEqual(outcome.exit, 6, outcome.errors)
        self.assertEqual(outcome.report["outputs"], [])
        self.assertIn("before derived fields", last.report["solver"]["fallbacks"][-1])
        self.assertEqual(outcome.report["missing_fields"], [])  # where the solution has room, its fields have
        self.assertEqual(seen, [step for step in STEPS if step in seen])
        self.assertEqual(seen[-1], "no matrix")
        self.assertGreaterEqual(len(seen), 3)

    def test_less_memory_of_the_host_leaves_fields_out(self):
        limit, without = self.solve("ritz-elasticity", self.case).report["memory"]["host_counted"], []
        while limit > 900_000:
            limit = int(0.93 * limit)
            outcome = self.run_case("ritz-elasticity", self.case, "--host-memory-limit", limit)
            if outcome.exit != 0 and outcome.report["missing_fields"]:
                without.append(outcome)
            elif outcome.exit == 0:
                self.assertEqual(without, [], "it fits into less")
        self.assertGreaterEqual(len(without), 1)
        for each in without:
            self.assert_lacks_stresses(each)
            self.assertIn("before derived fields", each.report["solver"]["fallbacks"][-1])
        enough = re.search(r"--host-memory-limit (\w+) should be enough", without[-1].errors).group(1)
        self.assertEqual(self.run_case("ritz-elasticity", self.case, "--host-memory-limit", enough).report["missing_fields"], [])

    def assert_lacks_stresses(self, outcome):
        """The solution is written and verified, the run says what it lacks and why, and what would be enough."""
        self.assertEqual((outcome.exit, outcome.report["status"]), (6, "failed"))
        self.assertEqual(outcome.report["missing_fields"], STRESSES)
        self.assertIn("error: the results lack 'stress', 'strain', 'von_mises' and 'principal_stress'", outcome.errors)
        self.assertRegex(outcome.errors, "why: out of .*memory.* on top of")
        self.assertRegex(outcome.errors, r"fix: .*memory-limit \d+[kM] should be enough")
        self.assertEqual(outcome.report["errors"][0]["kind"], "missing-fields")
        self.assertEqual(outcome.probes["peak"], "nan")
        self.assertIn("probe peak: nan", outcome.log)
        grid = vtu.read(outcome.results())
        self.assertLessEqual({"displacement", "reaction"}, set(grid["PointData"]))
        self.assertFalse(set(STRESSES) & (set(grid["PointData"]) | set(grid["CellData"])))
        folder = outcome.folder / "results"
        verified = subprocess.run([ritz.BIN / "ritz", "results", "verify", folder], capture_output=True, text=True)
        self.assertEqual(verified.returncode, 0, verified.stdout + verified.stderr)


class LoadCasesWithoutStressesTest(ritz.CaseTest):
    """Several steps and a combination, in both formats, under limits between what the solution takes and what all its fields take."""

    def falling(self, option, start, end, *arguments):
        box_meshes.write_box(self.folder / "box.msh", "hex", (20, 10, 10))
        combination = '[[combination]]\nname = "both"\nfactors = {"case 0" = 1.0, "case 2" = 2.0}\n'
        case = self.write("cases.toml", memory_ladder.HEAD + memory_ladder.load_cases(4) + memory_ladder.PROBE + combination)
        free = self.solve("ritz-elasticity", case, *arguments)
        lacking, limit = 0, start
        while limit > end:
            outcome = self.run_case("ritz-elasticity", case, option, limit, *arguments)
            limit = int(0.93 * limit)
            self.assertIn(outcome.exit, (0, 6), outcome.errors)
            self.assertEqual(len(outcome.report["outputs"]), len(free.report["outputs"]), outcome.errors)
            if "output.format=vtkhdf" in arguments and "error: out of host memory" in outcome.errors:
                continue  # all steps of one file have the fields of the first, which had its stresses
            self.assertEqual(outcome.exit == 6, outcome.report["missing_fields"] == STRESSES, outcome.errors)
            lacking += outcome.exit == 6
            for part in ("load_cases", "combinations"):
                for name, each in free.report[part].items():
                    for found, expected in zip(outcome.report[part][name]["probes"]["tip"], each["probes"]["tip"]):
                        self.assertLessEqual(abs(found - expected), 1e-6 * max(map(abs, each["probes"]["tip"])))
        self.assertGreaterEqual(lacking, 2)

    def test_host(self):
        self.falling("--host-memory-limit", 4_000_000, 1_450_000)

    def test_host_in_one_file(self):
        self.falling("--host-memory-limit", 3_000_000, 1_600_000, "--set", "output.format=vtkhdf")


class ResumedWithoutStressesTest(Resume):
    """Killed behind a step that lacks its stresses, a run goes on without them, also with more memory, and says so at its end."""

    def test_who_goes_on_knows_what_is_lacking(self):
        box_meshes.write_box(self.folder / "box.msh", "hex", (20, 10, 10))
        sums = "".join(f'[[combination]]\nname = "sum {i}"\nfactors = {{"case 0" = 1.0, "case 2" = {i}.5}}\n' for i in range(6))
        case = self.write("cases.toml", memory_ladder.HEAD + memory_ladder.load_cases(4) + memory_ladder.PROBE + sums)
        whole, limit = None, 2_200_000
        while whole is None or not whole.report["missing_fields"]:
            limit = int(0.97 * limit)
            whole = self.run_case("ritz-elasticity", case, "--host-memory-limit", limit, threads=1, output=self.folder / f"whole-{limit}")
        results = self.folder / f"whole-{limit}"
        lacking = [path.name for path in results.rglob("*.vtu") if "stress" not in vtu.read(path)["PointData"]]
        self.assertIn("cases_000005_sum_1.vtu", lacking)
        for again in (["--host-memory-limit", limit], []):
            parts = self.folder / f"parts-{len(again)}"
            code, errors = self.stopped("ritz-elasticity", case, parts, "--host-memory-limit", limit, behind="combination 'sum 3'", keys={}, number=signal.SIGKILL)
            self.assertEqual(code, -signal.SIGKILL, errors)
            outcome = self.run_case("ritz-elasticity", case, "--resume", *again, threads=1, output=parts)
            self.assertEqual((outcome.exit, outcome.report["missing_fields"]), (6, STRESSES), outcome.errors)
            self.assertIn("resuming after", outcome.log)
            self.assertEqual(files_of(parts), files_of(results))
            self.assertTrue(self.verified(parts))


class SweepWithoutStressesTest(ritz.CaseTest):
    """A member whose stresses have no room has failed, with its displacements written; the sweep goes on and takes it up again."""

    def test_members_that_lack_fields_are_solved_again(self):
        case = ladder_case(self)
        case.write_text(case.read_text() + '[[sweep.parameter]]\nkey = "material.0.poisson"\nvalues = [0.2, 0.3]\n')
        out = self.folder / "out"
        short = self.run_case("ritz-elasticity", case, "--host-memory-limit", 1_050_000, "--set", "solver.operator=matrix_free", "--set", "solver.preconditioner=jacobi", output=out)
        self.assertEqual(short.exit, 6, short.errors)
        self.assertEqual(short.errors.count("error: "), 1)
        self.assertIn("the results lack 'stress'", short.errors)
        self.assertIn("is that of all 2 members", short.log)
        for member in short.report["sweep"].values():
            self.assertEqual((member["status"], member["probes"]["peak"]), ("failed", "nan"))
            self.assertLess(member["probes"]["tip"][2], 0)
            grid = vtu.read(next(path for path in member["outputs"] if path.endswith(".vtu")))
            self.assertIn("displacement", grid["PointData"])
        again = self.solve("ritz-elasticity", case, "--resume", "--set", "solver.operator=matrix_free", "--set", "solver.preconditioner=jacobi", output=out)
        for member in again.report["sweep"].values():
            self.assertEqual(member["status"], "complete")
            self.assertGreater(member["probes"]["peak"], 0)


class FallingHostLimitTest(ritz.CaseTest):
    """Less and less memory of the host, of which lists and files take their part beside the arrays: from good ways to worse, then exit code 6."""

    # From good to bad, as the fallbacks of the report tell.
    def rank(self, fallbacks):
        no_matrix = any("no matrix" in text for text in fallbacks)
        last = fallbacks[-1] if fallbacks else ""
        return 10 * no_matrix + max([i + 1 for i, step in enumerate(STEPS[:4]) if step in last], default=0)

    def descend(self, program, case, *arguments, smallest, ways):
        free = self.solve(program, case, *arguments)
        self.assertEqual(free.report["solver"]["fallbacks"], [])
        limit, worst, seen = free.report["memory"]["host_counted"], 0, set()
        ended = None
        while limit > 800_000:
            limit = int(0.8 * limit)
            outcome = self.run_case(program, case, "--host-memory-limit", limit, *arguments)
            self.assertIn(outcome.exit, (0, 6), outcome.errors)
            self.assertLessEqual(outcome.report["memory"]["host_counted"], limit)
            if outcome.exit == 6 and outcome.report["missing_fields"]:
                continue
            if outcome.exit == 6:
                ended = ended or limit
                self.assertRegex(outcome.errors, "error: out of (host )?memory.* [0-9.]+ [kM]B .*on top of")
                if outcome.report["memory"]["device_peak"] > 0:
                    self.assertRegex(outcome.errors, "why: (allocated|arrays on .*): .* [kM]B")
                continue
            self.assertIsNone(ended, "it fits into less")
            fallbacks = [text for text in outcome.report["solver"]["fallbacks"] if "before derived fields" not in text]
            for text in fallbacks:
                self.assertRegex(text, "^memory: .*[0-9] MB.*cost: ")
            self.assertLessEqual(worst, self.rank(fallbacks), fallbacks)
            worst = self.rank(fallbacks)
            seen.add(worst)
            self.assertLessEqual(outcome.residual, 1e-8)
            for name, values in free.probes.items():
                expected, found = ([each] if isinstance(each, float) else each for each in (values, outcome.probes[name]))
                for a, b in zip(expected, found):
                    self.assertLessEqual(abs(a - b), 1e-6 * max(map(abs, expected)))
        self.assertLess(ended / free.report["memory"]["host_counted"], smallest)
        self.assertGreaterEqual(len(seen), ways)

    def test_heat(self):
        # A matrix is named, as it needs none from the start.
        self.descend("ritz-heat", ritz.example(CASE), "--set", "solver.preconditioner=multigrid", smallest=0.4, ways=2)

    def test_elasticity(self):
        self.descend("ritz-elasticity", ladder_case(self), smallest=0.25, ways=3)

    def test_quadratic_cells(self):
        box_meshes.write_box(self.folder / "box.msh", "tet", (12, 5, 5))
        case = self.write("box.toml", '[mesh]\nfile = "box.msh"\norder = 2\n[solver]\nmethod = "cg"\n' + model_texts.ELASTICITY + memory_ladder.PROBE)
        self.descend("ritz-elasticity", case, smallest=0.25, ways=2)


class ColdDataTest(ritz.CaseTest):
    """A device with memory of its own, many load cases, and less and less memory: what is cold goes to the host before the CPU takes over."""

    def test_cold_data_goes_to_the_host_and_the_answer_stays(self):
        box_meshes.write_box(self.folder / "box.msh", "hex", (12, 7, 7))
        case = self.write("cases.toml", memory_ladder.HEAD + memory_ladder.load_cases(8) + memory_ladder.PROBE)
        free = self.solve("ritz-elasticity", case, "--device", "fake")
        tips = [tip for _, tip in memory_ladder.outcomes(free.report)]
        limit, seen = free.report["memory"]["device_peak"], []
        while "the CPU" not in seen:
            limit = int(0.85 * limit)
            outcome = self.solve("ritz-elasticity", case, "--device", "fake", "--memory-limit", limit)
            steps = memory_ladder.steps_of(outcome.report)
            if "the CPU" not in steps:
                self.assertLessEqual(outcome.report["memory"]["device_held_peak"], limit)
            for (solver, tip), expected in zip(memory_ladder.outcomes(outcome.report), tips):
                self.assertLessEqual(solver["true_relative_residual"], 1e-8)
                for component, value in zip(tip, expected):
                    self.assertLessEqual(abs(component - value), 1e-6 * max(map(abs, expected)))
            moved = sum(phase["bytes"] for name, phase in outcome.report["phases"].items() if name.endswith("cold data"))
            self.assertEqual(moved > 0, "cold data on the host" in steps)
            if "cold data on the host" in steps:  # bytes and cost are named
                texts = [text for solver, _ in memory_ladder.outcomes(outcome.report) for text in solver["fallbacks"]]
                self.assertRegex("".join(texts), r"MB went to the host and .* MB back in .* s")
            seen += [step for step in steps if step not in seen]
        order = list(memory_ladder.STEPS.values())
        self.assertEqual(seen, [step for step in order if step in seen])
        self.assertIn("cold data on the host", seen)


if __name__ == "__main__":
    unittest.main()
