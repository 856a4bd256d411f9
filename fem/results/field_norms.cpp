#include "fem/results/field_norms.hpp"

#include "device/error.hpp"
#include "mesh/curved_cells.hpp"
#include "mesh/search/point_location.hpp"
#include "mesh/quadrature.hpp"

#include <cmath>
#include <fmt/format.h>
#include <map>

namespace ritz {
namespace {

// The functions of an element and the weights at the points of a rule.
struct ElementPoints {
  QuadratureRule rule;
  std::vector<std::vector<double>> values;  // [point][node]
};

ElementPoints points_of(const ReferenceElement& element, int degree) {
  ElementPoints points{quadrature(element.shape, degree), {}};
  std::vector<Point> gradients(element.nodes.size());
  for (const Point& xi : points.rule.points)
    element.evaluate(xi, points.values.emplace_back(element.nodes.size()), gradients);
  return points;
}

double measure(const std::array<Point, 3>& t, int dimension) {
  if (dimension == 2) return t[0][0] * t[1][1] - t[0][1] * t[1][0];
  return t[0][0] * (t[1][1] * t[2][2] - t[1][2] * t[2][1]) + t[0][1] * (t[1][2] * t[2][0] - t[1][0] * t[2][2]) +
         t[0][2] * (t[1][0] * t[2][1] - t[1][1] * t[2][0]);
}

// use(positions [point][3], weights in space [point], values [point][component]) of one cell after the other.
template <class Use>
void for_each_cell(const FunctionSpace& space, const Vector& u, const Use& use) {
  if (u.size() != space.unknown_count()) throw_size_mismatch(space.unknown_count(), u.size());
  const std::vector<double> host = u.host();
  const auto c = static_cast<std::size_t>(space.components());
  std::map<CellKind, ElementPoints> tables;
  FunctionSpace::CellNodes nodes_of(space);
  for (Index cell = 0; cell < space.mesh().cell_count(); ++cell) {
    const CellKind kind = space.mesh().kind_of(cell);
    auto found = tables.find(kind);
    if (found == tables.end())
      found = tables.emplace(kind, points_of(space.element(kind), 2 * space.element(kind).order + 4)).first;
    const auto& [rule, functions] = found->second;
    const CellMap map(space.mesh(), cell);
    const auto nodes = nodes_of(cell);
    std::vector<double> places, weights, values(rule.points.size() * c, 0.0);
    for (std::size_t q = 0; q < rule.points.size(); ++q) {
      const Point x = map.at(rule.points[q]);
      places.insert(places.end(), x.begin(), x.end());
      weights.push_back(rule.weights[q] * std::abs(measure(map.tangents(rule.points[q]), traits(kind).dimension)));
      for (std::size_t a = 0; a < nodes.size(); ++a)
        for (std::size_t i = 0; i < c; ++i)
          values[q * c + i] += functions[q][a] * host[static_cast<std::size_t>(nodes[a]) * c + i];
    }
    use(places, weights, values);
  }
}

}  // namespace

double l2_error(const FunctionSpace& space, const Vector& u, const std::vector<PointFunction>& exact) {
  const auto c = static_cast<std::size_t>(space.components());
  if (exact.size() != c)
    throw Error(ErrorKind::internal,
                fmt::format("a field of {} components was compared with {} functions", c, exact.size()));
  double sum = 0;
  std::vector<double> known;
  for_each_cell(space, u, [&](const auto& places, const auto& weights, const auto& values) {
    known.resize(weights.size());
    for (std::size_t i = 0; i < c; ++i) {
      exact[i](places, 0, known);
      for (std::size_t q = 0; q < weights.size(); ++q) sum += weights[q] * std::pow(values[q * c + i] - known[q], 2);
    }
  });
  return std::sqrt(sum);
}

double mean_value(const FunctionSpace& space, const Vector& u, int component) {
  const auto c = static_cast<std::size_t>(space.components()), i = static_cast<std::size_t>(component);
  double sum = 0, volume = 0;
  for_each_cell(space, u, [&](const auto&, const auto& weights, const auto& values) {
    for (std::size_t q = 0; q < weights.size(); ++q) {
      sum += weights[q] * values[q * c + i];
      volume += weights[q];
    }
  });
  return sum / volume;
}

std::vector<double> values_at(const FunctionSpace& space, const Vector& u, std::span<const Point> points) {
  if (u.size() != space.unknown_count()) throw_size_mismatch(space.unknown_count(), u.size());
  const std::vector<double> host = u.host();
  const auto c = static_cast<std::size_t>(space.components());
  const PointLocator locator(space.mesh());
  std::vector<double> result(points.size() * c, 0.0);
  std::vector<Node> nodes;
  for (std::size_t p = 0; p < points.size(); ++p) {
    const PointLocator::Place place = locator.locate(points[p]);
    const ReferenceElement& element = space.element(space.mesh().kind_of(place.cell));
    std::vector<double> functions(element.nodes.size());
    std::vector<Point> gradients(element.nodes.size());
    element.evaluate(place.xi, functions, gradients);
    space.nodes_of(place.cell, nodes);
    for (std::size_t a = 0; a < nodes.size(); ++a)
      for (std::size_t i = 0; i < c; ++i)
        result[p * c + i] += functions[a] * host[static_cast<std::size_t>(nodes[a]) * c + i];
  }
  return result;
}

}  // namespace ritz
