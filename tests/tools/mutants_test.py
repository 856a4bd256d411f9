"""tools/mutants.py: which mutants a text has, and a whole run on a project of one function."""

import csv
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

    def test_a_guard_is_around_the_expression_as_far_as_brackets_commas_and_assignments(self):
        text = "  auto x = f(a + b, c)[i - 1] < n && !done ? d * 2 : -e;\n  return Size{m} * k;\n"
        mask = mutants.masked(text, quoted="x")
        found = set()
        for edit in mutants.edits(text):
            begin, end = mutants.segment(mask, edit[0], edit[1])
            found.add(text[begin:end])
        self.assertEqual(
            found,
            {"a + b", "i - 1", "f(a + b, c)[i - 1] < n && !done", "d * 2", "-e", "Size{m} * k"},
        )
        for loop in ("for (auto x : y) sum += 2 * x;", "if (a) sum -= 2 * x;", "else sum /= 2 * x;"):
            at = loop.index("= ") - 1
            begin, end = mutants.segment(loop, at, at + 2)
            self.assertRegex(loop[begin:end], r"^sum .= 2 \* x$")

    def test_guards_nest_and_keep_the_lines(self):
        text = "int f(int a) {\n  return g(a + 1,  // one more\n           a * 2);\n}\n"
        with tempfile.NamedTemporaryFile("w", suffix=".cpp", dir=mutants.ROOT) as file:
            file.write(text)
            file.flush()
            path = pathlib.Path(file.name).name
            numbered = dict(enumerate(mutants.mutants_of(path)))
            changed = mutants.guarded(text, numbered)
        self.assertEqual(changed.count("\n"), text.count("\n"))
        for number in numbered:
            self.assertIn(f"ritz_mutant<{number}>()", changed)
        for line, word in ((1, "a + 1"), (2, "a * 2")):
            self.assertIn(word, changed.split("\n")[line])

    def test_small_numbers_are_tolerances(self):
        self.assertEqual(mutants.another_number("1e-12"), repr(1e-12 * 1000))
        self.assertEqual(mutants.another_number("0"), "1")
        self.assertEqual(mutants.another_number("0.0"), "1.0")
        self.assertEqual(mutants.another_number("0.5"), "1.0")


PROJECT = """cmake_minimum_required(VERSION 3.25)
project(one CXX)
set(CMAKE_CXX_STANDARD 20)
enable_testing()
add_executable(test_area mesh/area.cpp tests/area_test.cpp)
add_test(NAME Area.IsWidthTimesHeight COMMAND test_area)
"""
SOURCE = """#include <string>
constexpr int corners = 4;
double scale = 2;
double area(double a, double b) {
  if (a < 0 || b < 0) return 0;
  scale = 1;
  return scale * a * b;
}
double unused(double a) { return a / scale; }
std::string name(std::string of) { return of + std::string("s"); }
"""
TEST = """#include <cstdio>
#include <sys/resource.h>
double area(double a, double b);
int main() {
  const rlimit none{};
  setrlimit(RLIMIT_FSIZE, &none);  // as in the children that read meshes
  if (area(2, 3) == 6 && area(-1, 3) == 0 && area(2, -1) == 0 && area(0, 3) == 0) return 0;
  std::puts("[  FAILED  ] Area.IsWidthTimesHeight (0 ms)");
  return 1;
}
"""


@unittest.skipUnless(all(map(shutil.which, ("ninja", "cmake", "git", "c++"))), "ninja, cmake, git or c++ is missing")
class Run(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory(prefix="mutants-")
        self.addCleanup(scratch.cleanup)
        self.root = pathlib.Path(scratch.name)
        for name, text in {
            "CMakeLists.txt": PROJECT,
            "mesh/area.cpp": SOURCE,
            "tests/area_test.cpp": TEST,
            ".gitignore": "build*\n*.tsv\n",
        }.items():
            (self.root / name).parent.mkdir(parents=True, exist_ok=True)
            (self.root / name).write_text(text)
        (self.root / "tools").mkdir()
        shutil.copy(TOOLS / "mutants.py", self.root / "tools")
        for words in (
            ["git", "init", "-q"],
            ["git", "add", "-A"],
            ["git", "-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "one"],
        ):
            subprocess.run(words, cwd=self.root, check=True, capture_output=True)

    def mutants(self, *words):
        command = [sys.executable, self.root / "tools/mutants.py", "--table", self.root / "table.tsv", "--per-file", "99"]
        process = subprocess.run([*command, *words], capture_output=True, text=True, cwd=self.root)
        self.assertEqual(process.returncode, 0, process.stdout + process.stderr)
        return process.stdout

    def rows(self):
        with open(self.root / "table.tsv", newline="") as file:
            return list(csv.DictReader(file, delimiter="\t"))

    def test_a_run_goes_on_with_the_table_and_knows_what_survives(self):
        self.mutants("mesh", "--count", "3")
        first = [row["id"] for row in self.rows()]
        self.assertEqual(len(first), 3)
        self.mutants("--all", "--count", "99")
        rows = self.rows()
        self.assertEqual([row["id"] for row in rows][:3], first)
        self.assertEqual(len(rows), len(mutants.edits(SOURCE)))
        self.assertEqual((self.root / "mesh/area.cpp").read_text(), SOURCE)

        by = {row["after"]: row["by"] for row in rows}
        for constant in ("constexpr int corners = 5;", "double scale = 3;"):
            self.assertEqual(by[constant], "evaluated by the compiler")
        self.assertEqual(by['std::string name(std::string of) { return of - std::string("s"); }'], "refused by the compiler")
        self.assertEqual(by["double unused(double a) { return a * scale; }"], "no test reaches it")
        self.assertEqual(by["return scale * a / b;"], "Area.IsWidthTimesHeight, Area.IsWidthTimesHeight")
        self.assertEqual(by[";"], "Area.IsWidthTimesHeight, Area.IsWidthTimesHeight")
        # An area of zero is zero either way, and no test has a number between 0 and 1.
        survivors = {row["after"] for row in rows if row["result"] == "survived"}
        self.assertIn("if (a <= 0 || b < 0) return 0;", survivors)
        self.assertNotIn("if (a < 0 && b < 0) return 0;", survivors)

        text = (self.root / "table.tsv").read_text().splitlines()
        text = [line + "equivalent: zero" if "a <= 0" in line else line for line in text]
        (self.root / "table.tsv").write_text("\n".join(text) + "\n")
        told = self.mutants("--summary")
        killed = sum(row["result"] == "killed" for row in rows)
        self.assertIn(f"| mesh | {len(rows)} | {killed} | {len(survivors) - 1} | 1 | 3 |", told)

        # Survivors are run again with a better test, but not equivalent mutants.
        better = TEST.replace("area(0, 3) == 0", "area(0, 3) == 0 && area(0.5, 0.5) == 0.25")
        (self.root / "tests/area_test.cpp").write_text(better)
        self.assertNotIn("a <= 0", self.mutants("--again", "survived"))
        changed = self.root / "build-mutants/source/mesh/area.cpp"
        before = changed.stat().st_mtime_ns
        self.mutants("--again", "survived")
        self.assertEqual(changed.stat().st_mtime_ns, before)  # the last build has them all
        self.assertLess(sum(row["result"] == "survived" for row in self.rows()), len(survivors))


if __name__ == "__main__":
    unittest.main()
