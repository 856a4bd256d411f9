#!/usr/bin/env python3
"""What a run says after a second of a solution ("this solution takes 8 to 11 s more") beside what it took.

    tools/time_forecast_table.py BUILD/bin [FOLDER] [--threads=N] [--only=WORD] [--scale=X] > table.md

Prints Markdown: a line for each case, with the factor by which the time that was left lies outside of the range that was said (1:
within). --scale multiplies all numbers of cells along an edge: fast machines need larger boxes. Solutions that say nothing, since they end before or their rate is not steady, have no line. Exit code 1 when a factor is above 1.5. Boxes are made here.

Beside the time of the clock it counts that of the processors, which a load by others leaves alone: the range that was said, times the
processors that the run had from the begin of the solution until then, beside the processor time from then on.
"""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time

from box_meshes import HEX, PRISM, PYRAMID, QUADS, TET, TRIANGLES, write_mesh
from model_texts import COOLED, ELASTICITY, GRADED, HEAT, MODAL, MULTIGRID, PLANE, PROGRAMS, SOFT_HALF, STEP, case_text

EXACT = MULTIGRID + "\ntolerance = 1e-10"
ORDER = "tolerance = 1e-10\n[space]\norder = {}"
CASES = [  # name, cells, cells along x y z, [mesh] keys, physics, [solver] keys
    ("elasticity hex8", HEX, (90, 46, 46), "", ELASTICITY, EXACT),
    ("elasticity hex8, slender", HEX, (360, 14, 14), "", ELASTICITY, MULTIGRID),
    ("elasticity hex8, flat", HEX, (130, 130, 5), "", ELASTICITY, EXACT),
    ("elasticity hex20", HEX, (40, 20, 20), "order = 2", ELASTICITY, EXACT),
    ("elasticity hex27", HEX, (31, 15, 15), 'order = 2\nmid_nodes = "full"', ELASTICITY, EXACT),
    ("elasticity tet4", TET, (88, 43, 43), "", ELASTICITY, EXACT),
    ("elasticity tet4, nested meshes", TET, (90, 46, 46), "", ELASTICITY, EXACT),
    ("elasticity tet10", TET, (40, 20, 20), "order = 2", ELASTICITY, EXACT),
    ("elasticity prism6", PRISM, (70, 35, 35), "", ELASTICITY, EXACT),
    ("elasticity pyramid5", PYRAMID, (40, 26, 26), "", ELASTICITY, EXACT),
    ("elasticity, two materials", TET, (68, 34, 34), "", SOFT_HALF, EXACT),
    ("elasticity, a modulus with a step", TET, (68, 34, 34), "", STEP, EXACT),
    ("elasticity, a smooth modulus", TET, (68, 34, 34), "", GRADED, EXACT),
    ("plane elasticity tri3", TRIANGLES, (588, 588, 0), "", PLANE, EXACT),
    ("plane elasticity quad8", QUADS, (294, 294, 0), "order = 2", PLANE, EXACT),
    ("heat hex8", HEX, (126, 126, 126), "", HEAT, EXACT),
    ("heat tet4", TET, (133, 127, 127), "", HEAT, EXACT),
    ("heat tet10", TET, (64, 60, 60), "order = 2", HEAT, EXACT),
    ("heat quad4", QUADS, (1260, 1260, 0), "", HEAT, EXACT),
    ("heat with convection", TET, (112, 112, 112), "", COOLED, EXACT),
    ("elasticity hex8 of order 2, no matrix", HEX, (48, 24, 24), "", ELASTICITY, ORDER.format(2)),
    ("elasticity hex8 of order 4, no matrix", HEX, (28, 14, 14), "", ELASTICITY, ORDER.format(4)),
    ("heat hex8 of order 3, no matrix", HEX, (56, 50, 50), "", HEAT, ORDER.format(3)),
    ("elasticity tet10, as the run chooses", TET, (42, 21, 21), "order = 2", ELASTICITY, "tolerance = 1e-11"),
    ("modes hex8, LOBPCG", HEX, (60, 24, 24), "", MODAL, '[modal]\ncount = 10\nmethod = "lobpcg"'),
    ("modes tet4, LOBPCG", TET, (60, 30, 30), "", MODAL, '[modal]\ncount = 10\nmethod = "lobpcg"'),
    ("elasticity hex8, diagonal", HEX, (84, 34, 34), "", ELASTICITY, 'method = "cg"\npreconditioner = "jacobi"'),
]
SAID = re.compile(r"this solution takes (?:([\d.]+) to )?([\d.]+) (s|min) more, by its first (\d+) iterations")


def processor_time(process):
    """Seconds of all its threads."""
    fields = pathlib.Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def lines_of(program, case, threads):
    """(clock, processor time, message) of every line of the log, as it comes."""
    words = [program, case, "--device", "cpu", "--overwrite", "--log-json", "--threads", threads]
    with subprocess.Popen(words, cwd=case.parent, stdout=subprocess.PIPE, text=True) as process:
        for line in process.stdout:
            yield time.monotonic(), processor_time(process.pid), json.loads(line)["message"]
    if process.returncode != 0:
        print(f"{program} {case}: exit {process.returncode}", file=sys.stderr)


def compare(lines):
    """Seconds: least and most as said, taken by the clock and by the processors, processors until then; iterations: seen
    then, and in the end. None: nothing was said."""
    said, before = None, (0, 0)
    for clock, processors, message in lines:
        if match := SAID.search(message):
            unit = 60 if match[3] == "min" else 1
            share = (processors - before[1]) / max(clock - before[0], 1e-3)
            said = clock, processors, unit * float(match[1] or match[2]), unit * float(match[2]), share, int(match[4])
        if said and message.startswith("solve:") and "converged" in message:
            return *said[2:4], clock - said[0], processors - said[1], said[4], said[5], int(re.search(r"(\d+) iterations", message)[1])
        before = clock, processors
    return None


def outside(low, high, taken):
    return max(1, low / taken, taken / high)


def main():
    options = dict(word[2:].split("=", 1) for word in sys.argv[1:] if word.startswith("--"))
    words = [word for word in sys.argv[1:] if not word.startswith("--")]
    folder = pathlib.Path(words[1] if len(words) > 1 else tempfile.mkdtemp(prefix="ritz-time-")).resolve()
    folder.mkdir(exist_ok=True)
    print("| case | iterations then | at the end | said s | taken s | outside by a factor of | processors until then | processor s | outside |\n"
          "|---|---|---|---|---|---|---|---|---|", flush=True)
    factors = []
    for number, (name, cells, counts, mesh_keys, physics, solver) in enumerate(CASES):
        if options.get("only", "") not in name:
            continue
        counts = tuple(round(float(options.get("scale", 1)) * count) for count in counts)
        mesh = folder / f"{cells}-{'-'.join(map(str, counts))}.msh"
        if not mesh.exists():
            write_mesh(mesh, cells, counts)
        case = folder / f"case{number}.toml"
        case.write_text(case_text(physics, mesh.name, mesh_keys, solver))
        found = compare(lines_of(pathlib.Path(words[0]).resolve() / PROGRAMS.get(physics, "ritz-elasticity"), case, options.get("threads", "2")))
        if found is None:
            continue
        low, high, taken, processors, share, then, end = found
        by_clock, factor = outside(low, high, taken), outside(low * share, high * share, processors)
        factors.append(factor)
        print(f"| {name} | {then} | {end} | {low:.0f} to {high:.0f} | {taken:.1f} | {by_clock:.2f} | {share:.2f} | {processors:.1f} | {factor:.2f} |", flush=True)
    print(f"\n{sum(f <= 1.5 for f in factors)} of {len(factors)} within a factor of 1.5 of the range, in processor time.", flush=True)
    sys.exit(1 if max(factors, default=1) > 1.5 else 0)


if __name__ == "__main__":
    main()
