#!/usr/bin/env python3
"""Members per second of sweeps beside runs one by one, in turns on the same machine; and by processor time, which other work on the machine
does not change. Prints a table in Markdown. Threads wait without spinning, or the time of a busy machine would count as theirs.

    tools/sweep_throughput.py build/bin [members]
"""
import json
import os
import pathlib
import resource
import subprocess
import sys
import tempfile
import time

EXAMPLES = pathlib.Path(__file__).resolve().parents[1] / "examples"
SWEEPS = [
    ("ritz-heat", "wall/wall", "material.0.conductivity", "materials", (0.5, 1.5)),
    ("ritz-elasticity", "le1/le1", "pressure.0.value", "loads", (1e6, 1e7)),
    ("ritz-elasticity", "le1/le1", "material.0.young", "materials", (70e9, 210e9)),
    ("ritz-elasticity", "cook/cook", "material.0.young", "materials", (0.5, 2)),
    ("ritz-elasticity", "cook/cook", "material.0.poisson", "materials", (0.1, 0.4)),
    ("ritz-elasticity", "lame/solid", "pressure.0.value", "loads", (1e6, 1e7)),
    ("ritz-heat", "heat_sink/heat_sink", "flux.0.value", "loads", (5e4, 2e5)),
    ("ritz-heat", "heat_sink/heat_sink", "material.0.conductivity", "materials", (100, 400)),
]


def processor_seconds():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def run(program, case, folder, *arguments):
    """(seconds, processor seconds, report)"""
    report = folder / "report.json"
    before, begin = processor_seconds(), time.perf_counter()
    done = subprocess.run([str(program), str(case), "--quiet", "--json", str(report), "--output", str(folder), *arguments], capture_output=True, text=True)
    seconds = time.perf_counter() - begin
    if done.returncode != 0:
        raise SystemExit(done.stderr)
    return seconds, processor_seconds() - before, json.loads(report.read_text())


def main():
    binaries, count = pathlib.Path(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 30
    os.environ.setdefault("OMP_WAIT_POLICY", "passive")
    print("| case | unknowns | swept | one by one, a second | sweep, a second | ratio | by processor time | without fields | ratio | by processor time | "
          "largest batch | matrices | iterations: first, all |")
    print("|---|---|---|---|---|---|---|---|---|---|---|---|---|")
    for program, name, key, what, (first, last) in SWEEPS:
        case = (EXAMPLES / name).with_suffix(".toml")
        with tempfile.TemporaryDirectory() as scratch:
            scratch = pathlib.Path(scratch)
            source = case.read_text().replace('file = "', f'file = "{case.parent}/')
            swept = scratch / "swept.toml"
            swept.write_text(source + f'\n[[sweep.parameter]]\nkey = "{key}"\nfrom = {float(first)}\nto = {float(last)}\ncount = {count}\n')
            alone = alone_used = 0.0
            for i in range(10):
                value = first + (last - first) * i / 9
                seconds, used, _ = run(binaries / program, case, scratch / f"alone{i}", "--set", f"{key}={value}")
                alone += seconds / 10
                alone_used += used / 10
            together, used, report = run(binaries / program, swept, scratch / "sweep")
            bare, bare_used, _ = run(binaries / program, swept, scratch / "bare", "--set", "sweep.fields=false")
            iterations = [member["iterations"] for member in report["sweep"].values()]
            facts = report["facts"]
            print(f"| {name} | {report['unknowns']} | {what} | {1 / alone:.1f} | {count / together:.1f} | {count * alone / together:.1f} | "
                  f"{count * alone_used / used:.1f} | {count / bare:.1f} | {count * alone / bare:.1f} | {count * alone_used / bare_used:.1f} | "
                  f"{facts['sweep_largest_batch']} | {facts['sweep_matrices']} | {iterations[0]}, {sum(iterations)} |", flush=True)


if __name__ == "__main__":
    main()
