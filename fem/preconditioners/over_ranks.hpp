// Facts that all ranks share while they make and apply preconditioners.
#pragma once

#include "device/ranks/ranks.hpp"
#include "solvers/multigrid/smoothed_aggregation.hpp"

#include <string>

namespace ritz {

Index replicated_unknowns();  // of levels of multigrid that every rank has whole
// With these, and with values of 32 bits or more; nested levels are those of ranks.
SmoothedAggregationOptions multigrid_over_ranks(SmoothedAggregationOptions options);

// Sentences about all ranks, which call these together: "13.1, 9.1 MB" and "arrays of ranks at their peaks: 13.1, 9.1
// MB; now: 9.2, 6.1 MB".
std::string megabytes_of_ranks(Ranks& ranks, Index mine);
std::string arrays_of_ranks(Ranks& ranks, const Device& device);

}  // namespace ritz
