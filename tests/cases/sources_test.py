"""The sources keep what docs/architecture.md and the style promise, where a program can see it: no circle of includes between
folders, mains, example programs and functions of a page, few types of several pages, few callbacks and references that must
outlive their user in headers, comments that open with a noun or a verb."""
import os
import pathlib
import re
import unittest

SOURCE = pathlib.Path(os.environ["RITZ_SOURCE"])
LIBRARY = [path for room in ("apps", "device", "fem", "io", "mesh", "solvers") for path in sorted((SOURCE / room).rglob("*"))
           if path.suffix in (".cpp", ".hpp", ".cu")]
BINDINGS = sorted((SOURCE / "python").rglob("*.cpp"))
OTHERS = [path for room in ("examples", "tests") for path in sorted((SOURCE / room).rglob("*")) if path.suffix in (".cpp", ".hpp", ".cu")]


def rooms_included():
    """{folder: folders whose headers its files include}"""
    graph = {}
    for path in LIBRARY:
        room = str(path.parent.relative_to(SOURCE))
        for header in re.findall(r'^#include "([^"]+)"', path.read_text(), re.M):
            other = str(pathlib.PurePosixPath(header).parent)
            if other != room and (SOURCE / header).exists():
                graph.setdefault(room, set()).add(other)
    return graph


def circle_in(graph):
    """The folders of a circle, the first one again at its end; None: there is none."""
    done = set()

    def visit(room, way):
        if room in way:
            return way[way.index(room):] + [room]
        if room in done:
            return None
        found = next(filter(None, (visit(other, way + [room]) for other in sorted(graph.get(room, ())))), None)
        done.add(room)
        return found

    return next(filter(None, (visit(room, []) for room in sorted(graph))), None)


def functions_in(text):
    """(line, lines from the signature to the closing brace, text between) of each function in formatted C++: what a brace alone in its
    line closes. Blocks within functions are among them, which never makes one longer."""
    raw = re.compile(r'R"(\w*)\(.*?\)\1"', re.S)
    lines = raw.sub(lambda found: '""' + ("\n" + 80 * " ") * found[0].count("\n"), text).splitlines()
    for end, line in enumerate(lines):
        if not re.fullmatch(r" *}", line):
            continue
        outer = len(line) - 1
        start = end - 1
        while start > 0 and (re.match(r"\s*($|#|//)", lines[start]) or len(lines[start]) - len(lines[start].lstrip()) > outer):
            start -= 1
        yield start + 1, end - start + 1, lines[start + 1:end]


def is_table(body):
    """One constant list and its return, nothing else."""
    outer = min((len(line) - len(line.lstrip()) for line in body if line.strip()), default=0)
    statements = [line.strip() for line in body if len(line) > outer and line[outer] != " "]
    return len(statements) == 3 and re.match(r"static const .*{$", statements[0]) is not None and statements[2].startswith("return ")


def types_in(text):
    """(name, lines from its first line to the closing brace) of each class and struct in formatted C++: what "};" alone in its
    line closes at the same indent."""
    lines = text.splitlines()
    for start, line in enumerate(lines):
        found = re.match(r"( *)(?:class|struct) (\w+)\b[^;()]*{$", line)
        if found:
            end = next((end for end in range(start + 1, len(lines)) if lines[end] == found[1] + "};"), start)
            yield found[2], end - start + 1


def public_functions_in(text, name):
    """Names of the functions that a class declares in its public sections, once per declaration; constructors and destructors do
    not count."""
    start = re.search(rf"^class {name}\b[^;{{]*{{$", text, re.M)
    body = text[start.end():text.index("\n};", start.end())]
    public = re.sub(r"(?ms)^ (?:private|protected):.*?(?=^ public:|\Z)", "", body)
    return [found for found in re.findall(r"^  (?! )[^/\n=(]*?(~?\b\w+)\(", public, re.M) if found.lstrip("~") != name]


# Types of 150 lines and more in .cpp files. A name leaves this list with its type and does not come back: a reader returns a
# value, a check takes it, a builder makes the next one.
LONG_TYPES = {
    "device/ranks/ranks_mpi.cpp MpiRanks",
    "fem/analysis/central_differences.cpp ExplicitSteps",
    "fem/analysis/nonlinear_solution.cpp Path",
    "fem/analysis/static_forecast.cpp StaticForecaster",
    "fem/analysis/static_solution.cpp StaticSystem",
    "fem/multigrid/p_multigrid.cpp PCycle",
    "fem/physics/elastic_body.cpp ElasticBody",
    "fem/physics/frame_joints.cpp FrameJoints",
    "fem/physics/frames.cpp Frames",
    "fem/physics/heat_conduction.cpp HeatConduction",
    "solvers/eigen/lanczos.cpp Lanczos",
    "solvers/multigrid/divided_product.cpp DividedProduct",
}
MUST_OUTLIVE, CALLBACKS = 20, 60  # headers that say "must outlive"; uses of std::function in headers. They can only fall.


class Sources(unittest.TestCase):
    def test_folders_include_each_other_in_no_circle(self):
        graph = rooms_included()
        self.assertGreater(len(graph), 20)
        self.assertIsNone(circle_in(graph))
        self.assertEqual(circle_in({"a": {"b"}, "b": {"c", "d"}, "d": {"b"}}), ["b", "d", "b"])  # it can fail

    def test_lower_folders_know_no_upper_ones(self):
        below = {"device": (), "mesh": ("device",), "solvers": ("device",), "fem": ("device", "mesh", "solvers"), "io": ("device", "mesh")}
        for room, others in rooms_included().items():
            top = room.split("/")[0]
            if top == "apps":
                continue
            with self.subTest(room=room):
                self.assertLessEqual({other.split("/")[0] for other in others}, {top, *below[top]})

    def test_mains_and_first_example_programs_are_a_page(self):
        mains = [SOURCE / "apps" / f"{name}.cpp" for name in ("elasticity", "heat", "modal", "solve", "structure")]
        first = ("poisson", "elasticity", "joined", "radiation", "transient", "own_form", "own_preconditioner")
        for path in mains + [SOURCE / "examples" / "programs" / f"{name}.cpp" for name in first]:
            with self.subTest(file=path.name):
                self.assertLessEqual(len(path.read_text().splitlines()), 60)

    def test_functions_are_a_page_and_only_tables_are_longer(self):
        long = [f"{path.relative_to(SOURCE)}:{line}: {length} lines" for path in LIBRARY
                for line, length, body in functions_in(path.read_text()) if length > 60 and not is_table(body)]
        self.assertEqual(long, [])

    def test_a_long_function_is_found_and_a_table_is_not(self):
        function = "int f(int a,\n      int b) {\n#if 1\n  const char* t = R\"(\n}\n)\";\n\n" + "  a += b;\n" * 60 + "  return a;\n}\n"
        self.assertEqual([(line, length) for line, length, _ in functions_in("// Sums.\n" + function)], [(2, 69)])
        self.assertFalse(any(is_table(body) for _, _, body in functions_in(function)))
        table = "const L& kinds() {\n  static const L list = {\n" + "      {1, 2},\n" * 60 + "  };\n  return list;\n}\n"
        self.assertEqual([(length, is_table(body)) for _, length, body in functions_in(table)], [(65, True)])

    def test_types_are_not_longer_than_a_few_pages(self):
        long = {f"{path.relative_to(SOURCE)} {name}" for path in LIBRARY + BINDINGS if path.suffix == ".cpp"
                for name, length in types_in(path.read_text()) if length >= 150}
        self.assertEqual(sorted(long - LONG_TYPES), [], "types of 150 lines or more: cut them by data")
        self.assertEqual(sorted(LONG_TYPES - long), [], "they are short now: take them off the list")

    def test_a_long_type_is_found(self):
        text = "struct A {\n  int a;\n};\n\nclass B final : public A {\n" + "  void f();\n" * 148 + "};\nclass C;\n"
        self.assertEqual(list(types_in(text)), [("A", 3), ("B", 150)])

    def test_headers_keep_few_callbacks_and_references(self):
        headers = [path.read_text() for path in LIBRARY if path.suffix == ".hpp"]
        self.assertLessEqual(sum("must outlive" in re.sub(r"\s+(//)?\s*", " ", text) for text in headers), MUST_OUTLIVE)
        self.assertLessEqual(sum(text.count("std::function<") for text in headers), CALLBACKS)

    def test_equations_have_few_public_functions(self):
        for header, name in (("operator", "Operator"), ("fields_operator", "FieldsOperator"), ("equations", "Equations")):
            found = public_functions_in((SOURCE / "fem" / "operator" / f"{header}.hpp").read_text(), name)
            self.assertGreater(len(found), 8)
            self.assertLessEqual(len(found), 15, f"{name}: {found}: give it parts that callers use")

    def test_a_public_function_is_found(self):
        text = "class A final : public B {\n public:\n  A(int a);\n  ~A() override;\n  int f() const { return g(); }\n  // h()\n  void k(int a,\n" \
               "         int b);\n  int x = f();\n\n private:\n  void l();\n};\nclass C;\n"
        self.assertEqual(public_functions_in(text, "A"), ["f", "k"])

    def test_links_of_a_first_configuration_have_their_folders(self):
        """CMake makes no folder for file(CREATE_LINK): where there is no build yet, it must be made before, by name."""
        links = 0
        for path in [SOURCE / "CMakeLists.txt", *(path for room in ("apps", "cmake", "device", "examples", "fem", "io", "mesh", "python", "solvers", "tests")
                                                  for path in sorted((SOURCE / room).rglob("*")) if path.name == "CMakeLists.txt" or path.suffix == ".cmake")]:
            made = set()
            for line in path.read_text().splitlines():
                made |= {folder for text in re.findall(r"file\(MAKE_DIRECTORY ([^)]*)\)", line) for folder in text.split()}
                for link in re.findall(r"file\(CREATE_LINK \S+ (\S+)/[^/\s)]+[ )]", line):
                    self.assertIn(link, made, f"{path.relative_to(SOURCE)}: {line.strip()}")
                    links += 1
        self.assertGreater(links, 3)

    def test_comments_open_with_a_noun_or_a_verb(self):
        for path in LIBRARY + OTHERS:
            lines = path.read_text().splitlines()
            for number, line in enumerate(lines, 1):
                continues = number > 1 and re.match(r"\s*//", lines[number - 2]) is not None
                if re.match(r"\s*// (Of|What|Where|Who|As|That|Whose) ", line) and not continues:
                    self.fail(f"{path.relative_to(SOURCE)}:{number}: {line.strip()}")


if __name__ == "__main__":
    unittest.main()
