// Two more parallel verbs for kernel sources: running sums, and sorting things into groups. Deterministic.
//
//   exclusive_scan(device, counts, n, offsets);          // offsets[i] = counts[0] + ... + counts[i-1], i = 0..n
//   group_by(device, keys, n, groups, offsets, members); // members of group g: members[offsets[g] .. offsets[g+1]), ascending
#pragma once

#ifdef __CUDACC__
#include "device/scan_cuda.hpp"
#else
#include "device/scan_cpu.hpp"
#endif
