"""Completion and manual pages know the options that --help names, and no others."""
import re
import shutil
import subprocess
import unittest

from ritz import BIN, CaseTest

PROGRAMS = ("ritz", "ritz-heat", "ritz-elasticity", "ritz-modal", "ritz-solve", "ritz-structure")
COMMANDS = ("mesh info", "mesh check", "mesh convert", "mesh refine", "case from", "element list", "element check", "results verify", "size", "doctor",
            "errors", "devices", "completion")


def output_of(*words):
    return subprocess.run([BIN / words[0], *words[1:]], capture_output=True, text=True, check=True, timeout=60).stdout


def options_in_help(*words):
    return set(re.findall(r"^ +(?:-\w,)?(--[a-z-]+)", output_of(*words, "--help"), re.M))


class Completion(CaseTest):
    @classmethod
    def setUpClass(cls):
        cls.script = output_of("ritz", "completion", "bash")

    def completed(self, line):
        """What bash would offer for the last word of a line."""
        words = line.split(" ")
        quoted = " ".join(f"'{word}'" for word in words)
        text = f"{self.script}\nCOMP_WORDS=({quoted}); COMP_CWORD={len(words) - 1}; _ritz; printf '%s\\n' \"${{COMPREPLY[@]}}\""
        done = subprocess.run(["bash", "--norc", "-u", "-c", text], capture_output=True, text=True, cwd=self.folder, timeout=60)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return set(done.stdout.split())

    def test_options_are_those_of_the_help(self):
        for program in PROGRAMS[1:]:
            self.assertEqual(self.completed(f"{program} case.toml --"), options_in_help(program))
        for command in COMMANDS:
            with self.subTest(command):
                self.assertEqual(self.completed(f"ritz {command} --"), options_in_help("ritz", *command.split()))
        self.assertEqual(options_in_help("ritz-heat"), self.completed("ritz run case.toml --"))

    def test_commands_files_and_values(self):
        (self.folder / "meteor.msh").write_text("")
        (self.folder / "case.toml").write_text("")
        self.assertEqual(self.completed("ritz me"), {"mesh", "meteor.msh"})
        self.assertEqual(self.completed("ritz mesh c"), {"check", "convert", "case.toml"})
        self.assertEqual(self.completed("/opt/bin/ritz-heat ca"), {"case.toml"})
        self.assertEqual(self.completed("ritz mesh convert a.msh b.msh --plane-type "), {"CPS", "CPE", "CAX"})
        self.assertEqual(self.completed("ritz-heat --json me"), {"meteor.msh"})
        self.assertEqual(self.completed("ritz-heat --over"), {"--overwrite"})
        self.assertEqual(self.completed("ritz completion b"), {"bash"})

    def test_another_shell_is_refused(self):
        done = subprocess.run([BIN / "ritz", "completion", "tcsh"], capture_output=True, text=True)
        self.assertEqual(done.returncode, 2)
        self.assertIn("bash", done.stderr)

    def test_manual_pages_have_every_option_and_command(self):
        for program in PROGRAMS:
            page = output_of(program, "--man")
            told = set(re.findall(r"--[a-z-]+", page.replace("\\-", "-").split(".SH EXAMPLES")[0]))
            self.assertLessEqual(options_in_help(program), told)
            for line in page.splitlines():
                self.assertRegex(line, r"^(\.(TH|SH|SS|TP|B|nf|fi)\b|[^.']|$)")
        for command in COMMANDS:
            self.assertIn(f".SS ritz {command}", page if program == "ritz" else output_of("ritz", "--man"))

    @unittest.skipUnless(shutil.which("groff"), "no groff")
    def test_groff_formats_manual_pages_without_a_warning(self):
        for program in PROGRAMS:
            done = subprocess.run(["groff", "-man", "-Tascii", "-ww"], input=output_of(program, "--man"), capture_output=True, text=True)
            self.assertEqual(done.stderr, "")
            self.assertIn("Exit codes: 0", done.stdout)


if __name__ == "__main__":
    unittest.main()
