#!/usr/bin/env python3
"""Mutation testing: makes one small change at a time to a source, builds what it concerns, and sees whether the related
tests notice.

    tools/mutants.py --base main                      60 mutants of the C++ files that differ from a commit
    tools/mutants.py mesh solvers/krylov --count 20   of files and folders
    tools/mutants.py --all --count 300                of all folders, at length
    tools/mutants.py --list mesh/quality/volumes.cpp          prints the mutants of a file, builds nothing
    tools/mutants.py --summary                        prints the counts of the table by folder, as Markdown
    tools/mutants.py --again survived                 runs the survivors of the table once more, after new tests

A mutant is killed when a test fails, crashes or hangs. It has survived when all related tests pass. It is not built
when the compiler refuses it. A survivor is either a missing test or an equivalent mutant, which no test can see:
write `equivalent: why` into its note in the table, and later runs and the summary count it so.

Operators: arithmetic (+ - * /, their assignments, min and max, a sign left out), comparison (< <= > >= == !=), logic
(&& ||, a condition negated), constant (numbers, true and false), statement (an assignment or a call left out),
arguments (the first two of a call swapped). Texts, comments, preprocessor lines, the ends of loops, reserve() and the
counts of the profiler are left alone.

Choice: all mutants of the chosen files, in an order that depends on --seed and their text only. The first ones that
are not in the table yet are run, at most --per-file of one file. The same command resumes where the last one ended.

Related tests: the executables whose sources lie in tests/ under the folder of the changed file (for
solvers/krylov/gmres.cpp: tests/solvers/krylov), or under the nearest folder above it. The tests of that folder run
first, then the rest of these executables, then the groups of tests/cases that CASES in this file or --cases names.
Each must pass before the first mutant is made.

The tree is changed in place, one file at a time, and restored, also after Ctrl-C; after a kill -9 the next start
restores it. The table has one line for each mutant: identity, file, line, operator, before, after, result, killed by,
seconds, commit, note.
"""

import argparse
import collections
import csv
import hashlib
import json
import os
import pathlib
import re
import resource
import signal
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
FOLDERS = ("device", "mesh", "solvers", "fem", "io", "apps")
COLUMNS = ("id", "file", "line", "operator", "before", "after", "result", "by", "seconds", "commit", "note")

# Groups of tests/cases by the beginning of the file's path; the longest one counts. A group of the file's own name is
# always run.
CASES = {
    "io/case": ["bad_inputs", "formulas"],
    "io/hdf5": ["vtkhdf"],
    "io/results": ["results"],
    "io/files": ["results"],
    "apps/cases": ["statics", "bad_inputs"],
    "apps/cases/structures": ["structure"],
    "apps/results": ["statics"],
    "apps/results/section_forces": ["structure"],
    "apps/run": ["statics", "bad_inputs"],
    "apps/sweep": ["sweep"],
    "fem/elements": ["structure"],
    "fem/results": ["mesh_error"],
}


def masked(text):
    """The text with blanks for comments, strings, characters and preprocessor lines; positions stay."""
    pattern = re.compile(
        r'//[^\n]*|/\*.*?\*/|R"\((?:.*?)\)"|"(?:\\.|[^"\\\n])*"|(?<![\w])\'(?:\\.|[^\'\\\n])\''
        r"|^[ \t]*#[^\n]*(?:\\\n[^\n]*)*",
        re.S | re.M,
    )
    return pattern.sub(lambda m: re.sub(r"[^\n]", " ", m[0]), text)


REPLACED = [  # operator, pattern, replacement
    ("arithmetic", r"(?<= )\+(?=[ \n])", "-"),
    ("arithmetic", r"(?<= )-(?=[ \n])", "+"),
    ("arithmetic", r"(?<= )\*(?=[ \n])", "/"),
    ("arithmetic", r"(?<= )/(?=[ \n])", "*"),
    ("arithmetic", r"(?<= )%(?=[ \n])", "*"),
    ("arithmetic", r"(?<= )\+=(?=[ \n])", "-="),
    ("arithmetic", r"(?<= )-=(?=[ \n])", "+="),
    ("arithmetic", r"(?<= )\*=(?=[ \n])", "/="),
    ("arithmetic", r"(?<= )/=(?=[ \n])", "*="),
    ("arithmetic", r"\bstd::min\b", "std::max"),
    ("arithmetic", r"\bstd::max\b", "std::min"),
    ("arithmetic", r"(?:(?<=[(\[{])|(?<=[,=?:] )|(?<=\breturn ))-(?=[A-Za-z(])", ""),
    ("comparison", r"(?<= )<(?=[ \n])", "<="),
    ("comparison", r"(?<= )<=(?=[ \n])", "<"),
    ("comparison", r"(?<= )>(?=[ \n])", ">="),
    ("comparison", r"(?<= )>=(?=[ \n])", ">"),
    ("comparison", r"(?<= )==(?=[ \n])", "!="),
    ("comparison", r"(?<= )!=(?=[ \n])", "=="),
    ("logic", r"(?<= )&&(?=[ \n])", "||"),
    ("logic", r"(?<= )\|\|(?=[ \n])", "&&"),
    ("constant", r"\btrue\b", "false"),
    ("constant", r"\bfalse\b", "true"),
]
NUMBER = re.compile(r"(?<![\w.<'])(?:\d+\.\d*|\.\d+|\d+)(?:[eE][+-]?\d+)?(?![\w.'>])")
LOOP = re.compile(
    r"\bfor \([^;\n]*;[^;\n]*$"
)  # up to the comparison that ends a loop: one step more reads beyond the end, which no test need see
STATEMENT = re.compile(
    r"^[ \t]+(?!(?:return|if|for|while|else|case|break|continue|using|throw|delete|static_assert)\b)"
    r"(?:[\w:.\[\]()>*-]+ (?:[-+*/|&^]?=) [^;{}]+|[A-Za-z_][\w:.\[\]()>-]*\([^;{}]*\));$",
    re.M,
)
ARGUMENTS = re.compile(r"\b[A-Za-z_]\w*\((?P<first>[\w.\[\]]+|\w+\(\w*\)), (?P<second>[\w.\[\]]+|\w+\(\w*\))(?=[,)])")
LEFT_ALONE = re.compile(r"\breserve\(|\bprofile\(\)|static_assert|\bshrink_to_fit|\boperator\b")


def another_number(text):
    if re.fullmatch(r"\d+", text):
        return str(int(text) + 1)
    value = float(text)
    return "1.0" if value == 0 else repr(value * 1000) if abs(value) < 1e-3 else repr(value * 2)


def balanced(text):
    return text.count("(") == text.count(")") and text.count("[") == text.count("]")


def conditions(mask):
    """(begin, end) of what stands in the brackets of an if that declares nothing."""
    for match in re.finditer(r"\bif (?:constexpr )?\(", mask):
        depth, end = 1, match.end()
        while depth and end < len(mask):
            depth += {"(": 1, ")": -1}.get(mask[end], 0)
            end += 1
        inside = mask[match.end() : end - 1]
        if ";" not in inside and " = " not in inside:
            yield match.end(), end - 1


def edits(text):
    """(begin, end, replacement, operator) of every mutant."""
    mask = masked(text)
    found = []
    for operator, pattern, replacement in REPLACED:
        for m in re.finditer(pattern, mask):
            if operator != "comparison" or not LOOP.search(mask[mask.rfind("\n", 0, m.start()) + 1 : m.start()]):
                found.append((m.start(), m.end(), replacement, operator))
    found += [(m.start(), m.end(), another_number(m[0]), "constant") for m in NUMBER.finditer(mask)]
    for begin, end in conditions(mask):
        found.append((begin, end, f"!({text[begin:end]})", "logic"))
    for m in STATEMENT.finditer(mask):
        before = mask[: m.start()].rstrip()
        if balanced(m[0]) and (not before or before[-1] in "{};)" or before.endswith("else")):
            begin = m.start() + len(m[0]) - len(m[0].lstrip())
            found.append((begin, m.end(), ";", "statement"))
    for m in ARGUMENTS.finditer(mask):
        if m["first"] != m["second"]:
            found.append((m.start("first"), m.end("second"), f"{m['second']}, {m['first']}", "arguments"))
    return sorted(found)


class Mutant:
    def __init__(self, path, text, edit, occurrence):
        begin, end, replacement, self.operator = edit
        self.path = path
        self.text = text[:begin] + replacement + text[end:]
        first, last = text.rfind("\n", 0, begin) + 1, text.find("\n", end)
        last = len(text) if last < 0 else last
        self.before, self.after = text[first:last], text[first:begin] + replacement + text[end:last]
        self.statement = text[max(text.rfind(mark, 0, begin) for mark in ";{}") + 1 : end]  # as far as the change
        self.line = text.count("\n", 0, begin) + 1
        self.place = f"{path}:{self.line} {self.operator}"
        self.change = f"  - {self.before.strip()}\n  + {self.after.strip()}"
        identity = "\0".join([path, self.operator, self.before.strip(), self.after.strip(), str(occurrence)])
        self.id = hashlib.sha256(identity.encode()).hexdigest()[:12]


def mutants_of(path):
    text = (ROOT / path).read_text()
    seen, mutants = collections.Counter(), []
    for edit in edits(text):
        mutant = Mutant(path, text, edit, 0)
        if LEFT_ALONE.search(mutant.before) or LEFT_ALONE.search(mutant.statement):
            continue
        occurrence = seen[mutant.id]
        seen[mutant.id] += 1
        mutants.append(mutant if occurrence == 0 else Mutant(path, text, edit, occurrence))
    return mutants


def in_order(mutants, seed):
    return sorted(mutants, key=lambda m: hashlib.sha256(f"{seed} {m.id}".encode()).digest())


def git(*words):
    return subprocess.run(["git", "-C", ROOT, *words], capture_output=True, text=True, check=True).stdout


def is_source(path):
    return (
        path.split("/")[0] in FOLDERS
        and path.endswith((".cpp", ".hpp"))
        and not path.endswith(("_cuda.hpp", "_cuda.cpp"))
    )


def chosen_files(arguments):
    tracked = [path for path in git("ls-files").splitlines() if is_source(path)]
    if arguments.all:
        return tracked
    if arguments.base:
        changed = set(git("diff", "--name-only", "--diff-filter=d", arguments.base).splitlines())
        return [path for path in tracked if path in changed]
    wanted = [str(pathlib.Path(path)) for path in arguments.paths]
    files = [path for path in tracked if any(path == w or path.startswith(w + "/") for w in wanted)]
    for path in wanted:
        if not any(f == path or f.startswith(path + "/") for f in files):
            sys.exit(
                f"tools/mutants.py: '{path}' is no C++ source of {', '.join(FOLDERS)}; "
                "name files or folders from the root of the tree"
            )
    return files


def executables():
    """{test executable: its sources}, as the CMakeLists of tests/ list them."""
    found = {}
    for lists in sorted((ROOT / "tests").rglob("CMakeLists.txt")):
        for match in re.finditer(r"^ritz_test\((\w+)\s+LINK[^)]*?SOURCES\s+([^)]*)\)", lists.read_text(), re.M):
            found["test_" + match[1]] = [
                os.path.relpath(lists.parent / name, ROOT) for name in match[2].split() if name.endswith(".cpp")
            ]
    return found


def suites_in(sources):
    """A filter of GoogleTest for all tests of these files."""
    names = set()
    for source in sources:
        names.update(re.findall(r"^(?:TYPED_)?TEST(?:_[FP])?\((\w+),", (ROOT / source).read_text(), re.M))
    return ":".join(
        pattern for name in sorted(names) for pattern in (f"{name}.*", f"*/{name}.*", f"{name}/*", f"*/{name}/*")
    )


class Related:
    """Targets and tests for mutants of a file."""

    def __init__(self, path, extra_cases):
        folder = pathlib.PurePosixPath("tests") / pathlib.PurePosixPath(path).parent
        all_tests = executables()
        self.near = {}
        while not self.near and folder != pathlib.PurePosixPath("tests"):
            for name, sources in all_tests.items():
                inside = [s for s in sources if pathlib.PurePosixPath(s).is_relative_to(folder)]
                if inside:
                    self.near[name] = inside
            folder = folder.parent
        keys = [key for key in CASES if path.startswith(key)]
        groups = list(extra_cases) or (CASES[max(keys, key=len)] if keys else [])
        own = pathlib.PurePosixPath(path).stem
        if (ROOT / f"tests/cases/{own}_test.py").exists() and own not in groups:
            groups = [own, *groups]
        self.groups = groups
        self.targets = sorted(self.near) + (
            [
                "ritz",
                "ritz-elasticity",
                "ritz-heat",
                "ritz-modal",
                "ritz-solve",
                "ritz-structure",
                "fault_shim",
                "group_shim",
                "ritz_modules",
            ]
            if groups
            else []
        )

    def stages(self, build):
        """(name, command, folder, environment) in the order in which they are run."""
        for name, sources in self.near.items():
            yield name, [
                f"{build}/bin/{name}",
                "--gtest_brief=1",
                "--gtest_fail_fast",
                f"--gtest_filter={suites_in(sources)}",
            ], build, {}
        for name, sources in self.near.items():
            yield name, [
                f"{build}/bin/{name}",
                "--gtest_brief=1",
                "--gtest_fail_fast",
                f"--gtest_filter=-{suites_in(sources)}",
            ], build, {}
        environment = {
            "RITZ_BIN": f"{build}/bin",
            "RITZ_EXAMPLES": f"{ROOT}/examples",
            "RITZ_SCHEMAS": f"{ROOT}/docs/schema",
            "RITZ_SOURCE": f"{ROOT}",
            "PYTHONDONTWRITEBYTECODE": "1",
            "FAULT_SHIM": shim(build, "fault_shim"),
            "GROUP_SHIM": shim(build, "group_shim"),
        }
        for group in self.groups:
            yield f"cases.{group}", [
                sys.executable,
                "-m",
                "unittest",
                "-f",
                f"{group}_test",
            ], ROOT / "tests/cases", environment


def shim(build, name):
    return str(next(iter(pathlib.Path(build, "lib").glob(f"lib{name}.*")), pathlib.Path(build, "lib", f"lib{name}.so")))


class Workshop:
    def __init__(self, arguments):
        self.build = pathlib.Path(arguments.build).resolve()
        self.jobs, self.memory = arguments.jobs, arguments.memory
        self.backup = self.build / "mutant_backup.json"
        self.usual = {}  # command -> seconds on the unchanged tree

    def put_back(self):
        if not self.backup.exists():
            return
        kept = json.loads(self.backup.read_text())
        (ROOT / kept["path"]).write_text(kept["text"])
        self.backup.unlink()

    def change(self, mutant):
        self.backup.write_text(json.dumps({"path": mutant.path, "text": (ROOT / mutant.path).read_text()}))
        (ROOT / mutant.path).write_text(mutant.text)

    def make(self, targets):
        words = ["nice", "cmake", "--build", str(self.build), "-j", str(self.jobs), "--target", *targets]
        return subprocess.run(words, capture_output=True, text=True)

    def steps(self, targets):
        """How many steps a build would take now."""
        said = subprocess.run(["ninja", "-C", str(self.build), "-n", *targets], capture_output=True, text=True).stdout
        counts = re.findall(r"^\[\d+/(\d+)\]", said, re.M)
        return int(counts[-1]) if counts else 0

    def run(self, command, folder, environment, seconds):
        """(exit code or None after the time, text of both streams)"""

        def limits():
            os.setsid()
            resource.setrlimit(resource.RLIMIT_AS, (self.memory << 30, self.memory << 30))
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))

        process = subprocess.Popen(
            ["nice", *command],
            cwd=folder,
            env={**os.environ, "OMP_WAIT_POLICY": "passive", **environment},
            text=True,
            errors="replace",
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            preexec_fn=limits,
        )
        try:
            text, _ = process.communicate(timeout=seconds)
            return process.returncode, text
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.communicate()
            return None, ""

    def check_unchanged(self, related):
        """The related tests pass on the tree as it is; their times are the measure for hanging ones."""
        made = self.make(related.targets)
        if made.returncode != 0:
            sys.exit(f"the unchanged tree does not build:\n{made.stdout[-3000:]}")
        for name, command, folder, environment in related.stages(self.build):
            if tuple(command) in self.usual:
                continue
            begin = time.monotonic()
            code, text = self.run(command, folder, environment, 1800)
            if code != 0:
                sys.exit(f"{name} fails on the unchanged tree:\n{text[-3000:]}")
            self.usual[tuple(command)] = time.monotonic() - begin

    def verdict(self, related):
        """(result, killed by)"""
        if self.make(related.targets).returncode != 0:
            return "not built", ""
        for name, command, folder, environment in related.stages(self.build):
            code, text = self.run(command, folder, environment, 30 + 5 * self.usual[tuple(command)])
            if code is None:
                return "killed", f"{name}: time"
            if code != 0:
                return "killed", f"{name}: {first_failure(text) or f'ended with {code}'}"
        return "survived", ""


def first_failure(text):
    match = re.search(r"^\[  FAILED  \] ([\w/.]+)", text, re.M) or re.search(r"^(?:FAIL|ERROR): (\w+)", text, re.M)
    return match[1] if match else ""


def read_table(path):
    if not path.exists():
        return {}
    with open(path, newline="") as file:
        return {row["id"]: row for row in csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE, quotechar=None)}


def write_table(path, rows):
    with open(f"{path}.tmp", "w") as file:
        file.write("\t".join(COLUMNS) + "\n")
        for row in rows.values():
            file.write("\t".join(" ".join(str(row[c] or "").split()) for c in COLUMNS) + "\n")
    os.replace(f"{path}.tmp", path)


def verdict_of(row):
    return "equivalent" if row["result"] == "survived" and row["note"].startswith("equivalent") else row["result"]


def counts_by_folder(rows):
    counts = collections.defaultdict(collections.Counter)
    for row in rows.values():
        for folder in (row["file"].split("/")[0], "all"):
            counts[folder][verdict_of(row)] += 1
    return counts


def summary(rows):
    """Mutants by folder; the share is that of those that are not equivalent."""
    lines = [
        "| folder | mutants | killed | survived | equivalent | not built | killed of those that can be |",
        "|---|---|---|---|---|---|---|",
    ]
    counts = counts_by_folder(rows)
    for folder in sorted(counts, key=lambda f: (f == "all", f)):
        c = counts[folder]
        seen = c["killed"] + c["survived"]
        share = f"{100 * c['killed'] / seen:.0f} %" if seen else ""
        cells = [folder, sum(c.values()), c["killed"], c["survived"], c["equivalent"], c["not built"], share]
        lines.append("| " + " | ".join(map(str, cells)) + " |")
    return "\n".join(lines)


def arguments_of(words):
    parser = argparse.ArgumentParser(
        prog="tools/mutants.py", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("paths", nargs="*", help="files and folders, from the root of the tree")
    parser.add_argument("--base", metavar="COMMIT", help="the files that differ from this commit")
    parser.add_argument("--all", action="store_true", help=f"all files of {', '.join(FOLDERS)}")
    parser.add_argument("--build", default="build", help="a configured build folder with tests (build)")
    parser.add_argument(
        "--table",
        default=ROOT / "docs/measurements/mutants.tsv",
        help="the table, which is read and written (docs/measurements/mutants.tsv)",
    )
    parser.add_argument("--count", type=int, default=60, help="mutants to run now, beside those in the table (60)")
    parser.add_argument(
        "--per-file", type=int, default=10**9, help="at most so many of one file, those in the table included"
    )
    parser.add_argument("--seed", default="1", help="another seed is another choice (1)")
    parser.add_argument(
        "--steps", type=int, default=40, help="files after whose change a build has more steps are passed over (40)"
    )
    parser.add_argument("--minutes", type=float, default=1e9, help="no mutant is begun after so long")
    parser.add_argument("--jobs", type=int, default=2, help="of the build (2)")
    parser.add_argument("--memory", type=int, default=8, help="GiB of addresses that a test may have (8)")
    parser.add_argument(
        "--cases",
        nargs="*",
        default=[],
        metavar="GROUP",
        help="groups of tests/cases in place of those of the table in this file",
    )
    parser.add_argument(
        "--again",
        metavar="RESULT",
        help="runs mutants of the table with this result once more, say survived, where their text is still there",
    )
    parser.add_argument("--list", action="store_true", help="prints the mutants that would be run")
    parser.add_argument("--summary", action="store_true", help="prints the counts of the table")
    arguments = parser.parse_args(words)
    if not (arguments.paths or arguments.base or arguments.all or arguments.summary or arguments.again):
        parser.error("say which files: --base COMMIT, --all, or names of files and folders")
    return arguments


def chosen_mutants(arguments, rows):
    if arguments.again:
        ids = {row["id"] for row in rows.values() if verdict_of(row) == arguments.again}
        files = sorted({row["file"] for row in rows.values() if row["id"] in ids and (ROOT / row["file"]).exists()})
        return [m for path in files for m in mutants_of(path) if m.id in ids]
    of_file = collections.Counter(row["file"] for row in rows.values())
    chosen = []
    for mutant in in_order([m for path in chosen_files(arguments) for m in mutants_of(path)], arguments.seed):
        if mutant.id not in rows and of_file[mutant.path] < arguments.per_file:
            of_file[mutant.path] += 1
            chosen.append(mutant)
    return chosen


def run_mutants(arguments, rows, table):
    workshop = Workshop(arguments)
    workshop.put_back()
    begin, commit, done = time.monotonic(), git("rev-parse", "--short", "HEAD").strip(), 0
    passed_over, ready = set(), set()
    try:
        for mutant in chosen_mutants(arguments, rows):
            if done >= arguments.count or time.monotonic() - begin > 60 * arguments.minutes:
                break
            if mutant.path in passed_over:
                continue
            related = Related(mutant.path, arguments.cases)
            key = (tuple(related.targets), tuple(related.groups), tuple(related.near))
            if key not in ready:
                workshop.check_unchanged(related)
                ready.add(key)
            started = time.monotonic()
            workshop.make(related.targets)  # what the last mutant left behind
            workshop.change(mutant)
            steps = workshop.steps(related.targets)
            if steps > arguments.steps:
                print(f"passed over: {mutant.path}, {steps} steps to build", flush=True)
                passed_over.add(mutant.path)
                workshop.put_back()
                continue
            result, by = (
                ("not built", "no target of the related tests compiles it") if steps == 0 else workshop.verdict(related)
            )
            workshop.put_back()
            note = rows.get(mutant.id, {}).get("note", "")
            rows[mutant.id] = dict(
                zip(
                    COLUMNS,
                    (
                        mutant.id,
                        mutant.path,
                        mutant.line,
                        mutant.operator,
                        mutant.before,
                        mutant.after,
                        result,
                        by,
                        f"{time.monotonic() - started:.0f}",
                        commit,
                        note,
                    ),
                )
            )
            write_table(table, rows)
            done += 1
            print(f"{result:10} {mutant.place}\n{mutant.change}\n  {by}", flush=True)
    finally:
        workshop.put_back()
    targets = sorted({target for targets, _, _ in ready for target in targets})
    if targets:
        workshop.make(targets)


def main():
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    arguments = arguments_of(sys.argv[1:])
    table = pathlib.Path(arguments.table)
    rows = read_table(table)
    if arguments.list:
        for mutant in chosen_mutants(arguments, rows)[: arguments.count]:
            print(f"{mutant.id} {mutant.place}\n{mutant.change}")
        return
    if not arguments.summary:
        run_mutants(arguments, rows, table)
    print(summary(rows))


if __name__ == "__main__":
    main()
