"""Examples of the pages are true: blocks of TOML have tables and keys of one program and pass its --check once mesh and regions are there,
commands have options that exist and files that are there, and blocks of Python are Python."""
import ast
import functools
import json
import pathlib
import re
import shlex
import subprocess
import tomllib

import jsonschema

from ritz import BIN, EXAMPLES, CaseTest, os

SOURCE = pathlib.Path(os.environ["RITZ_SOURCE"])
PAGES = [SOURCE / "README.md", SOURCE / "CONTRIBUTING.md", *sorted((SOURCE / "docs").glob("*.md"))]
SCHEMAS = {path.name.split(".")[0]: json.loads(path.read_text()) for path in sorted((SOURCE / "docs" / "schema").glob("*.json"))}
PROGRAMS = ("ritz-elasticity", "ritz-heat", "ritz-modal", "ritz-solve", "ritz-structure")

# Blocks that --check cannot complete, by page and number from 0: why.
INCOMPLETE = {
    ("case-files", 0): "two ways to write the same",
    ("materials", 3): "a subroutine in Fortran",
    ("materials", 4): "of ritz material",
    ("several-fields", 0): "a plugin: cases.own_forms",
    ("several-fields", 1): "two ways to write the same",
    ("thermal", 2): "results of another run: cases.thermal",
    ("time", 1): "the form of a plugin: cases.own_forms",
    ("time", 2): "results of another run: cases.transient",
    ("formulas", 1): "a file of another program: cases.fields",
    ("your-own-element", 0): "a plugin: cases.own_forms",
    ("your-own-element", 1): "the form of a plugin: cases.own_forms",
    ("tutorial", 0): "cases.tutorial runs it",
}


def blocks(language):
    """Page, number and text of each block of a language."""
    for page in PAGES:
        for number, text in enumerate(re.findall(rf"^```{language}\n(.*?)^```", page.read_text(), re.M | re.S)):
            yield page.stem, number, text


def commands():
    """Page and line of each command that starts a program of Ritz."""
    for page in PAGES:
        for block in re.findall(r"^```(?:console|)\n(.*?)^```|((?:^    \S.*\n)+)", page.read_text(), re.M | re.S):
            for line in "".join(block).splitlines():
                line = re.sub(r"\s#.*", "", re.sub(r"^(build/bin/|\$ )", "", line.strip()))
                line = re.sub(r"^(mpirun|srun)( -+\S+( \d+)?)* ", "", line)
                if re.match(r"ritz(-[a-z]+)? ", line):
                    yield page.stem, line.split(" && ")[0].split(";")[0]


@functools.cache
def help_of(*words):
    return subprocess.run([BIN / words[0], *words[1:], "--help"], capture_output=True, text=True, timeout=60).stdout


@functools.cache
def wrong(program):
    """Errors of a case against the schema, but for keys that it lacks."""
    validator = jsonschema.Draft202012Validator(SCHEMAS[program])
    return lambda case: [f"{list(error.path)}: {error.message}" for error in validator.iter_errors(case) if error.validator != "required"]


class Pages(CaseTest):
    def test_each_block_has_tables_and_keys_of_one_program(self):
        for page, number, text in blocks("toml"):
            if "of ritz material" in INCOMPLETE.get((page, number), "") or "two ways" in INCOMPLETE.get((page, number), ""):
                continue
            with self.subTest(page=page, number=number):
                mistakes = {program: wrong(program)(tomllib.loads(text)) for program in PROGRAMS}
                self.assertIn([], mistakes.values(), min(mistakes.values(), key=len))

    def test_commands_have_options_that_exist_and_files_that_are_there(self):
        checked = 0
        for page, line in commands():
            words = shlex.split(line)
            with self.subTest(page=page, command=line):
                subcommands = [word for word in words[1:3] if re.fullmatch(r"[a-z]+", word)] if words[0] == "ritz" else []
                text = help_of(words[0], *subcommands)
                self.assertIn("--help", text, "no such command")
                for word in words[1:]:
                    if word.startswith("--"):
                        self.assertRegex(text, rf"{word}\b")
                        checked += 1
                    if word.startswith("examples/"):
                        self.assertTrue((SOURCE / word).exists(), word)
        self.assertGreater(checked, 20)

    def test_blocks_of_python_are_python(self):
        for page, number, text in blocks("python"):
            with self.subTest(page=page, number=number):
                ast.parse(text)


if __name__ == "__main__":
    unittest.main()
