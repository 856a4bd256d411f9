#!/usr/bin/env python3
"""Cases under a falling memory limit: limit, step taken, time, iterations, true residual, difference of the answer. A cantilever on the
CPU; one with load cases on the fake device, which has memory of its own as a GPU has: there cold data goes to the host before the CPU
takes over; and the cantilever with a limit on all memory of the host, of which lists and files take their part.

    tools/memory_ladder.py BUILD/bin [FOLDER] > table.md
"""
import json
import pathlib
import subprocess
import sys
import tempfile

import box_meshes
from model_texts import ELASTICITY

STEPS = {"single precision": "single-precision hierarchy", "16 bits": "matrices in 16 bits", "Chebyshev": "Chebyshev, no hierarchy", "the diagonal": "diagonal", "no matrix": "no matrix",
         "cold data": "cold data on the host", "on the CPU": "the CPU"}
HEAD = '[mesh]\nfile = "box.msh"\n[solver]\nmethod = "cg"\npreconditioner = "multigrid"\nmultigrid.precision = "double"\n'
PROBE = '[[probe]]\nname = "tip"\nfield = "displacement"\nregion = "x1"\nmeasure = "mean"\n'
LOAD_CASE = '[[load_case]]\nname = "{name}"\n[[load_case.force]]\nregion = "x1"\nvalue = {value}\n'


def load_cases(count):
    """Elasticity held at x0 with forces in many directions."""
    body = ELASTICITY.split("[[force]]")[0]
    forces = [[round(1e-5 * (k % 3), 8), round(1e-5 * (k % 5), 8), round(-1e-5 * (k + 1), 8)] for k in range(count)]
    return body + "".join(LOAD_CASE.format(name=f"case {k}", value=force) for k, force in enumerate(forces))


def run(program, case, report, device, *arguments):
    process = subprocess.run([program, case, "--overwrite", "--quiet", "--device", device, "--threads", "2", "--json", report, *arguments],
                             cwd=case.parent, capture_output=True, text=True)
    return process.returncode, json.loads(report.read_text())


def outcomes(report):
    """(solver, tip) of the run or of each of its load cases."""
    parts = report.get("load_cases") or {"": report}
    return [(part["solver"], part["probes"]["tip"]) for part in parts.values()]


def steps_of(report):
    texts = [text for solver, _ in outcomes(report) for text in solver["fallbacks"]] + report["notices"]
    return [name for key, name in STEPS.items() if any(text.startswith("memory: ") and key in text for text in texts)]


def descend(program, case, device, factor, option="--memory-limit"):
    """A row for each limit at which other steps are taken, to the CPU or to the end."""
    _, free = run(program, case, case.with_suffix(".json"), device)
    tips = [tip for _, tip in outcomes(free)]
    peak, held = ("device_peak", "device_held_peak") if option == "--memory-limit" else ("host_counted", "host_counted")
    limit, before = free["memory"][peak], None
    print("| limit MB | held MB | steps | solve s | iterations | true residual | moved MB | tip differs by |\n|---|---|---|---|---|---|---|---|")
    while before is None or "the CPU" not in before:
        exit_code, report = run(program, case, case.with_suffix(".json"), device, option, str(limit))
        if exit_code != 0:
            print(f"| {limit / 1e6:.1f} | {report['memory'][held] / 1e6:.1f} | exit {exit_code}: {report['errors'][0]['what']} | | | | | |")
            break
        steps = steps_of(report)
        if steps != before:
            solvers = [solver for solver, _ in outcomes(report)]
            moved = sum(phase["bytes"] for name, phase in report["phases"].items() if name.endswith("cold data"))
            error = max(max(abs(a - b) for a, b in zip(tip, other)) / max(map(abs, other)) for (_, tip), other in zip(outcomes(report), tips))
            print(f"| {limit / 1e6:.1f} | {report['memory'][held] / 1e6:.1f} | {', then '.join(steps) or 'none'} | {report['phases']['solve']['seconds']:.2f} | "
                  f"{max(solver['iterations'] for solver in solvers)} | {max(solver['true_relative_residual'] for solver in solvers):.1e} | {moved / 1e6:.1f} | {error:.0e} |", flush=True)
        before = steps
        limit = int(factor * limit)
    print(flush=True)


def main():
    program = pathlib.Path(sys.argv[1]).resolve() / "ritz-elasticity"
    folder = pathlib.Path(sys.argv[2] if len(sys.argv) > 2 else tempfile.mkdtemp(prefix="ritz-ladder-")).resolve()
    folder.mkdir(exist_ok=True)
    box_meshes.write_box(folder / "box.msh", box_meshes.HEX, (40, 20, 20))
    case = folder / "box.toml"
    case.write_text(HEAD + ELASTICITY + PROBE)
    descend(program, case, "cpu", 0.95)
    box_meshes.write_box(folder / "small.msh", box_meshes.HEX, (20, 10, 10))  # every kernel of the fake device changes the protection of its memory
    case = folder / "cases.toml"
    case.write_text(HEAD.replace("box.msh", "small.msh") + load_cases(12) + PROBE)
    descend(program, case, "fake", 0.88)
    descend(program, folder / "box.toml", "cpu", 0.95, "--host-memory-limit")


if __name__ == "__main__":
    main()
