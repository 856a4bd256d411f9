#include "fem/physics/model.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace ritz {
Constraints make_constraints(const Model& model, const ModelLoadCase* load_case) {
  Constraints result(*model.space);
  const auto add = [&](const PrescribedValue& p) {
    if (p.value.is_number()) result.prescribe(*p.region, p.component, p.value.number(), p.origin);
    else result.prescribe(*p.region, p.component, p.value.function(), p.origin);
  };
  const auto is_replaced = [&](const PrescribedValue& p) {
    return load_case != nullptr && std::ranges::any_of(load_case->prescribed, [&](const PrescribedValue& own) {
             return own.region == p.region && own.component == p.component;
           });
  };
  for (const PrescribedValue& p : model.supports)
    if (!is_replaced(p)) add(p);
  if (load_case != nullptr)
    for (const PrescribedValue& p : load_case->prescribed) add(p);
  result.prescribe_nodes(model.held_on_axis, 0, 0.0, "the axis of revolution");
  result.finish();
  check_held(result, model.rigid, model.held);
  return result;
}

void check_ranges(const Model& model, const Vector& u) {
  if (model.ranges.empty()) return;
  const std::vector<double> values = u.host();
  const auto components = static_cast<std::size_t>(model.space->components());
  std::vector<Node> nodes;
  for (const ValidRange& range : model.ranges) {
    const double room = 1e-9 * std::max(std::abs(range.lowest), std::abs(range.highest));
    for (const Index cell : range.region->cells) {
      model.space->nodes_of(cell, nodes);
      for (const Node node : nodes) {
        const double value = values[static_cast<std::size_t>(node) * components];
        if (value >= range.lowest - room && value <= range.highest + room) continue;
        throw Error(Exit::model,
                    fmt::format("the solution {:g} at {} lies outside of the table of '{}'{}", value,
                                model.space->name_of(node), range.region->name, at_origin(range.origin)),
                    fmt::format("the table has rows from {:g} to {:g}", range.lowest, range.highest),
                    "add rows, or let the table be constant outside of its rows (outside = \"constant\")");
      }
    }
  }
}

std::shared_ptr<const FunctionSpace> make_space(const Mesh& mesh, int components, const Device& device,
                                                const SpaceOptions& options) {
  return std::make_shared<const FunctionSpace>(mesh, components, device, options);
}

}  // namespace ritz
