#include "fem/operator/given_numbers.hpp"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

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

// Cells of a group's elements, and where in them its points lie. None of nodes.
class PlacesInCells {
 public:
  PlacesInCells(const Mesh& mesh, const ElementGroup& group, const QuadratureRule& rule)
      : mesh_(mesh), group_(group), points_(rule.points) {
    for (const FacetOfCell& each : group.facets) {
      std::vector<Point>& places = on_facets_[{mesh.kind_of(each.cell), each.facet}];
      if (!places.empty()) continue;
      const FacetMap onto_cell(mesh.kind_of(each.cell), each.facet);
      for (const Point& xi : rule.points) places.push_back(onto_cell.place(xi));
    }
  }

  bool known() const { return !group_.elements.empty() || !group_.facets.empty(); }
  std::pair<Index, Point> operator()(std::size_t element, std::size_t point) const {
    if (!group_.elements.empty()) return {group_.elements[element], points_[point]};
    const FacetOfCell& facet = group_.facets[element];
    return {facet.cell, on_facets_.at({mesh_.kind_of(facet.cell), facet.facet})[point]};
  }

 private:
  const Mesh& mesh_;
  const ElementGroup& group_;
  const std::vector<Point>& points_;
  std::map<std::pair<CellKind, int>, std::vector<Point>> on_facets_;
};

}  // namespace

std::vector<double> given_at_points(const FunctionSpace& space, const ElementGroup& group, const QuadratureRule& rule,
                                    const FormValue& form, double t) {
  const std::vector<double> shape = geometry_values(*group.geometry, rule),
                            coordinates = coordinates_of(space, group).host();
  const std::vector<std::int32_t> nodes = group.geometry_nodes().host();
  const auto dimension = static_cast<std::size_t>(space.mesh().dimension()), points = rule.points.size(),
             count = shape.size() / points;
  const auto batches = static_cast<std::size_t>(group.batch_count()), lanes = static_cast<std::size_t>(lane_count),
             numbers = form.given.size(), elements = static_cast<std::size_t>(group.element_count);
  std::vector<double> result(batches * points * numbers * lanes);
  // Some batches at a time, so that positions need little memory.
  constexpr std::size_t most = 4096;
  const PlacesInCells places(space.mesh(), group, rule);
  std::vector<double> x, values;
  std::vector<Index> cells;
  std::vector<Point> xi;
  for (std::size_t first = 0; first < batches; first += most) {
    const std::size_t last = std::min(first + most, batches), entries = (last - first) * points * lanes;
    x.assign(3 * entries, 0.0);
    values.resize(entries);
    if (places.known()) cells.resize(entries), xi.resize(entries);
#pragma omp parallel for
    for (std::size_t batch = first; batch < last; ++batch)
      for (std::size_t q = 0; q < points; ++q) {
        for (std::size_t lane = 0; places.known() && lane < lanes; ++lane) {
          const std::size_t i = ((batch - first) * points + q) * lanes + lane;
          std::tie(cells[i], xi[i]) = places(std::min(batch * lanes + lane, elements - 1), q);
        }
        for (std::size_t a = 0; a < count; ++a)
          for (std::size_t lane = 0; lane < lanes; ++lane) {
            const auto node = static_cast<std::size_t>(nodes[(batch * count + a) * lanes + lane]);
            double* at = &x[3 * (((batch - first) * points + q) * lanes + lane)];
            for (std::size_t d = 0; d < dimension; ++d)
              at[d] += shape[q * count + a] * coordinates[node * dimension + d];
          }
      }
    const EvaluationPoints at = places.known() ? EvaluationPoints(x, space.mesh(), cells, xi) : EvaluationPoints(x);
    for (std::size_t m = 0; m < numbers; ++m) {
      form.given[m](at, t, values);
      for (std::size_t i = 0; i < entries; ++i)
        result[((first * points + i / lanes) * numbers + m) * lanes + i % lanes] = values[i];
    }
  }
  return result;
}

}  // namespace ritz
