#include "fem/analysis/lumped_mass.hpp"

#include "device/communicator.hpp"
#include "device/error.hpp"
#include "fem/analysis/lumped_rotations.hpp"
#include "fem/operator/operator.hpp"
#include "solvers/algebra/vectors.hpp"

#include <fmt/format.h>
#include <map>
#include <span>
#include <utility>

namespace ritz {
namespace {

// Under a translation. Rows of owned unknowns are complete on a part of a mesh.
std::vector<double> row_sums(const Operator& masses) {
  const FunctionSpace& space = masses.space();
  const auto width = static_cast<std::size_t>(space.components());
  std::vector<double> moved(static_cast<std::size_t>(space.unknown_count()), 1.0);
  for (std::size_t i = 0; i < moved.size(); ++i)
    if (i % width >= 3) moved[i] = 0;
  Vector rows = space.zeros();
  masses.residual_of_part(Vector(space.device(), std::span<const double>(moved), "vectors"), rows);
  std::vector<double> sums = rows.host();
  sums.resize(static_cast<std::size_t>(masses.layout().total()));
  return sums;
}

std::vector<double> of_frames(const Operator& masses) {
  std::vector<double> values = row_sums(masses);
  const std::vector<double> turned = lumped_rotations(masses);
  for (std::size_t i = 0; i < values.size(); ++i)
    if (i % 6 >= 3) values[i] = turned[i];
  return values;
}

// The masses of an integral on the cells of a group.
Operator on_group(const Operator& masses, int integral, const ElementGroup& group) {
  Integral part = masses.integrals()[static_cast<std::size_t>(integral)];
  if (part.nodes.empty()) {
    part.everywhere = false;
    part.cells.clear();
    for (std::size_t k = 0; k < group.elements.size(); ++k) part.cells.push_back(group.elements[k]);
  }
  return Operator(masses.space(), {std::move(part)});
}

// The number of cells of one kind with one form, straight or curved alike: the same on all ranks.
constexpr std::size_t kinds = static_cast<std::size_t>(CellKind::pyramid14) + 1, maps = 3;
std::size_t number_of(int integral, const ElementGroup& group) {
  const std::size_t map = group.curved ? 2 : group.geometry->node_count() < group.node_count() ? 1 : 0;
  return (static_cast<std::size_t>(integral) * kinds + static_cast<std::size_t>(group.kind)) * maps + map;
}

// Diagonals of forms on cells of one kind, each scaled to its mass in each direction.
std::vector<double> of_order_two(const Operator& masses) {
  const auto width = static_cast<std::size_t>(masses.space().components());
  std::map<std::size_t, std::vector<double>> diagonals;
  std::vector<double> sums(masses.integrals().size() * kinds * maps * width * 2, 0.0);
  for (const ElementGroup& group : masses.terms().groups())
    for (const int integral : group.integrals) {
      const Operator part = on_group(masses, integral, group);
      const std::vector<double> rows = row_sums(part), diagonal = part.diagonal(Vector()).host();
      const std::size_t number = number_of(integral, group);
      std::vector<double>& all = diagonals[number];
      all.resize(rows.size());
      for (std::size_t i = 0; i < rows.size(); ++i) {
        const std::size_t at = (number * width + i % width) * 2;
        sums[at] += rows[i];
        sums[at + 1] += diagonal[i];
        all[i] += diagonal[i];
      }
    }
  const Vector mine(masses.device(), std::span<const double>(sums), "reductions");
  Communicator(masses.device()).sum(mine.data(), sums);
  std::vector<double> result(static_cast<std::size_t>(masses.layout().total()), 0.0);
  for (const auto& [number, diagonal] : diagonals)
    for (std::size_t i = 0; i < result.size(); ++i) {
      const double* const mass_and_trace = &sums[(number * width + i % width) * 2];
      if (mass_and_trace[1] > 0) result[i] += diagonal[i] * (mass_and_trace[0] / mass_and_trace[1]);
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
std::vector<double> lumped_of_fields(const Equations& masses) {
  std::vector<double> all;
  for (int k = 0; k < masses.layout().count(); ++k) {
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
  std::vector<double> values;
  const auto find = [&] {
    values = lumped_of_fields(masses);
    for (std::size_t i = 0; i < values.size(); ++i)
      if (!(values[i] > 0) && (prescribed.empty() || prescribed[i] == 0))
        throw Error(ErrorKind::explicit_steps,
                    fmt::format("the lumped mass of {} is {:g}", masses.name_of(static_cast<Index>(i)), values[i]),
                    "an explicit step divides by it", "give all cells a density, or take the generalised-alpha method");
  };
  if (masses.layout().is_divided()) masses.layout().ranks().agree(find);
  else find();
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
