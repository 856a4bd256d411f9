#!/usr/bin/env python3
"""Runs every example with the executables of two builds and compares what they print.

    tools/compare_builds.py OLD/build/bin build/bin [--examples FOLDER] [--only NAME ...] [--forecasts]

One row per example: whether result files are equal to the last bit, the largest relative difference of a probe, iterations,
and the peaks of device and host memory of both. Ends with exit status 1 where a row differs by more than ten times the
solver's tolerance, by more than one iteration, or where a peak of device memory has grown. With --forecasts the forecasts of
`--check` are compared, too.
"""
import argparse
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import zlib

EXAMPLES = pathlib.Path(__file__).resolve().parent.parent / "examples"


def cases(examples):
    """(case file, program) of each row of the examples' table."""
    rows = re.findall(r"^\| `([\w/]+)` \|.*?\| (ritz-\w+) \|", (examples / "README.md").read_text(), re.M)
    return [(examples / f"{case}.toml", program) for case, program in rows]


def run(folder, program, case, out, *options):
    report = out / "report.json"
    done = subprocess.run([folder / program, case, "--device", "cpu", "--threads", "1", "--output", out / "results", "--json", report, *options],
                          capture_output=True, text=True)
    if not report.exists():
        sys.exit(f"{folder / program} {case}: {done.stderr}")
    return json.loads(report.read_text())


def numbers(report, name):
    found = {f"{name}/{k}": v for k, v in (report.get(name) or {}).items()}
    for kind in ("load_cases", "combinations"):
        for part, content in (report.get(kind) or {}).items():
            found.update({f"{part}/{k}": v for k, v in (content.get(name) or {}).items()})
    return {k: v if isinstance(v, list) else [v] for k, v in found.items()}


def difference(old, new):
    if old.keys() != new.keys():
        return float("inf")
    worst = 0.0
    for key, values in old.items():
        size = max(map(abs, values), default=0) or max((abs(x) for v in old.values() for x in v), default=0) or 1
        worst = max([worst] + [abs(a - b) / size for a, b in zip(values, new[key])])
    return worst


def sums(out):
    """Checksums of the result files, by name."""
    results = (out / "results").rglob("*")
    return {str(f.relative_to(out)): zlib.crc32(f.read_bytes()) for f in results if f.suffix in (".vtu", ".pvd", ".csv")}


def iterations(report):
    return sum(solve.get("iterations", 0) for solve in report.get("solves", []))


def peak(report, kind):
    memory = report.get("memory") or {}
    return memory.get(f"{kind}_peak") or 0


def compare(case, program, folders, forecasts):
    with tempfile.TemporaryDirectory(prefix="ritz-") as scratch:
        outs = [pathlib.Path(scratch) / side for side in ("old", "new")]
        for out in outs:
            out.mkdir()
        old, new = (run(folder, program, case, out) for folder, out in zip(folders, outs))
        same = sums(outs[0]) == sums(outs[1])
        worst = difference(numbers(old, "probes"), numbers(new, "probes"))
        steps = [iterations(report) for report in (old, new)]
        device = [peak(report, "device") for report in (old, new)]
        host = [peak(report, "host") for report in (old, new)]
        good = worst <= 1e-7 and abs(steps[0] - steps[1]) <= 1 and old.get("exit_code") == new.get("exit_code") and device[1] <= device[0]
        text = f"{'equal bits' if same else f'{worst:.1e}':<11} {steps[0]:>6} {steps[1]:>6} {device[0]:>12} {device[1]:>12} {host[0]:>12} {host[1]:>12}"
        if forecasts:
            old, new = (run(folder, program, case, out, "--check", "--overwrite") for folder, out in zip(folders, outs))
            foreseen = [{path: one.get("device_peak") for path, one in (report.get("forecast") or {}).items()} for report in (old, new)]
            if foreseen[0] != foreseen[1]:
                text += f"  forecast {foreseen[0]} -> {foreseen[1]}"
                good = False
        return text, good


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("old", type=pathlib.Path)
    parser.add_argument("new", type=pathlib.Path)
    parser.add_argument("--examples", type=pathlib.Path, default=EXAMPLES)
    parser.add_argument("--only", nargs="*", default=[], help="parts of the names of examples")
    parser.add_argument("--forecasts", action="store_true")
    options = parser.parse_args()
    folders = [options.old.resolve(), options.new.resolve()]
    print(f"{'example':<32} {'results':<11} {'iter':>6} {'iter':>6} {'device':>12} {'device':>12} {'host':>12} {'host':>12}")
    bad = 0
    for case, program in cases(options.examples):
        name = f"{case.parent.name}/{case.stem}"
        if options.only and not any(part in name for part in options.only):
            continue
        text, good = compare(case, program, folders, options.forecasts)
        bad += not good
        print(f"{name:<32} {text}{'' if good else '   <--'}", flush=True)
    sys.exit(bad > 0)


if __name__ == "__main__":
    main()
