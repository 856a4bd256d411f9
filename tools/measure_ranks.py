#!/usr/bin/env python3
"""Time and processor time of one elastic box on one process with one and with two threads, and on ranks of one thread, in turns:

    tools/measure_ranks.py build/bin/ritz-elasticity --cells 112 40 40 --turns 3
    tools/measure_ranks.py build/bin/ritz-elasticity --before other/bin/ritz-elasticity --ranks 2

Prints the medians: seconds by the clock and by processors of each process, iterations, and the phases of the first rank. On a machine that does
other work only the processor time tells.
"""
import argparse
import json
import os
import pathlib
import resource
import statistics
import subprocess
import sys
import tempfile
import time

CASE = """
[mesh]
file = "box.msh"
[[region]]
name = "left"
kind = "facets"
plane = {{point = [0, 0, 0], normal = [1, 0, 0]}}
[[region]]
name = "right"
kind = "facets"
plane = {{point = [{length}, 0, 0], normal = [1, 0, 0]}}
[[material]]
region = "part"
young = 2e11
poisson = 0.3
[[displacement]]
region = "left"
fixed = true
[[force]]
region = "right"
value = [0, -1000, 0]
"""


def write_box(folder, cell, counts):
    """Cells of the same size; a length of 1 has 40 of them."""
    sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "tests" / "cases"))
    import boxes
    size = tuple(count / 40 for count in counts)
    (folder / "box.msh").write_text(boxes.cut(cell, tuple(counts), size))
    (folder / "box.toml").write_text(CASE.format(length=size[0]))
    return folder / "box.toml"


def run_and_note(note, command):
    """As one rank: its processor seconds go to a file."""
    code = subprocess.run(command, check=False).returncode
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    rank = os.environ.get("OMPI_COMM_WORLD_RANK", os.environ.get("PMI_RANK", "0"))
    pathlib.Path(f"{note}.{rank}").write_text(json.dumps([used.ru_utime, used.ru_stime, used.ru_maxrss / 1000]))
    sys.exit(code)


def run(program, case, folder, ranks, threads, rest):
    folder.mkdir()
    launcher = ["mpirun", "--allow-run-as-root", "--oversubscribe", "--bind-to", "none", "-n", str(ranks)] if ranks > 1 else []
    words = [*launcher, sys.executable, __file__, "--note", folder / "used", program, case, "--threads", threads, "--output", folder / "results", "--json",
             folder / "report.json", *rest]
    start = time.monotonic()
    process = subprocess.run([str(word) for word in words], capture_output=True, text=True)
    wall = time.monotonic() - start
    if process.returncode != 0:
        sys.exit(process.stdout + process.stderr)
    report = json.loads((folder / "report.json").read_text())
    used = [json.loads((folder / f"used.{rank}").read_text()) for rank in range(ranks)]
    told = [line for line in process.stdout.splitlines() if "seconds of ranks" in line or "of ranks at their peaks" in line]
    return {"wall": wall, "processor": [user + system for user, system, _ in used], "peak": [peak for _, _, peak in used],
            "iterations": report["solver"]["iterations"], "phases": {name: phase["seconds"] for name, phase in report["phases"].items()}, "told": told}


def median(results, of):
    return statistics.median(of(result) for result in results)


def table(results):
    labels = list(results)
    rows = [("run, clock", lambda r: r["wall"]), ("processors, all ranks", lambda r: sum(r["processor"])), ("processors, first rank", lambda r: r["processor"][0]),
            ("processors, busiest rank", lambda r: max(r["processor"])), ("largest peak, MB", lambda r: max(r["peak"])), ("iterations", lambda r: r["iterations"])]
    names = []
    for label in labels:
        for result in results[label]:
            names += [name for name in result["phases"] if name not in names]
    rows += [(f"first rank: {name}", lambda r, name=name: r["phases"].get(name, 0.0)) for name in sorted(names)]
    print("| seconds | " + " | ".join(labels) + " |")
    print("|---" * (len(labels) + 1) + "|")
    for title, of in rows:
        numbers = [median(results[label], of) for label in labels]
        if max(numbers) >= 0.005:
            print(f"| {title} | " + " | ".join(f"{number:.2f}" if title not in ("iterations", "largest peak, MB") else f"{number:.0f}" for number in numbers) + " |")
    for label in labels:
        for line in results[label][-1]["told"]:
            print(f"{label}: {line.strip()}")


def main():
    if sys.argv[1:2] == ["--note"]:
        run_and_note(sys.argv[2], sys.argv[3:])
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--before", help="another build, measured in the same turns")
    parser.add_argument("--cells", type=int, nargs=3, default=(112, 40, 40))
    parser.add_argument("--cut", default="hexa", help="the shape that bricks are cut into: hexa, tetra, prism, pyramid, mixed")
    parser.add_argument("--ranks", type=int, default=2)
    parser.add_argument("--turns", type=int, default=3)
    parser.add_argument("rest", nargs="*", help="after --: more arguments of the program")
    options = parser.parse_args()
    ways = [("1 thread", options.program, 1, 1), ("2 threads", options.program, 1, 2), (f"{options.ranks} ranks", options.program, options.ranks, 1)]
    if options.before:
        ways.append((f"{options.ranks} ranks before", options.before, options.ranks, 1))
    os.environ.setdefault("OMP_WAIT_POLICY", "passive")
    results = {label: [] for label, *_ in ways}
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        case = write_box(folder, options.cut, options.cells)
        for turn in range(options.turns):
            for number, (label, program, ranks, threads) in enumerate(ways):
                results[label].append(run(pathlib.Path(program).resolve(), case, folder / f"{turn}-{number}", ranks, threads, options.rest))
    print(f"{options.cells[0]} x {options.cells[1]} x {options.cells[2]} bricks ({options.cut}), medians of {options.turns} turns, load {os.getloadavg()[0]:.1f}")
    table(results)


if __name__ == "__main__":
    main()
