// [gradient]: the derivatives of a probe by numbers of the case, one in each cell.
//
//   [gradient]
//   probe = "tip"
//   by = ["material.0.young", "traction.0.value.2"]
#pragma once

#include "apps/cases/run.hpp"

#include <optional>
#include <string>
#include <vector>

namespace ritz {

struct GradientInput {
  Case::Table table;
  std::string probe;
  std::vector<std::string> keys;
};

// Before the keys are read: from then on their numbers are arrays of one value in each cell, Run::arrays(). nullopt: no
// gradient is asked for.
std::optional<GradientInput> read_gradient(Run& run, const Mesh& mesh);

// The name of its field in cells: "gradient_material_0_young".
std::string gradient_field(const std::string& key);

}  // namespace ritz
