#!/usr/bin/env python3
"""Members per second of sweeps beside runs one by one, in turns on the same machine. Prints a table in Markdown.

    tools/sweep_throughput.py build/bin [members]
"""
import json
import pathlib
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
    ("ritz-elasticity", "lame/solid", "pressure.0.value", "loads", (1e6, 1e7)),
    ("ritz-heat", "heat_sink/heat_sink", "flux.0.value", "loads", (5e4, 2e5)),
    ("ritz-heat", "heat_sink/heat_sink", "material.0.conductivity", "materials", (100, 400)),
]


def run(program, case, folder, *arguments):
    report = folder / "report.json"
    begin = time.perf_counter()
    done = subprocess.run([str(program), str(case), "--quiet", "--json", str(report), "--output", str(folder), *arguments], capture_output=True, text=True)
    seconds = time.perf_counter() - begin
    if done.returncode != 0:
        raise SystemExit(done.stderr)
    return seconds, json.loads(report.read_text())


def main():
    binaries, count = pathlib.Path(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 30
    print("| case | unknowns | swept | one by one, a second | sweep, a second | ratio | sweep without fields | ratio | largest batch | matrices |")
    print("|---|---|---|---|---|---|---|---|---|---|")
    for program, name, key, what, (first, last) in SWEEPS:
        case = (EXAMPLES / name).with_suffix(".toml")
        with tempfile.TemporaryDirectory() as scratch:
            scratch = pathlib.Path(scratch)
            source = case.read_text().replace('file = "', f'file = "{case.parent}/')
            swept = scratch / "swept.toml"
            swept.write_text(source + f'\n[[sweep.parameter]]\nkey = "{key}"\nfrom = {float(first)}\nto = {float(last)}\ncount = {count}\n')
            alone = 0.0
            for i in range(10):
                value = first + (last - first) * i / 9
                seconds, _ = run(binaries / program, case, scratch / f"alone{i}", "--set", f"{key}={value}")
                alone += seconds / 10
            together, report = run(binaries / program, swept, scratch / "sweep")
            bare, _ = run(binaries / program, swept, scratch / "bare", "--set", "sweep.fields=false")
            facts = report["facts"]
            print(f"| {name} | {report['unknowns']} | {what} | {1 / alone:.1f} | {count / together:.1f} | {count * alone / together:.1f} | {count / bare:.1f} | "
                  f"{count * alone / bare:.1f} | {facts['sweep_largest_batch']} | {facts['sweep_matrices']} |", flush=True)


if __name__ == "__main__":
    main()
