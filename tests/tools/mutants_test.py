"""tools/mutants.py: which mutants a text has, and a whole run on a project of one function, whose "compiler" is cp."""

import csv
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

TOOLS = pathlib.Path(__file__).resolve().parents[2] / "tools"
sys.path.insert(0, str(TOOLS))
import mutants  # noqa: E402


def mutated(text, operator=None):
    """Every text with one change, by operator."""
    return {
        text[:begin] + new + text[end:] for begin, end, new, kind in mutants.edits(text) if operator in (None, kind)
    }


class Texts(unittest.TestCase):
    def test_operators_and_numbers_are_changed_one_at_a_time(self):
        self.assertEqual(
            mutated("double f(double a) { return 2 * a - 0.5; }"),
            {
                "double f(double a) { return 2 / a - 0.5; }",
                "double f(double a) { return 2 * a + 0.5; }",
                "double f(double a) { return 3 * a - 0.5; }",
                "double f(double a) { return 2 * a - 1.0; }",
            },
        )

    def test_signs_conditions_and_comparisons(self):
        self.assertEqual(mutated("return -x;", "arithmetic"), {"return x;"})
        self.assertEqual(
            mutated("  if (a < b && c) return;"),
            {"  if (a <= b && c) return;", "  if (a < b || c) return;", "  if (!(a < b && c)) return;"},
        )

    def test_statements_and_arguments(self):
        text = "void f() {\n  sum += 1;\n  add(a, b[i]);\n  const int n = count(a);\n}\n"
        self.assertEqual(
            mutated(text, "statement"), {text.replace("sum += 1;", ";"), text.replace("add(a, b[i]);", ";")}
        )
        self.assertEqual(mutated(text, "arguments"), {text.replace("add(a, b[i])", "add(b[i], a)")})

    def test_texts_comments_types_and_loop_ends_are_left_alone(self):
        for text in (
            '  throw Error("1 + 2 < 3");',
            "  // a + b < 1\n",
            "#if N == 1\n",
            "  std::array<double, 4> x;",
            "  std::vector<const double*> p;",
            "  // not a - b\n  '+';",
        ):
            self.assertEqual(mutated(text), set(), text)
        self.assertEqual(mutated("  for (int i = a; i < n; ++i) f;", "comparison"), set())

    def test_small_numbers_are_tolerances(self):
        self.assertEqual(mutants.another_number("1e-12"), repr(1e-12 * 1000))
        self.assertEqual(mutants.another_number("0"), "1")
        self.assertEqual(mutants.another_number("0.0"), "1.0")
        self.assertEqual(mutants.another_number("0.5"), "1.0")


PROJECT = """cmake_minimum_required(VERSION 3.25)
project(one NONE)
function(compile from to)
  add_custom_command(OUTPUT ${to} COMMAND ${CMAKE_COMMAND} -E copy ${from} ${to} DEPENDS ${from})
endfunction()
compile(${CMAKE_SOURCE_DIR}/mesh/area.cpp ${CMAKE_BINARY_DIR}/area.awk)
compile(${CMAKE_SOURCE_DIR}/runner.sh ${CMAKE_BINARY_DIR}/bin/test_mesh)
add_custom_target(test_mesh DEPENDS ${CMAKE_BINARY_DIR}/area.awk ${CMAKE_BINARY_DIR}/bin/test_mesh)
"""
# awk reads the body of the function as C++ does.
SOURCE = "function area(a, b) {\n  if (a < 0 || b < 0) return 0;\n  scale = 1;\n  return scale * a * b;\n}\n"
RUNNER = """#!/bin/sh
cd "$(dirname "$0")/.."
result=$(awk "$(cat area.awk) BEGIN { print area(2, 3), area(-1, 3), area(2, -1), area(0, 3) }" </dev/null) || exit 1
[ "$result" = "6 0 0 0" ] || { echo "[  FAILED  ] Area.IsWidthTimesHeight (0 ms)"; exit 1; }
"""


@unittest.skipUnless(all(map(shutil.which, ("ninja", "cmake", "git", "awk"))), "ninja, cmake, git or awk is missing")
class Run(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory(prefix="mutants-")
        self.addCleanup(scratch.cleanup)
        self.root = pathlib.Path(scratch.name)
        for name, text in {
            "CMakeLists.txt": PROJECT,
            "mesh/area.cpp": SOURCE,
            "runner.sh": RUNNER,
            "tests/mesh/CMakeLists.txt": "ritz_test(mesh LINK ritz::mesh SOURCES\n  area_test.cpp)\n",
            "tests/mesh/area_test.cpp": "TEST(Area, IsWidthTimesHeight) {}\n",
        }.items():
            (self.root / name).parent.mkdir(parents=True, exist_ok=True)
            (self.root / name).write_text(text)
        (self.root / "runner.sh").chmod(0o755)
        (self.root / "tools").mkdir()
        shutil.copy(TOOLS / "mutants.py", self.root / "tools")
        for words in (
            ["git", "init", "-q"],
            ["git", "add", "-A"],
            ["git", "-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "one"],
            ["cmake", "-S", ".", "-B", "build", "-G", "Ninja"],
        ):
            subprocess.run(words, cwd=self.root, check=True, capture_output=True)

    def mutants(self, *words):
        command = [sys.executable, self.root / "tools/mutants.py", "--build", self.root / "build"]
        process = subprocess.run(
            [*command, "--table", self.root / "table.tsv", *words], capture_output=True, text=True, cwd=self.root
        )
        self.assertEqual(process.returncode, 0, process.stdout + process.stderr)
        return process.stdout

    def rows(self):
        with open(self.root / "table.tsv", newline="") as file:
            return list(csv.DictReader(file, delimiter="\t"))

    def test_a_run_resumes_restores_the_source_and_knows_what_survives(self):
        self.mutants("mesh", "--count", "3")
        first = [row["id"] for row in self.rows()]
        self.assertEqual(len(first), 3)
        self.mutants("--all", "--count", "99")
        rows = self.rows()
        self.assertEqual([row["id"] for row in rows][:3], first)
        self.assertEqual(len(rows), len(mutants.edits(SOURCE)))
        self.assertEqual((self.root / "mesh/area.cpp").read_text(), SOURCE)
        self.assertEqual((self.root / "build/area.awk").read_text(), SOURCE)
        survivors = {row["after"] for row in rows if row["result"] == "survived"}
        # An area of zero is zero either way, and no test has a number between 0 and 1, or scale and two negative sides.
        self.assertIn("if (a <= 0 || b < 0) return 0;", survivors)
        self.assertNotIn("return scale * a / b;", survivors)
        killers = {row["by"] for row in rows if row["result"] == "killed"}
        self.assertIn("test_mesh: Area.IsWidthTimesHeight", killers)

        text = (self.root / "table.tsv").read_text().splitlines()
        text = [line + "equivalent: zero" if "a <= 0" in line else line for line in text]
        (self.root / "table.tsv").write_text("\n".join(text) + "\n")
        told = self.mutants("--summary")
        killed = sum(row["result"] == "killed" for row in rows)
        self.assertIn(f"| mesh | {len(rows)} | {killed} | {len(survivors) - 1} | 1 | 0 |", told)

        # Survivors are run again with a better test, but not equivalent mutants.
        runner = (self.root / "runner.sh").read_text()
        better = runner.replace("area(0, 3) }", "area(0, 3), area(0.5, 0.5) }").replace("6 0 0 0", "6 0 0 0 0.25")
        (self.root / "runner.sh").write_text(better)
        self.assertNotIn("a <= 0", self.mutants("--again", "survived"))
        self.assertLess(sum(row["result"] == "survived" for row in self.rows()), len(survivors))

    def test_a_killed_run_is_restored_by_the_next_one(self):
        (self.root / "build/mutant_backup.json").write_text(json.dumps({"path": "mesh/area.cpp", "text": SOURCE}))
        (self.root / "mesh/area.cpp").write_text("broken")
        self.mutants("mesh", "--count", "0")
        self.assertEqual((self.root / "mesh/area.cpp").read_text(), SOURCE)


if __name__ == "__main__":
    unittest.main()
