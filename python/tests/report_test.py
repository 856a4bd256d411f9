"""Result.write_html and `python -m ritz report`: one file that is well formed, needs no other, and says what the run says."""
import base64
import html.parser
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

import numpy as np

import ritz
from model_test import heat, square
from run_test import bar, tension

EXAMPLES = pathlib.Path(os.environ["RITZ_EXAMPLES"])
VOID = {"meta", "img", "br", "line", "polyline"}
ODD = '<script>alert("1")</script> & \'x\''


class Page(html.parser.HTMLParser):
    """Fails where tags do not close; keeps the texts, tables and attributes."""

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.open, self.tags, self.rows, self.attributes, self.texts = [], [], [], [], []
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
        self.texts.append(data)
        if self.open and self.open[-1] in ("td", "th"):
            self.rows[-1][-1] += data

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
        self.assertNotIn("script", page.tags)

    def test_texts_of_the_case_are_escaped(self):
        mesh = square()
        named = ritz.Mesh(mesh.points, dict(mesh.cells), {"left": {"nodes": np.arange(5)}, ODD: {"quad4": np.arange(16)}})
        case = heat(named, source=1.0) | {"title": ODD, "probe": [{"name": ODD, "field": "temperature", "region": ODD, "measure": "max"}]}
        page = self.page(ritz.run(case, mesh=named))
        self.assertNotIn("script", page.tags)
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
        with self.assertRaises(ritz.Error) as raised:
            result.write_html(self.folder / "r.html", "no such field")
        self.assertIn("temperature", str(raised.exception))
        with self.assertRaises(ritz.OutputError):
            result.write_html(self.folder / "none" / "r.html")

    def test_the_command_runs_a_case(self):
        case = EXAMPLES / "bracket" / "bracket.toml"
        call = lambda *words: subprocess.run([sys.executable, "-m", "ritz", "report", *map(str, words)], capture_output=True, text=True, cwd=self.folder)
        done = call(case, "b.html", "--field", "von_mises", "--warp", "displacement", "--set", "material.0.young=70e9", "--set", "solver.method=cg")
        self.assertEqual((done.returncode, done.stderr), (0, ""), done.stdout)
        page = Page((self.folder / "b.html").read_text())
        self.assertLess((self.folder / "b.html").stat().st_size, 3e6)
        self.assertTrue(any("young = 70000000000" in row[1] for row in page.rows if row[0] == "material"))
        self.assertIn("peak_von_mises", [row[1] for row in page.rows if len(row) == 4])
        self.assertFalse((self.folder / "results").exists())
        self.assertEqual(call("none.toml", "b.html").returncode, 2)


if __name__ == "__main__":
    unittest.main()
