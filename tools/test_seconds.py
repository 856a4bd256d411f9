#!/usr/bin/env python3
"""Seconds of processors that the tests of ctest take, by entry and by group: the clock says little on a busy machine. Runs them one by one,
without limits of time. Prints what a failed one wrote, and exits with 1.

    tools/test_seconds.py BUILD [REGEX]          tools/measurements/test_seconds.tsv has those of all
"""
import collections
import json
import os
import re
import subprocess
import sys
import tempfile

build, pattern = sys.argv[1], (sys.argv[2:] or ["."])[0]
entries = json.loads(subprocess.run(["ctest", "--test-dir", build, "--show-only=json-v1"], capture_output=True, text=True, check=True).stdout)["tests"]
groups = collections.defaultdict(list)
failed = False
print("entry\tseconds\texit code")
for entry in entries:
    if "command" not in entry or not re.search(pattern, entry["name"]):
        continue
    properties = {p["name"]: p["value"] for p in entry.get("properties", [])}
    environment = os.environ | {"OMP_WAIT_POLICY": "passive"} | dict(pair.split("=", 1) for pair in properties.get("ENVIRONMENT", []))
    with tempfile.TemporaryFile("w+", errors="replace") as output:
        process = subprocess.Popen(entry["command"], cwd=properties.get("WORKING_DIRECTORY", build), env=environment, stdout=output, stderr=output)
        _, status, used = os.wait4(process.pid, 0)
        code = os.waitstatus_to_exitcode(status)
        if code not in (0, properties.get("SKIP_RETURN_CODE", 0)):
            failed = True
            output.seek(0)
            print(output.read(), file=sys.stderr)
    seconds = used.ru_utime + used.ru_stime
    groups[entry["name"].split(".")[0]].append(seconds)
    print(f"{entry['name']}\t{seconds:.1f}\t{code}", flush=True)
print("\ngroup\tentries\tseconds\tlongest")
for group, seconds in sorted(groups.items(), key=lambda pair: -sum(pair[1])):
    print(f"{group}\t{len(seconds)}\t{sum(seconds):.0f}\t{max(seconds):.0f}")
sys.exit(failed)
