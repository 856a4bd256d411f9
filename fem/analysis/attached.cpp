#include "fem/analysis/attached.hpp"

#include "device/communicator.hpp"
#include "solvers/algebra/vectors.hpp"
#include "solvers/krylov/conjugate_gradient.hpp"
#include "solvers/smoothers/jacobi.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <utility>

namespace ritz {
namespace {

double product(const Communicator& all, const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return all.sum_of(sum);
}

// Adds what is new in x to the basis.
void add_direction(const Communicator& all, std::vector<double> x, std::vector<std::vector<double>>& basis) {
  const double length = std::sqrt(product(all, x, x));
  if (!(length > 0)) return;
  for (double& each : x) each /= length;
  for (int twice = 0; twice < 2; ++twice)
    for (const std::vector<double>& q : basis) {
      const double along = product(all, q, x);
      for (std::size_t i = 0; i < x.size(); ++i) x[i] -= along * q[i];
    }
  const double rest = std::sqrt(product(all, x, x));
  if (rest < 1e-10) return;
  for (double& each : x) each /= rest;
  basis.push_back(std::move(x));
}

}  // namespace

std::vector<double> Attached::weights(double stiffness, double mass) const {
  std::vector<double> result;
  for (std::size_t j = 0; j < whole.size(); ++j)
    result.push_back((stiffness != 0 ? stiffness * motions.stiffness[j] : 0) + mass * motions.mass[j]);
  return result;
}

void Attached::add(const std::vector<double>& weights, const Vector& x, Vector& y) const {
  for (std::size_t j = 0; j < whole.size(); ++j)
    if (weights[j] != 0 && std::isfinite(weights[j])) axpy(weights[j] * dot(whole[j], x), whole[j], y);
}

namespace {

// layout: of the whole model.
Attached attached_to(const Layout& layout, const Device& device, std::span<const AttachedMotion> given,
                     const Supports& supports, const PartOfModel* part, std::span<const Index> stops) {
  Attached result;
  if (given.empty()) return result;
  const auto column = [&](const std::vector<double>& row) {
    Vector whole(device, std::span<const double>(row), "vectors");
    return part != nullptr ? part->own(whole) : std::move(whole);
  };
  for (const AttachedMotion& each : given) {
    std::vector<double> row(static_cast<std::size_t>(layout.total()), 0.0);
    const auto mine = std::span(row).subspan(static_cast<std::size_t>(layout.first(each.field)));
    const int components = layout.width(each.field);
    for (const UnknownTerm& term : each.terms)
      mine[static_cast<std::size_t>(Index{term.node} * components + term.component)] += term.factor;
    result.whole.push_back(column(row));
    Vector seen = column(row);
    supports.gather(seen);
    supports.set_zero(seen);
    if (result.motions.stiffness.empty())
      result.motions.U = MultiVector(seen.device(), seen.size(), static_cast<int>(given.size()), "eigenvectors");
    result.motions.U.set_column(static_cast<int>(result.whole.size()) - 1, seen);
    result.motions.stiffness.push_back(each.stiffness);
    result.motions.mass.push_back(each.mass);
  }
  for (const Index unknown : stops) {
    std::vector<double> row(static_cast<std::size_t>(layout.total()), 0.0);
    row[static_cast<std::size_t>(unknown)] = 1;
    result.stops.push_back(column(row));
  }
  return result;
}

}  // namespace

Attached attached_to(const Spaces& spaces, std::span<const AttachedMotion> given, const Supports& supports,
                     const PartOfModel* part) {
  return attached_to(layout_of(spaces), spaces.front().device(), given, supports, part, {});
}

Attached attached_to(const Equations& all, std::span<const AttachedMotion> given, const Supports& supports,
                     const PartOfModel* part, std::span<const Index> stops) {
  return attached_to(all.layout(), all.device(), given, supports, part, stops);
}

MemoryNeeds attached_needs(const FunctionSpace& space, Index count) {
  if (count == 0) return {};
  const Index lanes = (count + MultiVector::lanes - 1) / MultiVector::lanes * MultiVector::lanes;
  return MemoryNeeds()
      .array<double>("vectors", space.unknown_count(), count)
      .array<double>("eigenvectors", space.unknown_count() * lanes, 3);
}

FreeMasses::FreeMasses(Product masses, std::shared_ptr<const Attached> attached, const Supports& supports,
                       const Vector& diagonal)
    : masses_(std::move(masses)), attached_(std::move(attached)), supports_(supports.eliminating().shared()) {
  for (Vector* each : {&heavy_, &diagonal_, &moved_}) *each = Vector(diagonal.device(), diagonal.size(), "vectors");
  fill(1.0, heavy_);
  supports_->set_zero(heavy_);
  for (const Vector& stop : attached_->stops) axpy(1.0, stop, heavy_);
  std::vector<double> is_heavy = heavy_.host(), of_unknowns = diagonal.host();
  for (std::size_t i = 0; i < of_unknowns.size(); ++i) {
    if (!(of_unknowns[i] > 0)) is_heavy[i] = 0;
    if (is_heavy[i] == 0) of_unknowns[i] = 0;
  }
  const Communicator all(heavy_.device());
  std::vector<std::vector<double>> basis;
  double largest = 0;
  Vector u(diagonal.device(), diagonal.size(), "vectors");
  for (int j = 0; j < attached_->motions.count(); ++j) {
    attached_->motions.U.get_column(j, u);
    std::vector<double> row = u.host();
    const double mass = attached_->motions.mass[static_cast<std::size_t>(j)];
    for (std::size_t i = 0; i < row.size(); ++i) {
      of_unknowns[i] += is_heavy[i] * mass * row[i] * row[i];
      if (is_heavy[i] != 0) row[i] = 0;
    }
    largest = std::max(largest, mass * product(all, row, row));
    add_direction(all, std::move(row), basis);
  }
  for (std::size_t i = 0; i < of_unknowns.size(); ++i)
    if (is_heavy[i] == 0) of_unknowns[i] = largest > 0 ? largest : 1;
  heavy_.upload(is_heavy);
  diagonal_.upload(of_unknowns);
  for (const std::vector<double>& q : basis)
    light_.emplace_back(heavy_.device(), std::span<const double>(q), "vectors");
}

void FreeMasses::apply(const Vector& x, Vector& y) const {
  copy(x, moved_);
  supports_->set_linear(moved_);
  masses_(moved_, y);
  attached_->add_masses(1, moved_, y);
  supports_->gather(y);
  project(y);
}

void FreeMasses::project(Vector& f) const {
  std::vector<double> along;
  for (const Vector& q : light_) along.push_back(dot(q, f));
  multiply(f, heavy_, f);
  for (std::size_t i = 0; i < light_.size(); ++i) axpy(along[i], light_[i], f);
}

void FreeMasses::solve(Vector& f, Vector& x) const {
  project(f);
  Vector diagonal(diagonal_.device(), diagonal_.size(), "vectors");
  copy(diagonal_, diagonal);
  const JacobiPreconditioner jacobi(std::move(diagonal));
  fill(0.0, x);
  const SolveReport report = ConjugateGradient{.relative = 1e-13}.solve(*this, f, x, &jacobi);
  if (!(report.true_relative_residual <= 1e-8))
    throw Error(ErrorKind::not_converged, fmt::format("accelerations were not found: {}", name_of(report.reason)),
                "the mass matrix may be singular or not definite", "check densities and masses");
}

}  // namespace ritz
