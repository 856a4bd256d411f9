#!/usr/bin/env python3
"""What a build costs, target by target: object code, and processor seconds to compile it, as tools/measurements/build.tsv has them.

    tools/build_table.py build --check                  exit 1 where a target has a fifth more object code than the table says
    tools/build_table.py build --update [TARGET ...]    rewrite the table, or these lines of it; keeps the seconds that it has
    tools/build_table.py build --seconds [TARGET ...]   compile each object once more, alone, and write the seconds of user and system

The check counts what is the same on every machine and under every load: bytes of code and data in the object files of a release by
`test.sh` (before linking, so that what several batches instantiate counts in each). Most of the time of a build goes by these. A
change that needs more says so by a new line of the table. Other compilers than the table's are skipped (exit 77), and so are targets
that are not built, or without a line and small. Takes `size` of binutils.
"""
import argparse
import json
import os
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

TABLE = Path(__file__).resolve().parent / "measurements" / "build.tsv"
HEAD = ["target", "objects", "kB", "seconds"]
SMALL = 150  # [kB] of a new target
MORE = 1.2
SKIPPED = 77


def target_of(output):
    """ritz_fem of fem/CMakeFiles/ritz_fem.dir/Unity/unity_in_space_0_cxx.cxx.o."""
    return next(part.removesuffix(".dir") for part in Path(output).parts if part.endswith(".dir"))


def commands(build):
    """{target: [(object, command, folder)]} of what has been compiled; the emulated GPU is not part of a build."""
    found = {}
    for entry in json.loads((build / "compile_commands.json").read_text()):
        command = shlex.split(entry["command"])
        output = command[command.index("-o") + 1]
        if (build / output).exists() and "emulat" not in output:
            found.setdefault(target_of(output), []).append((build / output, command, entry["directory"]))
    return found


def kilobytes(objects):
    lines = subprocess.run(["size", *objects], check=True, capture_output=True, text=True).stdout.splitlines()[1:]
    return round(sum(int(text) + int(data) for text, data, *_ in map(str.split, lines)) / 1000)


def seconds(compiled):
    """Processor seconds of compiling these, one after the other, without a compiler cache."""
    total = 0
    with tempfile.TemporaryDirectory() as folder:
        for _, command, where in compiled:
            command = command[1:] if command[0].endswith("ccache") else command
            command[command.index("-o") + 1] = f"{folder}/object"
            process = subprocess.Popen(command, cwd=where, stderr=subprocess.DEVNULL)
            _, status, used = os.wait4(process.pid, 0)
            if status != 0:
                sys.exit(f"failed: {shlex.join(command)}")
            total += used.ru_utime + used.ru_stime
    return round(total, 1)


def compiler(build):
    cache = (build / "CMakeCache.txt").read_text()
    path = next(line.split("=", 1)[1] for line in cache.splitlines() if line.startswith("CMAKE_CXX_COMPILER:"))
    return subprocess.run([path, "-dumpfullversion"], check=True, capture_output=True, text=True).stdout.strip()


def read_table():
    if not TABLE.exists():
        return "", {}
    first, _, *lines = TABLE.read_text().splitlines()
    return first, {row[0]: row[1:] for row in (line.split("\t") for line in lines)}


def write_table(version, rows):
    body = ["\t".join(map(str, [target, *row])) for target, row in sorted(rows.items())]
    TABLE.write_text("\n".join([f"# g++ {version}; tools/build_table.py", "\t".join(HEAD), *body]) + "\n")


def check(found, rows):
    faults = []
    for target, compiled in found.items():
        now = kilobytes([name for name, _, _ in compiled])
        if target not in rows and now > SMALL:
            faults.append(f"{target} has {now} kB of object code, and no line")
        elif target in rows and now > MORE * int(rows[target][1]) and now > SMALL:
            faults.append(f"{target} has {now} kB of object code, and {rows[target][1]} kB in the table")
    for fault in faults:
        print(fault)
    if faults:
        print(f"If the build shall take that much longer: tools/build_table.py {BUILD} --update TARGET, and say why in the commit.")
    print(f"{len(found)} targets, {len(faults)} grew by more than a fifth")
    return 1 if faults else 0


parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("build", type=Path)
what = parser.add_mutually_exclusive_group(required=True)
what.add_argument("--check", action="store_true")
what.add_argument("--update", nargs="*", metavar="TARGET")
what.add_argument("--seconds", nargs="*", metavar="TARGET")
arguments = parser.parse_args()
BUILD = arguments.build

version = compiler(BUILD)
first, rows = read_table()
found = commands(BUILD)
if arguments.check:
    if f"g++ {version};" not in first:
        print(f"skipped: the table is of '{first or 'nobody yet'}', and this is g++ {version}")
        sys.exit(SKIPPED)
    sys.exit(check(found, rows))
for target in (arguments.update if arguments.update is not None else arguments.seconds) or found:
    compiled = found[target]
    old = rows.get(target, ["", "", ""])[2]
    rows[target] = [len(compiled), kilobytes([name for name, _, _ in compiled]), old if arguments.seconds is None else seconds(compiled)]
    print(target, *rows[target], sep="\t", flush=True)
write_table(version, rows)
