"""Rows of examples/README.md from arrays: the bits of the programs. Of those that take long a third, another one each day; RITZ_ROWS=all: all of them."""
import datetime
import json
import os
import pathlib
import re
import subprocess
import tempfile
import unittest

import ritz

EXAMPLES, BIN = (pathlib.Path(os.environ[f"RITZ_{name}"]) for name in ("EXAMPLES", "BIN"))
# Rows that are no run of one case with arrays, with the reason.
LEFT_OUT = {"heat_sink/metals": "a sweep: in Python a loop", "custom_plugin/reacting_rod": "CMake builds its plugin"}


# More than a second each: nine tenths of the time of all.
LONG = ["vibration/motor", "custom_state/damage", "custom_energy/neo_hooke", "modal/bracket", "several_fields/rubber", "modal/motor", "custom_coupled/thermoelastic",
        "custom_modal/silicon", "custom_form/varying_conduction", "custom_yield/three_bars", "custom_truss/truss", "custom_element/bubble_triangle",
        "bracket/load_cases", "body/welded", "creep/tube"]


def rows_of_this_run(table):
    if os.environ.get("RITZ_ROWS") == "all":
        return table
    drawn = {name for i, name in enumerate(LONG) if (i + datetime.date.today().toordinal()) % 3 == 0}
    return [(name, program) for name, program in table if name not in LONG or name in drawn]


def rows():
    """[(case, program)] of the table, in its order, each once."""
    found = re.findall(r"^\| `([\w/]+)` \|.*?\| (ritz-\w+) \|", (EXAMPLES / "README.md").read_text(), re.M)
    return list(dict.fromkeys(found))


class Rows(unittest.TestCase):
    def test_arrays_give_the_bits_of_the_programs(self):
        import tomllib
        table, done = rows(), 0
        self.assertGreater(len(table), 50)
        named = set(re.findall(r"^\| `([\w/]+)` \|", (EXAMPLES / "README.md").read_text(), re.M))
        self.assertEqual(named, {name for name, _ in table})
        self.assertLessEqual(set(LONG), named)
        table = rows_of_this_run(table)
        for name, program in table:
            if name in LEFT_OUT:
                continue
            with self.subTest(name), tempfile.TemporaryDirectory() as folder:
                path = EXAMPLES / f"{name}.toml"
                case = tomllib.loads(path.read_text())
                subprocess.run([BIN / program, path, "--threads", "1", "--quiet", "--output", f"{folder}/out", "--json", f"{folder}/r.json"], check=True)
                report = json.loads(pathlib.Path(folder, "r.json").read_text())
                mesh = ritz.Mesh.from_file(path.parent / case["mesh"].pop("file"), structural="section" in case)
                case["output"] = {key: value for key, value in case.get("output", {}).items() if key != "folder"}
                result = ritz.run(case, mesh=mesh, physics=program.removeprefix("ritz-"), folder=path.parent, threads=1)
                self.assertEqual(result.report["probes"], report["probes"])
                for part in ("load_cases", "combinations"):
                    self.assertEqual({key: each["probes"] for key, each in result.report[part].items()}, {key: each["probes"] for key, each in report[part].items()})
                same = lambda facts: {key: text for key, text in facts.items() if "seconds" not in key}
                self.assertEqual(same(result.report["facts"]), same(report["facts"]))
                done += 1
        self.assertEqual(done, sum(name not in LEFT_OUT for name, _ in table))
