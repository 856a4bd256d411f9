#!/usr/bin/env python3
"""Writes docs/reliability.md: what Ritz is tested with and what the last measurements found, from the sources, a build
folder and tools/measurements/mutants.tsv. It runs no test; what has no record is named as not measured. The section of
faults and other records is written by hand, and stays.

    tools/reliability_report.py [--build build] [--coverage] [--output docs/reliability.md]

  ctest                     a run of ctest in the build folder leaves the counts of passed and failed tests there
  tools/coverage.sh         leaves build-coverage/coverage.json; --coverage runs it first
  tools/fuzz.sh             leaves the logs of each target in build-fuzz, or in FOLDER/fuzz of a ctest run
  tools/mutants.py          keeps tools/measurements/mutants.tsv
"""

import argparse
import collections
import datetime
import json
import os
import pathlib
import re
import subprocess
import textwrap

import mutants

ROOT = pathlib.Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs/reliability.md"

# An independent answer, and what a test that asks for it has in its own text.
ORACLES = [
    ("CalculiX on the same mesh: displacements, reactions, temperatures, eigenvalues", r"TEST_P\(Calculix|ccx"),
    (
        "closed solutions and published benchmarks, by name",
        r"Kleinlogel|Scordelis|Timoshenko|Lam[eé]\b|Cook|Roark|Saint-Venant|Bredt|NAFEMS|Bessel|Euler|Hertz|series",
    ),
    (
        "known solutions that are not in the space: waves, orders of convergence",
        r"waves_on|Wave(?:Force|Source)|[Oo]rders?OfConvergence|expect_order|slope",
    ),
    ("dense elimination in extended precision", r"relative_error\(|solve_dense|dense\("),
    ("other readers of our files: VTK, h5py, Python's zlib", r"h5py|\"vtk\"|vtkXML|vtkHDF|zlib\.crc32"),
    (
        "invariances: rotation, units, numbering, threads, back ends",
        r"[Rr]otat|[Uu]nits|[Nn]umbering|[Pp]ermut|[Tt]hreads|back_ends\(\)",
    ),
    ("a second derivation: finite differences, dual numbers, an energy", r"difference|[Dd]erivative|[Ee]nergy"),
]

NOT_MEASURED = [
    "loss of power on a real disk, file systems other than the one of the test machine and tmpfs, and network file "
    "systems",
    'GPUs in every test run: the tests of label `gpu` say "skipped" where there is none',
    "ranks on several machines, and ranks that end at random moments (one such end is tested)",
    "mesh and result files above 4 GiB",
    "races inside of kernels, VTK, HDF5 and MUMPS",
    "mutants of CUDA code",
]


def git(*words):
    return subprocess.run(["git", "-C", ROOT, *words], capture_output=True, text=True, check=True).stdout.strip()


def table(head, rows):
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    return "\n".join(lines + ["| " + " | ".join(map(str, row)) + " |" for row in rows])


def filled(text):
    """Paragraphs get 120 columns; titles, commands, tables and lists stay."""
    is_paragraph = text and "\n" not in text and text[0] not in " #|-"
    return textwrap.fill(text, 118, break_long_words=False, break_on_hyphens=False) if is_paragraph else text


def test_sources():
    return [path for path in git("ls-files", "tests").splitlines() if re.search(r"(_test\.cpp|_test\.py)$", path)]


def tests_in(path):
    """The texts of the tests as they are written, before parameters multiply them."""
    text = (ROOT / path).read_text()
    begins = [match.start() for match in re.finditer(r"^(?:TYPED_)?TEST(?:_[FP])?\(|^    def test_", text, re.M)]
    return [text[begin:end] for begin, end in zip(begins, [*begins[1:], len(text)])]


def ctest_entries(build):
    """Count of entries of ctest, {label: entries}; None without a build."""
    if not (build / "CTestTestfile.cmake").exists():
        return None
    said = subprocess.run(["ctest", "--test-dir", build, "--show-only=json-v1"], capture_output=True, text=True)
    if said.returncode != 0:
        return None
    tests = json.loads(said.stdout)["tests"]
    labels = collections.Counter(
        label for test in tests for p in test.get("properties", []) if p["name"] == "LABELS" for label in p["value"]
    )
    return len(tests), labels


def last_run(build):
    log = build / "Testing/Temporary/LastTest.log"
    if not log.exists():
        return None
    text = log.read_text(errors="replace")
    ends = re.findall(r"^End testing: (.*)$", text, re.M)
    results = collections.Counter(re.findall(r"^Test (Passed|Failed|Skipped)\.", text, re.M))
    return (ends[-1] if ends else "not finished"), results


def tests_section(build):
    sources = collections.defaultdict(list)
    for path in test_sources():
        sources[path.split("/")[1]].append(path)
    entries = ctest_entries(build)
    rows = [
        [f"tests/{folder}", len(paths), sum(len(tests_in(path)) for path in paths)]
        for folder, paths in sorted(sources.items())
    ]
    rows.append(["all", sum(r[1] for r in rows), sum(r[2] for r in rows)])
    lines = [
        "A test is named by the fact that it states. It runs once for each set of parameters (cells, devices, methods).",
        "",
        table(["folder", "files", "tests"], rows),
        "",
    ]
    if entries:
        labels = ", ".join(f"{label} ({count})" for label, count in sorted(entries[1].items()))
        lines += [f"ctest runs them as {entries[0]} entries. Labels: {labels}.", ""]
    run = last_run(build)
    lines.append(
        f"The last run of ctest in the build folder ended {run[0]}: "
        + ", ".join(f"{n} {w.lower()}" for w, n in sorted(run[1].items()))
        + "."
        if run and run[1]
        else "No run of ctest is recorded in the build folder."
    )
    return lines, bool(run and run[1])


def section_of_page(title):
    """The text of a section of the page as it stands."""
    found = re.search(rf"^## {title}\n\n(.*?)\n\n## ", PAGE.read_text() if PAGE.exists() else "", re.S | re.M)
    return found[1] if found else ""


def coverage_section():
    path = ROOT / "build-coverage/coverage.json"
    if not path.exists():  # the last one, which has its date
        before = section_of_page("Coverage")
        kept = "|" in before
        return [before if kept else "Not measured for this page; `tools/coverage.sh` does."], kept
    lines = collections.defaultdict(lambda: [0, 0])
    for file in json.loads(path.read_text())["files"]:
        for folder in (file["filename"].split("/")[0], "all"):
            lines[folder][0] += file["line_covered"]
            lines[folder][1] += file["line_total"]
    rows = [
        [folder, total, f"{100 * covered / max(total, 1):.1f} %"] for folder, (covered, total) in sorted(lines.items())
    ]
    date = datetime.date.fromtimestamp(path.stat().st_mtime)
    about = f"Lines of libraries and programs that the tests run on the CPU ({date}); kernels are not counted."
    ran = path.with_name("tests.txt")
    if ran.exists():
        about += f" The tests: {ran.read_text().strip()}."
    return [about, "", table(["folder", "lines", "run"], rows)], True


def fuzz_section(build):
    script = (ROOT / "tools/fuzz.sh").read_text()
    executions = dict(re.findall(r"(\w+)=(\d+)", re.search(r"targets=\((.*?)\)", script, re.S)[1]))
    rows, measured = [], False
    text = PAGE.read_text() if PAGE.exists() else ""  # where a target has no log now, its last one, which has its date
    before = dict(re.findall(r"^\| (\w+) \| [\d ]+ \| (\d+ executions.*) \|$", text, re.M))
    for target, runs in executions.items():
        found = before.get(target, "no log")
        measured = measured or target in before
        logs = [p for p in (build / f"fuzz/{target}.log", ROOT / f"build-fuzz/{target}.log") if p.exists()]
        if logs:
            text, measured = logs[0].read_text(errors="replace"), True
            units = re.search(r"stat::number_of_executed_units: *(\d+)", text)
            crash = re.search(r"SUMMARY: (.*)", text)
            date = datetime.date.fromtimestamp(logs[0].stat().st_mtime)
            found = f"{units[1] if units else '?'} executions, {crash[1] if crash else 'no crash'} ({date})"
        rows.append([target, f"{int(runs):,}".replace(",", " "), found])
    return [
        "The parsers of Ritz, with the address sanitizer and those for undefined behaviour that `tools/fuzz.sh` "
        "lists. `ctest -R fuzz` (configured with `RITZ_FUZZ_TESTS=ON`) gives each the same inputs every time; "
        "`tools/fuzz.sh SECONDS` gives new ones.",
        "",
        table(["target", "executions of `ctest -R fuzz`", "last log"], rows),
    ], measured


def mutants_section():
    path = ROOT / "tools/measurements/mutants.tsv"
    rows = mutants.read_table(path)
    if not rows:
        return ["Not measured; `tools/mutants.py` does."], False
    left = [row for row in rows.values() if mutants.verdict_of(row) == "survived"]
    commits = sorted({row["commit"] for row in rows.values()})
    lines = [
        f"Small changes of the sources, each run against tests that reach it ({len(rows)} in "
        f"`tools/measurements/mutants.tsv`, on commits "
        f"{', '.join(commits)}). Equivalent ones make no difference that a test can see; the reason is in the table.",
        "",
        mutants.summary(rows),
        "",
    ]
    listed = left if len(left) <= 20 else []
    lines.append(
        f"Survivors without an answer: {len(left)}{'' if listed or not left else ', in the table'}."
        + "".join(f"\n- `{r['file']}`: `{r['before']}` -> `{r['after']}`" for r in listed)
    )
    return lines, True


def oracles_section():
    rows = []
    for name, pattern in ORACLES:
        counts = [sum(bool(re.search(pattern, text)) for text in tests_in(path)) for path in test_sources()]
        rows.append([name, sum(counts), sum(map(bool, counts))])
    return [
        "Sources of the expected values, in addition to signs, balances and numbers that each test derives by itself. "
        "Counted by words in the text of each test: an "
        "estimate.",
        "",
        table(["oracle", "tests", "in files"], rows),
    ]


def convergence_section():
    text = (ROOT / "docs/convergence.md").read_text()
    rows, rounded, worst = 0, 0, [(0.0, ""), (0.0, "")]
    for cell, equations, cells in re.findall(r"^\| (\w[\w-]*) \| ([\w-]+) \|((?: (?:[\d.]+, [\d.]+ )?\|)+)$", text, re.M):
        for order, pair in enumerate(cells.split("|"), 1):  # observed orders of the values and of the gradients
            if not pair.strip():
                continue
            rows += 1
            if order > 4:
                rounded += 1
                continue
            of_facets_or_edges = equations in ("Raviart-Thomas", "Nedelec")
            for i, (observed, expected) in enumerate(zip(pair.split(", "), (order + (not of_facets_or_edges), order))):
                worst[i] = min(worst[i], (float(observed) - expected, f"{cell}, {equations}, order {order}"))
    date = git("log", "-1", "--format=%cs", "--", "docs/convergence.md")
    return [
        f"[convergence.md](convergence.md) has {rows} studies with a known solution (last changed {date}). Expected "
        f"are orders p + 1 of the values (p on facets and edges) and p of the "
        f"gradients. Up to order 4, {rows - rounded} studies, the observed order is at most {-worst[0][0]:.2f} less "
        f"for values ({worst[0][1]}) and "
        f"{-worst[1][0]:.2f} less for gradients ({worst[1][1]}); the {rounded} of higher order are of coarse meshes "
        f"or at rounding, as the page says."
    ]


def main():
    parser = argparse.ArgumentParser(
        prog="tools/reliability_report.py", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--build", default="build", help="a build folder with tests (build)")
    parser.add_argument(
        "--output", default=PAGE, type=pathlib.Path, help="the page (docs/reliability.md)"
    )
    parser.add_argument("--coverage", action="store_true", help="builds with gcov and runs all tests first")
    arguments = parser.parse_args()
    if arguments.coverage:
        subprocess.run([ROOT / "tools/coverage.sh"], check=True)
    build = pathlib.Path(arguments.build).resolve()
    tests, tests_run = tests_section(build)
    coverage, covered = coverage_section()
    fuzz, fuzzed = fuzz_section(build)
    mutant, mutated = mutants_section()
    missing = [
        text
        for known, text in (
            (tests_run, "the outcome of a whole run of ctest"),
            (covered, "coverage of lines"),
            (fuzzed, "executions of the fuzz targets"),
            (mutated, "mutants"),
        )
        if not known
    ]
    lines = [
        "# Reliability",
        "",
        "This page answers how Ritz is tested and what the last measurements found. It is a reference, made by one "
        "command:",
        "",
        "    tools/reliability_report.py --build build",
        "",
        f"{datetime.date.today()}, commit {git('rev-parse', '--short', 'HEAD')}"
        + (", with changes that are not committed" if git("status", "--porcelain", "--untracked-files=no") else "")
        + ".",
        "",
    ]
    for title, section in (
        ("Tests", tests),
        ("Coverage", coverage),
        ("Oracles", oracles_section()),
        ("Convergence", convergence_section()),
        ("Mutants", mutant),
        ("Fuzzing", fuzz),
        ("Faults and other records", [section_of_page("Faults and other records")]),
    ):
        lines += [f"## {title}", "", *section, ""]
    lines += ["## Not measured", ""]
    if missing:
        lines += ["Here and on this commit: " + ", ".join(missing) + ".", ""]
    lines += ["By nothing so far:", "", *(f"- {text}" for text in NOT_MEASURED)]
    arguments.output.write_text("\n".join(map(filled, lines)) + "\n")


if __name__ == "__main__":
    main()
