"""The JSON Schema of each program: what it prints is what is published, an independent validator takes every good case and
refuses planted mistakes, and it agrees with what the program itself says."""
import copy
import functools
import json
import os
import pathlib
import re
import subprocess
import tomllib
import unittest

import jsonschema

from ritz import BIN, EXAMPLES, CaseTest

SCHEMAS = pathlib.Path(os.environ["RITZ_SCHEMAS"])
PROGRAMS = ("ritz-heat", "ritz-elasticity", "ritz-modal", "ritz-solve", "ritz-structure")


def program_of(path):
    """By the folder, and by the tables that only one program has."""
    case = tomllib.loads(path.read_text())
    if "section" in case:
        return "ritz-modal" if "modal" in case else "ritz-structure"
    if "plugin" in case or "form" in case.get("model", {}):
        return "ritz-solve"
    return "ritz-modal" if "modal" in case else "ritz-heat" if "conductivity" in case["material"][0] else "ritz-elasticity"


CASES = {path: program_of(path) for path in sorted(EXAMPLES.rglob("*.toml")) if "[mesh]" in path.read_text()}  # others are for ritz material


@functools.cache
def validator(program):
    schema = json.loads((SCHEMAS / f"{program}.schema.json").read_text())
    jsonschema.Draft202012Validator.check_schema(schema)
    return jsonschema.Draft202012Validator(schema)


def tables_of(case, path=()):
    """Every table of a case, the root first."""
    yield path, case
    for key, value in case.items():
        if isinstance(value, dict):
            yield from tables_of(value, (*path, key))
        if isinstance(value, list):
            for i, item in enumerate(value):
                if isinstance(item, dict):
                    yield from tables_of(item, (*path, key, i))


class Schema(CaseTest):
    def test_what_is_published_is_what_the_programs_print(self):
        for program in PROGRAMS:
            process = subprocess.run([BIN / program, "--schema"], capture_output=True, text=True, timeout=60)
            self.assertEqual((process.returncode, process.stderr), (0, ""))
            self.assertEqual(process.stdout, (SCHEMAS / f"{program}.schema.json").read_text(),
                             f"rewrite it: {program} --schema > docs/schema/{program}.schema.json")

    def test_no_table_of_a_program_is_taken_for_one_of_another(self):
        for program in PROGRAMS:
            schema = json.loads((SCHEMAS / f"{program}.schema.json").read_text())
            for table in schema["properties"]:
                if (program, table) == ("ritz-modal", "load_case"):
                    continue  # modes read load cases where [harmonic], [random] or [spectrum] is given
                for text in (f"[{table}]\nbogus = 1\n", f"[[{table}]]\nbogus = 1\n"):
                    outcome = self.run_case(program, self.write("case.toml", text), "--check")
                    self.assertNotIn("is a case for", outcome.errors, f"io/case/foreign_case.cpp: {program} reads {table}")

    def test_all_examples_are_valid(self):
        self.assertGreater(len(CASES), 20)
        self.assertEqual(set(CASES.values()), set(PROGRAMS))
        for path, program in CASES.items():
            with self.subTest(case=path.name):
                errors = [f"{list(e.path)}: {e.message}" for e in validator(program).iter_errors(tomllib.loads(path.read_text()))]
                self.assertEqual(errors, [])

    def test_an_unknown_key_in_any_table_is_refused(self):
        planted = 0
        for path, program in CASES.items():
            case = tomllib.loads(path.read_text())
            for place, _ in tables_of(case):
                if "factors" in place or ("plugin" in case and place[:1] in (("material",), ("section",), ("boundary",), ("capacity",), ("inertia",))):
                    continue  # names of load cases; parameters of a plugin's forms
                spoilt = copy.deepcopy(case)
                table = spoilt
                for step in place:
                    table = table[step]
                table["unheard_of"] = 1
                with self.subTest(case=path.name, place=place):
                    self.assertFalse(validator(program).is_valid(spoilt))
                    planted += 1
        self.assertGreater(planted, 100)

    def test_values_of_another_type_are_refused(self):
        """A date is never right; nor is a list of lists of tables."""
        for path, program in CASES.items():
            case = tomllib.loads(path.read_text())
            check = validator(program)
            for place, table in tables_of(case):
                if "plugin" in case and place[:1] in (("material",), ("section",), ("boundary",), ("capacity",), ("inertia",)):
                    continue
                for key in table:
                    spoilt = copy.deepcopy(case)
                    target = spoilt
                    for step in place:
                        target = target[step]
                    target[key] = [[{"a": 1}]]
                    with self.subTest(case=path.name, place=place, key=key):
                        self.assertFalse(check.is_valid(spoilt))

    def test_mistakes_that_the_program_refuses_too(self):
        rows = [("fin", "mesh.scale", 0), ("fin", "mesh.scale", "1e-3"), ("fin", "mesh.order", 3), ("fin", "mesh.order", 1.5),
                ("fin", "solver.method", "gmers"), ("fin", "solver.tolerance", 1), ("fin", "solver.max_iterations", 0),
                ("fin", "output.compression", "bzip2"), ("fin", "output.single_precision", "yes"), ("fin", "material.0.conductivity", -1),
                ("cantilever/cantilever", "force.0.value", [1]), ("cantilever/cantilever", "material.0.young", -1),
                ("cantilever/cantilever", "material.0.region", 7), ("modal/free", "modal.count", 0), ("modal/free", "modal.method", "power"),
                ("structure/portal", "section.0.element", "rod"), ("structure/portal", "support.0.fixed", 1),
                ("wall/wall", "model.type", "solid_gold")]
        for name, key, value in rows:
            path = next(p for p in CASES if str(p).endswith(f"{name}.toml"))
            case = tomllib.loads(path.read_text())
            *steps, last = key.split(".")
            table = case
            for step in steps:
                table = table[int(step)] if step.isdigit() else table.setdefault(step, {})
            table[last] = value
            with self.subTest(key=key, value=value):
                self.assertFalse(validator(CASES[path]).is_valid(case))
                outcome = self.run_case(CASES[path], path, "--check", keys={key: json.dumps(value)})
                self.assertIn(outcome.exit, (2, 4), outcome.log + outcome.errors)

    def test_what_must_be_given(self):
        for name, table, key in (("fin", "mesh", "file"), ("cantilever/cantilever", ("material", 0), "region"), ("modal/free", ("material", 0), "region"),
                                 ("structure/portal", ("section", 0), "element"), ("fin", (), "mesh"), ("structure/portal", (), "section")):
            path = next(p for p in CASES if str(p).endswith(f"{name}.toml"))
            case = tomllib.loads(path.read_text())
            target = case
            for step in (table,) if isinstance(table, str) else table:
                target = target[step]
            del target[key]
            with self.subTest(case=name, key=key):
                self.assertTrue(any(f"'{key}' is a required property" in e.message for e in validator(CASES[path]).iter_errors(case)))

    def test_every_key_that_a_case_describes_is_in_the_schema_with_its_words(self):
        """--describe asks for this case and its mesh; the schema was asked without them."""
        compared = 0
        for path, program in CASES.items():
            if "plugin" in tomllib.loads(path.read_text()):
                continue
            schema = json.loads((SCHEMAS / f"{program}.schema.json").read_text())
            text = subprocess.run([BIN / program, path, "--describe", "--quiet", "--output", self.folder], capture_output=True, text=True, timeout=60).stdout
            table = []
            for line in text.splitlines():
                if header := re.match(r"(?:# )?\[+([\w.<>]+)\]+  # ", line):
                    table = header[1].split(".")
                elif key := re.match(r"(?:# )?(\w+) = .*?  # (.*); \w+", line):
                    place = schema
                    for step in table:
                        place = place["properties"][step]
                        place = place.get("items", place)
                    if "factors" in table:
                        continue
                    self.assertIn(key[1], place["properties"], f"{path.name}: {line}")
                    if program != "ritz-solve":
                        self.assertIn(key[2].split("; ")[0], place["properties"][key[1]]["description"])
                    compared += 1
        self.assertGreater(compared, 400)

    def test_what_depends_on_another_key_says_so(self):
        properties = lambda program, *path: __import__("functools").reduce(
            lambda s, k: s["properties"][k].get("items", s["properties"][k]), path, json.loads((SCHEMAS / f"{program}.schema.json").read_text()))
        section = properties("ritz-structure", "section")["properties"]
        self.assertIn("only with profile = 'i'", section["web"]["description"])
        self.assertIn("only with profile = 'none'", section["area"]["description"])
        self.assertIn("only with element = 'shell'", section["thickness"]["description"])
        probe = properties("ritz-heat", "probe")["properties"]
        self.assertIn("only with 'region'", probe["measure"]["description"])
        self.assertEqual(properties("ritz-modal", "model")["properties"]["type"]["enum"], ["plane_strain", "plane_stress", "axisymmetric", "solid"])
        self.assertNotIn("default", properties("ritz-heat", "region")["properties"]["tolerance"])  # made of the mesh

    def test_a_resolved_case_is_valid(self):
        for name in ("fin", "structure/portal", "modal/cantilever"):
            path = next(p for p in CASES if str(p).endswith(f"{name}.toml"))
            outcome = self.solve(CASES[path], path)
            resolved = outcome.folder / "results" / f"{path.stem}.resolved.toml"
            self.assertEqual([e.message for e in validator(CASES[path]).iter_errors(tomllib.loads(resolved.read_text()))], [])


if __name__ == "__main__":
    unittest.main()
