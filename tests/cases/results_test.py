"""Committed files stay: the journal, the lock, existing results, signals, odd places and names."""
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import zlib

import vtu
from ritz import BIN, CaseTest, example, fault, stops


def verify(folder):
    """Exit code and {path: state} of `ritz results verify`."""
    process = subprocess.run([BIN / "ritz", "results", "verify", folder], capture_output=True, text=True, timeout=60)
    states = {path: state for state, path in re.findall(r"^(ok|damaged|missing|extra) +([^:\n]+)", process.stdout, re.M)}
    return process.returncode, states, process.stdout + process.stderr


def command(program, case, folder, *arguments):
    return [str(word) for word in (BIN / program, case, "--threads", 1, "--output", folder, *arguments)]


def leftovers(folder):
    return [str(path) for path in pathlib.Path(folder).rglob("*") if path.name.endswith(".tmp") or path.name.startswith(".ritz")]


MODES = ["--set", "modal.count=4", "--set", "modal.animate=30"]  # four series of 30 steps
WRITING = 52  # the call of fsync() before which some steps of such a run have been committed; each has five


class Journal(CaseTest):
    def test_every_line_and_every_file_has_the_checksum_that_zlib_gives(self):
        outcome = self.solve("ritz-modal", example("modal/cantilever"), "--set", "modal.count=1", "--set", "modal.animate=3")
        results = outcome.folder / "results"
        lines = (results / "results.journal").read_bytes().splitlines()
        self.assertEqual(len(lines), 5)  # four steps, and the end of the run
        for line in lines:
            self.assertEqual(int(line[:8], 16), zlib.crc32(line[9:]))
            for path, size, crc in re.findall(rb'"path":"([^"]*)","size":(\d+),"crc32":"(\w+)"', line):
                data = (results / path.decode()).read_bytes()
                self.assertEqual((len(data), zlib.crc32(data)), (int(size), int(crc, 16)))
        exit_code, states, _ = verify(results)
        self.assertEqual((exit_code, set(states.values())), (0, {"ok"}))
        self.assertEqual(len(states), 8)  # the journal, four steps, two indices, the resolved case
        self.assertFalse(leftovers(results))

    def test_any_changed_byte_any_lost_byte_and_any_lost_file_is_seen(self):
        results = self.solve("ritz-heat", example("fin")).folder / "results"
        for path in sorted(p for p in results.rglob("*") if p.is_file()):
            good, name = path.read_bytes(), str(path.relative_to(results))
            end = len(good) - path.name.endswith("journal")  # without its end, a last line is one that was never finished
            for at in range(0, end, max(1, end // 60)):
                path.write_bytes(good[:at] + bytes([good[at] ^ 0x10]) + good[at + 1:])
                self.assertEqual(verify(results)[0], 9, f"{name}, byte {at}")
            if path.name != "results.journal":
                path.write_bytes(good[:-1])
                self.assertEqual(verify(results)[1][name], "damaged")
                path.unlink()
                self.assertEqual(verify(results)[1][name], "missing")
            path.write_bytes(good)
            self.assertEqual(verify(results)[0], 0)
        (results / "notes.txt").write_text("mine")
        self.assertEqual(verify(results)[:2], (0, {**verify(results)[1], "notes.txt": "extra"}))

    def test_a_journal_cut_at_any_byte_is_a_journal_of_fewer_steps(self):
        results = self.solve("ritz-modal", example("modal/cantilever"), "--set", "modal.count=1", "--set", "modal.animate=2").folder / "results"
        journal = results / "results.journal"
        good = journal.read_bytes()
        ends = [i + 1 for i, byte in enumerate(good) if byte == 10]
        steps = ends[:-1]  # the last line is the end of the run
        for at in [*range(0, len(good), 17), *ends]:
            journal.write_bytes(good[:at])
            exit_code, _, text = verify(results)
            self.assertIn(f"{sum(end <= at for end in steps)} steps committed", text)
            self.assertEqual("unfinished" in text, at not in (0, *ends))

    def test_a_table_of_probes_may_be_ahead_by_one_row(self):
        """It is written before the journal's line."""
        results = self.solve("ritz-heat", example("transient/nafems_t3")).folder / "results"
        [table] = results.glob("*_probes.csv")
        good = table.read_bytes()
        row = good.splitlines(keepends=True)[-1]
        for more, exit_code in ((row, 0), (2 * row, 9), (row[:-1], 9)):
            table.write_bytes(good + more)
            self.assertEqual(verify(results)[0], exit_code)

    def test_what_is_no_folder_of_results(self):
        self.assertEqual(verify(self.folder / "none")[0], 2)
        self.assertEqual(verify(self.folder)[0], 9)


class Existing(CaseTest):
    def test_inline_data_are_the_numbers_of_the_raw_ones(self):
        raw, inline = (self.solve("ritz-heat", example("fin"), keys={"output.encoding": encoding}) for encoding in ("appended", "inline"))
        of_raw, of_inline = vtu.read(raw.results()), vtu.read_inline(inline.results())
        self.assertEqual(of_raw, of_inline)
        self.assertIn("temperature", of_inline["PointData"])
        text = pathlib.Path(inline.results()).read_text()  # what meshio knows: no appended data, no texts
        self.assertNotIn("AppendedData", text)
        self.assertNotIn('type="String"', text)

    def test_an_encoding_that_readers_do_not_have_is_refused(self):
        for keys in ({"output.format": "vtkhdf"}, {"output.compression": "lz4"}):
            outcome = self.run_case("ritz-heat", example("fin"), "--check", keys={"output.encoding": "inline", **keys})
            self.assertEqual(outcome.exit, 2)
            self.assertIn("output.encoding" if "output.format" in keys else "output.compression", outcome.errors)

    def test_results_are_replaced_only_when_asked_for(self):
        folder = self.folder / "shared"
        self.solve("ritz-heat", example("fin"), output=folder)
        before = {p: p.read_bytes() for p in folder.rglob("*") if p.is_file()}
        outcome = self.run_case("ritz-heat", example("fin"), output=folder)
        self.assertEqual(outcome.exit, 7)
        self.assertIn("--overwrite", outcome.errors)
        self.assertIn("1 steps committed", outcome.errors)
        for question in ("--check", "--estimate"):  # is about the case
            outcome = self.solve("ritz-heat", example("fin"), question, output=folder)
            self.assertIn("forecast: ", outcome.log)
            told = [notice for notice in outcome.report["notices"] if "exit code 7" in notice and "1 steps committed" in notice and "--overwrite" in notice]
            self.assertEqual(len(told), question == "--check")
        self.assertEqual(before, {p: p.read_bytes() for p in folder.rglob("*") if p.is_file()})
        self.solve("ritz-heat", example("fin"), "--overwrite", output=folder)
        self.assertEqual(verify(folder)[0], 0)
        self.assertEqual(set(before), {p for p in folder.rglob("*") if p.is_file()})

    def test_a_failing_run_with_overwrite_leaves_the_old_results(self):
        folder = self.folder / "shared"
        self.solve("ritz-heat", example("fin"), output=folder)
        before = {p: p.read_bytes() for p in folder.rglob("*") if p.is_file()}
        outcome = self.run_case("ritz-heat", example("fin"), "--overwrite", output=folder,
                                keys={"solver.method": "cg", "solver.preconditioner": "none", "solver.max_iterations": 1})
        self.assertEqual(outcome.exit, 5)
        self.assertEqual(before, {p: p.read_bytes() for p in folder.rglob("*") if p.is_file()})

    def test_fewer_steps_leave_no_step_of_the_older_run(self):
        folder = self.folder / "shared"
        self.solve("ritz-modal", example("modal/cantilever"), *MODES, output=folder)
        self.solve("ritz-modal", example("modal/cantilever"), "--overwrite", "--set", "modal.count=1", "--set", "modal.animate=2", output=folder)
        exit_code, states, _ = verify(folder)
        self.assertEqual((exit_code, set(states.values())), (0, {"ok"}))
        self.assertEqual(len(list(folder.rglob("*.vtu"))), 3)
        self.assertFalse((folder / "replaced").exists())

    def test_two_cases_share_a_folder(self):
        folder = self.folder / "shared"
        self.solve("ritz-heat", example("fin"), output=folder)
        self.solve("ritz-heat", example("wall"), output=folder)
        self.solve("ritz-heat", example("fin"), "--overwrite", output=folder)
        exit_code, states, text = verify(folder)
        self.assertEqual((exit_code, set(states.values())), (0, {"ok"}), text)
        self.assertEqual(len(list(folder.rglob("*.vtu"))), 2)

    def test_a_damaged_journal_is_not_written_to(self):
        folder = self.folder / "shared"
        self.solve("ritz-heat", example("fin"), output=folder)
        journal = folder / "results.journal"
        journal.write_bytes(journal.read_bytes().replace(b"fin", b"fan"))
        self.assertEqual(self.run_case("ritz-heat", example("fin"), "--overwrite", output=folder).exit, 9)


class Lock(CaseTest):
    def test_of_eight_runs_at_once_exactly_one_wins(self):
        """All start while the first is held in its solve: a lock file of a dead run is there for all to take over."""
        for stale in (False, True):
            folder = self.folder / f"shared{stale}"
            folder.mkdir()
            if stale:
                (folder / ".ritz-lock").write_text('{"host":"%s","program":"ritz-heat","began":"2026-01-01T00:00:00Z","pid":999999999}' % os.uname().nodename)
            runs = [subprocess.Popen(command("ritz-modal", example("modal/cantilever"), folder, *MODES), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
                    for _ in range(8)]
            outcomes = [(run.communicate(timeout=300), run.returncode) for run in runs]
            self.assertEqual(sorted(code for _, code in outcomes), [0] + 7 * [7])
            for (log, errors), code in outcomes:
                if code == 7:  # too early or too late
                    self.assertRegex(errors, "another run writes to the folder|holds results of")
                else:
                    self.assertEqual("taken over" in log, stale)
            self.assertEqual(verify(folder)[0], 0)
            self.assertFalse(leftovers(folder))

    def test_the_first_run_is_named(self):
        folder = self.folder / "shared"
        run = subprocess.Popen(command("ritz-modal", example("modal/cantilever"), folder, *MODES), stdout=subprocess.DEVNULL,
                               env={**os.environ, **fault(folder, "fsync", WRITING, "stop")})
        try:
            self.assertTrue(stops(run))
            outcome = self.run_case("ritz-heat", example("fin"), output=folder)
            self.assertEqual(outcome.exit, 7)
            self.assertIn(f"ritz-modal, process {run.pid} on {os.uname().nodename}", outcome.errors)
            self.assertIn("writes here now", verify(folder)[2])
        finally:
            os.kill(run.pid, signal.SIGKILL)
            run.wait()
        outcome = self.solve("ritz-heat", example("fin"), output=folder)
        self.assertIn("the lock is taken over", outcome.log)

    def test_a_lock_of_another_host_is_respected(self):
        folder = self.folder / "shared"
        folder.mkdir()
        (folder / ".ritz-lock").write_text('{"host":"elsewhere","program":"ritz-heat","began":"2026-01-01T00:00:00Z","pid":1}')
        outcome = self.run_case("ritz-heat", example("fin"), output=folder)
        self.assertEqual(outcome.exit, 7)
        self.assertIn("process 1 on elsewhere", outcome.errors)


class Stopping(CaseTest):
    def stop_while_writing(self, *signals):
        """The run stops before each fsync from the WRITING-th on, and gets the next signal."""
        folder = self.folder / f"results{len(list(self.folder.iterdir()))}"
        run = subprocess.Popen(command("ritz-modal", example("modal/cantilever"), folder, "--json", self.folder / "report.json", *MODES),
                               stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, env={**os.environ, **fault(folder, "fsync", WRITING, "stop", stays=1)})
        while stops(run):
            if signals:
                run.send_signal(signals[0])
                signals = signals[1:]
            run.send_signal(signal.SIGCONT)
        self.assertFalse(signals)
        return folder, run.communicate(timeout=60)[1], run.returncode

    def test_the_first_signal_ends_the_step_and_tidies_up(self):
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            folder, errors, code = self.stop_while_writing(number)
            self.assertEqual(code, -number)  # the shell sees 128 + signal
            self.assertIn({signal.SIGINT: "stopped by Ctrl-C (SIGINT)"}.get(number, f"stopped by {number.name}"), errors)
            self.assertIn('"status": "stopped"', (self.folder / "report.json").read_text())
            self.assertIn(f'"exit_code": {128 + number}', (self.folder / "report.json").read_text())
            exit_code, states, text = verify(folder)
            self.assertEqual((exit_code, set(states.values())), (0, {"ok"}), text)
            self.assertFalse(leftovers(folder))

    def test_the_second_signal_stops_at_once(self):
        folder, _, code = self.stop_while_writing(signal.SIGINT, signal.SIGINT)
        self.assertEqual(code, -signal.SIGINT)
        self.assertEqual(verify(folder)[0], 0)
        self.assertFalse(leftovers(folder))

    def test_the_time_limit_stops_a_long_solve(self):
        outcome = self.run_case("ritz-elasticity", example("le10"), "--time-limit", 0.3,  # hours without a preconditioner
                                keys={"solver.method": "cg", "solver.preconditioner": "none", "solver.tolerance": 1e-15})
        self.assertEqual(outcome.exit, 124)
        self.assertIn("time limit of 0.3 s", outcome.errors)
        self.assertEqual(outcome.report["status"], "stopped")
        self.assertFalse(leftovers(outcome.folder))
        for limit in (-1, "2s", "nan"):
            refused = self.run_case("ritz-heat", example("fin"), "--time-limit", limit)
            self.assertEqual(refused.exit, 2)
            self.assertIn(f"'{limit}' is no number of seconds from 0", refused.errors)


class Surroundings(CaseTest):
    def run_with(self, folder, streams="", **options):
        words = " ".join(f"'{word}'" for word in command("ritz-heat", example("fin"), folder))
        return subprocess.run(["bash", "-c", f"{words} {streams}"], timeout=60, capture_output=True, text=True, **options)

    def test_a_log_that_nobody_takes_loses_no_results(self):
        for i, streams in enumerate((">&-", "2>&-", "<&- >&- 2>&-", ">/dev/full", ">/dev/full 2>/dev/full", "| true; exit ${PIPESTATUS[0]}", "| head -c 10; exit ${PIPESTATUS[0]}")):
            folder = self.folder / f"results{i}"
            outcome = self.run_with(folder, streams)
            self.assertEqual((streams, outcome.returncode), (streams, 0))
            exit_code, states, text = verify(folder)
            self.assertEqual((exit_code, set(states.values())), (0, {"ok"}), text)

    def test_the_answer_of_describe_is_not_lost_in_silence(self):
        self.assertEqual(self.run_with(self.folder / "x", "--describe >/dev/full").returncode, 7)

    def test_decimal_commas_change_nothing(self):
        locales = subprocess.run(["locale", "-a"], capture_output=True, text=True).stdout.split()
        german = next((name for name in locales if name.startswith("de_DE") or name.startswith("fr_FR")), "de_DE.UTF-8")
        plain = self.solve("ritz-heat", example("fin"))
        os.environ["LC_ALL"] = german
        self.addCleanup(os.environ.pop, "LC_ALL")
        comma = self.solve("ritz-heat", example("fin"))
        self.assertEqual(plain.probes, comma.probes)
        for name in ("fin.pvd", "results.journal", "fin/fin_000000.vtu"):
            self.assertEqual((plain.folder / "results" / name).read_bytes(), (comma.folder / "results" / name).read_bytes())

    def test_line_ends_of_windows_and_names_of_everybody(self):
        place = self.folder / "Übung 3 – 梁 'quoted' & more"
        place.mkdir()
        shutil.copy(example("fin").parent / "fin.msh", place / "fin.msh")
        case = place / "Kühl rippe.toml"
        case.write_bytes(example("fin").read_bytes().replace(b"\n", b"\r\n"))
        outcome = self.solve("ritz-heat", case, output=place / "Ergebnis ö")
        self.assertEqual(outcome.probes, self.solve("ritz-heat", example("fin")).probes)
        exit_code, states, text = verify(place / "Ergebnis ö")
        self.assertEqual((exit_code, set(states.values())), (0, {"ok"}), text)
        self.assertEqual(self.run_case("ritz-heat", case, output=place / "Ergebnis ö").exit, 7)

    def test_places_that_cannot_be_written_to(self):
        """Before any work: nothing of the solve is in the log."""
        file = self.write("file", "I am no folder")
        for folder in (file, file / "below", pathlib.Path("/proc/none"), pathlib.Path("/dev/full")):
            for check in ([], ["--check"]):
                outcome = self.run_case("ritz-heat", example("fin"), *check, output=folder)
                self.assertEqual(outcome.exit, 7)
                self.assertIn(str(folder), outcome.errors)
                self.assertNotIn("solve:", outcome.log)

    def test_files_that_options_name(self):
        """Links stay, and the file behind them is replaced; /dev/stdout is a stream, also into a file; a folder that takes no file is named."""
        target = self.write("target.json", "old")
        link = self.folder / "link.json"
        link.symlink_to("target.json")
        self.assertEqual(self.run_case("ritz-heat", example("fin"), report=link).exit, 0)
        self.assertTrue(link.is_symlink())
        self.assertEqual(json.loads(target.read_text())["status"], "complete")
        words = " ".join(f"'{word}'" for word in [*command("ritz-heat", example("fin"), self.folder / "streamed"), "--quiet", "--json", "/dev/stdout"])
        subprocess.run(["bash", "-c", f"{words} > {self.folder / 'stream'}"], check=True, timeout=60)
        self.assertEqual(json.loads((self.folder / "stream").read_text())["status"], "complete")
        self.assertTrue(pathlib.Path("/dev/stdout").is_symlink())
        for option in ("--picture", "--report"):
            outcome = self.run_case("ritz-heat", example("fin"), option, "/proc/there.png")
            self.assertEqual(outcome.exit, 7)
            self.assertIn("cannot write '/proc/there.png'", outcome.errors)
            self.assertNotIn("[output] folder", outcome.errors)
            self.assertNotIn("solve:", outcome.log)

    def test_no_option_writes_over_what_the_run_reads(self):
        """Neither of a run that is refused for it, nor of one that fails before, nor of a case that cannot be read."""
        shutil.copy(example("fin").parent / "fin.msh", self.folder / "fin.msh")
        case = self.folder / "fin.toml"
        good = example("fin").read_text()
        for text in (good, good.replace("conductivity = ", "conductivity = -"), good + "[[no toml\n"):
            case.write_text(text)
            for option in ("--report", "--picture", "--profile", "--json"):
                for file in (case, self.folder / "fin.msh"):
                    before = file.read_bytes()
                    outcome = self.run_case("ritz-heat", case, *([] if option == "--json" else [option, file]), report=file if option == "--json" else None)
                    self.assertEqual(file.read_bytes(), before, (option, file))
                    self.assertIn(outcome.exit, (2, 4))
                    if text == good:
                        self.assertIn(f"{option} names a file that the run reads", outcome.errors)
        outcome = self.run_case("ritz-heat", example("fin"), "--report", "same", "--profile", "same")
        self.assertIn("--report and --profile name it", outcome.errors)

    def picture(self, *words):
        return subprocess.run([str(word) for word in (BIN / "ritz", "picture", *words)], capture_output=True, text=True, timeout=60, cwd=self.folder)

    def test_pictures_of_beams_and_shells(self):
        """They have no cells of their own dimension in space: lines and surfaces are drawn as such."""
        for name in ("structure/portal", "structure/roof"):
            with self.subTest(name):
                index = next(path for path in self.solve("ritz-structure", example(name)).report["outputs"] if path.endswith(".pvd"))
                drawn = self.picture(index, "drawn.png", "--force", "--field", "displacement", "--warp", "displacement")
                self.assertEqual((drawn.returncode, drawn.stderr), (0, ""))
                self.assertEqual((self.folder / "drawn.png").read_bytes()[:4], b"\x89PNG")

    def test_pictures_take_no_place_of_results_and_no_limits_in_vain(self):
        outcome = self.solve("ritz-heat", example("fin"))
        index = next(path for path in outcome.report["outputs"] if path.endswith(".pvd"))
        for file in (index, outcome.results()):
            before = pathlib.Path(file).read_bytes()
            refused = self.picture(index, file, "--force", "--field", "temperature")
            self.assertEqual(refused.returncode, 2, refused.stderr)
            self.assertIn("the results have it", refused.stderr)
            self.assertEqual(pathlib.Path(file).read_bytes(), before)
        jpeg = self.picture(index, "no.jpg", "--field", "temperature")
        self.assertEqual(jpeg.returncode, 2, jpeg.stderr)
        self.assertIn("pictures are PNG files", jpeg.stderr)
        timed = self.picture(outcome.results(), "no.png", "--field", "temperature", "--time", "0")
        self.assertEqual(timed.returncode, 2, timed.stderr)
        self.assertIn("has no step at the time 0", timed.stderr)
        for options in (("--limits", "5", "1"), ("--limits", "nan", "1"), ("--limits", "1", "1"), ("--factor", "nan")):
            refused = self.picture(index, "no.png", "--field", "temperature", *options)
            self.assertEqual(refused.returncode, 2, options)
            self.assertIn(options[0], refused.stderr)
            self.assertFalse((self.folder / "no.png").exists())

    def test_a_folder_of_somebody_else(self):
        folder = self.folder / "theirs"
        folder.mkdir(mode=0o755)
        os.chmod(self.folder, 0o755)
        words = command("ritz-heat", example("fin"), folder)
        if os.getuid() == 0:  # to whom every folder is open
            if shutil.which("setpriv") is None or subprocess.run(["setpriv", "--reuid=65534", "--clear-groups", words[0], "--help"], capture_output=True).returncode != 0:
                self.skipTest("another user cannot run the build here")
            words = ["setpriv", "--reuid=65534", "--clear-groups", *words]
        else:
            os.chmod(folder, 0o555)
        process = subprocess.run(words, capture_output=True, text=True, timeout=60)
        self.assertEqual(process.returncode, 7, process.stderr)
        self.assertIn("Permission denied", process.stderr)

    def test_a_full_disk(self):
        """A tmpfs of 256 kB, room for one step, where mounting is allowed."""
        folder = self.folder / "small"
        folder.mkdir()
        if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=256k", "tmpfs", folder], capture_output=True).returncode != 0:
            self.skipTest("mounting is not allowed here")
        self.addCleanup(subprocess.run, ["umount", folder])
        outcome = self.run_case("ritz-modal", example("modal/cantilever"), *MODES, output=folder)
        self.assertEqual(outcome.exit, 7, outcome.log + outcome.errors)
        self.assertIn("are free there", outcome.errors)
        self.assertFalse(leftovers(folder))

    def test_a_full_disk_of_a_vtkhdf_file_is_told_in_the_words_of_the_system(self):
        """Also where the copy of the committed steps, or a step in the background, meets it."""
        for size in range(130, 250, 24):
            folder = self.folder / f"small{size}"
            folder.mkdir()
            if subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}k", "tmpfs", folder], capture_output=True).returncode != 0:
                self.skipTest("mounting is not allowed here")
            self.addCleanup(subprocess.run, ["umount", folder])
            outcome = self.run_case("ritz-modal", example("modal/cantilever"), *MODES, "--set", "output.format=vtkhdf", output=folder)
            self.assertEqual(outcome.exit, 7, outcome.log + outcome.errors)
            self.assertRegex(outcome.errors, "No space left on device \\([0-9]+ bytes are free there\\)|a step of the results takes")
            self.assertNotRegex(outcome.errors, "HDF5-DIAG|errno|Input/output error")

    def test_a_disk_without_room_for_one_step_is_told_before_the_solve(self):
        folder = self.folder / "small"
        folder.mkdir()
        if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=300k", "tmpfs", folder], capture_output=True).returncode != 0:
            self.skipTest("mounting is not allowed here")
        self.addCleanup(subprocess.run, ["umount", folder])
        outcome = self.run_case("ritz-heat", example("heat_sink"), output=folder / "results")
        self.assertEqual(outcome.exit, 7, outcome.log + outcome.errors)
        self.assertIn("nothing was solved", outcome.errors)
        self.assertRegex(outcome.errors, "has 30[0-9] kB free, and a step of the results takes 2.9[0-9] MB")
        self.assertIsNone(outcome.report["solver"])

    def test_a_limit_on_file_sizes(self):
        folder = self.folder / "results"
        process = subprocess.run(["bash", "-c", 'ulimit -f 8; exec "$@"', "bash", *command("ritz-modal", example("modal/cantilever"), folder, *MODES)],
                                 capture_output=True, text=True, timeout=60)
        self.assertEqual(process.returncode, 7, process.stderr)
        self.assertIn("File too large", process.stderr)
        self.assertFalse(leftovers(folder))
