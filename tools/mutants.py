#!/usr/bin/env python3
"""Mutation testing: makes many small changes to the sources, one at a time, and sees whether the tests notice.

    tools/mutants.py --base main                      60 mutants of the C++ files that differ from a commit
    tools/mutants.py mesh solvers/krylov --count 20   of files and folders
    tools/mutants.py --all --count 300                of all folders, at length
    tools/mutants.py --list mesh/quality/volumes.cpp  prints mutants of a file, builds nothing
    tools/mutants.py --again survived                 runs survivors of the table once more, after new tests
    tools/mutants.py --summary                        prints the counts of the table by folder, as Markdown

A mutant is killed when a test fails, crashes or hangs. It has survived when all tests that reach it pass, or when none
reaches it. It is not built when the compiler refuses it or evaluates its place. A survivor is either a missing test or
an equivalent mutant, which no test can see: write `equivalent: why` into its note in the table, and later runs and the
summary count it so.

Operators: arithmetic (+ - * /, their assignments, min and max, a sign left out), comparison (< <= > >= == !=), logic
(&& ||, a condition negated), constant (numbers, true and false), statement (an assignment or a call left out),
arguments (the first two of a call swapped). Texts, comments, preprocessor lines, the ends of loops, reserve() and the
counts of the profiler are left alone.

Method: mutant schemata (Untch, Offutt, Harrold, ISSTA 1993). All mutants are compiled into one build, each as
`(ritz_mutant<17>() ? changed : original)`, and the environment variable RITZ_MUTANT chooses one. A first run of all
tests without a choice records which tests reach which places. Then each mutant is run with the tests that reach it,
quick ones that reach few other places first, until one fails. A test is a suite of GoogleTest or another entry of ctest.

Choice: folders take turns. The files of a folder, and the mutants of a file, have an order that depends on --seed and
their text only; a file gives at most --per-file mutants. Mutants in the table are passed over, so the same command goes
on where the last one ended. Headers that more than --sources sources include are left out: they take too long to build.

The build is that of a copy of the tree in --work; the tree itself is not touched. The table has one line for each
mutant: identity, file, line, operator, before, after, result, killed by, seconds, commit, note.
"""

import argparse
import collections
import concurrent.futures
import csv
import hashlib
import itertools
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
CONFIGURE = "-DRITZ_TESTS=ON -DRITZ_UNITY=ON -DRITZ_CPU_BACKENDS=v3 -DRITZ_CUDA=OFF -DRITZ_PYTHON=OFF"
NOT_RUN = r"style\.|tools\.|fuzz\.|package\.|python|cuda|cases\.(sources|documents|tutorial|profile|memory|repeatable)"

GUARD = """#pragma once
#include <cstdlib>
#include <fcntl.h>
#include <string>
#include <type_traits>
#include <unistd.h>
#pragma GCC diagnostic ignored "-Wnarrowing"
namespace ritz_mutants {
inline int from_environment() {
  const char* text = std::getenv("RITZ_MUTANT");
  return text == nullptr ? -1 : std::atoi(text);
}
inline const int active = from_environment();
inline const bool records = std::getenv("RITZ_MUTANTS_REACHED") != nullptr;
template <int N>
inline bool reached = false;  // its name in an object file says that the mutant is there when programs run
template <int N>
[[gnu::noinline, gnu::cold]] void record() {
  if (reached<N>) return;
  reached<N> = true;
  const std::string line = std::to_string(N) + "\\n";
  const int file = open(std::getenv("RITZ_MUTANTS_REACHED"), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
  if (file >= 0 && write(file, line.data(), line.size()) >= 0) close(file);
}
}  // namespace ritz_mutants
template <int N>
constexpr bool ritz_mutant() {
  if (std::is_constant_evaluated()) return false;
  if (ritz_mutants::records) ritz_mutants::record<N>();
  return ritz_mutants::active == N;
}
"""


def masked(text, quoted=" "):
    """The text with blanks for comments and preprocessor lines, `quoted` for strings and characters; positions stay."""
    pattern = re.compile(
        r'//[^\n]*|/\*.*?\*/|R"\((?:.*?)\)"|"(?:\\.|[^"\\\n])*"|(?<![\w])\'(?:\\.|[^\'\\\n])\''
        r"|^[ \t]*#[^\n]*(?:\\\n[^\n]*)*",
        re.S | re.M,
    )
    return pattern.sub(lambda m: re.sub(r"[^\n]", quoted if m[0][0] in "\"'R" else " ", m[0]), text)


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


def beyond(mask, at, step):
    """The position behind the bracket that matches the one at `at`, forwards (step 1) or backwards (step -1)."""
    depth = 0
    while 0 <= at < len(mask):
        depth += {"(": step, "[": step, "{": step, ")": -step, "]": -step, "}": -step}.get(mask[at], 0)
        at += step
        if depth == 0:
            break
    return at


def is_assignment(mask, at):
    return mask[at] == "=" and mask[at + 1 : at + 2] != "=" and mask[at - 1] not in "=<>!"


def is_colon(mask, at):
    return mask[at] == ":" and ":" not in (mask[at - 1], mask[at + 1 : at + 2])


def segment(mask, begin, end):
    """The expression around [begin, end), as far as brackets, commas, assignments, ?: and keywords that end one."""
    while begin > 0:
        c = mask[begin - 1]
        initialiser = c == "}" and re.match(r" [-+*/%<>=!&|]+ |[.(\[]", mask[begin : begin + 5])
        if c in ")]" or initialiser:
            opening = beyond(mask, begin - 1, -1) + 1
            if c == ")" and re.search(r"\b(?:if|for|while|switch|constexpr) $", mask[max(0, opening - 12) : opening]):
                break
            begin = opening
        elif c in "([{},;?" or is_assignment(mask, begin - 1) or is_colon(mask, begin - 1):
            break
        elif re.search(r"\b(?:return|throw|else|do|case)$", mask[max(0, begin - 8) : begin]) and mask[begin].isspace():
            break
        else:
            begin -= 1
    while end < len(mask):
        c = mask[end]
        if c in "([{":
            end = beyond(mask, end, 1)
        elif c in ")]},;?" or is_assignment(mask, end) or is_colon(mask, end):
            break
        else:
            end += 1
    begin += len(mask[begin:end]) - len(mask[begin:end].lstrip())
    return begin, begin + len(mask[begin:end].rstrip())


def without_comments(text):
    kept = re.sub(r'(R"\(.*?\)"|"(?:\\.|[^"\\\n])*")|//[^\n]*|/\*.*?\*/', lambda m: m[1] or " ", text, flags=re.S)
    return " ".join(kept.split("\n"))


class Mutant:
    def __init__(self, path, text, edit, occurrence):
        self.begin, self.end, self.replacement, self.operator = edit
        self.path = path
        first, last = text.rfind("\n", 0, self.begin) + 1, text.find("\n", self.end)
        last = len(text) if last < 0 else last
        self.before = text[first:last]
        self.after = text[first : self.begin] + self.replacement + text[self.end : last]
        begin = max(text.rfind(mark, 0, self.begin) for mark in ";{}") + 1
        self.statement = text[begin : self.end]  # as far as the change
        self.line = text.count("\n", 0, self.begin) + 1
        self.place = f"{path}:{self.line} {self.operator}"
        self.change = f"  - {self.before.strip()}\n  + {self.after.strip()}"
        identity = "\0".join([path, self.operator, self.before.strip(), self.after.strip(), str(occurrence)])
        self.id = hashlib.sha256(identity.encode()).hexdigest()[:12]

    def place_guard(self, mask):
        """What the guard chooses: a statement, or an expression."""
        if self.operator == "statement":
            self.around = self.begin, self.end
        elif self.operator == "arguments":  # the whole call
            bracket = mask.rfind("(", 0, self.begin)
            self.around = segment(mask, bracket, beyond(mask, bracket, 1))
        else:
            self.around = segment(mask, self.begin, self.end)

    def guard(self, number, text, original):
        if self.operator == "statement":
            return f"{{ if (!ritz_mutant<{number}>()) {original} }}"
        begin, end = self.around
        changed = without_comments(text[begin : self.begin] + self.replacement + text[self.end : end])
        return f"(ritz_mutant<{number}>() ? ({changed}) : ({original}))"


def guarded(text, numbered):
    """The text with all of these mutants, {number: mutant}, in which one is chosen when it runs; lines stay."""

    def render(begin, end, inside):
        parts = []
        while inside:
            outer = min(inside, key=lambda n: (numbered[n].around[0], -numbered[n].around[1]))
            low, high = numbered[outer].around
            within = [n for n in inside if low <= numbered[n].around[0] and numbered[n].around[1] <= high]
            same = [n for n in within if numbered[n].around == (low, high)]
            body = render(low, high, [n for n in within if n not in same])
            for n in same:
                body = numbered[n].guard(n, text, body)
            parts += [text[begin:low], body]
            begin = high
            inside = [n for n in inside if numbered[n].around[0] >= high]
        return "".join([*parts, text[begin:end]])

    return render(0, len(text), list(numbered))


def mutants_of(path):
    text = (ROOT / path).read_text()
    mask = masked(text, quoted="x")
    seen, mutants = collections.Counter(), []
    for edit in edits(text):
        mutant = Mutant(path, text, edit, 0)
        if LEFT_ALONE.search(mutant.before) or LEFT_ALONE.search(mutant.statement):
            continue
        occurrence = seen[mutant.id]
        seen[mutant.id] += 1
        mutants.append(mutant if occurrence == 0 else Mutant(path, text, edit, occurrence))
        mutants[-1].place_guard(mask)
    return mutants


def in_order(things, seed, name):
    return sorted(things, key=lambda thing: hashlib.sha256(f"{seed} {name(thing)}".encode()).digest())


def git(*words):
    return subprocess.run(["git", "-C", ROOT, *words], capture_output=True, text=True, check=True).stdout


def is_source(path):
    return (
        path.split("/")[0] in FOLDERS
        and not path.startswith("apps/bench/")  # what measures times, which no test states
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


def including():
    """{header: sources that include it, also by way of other headers}"""
    files = [path for path in git("ls-files").splitlines() if path.endswith((".cpp", ".hpp"))]
    includers = collections.defaultdict(list)
    for path in files:
        for header in re.findall(r'^#include "([^"]+)"', (ROOT / path).read_text(errors="replace"), re.M):
            includers[header].append(path)

    def sources(header, seen):
        for path in includers[header]:
            if path not in seen:
                seen.add(path)
                sources(path, seen)
        return seen

    return lambda path: [p for p in sources(path, set()) if p.endswith(".cpp")]


def chosen_mutants(arguments, rows):
    if arguments.again:
        ids = {row["id"] for row in rows.values() if verdict_of(row) == arguments.again}
        files = sorted({row["file"] for row in rows.values() if row["id"] in ids and (ROOT / row["file"]).exists()})
        return [m for path in files for m in mutants_of(path) if m.id in ids][: arguments.count]
    of_file = collections.Counter(row["file"] for row in rows.values())
    sources = including()
    by_folder = collections.defaultdict(list)
    for path in in_order(chosen_files(arguments), arguments.seed, str):
        if len(sources(path)) <= arguments.sources:
            mutants = [m for m in in_order(mutants_of(path), arguments.seed, lambda m: m.id) if m.id not in rows]
            by_folder[path.split("/")[0]] += mutants[: max(0, arguments.per_file - of_file[path])]
    turns = itertools.chain(*itertools.zip_longest(*(by_folder[folder] for folder in sorted(by_folder))))
    return list(itertools.islice((m for m in turns if m), arguments.count))


class Test:
    """Some tests of ctest that one process runs."""

    def __init__(self, name, command, folder, environment):
        self.name, self.command, self.folder, self.environment = name, command, folder, environment
        self.suites, self.seconds, self.reached, self.passes = [], 0.0, set(), False

    def words(self):
        if not self.suites:
            return self.command
        return [*self.command, "--gtest_brief=1", "--gtest_fail_fast", f"--gtest_filter={':'.join(self.suites)}"]


def tests_of(build, pattern):
    said = subprocess.run(["ctest", "--test-dir", build, "--show-only=json-v1"], capture_output=True, text=True)
    if said.returncode != 0:
        sys.exit(f"ctest lists no tests:\n{said.stderr[-3000:]}")
    found = {}
    for entry in json.loads(said.stdout)["tests"]:
        command = entry.get("command", [])
        if command and pathlib.PurePath(command[0]).name == "processor_seconds":
            command = command[3:]
        properties = {p["name"]: p["value"] for p in entry.get("properties", [])}
        of_gtest = [word for word in command if word.startswith("--gtest_filter=")]
        name, suite = entry["name"], ""
        if of_gtest:
            suite = of_gtest[0].split("=", 1)[1].split(".")[0]
            base = max((part for part in suite.split("/") if not part.isdigit()), key=lambda p: suite.index(p))
            name = f"{pathlib.PurePath(command[0]).name}: {base}"
        if not command or "NOT_BUILT" in name or re.search(NOT_RUN, name) or not re.search(pattern, name):
            continue
        environment = dict(pair.split("=", 1) for pair in properties.get("ENVIRONMENT", []))
        folder = properties.get("WORKING_DIRECTORY", str(build))
        test = found.setdefault(name, Test(name, command[:1] if of_gtest else command, folder, environment))
        if suite and f"{suite}.*" not in test.suites:
            test.suites.append(f"{suite}.*")
    return list(found.values())


class Workshop:
    """A copy of the tree, its build with mutants, and runs of its tests."""

    def __init__(self, arguments):
        self.source = (ROOT / arguments.work).resolve() / "source"
        self.build, self.scratch = self.source / "build", self.source.parent
        self.record = self.scratch / "mutants.json"
        self.jobs, self.memory, self.targets = arguments.jobs, arguments.memory, arguments.targets
        self.configure = arguments.configure.split()

    def copy_tree(self, but):
        """Files beside those of `but`; what is the same is not touched."""
        names = git("ls-files", "-co", "--exclude-standard").splitlines()
        wanted = {name for name in names if (ROOT / name).is_file()}
        for folder, folders, files in os.walk(self.source):
            if pathlib.Path(folder) == self.source and "build" in folders:
                folders.remove("build")
            for file in files:
                path = pathlib.Path(folder, file)
                if str(path.relative_to(self.source)) not in wanted:
                    path.unlink()
        for name in wanted - but.keys():
            self.write(name, (ROOT / name).read_bytes())
            (self.source / name).chmod((ROOT / name).stat().st_mode)
        self.write("../ritz_mutant.hpp", GUARD.encode())

    def write(self, name, content):
        path = self.source / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if not path.exists() or path.read_bytes() != content:
            path.write_bytes(content)

    def with_last_build(self, chosen):
        """{number: mutant} of these; of the last build where it has them all, so that nothing is compiled again."""
        before = json.loads(self.record.read_text()) if self.record.exists() else {}
        paths = {path for _, path in before.values() if (ROOT / path).exists()}
        there = {m.id: m for path in paths for m in mutants_of(path)}
        if all(m.id in before for m in chosen):  # number and file of each
            return {number: there[id] for id, (number, _) in before.items() if id in there}
        return dict(enumerate(chosen))

    def text_of(self, path, numbered):
        include = f'#include "{self.scratch}/ritz_mutant.hpp"\n#line 1\n'
        return (include + guarded(self.texts[path], numbered)).encode()

    def make(self, numbered):
        """Builds as many of these mutants as the compiler takes, and returns them."""
        numbered = dict(numbered)
        self.texts = {path: (ROOT / path).read_text() for path in {m.path for m in numbered.values()}}
        self.copy_tree(but=self.texts)
        while True:
            by_path = {path: {} for path in self.texts}
            for number, mutant in numbered.items():
                by_path[mutant.path][number] = mutant
            for path, some in by_path.items():
                self.write(path, self.text_of(path, some))
            if not (self.build / "CMakeCache.txt").exists():
                script = self.source / "tools/configure.sh"
                words = [script, "build"] if script.exists() else ["cmake", "-S", ".", "-B", "build", "-G", "Ninja"]
                subprocess.run([*words, *self.configure], cwd=self.source, check=True, capture_output=True)
            words = ["ninja", "-C", str(self.build), f"-j{self.jobs}", "-k", "0", *self.targets]
            made = subprocess.run(words, capture_output=True, text=True, errors="replace")
            if made.returncode == 0:
                self.record.write_text(json.dumps({m.id: (number, m.path) for number, m in numbered.items()}))
                return numbered
            refused = self.refused(made.stdout, by_path)
            if not refused:
                sys.exit(f"the build fails, and no mutant is the reason:\n{made.stdout[-3000:]}")
            print(f"refused by the compiler: {len(refused)} of {len(numbered)}", flush=True)
            numbered = {number: m for number, m in numbered.items() if number not in refused}

    def refused(self, said, by_path):
        """Mutants on the lines that errors name; all of the files that they name where none is on them."""
        found = set()
        for block in re.split(r"^(?=FAILED: )", said, flags=re.M)[1:]:
            named = re.findall(r"((?:%s)/[\w/.]+\.[ch]pp)(?::(\d+))?" % "|".join(FOLDERS), block)
            errors = re.findall(r"((?:%s)/[\w/.]+\.[ch]pp):(\d+)[:\d]* error" % "|".join(FOLDERS), block)
            on = lambda places: {
                n for path, line in places for n, m in by_path.get(path, {}).items() if line and int(line) == m.line
            }
            found |= on(errors) or on(named) or {n for path, _ in named for n in by_path.get(path, {})}
        return found

    def at_run_time(self):
        """Numbers of mutants whose places are in object files; others are evaluated by the compiler, or nowhere."""
        found = set()
        for path in self.build.rglob("*.o"):
            found.update(int(n) for n in re.findall(rb"ritz_mutants7reachedILi(\d+)E", path.read_bytes()))
        return found

    def run(self, test, seconds, **environment):
        """(exit code or None after the time, text of both streams)"""

        def limits():
            os.setsid()
            for number in (signal.SIGINT, signal.SIGHUP):  # which nohup and shells ignore, and tests send
                signal.signal(number, signal.SIG_DFL)
            # Not RLIMIT_AS: the fake device of the tests reserves addresses that it never writes.
            resource.setrlimit(resource.RLIMIT_DATA, (self.memory << 30, self.memory << 30))
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))

        process = subprocess.Popen(
            test.words(),
            cwd=test.folder,
            env={**os.environ, "OMP_WAIT_POLICY": "passive", **test.environment, **environment},
            text=True,
            errors="replace",
            stdin=subprocess.DEVNULL,
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

    def observe(self, test):
        """Runs a test without a mutant: its time, and the places that it reaches."""
        pipe = self.scratch / f"reached.{os.getpid()}.{id(test)}"  # readers' child processes may not write to files
        os.mkfifo(pipe)
        end = os.open(pipe, os.O_RDWR)
        with concurrent.futures.ThreadPoolExecutor(1) as reader:
            reached = reader.submit(numbers_until_end, end)
            begin = time.monotonic()
            code, text = self.run(test, 900, RITZ_MUTANTS_REACHED=str(pipe))
            test.seconds, test.passes = time.monotonic() - begin, code == 0
            os.write(end, b"end")
            test.reached = reached.result()
        os.close(end)
        pipe.unlink()
        if not test.passes:
            print(f"left out, as it fails without a mutant: {test.name} {first_failure(text)}", flush=True)

    def verdict(self, number, tests, budget):
        """(result, killed by)"""
        reaching = [test for test in tests if test.passes and number in test.reached]
        reaching.sort(key=lambda test: test.seconds * len(test.reached))
        spent = 0.0
        for test in reaching:
            if spent > budget:
                return "survived", f"the nearest tests that reach it, {budget:g} s"
            spent += test.seconds
            code, text = self.run(test, 20 + 5 * test.seconds, RITZ_MUTANT=str(number))
            if code is None:
                return "killed", f"{test.name}, time"
            if code != 0:
                return "killed", f"{test.name}, {first_failure(text) or f'ended with {code}'}"
        return "survived", f"{len(reaching)} tests reach it" if reaching else "no test reaches it"


def numbers_until_end(pipe):
    text = b""
    while not text.endswith(b"end"):
        text += os.read(pipe, 1 << 16)
    return {int(number) for number in text[:-3].split()}


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
    add = parser.add_argument
    add("paths", nargs="*", help="files and folders, from the root of the tree")
    add("--base", metavar="COMMIT", help="the files that differ from this commit")
    add("--all", action="store_true", help=f"all files of {', '.join(FOLDERS)}")
    add("--again", metavar="RESULT", help="mutants of the table with this result whose text is still there")
    add("--count", type=int, default=60, help="mutants to run now, beside those in the table (60)")
    add("--per-file", type=int, default=6, help="at most so many of one file, those in the table included (6)")
    add("--sources", type=int, default=12, help="headers that more sources include are left out (12)")
    add("--seed", default="1", help="another seed is another choice (1)")
    add("--tests", metavar="REGEX", default="", help="only these tests; names as in the table")
    add("--budget", type=float, default=60, help="seconds of tests for one mutant, by their times without one (60)")
    add("--jobs", type=int, default=2, help="of the build, and tests at the same time (2)")
    add("--memory", type=int, default=8, help="GiB that a process of a test may have (8)")
    add("--work", default="build-mutants", help="a folder for the copy of the tree and its build (build-mutants)")
    add("--configure", default=CONFIGURE, help=f"options of CMake ({CONFIGURE})".replace("%", "%%"))
    add("--targets", nargs="*", default=[], help="of the build (all)")
    add(
        "--table",
        default=ROOT / "tools/measurements/mutants.tsv",
        help="the table, which is read and written (tools/measurements/mutants.tsv)",
    )
    add("--list", action="store_true", help="prints the mutants that would be run")
    add("--summary", action="store_true", help="prints the counts of the table")
    arguments = parser.parse_args(words)
    if not (arguments.paths or arguments.base or arguments.all or arguments.summary or arguments.again):
        parser.error("say which files: --base COMMIT, --all, or names of files and folders")
    return arguments


def run_mutants(arguments, rows, table):
    wanted = chosen_mutants(arguments, rows)
    if not wanted:
        return
    workshop, commit = Workshop(arguments), git("rev-parse", "--short", "HEAD").strip()
    begin = time.monotonic()
    numbered = workshop.with_last_build(wanted)
    chosen = {number: mutant for number, mutant in numbered.items() if mutant.id in {m.id for m in wanted}}
    built = workshop.make(numbered)
    there = workshop.at_run_time()
    print(f"{len(built)} of {len(chosen)} mutants are built, in {time.monotonic() - begin:.0f} s", flush=True)
    tests = tests_of(workshop.build, arguments.tests)
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        begin = time.monotonic()
        list(pool.map(workshop.observe, tests))
        print(f"{len(tests)} tests without a mutant: {time.monotonic() - begin:.0f} s", flush=True)

        def judge(number):
            begin = time.monotonic()
            if number not in built:
                result, by = "not built", "refused by the compiler"
            elif number not in there:
                result, by = "not built", "evaluated by the compiler"
            else:
                result, by = workshop.verdict(number, tests, arguments.budget)
            return number, result, by, time.monotonic() - begin

        for number, result, by, seconds in pool.map(judge, chosen):
            m = chosen[number]
            note = rows.get(m.id, {}).get("note", "")
            values = m.id, m.path, m.line, m.operator, m.before, m.after, result, by, f"{seconds:.0f}", commit, note
            rows[m.id] = dict(zip(COLUMNS, values))
            write_table(table, rows)
            print(f"{result:10} {m.place}\n{m.change}\n  {by}", flush=True)


def main():
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    arguments = arguments_of(sys.argv[1:])
    table = pathlib.Path(arguments.table)
    rows = read_table(table)
    if arguments.list:
        for mutant in chosen_mutants(arguments, rows):
            print(f"{mutant.id} {mutant.place}\n{mutant.change}")
        return
    if not arguments.summary:
        run_mutants(arguments, rows, table)
    print(summary(rows))


if __name__ == "__main__":
    main()
