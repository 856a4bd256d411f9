#!/usr/bin/env python3
"""Checks and measures Ritz on a machine with a GPU, from an unpacked bundle (tools/bundle.sh --with-tests BUILD).

    tools/gpu_check.py BUNDLE [OUT] [--steps doctor tests table ...] [--minutes 9]
    tools/gpu_check.py BUNDLE --write-references BUNDLE/references.json      on CPUs, before: what 'agree' compares with
    tools/gpu_check.py BUILD OUT --write-golden tests/ptx/golden.json        by the interpreter of PTX, before: what 'golden' compares with

Steps, in this order, each with its share of the minutes; what a step leaves goes to those after it:

    doctor     what the machine is, the CUDA libraries, 'ritz doctor'
    tests      the GPU tests, all kernels loaded at once; what fails runs again launch by launch, then under memcheck
    table      time and share of the copy rate of each kernel of one solution (RITZ_LAUNCH_TABLE)
    bench      the benchmarks at several sizes, with the copy rate of the same run; our products beside cuSPARSE's
    golden     bits of each copy from the card against those that the interpreter of PTX predicted (tests/ptx/golden.json, or
               golden.json of the bundle)
    repeat     cases twice on the GPU: probes and residuals must agree to the last bit
    agree      every example on the GPU and the CPU: probes must agree to 1e-6. The CPU's come from references.json of the bundle,
               where it is there
    memory     a case's memory on the card beside our own sum and the forecast, and the case once more at 60 % of that sum
    probe      constants of the card (gpu_probe.cu, beside this file; needs nvcc)
    sanitize   compute-sanitizer over the tests, the likeliest finds first; also that of the bundle (sanitizer/, from NVIDIA's
               Python package nvidia-cuda-sanitizer-api)
    large      a bar of 208^3 hexahedra, whose matrix has more than 2^31 entries, against its closed solution; needs 64 GB on the card

A missing tool or library that leaves tests out is a failure. Logs and JSON go to OUT (gpu_check) and, packed, to OUT.tar.gz; a
table of verdicts is printed last. Exit 0: nothing failed. Needs Python alone. RITZ_MODULES=BUILD/lib/emulated tries it on the
emulated GPU (tests/cuda_emulator): all but probe, large and sanitize.
"""
import argparse
import json
import os
import re
import shutil
import site
import subprocess
import sys
import tarfile
import threading
import time
from pathlib import Path

from box_meshes import HEX, write_mesh

# (tool, beginning of the test's name): the likeliest finds first
SANITIZERS = [("memcheck", "test_multigrid"), ("racecheck", "test_fem_operators"), ("racecheck", "test_solvers"), ("memcheck", "test_fem"),
              ("initcheck", "test_multigrid"), ("synccheck", "test_multigrid"), ("memcheck", ""), ("racecheck", ""), ("initcheck", ""), ("synccheck", "")]
SIZES = [0.25, 0.5, 1]  # of the benchmarks
BENCHES = [["asm"], ["spmv"], ["op-"], ["solve-poisson"], ["solve-elastic"], ["solve-hex"], ["small-cg"], ["block-cg"]]
TESTS = Path(__file__).parents[1] / "tests/fem"
OPERATOR_TESTS = ":".join((TESTS / "operator_tests.txt").read_text().split())
MIXED_TESTS = ":".join((TESTS / "mixed/gpu_tests.txt").read_text().split())
# Programs whose results have predicted bits: kernels of every form and block size, and examples below 2000 unknowns.
GOLDEN = {"forms": ["bin/test_fem", "--gtest_filter=*/EveryForm*:*/EveryT*:EveryWholeElement.*"], "several fields": ["bin/test_mixed", "--gtest_filter=*/EveryMixedForm.*"],
          "multigrid": ["bin/test_multigrid_gpu", "--gtest_filter=Sizes/*"],
          "products": ["bin/test_solvers_gpu", "--gtest_filter=Gpu.SparseProducts*:Gpu.SymmetricParts*:Gpu.Diagonal*:Gpu.BlocksAreJoined*"],
          **{case: [f"bin/{program}", f"{case}.toml"] for case, program in {"wall/wall": "ritz-heat", "fields/layers": "ritz-heat", "composite/off_axis": "ritz-elasticity",
                                                                          "structure/portal": "ritz-structure"}.items()}}
GOLDEN_FILE = TESTS.parent / "ptx/golden.json"
# Share of the time, in the order of the steps.
SHARES = {"doctor": 3, "tests": 26, "table": 4, "bench": 20, "golden": 4, "repeat": 5, "agree": 14, "memory": 6, "probe": 4, "sanitize": 12, "large": 6}
# Reasons to leave a test out that need no remedy: the card is not of that kind, or there is one of it.
FINE_TO_SKIP = ("two GPUs", "emulated GPU", "there is a GPU", "one CPU back end", "this processor", "memory nodes", "with cuDSS only",
                "multiplies with CSR", "GPUs", "not quadratic", "of solids", "no library is asked for")
AGREEMENT = 1e-6  # of the largest probe value: both devices solve to 1e-8


class Check:
    def __init__(self, bundle, out, minutes, steps):
        self.bundle, self.out, self.minutes, self.steps = bundle, out, minutes, steps
        self.start = time.monotonic()
        self.end = self.start + 60 * minutes
        self.rows = []  # (step, what, outcome)
        self.failed = False

    def add(self, step, what, outcome, ok=True):
        self.rows.append((step, what, outcome))
        self.failed |= not ok
        print(f"{step:9} {what:44} {outcome}", flush=True)

    def begin(self, step):
        """The end of a step: the shares of those up to it."""
        shares = [SHARES[name] for name in self.steps]
        self.end = self.start + 60 * self.minutes * sum(shares[:self.steps.index(step) + 1]) / sum(shares)

    def run(self, name, command, at_most=300, environment=None):
        """Exit status (None: no time left, 124: stopped) and output, which also goes to OUT/name.log."""
        left = self.end - time.monotonic()
        if left < 5:
            return None, ""
        start = time.monotonic()
        try:
            done = subprocess.run([str(c) for c in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                                  errors="replace", timeout=min(left, at_most), cwd=self.out,
                                  env={**os.environ, **(environment or {})})
            status, text = done.returncode, done.stdout
        except subprocess.TimeoutExpired as stopped:
            said = stopped.stdout or b""  # bytes even where text is asked for, up to some version of Python
            status, text = 124, said if isinstance(said, str) else said.decode(errors="replace")
        except OSError as error:
            status, text = 127, str(error)
        self.seconds = time.monotonic() - start
        (self.out / f"{name}.log").write_text(f"$ {' '.join(map(str, command))}\n{text}\nexit {status}\n")
        return status, text

    def tests(self):
        return [([t], t.name) for t in sorted(self.bundle.glob("bin/test_*_gpu"))] + [
            ([self.bundle / "bin/test_fem", "--gtest_filter=*Gpu*"], "test_fem"),
            (["env", "RITZ_TEST_DEVICE=gpu", self.bundle / "bin/test_fem", f"--gtest_filter={OPERATOR_TESTS}"], "test_fem_operators"),
            (["env", "RITZ_TEST_DEVICE=gpu", self.bundle / "bin/test_mixed", f"--gtest_filter={MIXED_TESTS}"], "test_mixed")]


def counts(text):
    found = {word.lower(): int(n) for word, n in re.findall(r"\[\s+(PASSED|FAILED|SKIPPED)\s+\] (\d+) test", text)}
    return ", ".join(f"{found[k]} {k}" for k in ("passed", "failed", "skipped") if found.get(k)) or "no test ran", found


def bad_skips(text):
    """Reasons for which tests were left out, and which a complete machine would not have."""
    reasons = re.findall(r"^(?:.*: Skipped\n)(.+)$", text, re.M)
    return sorted({reason.strip() for reason in reasons if not any(fine in reason for fine in FINE_TO_SKIP)})


def missing_libraries(modules):
    """Names that the loader does not find for these files."""
    done = subprocess.run(["ldd", *map(str, modules)], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    return sorted(set(re.findall(r"^\s*(\S+) => not found", done.stdout, re.M)))


def look_for(names):
    """Folders of these libraries in other places than a toolkit's own: other toolkits, and NVIDIA's Python packages."""
    roots = [Path(p) for p in [*site.getsitepackages(), site.getusersitepackages()]]
    folders = [*Path("/usr/local").glob("cuda*/lib64"), *Path("/usr/local").glob("cuda*/targets/*/lib"), *Path("/usr/lib").glob("*-linux-gnu")]
    for root in roots:
        folders += sorted(root.glob("nvidia/*/lib"))
    return [folder for folder in folders if any((folder / name).exists() for name in names)]


def step_doctor(check):
    modules = sorted(check.bundle.glob("lib*/**/*.cuda.so"))
    if not modules:
        check.add("doctor", "CUDA modules", "none in the bundle: build with -DRITZ_CUDA=ON", False)
    if lost := missing_libraries(modules) if modules else []:
        os.environ["LD_LIBRARY_PATH"] = ":".join([*map(str, look_for(lost)), *filter(None, [os.environ.get("LD_LIBRARY_PATH")])])
        lost = missing_libraries(modules)
    check.add("doctor", "CUDA libraries", f"not found: {', '.join(lost)}" if lost else "found", not lost)
    status, text = check.run("doctor", [check.bundle / "bin/ritz", "doctor"], 60)
    faults = [line for line in text.splitlines() if line.startswith("fault")]
    check.add("doctor", "ritz doctor", {None: "left out: no time", 0: "no fault"}.get(status, "; ".join(faults)[:200] or f"exit {status}"), status in (0, None))


def first(names):
    """Path of the first program of these that exists; None: none does."""
    return next((found for found in map(shutil.which, names) if found), None)


def step_probe(check):
    nvcc, source = first(["nvcc", "/usr/local/cuda/bin/nvcc"]), Path(__file__).with_name("gpu_probe.cu")
    if nvcc is None or not source.is_file():
        return check.add("probe", "constants of the card", "left out: no nvcc" if nvcc is None else "left out: no gpu_probe.cu")
    status, text = check.run("probe-build", [nvcc, "-O3", "-std=c++17", "-arch=native", source, "-o", check.out / "gpu_probe"], 120)
    if status == 0:
        status, text = check.run("probe", [check.out / "gpu_probe"], 60)
    check.add("probe", "constants of the card", {None: "left out: no time", 0: text.splitlines()[0] if text else "no output"}.get(status, f"exit {status}"),
              status in (0, None))
    for line in text.splitlines()[1:] if status == 0 else []:
        check.add("probe", *(part.strip() for part in line.rsplit(":", 1))) if ":" in line else None


def sanitizer_of(check):
    return first(["compute-sanitizer", "/usr/local/cuda/bin/compute-sanitizer", *map(str, sorted(check.bundle.glob("sanitizer/**/compute-sanitizer")))])


def run_again(check, name, command, failed):
    """Failed tests launch by launch, so that the launch at fault is named, and under memcheck."""
    chosen = [*command, f"--gtest_filter={':'.join(failed)}"]
    status, text = check.run(f"again-{name}", chosen, 60, {"CUDA_LAUNCH_BLOCKING": "1"})
    said = re.findall(r"failed on the GPU.*|the last launch was .*", text)
    check.add("tests", f"{name}, launch by launch", (said or [f"exit {status}"])[-1][:100])
    if sanitizer := sanitizer_of(check):
        status, text = check.run(f"memcheck-{name}", [sanitizer, "--tool", "memcheck", *chosen], 120)
        errors = re.findall(r"ERROR SUMMARY: (\d+)", text)
        check.add("tests", f"{name}, under memcheck", f"{errors[-1]} errors" if errors else f"exit {status}")


def step_tests(check):
    for command, name in check.tests():
        status, text = check.run(f"tests-{name}", command, environment={"CUDA_MODULE_LOADING": "EAGER"})
        said, found = counts(text)
        without_gpu = found.get("skipped") and not found.get("passed") or "no GPU can be used" in text
        if without_gpu:
            said, status = "skipped: no GPU", 1
        check.add("tests", name, {None: "left out: no time", 124: "stopped by the clock"}.get(status, said), status == 0)
        for reason in bad_skips(text):
            check.add("tests", f"{name}, left out", reason[:100], False)
        if without_gpu:
            continue
        if failed := sorted(set(re.findall(r"^\[  FAILED  \] (\S+\.\S+?)(?: \(|,|$)", text, re.M))) if status not in (0, None) else []:
            run_again(check, name, command, failed)


def step_sanitize(check):
    sanitizer = sanitizer_of(check)
    if sanitizer is None:
        return check.add("sanitize", "compute-sanitizer", "missing: put NVIDIA's Python package nvidia-cuda-sanitizer-api into sanitizer/", False)
    done = set()
    for tool, beginning in SANITIZERS:
        for command, name in check.tests():
            if not name.startswith(beginning) or (tool, name) in done:
                continue
            done.add((tool, name))
            prefix = [sanitizer, "--tool", tool, "--error-exitcode", "86", "--print-limit", "20"]
            status, text = check.run(f"{tool}-{name}", prefix + command, 150)
            if "Device not supported" in text:  # of some virtual machines
                check.add("sanitize", f"{tool} {name}", "left out: compute-sanitizer does not support this device")
                continue
            errors = re.findall(r"ERROR SUMMARY: (\d+)", text) + re.findall(r"RACECHECK SUMMARY: (\d+)", text)
            said = {None: "left out: no time", 124: "stopped by the clock: clean so far" if "=========  " not in text else "errors"}.get(status, f"{errors[-1] if errors else '?'} errors, {counts(text)[0]}")
            check.add("sanitize", f"{tool} {name}", said, status in (0, None, 124))


def probes_of(report):
    found = dict(report.get("probes") or {})
    for kind in ("load_cases", "combinations"):
        for name, part in (report.get(kind) or {}).items():
            found.update({f"{name}/{k}": v for k, v in (part.get("probes") or {}).items()})
    return {k: v if isinstance(v, list) else [v] for k, v in found.items()}


def cases(examples):
    """(case file, program) of every row of the examples' table."""
    rows = re.findall(r"^\| `([\w/]+)` \|.*?\| (ritz-\w+) \|", (examples / "README.md").read_text(), re.M)
    return [(examples / f"{case}.toml", program) for case, program in rows]


def case_name(case):
    return f"{case.parent.name}-{case.stem}"


def probes_on(check, device, case, program):
    """Exit status, output and probes of an example on a device."""
    name = f"agree-{case_name(case)}-{device}"
    report = check.out / f"{name}.json"
    status, text = check.run(name, [check.bundle / "bin" / program, case, "--device", device, "--overwrite", "--output", check.out / "results" / name,
                                    "--json", report], 120)
    return status, text, probes_of(json.loads(report.read_text())) if status == 0 else {}


def write_references(check, path):
    """Probes of every example on the CPU, for step_agree on another machine."""
    found = {}
    for case, program in cases(check.bundle / "share/ritz/examples"):
        status, text, probes = probes_on(check, "cpu", case, program)
        check.add("reference", case_name(case), "written" if status == 0 else f"exit {status}: {text.splitlines()[-1] if text else ''}"[:90], status == 0)
        if status == 0:
            found[case_name(case)] = probes
    path.write_text(json.dumps(found, indent=1))


def step_agree(check):
    file = check.bundle / "references.json"
    references = json.loads(file.read_text()) if file.is_file() else {}
    for case, program in cases(check.bundle / "share/ritz/examples"):
        name = case_name(case)
        if "\nplugin = " in case.read_text() and not (check.bundle / "include").is_dir():
            check.add("agree", name, "left out: a plugin needs the headers, which this bundle has not")
            continue
        reports = {"cpu": references[name]} if name in references else {}
        for device in ("gpu", "cpu"):
            if device in reports:
                continue
            status, text, reports[device] = probes_on(check, device, case, program)
            if status != 0:
                reason = next((line for line in text.splitlines() if line.startswith("error:")), "")
                check.add("agree", name, "left out: no time" if status is None else f"{device}: exit {status} {reason}"[:90], status is None)
                break
        else:
            worst = 0.0
            scale = max((abs(x) for v in reports["cpu"].values() for x in v), default=0) or 1
            same = reports["cpu"].keys() == reports["gpu"].keys()
            for key in reports["cpu"] if same else []:
                own = max(map(abs, reports["cpu"][key]), default=0) or scale
                worst = max([worst] + [abs(a - b) / own for a, b in zip(reports["cpu"][key], reports["gpu"][key])])
            check.add("agree", name, f"{len(reports['cpu'])} probes, differ by {worst:.1e}" if same else "not the same probes",
                      same and worst <= AGREEMENT)


def run_case(check, name, case, program, *options, at_most=120):
    """Exit status and report of a case on the GPU."""
    report = check.out / f"{name}.json"
    status, _ = check.run(name, [check.bundle / "bin" / program, case, "--device", "gpu", "--overwrite", "--output", check.out / "results" / name,
                          "--json", report, *options], at_most)
    return status, json.loads(report.read_text()) if report.is_file() else {}


def whole_cases(check):
    """One case of each of the two large programs."""
    found = {program: case for case, program in reversed(cases(check.bundle / "share/ritz/examples"))}
    return [(found[program], program) for program in ("ritz-elasticity", "ritz-heat") if program in found]


def step_repeat(check):
    for case, program in whole_cases(check):
        runs = [run_case(check, f"repeat-{case.stem}-{turn}", case, program) for turn in (1, 2)]
        if any(status != 0 for status, _ in runs):
            status = next(status for status, _ in runs if status != 0)
            check.add("repeat", case.stem, "left out: no time" if status is None else f"exit {status}", status is None)
            continue
        seen = [[probes_of(report), report.get("solver", {}).get("last_residuals"), report.get("solver", {}).get("iterations")] for _, report in runs]
        check.add("repeat", case.stem, f"{len(seen[0][0])} probes and the residuals: " + ("the same bits" if seen[0] == seen[1] else "other bits"),
                  seen[0] == seen[1])


def copies_of(check, name, words):
    """Exit status (None: no time left) and the copies from the card that a program makes: '[bytes] [hash]' of each."""
    lines = check.out / f"golden-{name.replace('/', '-')}.tsv"
    lines.unlink(missing_ok=True)
    command = [check.bundle / words[0], *words[1:]]
    if words[-1].endswith(".toml"):
        results = check.out / "results" / lines.stem
        command = [command[0], TESTS.parents[1] / "examples" / words[-1], "--device", "gpu", "--overwrite", "--output", results]
    library = next(iter(sorted(check.bundle.glob("lib*/**/libritz_copies.so"))), None)
    if library is None:
        return 127, []
    status, _ = check.run(lines.stem, command, 3600, {"RITZ_COPIES": str(lines), "LD_PRELOAD": str(library), "RITZ_TEST_DEVICE": "gpu", "OMP_NUM_THREADS": "1"})
    return status, [" ".join(line.split("\t")[1:]) for line in lines.read_text().splitlines()] if lines.is_file() else []


def write_golden(check, path):
    found = {}
    for name, words in GOLDEN.items():
        status, found[name] = copies_of(check, name, words)
        check.add("golden", name, f"{len(found[name])} copies" if status == 0 else f"exit {status}", status == 0 and bool(found[name]))
    path.write_text(json.dumps(found, indent=0) + "\n")


def step_golden(check):
    file = next((path for path in (check.bundle / "golden.json", GOLDEN_FILE) if path.is_file()), None)
    if file is None:
        return check.add("golden", "predicted bits", "missing: write them with --write-golden", False)
    for name, expected in json.loads(file.read_text()).items():
        status, found = copies_of(check, name, GOLDEN[name])
        if status != 0:
            check.add("golden", name, {None: "left out: no time", 127: "missing: libritz_copies.so, or the program"}.get(status, f"exit {status}"), status is None)
            continue
        others = [i + 1 for i, (one, other) in enumerate(zip(expected, found)) if one != other]
        said = f"{len(expected) - len(others)} of {len(expected)} copies have the predicted bits" + (f", not number {', '.join(map(str, others[:5]))}" if others else "")
        check.add("golden", name, said if len(found) == len(expected) else f"{len(found)} copies, {len(expected)} were predicted", expected == found)


def memory_used():
    """[bytes] of the first card by nvidia-smi; None: not known."""
    try:
        said = subprocess.run(["nvidia-smi", "--query-gpu=memory.used", "--format=csv,noheader,nounits"], stdout=subprocess.PIPE, text=True, timeout=20)
        return float(said.stdout.split()[0]) * 2**20
    except (OSError, ValueError, IndexError, subprocess.TimeoutExpired):
        return None


class Watch(threading.Thread):
    """The most memory in use meanwhile."""
    def __init__(self):
        super().__init__(daemon=True)
        self.before = self.most = memory_used()
        self.over = threading.Event()

    def run(self):
        while self.before is not None and not self.over.wait(0.1):
            self.most = max(self.most, memory_used() or 0)


def forecast(check, case, program):
    """[bytes] of the first way to solve that fits, as --estimate says; None: it says none."""
    _, report = run_case(check, f"estimate-{case.stem}", case, program, "--estimate")
    return next((way["device_peak"] for way in (report.get("forecast") or {}).values() if way["fits"]), None)


def step_memory(check):
    for case, program in whole_cases(check):
        foreseen = forecast(check, case, program)
        watch = Watch()
        watch.start()
        status, report = run_case(check, f"memory-{case.stem}", case, program)
        watch.over.set()
        watch.join()
        if status != 0:
            check.add("memory", case.stem, "left out: no time" if status is None else f"exit {status}", status is None)
            continue
        ours = report["memory"]["device_held_peak"]
        theirs = "unknown" if watch.before is None else f"{(watch.most - watch.before) / 1e6:.0f} MB"
        told = "unknown" if foreseen is None else f"{foreseen / 1e6:.0f} MB"
        check.add("memory", case.stem, f"forecast {told}, ours {ours / 1e6:.0f} MB, on the card {theirs} (with the context)")
        status, report = run_case(check, f"limit-{case.stem}", case, program, "--memory-limit", f"{max(1, int(0.6 * ours / 1e6))}MB")
        steps = len(report.get("solver", {}).get("fallbacks") or [])
        said = {None: "left out: no time", 0: f"solved, {steps} fall-backs", 6: "too little memory, said so"}.get(status, f"exit {status}")
        check.add("memory", f"{case.stem} at 60 %", said, status in (0, 6, None))


# No lateral contraction: a pull of 1 lengthens the bar of length 1 by 1e-3 everywhere alike, clamped or not.
BAR = """[mesh]
file = "bar.msh"
refine = 3
[[material]]
region = "all"
young = 1e3
poisson = 0.0
[[displacement]]
region = "x0"
fixed = true
[[pressure]]
region = "x1"
value = -1.0
[[probe]]
name = "lengthening"
field = "displacement"
component = "x"
region = "x1"
measure = "mean"
[solver]
operator = "matrix"
method = "cg"
preconditioner = "multigrid"
tolerance = 1e-8
"""


def step_large(check, cells=26):
    write_mesh(check.out / "bar.msh", HEX, (cells, cells, cells))
    (check.out / "bar.toml").write_text(BAR)
    status, report = run_case(check, "large", check.out / "bar.toml", "ritz-elasticity", at_most=400)
    if status != 0:
        said = {None: "left out: no time", 6: "left out: too little memory", 124: "stopped by the clock"}.get(status, f"exit {status}")
        return check.add("large", "matrix of 2.2e9 entries", said, status in (None, 6))
    (found,) = probes_of(report)["lengthening"]
    check.add("large", "matrix of 2.2e9 entries", f"lengthening {found:.9e}, 1e-3 by statics", abs(found - 1e-3) < 1e-8)


def step_table(check):
    for case, program in whole_cases(check):
        name = f"table-{case.stem}"
        status, text = check.run(name, [check.bundle / "bin" / program, case, "--device", "gpu", "--overwrite", "--output",
                                 check.out / "results" / name], 120, {"RITZ_LAUNCH_TABLE": "1"})
        rows = text[text.find("launch   "):].splitlines()[1:9] if "launch   " in text else []
        check.add("table", case.stem, {None: "left out: no time", 0: f"{len(rows)} rows" if rows else "no table"}.get(status, f"exit {status}"),
                  status is None or bool(rows))
        for row in rows:
            check.add("table", f"  {row[:32].strip()}", " ".join(row[32:].split()) + "  (count, ms, mean us, least us; MB, GB/s, of copy)")


def step_bench(check):
    for only, size in [(only, size) for only in BENCHES for size in SIZES]:
        name = f"{only[0].strip('-')}-{size:g}"
        report = check.out / f"bench-{name}.json"
        status, text = check.run(f"bench-{name}", [check.bundle / "bin/ritz-bench", "--device", "gpu", "--only", *only, "--no-triplets",
                                 "--size", size, "--json", report], 240)
        if status != 0:
            check.add("bench", name, "left out: no time" if status is None else f"exit {status}", status is None)
            continue
        for record in json.loads(report.read_text())["records"]:
            for what, m in record["measurements"].items():
                part = m.get("fraction_of_copy_rate")
                calls = f", {m['launches']:.3g} launches, {m['waits']:.3g} waits" if m.get("launches") else ""
                check.add("bench", f"{record['name']} {what}, size {size:g}",
                          f"{m['seconds']:.3g} s" + (f", {100 * part:.0f} % of the copy rate" if part else "") + calls)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("bundle", type=Path)
    parser.add_argument("out", type=Path, nargs="?", default=Path("gpu_check"))
    steps = {"doctor": step_doctor, "tests": step_tests, "table": step_table, "bench": step_bench, "golden": step_golden, "repeat": step_repeat, "agree": step_agree,
             "memory": step_memory, "probe": step_probe, "sanitize": step_sanitize, "large": step_large}
    parser.add_argument("--steps", nargs="+", choices=list(steps), default=list(steps))
    parser.add_argument("--minutes", type=float, default=9)
    parser.add_argument("--write-references", type=Path, metavar="FILE", help="run every example on the CPU, and write its probes")
    parser.add_argument("--write-golden", type=Path, metavar="FILE", help="write the bits of all copies from the device, the interpreter of PTX")
    arguments = parser.parse_args()
    if not (arguments.bundle / "bin").is_dir():
        sys.exit(f"error: '{arguments.bundle}' holds no bin/: unpack what tools/bundle.sh --with-tests made")
    arguments.out.mkdir(parents=True, exist_ok=True)
    os.environ.setdefault("OMP_WAIT_POLICY", "passive")
    in_order = [step for step in steps if step in arguments.steps]
    check = Check(arguments.bundle.resolve(), arguments.out.resolve(), arguments.minutes if not (arguments.write_references or arguments.write_golden) else 60, in_order)
    if arguments.write_references:
        write_references(check, arguments.write_references.resolve())
        sys.exit(1 if check.failed else 0)
    if arguments.write_golden:
        write_golden(check, arguments.write_golden.resolve())
        sys.exit(1 if check.failed else 0)
    for step in in_order:
        check.begin(step)
        began = time.monotonic()
        steps[step](check)
        check.add("time", step, f"{time.monotonic() - began:.0f} s of {60 * arguments.minutes * SHARES[step] / sum(SHARES[name] for name in in_order):.0f} s")
    table = "\n".join(f"{step:9} {what:44} {outcome}" for step, what, outcome in check.rows)
    (check.out / "table.txt").write_text(table + "\n")
    packed = check.out.with_name(check.out.name + ".tar.gz")
    with tarfile.open(packed, "w:gz") as archive:  # one file, without the cases' result files
        archive.add(check.out, check.out.name, filter=lambda entry: None if "/results" in entry.name or entry.name.endswith("gpu_probe") else entry)
    print(f"\npacked: {packed} ({packed.stat().st_size / 1e6:.1f} MB)")
    print(f"\n{table}\n{'FAILED' if check.failed else 'nothing failed'}")
    sys.exit(1 if check.failed else 0)


if __name__ == "__main__":
    main()
