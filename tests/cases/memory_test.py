"""Budgets of memory: obeyed to the byte, and exit code 6 with a table of tags instead of a crash."""
import json
import os
import pathlib
import subprocess
import sys
import unittest

import ritz

sys.path.append(str(pathlib.Path(__file__).resolve().parents[2] / "tools"))
import forecast_table  # noqa: E402  boxes
import memory_ladder  # noqa: E402

CASE = "heat_sink"


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
        self.assertIn("limit 0.1 MB", outcome.errors)
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


class ProfileTest(ritz.CaseTest):
    def test_nothing_crosses_between_host_and_device_inside_iterations(self):
        for program, case, keys in (("ritz-heat", "heat_sink", {}), ("ritz-elasticity", "bracket", {"solver.method": "cg"})):
            outcome = self.solve(program, ritz.example(case), "--device", "fake", keys=keys)
            phases = outcome.report["phases"]
            self.assertGreater(phases["assembly"]["bytes"], 0)  # what is counted is counted: lists go to the device
            self.assertEqual(phases["solve/iteration"]["bytes"], 0)
            self.assertLessEqual(phases["solve/iteration"]["scalar_reads"], outcome.report["solver"]["iterations"] + 20)

    def test_phases_hold_what_kernels_moved_and_the_copy_rate_only_when_asked(self):
        keys = {"solver.method": "cg", "solver.preconditioner": "jacobi"}
        plain = self.solve("ritz-heat", ritz.example("heat_sink"), keys=keys).report
        asked = self.solve("ritz-heat", ritz.example("heat_sink"), "--verbose", keys=keys)
        self.assertIsNone(plain["copy_rate"])
        self.assertGreater(asked.report["copy_rate"], 0)
        for report in (plain, asked.report):
            phases = report["phases"]
            iteration, steps = phases["solve/iteration"], report["solver"]["iterations"]
            # Conjugate gradients with Jacobi's preconditioner: 88 bytes for each unknown at least, beside the product (x, y: 16)
            self.assertGreaterEqual(iteration["kernel_bytes"], 104 * steps * report["unknowns"])
            self.assertGreaterEqual(phases["solve"]["kernel_bytes"], iteration["kernel_bytes"])
            self.assertGreater(phases["assembly"]["kernel_bytes"], 8 * report["unknowns"])
            self.assertEqual(phases["read"]["kernel_bytes"], 0)
            self.assertIsNone(phases["read"]["kernel_rate"])
            self.assertAlmostEqual(iteration["kernel_rate"] * iteration["seconds"] / iteration["kernel_bytes"], 1)
            for phase in phases.values():
                self.assertEqual(phase["bytes"], phase["to_device"] + phase["to_host"])
                known = report["copy_rate"] is not None and phase["kernel_rate"] is not None
                self.assertEqual(phase["of_copy_rate"] is not None, known)
        self.assertEqual(plain["phases"]["solve/iteration"]["kernel_bytes"], asked.report["phases"]["solve/iteration"]["kernel_bytes"])

    def test_phases_are_nearly_all_of_the_time_and_make_a_trace(self):
        trace = self.folder / "trace.json"
        outcome = self.solve("ritz-elasticity", ritz.example("bracket"), "--profile", trace)
        events = [event for event in json.loads(trace.read_text())["traceEvents"] if event["ph"] == "X"]
        phases = outcome.report["phases"]
        self.assertEqual({event["args"]["phase"] for event in events}, set(phases))
        for name, phase in phases.items():
            seconds = sum(event["dur"] for event in events if event["args"]["phase"] == name) * 1e-6
            self.assertAlmostEqual(seconds, phase["seconds"], delta=1e-5 * phase["calls"])
        self.assertEqual(next(iter(phases)), "start")  # of the process, with the libraries it loads
        self.assertGreater(phases["start"]["seconds"], 0)
        self.assertEqual(min(event["ts"] for event in events), 0)
        spans = sorted((event["ts"], event["ts"] + event["dur"]) for event in events if "/" not in event["args"]["phase"])
        for (_, end), (start, _) in zip(spans, spans[1:]):  # outer phases follow each other
            self.assertGreaterEqual(start, end - 1)
        outer = sum(end - start for start, end in spans)
        # 99 % where nothing else runs (tools/profile_table.py); a busy machine also takes its time between phases.
        self.assertGreater(outer, 0.5 * (spans[-1][1] - spans[0][0]))


STEPS = ["single precision", "16 bits", "Chebyshev", "the diagonal", "no matrix"]


def ladder_case(test):
    """A cantilever with multigrid in double precision."""
    forecast_table.write_box(test.folder / "box.msh", "hex", (20, 10, 10))
    probe = '[[probe]]\nname = "tip"\nfield = "displacement"\nregion = "x1"\nmeasure = "mean"\n'
    return test.write("box.toml", '[mesh]\nfile = "box.msh"\n[solver]\nmethod = "cg"\npreconditioner = "multigrid"\nmultigrid.precision = "double"\n'
                      + forecast_table.ELASTICITY.format(force="[0.0, 0.0, -1e-4]") + probe)


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
            limit = int(0.93 * limit)
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
        self.assertEqual(outcome.exit, 6, outcome.errors)
        self.assertEqual(seen, [step for step in STEPS if step in seen])
        self.assertEqual(seen[-1], "no matrix")
        self.assertGreaterEqual(len(seen), 3)


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
        while limit > 2_000_000:
            limit = int(0.87 * limit)
            outcome = self.run_case(program, case, "--host-memory-limit", limit, *arguments)
            self.assertIn(outcome.exit, (0, 6), outcome.errors)
            self.assertLessEqual(outcome.report["memory"]["host_counted"], limit)
            if outcome.exit == 6:
                ended = ended or limit
                self.assertRegex(outcome.errors, "error: out of (host )?memory.* [0-9.]+ MB .*on top of")
                if outcome.report["memory"]["device_peak"] > 0:
                    self.assertRegex(outcome.errors, "why: (allocated|arrays on .*): .* MB")
                continue
            self.assertIsNone(ended, "it fits into less")
            fallbacks = outcome.report["solver"]["fallbacks"]
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
        self.descend("ritz-heat", ritz.example(CASE), smallest=0.35, ways=2)

    def test_elasticity(self):
        self.descend("ritz-elasticity", ladder_case(self), smallest=0.25, ways=3)

    def test_quadratic_cells(self):
        self.descend("ritz-elasticity", ritz.example("bracket"), "--set", "solver.method=cg", smallest=0.25, ways=2)


class ColdDataTest(ritz.CaseTest):
    """A device with memory of its own, many load cases, and less and less memory: what is cold goes to the host before the CPU takes over."""

    def test_cold_data_goes_to_the_host_and_the_answer_stays(self):
        forecast_table.write_box(self.folder / "box.msh", "hex", (15, 9, 9))
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


def one_of(outcome):
    return outcome.report["unknowns"]


class ForecastTest(ritz.CaseTest):
    def test_check_and_estimate_say_what_the_run_takes(self):
        forecast_table.write_box(self.folder / "box.msh", "hex", (28, 14, 14))
        case = self.write("box.toml", '[mesh]\nfile = "box.msh"\n[solver]\nmethod = "cg"\npreconditioner = "multigrid"\n' +
                          forecast_table.ELASTICITY.format(force="[0.0, 0.0, -1e-4]"))
        check = self.run_case("ritz-elasticity", case, "--check")
        self.assertEqual(check.exit, 0, check.errors)
        self.assertIn("forecast: ", check.log)
        estimate = self.run_case("ritz-elasticity", case, "--estimate")
        self.assertIn("without a matrix", estimate.log)
        self.assertIn("H200", estimate.log)
        self.assertEqual(estimate.report["outputs"], [])
        peak = self.solve("ritz-elasticity", case).report["memory"]["device_peak"]
        forecast = estimate.report["forecast"]["multigrid, single precision"]
        self.assertLess(abs(forecast["device_peak"] / peak - 1), 0.15)
        self.assertEqual(sum(forecast["at_peak"].values()), forecast["device_peak"])
        tight = self.run_case("ritz-elasticity", case, "--check", "--memory-limit", int(0.7 * peak))
        self.assertIn("fits with", tight.log)

    def check_forecast(self, program, case, path, tolerance, *arguments):
        """The device's peak that --estimate foresees for a path, beside that of the run."""
        estimate = self.run_case(program, case, "--estimate", *arguments)
        self.assertEqual(estimate.exit, 0, estimate.errors)
        self.assertEqual(estimate.report["outputs"], [])
        run = self.solve(program, case, *arguments)
        forecast = estimate.report["forecast"][path]
        self.assertLess(abs(forecast["device_peak"] / run.report["memory"]["device_peak"] - 1), tolerance)
        return estimate, forecast, run

    def test_newtons_loop_and_equations_that_are_not_symmetric(self):
        forecast_table.write_box(self.folder / "box.msh", "hex", (20, 12, 12))
        mesh = '[mesh]\nfile = "box.msh"\n'
        rubber, head = forecast_table.NEWTON.split("\n", 1)[::-1]
        newton = self.write("rubber.toml", f'{head}\n{mesh}{rubber}[solver]\nmethod = "cg"\npreconditioner = "jacobi"\n')
        estimate, forecast, run = self.check_forecast("ritz-solve", newton, "conjugate gradients with the diagonal", 0.1)
        self.assertIn("assembly lists", forecast["at_peak"])  # which stay from step to step
        self.assertGreater(int(run.report["facts"]["newton_steps"]), 1)
        flux, head = forecast_table.UNSYMMETRIC.split("\n", 1)[::-1]
        case = self.write("flux.toml", f'{head}\n{mesh}{flux}[solver]\nmethod = "gmres"\npreconditioner = "multigrid"\nrestart = 60\n')
        estimate, forecast, run = self.check_forecast("ritz-solve", case, "multigrid, single precision", 0.15)
        unknowns = run.report["unknowns"]
        self.assertGreater(forecast["at_peak"]["vectors"], 120 * 8 * unknowns)  # two bases
        self.assertNotIn("without a matrix", estimate.report["forecast"])

    def test_a_factor_is_foreseen_by_the_analysis_of_the_run(self):
        forecast_table.write_structure(self.folder / "plate.msh", "plate", (40, 30, 0))
        forecast_table.write_box(self.folder / "box.msh", "hex", (16, 8, 8))
        shell = self.write("plate.toml", '[mesh]\nfile = "plate.msh"\n' + forecast_table.SHELL)
        solid = self.write("box.toml", '[mesh]\nfile = "box.msh"\n[solver]\nmethod = "direct"\n' +
                           forecast_table.ELASTICITY.format(force="[0.0, 0.0, -1e-4]"))
        for program, case in (("ritz-structure", shell), ("ritz-elasticity", solid)):
            estimate, forecast, run = self.check_forecast(program, case, "direct", 0.1)
            self.assertEqual(list(estimate.report["forecast"]), ["direct"])
            self.assertGreater(forecast["factor"], 1_000_000)
            self.assertEqual(forecast["factor"], run.report["solver"]["factor_bytes_foreseen"])
        # A CPU's factor lies on the host: where the host has no room for it, it does not fit, and the run says so, too.
        check = self.run_case("ritz-elasticity", solid, "--check")
        limit = ("--host-memory-limit", check.report["memory"]["host_counted"] + 1_000_000)
        self.assertIn("does not fit", self.run_case("ritz-elasticity", solid, "--check", *limit).log)
        self.assertEqual(self.run_case("ritz-elasticity", solid, *limit).exit, 6)
        self.assertTrue(forecast["fits"])

    def test_what_members_of_a_sweep_leave_for_the_next_is_counted(self):
        forecast_table.write_box(self.folder / "box.msh", "hex", (40, 30, 30))
        head = '[mesh]\nfile = "box.msh"\n' + forecast_table.HEAT + "[solver]\n" + forecast_table.MULTIGRID
        alone = self.write("alone.toml", head)
        _, one, _ = self.check_forecast("ritz-heat", alone, forecast_table.SINGLE, 0.1)
        members = forecast_table.MEMBERS.format(key="material.0.conductivity", first=1, last=3, count=9)
        estimate, forecast, run = self.check_forecast("ritz-heat", self.write("materials.toml", head + members), forecast_table.SINGLE, 0.1)
        self.assertIn("sweep: 9 members", estimate.log)
        self.assertGreater(forecast["at_peak"]["vectors"], one["at_peak"]["vectors"] + 8 * 8 * one_of(run))  # eight earlier solutions
        self.assertGreater(forecast["device_peak_refreshed"], forecast["device_peak"])
        loads = forecast_table.MEMBERS.format(key="flux.0.value", first=1, last=2, count=20)
        _, forecast, run = self.check_forecast("ritz-heat", self.write("loads.toml", head + loads), forecast_table.SINGLE, 0.1)
        self.assertEqual(run.report["facts"]["sweep_largest_batch"], "20")
        self.assertGreater(forecast["at_peak"]["vectors"], 80 * 8 * one_of(run))  # right-hand sides and solutions of all of them, twice

    def test_both_ways_to_modes(self):
        forecast_table.write_box(self.folder / "box.msh", "hex", (16, 8, 8))
        case = self.write("modes.toml", '[mesh]\nfile = "box.msh"\n' + forecast_table.MODAL + "[modal]\ncount = 6\n")
        estimate, forecast, run = self.check_forecast("ritz-modal", case, forecast_table.LANCZOS, 0.1)
        self.assertEqual(list(estimate.report["forecast"]), [forecast_table.LANCZOS, forecast_table.LOBPCG])  # it would be stepped down to
        self.assertEqual(forecast["factor"], run.report["solver"]["factor_bytes_foreseen"])
        self.assertGreater(forecast["at_peak"]["eigenvectors"], 46 * 8 * run.report["unknowns"])
        estimate, forecast, run = self.check_forecast("ritz-modal", case, forecast_table.LOBPCG, 0.15, "--set", "modal.method=lobpcg")
        self.assertEqual(list(estimate.report["forecast"]), [forecast_table.LOBPCG])
        band = self.run_case("ritz-modal", self.write("band.toml", case.read_text().replace("count = 6", "band = [0, 0.1]")), "--check")
        self.assertIn("only when they are counted", band.log)

    def test_every_program_has_an_estimate(self):
        for program in ("ritz-heat", "ritz-elasticity", "ritz-modal", "ritz-structure", "ritz-solve"):
            shown = subprocess.run([str(ritz.BIN / program), "--help"], capture_output=True, text=True, timeout=60).stdout
            refused = subprocess.run([str(ritz.BIN / program), "no.toml", "--estimate"], capture_output=True, text=True, timeout=60)
            self.assertEqual(refused.returncode, 2)
            self.assertIn("--estimate", shown)
            self.assertIn("no.toml", refused.stderr)


class ToolTest(ritz.CaseTest):
    def tool(self, *arguments):
        return subprocess.run([str(ritz.BIN / "ritz"), *map(str, arguments)], capture_output=True, text=True, timeout=60, cwd=self.folder)

    def test_size_answers_without_a_mesh_and_grows_with_the_unknowns(self):
        def gigabytes(unknowns):
            text = self.tool("size", "--unknowns", unknowns, "--cell", "hex8").stdout
            return float(text.split("device peak")[1].split("GB")[0])
        self.assertAlmostEqual(gigabytes("80e6") / gigabytes("20e6"), 4, delta=0.05)
        self.assertIn("does not fit", self.tool("size", "--unknowns", "1e9", "--cell", "tet10").stdout)

    def test_size_respects_a_table_of_cards(self):
        cards = self.write("cards.txt", "# name; GB; GB/s\nTiny; 1; 100\n")
        os.environ["RITZ_CARDS"] = str(cards)
        self.addCleanup(os.environ.pop, "RITZ_CARDS")
        text = self.tool("size", "--unknowns", "20e6").stdout
        self.assertIn("Tiny", text)
        self.assertNotIn("H200", text)

    def test_size_refuses_senseless_questions(self):
        for arguments in (("--unknowns", "0"), ("--unknowns", "-5"), ("--unknowns", "1e6", "--cell", "hexx"), ("--unknowns", "1e6", "--cell", "line2"),
                          ("--unknowns", "1e6", "--physics", "magic")):
            self.assertEqual(self.tool("size", *arguments).returncode, 2, arguments)

    def test_doctor_has_a_remedy_for_whatever_is_not_good(self):
        outcome = self.tool("doctor", "--json")
        findings = json.loads(outcome.stdout)
        subjects = {finding["subject"] for finding in findings}
        self.assertLessEqual({"processor", "threads", "memory", "disk", "libraries", "ParaView"}, subjects)
        faults = [finding for finding in findings if finding["state"] == "fault"]
        self.assertEqual(outcome.returncode, 8 if faults else 0)
        for finding in findings:
            self.assertEqual(finding["state"] == "good", finding["remedy"] == "", finding)
        self.assertEqual(list(self.folder.glob(".ritz-doctor*")), [])

    def test_doctor_tries_the_disk_of_the_folder_it_is_given(self):
        def disk(folder):
            findings = json.loads(self.tool("doctor", "--json", "--folder", str(folder)).stdout)
            return next(finding for finding in findings if finding["subject"] == "disk")

        there = self.folder / "there"
        there.mkdir()
        self.assertRegex(disk(there)["value"], r"^[0-9]+ MB/s to '.*there', flushed$")
        self.assertEqual(list(there.iterdir()), [])
        missing = disk(self.folder / "missing")
        self.assertEqual(missing["state"], "advice")
        self.assertIn("cannot be written", missing["value"])


if __name__ == "__main__":
    unittest.main()
