#include "fem/operator/given_numbers.hpp"

#include <algorithm>

namespace ritz {
namespace {

// Shape functions of the geometry at the points: [point][node].
std::vector<double> geometry_values(const ReferenceElement& geometry, const QuadratureRule& rule) {
  const std::size_t nodes = geometry.nodes.size();
  std::vector<double> values(rule.points.size() * nodes);
  std::vector<Point> gradients(nodes);
  for (std::size_t q = 0; q < rule.points.size(); ++q)
    geometry.evaluate(rule.points[q], std::span(values).subspan(q * nodes, nodes), gradients);
  return values;
}

}  // namespace

std::vector<double> given_at_points(const FunctionSpace& space, const ElementGroup& group, const QuadratureRule& rule,
                                    const FormValue& form, double t) {
  const std::vector<double> shape = geometry_values(*group.geometry, rule),
                            coordinates = coordinates_of(space, group).host();
  const std::vector<std::int32_t> nodes = group.geometry_nodes().host();
  const auto dimension = static_cast<std::size_t>(space.mesh().dimension()), points = rule.points.size(),
             count = shape.size() / points;
  const auto batches = static_cast<std::size_t>(group.batch_count()), lanes = static_cast<std::size_t>(lane_count),
             numbers = form.given.size();
  std::vector<double> result(batches * points * numbers * lanes);
  // Some batches at a time, so that positions need little memory.
  constexpr std::size_t most = 4096;
  const bool in_cells = !group.elements.empty();
  std::vector<double> x, values;
  std::vector<Index> cells;
  for (std::size_t first = 0; first < batches; first += most) {
    const std::size_t last = std::min(first + most, batches), entries = (last - first) * points * lanes;
    x.assign(3 * entries, 0.0);
    values.resize(entries);
    if (in_cells) cells.resize(entries);
#pragma omp parallel for
    for (std::size_t batch = first; batch < last; ++batch)
      for (std::size_t q = 0; q < points; ++q) {
        for (std::size_t lane = 0; in_cells && lane < lanes; ++lane)
          cells[((batch - first) * points + q) * lanes + lane] =
              group.elements[std::min(batch * lanes + lane, group.elements.size() - 1)];
        for (std::size_t a = 0; a < count; ++a)
          for (std::size_t lane = 0; lane < lanes; ++lane) {
            const auto node = static_cast<std::size_t>(nodes[(batch * count + a) * lanes + lane]);
            double* at = &x[3 * (((batch - first) * points + q) * lanes + lane)];
            for (std::size_t d = 0; d < dimension; ++d)
              at[d] += shape[q * count + a] * coordinates[node * dimension + d];
          }
      }
    const EvaluationPoints at = in_cells ? EvaluationPoints(x, space.mesh(), cells) : EvaluationPoints(x);
    for (std::size_t m = 0; m < numbers; ++m) {
      form.given[m](at, t, values);
      for (std::size_t i = 0; i < entries; ++i)
        result[((first * points + i / lanes) * numbers + m) * lanes + i % lanes] = values[i];
    }
  }
  return result;
}

}  // namespace ritz
