#!/usr/bin/env python3
"""What ptxas made of every kernel: registers, stack, static shared memory and machine instructions of the kinds that
bound its speed, compared with a committed table.

    check_ptxas.py --table ptxas.tsv lib/ritz_fem_kernels.cuda.so ...             compare; exit 1 when something grew
    check_ptxas.py --table ptxas.tsv --update lib/ritz_fem_kernels.cuda.so ...    rewrite the table

Besides, every kernel must be one that can be launched at all: registers of its largest block, and static shared memory;
and its stack is 1 KB at most, as a card sets that aside for every thread that it can hold. Kernels that take a quotient
which the device has computed divide once, and not for every entry.

Needs neither a GPU nor cuobjdump: the numbers are read from the cubins inside the modules (ELF sections .nv.info,
.nv.shared.* and .text.*). Stack holds spilled registers as well as local arrays, so a kernel without stack does not
spill. Instructions are counted as they stand in the code, both sides of a branch, whether loops repeat them or not.
Numbers depend on the toolkit: with another one than the table's the comparison is skipped (exit 77).
"""
import argparse
import collections
import re
import struct
import subprocess
import sys
from pathlib import Path

FATBIN_MAGIC, CUBIN, REGISTER_COUNT, FRAME_SIZE, MAX_THREADS, VALUES_FOLLOW = 0xBA55ED50, 2, 0x2F, 0x11, 0x05, 4
BLOCK_THREADS = 256  # of our own kernels: device/launch_cuda.hpp and fem/launch/block_shape.hpp
REGISTERS, STATIC_SHARED = 65536, 48 << 10  # of a block, on every architecture
RESERVED_SHARED = 1024  # [bytes] of every block, for the system, from sm_90 on; counted in the sections' sizes
LARGEST_STACK = 1024  # [bytes] of a thread
MORE = 1.10  # a tenth more fails
FEW = 8  # instructions more than in the table always pass
# Low nine bits of an instruction of 16 bytes, architectures 7 to 12; forms of operands differ in the next three.
OPERATIONS = {"global loads": (0x180, 0x181), "shared loads": (0x184,), "fp64": (0x028, 0x029, 0x02B),
              "divisions": (0x108,), "branches": (0x147,)}  # LD, LDG; LDS; DMUL, DADD, DFMA; MUFU; BRA
BRANCH, DIVISION = 0x147, 0x108
QUOTIENTS = re.compile("DeviceRatio|DeviceQuotient|LaneRatio")  # of kernels, in their names
BY_DIAGONAL = re.compile("Update<true")  # divides by the diagonal entry of each row, in place of a vector more to read
COLUMNS = ["registers", "stack", "shared", *OPERATIONS]
SKIPPED = 77


def cubins(module):
    """(architecture, ELF image) of every cubin in a shared library."""
    data, at = module.read_bytes(), 0
    magic = struct.pack("<IH", FATBIN_MAGIC, 1)
    while (at := data.find(magic, at)) >= 0:
        _, _, header, size = struct.unpack_from("<IHHQ", data, at)
        entry, at = at + header, at + header + size
        while entry < at:
            kind, _, header, size = struct.unpack_from("<HHIQ", data, entry)
            architecture = struct.unpack_from("<I", data, entry + 28)[0]
            if kind == CUBIN:
                image = data[entry + header : entry + header + size]
                if image[:4] != b"\x7fELF":
                    sys.exit(f"{module}: a cubin is compressed; build with --compress-mode=default or none")
                yield architecture, image
            entry += header + size


def sections(elf):
    """name -> (type, offset, size, link) of the sections of a 64-bit ELF image."""
    table, = struct.unpack_from("<Q", elf, 40)
    entry_size, count, names = struct.unpack_from("<HHH", elf, 58)
    headers = [struct.unpack_from("<IIQQQQIIQQ", elf, table + i * entry_size) for i in range(count)]
    text = headers[names][4]
    return {elf[text + h[0] : elf.index(b"\0", text + h[0])].decode(): (h[1], h[4], h[5], h[6]) for h in headers}


def symbol_names(elf, found):
    _, offset, size, _ = found[".symtab"]
    text = found[".strtab"][1]
    for at in range(offset, offset + size, 24):
        start = text + struct.unpack_from("<I", elf, at)[0]
        yield elf[start : elf.index(b"\0", start)].decode()


def attributes(elf, section):
    """(attribute, its values) of an .nv.info section."""
    _, at, size, _ = section
    end = at + size
    while at < end:
        form, attribute, length = struct.unpack_from("<BBH", elf, at)
        length = length if form == VALUES_FOLLOW else 0
        yield attribute, struct.unpack_from(f"<{length // 4}I", elf, at + 4)
        at += 4 + length


def loops(words):
    """Positions of the instructions between a branch backwards and its target. The branch holds the distance from its own
    end in words of 32 bits: the low eight in bits 16 to 23, the others in bits 34 to 81."""
    inside = set()
    for i in range(len(words) // 2):
        low, high = words[2 * i], words[2 * i + 1]
        if low & 0x1FF != BRANCH:
            continue
        upper = (low >> 34 | high << 30) & (1 << 48) - 1
        distance = (upper - (upper >> 47 << 48)) << 8 | low >> 16 & 0xFF
        target = i + 1 + distance // 4
        if distance % 4 or not 0 <= target <= len(words) // 2:
            sys.exit(f"a branch at instruction {i} leads to {i + 1 + distance / 4}: this architecture encodes branches otherwise")
        if target < i:  # every kernel ends with a branch to itself
            inside.update(range(target, i + 1))
    return inside


def instructions(code):
    """column -> number of instructions in the machine code of a kernel, and how many of its divisions are in loops."""
    words = memoryview(code).cast("Q")
    count = collections.Counter(word & 0x1FF for word in words[::2])
    return {**{column: sum(count[operation] for operation in operations) for column, operations in OPERATIONS.items()},
            "divisions in loops": sum(words[2 * i] & 0x1FF == DIVISION for i in loops(words))}


def kernels(elf):
    """mangled name -> {column: number} of a cubin, with "threads" of its largest block."""
    found = sections(elf)
    names = list(symbol_names(elf, found))
    result = {}
    for name, (_, offset, size, _) in found.items():
        if name.startswith(".text."):
            result[name.removeprefix(".text.")] = {"registers": 0, "stack": 0, "shared": 0, "threads": BLOCK_THREADS,
                                                   **instructions(elf[offset : offset + size])}
    for attribute, values in attributes(elf, found[".nv.info"]):
        if attribute in (REGISTER_COUNT, FRAME_SIZE) and names[values[0]] in result:
            result[names[values[0]]]["registers" if attribute == REGISTER_COUNT else "stack"] = values[1]
    for name, numbers in result.items():
        size = found.get(".nv.shared." + name, (0, 0, 0, 0))[2]
        numbers["shared"] = max(0, size - RESERVED_SHARED) if ".nv.shared.reserved.0" in found else size
        for attribute, values in attributes(elf, found.get(".nv.info." + name, (0, 0, 0, 0))):
            if attribute == MAX_THREADS:  # __launch_bounds__, of Thrust's kernels
                numbers["threads"] = values[0] * values[1] * values[2]
    return result


def cannot_be_launched(rows):
    """A launch would fail with "too many resources requested"."""
    for key, row in sorted(rows.items()):
        name, taken = " ".join(key), -(-row["registers"] // 8) * 8 * row["threads"]
        if taken > REGISTERS:
            yield (f"{name}: {row['registers']} registers for {row['threads']} threads are {taken}, "
                   f"more than the {REGISTERS} of a block")
        if row["shared"] > STATIC_SHARED:
            yield f"{name}: {row['shared']} bytes of static shared memory, more than {STATIC_SHARED}"


def takes_much_local_memory(rows):
    """CUDA sets a stack aside for every thread that a card can hold: 1 KB are 0.3 GB on an H200, in no forecast."""
    for key, row in sorted(rows.items()):
        if row["stack"] > LARGEST_STACK:
            yield f"{' '.join(key)}: a stack of {row['stack']} bytes, more than {LARGEST_STACK}: use shared memory"


def divides_for_every_entry(rows):
    for key, row in sorted(rows.items()):
        if QUOTIENTS.search(key[2]) and not BY_DIAGONAL.search(key[2]) and row["divisions in loops"]:
            yield f"{' '.join(key)}: {row['divisions in loops']} divisions in loops; a functor's ready() divides once"


def short_name(demangled):
    """Without return type, arguments and our own namespaces."""
    depth = 0
    for i, c in enumerate(demangled):
        depth += (c == "<") - (c == ">")
        if c == "(" and depth == 0 and not demangled.startswith("(anonymous namespace)", i):
            demangled = demangled[:i]
            break
    demangled = re.sub(r"ritz::|cuda::|\w+_kernels::|\(anonymous namespace\)::", "", demangled)
    return demangled.removeprefix("void ")


def demangled(names):
    text = subprocess.run(["c++filt"], input="\n".join(names), capture_output=True, text=True, check=True).stdout
    return dict(zip(names, map(short_name, text.splitlines())))


def measure(modules):
    """(toolkit, {(architecture, module, kernel): {column: number}})"""
    toolkit, rows = "unknown", {}
    for module in modules:
        for architecture, elf in cubins(module):
            version = re.search(rb"Cuda compilation tools, release [\d.]+, V([\d.]+)", elf)
            toolkit = version.group(1).decode() if version else toolkit
            found = kernels(elf)
            names = demangled(list(found))
            for name, numbers in found.items():
                key = f"sm_{architecture}", module.name.split(".")[0], names[name]
                other = rows.get(key, numbers)  # the same kernel in several sources
                rows[key] = {column: max(number, other[column]) for column, number in numbers.items()}
    return toolkit, rows


def write(path, toolkit, rows):
    lines = ["# What ptxas made of every kernel (check_ptxas.py --update): stack and shared in bytes, then instructions.",
             f"# toolkit {toolkit}", "\t".join(["architecture", "module", "kernel", *COLUMNS])]
    lines += ["\t".join([*key, *(str(rows[key][column]) for column in COLUMNS)]) for key in sorted(rows)]
    path.write_text("\n".join(lines) + "\n")


def read(path):
    toolkit, rows = "", {}
    for line in path.read_text().splitlines():
        if line.startswith("# toolkit "):
            toolkit = line.removeprefix("# toolkit ")
        elif not line.startswith(("#", "architecture\t")):
            cells = line.split("\t")
            rows[tuple(cells[:3])] = dict(zip(COLUMNS, map(int, cells[3:])))
    return toolkit, rows


def complaints(table, rows):
    for key, row in sorted(rows.items()):
        old, name = table.get(key, {**row, "stack": 0}), " ".join(key)
        if row["stack"] > old["stack"]:
            yield f"{name}: stack {old['stack']} -> {row['stack']} bytes (spills or local arrays)"
        for column in ("registers", "shared"):
            if row[column] > MORE * old[column]:
                yield f"{name}: {column} {old[column]} -> {row[column]}"
        for column in OPERATIONS:
            if row[column] > max(MORE * old[column], old[column] + FEW):
                yield f"{name}: {column} {old[column]} -> {row[column]} instructions"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--table", type=Path, required=True)
    parser.add_argument("--update", action="store_true")
    parser.add_argument("modules", type=Path, nargs="+")
    options = parser.parse_args()
    toolkit, rows = measure(options.modules)
    if not rows:
        sys.exit("no kernel was found in the modules")
    if impossible := [*cannot_be_launched(rows), *takes_much_local_memory(rows), *divides_for_every_entry(rows)]:
        sys.exit("\n".join(impossible))
    if options.update:
        write(options.table, toolkit, rows)
        print(f"{len(rows)} kernels written, {sum(r['stack'] > 0 for r in rows.values())} with stack")
        return
    old_toolkit, table = read(options.table)
    architectures = {key[0] for key in table}
    if toolkit != old_toolkit or not architectures & {key[0] for key in rows}:
        print(f"skipped: the table is for toolkit {old_toolkit}, {', '.join(sorted(architectures))}; these modules are by {toolkit}")
        sys.exit(SKIPPED)
    rows = {key: row for key, row in rows.items() if key[0] in architectures}
    found = list(complaints(table, rows))
    new = sorted(set(rows) - set(table))
    print(f"{len(rows)} kernels, {len(new)} not in the table yet, {len(set(table) - set(rows))} gone")
    print("\n".join(f"new: {' '.join(key)}" for key in new))
    if found:
        print("\n".join(found), "if that is meant, run check_ptxas.py --update and say why in the commit", sep="\n")
        sys.exit(1)


if __name__ == "__main__":
    main()
