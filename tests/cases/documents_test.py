"""The documents are true where a program can see it: the reference is that of the schemas, links lead somewhere, every page
is in the index and says which kind it is."""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

SOURCE = pathlib.Path(os.environ["RITZ_SOURCE"])
DOCS = SOURCE / "docs"
PAGES = [SOURCE / "README.md", SOURCE / "CHANGELOG.md", SOURCE / "examples" / "README.md", *sorted(DOCS.rglob("*.md"))]
KINDS = ("tutorial", "how-to", "reference", "explanation", "index")


def anchors(text):
    """Anchors of headings, as GitHub makes them."""
    return {re.sub(r"[^\w\- ]", "", heading.lower()).strip().replace(" ", "-") for heading in re.findall(r"^#+ (.*)$", text, re.M)}


class Documents(unittest.TestCase):
    def test_the_reference_is_that_of_the_schemas(self):
        process = subprocess.run([sys.executable, SOURCE / "tools" / "reference_page.py", "--check"], capture_output=True, text=True, timeout=60)
        self.assertEqual((process.returncode, process.stdout), (0, ""))

    def test_each_key_of_a_program_is_in_the_reference(self):
        sys.path.insert(0, str(SOURCE / "tools"))
        import reference_page
        page = (DOCS / "reference.md").read_text()
        sections = {part.split("\n", 1)[0].strip("[]"): part for part in page.split("\n## ")[1:]}
        nested = dict(re.findall(r"^- `\[+([\w.]+)\]+`.*: .* of `\[+([\w.]+)\]+`$", page, re.M))
        checked = 0
        for schema in (DOCS / "schema").glob("*.schema.json"):
            program = schema.name.removesuffix(".schema.json").removeprefix("ritz-")
            for path, _, table in reference_page.tables(json.loads(schema.read_text())):
                name = ".".join(path) or "Top of the file"
                found = nested.get(name, name)
                rows = sections[found if found in sections else ".".join(path[1:])].splitlines()  # of a step: as outside
                for key, value in table.get("properties", {}).items():
                    if reference_page.is_table(value) or "$ref" in value:
                        continue
                    of_key = [row[2:].split(" |")[0] for row in rows if f"`{key}`" in row[2:].split(" |")[0]]  # first cells: keys, programs in brackets
                    self.assertTrue(any(cell.endswith("`") or re.search(rf"\((.*, )?{program}(, .*)?\)$", cell) for cell in of_key), (program, name, key))
                    checked += 1
        self.assertGreater(checked, 800)

    def test_units_in_the_reference_are_no_tables_of_the_case(self):
        text = (DOCS / "reference.md").read_text()
        tables = {name.split(".")[-1] for name in re.findall(r"^## \[+([\w.]+)", text, re.M)}
        units = {line.split(" | ")[2].strip() for line in text.splitlines() if line.startswith("| `")}
        self.assertGreater(len(units), 10)
        self.assertEqual(tables & units, set())

    def test_lines_of_text_have_at_most_120_columns(self):
        """But for tables, code, headings, and a line that is one span of code."""
        for page in set(PAGES) - {DOCS / f"{name}.md" for name in ("reference", "errors", "reliability")}:  # made by tools
            text = re.sub(r"(?ms)^```.*?^```|^    .*?$", "", page.read_text())
            wide = [line for line in text.splitlines() if len(line) > 120 and not re.match(r"\s*[|#<!]|`[^`]*`\S*$", line)]
            self.assertEqual(wide, [], page)

    def test_links_lead_to_files_and_headings(self):
        checked = 0
        for page in PAGES:
            for link in re.findall(r"\]\(([^)\s]+)\)", page.read_text()):
                if re.match(r"https?:", link):
                    continue
                path, _, anchor = link.partition("#")
                target = page.parent / path if path else page
                with self.subTest(page=page.name, link=link):
                    self.assertTrue(target.exists())
                    if anchor:
                        self.assertIn(anchor, anchors(target.read_text()))
                checked += 1
        self.assertGreater(checked, 100)

    def test_the_pages_of_the_website_link_to_each_other(self):
        """As MkDocs gets them: a folder is a page of its own, and nothing leads out of them."""
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run([sys.executable, SOURCE / "tools" / "docs_site.py", "--stage", folder], check=True, timeout=60)
            pages = sorted(pathlib.Path(folder).rglob("*.md"))
            self.assertGreater(len(pages), len(PAGES))
            for page in pages:
                text = re.sub(r"^```.*?^```", "", page.read_text(), flags=re.M | re.S)
                for link in re.findall(r"\]\(([^)\s]+)\)", text):
                    path, _, anchor = link.partition("#")
                    if re.match(r"[a-z]+:", link) or not path:
                        continue
                    target = (page.parent / path).resolve()
                    with self.subTest(page=page.name, link=link):
                        self.assertTrue(target.is_file() and target.is_relative_to(pathlib.Path(folder).resolve()))

    def test_the_navigation_of_the_website_has_every_page_of_the_index(self):
        sys.path.insert(0, str(SOURCE / "tools"))
        import docs_site
        named = [next(iter(page.values())) for part in docs_site.navigation() for pages in part.values() if isinstance(pages, list) for page in pages]
        self.assertEqual(len(named), len(set(named)))
        for page in DOCS.glob("*.md"):
            self.assertTrue(page.name == "README.md" or f"docs/{page.name}" in named, page.name)

    def test_every_page_is_in_the_index_and_says_its_kind(self):
        index = (DOCS / "README.md").read_text()
        for page in sorted(DOCS.glob("*.md")):
            with self.subTest(page=page.name):
                first = re.sub(r"^# .*\n+", "", page.read_text()).split("\n\n")[0].lower()
                self.assertTrue(any(kind in first for kind in KINDS), first)
                if page.name != "README.md":
                    self.assertIn(f"({page.relative_to(DOCS)})", index)


if __name__ == "__main__":
    unittest.main()
