#!/usr/bin/env python3
"""Seconds of processors (user and system) that tests take: the clock says little on a busy machine.

    tools/test_seconds.py BUILD [REGEX]          runs entries of ctest one by one, without limits of time; prints what a failed one wrote
    tools/test_seconds.py BUILD --check          exit 1 where a group takes half more than tools/measurements/test_seconds.tsv says
    tools/test_seconds.py BUILD --update [GROUP ...]   writes the table, or these lines of it, from the last run of ctest

Every run of ctest leaves the seconds of its entries in BUILD/tests/seconds. Entries of one file or program are a group: cases.faults.1 and .2, all
suites of test_fem. A slower machine, or one that does other work, is slower for all of them: groups are compared after division by the median of
all ratios. A group that seems to have grown runs once more, alone, and the smaller number counts. The check is skipped (exit 77) on another
processor than the table's, whose groups differ otherwise.
"""
import argparse
import collections
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

TABLE = Path(os.environ.get("RITZ_TEST_SECONDS", Path(__file__).resolve().parent / "measurements" / "test_seconds.tsv"))
MORE = 1.5  # groups differ by up to a third from run to run where other work shares the machine
LEAST = 5  # [s] A group that grows by less is not looked at
SKIPPED = 77


def processor():
    """Its name, which virtual machines share, with family, model and stepping."""
    facts = dict(re.findall(r"^(model name|cpu family|model|stepping)\s*: (.*)$", Path("/proc/cpuinfo").read_text(), re.M))
    return ", ".join(f"{name} {facts[name]}" if name != "model name" else facts[name] for name in ("model name", "cpu family", "model", "stepping") if name in facts) or "unknown"


def entries_of(build):
    listed = subprocess.run(["ctest", "--test-dir", build, "--show-only=json-v1"], capture_output=True, text=True, check=True).stdout
    return [entry for entry in json.loads(listed)["tests"] if "command" in entry]


def group_of(name):
    """cases.faults of cases.faults.2; fem of fem.Cracks."""
    parts = name.split(".")
    return ".".join(parts[:2]) if parts[0] in ("cases", "python", "emulated_gpu", "package", "ptx") else parts[0]


def measured(entry, build):
    """Seconds, and the exit code, of an entry that runs now."""
    properties = {p["name"]: p["value"] for p in entry.get("properties", [])}
    environment = os.environ | {"OMP_WAIT_POLICY": "passive"} | dict(pair.split("=", 1) for pair in properties.get("ENVIRONMENT", []))
    with tempfile.TemporaryFile("w+", errors="replace") as output:
        process = subprocess.Popen(entry["command"], cwd=properties.get("WORKING_DIRECTORY", build), env=environment, stdout=output, stderr=output)
        _, status, used = os.wait4(process.pid, 0)
        code = os.waitstatus_to_exitcode(status)
        failed = code not in (0, properties.get("SKIP_RETURN_CODE", 0))
        if failed:
            output.seek(0)
            print(output.read(), file=sys.stderr)
    return used.ru_utime + used.ru_stime, code, failed


def kept(build, entries):
    """{group: seconds} of the last run of ctest; groups of which an entry did not run are left out."""
    groups, missing = collections.defaultdict(float), set()
    for entry in entries:
        file = build / "tests/seconds" / entry["name"].replace("/", ":")
        if str(file.parent) not in entry["command"]:  # it is not measured
            continue
        if file.exists():
            groups[group_of(entry["name"])] += float(file.read_text())
        else:
            missing.add(group_of(entry["name"]))
    return {group: seconds for group, seconds in groups.items() if group not in missing}


def read_table():
    """The processor, and {group: seconds}."""
    if not TABLE.exists():
        return "", {}
    first, _, *lines = TABLE.read_text().splitlines()
    return first.removeprefix("# "), {group: float(seconds) for group, seconds in (line.split("\t") for line in lines)}


def write_table(seconds):
    rows = [f"{group}\t{value:.1f}" for group, value in sorted(seconds.items(), key=lambda row: -row[1])]
    TABLE.write_text("\n".join([f"# {processor()}", "group\tseconds of processors", *rows]) + "\n")


def grown(now, table):
    """(group, seconds in the measure of the table, seconds of the table) of those that grew."""
    both = [group for group in now if table.get(group, 0) >= LEAST]
    factor = statistics.median(now[group] / table[group] for group in both) if both else 1
    for group, seconds in sorted(now.items()):
        scaled, before = seconds / factor, table.get(group, 0)
        if scaled > MORE * before and scaled > before + LEAST:
            yield group, scaled, before


def check(build, entries):
    of, table = read_table()
    if of != processor():
        print(f"skipped: the table is of '{of or 'nobody yet'}', and this is {processor()}")
        return SKIPPED
    now = kept(build, entries)
    for group, _, _ in list(grown(now, table)):
        again = sum(measured(entry, build)[0] for entry in entries if group_of(entry["name"]) == group)
        now[group] = min(now[group], again)
    faults = list(grown(now, table))
    for group, seconds, before in faults:
        print(f"{group} takes {seconds:.0f} s of processors, and {before:.0f} s in the table")
    if faults:
        print(f"If these tests shall take that much longer: tools/test_seconds.py {build} --update GROUP, and say why in the commit.")
    print(f"{len(now)} groups, {len(faults)} grew by more than half; {sum(now.values()):.0f} s of processors in all")
    return 1 if faults else 0


def update(build, entries, groups):
    of, table = read_table()
    now = kept(build, entries)
    if groups and of != processor():
        sys.exit(f"the table is of '{of or 'nobody yet'}': write all of it")
    write_table(table | {group: now[group] for group in groups} if groups else now)
    return 0


def run(build, entries, pattern):
    groups = collections.defaultdict(list)
    any_failed = False
    print("entry\tseconds\texit code")
    for entry in entries:
        if not re.search(pattern, entry["name"]):
            continue
        seconds, code, failed = measured(entry, build)
        any_failed = any_failed or failed
        groups[group_of(entry["name"])].append(seconds)
        print(f"{entry['name']}\t{seconds:.1f}\t{code}", flush=True)
    print("\ngroup\tentries\tseconds\tlongest")
    for group, seconds in sorted(groups.items(), key=lambda pair: -sum(pair[1])):
        print(f"{group}\t{len(seconds)}\t{sum(seconds):.0f}\t{max(seconds):.0f}")
    return 1 if any_failed else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=Path)
    parser.add_argument("regex", nargs="?", default=".")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--update", nargs="*", metavar="GROUP")
    arguments = parser.parse_args()
    build = arguments.build.resolve()
    entries = entries_of(build)
    if arguments.check:
        return check(build, entries)
    if arguments.update is not None:
        return update(build, entries, arguments.update)
    return run(build, entries, arguments.regex)


if __name__ == "__main__":
    sys.exit(main())
