#include "fem/analysis/lumped_mass.hpp"

#include "device/error.hpp"
#include "fem/analysis/lumped_rotations.hpp"
#include "fem/operator/mixed_operator.hpp"
#include "solvers/algebra/vectors.hpp"

#include <fmt/format.h>
#include <span>
#include <utility>

namespace ritz {
namespace {

// Under a translation.
std::vector<double> row_sums(const Operator& masses) {
  const FunctionSpace& space = masses.space();
  const auto width = static_cast<std::size_t>(space.components());
  std::vector<double> moved(static_cast<std::size_t>(space.unknown_count()), 1.0);
  for (std::size_t i = 0; i < moved.size(); ++i)
    if (i % width >= 3) moved[i] = 0;
  Vector sums = space.zeros();
  masses.residual(Vector(space.device(), std::span<const double>(moved), "vectors"), sums);
  return sums.host();
}

std::vector<double> of_frames(const Operator& masses) {
  std::vector<double> values = row_sums(masses);
  const std::vector<double> turned = lumped_rotations(masses);
  for (std::size_t i = 0; i < values.size(); ++i)
    if (i % 6 >= 3) values[i] = turned[i];
  return values;
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

std::vector<double> lumped(const Operator& masses) {
  const FunctionSpace& space = masses.space();
  if (space.order() > 2)
    throw Error(ErrorKind::explicit_steps, fmt::format("lumped masses of cells of order {}", space.order()),
                "they are known of the orders 1 and 2", "take a lower order, or the generalised-alpha method");
  if (space.components() > 3) return of_frames(masses);
  return space.order() == 1 ? row_sums(masses) : of_order_two(masses);
}

// Fields one after the other.
std::vector<double> lumped(const MixedOperator& masses) {
  std::vector<double> all;
  for (int k = 0; k < masses.field_count(); ++k) {
    const Operator* const of_field = masses.of_field(k);
    const std::vector<double> own = of_field != nullptr
                                        ? lumped(*of_field)
                                        : std::vector<double>(static_cast<std::size_t>(masses.layout().size(k)), 0.0);
    all.insert(all.end(), own.begin(), own.end());
  }
  return all;
}

}  // namespace

Vector lumped_mass(const Equations& masses, std::span<const std::uint8_t> prescribed) {
  const auto* const one = dynamic_cast<const Operator*>(&masses);
  const std::vector<double> values = one != nullptr ? lumped(*one) : lumped(dynamic_cast<const MixedOperator&>(masses));
  for (std::size_t i = 0; i < values.size(); ++i)
    if (!(values[i] > 0) && (prescribed.empty() || prescribed[i] == 0))
      throw Error(ErrorKind::explicit_steps,
                  fmt::format("the lumped mass of {} is {:g}", masses.name_of(static_cast<Index>(i)), values[i]),
                  "an explicit step divides by it", "give all cells a density, or take the generalised-alpha method");
  return Vector(masses.device(), std::span<const double>(values), "vectors");
}

NodalMasses::NodalMasses(Vector masses, std::shared_ptr<const Attached> attached, const Supports& supports)
    : masses_(std::move(masses)),
      attached_(std::move(attached)),
      supports_(supports.shared()),
      work_(masses_.device(), masses_.size(), "vectors") {
  if (!attached_->any() && !supports.has_dependent()) {
    std::vector<double> inverse = masses_.host();
    for (std::size_t i = 0; i < inverse.size(); ++i) inverse[i] = supports.host_mask()[i] != 0 ? 0 : 1 / inverse[i];
    inverse_ = Vector(masses_.device(), std::span<const double>(inverse), "vectors");
    return;
  }
  copy(masses_, work_);
  supports.gather_diagonal(work_);
  joined_.emplace([this](const Vector& x, Vector& y) { multiply(masses_, x, y); }, attached_, supports, work_);
}

void NodalMasses::times(const Vector& x, Vector& y) const {
  multiply(masses_, x, y);
  attached_->add_masses(1, x, y);
}

void NodalMasses::accelerate(const Vector& f, Vector& a) const {
  if (!joined_) return multiply(inverse_, f, a);
  copy(f, work_);
  supports_->gather(work_);
  supports_->set_zero(work_);
  joined_->solve(work_, a);
}

}  // namespace ritz
