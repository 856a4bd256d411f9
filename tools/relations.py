#!/usr/bin/env python3
"""Draws models at random and checks relations between their solutions, as the test python.relations does, for as many models as one likes.

    PYTHONPATH=build/python tools/relations.py --models 100000 --seed 7
    PYTHONPATH=build/python tools/relations.py --seed 7 --model 12 --relation units

Prints each failure, and writes it as files: relations/7-12-units/case.toml, its mesh, and the changed case beside it (other.toml). Exit code 1: some fail.
docs/testing.md says what the relations are.
"""
import argparse
import os
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "python/tests"))
os.environ.setdefault("OMP_WAIT_POLICY", "passive")

from relations import harness, relations  # noqa: E402


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add = parser.add_argument
    add("--models", type=int, default=1000)
    add("--first", type=int, default=0, help="number of the first one")
    add("--seed", type=int, default=1)
    add("--model", type=int, help="this one alone, with all relations")
    add("--relation", action="append", choices=[*relations.NAMES, "ranks"], help="only these")
    add("--each", type=int, default=100, help="relations of each model at most")
    add("--ranks", type=int, default=0, metavar="N", help="every Nth model also on 2 ranks; needs RITZ_BIN")
    add("--folder", default="relations", help="of the files of failures")
    arguments = parser.parse_args()

    def save(model, other, index, name):
        folder = pathlib.Path(arguments.folder) / f"{arguments.seed}-{index}-{name}"
        folder.mkdir(parents=True, exist_ok=True)
        relations.write_case(model, folder)
        if isinstance(other, dict):
            relations.write_case(model, folder, "other", other)
        elif other is not None:
            relations.write_case(other, folder, "other")

    outcome = harness.Outcome()
    indices = [arguments.model] if arguments.model is not None else range(arguments.first, arguments.first + arguments.models)
    for n, index in enumerate(indices):
        before = len(outcome.failures)
        harness.run(arguments.seed, index, outcome, arguments.each, arguments.ranks and index % arguments.ranks == 0, arguments.relation, save)
        for failure in outcome.failures[before:]:
            print(failure, flush=True)
        if n % 1000 == 999:
            print(outcome.summary(), flush=True)
    print(outcome.summary())
    print(f"{len(outcome.failures)} failures")
    return 1 if outcome.failures else 0


if __name__ == "__main__":
    sys.exit(main())
