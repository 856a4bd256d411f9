"""Result.write_html and --report of the programs: one file that is well formed, needs no other, and says what the run says."""
import base64
import html.parser
import json
import os
import pathlib
import subprocess
import tempfile
import unittest

import numpy as np

import ritz
from model_test import heat, square
from run_test import bar, tension

EXAMPLES = pathlib.Path(os.environ["RITZ_EXAMPLES"])
BIN = pathlib.Path(os.environ["RITZ_BIN"])
VOID = {"meta", "img", "br", "line", "polyline"}
ODD = '<script>alert("1")</script> & \'x\''


class Page(html.parser.HTMLParser):
    """Fails where tags do not close; keeps the texts, tables and attributes."""

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.open, self.tags, self.rows, self.attributes, self.scripts = [], [], [], [], []
        self.feed(text)
        self.close()
        assert not self.open, self.open

    def handle_starttag(self, tag, attributes):
        self.tags.append(tag)
        self.attributes += attributes
        if tag not in VOID:
            self.open.append(tag)
        if tag == "tr":
            self.rows.append([])
        if tag in ("td", "th"):
            self.rows[-1].append("")

    def handle_startendtag(self, tag, attributes):
        assert tag in VOID, tag
        self.tags.append(tag)
        self.attributes += attributes

    def handle_endtag(self, tag):
        assert tag not in VOID and self.open.pop() == tag, tag

    def handle_data(self, data):
        if self.open and self.open[-1] == "script":
            self.scripts.append(data)
        if self.open and self.open[-1] in ("td", "th"):
            self.rows[-1][-1] += data

    def body(self):
        """The data of the view: the first script, numbers as arrays."""
        data = json.loads(self.scripts[0])
        number = lambda text, kind: np.frombuffer(base64.b64decode(text), kind)
        for name in ("triangles", "triangle_cells", "segments", "segment_cells"):
            data[name] = number(data[name], "<u4")
        data["points"] = number(data["points"], "<f4").reshape(-1, 3)
        for step in data["steps"]:
            for field in step["fields"]:
                field["values"] = number(field["values"], "<f4").reshape(-1, field["components"])
        return data

    def picture(self):
        source = dict(self.attributes)["src"]
        assert source.startswith("data:image/png;base64,")
        return base64.b64decode(source.split(",")[1])


class Report(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = pathlib.Path(scratch.name)

    def page(self, result, *given, **how):
        result.write_html(self.folder / "r.html", *given, **how)
        return Page((self.folder / "r.html").read_text())

    def test_results_balance_convergence_and_what_was_given(self):
        case = tension(probe=[{"name": "tip", "field": "displacement", "component": "x", "point": [4, 0.5, 0.5]}], solver={"method": "cg", "preconditioner": "jacobi"},
                       title="a bar")
        result = ritz.run(case, mesh=bar())
        page = self.page(result, "von_mises", warp="displacement")
        self.assertEqual(page.picture()[:8], b"\x89PNG\r\n\x1a\n")
        rows = {row[0]: row for row in page.rows}
        self.assertIn(f"{result.probes['tip']:.6g}", [row[2] for row in page.rows if row[1:2] == ["tip"]])
        self.assertIn("young = 2e+11", rows["material"][1].replace("200000000000.0", "2e+11"))
        self.assertIn("fixed = true", rows["displacement"][1])
        self.assertEqual(rows["Ritz"][1], result.report["version"])
        self.assertEqual([row[2] for row in page.rows if row[1:2] == ["residual_certificate"]], [result.facts["residual_certificate"]])
        points = dict(page.attributes)["points"].split()
        self.assertEqual(len(points), len(result.report["solver"]["last_residuals"]))
        y = [float(each.split(",")[1]) for each in points]
        self.assertGreater(y[-1], y[0])  # downwards
        for name, value in page.attributes:
            self.assertFalse(name in ("src", "href") and not value.startswith("data:"), (name, value))
        body = page.body()
        self.assertEqual(body["triangles"].max() + 1, len(body["points"]))
        fields = {field["name"]: field for field in body["steps"][-1]["fields"] if not field["cells"]}
        self.assertEqual(list(fields), list(result.fields))
        self.assertEqual(fields["displacement"]["values"].max(), np.float32(result.fields["displacement"].max()))
        self.assertEqual((body["look"]["warp"], body["steps"][-1]["fields"][body["look"]["field"]]["name"]), ("displacement", "von_mises"))

    def test_texts_of_the_case_are_escaped(self):
        mesh = square()
        named = ritz.Mesh(mesh.points, dict(mesh.cells), {"left": {"nodes": np.arange(5)}, ODD: {"quad4": np.arange(16)}})
        case = heat(named, source=1.0) | {"title": ODD, "probe": [{"name": ODD, "field": "temperature", "region": ODD, "measure": "max"}]}
        page = self.page(ritz.run(case, mesh=named))
        self.assertEqual(page.tags.count("script"), 2)
        self.assertIn(ODD, [row[1] for row in page.rows if len(row) == 4])
        self.assertTrue(any(ODD.replace('"', '\\"') in row[1] for row in page.rows if row[0] == "probe"))

    def test_load_cases_plane_meshes_and_refusals(self):
        mesh = square()
        case = heat(mesh) | {"source": None, "load_case": [{"name": f"case {i}", "source": [{"region": "all", "value": i}]} for i in (1, 2)],
                             "probe": [{"name": "hot", "field": "temperature", "region": "all", "measure": "max"}]}
        result = ritz.run(case, mesh=mesh)
        page = self.page(result, step="case 1")
        hot = {row[0]: float(row[2]) for row in page.rows if row[1:2] == ["hot"]}
        self.assertAlmostEqual(hot["case 2"], 2 * hot["case 1"], delta=1e-5 * hot["case 2"])
        self.assertEqual([each["name"] for each in page.body()["steps"]], ["case 2", "case 1"])  # the last one is shown first
        with self.assertRaises(ritz.Error) as raised:
            result.write_html(self.folder / "r.html", "no such field")
        self.assertIn("temperature", str(raised.exception))
        with self.assertRaises(ritz.OutputError):
            result.write_html(self.folder / "none" / "r.html")

    def program(self, *words, name="ritz-elasticity"):
        return subprocess.run([BIN / name, *map(str, words)], capture_output=True, text=True, cwd=self.folder)

    def test_the_programs_write_what_python_writes(self):
        """The same page but for times and versions, the same picture to the last bit."""
        case = EXAMPLES / "bracket" / "bracket.toml"
        done = self.program(case, "--output", "out", "--report", "b.html", "--picture", "b.png", "--field", "von_mises", "--warp", "displacement", "--threads", 1)
        self.assertEqual((done.returncode, done.stderr), (0, ""), done.stdout)
        ours, theirs = (Page(text) for text in ((self.folder / "b.html").read_text(), self.text_of(ritz.run(case, threads=1), "von_mises", warp="displacement")))
        self.assertEqual(ours.picture(), theirs.picture())
        self.assertEqual(ours.picture(), (self.folder / "b.png").read_bytes())
        self.assertEqual(ours.scripts, theirs.scripts)
        timed = lambda row: row[0] in ("Python", "NumPy", "settings", "output") or len(row) == 2 and row[1].replace(".", "").replace("e-", "").isdigit()
        self.assertEqual([row for row in ours.rows if not timed(row)], [row for row in theirs.rows if not timed(row)])
        self.assertLess((self.folder / "b.html").stat().st_size, 6e6)

    def text_of(self, result, *given, **how):
        result.write_html(self.folder / "p.html", *given, **how)
        return (self.folder / "p.html").read_text()

    def test_load_cases_of_a_program_are_steps_of_the_view(self):
        case = EXAMPLES / "bracket" / "load_cases.toml"
        self.assertEqual(self.program(case, "--report", "l.html").returncode, 0)
        page = Page((self.folder / "l.html").read_text())
        result = ritz.run(case)
        self.assertEqual([step["name"] for step in page.body()["steps"]], [step.load_case for step in result.steps])
        by_name = {step["name"]: {field["name"]: field["values"] for field in step["fields"] if not field["cells"]} for step in page.body()["steps"]}
        for step in result.steps:
            top = abs(step.fields["displacement"]).max()
            self.assertAlmostEqual(abs(by_name[step.load_case]["displacement"]).max(), top, delta=1e-6 * top)

    def test_a_run_that_fails_has_a_page_of_its_errors_and_no_picture(self):
        case = EXAMPLES / "bracket" / "bracket.toml"
        done = self.program(case, "--set", "solver.method=cg", "--set", "solver.max_iterations=2", "--set", "solver.preconditioner=none", "--report", "f.html",
                            "--picture", "f.png", "--output", "out")
        self.assertEqual(done.returncode, 5)
        page = Page((self.folder / "f.html").read_text())
        self.assertIn(["status", "failed"], page.rows)
        self.assertIn("Errors", (self.folder / "f.html").read_text())
        self.assertFalse((self.folder / "f.png").exists())

    def test_mistakes_are_told_before_the_solve(self):
        case = EXAMPLES / "bracket" / "bracket.toml"
        for words, code, says in ((["--picture", "a.png", "--field", "von_mise"], 2, "did you mean 'von_mises'?"), (["--report", "a.html", "--warp", "von_mises"], 2, "1 component"),
                                  (["--picture", "a.png", "--check"], 2, "--picture was given with --check"), (["--picture", "/proc/none/a.png"], 7, "/proc/none"),
                                  (["--picture", "a.png", "--component", "z"], 0, "")):
            with self.subTest(words):
                done = self.program(case, "--output", "o" + str(len(list(self.folder.iterdir()))), *words)
                self.assertEqual(done.returncode, code, done.stderr)
                self.assertIn(says, done.stderr)
                self.assertFalse(code and "iterations" in done.stdout)
        sweep = self.program(EXAMPLES / "heat_sink" / "metals.toml", "--picture", "a.png", "--output", "sweep", name="ritz-heat")
        self.assertEqual(sweep.returncode, 2)
        self.assertIn("they show one run", sweep.stderr)


if __name__ == "__main__":
    unittest.main()
