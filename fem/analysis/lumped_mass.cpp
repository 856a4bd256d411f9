#include "fem/analysis/lumped_mass.hpp"

#include "device/error.hpp"
#include "solvers/algebra/vectors.hpp"

#include <fmt/format.h>
#include <span>
#include <utility>

namespace ritz {
namespace {

std::vector<double> row_sums(const Operator& masses) {
  const FunctionSpace& space = masses.space();
  Vector ones = space.zeros(), sums = space.zeros();
  fill(1.0, ones);
  masses.residual(ones, sums);
  return sums.host();
}

// The diagonal of a form on cells of one kind, scaled to its mass in each direction.
std::vector<double> scaled_diagonal(const Operator& masses) {
  std::vector<double> diagonal = masses.diagonal(Vector()).host();
  const std::vector<double> sums = row_sums(masses);
  const auto width = static_cast<std::size_t>(masses.space().components());
  for (std::size_t c = 0; c < width; ++c) {
    double mass = 0, trace = 0;
    for (std::size_t i = c; i < sums.size(); i += width) mass += sums[i], trace += diagonal[i];
    for (std::size_t i = c; i < sums.size() && trace > 0; i += width) diagonal[i] *= mass / trace;
  }
  return diagonal;
}

std::vector<double> of_order_two(const Operator& masses) {
  std::vector<double> result(static_cast<std::size_t>(masses.space().unknown_count()), 0.0);
  for (const ElementGroup& group : masses.terms().groups())
    for (const int i : group.integrals) {
      Integral part = masses.integrals()[static_cast<std::size_t>(i)];
      if (part.nodes.empty()) {
        part.everywhere = false;
        part.cells.clear();
        for (std::size_t k = 0; k < group.elements.size(); ++k) part.cells.push_back(group.elements[k]);
      }
      const std::vector<double> of_part = scaled_diagonal(Operator(masses.space(), {std::move(part)}));
      for (std::size_t k = 0; k < result.size(); ++k) result[k] += of_part[k];
    }
  return result;
}

}  // namespace

Vector lumped_mass(const Operator& masses, std::span<const std::uint8_t> prescribed) {
  const FunctionSpace& space = masses.space();
  if (space.components() > 3)
    throw Error(ErrorKind::explicit_steps, "lumped masses of a model with rotations",
                "beams and shells turn as well as move", "take the generalised-alpha method");
  if (space.order() > 2)
    throw Error(ErrorKind::explicit_steps, fmt::format("lumped masses of cells of order {}", space.order()),
                "they are known of the orders 1 and 2", "take a lower order, or the generalised-alpha method");
  const std::vector<double> values = space.order() == 1 ? row_sums(masses) : of_order_two(masses);
  for (std::size_t i = 0; i < values.size(); ++i)
    if (!(values[i] > 0) && (prescribed.empty() || prescribed[i] == 0))
      throw Error(ErrorKind::explicit_steps,
                  fmt::format("the lumped mass of {} is {:g}", masses.name_of(static_cast<Index>(i)), values[i]),
                  "an explicit step divides by it", "give all cells a density, or take the generalised-alpha method");
  return Vector(space.device(), std::span<const double>(values), "vectors");
}

}  // namespace ritz
