"""Phases of a run: what moves between host and device, and where the time goes."""
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import unittest

import ritz

sys.path.append(str(pathlib.Path(__file__).resolve().parents[2] / "tools"))
import box_meshes  # noqa: E402
import model_texts  # noqa: E402


class ProfileTest(ritz.CaseTest):
    def test_nothing_crosses_between_host_and_device_inside_iterations(self):
        for program, case, keys in (("ritz-heat", "heat_sink", {}), ("ritz-elasticity", "lame/solid", {"solver.method": "cg", "solver.preconditioner": "multigrid"})):
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


class StartTest(ritz.CaseTest):
    """The OpenMP library tells the spin count that it has read; where a program started again for it, twice."""

    def spins(self, program, **environment):
        clean = {name: value for name, value in os.environ.items() if name not in ("GOMP_SPINCOUNT", "OMP_WAIT_POLICY")}
        process = subprocess.run([str(ritz.BIN / program), "--help"], capture_output=True, text=True, timeout=60,
                                 env=clean | {"OMP_DISPLAY_ENV": "verbose"} | environment)
        self.assertEqual(process.returncode, 0)
        return re.findall(r"GOMP_SPINCOUNT = '(\d+)'", process.stderr)

    def test_programs_spin_shortly_without_starting_twice(self):
        for program in ("ritz", "ritz-bench", "ritz-heat", "ritz-elasticity", "ritz-modal", "ritz-structure", "ritz-solve"):
            counts = self.spins(program)
            self.assertEqual(len(counts), 1)  # of 25 microseconds in pauses of 2.5 ns at least; the library's own counts are 100 and more than 10000
            self.assertTrue(100 < int(counts[0]) <= 10000, counts)
            self.assertEqual(self.spins(program, GOMP_SPINCOUNT="77"), ["77"])

    def test_programs_tell_their_version(self):
        versions = {program: subprocess.run([str(ritz.BIN / program), "--version"], capture_output=True, text=True, timeout=60, check=True).stdout
                    for program in ("ritz", "ritz-heat", "ritz-elasticity", "ritz-modal", "ritz-structure", "ritz-solve")}
        for program, text in versions.items():
            self.assertRegex(text, rf"^{program} \d+\.\d+\.\d+( \([0-9a-f]+\+?\))?\n$")
        outcome = self.solve("ritz-heat", ritz.example("wall"))
        self.assertEqual(f"ritz-heat {outcome.report['version']}\n", versions["ritz-heat"])
        resolved = next(path for path in outcome.report["outputs"] if path.endswith(".resolved.toml"))
        self.assertIn(outcome.report["version"], pathlib.Path(resolved).read_text().splitlines()[0])

    def test_one_thread_computes_one_writes_and_one_watches(self):
        factors = "".join(f'[[combination]]\nname = "sum {k}"\nfactors = {{pull = {k + 1}}}\n' for k in range(20))
        load = '[[load_case]]\nname = "pull"\n[[load_case.force]]\nregion = "x1"\nvalue = [1e-4, 0, 0]\n'
        box_meshes.write_box(self.folder / "box.msh", "hex", (6, 4, 4))
        case = self.write("sums.toml", '[mesh]\nfile = "box.msh"\n' + model_texts.ELASTICITY.split("[[force]]")[0] + load + factors)
        out, most = self.folder / "out", 0
        process = subprocess.Popen([str(ritz.BIN / "ritz-elasticity"), str(case), "--threads", "1", "--quiet", "--output", str(out)],
                                   env=os.environ | {"OPENBLAS_NUM_THREADS": "1"} | ritz.fault(out, "any", 1, "stop", stays=1))
        while ritz.stops(process):  # before each call that changes a file
            most = max(most, len(os.listdir(f"/proc/{process.pid}/task")))
            process.send_signal(signal.SIGCONT)
        self.assertEqual(process.wait(), 0)
        self.assertEqual(most, 3)  # the third sleeps, and ends the process where long work does not hear a stop request


if __name__ == "__main__":
    unittest.main()
