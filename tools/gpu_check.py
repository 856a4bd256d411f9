#!/usr/bin/env python3
"""Checks and measures Ritz on a machine with a GPU, from an unpacked bundle (tools/bundle.sh --with-tests BUILD).

    tools/gpu_check.py BUNDLE [OUT] [--steps doctor tests agree bench sanitize] [--minutes 9]

Steps, in this order: the CUDA libraries and 'ritz doctor'; the GPU tests; every example on the CPU and on the GPU, whose
probes must agree to 1e-6; the benchmarks, with the copy rate of the same run; compute-sanitizer over the tests. Logs and JSON
go to OUT (gpu_check), and a short table is printed last. What does not fit into the minutes is said to be left out. Exit 0: nothing failed.
Needs Python alone.
"""
import argparse
import json
import os
import re
import site
import subprocess
import sys
import time
from pathlib import Path

SANITIZERS = ["memcheck", "racecheck", "initcheck", "synccheck"]
BENCHES = [["asm"], ["spmv"], ["op-"], ["solve-poisson"], ["solve-elastic"], ["solve-hex"], ["small-cg"], ["block-cg"]]
OPERATOR_TESTS = ":".join((Path(__file__).parents[1] / "tests/fem/operator_tests.txt").read_text().split())
AGREEMENT = 1e-6  # of the largest probe value: both devices solve to 1e-8


class Check:
    def __init__(self, bundle, out, minutes):
        self.bundle, self.out = bundle, out
        self.end = time.monotonic() + 60 * minutes
        self.rows = []  # (step, what, outcome)
        self.failed = False

    def add(self, step, what, outcome, ok=True):
        self.rows.append((step, what, outcome))
        self.failed |= not ok
        print(f"{step:9} {what:44} {outcome}", flush=True)

    def run(self, name, command, at_most=300):
        """Exit status (None: no time left, 124: stopped) and output, which also goes to OUT/name.log."""
        left = self.end - time.monotonic()
        if left < 5:
            return None, ""
        start = time.monotonic()
        try:
            done = subprocess.run([str(c) for c in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                                  errors="replace", timeout=min(left, at_most), cwd=self.out)
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
            (["env", "RITZ_TEST_DEVICE=gpu", self.bundle / "bin/test_fem", f"--gtest_filter={OPERATOR_TESTS}"], "test_fem_operators")]


def counts(text):
    found = {word.lower(): int(n) for word, n in re.findall(r"\[\s+(PASSED|FAILED|SKIPPED)\s+\] (\d+) test", text)}
    return ", ".join(f"{found[k]} {k}" for k in ("passed", "failed", "skipped") if found.get(k)) or "no test ran", found


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


def step_tests(check):
    for command, name in check.tests():
        status, text = check.run(f"tests-{name}", command)
        said, found = counts(text)
        if found.get("skipped") and not found.get("passed") or "no GPU can be used" in text:
            said, status = "skipped: no GPU", 0
        check.add("tests", name, {None: "left out: no time", 124: "stopped by the clock"}.get(status, said), status in (0, None))


def step_sanitize(check):
    for tool in SANITIZERS:
        for command, name in check.tests():
            prefix = ["compute-sanitizer", "--tool", tool, "--error-exitcode", "86", "--print-limit", "20"]
            status, text = check.run(f"{tool}-{name}", prefix + command, 150)
            if "Device not supported" in text:  # of some virtual machines
                check.add("sanitize", f"{tool} {name}", "left out: compute-sanitizer does not support this device")
                continue
            errors = re.findall(r"ERROR SUMMARY: (\d+)", text) + re.findall(r"RACECHECK SUMMARY: (\d+)", text)
            said = {None: "left out: no time", 124: "stopped by the clock: clean so far" if "=========  " not in text else "errors",
                    127: "compute-sanitizer is missing"}.get(status, f"{errors[-1] if errors else '?'} errors, {counts(text)[0]}")
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


def step_agree(check):
    for case, program in cases(check.bundle / "share/ritz/examples"):
        name = f"{case.parent.name}-{case.stem}"
        if "\nplugin = " in case.read_text() and not (check.bundle / "include").is_dir():
            check.add("agree", name, "left out: a plugin needs the headers, which a bundle has not")
            continue
        reports, worst = {}, 0.0
        for device in ("cpu", "gpu"):
            report = check.out / f"agree-{name}-{device}.json"
            status, text = check.run(f"agree-{name}-{device}", [check.bundle / "bin" / program, case, "--device", device, "--overwrite",
                                     "--output", check.out / "results" / f"{name}-{device}", "--json", report], 120)
            if status != 0:
                reason = next((line for line in text.splitlines() if line.startswith("error:")), "")
                check.add("agree", name, "left out: no time" if status is None else f"{device}: exit {status} {reason}"[:90], status is None)
                break
            reports[device] = probes_of(json.loads(report.read_text()))
        else:
            scale = max((abs(x) for v in reports["cpu"].values() for x in v), default=0) or 1
            same = reports["cpu"].keys() == reports["gpu"].keys()
            for key in reports["cpu"] if same else []:
                own = max(map(abs, reports["cpu"][key]), default=0) or scale
                worst = max([worst] + [abs(a - b) / own for a, b in zip(reports["cpu"][key], reports["gpu"][key])])
            check.add("agree", name, f"{len(reports['cpu'])} probes, differ by {worst:.1e}" if same else "not the same probes",
                      same and worst <= AGREEMENT)


def step_bench(check):
    for only in BENCHES:
        name = only[0].strip("-")
        report = check.out / f"bench-{name}.json"
        status, text = check.run(f"bench-{name}", [check.bundle / "bin/ritz-bench", "--device", "gpu", "--only", *only, "--no-triplets",
                                 "--json", report], 240)
        if status != 0:
            check.add("bench", name, "left out: no time" if status is None else f"exit {status}", status is None)
            continue
        for record in json.loads(report.read_text())["records"]:
            for what, m in record["measurements"].items():
                part = m.get("fraction_of_copy_rate")
                check.add("bench", f"{record['name']} {what}", f"{m['seconds']:.3g} s" + (f", {100 * part:.0f} % of the copy rate" if part else ""))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("bundle", type=Path)
    parser.add_argument("out", type=Path, nargs="?", default=Path("gpu_check"))
    steps = {"doctor": step_doctor, "tests": step_tests, "agree": step_agree, "bench": step_bench, "sanitize": step_sanitize}
    parser.add_argument("--steps", nargs="+", choices=list(steps), default=list(steps))
    parser.add_argument("--minutes", type=float, default=9)
    arguments = parser.parse_args()
    if not (arguments.bundle / "bin").is_dir():
        sys.exit(f"error: '{arguments.bundle}' holds no bin/: unpack what tools/bundle.sh --with-tests made")
    arguments.out.mkdir(parents=True, exist_ok=True)
    os.environ.setdefault("OMP_WAIT_POLICY", "passive")
    check = Check(arguments.bundle.resolve(), arguments.out.resolve(), arguments.minutes)
    for step in arguments.steps:
        steps[step](check)
    table = "\n".join(f"{step:9} {what:44} {outcome}" for step, what, outcome in check.rows)
    (check.out / "table.txt").write_text(table + "\n")
    print(f"\n{table}\n{'FAILED' if check.failed else 'nothing failed'}")
    sys.exit(1 if check.failed else 0)


if __name__ == "__main__":
    main()
