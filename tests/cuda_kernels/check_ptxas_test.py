#!/usr/bin/env python3
"""Which kernels check_ptxas.py complains about: registers are given out in eights, 65536 to a block; instructions."""
import struct

from check_ptxas import COLUMNS, cannot_be_launched, complaints, instructions, takes_much_local_memory


def found(registers, shared, threads):
    return len(list(cannot_be_launched({
        ("sm_90", "module", "kernel"): {"registers": registers, "shared": shared, "threads": threads}})))


assert found(255, 0, 256) == 0, "256 for each of 256 threads are all"
assert found(255, 0, 257) == 1
assert found(128, 0, 512) == 0 and found(129, 0, 512) == 1
assert found(32, 48 << 10, 256) == 0 and found(32, (48 << 10) + 1, 256) == 1


def stacks(stack):
    return len(list(takes_much_local_memory({("sm_90", "module", "kernel"): {"stack": stack}})))


assert stacks(1024) == 0 and stacks(1032) == 1

# Words of nvdisasm -hex: LDG, LD, LDS, DFMA (register, constant), DADD, DMUL, MUFU, BRA, STG, FFMA.
words = (0x981, 0x980, 0x984, 0x22B, 0xC2B, 0x229, 0x228, 0x308, 0x947, 0x986, 0x223)
code = b"".join(struct.pack("<QQ", word | 0x7 << 12, 0x981) for word in words)  # the second half is no instruction
assert instructions(code) == {"global loads": 2, "shared loads": 1, "fp64": 4, "divisions": 1, "branches": 1}


def complains(column, before, after):
    row, key = dict.fromkeys(COLUMNS, 0), ("sm_90", "module", "kernel")
    return len(list(complaints({key: {**row, column: before}}, {key: {**row, column: after}})))


assert complains("global loads", 100, 110) == 0 and complains("global loads", 100, 111) == 1
assert complains("divisions", 1, 9) == 0 and complains("divisions", 1, 10) == 1
assert complains("registers", 100, 110) == 0 and complains("registers", 100, 111) == 1
assert complains("stack", 8, 16) == 1 and complains("stack", 16, 8) == 0
