"""tools/gpu_check.py on bundles of a few shell scripts: what it says of failures, of bits and of memory, and what it packs."""

import json
import pathlib
import subprocess
import sys
import tarfile
import tempfile
import unittest

TOOL = pathlib.Path(__file__).resolve().parents[2] / "tools/gpu_check.py"

SOLVE = """#!/usr/bin/env python3
import json, os, pathlib, sys
arguments = dict(zip(sys.argv[2::1], sys.argv[3::1]))
count = pathlib.Path(__file__).with_name("count")
turn = int(count.read_text()) + 1 if count.exists() else 1
count.write_text(str(turn))
if "--memory-limit" in sys.argv: sys.exit(6)
FORECAST = {"direct": {"device_peak": 9000000, "fits": False}, "multigrid": {"device_peak": 2900000, "fits": True}}
report = {"forecast": FORECAST if "--estimate" in sys.argv else {}, "probes": {"peak": VALUE, "lengthening": VALUE}, "solver": {"iterations": 7, "last_residuals": [1e-9]}, "memory": {"device_held_peak": 3000000}}
pathlib.Path(arguments["--json"]).write_text(json.dumps(report)) if "--json" in arguments else None
if os.environ.get("RITZ_LAUNCH_TABLE") == "1": print("launch   count\\nspmv and dot                             3        0.1  0.2  0.3  4.5  1500.0  35 %")
"""
TEST = """#!/bin/sh
echo "$CUDA_MODULE_LOADING $CUDA_LAUNCH_BLOCKING $*" >> "$0.calls"
echo "[  PASSED  ] 3 tests."
if [ FAILS = 1 ]; then
  echo "[  FAILED  ] Gpu.Adds (3 ms)"; echo "the last launch was 'spmv'"; exit 1
fi
"""


class Bundle:
    def __init__(self, folder, value="1.5", fails=0):
        self.root = pathlib.Path(folder) / "bundle"
        (self.root / "bin").mkdir(parents=True)
        (self.root / "share/ritz/examples/bar").mkdir(parents=True)
        (self.root / "share/ritz/examples/README.md").write_text("| `bar/bar` | a bar | ritz-elasticity | 1.5 |\n")
        (self.root / "share/ritz/examples/bar/bar.toml").write_text("")
        self.program("ritz-elasticity", SOLVE.replace("VALUE", value))
        self.program("test_solvers_gpu", TEST.replace("FAILS", str(fails)))
        self.program("test_fem", TEST.replace("FAILS", "0"))
        self.program("test_mixed", TEST.replace("FAILS", "0"))
        self.out = pathlib.Path(folder) / "out"

    def program(self, name, text):
        path = self.root / "bin" / name
        path.write_text(text)
        path.chmod(0o755)

    def check(self, *steps):
        done = subprocess.run([sys.executable, str(TOOL), str(self.root), str(self.out), "--steps", *steps], capture_output=True, text=True)
        return done.returncode, done.stdout + done.stderr


class GpuCheck(unittest.TestCase):
    def in_bundle(self, **options):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        return Bundle(folder.name, **options)

    def test_all_kernels_are_loaded_at_once_and_a_failure_runs_again_launch_by_launch(self):
        bundle = self.in_bundle(fails=1)
        status, text = bundle.check("tests")
        self.assertEqual(status, 1, text)
        calls = (bundle.root / "bin/test_solvers_gpu.calls").read_text().splitlines()
        self.assertEqual(calls[:2], ["EAGER  ", " 1 --gtest_filter=Gpu.Adds"])
        self.assertIn("the last launch was 'spmv'", text)

    def test_large_bar_has_the_length_of_statics_or_fails(self):
        for value, wanted in (("1.000000001e-3", 0), ("1.1e-3", 1)):
            bundle = self.in_bundle(value=value)
            status, text = bundle.check("large")
            self.assertEqual(status, wanted, text)
            self.assertIn("region = \"x1\"", (bundle.out / "bar.toml").read_text())

    def test_what_passes_runs_once(self):
        bundle = self.in_bundle()
        status, text = bundle.check("tests")
        self.assertEqual(status, 0, text)
        self.assertEqual(len((bundle.root / "bin/test_solvers_gpu.calls").read_text().splitlines()), 1)

    def test_a_test_left_out_for_want_of_a_library_is_a_failure_and_one_for_another_card_is_not(self):
        for reason, wanted in (("skipped: no NCCL: libnccl.so.2 is missing", 1), ("skipped: no direct solver", 1), ("on two GPUs only", 0)):
            bundle = self.in_bundle()
            bundle.program("test_solvers_gpu", f"#!/bin/sh\necho 'gpu_test.cpp:7: Skipped'\necho '{reason}'\necho '[  SKIPPED ] 1 test, listed below:'\necho '[  PASSED  ] 3 tests.'\n")
            status, text = bundle.check("tests")
            self.assertEqual(status, wanted, text)
            self.assertEqual(reason in text, wanted == 1, text)

    def test_without_a_gpu_the_check_fails(self):
        bundle = self.in_bundle()
        bundle.program("test_fem", "#!/bin/sh\necho 'no GPU can be used'\n")
        self.assertEqual(bundle.check("tests")[0], 1)

    def test_the_references_of_the_bundle_stand_for_the_cpu(self):
        bundle = self.in_bundle()
        done = subprocess.run([sys.executable, str(TOOL), str(bundle.root), str(bundle.out), "--write-references", str(bundle.root / "references.json")],
                              capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertEqual(bundle.check("agree")[0], 0)
        self.assertEqual((bundle.root / "bin/count").read_text(), "2")  # one run for the references, one on the GPU
        (bundle.root / "references.json").write_text('{"bar-bar": {"peak": [1.6], "lengthening": [1.5]}}')
        status, text = bundle.check("agree")
        self.assertEqual(status, 1, text)

    def test_copies_from_the_card_are_compared_with_the_predicted_bits(self):
        bundle = self.in_bundle()
        (bundle.root / "lib").mkdir()
        (bundle.root / "lib/libritz_copies.so").write_text("")
        for path in ("test_fem", "test_mixed", "test_multigrid_gpu", "test_solvers_gpu", "ritz-heat", "ritz-elasticity", "ritz-structure"):
            bundle.program(path, "#!/bin/sh\nprintf '1\\t8\\tabc\\n2\\t16\\tdef\\n' > $RITZ_COPIES\n")
        done = subprocess.run([sys.executable, str(TOOL), str(bundle.root), str(bundle.out), "--write-golden", str(bundle.root / "golden.json")],
                              capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertEqual(bundle.check("golden")[0], 0)
        bundle.program("test_mixed", "#!/bin/sh\nprintf '1\\t8\\tabc\\n2\\t16\\t123\\n' > $RITZ_COPIES\n")
        status, text = bundle.check("golden")
        self.assertEqual(status, 1)
        self.assertIn("1 of 2 copies have the predicted bits, not number 2", text)
        (bundle.root / "lib/libritz_copies.so").unlink()
        self.assertIn("missing: libritz_copies.so", bundle.check("golden")[1])

    def test_steps_run_in_the_order_of_their_use_and_share_the_minutes(self):
        status, text = self.in_bundle().check("memory", "table", "repeat")
        self.assertEqual(status, 0, text)
        times = [line.split()[1:] for line in text.split("packed:")[0].splitlines() if line.startswith("time")]
        self.assertEqual([name for name, *_ in times], ["table", "repeat", "memory"])
        self.assertAlmostEqual(sum(float(row[-2]) for row in times), 540, delta=2)

    def test_a_missing_sanitizer_is_a_failure(self):
        status, text = self.in_bundle().check("sanitize")
        self.assertEqual(status, 0 if "missing" not in text else 1, text)

    def test_equal_bits_pass_and_others_fail(self):
        self.assertEqual(self.in_bundle().check("repeat")[0], 0)
        status, text = self.in_bundle(value="1.5 + 1e-15 * turn").check("repeat")
        self.assertEqual(status, 1, text)
        self.assertIn("other bits", text)

    def test_a_run_at_the_limit_may_say_that_memory_is_short(self):
        status, text = self.in_bundle().check("memory")
        self.assertEqual(status, 0, text)
        self.assertIn("forecast 3 MB, ours 3 MB", text)
        self.assertIn("too little memory, said so", text)

    def test_the_launch_table_is_shown(self):
        status, text = self.in_bundle().check("table")
        self.assertEqual(status, 0, text)
        self.assertIn("spmv and dot", text)
        self.assertIn("4.5 1500.0 35 %", text)

    def test_one_archive_holds_the_logs_without_the_results(self):
        bundle = self.in_bundle()
        (bundle.out / "results").mkdir(parents=True)
        (bundle.out / "results/large.vtu").write_text("x")
        bundle.check("repeat")
        with tarfile.open(bundle.out.with_name("out.tar.gz")) as archive:
            names = archive.getnames()
        self.assertIn("out/table.txt", names)
        self.assertIn("out/repeat-bar-1.json", names)
        self.assertFalse([name for name in names if "large" in name])

    def test_the_verdicts_come_last(self):
        _, text = self.in_bundle().check("repeat", "memory")
        self.assertTrue(text.rstrip().endswith("nothing failed"), text)


if __name__ == "__main__":
    unittest.main()
