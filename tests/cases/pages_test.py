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
import unittest

import boxes
import jsonschema
from ritz import BIN, CaseTest, os

SOURCE = pathlib.Path(os.environ["RITZ_SOURCE"])
PAGES = [SOURCE / "README.md", SOURCE / "CONTRIBUTING.md", *sorted((SOURCE / "docs").glob("*.md"))]
SCHEMAS = {path.name.split(".")[0]: json.loads(path.read_text()) for path in sorted((SOURCE / "docs" / "schema").glob("*.json"))}
PROGRAMS = ("ritz-elasticity", "ritz-heat", "ritz-modal", "ritz-solve", "ritz-structure")

# Blocks that --check cannot complete, by page and number from 0: why.
INCOMPLETE = {
    ("case-files", 0): "two ways to write the same",
    ("materials", 2): "a plane body: cases.damage",
    ("materials", 4): "a subroutine in Fortran",
    ("materials", 5): "of ritz material",
    ("several-fields", 0): "a plugin: cases.own_forms",
    ("several-fields", 1): "two ways to write the same",
    ("thermal", 2): "results of another run: cases.thermal",
    ("time", 1): "the form of a plugin: cases.own_forms",
    ("time", 2): "results of another run: cases.transient",
    ("formulas", 1): "a file of another program: cases.fields",
    ("your-own-element", 0): "a plugin: cases.own_forms",
    ("your-own-element", 1): "the form of a plugin: cases.own_forms",
    ("tutorial", 0): "cases.tutorial runs it",
    ("joining", 4): "sides of a sector: cases.joining",
    ("vibration", 3): "sides of a sector: cases.vibration",
    ("vibration", 4): "sides of a sector: cases.vibration",
    ("vibration", 5): "a disc on a shaft: cases.vibration",
    ("recipes", 0): "cells of a bolt: python.rows",
    ("regions", 0): "a body with a hole: cases.regions",
    ("results", 0): "solids and beams: cases.results",
    ("sweeps", 1): "a table of members: cases.sweep",
}

# Programs of blocks that several could read.
READ_BY = {"buckling": "ritz-modal", ("structures", 3): "ritz-modal", "structures": "ritz-structure", "vibration": "ritz-modal", "sweeps": "ritz-heat", "motion": "ritz-elasticity"}

# What blocks need that no rule adds.
BEAM = 'element = "beam"\nyoung = 1\npoisson = 0\nprofile = "rectangle"\nheight = 0.1\nwidth = 0.1\ndensity = 1\n'
ADDED = {
    ("buckling", 0): '[[section]]\nregion = "right"\n' + BEAM,
    ("gradients", 0): '[[traction]]\nregion = "eye"\nvalue = [0, 0, 1]\n[[pressure]]\nregion = "eye"\nvalue = 1\n',
    ("steps", 0): '[[displacement]]\nregion = "held"\nfixed = true\n',
    ("structures", 2): '[[material]]\nregion = "block"\nyoung = 1\npoisson = 0\n[[section]]\nregion = "pipe"\n' + BEAM,
    ("structures", 3): '[[section]]\nregion = "frame"\n' + BEAM,
    ("sweeps", 0): '[[material]]\nregion = "all"\nconductivity = 1\n[[flux]]\nregion = "foot"\nvalue = 1\n',
    ("thermal", 3): '[thermal]\ntemperature = 100\nreference = 20\n[[table]]\nname = "alpha"\nfile = "alpha.csv"\ninterpolation = "linear"\n',
    ("vibration", 0): '[[section]]\nregion = "beam"\n' + BEAM,
    ("vibration", 1): "".join(f'[[load_case]]\nname = "{name}"\n[[load_case.force]]\nregion = "{name}"\nvalue = [0, 0, 1]\n' for name in ("front", "rear"))
                      + "".join(f'[[table]]\nname = "{name}"\nfile = "{name}.csv"\n' for name in ("road", "delay")) + "[modal]\ncount = 1\n[damping]\nratio = 0.1\n",
    ("vibration", 2): '[[force]]\nregion = "top"\nvalue = [0, 0, 1]\n',
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
            for line in "".join(block).replace("\\\n", " ").splitlines():
                line = re.sub(r"\s#.*", "", re.sub(r"^(build/bin/|\$ )", "", line.strip()))
                line = re.sub(r"^(mpirun|srun)( -+\S+( \d+)?)* ", "", line)
                if re.match(r"ritz(-[a-z]+)? ", line) and not line.startswith("ritz-bench"):
                    yield page.stem, line.split(" && ")[0].split(";")[0]


@functools.cache
def help_of(*words):
    return subprocess.run([BIN / words[0], *words[1:], "--help"], capture_output=True, text=True, timeout=60).stdout


@functools.cache
def wrong(program):
    """Errors of a case against the schema, but for keys that it lacks."""
    validator = jsonschema.Draft202012Validator(SCHEMAS[program])
    return lambda case: [f"{list(error.path)}: {error.message}" for error in validator.iter_errors(case) if error.validator != "required"]


def names(case, path=()):
    """Table and name of each region that a case uses."""
    for key, value in case.items():
        if isinstance(value, dict):
            yield from names(value, (*path, key))
        elif isinstance(value, list) and value and isinstance(value[0], dict) and (*path, key) != ("region",):
            for item in value:
                yield from names(item, (*path, key))
        elif key in ("region", "onto", "nodes", "interface") and isinstance(value, str):
            yield "nodes" if key == "nodes" else path[-1], value


SINGLE = ("spring", "terms", "gap", "mass", "dashpot")  # tables of single nodes
SIDES = ((1, 2, 6, 5), (3, 2, 6, 7), (4, 5, 6, 7), (0, 1, 5, 4), (0, 1, 2, 3))  # of the last cube; x0 of the first one is held


def mesh_of(case):
    """A row of cubes, or of beams where the case has sections alone, with regions of the names that the case uses."""
    used = list(dict.fromkeys(names(case)))
    own = {each["name"] for each in case.get("region", [])} | {"all"}
    solids = [name for table, name in used if table in ("material", "region") and name not in own]
    lines = [name for table, name in used if table in ("section", "line_load") and name not in own]
    lines = list(dict.fromkeys(lines))
    others = [name for table, name in used if name not in {*own, *solids, *lines} and table not in (*SINGLE, "nodes")]
    single = [name for table, name in used if name not in {*own, *solids, *lines} and table in SINGLE]
    ends = [name for table, name in used if table == "nodes"]
    points, elements, groups = [], [], []

    def add(dimension, name, kind, nodes):
        groups.append((dimension, name))
        elements.extend((kind, len(groups), each) for each in nodes)

    if not lines or "material" in case:
        solids = solids or ["body", "other"][:1 + ("tie" in case)]
        apart = 0 if "tie" not in case else 1  # parts in touch, whose nodes are their own
        points = [(x, y, z) for x in range(len(solids) + 1) for x in [x] * (1 + apart) for y, z in ((0, 0), (1, 0), (1, 1), (0, 1))]
        for number, name in enumerate(solids):
            a = 1 + 4 * (number + apart * (number + 1))
            cube = [a, a + 4, a + 5, a + 1, a + 3, a + 7, a + 6, a + 2]
            add(3, name, 5, [cube])
            if number == 0:
                add(2, "held", 3, [[cube[i] for i in (0, 3, 7, 4)]])
        for number, name in enumerate(dict.fromkeys(others)):
            add(2, name, 3, [[cube[i] for i in ((0, 3, 7, 4) if "tie" in case and number == 0 else SIDES[number % len(SIDES)])]])
            if "tie" in case and number == 1:
                elements[-1] = (3, len(groups), [i - 4 for i in elements[-2][2]])  # the same facet of the part before
        for number, name in enumerate(dict.fromkeys(single)):
            add(0, name, 15, [[cube[6 - number]]])
    first = len(points)
    for number, name in enumerate(lines):
        points += [(0.5, 0.5, 1 + i / 4) for i in range(4 * number + (number > 0), 4 * number + 5)]
        add(1, name, 1, [[first + 4 * number + i, first + 4 * number + i + 1] for i in range(1, 5)])
    for name in ends:
        add(0, name, 15, [[len(points)]])
    if lines and "material" not in case:
        add(0, "held", 15, [[1]])
        for number, name in enumerate(dict.fromkeys(others + single)):
            add(0, name, 15, [[len(points) - number]])
    return boxes.msh(points, elements, groups)


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

    def complete(self, page, number, text):
        """Program and text of a case that has the block and what it lacks."""
        case = tomllib.loads(text)
        program = next(name for name in (READ_BY.get((page, number)), READ_BY.get(page), *PROGRAMS) if name and wrong(name)(case) == [])
        before, after = "", ADDED.get((page, number), "")
        added = tomllib.loads(after)
        has = {*case, *added}
        self.write("mesh.msh", mesh_of({**added, **case}))
        for table in case.get("table", []) + added.get("table", []):
            low = -1e3 if "interpolation" in table else 1  # others are of frequencies
            self.write(table["file"], f"x,{table['name']}\n{low},1\n1e3,1\n")
        if "mesh" not in case:
            after += '[mesh]\nfile = "mesh.msh"\n'
        else:
            text = re.sub(r'file = ".*"', 'file = "mesh.msh"', text, count=1)
        if program == "ritz-heat":
            after += '[[material]]\nregion = "all"\nconductivity = 1\n' * (not has & {"material"})
            after += '[[temperature]]\nregion = "held"\nvalue = 0\n' * (not has & {"temperature", "radiation"})
        elif "section" in has or program == "ritz-structure":
            after += '[[support]]\nregion = "held"\nfixed = true\n' * (not has & {"support"})
        else:
            if not has & {"material"}:
                before = 'material = "steel S235"\n'
            after += '[[displacement]]\nregion = "held"\nfixed = true\n' * (not has & {"displacement"})
        loads = {"force", "traction", "pressure", "body_force", "line_load", "load_case", "thermal", "modal", "step", "time", "initial"}
        if not has & loads and program in ("ritz-elasticity", "ritz-structure"):
            before += "allow_unloaded = true\n"
        return program, before + text + "\n" + after

    def test_each_block_passes_the_check_of_its_program(self):
        checked = 0
        for page, number, text in blocks("toml"):
            if (page, number) in INCOMPLETE:
                continue
            program, whole = self.complete(page, number, text)
            with self.subTest(page=page, number=number, program=program):
                outcome = self.run_case(program, self.write("case.toml", whole), "--check")
                self.assertEqual((outcome.exit, outcome.errors), (0, ""), whole)
            checked += 1
        self.assertGreater(checked, 40)


if __name__ == "__main__":
    unittest.main()
