"""tools/test_seconds.py: what grew, whatever the speed of the machine, and tests/processor_seconds, which measures."""

import pathlib
import resource
import signal
import subprocess
import sys
import tempfile
import unittest

TOOLS = pathlib.Path(__file__).resolve().parents[2] / "tools"
sys.path.insert(0, str(TOOLS))
import test_seconds  # noqa: E402

MEASURE = sys.argv.pop() if len(sys.argv) > 1 else ""
TABLE = {"fem": 80.0, "cases.heat": 40.0, "cases.modes": 30.0, "cases.log": 2.0, "python.run": 20.0}


def grown(now):
    return [group for group, _, _ in test_seconds.grown(now, TABLE)]


class Table(unittest.TestCase):
    def test_a_slower_machine_is_slower_for_all_groups(self):
        for factor in (0.5, 1.0, 1.7, 3.0):
            self.assertEqual(grown({group: factor * seconds for group, seconds in TABLE.items()}), [])

    def test_one_that_grows_by_half_is_named_on_any_machine(self):
        for factor in (0.5, 1.0, 1.7, 3.0):
            now = {group: factor * seconds for group, seconds in TABLE.items()}
            self.assertEqual(grown(now | {"cases.heat": factor * 61}), ["cases.heat"])
            self.assertEqual(grown(now | {"cases.heat": factor * 59}), [])

    def test_a_new_group_needs_a_line_unless_it_is_small(self):
        self.assertEqual(grown(TABLE | {"cases.new": 6}), ["cases.new"])
        self.assertEqual(grown(TABLE | {"cases.new": 4}), [])

    def test_small_groups_may_grow(self):
        self.assertEqual(grown(TABLE | {"cases.log": 6}), [])

    def test_entries_of_a_file_or_a_program_are_a_group(self):
        for name, group in {"cases.faults.2": "cases.faults", "cases.heat": "cases.heat", "fem.Cracks": "fem", "mixed.All/Stokes": "mixed",
                            "emulated_gpu.solvers.1": "emulated_gpu.solvers", "python.run": "python.run"}.items():
            self.assertEqual(test_seconds.group_of(name), group)

    def test_a_group_of_which_an_entry_did_not_run_is_left_out(self):
        with tempfile.TemporaryDirectory() as scratch:
            build = pathlib.Path(scratch)
            seconds = build / "tests/seconds"
            seconds.mkdir(parents=True)
            entries = [{"name": name, "command": ["m", str(seconds), name, "x"]} for name in ("cases.a.1", "cases.a.2", "cases.b", "fem.All/X.y")]
            entries.append({"name": "style.format", "command": ["x"]})
            for name in ("cases.a.1", "cases.b", "fem.All:X.y"):
                (seconds / name).write_text("2.5\n")
            self.assertEqual(test_seconds.kept(build, entries), {"cases.b": 2.5, "fem": 2.5})


@unittest.skipUnless(MEASURE, "no program to try")
class Measure(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = pathlib.Path(scratch.name)

    def run_measured(self, *command):
        return subprocess.run([MEASURE, self.folder, "All/a.b", *command], capture_output=True, text=True)

    def seconds(self):
        return float((self.folder / "All:a.b").read_text())

    def test_children_of_children_count_and_waiting_does_not(self):
        work = "import resource\nwhile resource.getrusage(resource.RUSAGE_SELF).ru_utime < 0.5: pass"
        of_children = lambda: sum(resource.getrusage(resource.RUSAGE_CHILDREN)[:2])  # user and system
        before = of_children()
        self.assertEqual(self.run_measured("sh", "-c", f"'{sys.executable}' -c '{work}'; sleep 0.2; exit 0").returncode, 0)
        self.assertGreaterEqual(self.seconds(), 0.5)
        self.assertLessEqual(self.seconds(), of_children() - before + 0.1)

    def test_the_exit_code_and_the_signal_are_those_of_the_command(self):
        self.assertEqual(self.run_measured("sh", "-c", "exit 77").returncode, 77)
        self.assertEqual(self.run_measured("sh", "-c", "kill -SEGV $$").returncode, -signal.SIGSEGV)
        self.assertEqual(self.run_measured("/no/such/program").returncode, 127)

    def test_the_command_ends_with_it(self):
        process = subprocess.Popen([MEASURE, self.folder, "All/a.b", "sh", "-c", "echo $$; exec sleep 100"], stdout=subprocess.PIPE, text=True)
        child = int(process.stdout.readline())
        process.kill()
        process.wait()
        with process.stdout:
            self.assertEqual(process.stdout.read(), "")  # the pipe closes as the child ends
        self.assertFalse(pathlib.Path(f"/proc/{child}/cmdline").exists() and pathlib.Path(f"/proc/{child}/cmdline").read_bytes())


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
