// Bodies that their supports leave free: as many unknowns as there are free rigid motions are held at zero, so that the
// stiffness is definite. Under forces that are in balance they hold nothing.
//
//   ModelSupports supports(model);
//   const std::vector<std::vector<double>> motions = stop_free_motions(model, supports);   // [motion][unknown]
//   for (Constraints* each : supports.all()) each->finish();
#pragma once

#include "fem/physics/model.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace ritz {

// Supports are not finished yet. Returns the motions that were free, as fields of the size of 1. Throws
// Error: Exit::model where equations between unknowns take all that could be held.
std::vector<std::vector<double>> stop_free_motions(const Model& model, ModelSupports& supports);
// An unknown for each motion [motion][unknown] among those that are not taken: that is neither prescribed nor a term of
// an equation. Throws the same.
std::vector<std::size_t> stops_of_free_body(const std::vector<std::vector<double>>& motions,
                                            std::vector<std::uint8_t> taken);

}  // namespace ritz
