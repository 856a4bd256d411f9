// Atomic operations on integers, for kernels that have them. They order no other accesses.
#pragma once

namespace ritz::emulator {
int add(int* number, int value);
}

inline int atomicAdd(int* number, int value) { return ritz::emulator::add(number, value); }
inline int atomicSub(int* number, int value) { return ritz::emulator::add(number, -value); }
