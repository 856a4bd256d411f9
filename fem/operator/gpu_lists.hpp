// The lists of a ScatterPlan where a GPU makes them: bitwise those of chunk_lists.hpp, and none of them crosses.
#pragma once

#include "fem/operator/scatter_plan.hpp"
#include "fem/operator/element_groups.hpp"

#include <optional>
#include <span>
#include <vector>

namespace ritz {

// Elements of a plan, in its order, and the batches of their chunks. pattern: of a matrix, nullptr: lists of a vector.
// together: entries that are sorted at a time. nullopt: the device is no GPU, its memory is short, or 32 bits do not
// count the lists.
std::optional<ScatterLists> lists_of_gpu(const FunctionSpace& space, std::span<const ElementGroup* const> groups,
                                         std::span<const Index> chunk_batches, const SparsityPattern* pattern,
                                         Index together = listed_entries);

}  // namespace ritz
