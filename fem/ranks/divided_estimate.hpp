// The error estimate by all ranks of a job: each computes the cells whose first node, as the space numbers them, it
// owns, on a part that reaches as far as their patches do. A cell's numbers are those of one process, bit for bit, and
// are summed in the same order.
//
//   DiscretisationError error = estimate_error(space, u, model, ranks);            // all ranks
#pragma once

#include "device/ranks/ranks.hpp"
#include "fem/ranks/space_part.hpp"
#include "fem/results/error_estimate.hpp"

#include <span>
#include <vector>

namespace ritz {

// A space of fewer nodes than ranks is the work of each.
DiscretisationError estimate_error(const FunctionSpace& space, std::span<const double> u, const ErrorModel& model,
                                   Ranks& ranks);

// Data that a rank estimates from, and its findings: cells by their numbers in the whole mesh, each of one rank alone.
struct EstimateShare {
  PartData part;          // cut with the patches
  std::vector<double> u;  // [node of the part][component]
  ErrorModel model;       // materials and numbers of the part's cells
};
struct CellEstimates {
  std::vector<Index> cells = {};
  std::vector<double> squares = {}, energies = {}, volumes = {}, magnitudes = {};
  Index shallow = 0;
};
EstimateShare estimate_share(PartData part, std::span<const double> u, const ErrorModel& model);
CellEstimates estimate(EstimateShare share, const Device& device);

}  // namespace ritz
