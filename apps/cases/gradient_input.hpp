// [gradient]: the derivatives of a probe by numbers of the case, one in each cell.
//
//   [gradient]
//   probe = "tip"
//   by = ["material.0.young", "traction.0.value.2"]
//   load_case = "wind"                                  # where there are load cases: one, or a combination
//   over = "time"                                       # with [time]: the integral of the probe, not that at the end
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
  std::string load_case = {};  // or a combination
  bool over_time = false;      // the integral over time, not the value at the end
};

// Before the keys are read: from then on their numbers are arrays of one value in each cell, Run::arrays(). nullopt: no
// gradient is asked for.
std::optional<GradientInput> read_gradient(Run& run, const Mesh& mesh);

// The key of the positions of nodes, by which derivatives are a field at nodes.
inline constexpr const char* positions_key = "points";

// The name of its field: "gradient_material_0_young".
std::string gradient_field(const std::string& key);

}  // namespace ritz
