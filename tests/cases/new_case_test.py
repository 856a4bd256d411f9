"""Materials of the library in cases, and `ritz new`: a case with the regions of a mesh, which lacks what it says and nothing else."""
import json
import re
import shlex
import subprocess
import tomllib
import unittest

import boxes
from ritz import BIN, EXAMPLES, CaseTest

LIBRARY = {each["name"]: each for each in json.loads(subprocess.run([BIN / "ritz", "materials", "--json"], capture_output=True, text=True, check=True).stdout)}
KEYS = ("density", "young", "poisson", "expansion", "conductivity", "specific_heat")
PULLED = '[[displacement]]\nregion = "a.x0"\nfixed = true\n[[force]]\nregion = "a.x1"\nvalue = [1e6, 0, -2e5]\n[gravity]\nacceleration = [0, 0, -9.81]\n'
PROBE = '[[probe]]\nname = "p"\nfield = "{}"\npoint = [1, 1, 1]\n'


def ritz(*words, folder=None):
    return subprocess.run([str(word) for word in (BIN / "ritz", *words)], capture_output=True, text=True, cwd=folder)


class Materials(CaseTest):
    def probe(self, program, head, body, field, *arguments):
        """head: the lines before the tables."""
        self.write("mesh.msh", boxes.cubes(["a"]))
        case = self.write("case.toml", head + '[mesh]\nfile = "mesh.msh"\n' + body + PROBE.format(field))
        return self.solve(program, case, *arguments).probes["p"]

    def test_a_name_stands_for_its_numbers(self):
        for name, m in list(LIBRARY.items())[::5]:
            numbers = self.probe("ritz-elasticity", "", f'[[material]]\nregion = "a"\nyoung = {m["young"]}\npoisson = {m["poisson"]}\ndensity = {m["density"]}\n' + PULLED, "displacement")
            named = f'[[material]]\nregion = "a"\nname = "{name}"\n'
            self.assertEqual(self.probe("ritz-elasticity", "", named + PULLED, "displacement"), numbers)
            self.assertEqual(self.probe("ritz-elasticity", f'material = "{name}"\n', PULLED, "displacement"), numbers)
            self.assertEqual(self.probe("ritz-elasticity", "", f'[material]\nname = "{name.upper()}"\n' + PULLED, "displacement"), numbers)

    def test_given_keys_come_before_those_of_the_library(self):
        softer = self.probe("ritz-elasticity", 'material = "steel S235"\n', PULLED, "displacement", "--set", "material.0.young=70e9")
        self.assertEqual(softer, self.probe("ritz-elasticity", "", '[[material]]\nregion = "a"\nyoung = 70e9\npoisson = 0.3\ndensity = 7850\n' + PULLED, "displacement"))

    def test_a_free_body_expands_by_the_coefficient(self):
        held = "".join(f'[[displacement]]\nregion = "a.{axis}0"\n{axis} = 0\n' for axis in "xyz")
        for name in ("aluminium 6061-T6", "glass fused silica"):
            u = self.probe("ritz-elasticity", f'material = "{name}"\n', held + "[thermal]\ntemperature = 120\nreference = 20\n", "displacement")
            for each in u:
                self.assert_close(each, 100 * LIBRARY[name]["expansion"], 1e-6)

    def test_heat_takes_conductivity_and_capacity(self):
        m = LIBRARY["copper C11000"]
        wall = '[[temperature]]\nregion = "a.x0"\nvalue = 0\n[[flux]]\nregion = "a.x1"\nvalue = 391e3\n'
        self.assert_close(self.probe("ritz-heat", 'material = "copper C11000"\n', wall, "temperature"), 391e3 / m["conductivity"], 1e-6)
        insulated = '[[source]]\nregion = "a"\nvalue = 1e6\n[initial]\ntemperature = 0\n[time]\nend = 10\nstep = 10\n'
        warm = self.probe("ritz-heat", 'material = "copper C11000"\n', insulated, "temperature")
        self.assert_close(warm, 1e7 / (m["density"] * m["specific_heat"]), 1e-6)

    def test_sections_name_materials(self):
        text = (EXAMPLES / "structure/portal.toml").read_text().replace('"portal.msh"', f'"{EXAMPLES / "structure/portal.msh"}"')
        named = re.sub(r"young = 210e9\npoisson = 0.3\ndensity = 7850\n", 'material = "steel S235"\n', text)
        self.assertNotEqual(named, text)
        both = [self.solve("ritz-structure", self.write(f"{i}.toml", case)).probes for i, case in enumerate((text, named))]
        self.assertEqual(*both)

    def test_the_resolved_case_holds_the_numbers(self):
        self.write("mesh.msh", boxes.cubes(["a"]))
        outcome = self.solve("ritz-elasticity", self.write("case.toml", 'material = "steel S235"\n[mesh]\nfile = "mesh.msh"\n' + PULLED))
        resolved = next(tomllib.loads(path.read_text()) for path in (outcome.folder / "results").rglob("*.toml"))
        self.assertEqual({key: resolved["material"][0][key] for key in ("name", "region", "young", "poisson")},
                         {"name": "steel S235", "region": "all", "young": 210e9, "poisson": 0.3})

    def test_unknown_names_are_told_with_those_near(self):
        self.write("mesh.msh", boxes.cubes(["a"]))
        for name, words in {"steel S253": ["no material 'steel S253'", "did you mean 'steel S235'?"], "7075": ["did you mean 'aluminium 7075-T6'?"],
                            "concrete": ["'concrete C25/30'", "'concrete C30/37'"], "unobtainium": ["'ritz materials'"]}.items():
            case = self.write("case.toml", f'material = "{name}"\n[mesh]\nfile = "mesh.msh"\n' + PULLED)
            outcome = self.run_case("ritz-elasticity", case, "--check")
            self.assertEqual(outcome.exit, 2)
            for word in ("1 mistake" if "mistake" in outcome.errors else "case.toml:1:12", *words):
                self.assertIn(word, outcome.errors)
            self.assertNotIn("missing key", outcome.errors)
            told = ritz("materials", name)
            self.assertEqual(told.returncode, 2)
            self.assertIn(words[-1], told.stderr)

    def test_the_library_is_complete_and_possible(self):
        self.assertGreaterEqual(len(LIBRARY), 20)
        table = ritz("materials").stdout
        for name, m in LIBRARY.items():
            line = next(line for line in table.splitlines() if line.startswith(name))
            self.assertGreater(len(m["source"]), 15)
            # Constants that were not compared with their source say so, in the list and one by one.
            self.assertTrue(m["unconfirmed"] == "all" or set(filter(None, m["unconfirmed"].split(", "))) <= set(KEYS), m)
            self.assertEqual(line.endswith(" *"), m["unconfirmed"] != "")
            self.assertEqual("Not compared with this source: " + m["unconfirmed"] in ritz("materials", name).stdout, m["unconfirmed"] != "")
            self.assertTrue(all(m[key] > 0 for key in KEYS) and m["poisson"] < 0.5, m)
            self.assertTrue(1e5 < m["density"] * m["specific_heat"] < 5e6, m)  # [J/(m^3 K)] of solids
            self.assertTrue(1e3 < (m["young"] / m["density"]) ** 0.5 < 12e3, m)  # [m/s] of sound in a rod
            as_toml = ritz("materials", name).stdout
            self.assertEqual({key: tomllib.loads(as_toml)[key] for key in KEYS}, {key: m[key] for key in KEYS})
            self.assertIn(m["source"], as_toml)


class New(CaseTest):
    def new(self, mesh, *arguments):
        process = ritz("new", mesh, self.folder / "part.toml", "--force", *arguments)
        self.assertEqual((process.returncode, process.stderr), (0, ""))
        return process.stdout.split(": a case for ")[1].split(".")[0], (self.folder / "part.toml").read_text()

    def lacks(self, program, text):
        """The lines with a value to fill in; --check complains of them and of nothing else."""
        lines = {str(number) for number, line in enumerate(text.splitlines(), 1) if '"FILL IN"' in line and not line.startswith("#")}
        outcome = self.run_case(program, self.write("part.toml", text), "--check", "--log-json")
        errors = [each for each in map(json.loads, outcome.errors.splitlines()) if each["level"] == "error"]
        errors = [each for each in errors if each["kind"] != "unsupported-body"]  # which the blank support holds
        self.assertTrue(all("FILL IN" in each["message"] for each in errors), errors)
        self.assertEqual({each["place"].split(":")[-2] for each in errors}, lines)
        return lines

    def test_cases_lack_what_they_say(self):
        self.write("plate.msh", boxes.square())
        for mesh, arguments, filled in (
                (EXAMPLES / "bracket/bracket.msh", ["--scale", "0.001"], {"name": "steel S235", "displacement": "bolts"}),
                (EXAMPLES / "bracket/bracket.msh", ["--scale", "0.001", "--material", "STEEL S355"], {"displacement": "bolts"}),
                (EXAMPLES / "heat_sink/heat_sink.msh", ["--program", "heat"], {"name": "copper C11000", "temperature": "chip"}),
                (EXAMPLES / "bracket/bracket.msh", ["--program", "modal"], {"name": "tungsten"}),
                (EXAMPLES / "structure/portal.msh", [], {"support": "left foot"}),
                (self.folder / "plate.msh", [], {"type": "plane_strain", "name": "concrete C30/37", "displacement": "left"}),
                (self.folder / "plate.msh", ["--program", "heat"], {"type": "plane", "name": "brass C36000", "temperature": "left"})):
            with self.subTest(mesh=mesh.name, arguments=arguments):
                program, text = self.new(mesh, *arguments)
                self.assertTrue(self.lacks(program, text) or "modal" in program)
                for table in ("displacement", "temperature", "support"):
                    text = text.replace(f'[[{table}]]\nregion = "FILL IN"', f'[[{table}]]\nregion = "{filled.get(table)}"')
                for key in ("name", "type"):
                    text = text.replace(f'\n{key} = "FILL IN"', f'\n{key} = "{filled.get(key)}"')
                text = text.replace('material = "FILL IN"', 'material = "steel S235"').replace('= "FILL IN"', "= 0.1")
                keys = {}
                if program in ("ritz-elasticity", "ritz-structure"):  # loads wait for their values
                    outcome = self.run_case(program, self.write("part.toml", text), "--check")
                    self.assertEqual((outcome.exit, "nothing acts on the model" in outcome.errors), (4, True), outcome.errors)
                    keys = {"allow_unloaded": "true"}
                self.assertEqual(self.run_case(program, self.write("part.toml", text), "--check", keys=keys).exit, 0)
                if program != "ritz-modal":
                    self.solve(program, self.folder / "part.toml", keys=keys)

    def test_tables_behind_the_sign_are_valid_too(self):
        """All commented tables at once, with their example numbers."""
        for mesh, program in ((EXAMPLES / "bracket/bracket.msh", "elasticity"), (EXAMPLES / "bracket/bracket.msh", "heat"), (EXAMPLES / "structure/portal.msh", "structure")):
            called, text = self.new(mesh, "--program", program, "--material", "steel S235")
            tables = re.findall(r"^# (\[\[?(?:force|pressure|gravity|convection|flux|power)\]\]?)$", text, re.M)
            self.assertGreater(len(tables), 1)
            for table in tables:
                at = text.index(f"# {table}\n")
                end = text.find("\n\n", at)
                text = text[:at] + re.sub("^# ", "", text[at:end], flags=re.M) + text[end:]
            self.lacks(called, text)

    def test_two_bodies_get_a_material_each_and_the_whole_one_where_groups_overlap(self):
        self.write("mesh.msh", boxes.cubes(["a", 'b "odd"\\']))
        _, text = self.new(self.folder / "mesh.msh")
        self.assertEqual([each["region"] for each in tomllib.loads(text)["material"]], ["a", 'b "odd"\\'])
        for name in ("a.x0", 'b "odd"\\.z1'):
            self.assertIn(json.dumps(name), text)

    def test_paths_with_blanks_are_those_of_a_shell(self):
        folder = self.folder / "my parts"
        folder.mkdir()
        (folder / "it's a.msh").write_text(boxes.cubes(["a"]))
        said = ritz("new", folder / "it's a.msh", folder=folder)
        self.assertEqual(said.returncode, 0, said.stderr)
        for line in (said.stdout.split("then: ")[1], next(line for line in (folder / "it's a.toml").read_text().splitlines() if "--check" in line).removeprefix("#").split("--check")[0] + "--check"):
            program, path, option = shlex.split(line)
            self.assertEqual((program, option, (folder / path).is_file()), ("ritz-elasticity", "--check", True))

    def test_existing_files_unknown_materials_and_meshes_are_told(self):
        mesh = self.write("mesh.msh", boxes.cubes(["a"]))
        self.assertEqual(ritz("new", mesh).returncode, 0)
        self.assertIn('file = "mesh.msh"', (self.folder / "mesh.toml").read_text())
        for arguments, code, words in (([mesh], 7, "exists already"), ([mesh, "--force", "--material", "stel S235"], 2, "did you mean"),
                                       (["none.msh"], 3, "none.msh"), ([mesh, mesh, "--force"], 2, "the mesh has it"), ([mesh, "--program", "solve"], 2, "solve"), ([mesh, "--force", "--scale", "-1"], 2, "--scale")):
            told = ritz("new", *arguments, folder=self.folder)
            self.assertEqual(told.returncode, code, told.stderr)
            self.assertIn(words, told.stderr)


if __name__ == "__main__":
    unittest.main()
