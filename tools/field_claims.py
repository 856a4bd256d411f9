#!/usr/bin/env python3
"""Three claims that the field makes of finite elements on GPUs, asked of this machine: assembly 80 times as fast as the usual way through
triplets on one CPU core; how much of the total is transfers; mixed precision takes 30 % less time and 40 % less memory.

    tools/field_claims.py BUILD/bin [--size=0.5] [--device=cpu] [--repeat=3] [--json=FILE] > answers.md

Needs NumPy and SciPy for the first claim: the usual way is NumPy's element matrices for all elements at once, SciPy's COO to CSR. What is measured
against what is in the output. Times of one claim are taken in turns on one machine; on a busy one they say little, bytes and iterations do not depend on it.
"""
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(name, "1")  # of NumPy; ritz-bench is told by --threads

KUHN = [(0, 1, 2, 6), (0, 2, 3, 6), (0, 3, 7, 6), (0, 7, 4, 6), (0, 4, 5, 6), (0, 5, 1, 6)]


def box(nx, ny, nz):
    """The mesh of ritz-bench: cells of a box of edge 1 / ny, each cut into six tetrahedra."""
    import numpy as np
    x, y, z = np.meshgrid(np.arange(nx + 1), np.arange(ny + 1), np.arange(nz + 1), indexing="ij")
    points = np.stack([x, y, z], axis=-1).transpose(2, 1, 0, 3).reshape(-1, 3) / ny
    i, j, k = (a.ravel(order="F") for a in np.meshgrid(np.arange(nx), np.arange(ny), np.arange(nz), indexing="ij"))
    corner = lambda a, b, c: (i + a) + (nx + 1) * ((j + b) + (ny + 1) * (k + c))
    cube = np.stack([corner(a, b, c) for c in (0, 1) for a, b in ((0, 0), (1, 0), (1, 1), (0, 1))], axis=1)
    return points, np.concatenate([cube[:, tet] for tet in map(list, KUHN)]).astype(np.int32)


def by_scipy(points, cells, components):
    """(element matrices, triplets to CSR) in seconds, and the matrix."""
    import numpy as np
    from scipy.sparse import coo_matrix
    start = time.perf_counter()
    corners = points[cells]
    edges = corners[:, 1:] - corners[:, :1]
    inverse = np.linalg.inv(edges)
    gradients = np.empty((len(cells), 4, 3))
    gradients[:, 1:] = inverse.transpose(0, 2, 1)
    gradients[:, 0] = -gradients[:, 1:].sum(axis=1)
    volume = np.abs(np.linalg.det(edges)) / 6
    if components == 1:
        Ke = np.einsum("mai,mbi->mab", gradients, gradients * volume[:, None, None], optimize=True)
        dofs = cells
    else:
        young, poisson = 1000, 0.3
        lame, mu = young * poisson / ((1 + poisson) * (1 - 2 * poisson)), young / (2 * (1 + poisson))
        B = np.zeros((len(cells), 6, 4, 3))
        for c in range(3):
            B[:, c, :, c] = gradients[:, :, c]
        for row, (c, d) in enumerate(((1, 2), (0, 2), (0, 1)), 3):
            B[:, row, :, c], B[:, row, :, d] = gradients[:, :, d], gradients[:, :, c]
        B = B.reshape(len(cells), 6, 12)
        D = np.diag([2 * mu] * 3 + [mu] * 3)
        D[:3, :3] += lame
        Ke = np.matmul(B.transpose(0, 2, 1) * volume[:, None, None], D @ B)
        dofs = (3 * cells[:, :, None] + np.arange(3, dtype=np.int32)).reshape(len(cells), 12)
    middle = time.perf_counter()
    n = dofs.shape[1]
    rows, columns = np.repeat(dofs, n, axis=1).ravel(), np.tile(dofs, n).ravel()
    A = coo_matrix((Ke.ravel(), (rows, columns))).tocsr()
    end = time.perf_counter()
    worst = abs(A @ np.ones(A.shape[0])).max() / abs(A.data).max()
    if worst > 1e-10:  # translations and constants have no energy
        sys.exit(f"the matrix of SciPy is wrong: its rows sum to {worst:.1e}")
    return middle - start, end - middle, A


def bench(folder, *arguments):
    report = pathlib.Path(tempfile.mkdtemp()) / "bench.json"
    process = subprocess.run([folder / "ritz-bench", "--json", report, *arguments], capture_output=True, text=True)
    if process.returncode != 0:
        sys.exit(process.stderr)
    return json.loads(report.read_text())


def record(report, name):
    return next(each for each in report["records"] if each["name"] == name)


def seconds(rec, name):
    return rec["measurements"][name]["seconds"]  # the median of its runs


def assembly(folder, option):
    print("## Assembly against triplets\n")
    print("M elements/s, one thread, double precision; tetrahedra of order 1. \"SciPy\": element matrices of all elements by NumPy, then COO to CSR. \"C++ triplets\": a list "
          "sorted and summed by plain code. Ritz: new values in a pattern that stands (what a step of Newton or of time, or a member of a sweep costs), "
          "and everything from the mesh on (space, pattern, lists, values).\n")
    print("| equations | elements | SciPy | of it COO to CSR | C++ triplets | Ritz, from the mesh | Ritz, values | values against SciPy | against C++ triplets | from the mesh against SciPy |")
    print("|---|---|---|---|---|---|---|---|---|---|")
    answers = {}
    for name, edge, length, components in (("tet-P1", 100, 1, 1), ("elastic-tet-P1", 36, 4, 3)):
        n = max(2, round(edge * float(option["size"])))
        points, cells = box(length * n, n, n)
        ours, theirs, device = [], [], None
        for _ in range(int(option["repeat"])):  # in turns
            theirs.append(by_scipy(points, cells, components)[:2])
            report = bench(folder, "--only", f"asm-{name}", "--threads", "1", "--repeat", "3", "--size", option["size"], "--device", option["device"])
            ours.append(record(report, f"asm-{name}"))
            device = report["device"]
        elements = ours[0]["facts"]["elements"]
        if elements != len(cells):
            sys.exit(f"ritz-bench has {elements} elements, not {len(cells)}")
        scipy = statistics.median(map(sum, theirs))
        to_csr = statistics.median(t[1] for t in theirs)
        values = statistics.median(seconds(r, "assembly") for r in ours)
        whole = statistics.median(sum(seconds(r, part) for part in ("space", "pattern", "lists", "assembly")) for r in ours)
        triplet_rate = statistics.median(r["measurements"]["triplets, 1 thread"]["elements_per_second"] for r in ours)
        rate = lambda t: f"{1e-6 * elements / t:.2f}"
        answers[name] = {"values_against_scipy": scipy / values, "values_against_triplets": elements / values / triplet_rate, "whole_against_scipy": scipy / whole}
        print(f"| {name} | {elements:.0f} | {rate(scipy)} | {100 * to_csr / scipy:.0f} % of the time | {1e-6 * triplet_rate:.2f} | {rate(whole)} | {rate(values)} | "
              f"{scipy / values:.0f} x | {elements / values / triplet_rate:.0f} x | {scipy / whole:.1f} x |", flush=True)
    print(f"\nHardware: {device}.\n")
    return answers


def transfers(folder, option):
    print("## Transfers' share of the total\n")
    example = pathlib.Path(__file__).resolve().parents[1] / "examples/bracket/bracket.toml"
    device = option["device"] if option["device"].startswith("gpu") else "fake"
    report_file = pathlib.Path(tempfile.mkdtemp()) / "run.json"
    out = tempfile.mkdtemp()
    process = subprocess.run([folder / "ritz-elasticity", example, "--device", device, "--quiet", "--output", out, "--json", report_file,
                              "--profile", report_file.with_suffix(".trace"), "--set", 'solver.method="cg"'], capture_output=True, text=True)
    if process.returncode != 0:
        sys.exit(process.stderr)
    report = json.loads(report_file.read_text())
    outer = {name: phase for name, phase in report["phases"].items() if "/" not in name}
    across, kernels = (sum(phase[key] for phase in outer.values()) for key in ("bytes", "kernel_bytes"))
    inside = sum(phase["bytes"] for name, phase in report["phases"].items() if name.endswith("iteration"))
    total = sum(phase["seconds"] for phase in outer.values())
    print(f"`examples/bracket` ({report['unknowns']} unknowns, conjugate gradients with multigrid to 1e-8), device {report['device']}: {across / 1e6:.1f} MB cross between "
          f"host and device in the whole run, {inside} bytes inside the solver's iterations; the kernels that count move {kernels / 1e6:.0f} MB. "
          f"The crossings are {100 * across / (across + kernels):.1f} % of the bytes; at 25 GB/s (PCIe 4, pinned) they take {1e3 * across / 25e9:.1f} ms. "
          f"The run took {total:.2f} s on this device{'' if device != 'fake' else ', which is the CPU behind protected memory: its time says nothing of a GPU'}.\n")
    return {"bytes_across": across, "bytes_in_iterations": inside, "kernel_bytes": kernels, "seconds": total}


def precision(folder, option):
    print("## Mixed precision\n")
    print("The multigrid cycle in single instead of double precision, inside conjugate gradients in double precision that end at a true residual of 1e-8; both in turns, one thread.\n")
    print("| system | unknowns | iterations, single | double | solution, single s | double s | time saved | set-up saved | hierarchy, single B/unknown | double | memory saved |")
    print("|---|---|---|---|---|---|---|---|---|---|---|")
    answers = {}
    for name in ("poisson-P1", "elastic-P1", "elastic-Q1"):
        report = bench(folder, "--only", f"precision-{name}", "--threads", "1", "--repeat", option["repeat"], "--size", option["size"], "--device", option["device"])
        rec = record(report, f"precision-{name}")
        facts = rec["facts"]
        solve = {p: seconds(rec, f"{p} CG") for p in ("single", "double")}
        set_up = {p: seconds(rec, f"{p} set-up") for p in ("single", "double")}
        iterations = {p: facts[f"{p} iterations"] for p in ("single", "double")}
        bytes_ = {p: facts[f"{p} bytes per unknown"] for p in ("single", "double")}
        saved = lambda pair: 100 * (1 - pair["single"] / pair["double"])
        answers[name] = {"time_saved": saved(solve), "set_up_saved": saved(set_up), "memory_saved": saved(bytes_)}
        print(f"| {name} | {facts['unknowns']:.0f} | {iterations['single']:.0f} | {iterations['double']:.0f} | {solve['single']:.2f} | {solve['double']:.2f} | {saved(solve):.0f} % | "
              f"{saved(set_up):.0f} % | {bytes_['single']:.0f} | {bytes_['double']:.0f} | {saved(bytes_):.0f} % |", flush=True)
    print()
    return answers


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    option = {"size": "0.5", "device": "cpu", "repeat": "3", "json": ""}
    for word in sys.argv[2:]:
        key, _, value = word.lstrip("-").partition("=")
        if key not in option:
            sys.exit(f"unknown option {word}\n{__doc__}")
        option[key] = value
    folder = pathlib.Path(sys.argv[1]).resolve()
    answers = {"assembly": assembly(folder, option), "transfers": transfers(folder, option), "precision": precision(folder, option)}
    if option["json"]:
        pathlib.Path(option["json"]).write_text(json.dumps(answers, indent=2) + "\n")


if __name__ == "__main__":
    main()
