#!/usr/bin/env python3
"""Bounds of the time of kernels on a GPU, from their accesses on the emulated one (tests/cuda_emulator).

    tools/gpu_traffic.py build build/bin/ritz-bench --device gpu --only op-hex-p2 --size 0.13 --repeat 1

Runs the command on the emulated GPU of the build folder and prints for each kernel, of one launch in the mean: how long the
memory, the second-level cache and the first one with shared memory would be busy at least at the rates of an H200, and the bytes behind these. It knows
nothing of latency, arithmetic or registers: no kernel is faster than the longest of the three, many are slower. `--lines N` adds the N source lines that
load the first-level cache most. Small problems suffice when blocks repeat; the share of the memory is then too high, since all is read for the first time.
"""
import argparse
import bisect
import collections
import functools
import os
import re
import subprocess
import sys
import tempfile

SECTOR = 32
# H200: memory as copied (docs/gpu.md); second-level cache as Chips and Cheese measured an H100's (5.5 to 7 TB/s); first level: 128 bytes
# a clock in each of 132 multiprocessors at 1.755 GHz (NVIDIA's tuning guide), one pass each.
MEMORY, CACHE = 4.3e12, 5.5e12
PASSES = 132 * 1.755e9


class Symbols:
    """Functions and source lines of a module."""

    def __init__(self, path):
        self.path = path
        table = subprocess.run(["nm", "-C", "--defined-only", path], capture_output=True, text=True, check=True).stdout
        entries = sorted((int(a, 16), name) for a, kind, name in (line.split(" ", 2) for line in table.splitlines()) if kind in "tTwWuV")
        self.starts = [a for a, _ in entries]
        self.names = [name for _, name in entries]

    def function(self, offset):
        return self.names[max(bisect.bisect_right(self.starts, offset) - 1, 0)]

    def lines(self, offsets):
        text = subprocess.run(["addr2line", "-e", self.path, *[hex(o - 1) for o in offsets]], capture_output=True, text=True, check=True).stdout
        return [re.sub(r".*/((?:fem|solvers|device|tests|mesh)/)", r"\1", line.split(" ")[0]) for line in text.splitlines()]


def short(name):
    name = re.sub(r"\(anonymous namespace\)::|ritz::cuda::|ritz::|unsigned |\[clone.*?\]", "", name)
    name = re.sub(r"^void ", "", name)
    depth, cut = 0, []  # without the arguments
    for character in name:
        depth += (character == "<") - (character == ">")
        if character == "(" and depth == 0:
            break
        cut.append(character)
    return "".join(cut).strip()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--lines", type=int, default=0, metavar="N", help="source lines of each kernel, those first that load the first-level cache most")
    parser.add_argument("--only", default="", metavar="TEXT", help="kernels with this in their names")
    parser.add_argument("build", help="build folder with CUDA and tests")
    parser.add_argument("command", nargs=argparse.REMAINDER)
    a = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        file = os.path.join(folder, "traffic.tsv")
        modules = os.path.join(os.path.abspath(a.build), "lib/emulated")
        if not os.path.exists(modules):
            sys.exit(f"there is no emulated GPU in {modules}: ninja -C {a.build} emulated_gpu")
        run = subprocess.run(a.command, env=os.environ | {"RITZ_MODULES": modules, "RITZ_EMULATED_GPU_TRAFFIC": file}, stdout=sys.stderr)
        if not os.path.exists(file):
            sys.exit(f"no kernel ran on the emulated GPU (exit code {run.returncode}); --device gpu?")
        rows = [line.rstrip("\n").split("\t") for line in open(file)]
    of_module = functools.cache(Symbols)
    kernels = []
    for row in rows:
        if row[0] == "kernel":
            kernels.append({"name": short(of_module(row[1]).function(int(row[2], 16))), "numbers": [int(x) for x in row[3:]], "touches": []})
        else:
            kernels[-1]["touches"].append((row[0], row[1], row[2], int(row[3], 16), *[int(x) for x in row[4:]]))
    for k in kernels:
        launches, k["blocks"], k["threads"], *sectors = k["numbers"]
        k["launches"] = launches
        k["cache bytes"], k["memory bytes"] = SECTOR * (sectors[0] + sectors[1]) / launches, SECTOR * (sectors[2] + sectors[3]) / launches
        passes = lambda kind, requests, units: units if kind == "shared" else max(requests, units / 4)
        k["lines"] = collections.Counter()
        wanted = useful = 0
        for kind, _, module, offset, requests, bytes_, units in k["touches"]:
            k["lines"][module, offset, kind] += passes(kind, requests, units) / launches
            if kind == "global":
                wanted, useful = wanted + units * SECTOR, useful + bytes_
        k["passes"] = sum(k["lines"].values())
        k["efficiency"] = useful / wanted if wanted else 1
        k["shared"] = sum(v for key, v in k["lines"].items() if key[2] == "shared")
        k["times"] = k["memory bytes"] / MEMORY, k["cache bytes"] / CACHE, k["passes"] / PASSES
    print("    us of memory, cache, first level | kB of memory, cache | passes, shared of them | useful of sectors | launches, threads of one")
    for k in sorted(kernels, key=lambda k: -max(k["times"]) * k["launches"]):
        if a.only not in k["name"]:
            continue
        m, c, f = (1e6 * t for t in k["times"])
        print(f"{m:9.3f} {c:9.3f} {f:9.3f} | {k['memory bytes'] / 1e3:9.1f} {k['cache bytes'] / 1e3:9.1f} | {k['passes']:9.0f} {k['shared'] / max(k['passes'], 1):5.0%} | "
              f"{k['efficiency']:4.0%} | {k['launches']:5d} {k['threads'] // k['launches']:8d} | {k['name'][:150]}")
        for (module, offset, kind), passes in k["lines"].most_common(a.lines):
            print(f"          {passes / k['passes']:5.1%} {kind} {of_module(module).lines([offset])[0]}")


if __name__ == "__main__":
    main()
