#include "apps/results/field_value.hpp"

namespace ritz {

std::vector<double> value_at(const Mesh& mesh, const PointLocator::Place& place, const Field& field,
                             const LagrangeResults* finer) {
  if (finer == nullptr || field.finer_values.empty()) return interpolate(mesh, place, field.values, field.components);
  const std::vector<double> N = finer->functions(mesh.kind_of(place.cell)).at(place.xi);
  const std::span<const Node> points = finer->points_of(place.cell);
  const auto components = static_cast<std::size_t>(field.components);
  std::vector<double> result(components, 0.0);
  for (std::size_t a = 0; a < N.size(); ++a)
    for (std::size_t c = 0; c < components; ++c)
      result[c] += N[a] * field.finer_values[static_cast<std::size_t>(points[a]) * components + c];
  return result;
}

}  // namespace ritz
