"""Cases and folders that damage, carelessness or malice made: clear errors, nothing of others' touched, stops within seconds."""
import json
import os
import shutil
import signal
import subprocess
import unittest
import zlib

from boxes import square
from ritz import BIN, CaseTest, example


class Hostile(CaseTest):
    def fin(self, name="fin", **changes):
        """The case of the fin in a folder of its own, with texts replaced."""
        folder = self.folder / name
        folder.mkdir(exist_ok=True)
        shutil.copy(example("fin").parent / "fin.msh", folder)
        text = example("fin").read_text()
        for before, after in changes.items():
            self.assertIn(before, text)
            text = text.replace(before, after)
        case = folder / "fin.toml"
        case.write_text(text)
        return case

    def refused(self, exit_code, words, program, *arguments, **options):
        outcome = self.run_case(program, *arguments, **options)
        self.assertEqual(outcome.exit, exit_code, outcome.log + outcome.errors)
        for word in words:
            self.assertIn(word, outcome.errors)
        return outcome

    # --- keys, names and files

    def test_keys_with_dots_without_end_are_refused(self):
        case = self.folder / "dots.toml"
        dots = ".".join("a" * 10000)
        for text in (f"{dots} = 1\n", f"[{dots}]\n", f"x = {{ {dots} = 1 }}\n"):
            case.write_text(text)
            self.refused(2, ["dots at", "dots.toml:1:"], "ritz-heat", case)
        case.write_text('title = "' + "." * 10000 + '"\n')  # a text may have them
        self.refused(2, ["mesh"], "ritz-heat", case)

    def test_names_beyond_255_bytes_are_errors_of_the_case(self):
        long = "a" * 300
        self.refused(2, ["mesh.file"], "ritz-heat", self.fin(**{"fin.msh": long}))
        done = subprocess.run([BIN / "ritz", "results", "verify", long], capture_output=True, text=True)
        self.assertEqual(done.returncode, 2, done.stderr)

    def test_pipes_are_refused_at_once(self):
        case = self.fin()
        for name in ("pipe.toml", "pipe.msh"):
            os.mkfifo(case.parent / name)
        self.refused(2, ["pipe.toml", "pipe or a device"], "ritz-heat", case.parent / "pipe.toml")
        self.refused(2, ["pipe.msh", "not a regular file"], "ritz-heat", case, keys={"mesh.file": "pipe.msh"})

    def test_no_key_takes_a_folder_pipe_or_device_in_the_place_of_a_file(self):
        os.mkfifo(self.folder / "pipe")
        places = {".": "is a folder", str(self.folder / "pipe"): "is not a regular file", "/dev/zero": "is not a regular file",
                  "/dev/null": "is not a regular file", "none": "does not exist"}
        square_mesh = self.write("quad.msh", square())
        head = f'[mesh]\nfile = "{square_mesh}"\n[model]\ntype = "{{}}"\n'
        heat = head.format("plane") + '[[material]]\nregion = "all"\nconductivity = {}\ndensity = 1\nspecific_heat = 1\n[[temperature]]\nregion = "all"\nvalue = 1\n'
        cases = {"mesh.file": ("ritz-heat", heat.format(1)),
                 "field.0.file": ("ritz-heat", heat.format('"1 + f"') + '[[field]]\nname = "f"\nfile = "FILE"\n'),
                 "table.0.file": ("ritz-heat", heat.format('"f(x)"') + '[[table]]\nname = "f"\nfile = "FILE"\ninterpolation = "linear"\n'),
                 "initial.file": ("ritz-heat", heat.format(1) + '[initial]\nfile = "FILE"\n[time]\nend = 0.1\n'),
                 "sweep.table": ("ritz-heat", heat.format(1) + '[sweep]\ntable = "FILE"\n'),
                 "thermal.file": ("ritz-elasticity", head.format("plane_stress") + '[[material]]\nregion = "all"\nyoung = 1e9\npoisson = 0.3\nexpansion = 1e-5\n'
                                  '[thermal]\nfile = "FILE"\nreference = 20\n[[displacement]]\nregion = "all"\nfixed = true\n'),
                 "plugin": ("ritz-solve", f'plugin = "FILE"\n[mesh]\nfile = "{square_mesh}"\n[form]\nname = "x"\n')}
        for key, (program, text) in cases.items():
            for place, words in places.items():
                case = self.write("case.toml", text.replace("FILE", place))
                outcome = self.run_case(program, case, keys={key: f'"{place}"'} if key == "mesh.file" else {})
                self.assertEqual(outcome.exit, 2, f"{key} = {place}: {outcome.log}{outcome.errors}")
                self.assertIn("no plugin" if key == "plugin" else words, outcome.errors)

    def test_no_command_waits_for_a_pipe(self):
        pipe, results = self.folder / "deck.inp", self.folder / "results"
        os.mkfifo(pipe)
        results.mkdir()
        os.mkfifo(results / "results.journal")
        including = self.write("a.inp", f"*INCLUDE, INPUT={pipe}\n")
        for code, command in ((2, ["case", "from", pipe, self.folder / "o.toml"]), (2, ["case", "from", "/dev/zero", self.folder / "o.toml"]),
                              (2, ["case", "from", including, self.folder / "o.toml"]), (9, ["results", "verify", results])):
            done = subprocess.run([BIN / "ritz", *command], capture_output=True, text=True, timeout=60)
            self.assertEqual(done.returncode, code, done.stdout + done.stderr)
            self.assertIn("is not a regular file", done.stderr)
        self.refused(9, ["results.journal", "is not a regular file"], "ritz-heat", self.fin(), output=results)

    def test_untrusted_results_follow_no_links_that_came_with_the_case(self):
        case = self.fin()
        for k, place in enumerate(("results", "results/fin", "results/fin/fin", "results/fin/results.journal")):
            victim, theirs = self.folder / f"victim{k}", self.folder / f"theirs{k}"
            victim.mkdir()
            (theirs / place).parent.mkdir(parents=True)
            (theirs / place).symlink_to(victim if not place.endswith("journal") else victim / "journal")
            done = subprocess.run([BIN / "ritz-heat", case, "--untrusted"], capture_output=True, text=True, cwd=theirs)
            self.assertIn(done.returncode, (7, 9), f"{place}: {done.stdout}{done.stderr}")
            self.assertIn("leads out of", done.stderr)
            self.assertEqual(list(victim.iterdir()), [], place)

    def test_includes_do_not_tell_which_files_there_are(self):
        """--untrusted gives the same words whether a file outside of the folder is there or not."""
        inside = self.folder / "inside"
        inside.mkdir()
        self.write("there.txt", "1\n")
        for name, line in (("a.inp", "*INCLUDE, INPUT={}\n"), ("a.bdf", "INCLUDE '{}'\n")):
            told = set()
            for other in ("there.txt", "gone.txt"):
                (inside / name).write_text(line.format(self.folder / other))
                done = subprocess.run([BIN / "ritz", "mesh", "info", inside / name, "--untrusted"], capture_output=True, text=True)
                self.assertNotEqual(done.returncode, 0, done.stdout)
                told.add((done.returncode, done.stderr.replace(other, "FILE")))
            self.assertEqual(len(told), 1, told)

    def test_a_check_leaves_no_folder(self):
        outcome = self.run_case("ritz-heat", self.fin(), "--check", output=self.folder / "x/y/z")
        self.assertEqual(outcome.exit, 0, outcome.errors)
        self.assertFalse((self.folder / "x").exists())

    def test_coordinates_whose_volumes_overflow_are_refused(self):
        mesh = self.folder / "far.msh"
        mesh.write_text("$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n2\n1 0 0 0\n2 1e308 0 0\n$EndNodes\n"
                        "$Elements\n1\n1 1 2 1 1 1 2\n$EndElements\n")
        done = subprocess.run([BIN / "ritz", "mesh", "info", mesh], capture_output=True, text=True)
        self.assertEqual(done.returncode, 3, done.stdout)
        self.assertIn("1e+308", done.stderr)

    def test_coordinates_beyond_all_numbers_are_not_zero(self):
        mesh = self.folder / "far.msh"
        for number, exit_code in (("1e400", 3), ("-1e400", 3), ("1e-400", 0), ("0." + 400 * "0" + "1", 0), ("1" + 400 * "0", 3)):
            mesh.write_text(f"$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n2\n1 {number} 0 0\n2 1 0 0\n$EndNodes\n"
                            "$Elements\n1\n1 1 2 1 1 1 2\n$EndElements\n")
            done = subprocess.run([BIN / "ritz", "mesh", "info", mesh], capture_output=True, text=True)
            self.assertEqual(done.returncode, exit_code, done.stdout + done.stderr)
            if exit_code != 0:
                self.assertIn("inf", done.stderr)

    def test_names_give_no_commands_to_the_terminal(self):
        case = self.fin()
        mesh = case.parent / "fin.msh"
        mesh.write_bytes(mesh.read_bytes().replace(b'"fin"', b'"\x1b[31mfin\xc2\x9b"'))
        done = subprocess.run([BIN / "ritz", "mesh", "info", mesh], capture_output=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertNotIn(b"\x1b", done.stdout)
        self.assertNotIn(b"\xc2\x9b", done.stdout)
        self.assertIn(rb"\x1b[31mfin\xc2\x9b", done.stdout)
        self.assertNotIn("\x1b", self.run_case("ritz-heat", case).errors)

    # --- folders

    def test_the_lock_follows_no_links_and_overwrites_no_other_file(self):
        case = self.fin()
        for link in (os.symlink, os.link):
            precious, results = self.folder / "precious", self.folder / link.__name__
            results.mkdir()
            precious.write_text("of somebody else\n")
            link(precious, results / ".ritz-lock")
            self.refused(7, [".ritz-lock' is no lock of a run"], "ritz-heat", case, output=results)
            self.assertEqual(precious.read_text(), "of somebody else\n")

    def test_results_of_strangers_move_no_file_of_others(self):
        case, results = self.fin(), self.folder / "results"
        precious = self.folder / "precious"
        precious.mkdir()
        thesis = precious / "thesis.txt"
        thesis.write_text("of somebody else\n")
        self.solve("ritz-heat", case, output=results)
        journal = (results / "results.journal").read_bytes()

        def add_line(path):
            line = json.dumps({"case": "fin", "series": "other.pvd", "step": 0, "time": 0.0,
                               "files": [{"path": path, "size": 17, "crc32": f"{zlib.crc32(thesis.read_bytes()):08x}"}]})
            (results / "results.journal").write_bytes(journal + f"{zlib.crc32(line.encode()):08x} {line}\n".encode())

        for path in ("../precious/thesis.txt", str(thesis)):
            add_line(path)
            self.refused(9, ["is damaged in line"], "ritz-heat", case, "--overwrite", output=results)
        for link, place in (("link", "link/thesis.txt"), ("fin_000001.vtu", "fin_000001.vtu")):
            (results / link).symlink_to(precious if link == "link" else thesis)
            add_line(place)
            verified = subprocess.run([BIN / "ritz", "results", "verify", results], capture_output=True, text=True)
            self.assertEqual(verified.returncode, 9, verified.stdout)
            self.assertIn("leads out of the folder", verified.stdout)
            outcome = self.solve("ritz-heat", case, "--overwrite", "--untrusted", output=results)
            self.assertIn(f"'{place}' leads out of the folder", outcome.log)
            self.assertEqual(thesis.read_text(), "of somebody else\n")
            (results / link).unlink()
        (results / "replaced").symlink_to(precious)
        (precious / "fin-1").mkdir()
        self.refused(9, ["'replaced'", "leads out of the folder"], "ritz-heat", case, "--overwrite", output=results)
        self.assertTrue((precious / "fin-1").exists())

    # --- strangers' cases

    def test_untrusted_cases_read_only_their_folder(self):
        outside = self.folder / "fin.msh"
        shutil.copy(example("fin").parent / "fin.msh", outside)
        for name in ("../fin.msh", str(outside), "link.msh"):
            case = self.fin(**{"fin.msh": name})
            if name == "link.msh" and not (case.parent / name).is_symlink():
                (case.parent / name).symlink_to(outside)
            self.refused(2, ["is outside of the folder", "--untrusted"], "ritz-heat", case, "--untrusted")
            self.solve("ritz-heat", case)
        self.solve("ritz-heat", self.fin(), "--untrusted")

    def test_untrusted_decks_include_only_their_folder(self):
        case = self.fin(**{"fin.msh": "deck.inp"})
        (case.parent / "deck.inp").write_text("*NODE\n1, 0, 0\n*INCLUDE, INPUT=/etc/passwd\n")
        outcome = self.refused(2, ["/etc/passwd", "is outside of the folder"], "ritz-heat", case, "--untrusted")
        self.assertNotIn("root:", outcome.errors)

    def test_untrusted_cases_name_no_folder_for_results(self):
        elsewhere = self.folder / "elsewhere"
        case = self.fin(name="other")
        case.write_text(case.read_text() + f'\n[output]\nfolder = "{elsewhere}"\n')
        done = subprocess.run([BIN / "ritz-heat", case, "--untrusted"], capture_output=True, text=True, cwd=self.folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertFalse(elsewhere.exists())
        self.assertTrue((self.folder / "results" / "fin" / "results.journal").exists())

    def test_untrusted_cases_run_no_plugin(self):
        folder = self.folder / "plugin"
        folder.mkdir()
        (folder / "evil.cpp").write_text(f'#include <cstdlib>\nstatic int ran = std::system("touch {folder}/ran");\n')
        shutil.copy(example("fin").parent / "fin.msh", folder)
        (folder / "case.toml").write_text('plugin = "evil.cpp"\n[mesh]\nfile = "fin.msh"\n')
        for option in ("--check", "--describe", "--estimate", "--quiet"):
            outcome = self.refused(2, ["evil.cpp", "--untrusted"], "ritz-solve", folder / "case.toml", "--untrusted", option)
            self.assertNotIn("code of the case runs", outcome.log)
        self.assertFalse((folder / "ran").exists())

    # --- going on

    def test_a_complete_run_is_complete_when_it_is_resumed(self):
        results = self.folder / "results"
        self.solve("ritz-heat", self.fin(), output=results)
        before = {path: path.read_bytes() for path in results.rglob("*") if path.is_file()}
        outcome = self.solve("ritz-heat", self.folder / "fin" / "fin.toml", "--resume", output=results)
        self.assertIn("complete already", outcome.log)
        self.assertEqual(before, {path: path.read_bytes() for path in results.rglob("*") if path.is_file()})

    def test_results_without_a_checkpoint_are_computed_anew(self):
        """A run that was killed behind its first step, and before its first checkpoint."""
        results, case = self.folder / "results", self.fin()
        self.solve("ritz-heat", case, output=results)
        whole = {path: path.read_bytes() for path in results.rglob("*") if path.is_file()}
        journal = results / "results.journal"
        lines = journal.read_bytes().splitlines(keepends=True)
        for kept in (lines[:-1], []):  # without its end; without the step, too
            journal.write_bytes(b"".join(kept))
            self.solve("ritz-heat", case, "--resume", output=results)
            self.assertEqual(whole, {path: path.read_bytes() for path in results.rglob("*") if path.is_file()})

    def test_other_results_are_neither_resumed_nor_lost(self):
        results, case = self.folder / "results", self.fin()
        self.solve("ritz-heat", case, output=results)
        self.refused(7, ["another case"], "ritz-heat", case, "--resume", output=results,
                     keys={"material.0.conductivity": 20})
        journal = results / "results.journal"  # the same case, but its step has other bytes than it will have
        step = results / "fin" / "fin_000000.vtu"
        other = step.read_bytes().replace(b"temperature", b"temperaturE")
        step.write_bytes(other)
        lines = journal.read_bytes().splitlines(keepends=True)
        entry = json.loads(lines[0][9:])
        for file in entry["files"]:
            if file["path"].endswith(".vtu"):
                file["crc32"] = f"{zlib.crc32(other):08x}"
        text = json.dumps(entry, separators=(",", ":")).encode()
        journal.write_bytes(b"%08x %s\n" % (zlib.crc32(text), text))
        outcome = self.solve("ritz-heat", case, "--resume", output=results)
        self.assertIn("is kept in", outcome.log)
        self.assertEqual((results / "replaced" / "fin-1" / "fin" / "fin_000000.vtu").read_bytes(), other)

    # --- stopping

    def test_a_limit_and_a_signal_end_refinement(self):
        """To refine it ten times is work for minutes, and no memory would do."""
        case = self.fin()
        outcome = self.run_case("ritz-heat", case, "--time-limit", 1, keys={"mesh.refine": 10})
        self.assertEqual(outcome.exit, 124, outcome.log + outcome.errors)
        self.assertIn("time limit of 1 s", outcome.errors)
        self.assertEqual(outcome.report["exit_code"], 124)
        for number in (signal.SIGTERM, signal.SIGINT):
            run = subprocess.Popen([BIN / "ritz-heat", case, "--set", "mesh.refine=10", "--verbose", "--output", self.folder / "out"],
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                   preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler))
            self.assertTrue(run.stdout.readline())  # the device; a pipe gets the line of refinement after ten seconds of it
            run.send_signal(number)
            _, errors = run.communicate(timeout=60)
            self.assertEqual(run.returncode, -number, errors)
            self.assertIn("stopped by", errors)


if __name__ == "__main__":
    unittest.main()
