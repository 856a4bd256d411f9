#include "fem/analysis/own_field.hpp"

#include "fem/ranks/divisible.hpp"

#include <utility>

namespace ritz {

OwnField::OwnField(const Operator& equations, const Constraints& supports, const LinearSolverOptions& linear)
    : all_(equations), all_supports_(supports) {
  if (linear.ranks != nullptr) part_ = std::make_shared<const FieldOfRank>(equations, supports, linear, *linear.ranks);
}

Operator OwnField::of(const std::vector<Integral>& integrals) const { return {equations().space(), own(integrals)}; }

std::vector<Integral> OwnField::own(const std::vector<Integral>& integrals) const {
  return part_ ? part_->own(integrals) : integrals;
}

Vector OwnField::with_ghosts(Vector own) const { return part_ ? part_->space().with_ghosts(own) : std::move(own); }

Vector OwnField::own(std::span<const double> of_all) const {
  Vector all(space().device(), of_all, "vectors");
  return part_ && !all.empty() ? part_->own(all) : std::move(all);
}

Vector OwnField::gathered(Vector own) const { return part_ ? part_->gathered(own) : std::move(own); }

Vector OwnField::translation(int direction) const {
  std::vector<double> moved(static_cast<std::size_t>(layout().total()), 0.0);
  for (auto i = static_cast<std::size_t>(direction); i < moved.size();
       i += static_cast<std::size_t>(space().components()))
    moved[i] = 1;
  return Vector(equations().device(), std::span<const double>(moved), "vectors");
}

std::optional<Index> OwnField::first_unknown(Node node) const {
  const Index at = Index{node} * space().components() - (part_ ? part_->space().rows().begin() : 0);
  return at >= 0 && at < layout().total() ? std::optional(at) : std::nullopt;
}

std::vector<double> OwnField::forces_for_results(const Vector& f) const {
  return part_ ? all_.forces_for_results(part_->gathered(f)) : all_.forces_for_results(f);
}

void divide_for(const Operator& equations, const LinearSolverOptions& linear) {
  if (linear.ranks == nullptr) return;
  check_divisible(equations, linear, *linear.ranks);
  divide_among_ranks(equations, linear, *linear.ranks);
}

}  // namespace ritz
