// Probes that are linear in the values of one field, as weights of these values: what gradients start from.
#pragma once

#include "apps/results/region_integral.hpp"
#include "io/case/case.hpp"

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ritz {

// A probe as a function of one component of a field, or of the sums of reactions: the sum of weight times value.
struct ProbeWeights {
  std::string field;
  int component = 0;
  bool of_reactions = false, in_cells = false;
  std::vector<double> weights;  // [node of the space], or [cell]
  // Means and integrals over cells or facets, whose weights are parts of areas or volumes; calls add(cell, node or
  // cell, weight) with what each cell adds. Empty: others. The weights of a mean are these over their sum.
  std::function<void(const AddWeight& add)> add_by_cell = {};
  bool is_mean = false;
};
// Fields at nodes of which probes have derivatives, and in cells.
struct DifferentiableField {
  Field field;               // its name and components, without values
  bool is_bent = false;      // [space] order: between nodes it does not vary as its values do
  bool is_in_cells = false;  // in cells, too
  bool is_at_nodes = true;   // else in cells alone
  FunctionSpace space = {};  // of several fields, that of the field; none: the only one
};
// nullopt after an error, which is added at `key` of the table that names the probe: there is none of this name, or it
// is not one number, linear in the values of one of these fields.
std::optional<ProbeWeights> probe_weights(Case& input, const FunctionSpace& of_model, const Case::Table& table,
                                          std::string_view key, const std::string& name,
                                          std::span<const DifferentiableField> fields, const BodyMeasure& measure);

}  // namespace ritz
