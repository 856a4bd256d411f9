// The sparsity pattern of a space where a GPU makes it: bitwise that of NodeGraph, and none of it crosses.
#pragma once

#include "fem/launch/pattern_kernels.hpp"
#include "fem/space/function_space.hpp"

#include <optional>
#include <span>

namespace ritz {

// cell_nodes: of FunctionSpace::pattern, in the memory of the GPU; empty: they go up for the time of the call. nullopt:
// the device is no GPU, nodes follow others, a row is too long, or memory is short.
std::optional<NodePattern> pattern_of_gpu(const FunctionSpace& space, std::span<const Node> cell_nodes);

// [bytes] Memory of the device that pattern_of_gpu takes for a while, beside the pattern and the nodes of the cells.
Index scratch_of_gpu_pattern(const FunctionSpace& space);

}  // namespace ritz
