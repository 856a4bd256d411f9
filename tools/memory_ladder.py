#!/usr/bin/env python3
"""One case under a falling memory limit: limit, step taken, time, iterations, true residual, difference of the answer.

    tools/memory_ladder.py BUILD/bin [FOLDER] > table.md
"""
import json
import pathlib
import subprocess
import sys
import tempfile

import forecast_table as boxes

STEPS = {"single precision": "single-precision hierarchy", "Chebyshev": "Chebyshev, no hierarchy", "the diagonal": "diagonal", "no matrix": "no matrix"}


def run(program, case, report, *arguments):
    process = subprocess.run([program, case, "--overwrite", "--quiet", "--device", "cpu", "--threads", "2", "--json", report, *arguments],
                             cwd=case.parent, capture_output=True, text=True)
    return process.returncode, json.loads(report.read_text())


def main():
    program = pathlib.Path(sys.argv[1]).resolve() / "ritz-elasticity"
    folder = pathlib.Path(sys.argv[2] if len(sys.argv) > 2 else tempfile.mkdtemp(prefix="ritz-ladder-")).resolve()
    folder.mkdir(exist_ok=True)
    boxes.write_box(folder / "box.msh", boxes.HEX, (40, 20, 20))
    case = folder / "box.toml"
    case.write_text('[mesh]\nfile = "box.msh"\n[solver]\nmethod = "cg"\npreconditioner = "multigrid"\nmultigrid.precision = "double"\n'
                    + boxes.ELASTICITY.format(force="[0.0, 0.0, -1e-4]") + '[[probe]]\nname = "tip"\nfield = "displacement"\nregion = "x1"\nmeasure = "mean"\n')
    _, free = run(program, case, folder / "run.json")
    tip = free["probes"]["tip"][2]
    limit = free["memory"]["device_peak"]
    print("| limit MB | held MB | steps | solve s | iterations | true residual | tip differs by |\n|---|---|---|---|---|---|---|")
    before = None
    while True:
        exit_code, report = run(program, case, folder / "run.json", "--memory-limit", str(limit))
        if exit_code != 0:
            print(f"| {limit / 1e6:.1f} | {report['memory']['device_held_peak'] / 1e6:.1f} | exit {exit_code}: {report['errors'][0]['what']} | | | | |")
            break
        solver = report["solver"]
        steps = [name for key, name in STEPS.items() if any(text.startswith("memory: ") and key in text for text in solver["fallbacks"])]
        if steps != before:
            print(f"| {limit / 1e6:.1f} | {report['memory']['device_held_peak'] / 1e6:.1f} | {', then '.join(steps) or 'none'} | "
                  f"{report['phases']['solve']['seconds']:.2f} | {solver['iterations']} | {solver['true_relative_residual']:.1e} | "
                  f"{abs(report['probes']['tip'][2] / tip - 1):.0e} |", flush=True)
        before = steps
        limit = int(0.95 * limit)


if __name__ == "__main__":
    main()
