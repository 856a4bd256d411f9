#!/usr/bin/env python3
"""Newton steps, increments and times of Ritz and CalculiX on the same meshes: a pipe of steel with a table of hardening, a
block of rubber as Cook's membrane, and a shallow roof that is pushed through by its displacement.

    tools/newton_against_calculix.py build/bin [folder] [--runs 3] [--only pipe] [--refine 3] [--load 0.3] [--solver "ITERATIVE CHOLESKY"]

Each program chooses its increments by its own defaults; both have one thread and run in turns, the best of the runs counts.
--refine multiplies the cells along each axis, --load the loads of pipe and block, --solver is CalculiX's; --alone runs Ritz alone, and
prints where its time goes.
"""
import argparse
import json
import math
import os
import pathlib
import re
import resource
import subprocess
import time

# Corners and middles of a 20-node brick in (i, j, k), twice: CalculiX's order.
HEX20 = [(0, 0, 0), (2, 0, 0), (2, 2, 0), (0, 2, 0), (0, 0, 2), (2, 0, 2), (2, 2, 2), (0, 2, 2),
         (1, 0, 0), (2, 1, 0), (1, 2, 0), (0, 1, 0), (1, 0, 2), (2, 1, 2), (1, 2, 2), (0, 1, 2), (0, 0, 1), (2, 0, 1), (2, 2, 1), (0, 2, 1)]
FACE = {"x0": 6, "x1": 4, "y0": 3, "y1": 5, "z0": 1, "z1": 2}  # of CalculiX's bricks


class Bricks:
    """A mapped block of 20-node bricks; nodes and cells are numbered from 1."""

    def __init__(self, counts, place):
        self.counts = counts
        self.numbers, self.points, self.cells = {}, [], []
        for c in range(counts[2]):
            for b in range(counts[1]):
                for a in range(counts[0]):
                    self.cells.append([self.node((2 * a + i, 2 * b + j, 2 * c + k), place) for i, j, k in HEX20])

    def node(self, grid, place):
        if grid not in self.numbers:
            self.numbers[grid] = len(self.points) + 1
            self.points.append(place(*(g / (2 * n) for g, n in zip(grid, self.counts))))
        return self.numbers[grid]

    def nodes(self, test):
        return [number for grid, number in self.numbers.items() if test(*(g / (2 * n) for g, n in zip(grid, self.counts)))]

    def cells_at(self, axis, last):
        n = self.counts[axis]
        strides = (1, self.counts[0], self.counts[0] * self.counts[1])
        return [e + 1 for e in range(len(self.cells)) if e // strides[axis] % n == (n - 1 if last else 0)]

    def forces(self, axis, last, total):
        """Nodal forces of an even traction on a side: -1/12 at corners, 1/3 at middles of each face."""
        result = {}
        cells = self.cells_at(axis, last)
        for e in cells:
            for (local, node) in zip(HEX20, self.cells[e - 1]):
                if local[axis] == (2 if last else 0):
                    share = 1 / 3 if 1 in local else -1 / 12
                    result[node] = result.get(node, 0) + share * total / len(cells)
        return result

    def deck(self, sets, material, step):
        lines = ["*NODE, NSET=NALL"] + [f"{i + 1}, " + ", ".join(f"{v:.12g}" for v in p) for i, p in enumerate(self.points)]
        lines += ["*ELEMENT, TYPE=C3D20, ELSET=EALL"]
        for i, cell in enumerate(self.cells):
            text = [str(i + 1)] + [str(n) for n in cell]
            lines += [", ".join(text[:11]) + ",", ", ".join(text[11:])]
        for name, nodes in sets.items():
            lines += [f"*NSET, NSET={name}"] + [", ".join(map(str, nodes[i:i + 8])) for i in range(0, len(nodes), 8)]
        lines += ["*MATERIAL, NAME=M", *material, "*SOLID SECTION, ELSET=EALL, MATERIAL=M", *step]
        return "\n".join(lines) + "\n"


def pipe(refine, share, static):
    """A quarter of a pipe, 100 ... 200 mm, held along its axis, under 1.1 of the limit of its first yield stress."""
    def place(u, v, w):
        r, t = 100 * 2**u, math.pi / 2 * v
        return r * math.cos(t), r * math.sin(t), 25 * w
    b = Bricks([round(refine * n) for n in (10, 12, 2)], place)
    sets = {"FLAT": b.nodes(lambda u, v, w: v == 0), "UP": b.nodes(lambda u, v, w: v == 1), "ENDS": b.nodes(lambda u, v, w: w in (0, 1)),
            "PROBE": b.nodes(lambda u, v, w: (u, v, w) == (1, 0, 0))}
    load = [f"{e}, P6, {share * 1.1 * 0.80038 * 250:.10g}" for e in b.cells_at(0, False)]
    step = ["*BOUNDARY", "FLAT, 2, 2", "UP, 1, 1", "ENDS, 3, 3", "*STEP, INC=500", static, "*DLOAD", *load]
    return b.deck(sets, ["*ELASTIC", "210000., .3", "*PLASTIC", "250., 0.", "320., .02", "400., .1"], step + output()), "x"


def block(refine, share, static):
    """Cook's membrane of rubber, 8 thick, held at the left, drawn up at the right by 6 per area of the undeformed side."""
    b = Bricks([round(refine * n) for n in (8, 8, 3)], lambda u, v, w: (48 * u, 44 * u + v * (44 - 28 * u), 8 * w))
    sets = {"LEFT": b.nodes(lambda u, v, w: u == 0), "BACK": b.nodes(lambda u, v, w: w == 0), "PROBE": b.nodes(lambda u, v, w: (u, v, w) == (1, 1, 0))}
    load = [f"{node}, 2, {force:.12g}" for node, force in b.forces(0, True, share * 6 * 16 * 8).items()]
    step = ["*BOUNDARY", "LEFT, 1, 3", "BACK, 3, 3", "*STEP, NLGEOM, INC=500", static, "*CLOAD", *load]
    return b.deck(sets, ["*HYPERELASTIC, NEO HOOKE", "20., .001"], step + output()), "y"


def roof(refine, share, static):
    """A quarter of the hinged roof: radius 2540, length 508, half angle 0.1, thickness 12.7; its middle goes down by 25."""
    def place(u, v, w):
        r, t = 2540 + 12.7 * (w - 0.5), 0.1 * u
        return r * math.sin(t), 254 * v, r * math.cos(t)
    b = Bricks((round(8 * refine), round(8 * refine), 1), place)
    sets = {"MID": b.nodes(lambda u, v, w: u == 0), "HALF": b.nodes(lambda u, v, w: v == 0), "HINGE": b.nodes(lambda u, v, w: u == 1 and w == 0.5),
            "PROBE": b.nodes(lambda u, v, w: (u, v, w) == (0, 0, 0.5))}
    step = ["*BOUNDARY", "MID, 1, 1", "HALF, 2, 2", "HINGE, 1, 3", "*STEP, NLGEOM, INC=500", static, "0.1, 1.", "*BOUNDARY", f"PROBE, 3, 3, {-25. * share}"]
    return b.deck(sets, ["*ELASTIC", "3102.75, .3"], step + output()), "z"


def output():
    return ["*NODE PRINT, NSET=PROBE", "U", "*NODE PRINT, NSET=PROBE", "RF", "*END STEP"]


def seconds(command, folder, environment):
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    process = subprocess.run(command, cwd=folder, env={**os.environ, **environment}, capture_output=True, text=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if process.returncode != 0:
        raise SystemExit(f"{command}: {process.stdout[-1500:]} {process.stderr[-1500:]}")
    return time.monotonic() - start, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def calculix_numbers(folder):
    rows = [line.split() for line in (folder / "job.sta").read_text().splitlines()[2:]]
    failed = [row for row in rows if row[2].endswith("U")]
    blocks = re.split(r"\n\s*\n", (folder / "job.dat").read_text().strip())
    last = [[float(each) for each in row.split()[1:]] for row in blocks if re.match(r"^\s*\d", row)]
    return {"increments": len(rows) - len(failed), "failed": len(failed), "steps": sum(int(row[3]) for row in rows), "u": last[-2], "force": last[-1]}


def ritz_numbers(folder):
    report = json.loads((folder / "report.json").read_text())
    facts = report["facts"]
    return {"increments": int(facts["increments"]), "steps": int(facts["newton_steps"]), "probes": report["probes"]}


def phases(folder):
    """Seconds of the phases of Ritz, those above 1 %."""
    report = json.loads((folder / "report.json").read_text())
    spent = {each["name"]: each["seconds"] for each in report["phases"]}
    return {name: round(time, 2) for name, time in sorted(spent.items(), key=lambda each: -each[1]) if time > 0.01 * sum(spent.values())}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("bin", type=pathlib.Path)
    parser.add_argument("folder", type=pathlib.Path, nargs="?", default=pathlib.Path("newton"))
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--only", choices=["pipe", "block", "roof"])
    parser.add_argument("--refine", type=float, default=1)
    parser.add_argument("--load", type=float, default=1)
    parser.add_argument("--solver", default="")
    parser.add_argument("--alone", action="store_true")
    options = parser.parse_args()
    tools = options.bin.resolve()
    for make in (pipe, block, roof):
        if options.only not in (None, make.__name__):
            continue
        folder = (options.folder / make.__name__).resolve()
        folder.mkdir(parents=True, exist_ok=True)
        deck, axis = make(options.refine, options.load, f"*STATIC, SOLVER={options.solver}" if options.solver else "*STATIC")
        (folder / "job.inp").write_text(deck)
        subprocess.run([tools / "ritz", "case", "from", "job.inp", "job.toml", "--force"], cwd=folder, check=True)
        case = folder / "job.toml"
        text = re.sub(r"\[newton\]\n(.+\n)*", "[newton]\n", case.read_text())
        case.write_text(text + f'\n[[probe]]\nname = "u"\nfield = "displacement"\ncomponent = "{axis}"\nregion = "PROBE"\nmeasure = "mean"\n'
                        + f'\n[[probe]]\nname = "force"\nregion = "PROBE"\nmeasure = "reaction"\ncomponent = "{axis}"\n')
        best = {}
        for _ in range(options.runs):
            for name, command in (("ritz", [tools / "ritz-elasticity", "job.toml", "--output", "r", "--overwrite", "--threads", "1", "--json", "report.json"]), ("ccx", ["ccx", "job"])):
                if name == "ccx" and options.alone:
                    continue
                wall, processor = seconds([str(each) for each in command], folder, {"OMP_NUM_THREADS": "1", "CCX_NPROC_EQUATION_SOLVER": "1"})
                best[name] = min(best.get(name, (math.inf, math.inf)), (processor, wall))
        print(make.__name__, {"unknowns": 3 * (deck[:deck.index("*ELEMENT")].count("\n") - 1)})
        print("  ritz", ritz_numbers(folder), "processor {:.2f} s, wall {:.2f} s".format(*best["ritz"]))
        if options.alone:
            print("  ", phases(folder), flush=True)
            continue
        print("  ccx ", calculix_numbers(folder), "processor {:.2f} s, wall {:.2f} s".format(*best["ccx"]), flush=True)


if __name__ == "__main__":
    main()
