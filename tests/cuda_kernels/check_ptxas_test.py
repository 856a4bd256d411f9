#!/usr/bin/env python3
"""Which kernels check_ptxas.py says cannot be launched: registers are given out in eights, 65536 to a block."""
from check_ptxas import cannot_be_launched, takes_much_local_memory


def found(registers, shared, threads):
    return len(list(cannot_be_launched({("sm_90", "module", "kernel"): [registers, 0, shared, threads]})))


assert found(255, 0, 256) == 0, "256 for each of 256 threads are all"
assert found(255, 0, 257) == 1
assert found(128, 0, 512) == 0 and found(129, 0, 512) == 1
assert found(32, 48 << 10, 256) == 0 and found(32, (48 << 10) + 1, 256) == 1


def stacks(stack):
    return len(list(takes_much_local_memory({("sm_90", "module", "kernel"): [32, stack, 0, 256]})))


assert stacks(1024) == 0 and stacks(1032) == 1
