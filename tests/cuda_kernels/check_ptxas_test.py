#!/usr/bin/env python3
"""Which kernels check_ptxas.py complains about: registers are given out in eights, 65536 to a block; instructions."""
import struct

from check_ptxas import COLUMNS, cannot_be_launched, complaints, divides_for_every_entry, instructions, loops, takes_much_local_memory


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
code = b"".join(struct.pack("<QQ", word | 0x7 << 12, 0 if word == 0x947 else 0x981) for word in words)  # the second half is no instruction
assert instructions(code) == {"global loads": 2, "shared loads": 1, "fp64": 4, "divisions": 1, "branches": 1, "divisions in loops": 0}


def branch(instructions_on):
    """BRA so many instructions on, counted from its own end."""
    distance = 4 * instructions_on
    upper = distance >> 8 & (1 << 48) - 1
    return 0x947 | 0x7 << 12 | (distance & 0xFF) << 16 | (upper << 34) & (1 << 64) - 1, upper >> 30


def kernel(*instructions_of_it):
    return [word for one in instructions_of_it for word in (one if isinstance(one, tuple) else (one, 0))]


once = kernel(0x308, 0x981, 0x986, branch(-3), branch(-1))  # MUFU; LDG, STG, back to the LDG; the end
assert loops(once) == {1, 2, 3}
assert loops(kernel(branch(1), 0x308, 0x981, branch(-3))) == {1, 2, 3}  # forward over the division, back to it
each = instructions(struct.pack("<8Q", *kernel(0x981, 0x308, 0x986, branch(-4))))
assert each["divisions in loops"] == 1
key = ("sm_90", "solvers", "for_each_kernel<Direction<DeviceRatio> >")
assert len(list(divides_for_every_entry({key: each}))) == 1
assert not list(divides_for_every_entry({key: instructions(struct.pack("<10Q", *once))}))
assert not list(divides_for_every_entry({("sm_90", "fem", "tensor_kernel"): each}))


def complains(column, before, after):
    row, key = dict.fromkeys(COLUMNS, 0), ("sm_90", "module", "kernel")
    return len(list(complaints({key: {**row, column: before}}, {key: {**row, column: after}})))


assert complains("global loads", 100, 110) == 0 and complains("global loads", 100, 111) == 1
assert complains("divisions", 1, 9) == 0 and complains("divisions", 1, 10) == 1
assert complains("registers", 100, 110) == 0 and complains("registers", 100, 111) == 1
assert complains("stack", 8, 16) == 1 and complains("stack", 16, 8) == 0
