#include "apps/results/result_fields.hpp"

namespace ritz {

const LagrangeResults* ResultFields::finer_for(const FunctionSpace& space) {
  if (!has_finer(space)) return nullptr;
  if (!finer_) finer_.emplace(space);
  return &*finer_;
}

std::vector<double> ResultFields::at_points(const FunctionSpace& space, std::span<const double> at_nodes,
                                            int components) {
  const LagrangeResults* finer = finer_for(space);
  return finer != nullptr && !at_nodes.empty() ? finer->values(at_nodes, components) : std::vector<double>();
}

Field ResultFields::of(std::string name, const FunctionSpace& space, const Vector& u, double scale) {
  Field field{std::move(name), space.components(), space.to_mesh(u)};
  if (const LagrangeResults* finer = finer_for(space)) field.finer_values = finer->values(u);
  if (scale != 1)
    for (std::vector<double>* values : {&field.values, &field.finer_values})
      for (double& value : *values) value *= scale;
  return field;
}

std::vector<Field> ResultFields::on_cells(std::vector<Field> nodal) const {
  if (cells() == nullptr) return nodal;
  std::vector<Field> fields;
  for (const Field& field : nodal) {
    Field& finer = fields.emplace_back(Field{field.name, field.components, {}, field.component_names});
    if (!field.finer_values.empty()) finer.values = field.finer_values;
    else if (field.forces) finer.values = finer_->forces_from_mesh(field.values, field.components);
    else finer.values = finer_->from_mesh(field.values, field.components);
  }
  return fields;
}

}  // namespace ritz
