#!/usr/bin/env python3
"""How much of a run's time its phases name: programs and ways to solve, small and large.

    tools/profile_table.py BUILD/bin [FOLDER] [--only=NAME ...] [--gaps] > table.md

Time is that of the whole process, from its start to its end as this script sees it. Prints Markdown; with --gaps the longest times that no
phase names, and between which phases. Exit code 1 where less than 95 % is named. On a busy machine the share is what counts, not the seconds.
"""
import json
import pathlib
import subprocess
import sys
import tempfile
import time

from box_meshes import HEX, PLATE, TET, write_mesh
from model_texts import ELASTICITY, HEAT, MODAL, MULTIGRID, NEWTON, SHELL, UNSYMMETRIC, case_text

GOAL = 0.95
# name, program, cells, cells along x y z, [mesh] keys, physics, other keys
CASES = [
    ("elasticity, small", "ritz-elasticity", HEX, (12, 6, 6), "", ELASTICITY, ""),
    ("elasticity, multigrid", "ritz-elasticity", HEX, (48, 24, 24), "", ELASTICITY, "[solver]\n" + MULTIGRID),
    ("elasticity, tet10, direct", "ritz-elasticity", TET, (12, 6, 6), "order = 2", ELASTICITY, '[solver]\nmethod = "direct"'),
    ("elasticity, order 3, no matrix", "ritz-elasticity", HEX, (16, 8, 8), "", ELASTICITY, '[space]\norder = 3\n[solver]\noperator = "matrix_free"'),
    ("heat, small", "ritz-heat", TET, (8, 6, 6), "", HEAT, ""),
    ("heat, multigrid", "ritz-heat", TET, (64, 48, 48), "", HEAT, "[solver]\n" + MULTIGRID),
    ("solve, Newton", "ritz-solve", HEX, (24, 12, 12), "", NEWTON, "[solver]\n" + MULTIGRID),
    ("solve, Newton, GMRES", "ritz-solve", TET, (40, 30, 30), "", UNSYMMETRIC, '[solver]\nmethod = "gmres"\npreconditioner = "multigrid"'),
    ("structure, shells", "ritz-structure", PLATE, (120, 100, 0), "", SHELL, ""),
    ("modal, small, Lanczos", "ritz-modal", HEX, (12, 6, 6), "", MODAL, ""),
    ("modal, LOBPCG", "ritz-modal", HEX, (40, 20, 20), "", MODAL, '[modal]\nmethod = "lobpcg"'),
    ("sweep of 12, small", "ritz-heat", TET, (8, 6, 6), "", HEAT,
     '[[sweep.parameter]]\nkey = "material.0.conductivity"\nfrom = 1\nto = 3\ncount = 12\n'),
]


def write_case(folder, number, cells, counts, mesh_keys, physics, keys):
    mesh = folder / f"{cells}-{'-'.join(map(str, counts))}.msh"
    if not mesh.exists():
        write_mesh(mesh, cells, counts)
    case = folder / f"case{number}.toml"
    case.write_text(case_text(physics, mesh.name, mesh_keys, keys))
    return case


def run(program, case, folder):
    """(seconds of the process, report, trace)"""
    report, trace = folder / "report.json", folder / "trace.json"
    start = time.perf_counter()
    process = subprocess.run([program, case, "--device", "cpu", "--overwrite", "--quiet", "--json", report], cwd=case.parent, capture_output=True, text=True)
    seconds = time.perf_counter() - start
    if process.returncode != 0:
        sys.exit(f"{program} {case}: exit {process.returncode}\n{process.stderr}")
    first = json.loads(report.read_text())
    subprocess.run([program, case, "--device", "cpu", "--overwrite", "--quiet", "--profile", trace], cwd=case.parent, capture_output=True, check=True)
    return seconds, first, json.loads(trace.read_text())


def gaps(trace):
    """(seconds, phase before, phase behind) that no outer phase covers, the longest first."""
    outer = sorted((e["ts"], e["dur"], e["name"]) for e in trace["traceEvents"] if e["ph"] == "X" and "/" not in e["args"]["phase"])
    found, end, before = [], 0.0, "the profile's start"
    for start, duration, name in outer:
        found.append(((start - end) * 1e-6, before, name))
        end, before = max(end, start + duration), name
    return sorted(found, reverse=True)


def main():
    bin_folder = pathlib.Path(sys.argv[1]).resolve()
    folder = pathlib.Path(sys.argv[2] if len(sys.argv) > 2 and not sys.argv[2].startswith("--") else tempfile.mkdtemp(prefix="ritz-profile-")).resolve()
    folder.mkdir(exist_ok=True)
    chosen = [a[len("--only="):] for a in sys.argv if a.startswith("--only=")]
    print("| case | unknowns | process s | named by phases | longest phases |\n|---|---|---|---|---|", flush=True)
    least = 1.0
    for number, (name, program, cells, counts, mesh_keys, physics, keys) in enumerate(CASES):
        if chosen and not any(word in name for word in chosen):
            continue
        case = write_case(folder, number, cells, counts, mesh_keys, physics, keys)
        seconds, report, trace = run(bin_folder / program, case, folder)
        outer = {phase: facts["seconds"] for phase, facts in report["phases"].items() if "/" not in phase}
        share = sum(outer.values()) / seconds
        least = min(least, share)
        longest = sorted(outer.items(), key=lambda each: -each[1])[:4]
        print(f"| {name} | {report.get('unknowns', 0)} | {seconds:.2f} | {100 * share:.1f} % | {', '.join(f'{p} {100 * s / seconds:.0f} %' for p, s in longest)} |", flush=True)
        if "--gaps" in sys.argv:
            print(f"    {1e3 * (seconds - sum(outer.values())):.0f} ms not named:", "; ".join(f"{1e3 * s:.1f} ms between {a} and {b}" for s, a, b in gaps(trace)[:6]))
    sys.exit(0 if least >= GOAL else 1)


if __name__ == "__main__":
    main()
