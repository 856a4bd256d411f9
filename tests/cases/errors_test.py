"""The catalogue of errors (io/results/error_kinds.cpp): every kind is provoked from the command line, every kind is thrown by
the source, and docs/errors.md is what the catalogue says."""
import json
import os
import pathlib
import re
import shutil
import subprocess
import unittest

import boxes
from ritz import BIN, CaseTest, example

SOURCE = pathlib.Path(os.environ["RITZ_SOURCE"])
CATALOGUE = json.loads(subprocess.run([BIN / "ritz", "errors", "--json"], capture_output=True, text=True, check=True).stdout)
CODES = {kind["kind"]: kind["exit_code"] for kind in CATALOGUE}

# Errors that cannot be provoked here, with the reason.
NOT_PROVOKED = {
    "internal": "would be a bug",
    "analysis": "readers of cases choose an analysis that suits; tests/fem/analysis walks through all of them",
    "processor": "the processor has what it needs; tests/device looks at the sentence",
    "environment": "needs a GPU whose driver fails",
    "deck": "ritz case from reads decks, and has no --log-json", "deck-card": "the same",
    "no-compiler": "cases.own_forms hides the compiler",
    "device-memory": "cases.memory limits the device",
    "missing-fields": "cases.memory leaves room for the solution only",
    "mesh-too-large": "needs 2^31 nodes; test_io has counts that are absurd for the file's size",
    "not-in-balance": "would be a bug; tests/apps looks at the sentence",
    "newton-not-converged": "cases.own_forms has a form without a solution",
    "nonlinear-load-cases": "needs a plugin of nonlinear elements",
    "law": "cases.laws looks at the sentences", "law-kinematics": "the same",
    "other-input": "the rest", "other-model": "the rest",
}

STEEL = '[[material]]\nregion = "{}"\nyoung = 210e9\npoisson = 0.3\n'
CLAMP = '[[displacement]]\nregion = "{}"\nfixed = true\n'
UNLOADED = STEEL.format("a") + CLAMP.format("a.x0")
GOOD = UNLOADED + '[[traction]]\nregion = "a.x1"\nvalue = [1e6, 0, 0]\n'
PLATE = STEEL.format("all") + CLAMP.format("left") + '[[traction]]\nregion = "right"\nvalue = [1e6, 0]\n'
ORTHOTROPIC = ('[[orientation]]\nname = "wound"\ncylindrical = {}\n[[material]]\nregion = "all"\norientation = "wound"\n'
               '[material.orthotropic]\nyoung = [3e9, 2e9, 1e9]\npoisson = [0.1, 0.1, 0.1]\nshear = [1e9, 1e9, 1e9]\n')
HEAT = '[[material]]\nregion = "a"\nconductivity = 400\n[[temperature]]\nregion = "a.x0"\nvalue = 1\n'
FLUX = '[[flux]]\nregion = "a.x1"\nvalue = {}\n'
PROBE = '[[probe]]\nname = "p"\nfield = "displacement"\npoint = [9, 9, 9]\n'
TABLE = '[[table]]\nname = "k"\nfile = "k.csv"\ninterpolation = "linear"\n'
REGION = '[[region]]\nname = "{}"\nkind = "facets"\nplane = {{point = [{}, 0, 0], normal = [1, 0, 0]}}\n'
MODES = UNLOADED.replace("poisson = 0.3", "poisson = 0.3\ndensity = 7850")


class Errors(CaseTest):
    """One method for each way to run; `static` kinds are found by --check."""

    def provoke(self, body=GOOD, mesh=None, program="ritz-elasticity", keys=None, arguments=(), files=None, output=None):
        self.write("mesh.msh", boxes.cubes(["a"]) if mesh is None else mesh)
        for name, text in (files or {}).items():
            self.write(name, text)
        case = self.write("case.toml", '[mesh]\nfile = "mesh.msh"\n' + body)
        return self.run_case(program, case, *arguments, keys=keys, output=output)

    STATIC = {  # kind: arguments of provoke
        "override": dict(arguments=["--set", "mesh.scale"]),
        "case-syntax": dict(body="young == 3\n"),
        "unknown-key": dict(body=GOOD + "[solvr]\n"),
        "other-program": dict(body=HEAT, program="ritz-elasticity"),
        "missing-key": dict(body=GOOD.replace("poisson = 0.3\n", "")),
        "wrong-value": dict(keys={"mesh.order": '"two"'}),
        "unit": dict(body=HEAT.replace("400", '"400 mm"'), program="ritz-heat"),
        "formula-syntax": dict(body=HEAT.replace("400", '"1 + rod(x)"'), program="ritz-heat"),
        "file-missing": dict(keys={"mesh.file": '"none.msh"'}),
        "unknown-material": dict(body=GOOD.replace("young", 'name = "steel"\nyoung')),
        "gradient": dict(body=GOOD + '[gradient]\nprobe = "tip"\nby = "material.0.young"\n'),
        "unknown-region": dict(body=GOOD + CLAMP.format("b.x0")),
        "region-empty": dict(body=REGION.format("cut", 7) + GOOD),
        "region-definition": dict(body=REGION.format("a.x0", 0) + GOOD),
        "table-data": dict(body=TABLE + HEAT, files={"k.csv": "x,k\n0,1\n0,2\n"}, program="ritz-heat"),
        "show": dict(arguments=["--report", "r.html", "--field", "colour"]),
        "probe": dict(body=GOOD + PROBE),
        "step": dict(body=GOOD + '[[step]]\nname = "a"\n[[step]]\nname = "a"\n'),
        "removed-part": dict(body=GOOD + STEEL.format("b") + CLAMP.format("b.x0") + '[[coupling]]\nregion = "b.x1"\nz = 1e-5\n[[step]]\nname = "a"\n'
                             '[[step]]\nname = "b"\n[[step.remove]]\npart = "b"\n', mesh=boxes.cubes(["a", "b"])),
        "load-case": dict(body=GOOD + '[[load_case]]\nname = "empty"\n'),
        "sweep": dict(body=GOOD + '[sweep]\n[[sweep.parameter]]\nkey = "material.0.young"\n'),
        "relation": dict(body=GOOD + CLAMP.format("a.x1").replace("fixed = true", "direction = [0, 0, 0]")),
        "not-joined": dict(body=GOOD + '[[tie]]\nregion = "a.x1"\nonto = "a.x0"\n'),
        "load-path": {"body": GOOD + "[newton]\nsmallest_increment = 0.5\nlargest_increment = 0.1\n"},
        "prescribes-nothing": dict(body=GOOD + '[[displacement]]\nregion = "a.x1"\n'),
        "solver-options": dict(keys={"solver.method": "direct", "solver.preconditioner": "jacobi"}),
        "modal-options": dict(body=MODES, program="ritz-modal", keys={"modal.band": "[5, 2]"}),
        "model-options": dict(body=PLATE, mesh=boxes.square(), keys={"model.type": "axisymmetric", "model.thickness": 2}),
        "output-options": dict(keys={"output.format": "vtkhdf", "output.compression": "lz4"}),
        "initial-values": dict(body=HEAT.replace("400", "400\ndensity = 1\nspecific_heat = 1") + '[initial]\nfile = "mesh.msh"\n[time]\nend = 1\n', program="ritz-heat"),
        "orientation": dict(keys={"material.0.orientation": '"fibres"'}),
        "plugin": dict(body='[model]\nform = "diffusion3"\n' + HEAT.replace("temperature", "prescribe"), program="ritz-solve", files={"p.cpp": "int;;!"}, keys={"plugin": "p.cpp"}),
        "axisymmetric-radius": dict(body=PLATE, mesh=boxes.square(((-1, 0), (1, 0), (1, 1), (-1, 1))), keys={"model.type": "axisymmetric"}),
        "inverted-cells": dict(mesh=boxes.cubes(["a"]).replace(" 1 2 3 4 5 6 7 8\n", " 1 2 4 3 5 6 8 7\n")),
        "torn-mesh": dict(body=PLATE, mesh=boxes.torn(), keys={"model.type": "plane_stress"}),
        "mesh-unreadable": dict(mesh=""),
        "mesh-format": dict(keys={"mesh.file": '"mesh.xyz"'}, files={"mesh.xyz": "what is this?\n"}),
        "mesh-order": dict(mesh=boxes.msh([(i, 0, 0) for i in range(9)], [(20, 1, list(range(1, 10)))], [(2, "a")])),
        "mesh-without-cells": dict(mesh=boxes.msh([(0, 0, 0), (1, 0, 0)], [(15, 1, [1])], [(0, "a")])),
        "mesh-reference": dict(mesh=boxes.cubes(["a"]).replace("2 1 0 0\n", "1 1 0 0\n")),
        "mesh-contents": dict(mesh=boxes.cubes(["a"])[:200]),
        "missing-material": dict(body=CLAMP.format("a.x0")),
        "overlapping-materials": dict(body=GOOD + STEEL.format("all")),
        "unsupported-body": dict(body=STEEL.format("a")),
        "unloaded": dict(body=UNLOADED),
        "conflicting-conditions": dict(body=GOOD + '[[displacement]]\nregion = "a.y0"\nx = 0.1\n'),
        "material-value": dict(keys={"material.0.poisson": 0.5}),
        "material-axes": dict(body=ORTHOTROPIC + CLAMP.format("left"), mesh=boxes.square(), keys={"model.type": "axisymmetric"}),
        "formula-value": dict(body=HEAT.replace("400", '"x - 2"'), program="ritz-heat"),
        "command-line": dict(arguments=["--colour", "red"]),
        "outside-folder": dict(keys={"mesh.file": '"/etc/passwd"'}, arguments=["--untrusted"]),
        "no-gpu": dict(arguments=["--device", "gpu:7"]),
    }
    SOLVED = {
        "not-finite": dict(body=GOOD + '[[traction]]\nregion = "a.x1"\nvalue = [1e308, 1e308, 1e308]\n', keys={"mesh.scale": 1e6}),
        "not-converged": dict(case="fin", keys={"solver.method": "cg", "solver.preconditioner": "jacobi", "solver.max_iterations": 3}),
        "direct-solver-memory": dict(case="cantilever", program="ritz-elasticity", keys={"solver.method": "direct", "solver.direct_memory": 1e-6}),
        "host-memory": dict(arguments=["--host-memory-limit", "70000"], case="heat_sink"),
        "vibration": dict(case="vibration/nafems_5h", program="ritz-modal", keys={"damping.ratio": 0}),
        "inertia-relief": dict(body=GOOD.replace("poisson = 0.3", "poisson = 0.3\ndensity = 7850") + "[inertia_relief]\n"),
        "buckling": dict(case="buckling/column", program="ritz-structure", keys={"force.0.value": "[0, 0, 1]"}),
        "explicit-steps": dict(body=GOOD.replace("poisson = 0.3", "poisson = 0.3\ndensity = 7850") + '[time]\nend = 1\nstep = 1\nmethod = "central_differences"\n'),
        "modes-not-converged": dict(case="modal/cantilever", program="ritz-modal", keys={"modal.max_iterations": 1, "modal.method": "lobpcg"}),
    }

    def expect(self, kind, outcome):
        self.assertEqual(outcome.exit, CODES[kind], outcome.log + outcome.errors)
        if outcome.report is not None:
            self.assertIn(kind, [error["kind"] for error in outcome.report["errors"]], outcome.errors)
        else:
            self.assertIn(f'"kind":"{kind}"', outcome.errors)

    def run_row(self, row, arguments):
        row = dict(row)
        if "case" in row:
            return self.run_case(row.get("program", "ritz-heat"), example(row["case"]), *row.get("arguments", ()), *arguments, keys=row.get("keys"))
        return self.provoke(**{**row, "arguments": [*row.get("arguments", ()), *arguments]})

    def test_what_is_static_is_found_by_check(self):
        for kind, row in self.STATIC.items():
            with self.subTest(kind=kind):
                outcome = self.run_row(row, ["--check", "--log-json"])
                self.expect(kind, outcome)
                self.assertFalse(list(self.folder.rglob("*.vtu")))

    def test_what_only_a_solve_can_find(self):
        for kind, row in self.SOLVED.items():
            with self.subTest(kind=kind):
                self.expect(kind, self.run_row(row, ["--log-json"]))

    def test_structures(self):
        """A load where nothing carries it, cells without and with two sections, and a frame that is not held: all by --check."""
        portal = example("structure/portal")
        along_y = {f"support.{k}.{key}": value for k in (0, 1) for key, value in (("pinned", "false"), ("y", 0))}
        rows = {"unsupported-body": along_y, "unknown-region": {"support.0.region": '"corner"'}, "material-value": {"section.0.young": -1}, "missing-key": {"section.0.profile": '"box"'}}
        for kind, keys in rows.items():
            with self.subTest(kind=kind):
                outcome = self.run_case("ritz-structure", portal, "--check", "--log-json", keys=keys)
                self.assertIn(f'"kind":"{kind}"', outcome.errors)

    def test_load_on_nothing(self):
        mesh = boxes.msh([(0, 0, 0), (1, 0, 0), (2, 0, 0)], [(1, 1, [1, 2]), (1, 2, [2, 3]), (15, 3, [1])], [(1, "a"), (1, "b"), (0, "foot")])
        bar = '[[section]]\nregion = "a"\nelement = "bar"\nyoung = 1\narea = 1\n[[support]]\nregion = "a"\nfixed = true\n'
        self.expect("load-on-nothing", self.provoke(bar + '[[force]]\nregion = "b"\nvalue = [0, 0, 1]\n', mesh, "ritz-structure", arguments=["--check"]))

    def test_files_and_folders(self):
        case = example("fin")
        first = self.solve("ritz-heat", case)
        results = first.folder / "results"
        self.expect("results-exist", self.run_case("ritz-heat", case, output=results))
        journal = results / "results.journal"
        good = journal.read_bytes()
        journal.write_bytes(b"x" + good[1:])
        self.expect("journal-damaged", self.run_case("ritz-heat", case, "--check", "--overwrite", output=results))
        journal.write_bytes(good)
        self.expect("cannot-write", self.run_case("ritz-heat", case, "--check", output=self.write("file", "")))
        self.expect("not-a-case", self.run_case("ritz-heat", self.write("job.inp", "*HEADING\n"), "--log-json"))
        self.expect("not-a-case", self.run_case("ritz-heat", self.write("case", boxes.cubes(["a"])), "--log-json"))
        self.expect("several-ranks", self.run_case("ritz-heat", case, environment={"PMI_SIZE": "2", "RITZ_INDEPENDENT_RANKS": ""}))
        self.expect("case-unreadable", self.run_case("ritz-heat", self.folder / "none.toml", "--log-json"))

    def test_vtk_and_hdf5_are_loaded_with_the_first_file_that_needs_them(self):
        """Beside a copy of our library there are no modules: a run misses them before it solves anything, a check does not."""
        needed = subprocess.run([BIN / "ritz-heat"], capture_output=True, text=True, env={**os.environ, "LD_TRACE_LOADED_OBJECTS": "1"}).stdout
        ours = re.search(r"libritz_io\.so => (\S+)", needed)[1]
        self.assertNotRegex(needed, "libvtk|libhdf5|mumps|blas")
        shutil.copy(ours, self.folder)
        apart = {"LD_LIBRARY_PATH": str(self.folder)}
        case = example("fin")
        self.assertEqual(self.run_case("ritz-heat", case, "--check", environment=apart).exit, 0)
        outcome = self.run_case("ritz-heat", case, environment=apart)
        self.expect("file-library", outcome)
        self.assertIn("VTK cannot be loaded", outcome.errors)
        self.assertNotIn("iterations", outcome.log)
        self.assertIn("HDF5 cannot be loaded", self.run_case("ritz-heat", case, keys={"output.format": '"vtkhdf"'}, environment=apart).errors)

    def test_stopped(self):
        outcome = self.run_case("ritz-heat", example("heat_sink"), "--time-limit", "0.001")
        self.assertEqual((outcome.exit, outcome.report["errors"][0]["kind"]), (124, "stopped"))

    def test_several_faults_of_a_mesh_are_several_errors_and_the_way_to_see_the_cells_is_named(self):
        """One cell folded, another turned over: two sentences, and a picture of both cells."""
        mesh = boxes.cubes(["a", "b"]).replace(" 1 2 3 4 5 6 7 8\n", " 1 2 4 3 5 6 8 7\n").replace(" 9 10 11 12 13 14 15 16\n", " 13 14 15 16 9 10 11 12\n")
        outcome = self.provoke(mesh=mesh, arguments=["--check"])
        self.assertEqual([error["kind"] for error in outcome.report["errors"]], ["inverted-cells"] * 2)
        self.assertTrue(all(error["fix"] for error in outcome.report["errors"]))
        [notice] = [notice for notice in outcome.report["notices"] if "ritz mesh check" in notice]
        subprocess.run([BIN / "ritz", "mesh", "check", notice.split("check ")[1].split(" writes")[0], "--vtu", self.folder / "cells.vtu"], capture_output=True)
        self.assertIn(b'NumberOfCells="2"', (self.folder / "cells.vtu").read_bytes())

    def test_every_kind_is_provoked_or_says_why_not(self):
        source = pathlib.Path(__file__).read_text()
        provoked = {*self.STATIC, *self.SOLVED, *re.findall(r'self\.expect\("([\w-]+)"', source), "stopped", "load-on-nothing"}
        elsewhere = {"not-free-of-divergence": "mixed_test.py", "outside-folder": "hostile_test.py", "folder-in-use": "results_test.py", "checkpoint-unusable": "resume_test.py", "singular-matrix": "test_solvers", "not-linear": "newton_test.cpp",
                     "time-options": "transient_test.py", "damping": "second_order_test.cpp", "several-fields": "mixed_test.py", "repeated-members": "structure_test.py",
                     "section-not-joined": "body_test.py", "solids-and-sections": "body_test.py"}
        self.assertEqual(set(CODES), provoked | set(NOT_PROVOKED) | set(elsewhere))
        self.assertFalse(provoked & set(NOT_PROVOKED))

    def test_what_is_published_is_what_is_printed(self):
        text = subprocess.run([BIN / "ritz", "errors"], capture_output=True, text=True, check=True).stdout
        self.assertEqual(text, (SOURCE / "docs" / "errors.md").read_text(), "rewrite it: ritz errors > docs/errors.md")

    def test_names_are_unique_and_every_exit_code_has_kinds(self):
        self.assertEqual(len(CODES), len(CATALOGUE))
        self.assertEqual(sorted(set(CODES.values())), [1, 2, 3, 4, 5, 6, 7, 8, 9, 75])

    def test_json_lines_have_time_level_message_and_the_parts_of_errors(self):
        outcome = self.provoke(keys={"material.0.young": -1, "mesh.scael": 1}, arguments=["--log-json", "--check"])
        lines = [json.loads(line) for line in (outcome.log + outcome.errors).splitlines()]
        for line in lines:
            self.assertRegex(line["time"], r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$")
            self.assertIn(line["level"], ("info", "detail", "progress", "notice", "error"))
            self.assertTrue(line["message"])
        errors = {line["kind"]: line for line in lines if line["level"] == "error"}
        young = errors["material-value"]
        self.assertEqual((young["key"], young["value"], young["exit_code"]), ("material.0.young", "-1", 4))
        self.assertIn("above 0", young["remedy"])
        self.assertEqual(errors["unknown-key"]["key"], "mesh.scael")
        for error in (young, errors["unknown-key"]):
            self.assertRegex(error["place"], r"(case\.toml|override).*")
        self.assertIn("scale", errors["unknown-key"]["remedy"])
        good = self.provoke(arguments=["--log-json"], body=GOOD + '[[traction]]\nregion = "a.x1"\nvalue = [1, 0, 0]\n')
        self.assertEqual((good.exit, good.errors), (0, ""))
        self.assertTrue(all(json.loads(line) for line in good.log.splitlines()))


class Sites(unittest.TestCase):
    def test_every_kind_is_thrown_somewhere_and_few_errors_have_none(self):
        """A kind without a throw is dead; `other_...` is for what no command line reaches."""
        thrown = {}
        for folder in ("apps", "device", "fem", "io", "mesh", "python", "solvers"):
            for path in sorted((SOURCE / folder).rglob("*.[chi]*")):
                if path.name not in ("error_kinds.hpp", "error_kinds.cpp", "error_catalogue.cpp"):
                    for kind in re.findall(r"ErrorKind::(\w+)", re.sub(r"//.*", "", path.read_text(errors="ignore"))):
                        thrown.setdefault(kind.replace("_", "-"), []).append(str(path.relative_to(SOURCE)))
        self.assertEqual(set(CODES) - set(thrown), set())
        self.assertLessEqual(len(thrown["other-model"]), 1, thrown["other-model"])
        self.assertLessEqual(len(thrown["other-input"]), OTHERS, thrown["other-input"])


OTHERS = 13  # boxes of no cells and names of cell kinds, which no command line reaches; and calls from Python


if __name__ == "__main__":
    unittest.main()
