// Two more parallel verbs for kernel sources: running sums, and sorting things into groups. Deterministic.
//
//   exclusive_scan(device, counts, n, offsets);          // offsets[i] = counts[0] + ... + counts[i-1], i = 0..n
//   // members of group g: members[offsets[g] .. offsets[g+1]), ascending
//   group_by(device, keys, n, groups, offsets, members);
//
// A CUDA module that uses them has device/scan_cuda.cu among its sources.
#pragma once

#include "device/launch.hpp"

#include <cstdint>

#ifdef __CUDACC__
namespace ritz::RITZ_BACKEND {

void exclusive_scan(const Device& device, const std::int32_t* counts, Index n, Index* offsets);
// Keys below 0 belong to no group. offsets: [groups + 1], members: [n].
void group_by(const Device& device, const std::int32_t* keys, Index n, Index groups, Index* offsets, Index* members);

}  // namespace ritz::RITZ_BACKEND
#else
#include "device/scan_cpu.hpp"
#endif
