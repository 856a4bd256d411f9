#!/usr/bin/env python3
"""Runs cases in one process and on ranks, and compares their results:

    tools/check_ranks.py build/bin out.md                              # all examples and boxes of all kinds of cells on 1 to 8 ranks
    tools/check_ranks.py build/bin out.md --only heat --repeats 20     # each 20 times: the same bits?

The largest difference of a field is that to one process over the largest number of this field in it; of a number that is printed
(probes, frequencies), over its own size in one process, or that of the largest beside it. A case is bad where it exceeds the limit, and ten times
what one process itself differs by from a solution to 1e-12 (forces that are zero but for rounding differ by all of their size), where a run fails that one process does not, or where the files of two runs on as many ranks differ although nothing was factorised on ranks. On
one rank, by mpirun, they have to be those of one process. Writes a Markdown table, and ends with 1 where a case is bad.
"""
import argparse
import hashlib
import json
import os
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
CASES = ROOT / "tests" / "cases"
KINDS = [("triangle", (9, 8)), ("quad", (9, 8)), ("tetra", (5, 4, 4)), ("prism", (5, 4, 4)), ("pyramid", (4, 3, 3)), ("hexa", (6, 5, 4)), ("mixed", (5, 4, 4))]
ORDERS = {"triangle": (1, 2, 3), "quad": (1, 2, 4), "tetra": (1, 2, 3), "prism": (1, 2, 3), "pyramid": (1, 2), "hexa": (1, 2, 4), "mixed": (1, 2)}
FACTORS = "last digits"


def box_cases(folder):
    """One of heat and one of elasticity for each kind of cell and order."""
    os.environ.setdefault("RITZ_BIN", str(folder))
    os.environ.setdefault("RITZ_EXAMPLES", str(ROOT / "examples"))
    sys.path.insert(0, str(CASES))
    import boxes
    import divided_test
    for kind, counts in KINDS:
        (folder / f"{kind}.msh").write_text(boxes.cut(kind, counts))
        for program, tables in divided_test.CASES.items():
            model = "" if len(counts) == 3 else f'[model]\ntype = "{"plane_stress" if program == "ritz-elasticity" else "plane"}"\n'
            force = "[100, -200]" if len(counts) == 2 else "[100, -200, 50]"
            for order in ORDERS[kind]:
                path = folder / f"{program[5:]}_{kind}_{order}.toml"
                path.write_text(f'[mesh]\nfile = "{kind}.msh"\n{model}[space]\norder = {order}\n{divided_test.sides(counts)}{tables.replace("FORCE", force)}')
                yield path


class Run:
    def __init__(self, bin, case, folder, ranks=0, *arguments):
        launcher = ["mpirun", "--allow-run-as-root", "--oversubscribe", "--bind-to", "none", "-n", str(ranks)] if ranks else []
        command = [*launcher, bin / "ritz", "run", case, "--threads", "1", "--device", "cpu", "--output", folder / "results", "--json", folder / "report.json", *arguments]
        process = subprocess.run([str(word) for word in command], capture_output=True, text=True, timeout=1800, env={**os.environ, "OMP_WAIT_POLICY": "passive"})
        self.exit, self.log, self.errors = process.returncode, process.stdout, process.stderr
        report = folder / "report.json"
        self.report = json.loads(report.read_text()) if report.exists() else {}
        self.files = sorted(path for path in (folder / "results").rglob("*.vtu"))
        self.bits = {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in self.files}
        self.fields = {path.name: fields_of(path) for path in self.files} if ranks == 0 or self.exit == 0 else {}

    @property
    def iterations(self):
        return sum(each.get("iterations", 0) for each in self.report.get("solves") or [self.report.get("solver") or {}])

    @property
    def is_factorised(self):
        return FACTORS in self.log

    def refusal(self):
        return next((error.get("kind", "?") for error in self.report.get("errors", [])), f"exit code {self.exit}")


def fields_of(path):
    sys.path.insert(0, str(CASES))
    import vtu
    sections = vtu.read(path)
    return {(section, name): values for section in ("PointData", "CellData") for name, values in sections[section].items()}


def numbers(value):
    """All that are in lists and tables of a report."""
    if isinstance(value, bool) or value is None:
        return []
    if isinstance(value, (int, float)):
        return [value]
    children = value.values() if isinstance(value, dict) else value if isinstance(value, list) else []
    return [number for child in children for number in numbers(child)]


def difference(found, expected):
    if len(found) != len(expected):
        return float("inf")
    scale = max(map(abs, expected), default=0)
    return max((abs(a - b) for a, b in zip(found, expected)), default=0) / (scale or 1)


def compare(several, alone):
    """Differences by names. Shapes of modes have a sign of their own, and are any of a plane where frequencies are equal."""
    differences = {f"probe {name}": difference(numbers(several.report["probes"].get(name)), numbers(value)) for name, value in alone.report["probes"].items()}
    if "modal" not in alone.report["program"] and "modes" not in alone.report["facts"]:
        for name, fields in alone.fields.items():
            for field, values in fields.items():
                found = difference(several.fields.get(name, {}).get(field, []), values)
                differences[field[1]] = max(differences.get(field[1], 0), found)
    return differences


class Case:
    """One row of the table."""
    def __init__(self, path, options):
        self.path, self.options, self.faults, self.iterations, self.worst, self.same_bits = path, options, [], {}, (0.0, ""), True
        self.factorised = False

    def check(self):
        with tempfile.TemporaryDirectory(prefix="ritz-ranks-") as name:
            folder = pathlib.Path(name)
            alone = self.run(folder / "alone", 0)
            if alone.exit != 0:
                self.faults.append(f"one process: {alone.refusal()}")
                return
            self.iterations[0] = alone.iterations
            precise = self.run(folder / "precise", 0, "--set", "solver.tolerance=1e-12")
            self.own = compare(precise, alone) if precise.exit == 0 else {}
            for ranks in self.options.ranks:
                self.check_ranks(folder, ranks, alone)

    def run(self, folder, ranks, *arguments):
        folder.mkdir()
        return Run(self.options.bin, self.path, folder, ranks, *arguments)

    def check_ranks(self, folder, ranks, alone):
        first = None
        for repeat in range(self.options.repeats):
            run = self.run(folder / f"{ranks}_{repeat}", ranks)
            if run.exit != 0:
                self.faults.append(f"{ranks} ranks: {run.refusal()}")
                return
            self.factorised |= run.is_factorised
            if first is None:
                first = run
                self.iterations[ranks] = run.iterations
                for name, value in compare(run, alone).items():
                    if value > max(self.options.limit, 10 * self.own.get(name, 0)):
                        self.faults.append(f"{ranks} ranks: {name} differs by {value:.1e}")
                    if self.own.get(name, 0) < 0.1:
                        self.worst = max(self.worst, (value, name))
            if not run.is_factorised and run.bits != (alone.bits if ranks == 1 else first.bits):
                self.same_bits = False
                self.faults.append(f"{ranks} ranks, run {repeat + 1}: other bits")
                return

    def row(self):
        counts = list(self.iterations.values())
        several = sorted({count for ranks, count in self.iterations.items() if ranks > 1})
        iterations = f"{counts[0]} | {several[0]} to {several[-1]}" if several else "- | -"
        bits = "factors" if self.factorised else "same" if self.same_bits else "other"
        return f"| `{self.name()}` | {iterations} | {self.worst[0]:.1e} {self.worst[1]} | {bits} | {'; '.join(self.faults) or 'none'} |"

    def name(self):
        path = self.path.resolve()
        return path.relative_to(ROOT / "examples").with_suffix("") if path.is_relative_to(ROOT / "examples") else path.stem


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("bin", type=pathlib.Path, help="folder of the programs")
    parser.add_argument("table", type=pathlib.Path, help="Markdown file to write")
    parser.add_argument("--only", default="", help="cases whose path has this text")
    parser.add_argument("--ranks", type=int, nargs="+", default=list(range(1, 9)))
    parser.add_argument("--repeats", type=int, default=1)
    parser.add_argument("--limit", type=float, default=1e-6, help="of differences; fluxes and stresses differ by more than the tolerance in the energy norm, 1e-8")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="ritz-boxes-") as name:
        paths = [*box_cases(pathlib.Path(name)), *sorted((ROOT / "examples").glob("*/*.toml"))]
        lines = ["| case | iterations, one process | ranks | largest difference | bits | faults |", "|---|---|---|---|---|---|"]
        bad = 0
        for path in paths:
            if options.only not in str(path):
                continue
            case = Case(path, options)
            case.check()
            bad += bool(case.faults)
            lines.append(case.row())
            print(lines[-1], flush=True)
            options.table.write_text("\n".join(lines) + "\n")
    print(f"{len(lines) - 2} cases, {bad} of them with faults")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
