#include "fem/analysis/static_columns.hpp"

#include "device/communicator.hpp"
#include "device/error.hpp"
#include "device/ranks/packed.hpp"
#include "solvers/algebra/vectors.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <optional>
#include <utility>

namespace ritz {
namespace {

// Do loads or values act that belong to no load case?
bool acts(const Operator& equations, const Constraints& common) {
  Vector u = equations.zeros(), r = equations.zeros();
  common.set_values(u);
  equations.residual(u, r);
  return max_abs(u) > 0 || max_abs(r) > 0;
}

}  // namespace

std::string place_of_unknown(const FunctionSpace& space, Index unknown) {
  const auto node = static_cast<Node>(unknown / space.components());
  std::vector<std::string> regions;
  for (const Region& region : space.mesh().regions())
    if (region.kind == RegionKind::cells && std::ranges::binary_search(space.nodes_in(region), node))
      regions.push_back(region.name);
  return space.name_of(node) + (regions.empty() ? "" : " in " + quoted_list(regions));
}

std::string place_of_unknown(const FunctionSpace& space, Index unknown, const FieldOfRank* part) {
  if (part == nullptr) return unknown < 0 ? "" : place_of_unknown(space, unknown);
  const std::string mine = unknown < 0 ? "" : place_of_unknown(space, part->space().rows().begin() + unknown);
  std::string first;
  each_text(part->space().ranks(), mine, Receivers::all, [&](int, std::string_view text) {
    if (first.empty()) first = text;
  });
  return first;
}

void check_same_unknowns(std::span<const LoadVector> cases) {
  ErrorList errors;
  for (std::size_t i = 1; i < cases.size(); ++i) {
    const Constraints &first = *cases[0].constraints, &other = *cases[i].constraints;
    if (&first == &other) continue;
    const FunctionSpace& space = first.space();
    const auto differs = [&]() -> std::optional<std::pair<Node, int>> {
      for (Index node = 0; node < space.node_count(); ++node)
        for (int c = 0; c < space.components(); ++c)
          if (first.is_prescribed(static_cast<Node>(node), c) != other.is_prescribed(static_cast<Node>(node), c))
            return std::pair{static_cast<Node>(node), c};
      return std::nullopt;
    }();
    if (!differs) continue;
    const auto [node, c] = *differs;
    const bool in_first = first.is_prescribed(node, c);
    errors.add(Error(ErrorKind::conflicting_conditions,
                     fmt::format("{}{} is prescribed in load case '{}' and free in load case '{}'",
                                 space.components() > 1 ? fmt::format("component {} at ", space.component_name(c)) : "",
                                 space.name_of(node), cases[in_first ? 0 : i].name, cases[in_first ? i : 0].name),
                     "load cases share one matrix, so the same unknowns are prescribed in all of them",
                     "prescribe it outside the load cases, where one of them may still give the same region another "
                     "value; or run them apart"));
  }
  errors.throw_if_any();
}

StaticColumns::StaticColumns(const Operator& equations, const LoadVectors& loads, bool keeps_cold,
                             const FieldOfRank* part)
    : equations_(equations),
      space_(equations.space()),
      part_(part),
      combined_(!loads.combinations.empty()),
      keeps_cold_(keeps_cold) {
  for (const LoadVector& each : loads.cases)
    columns_.push_back({each.name.empty() ? "" : fmt::format("load case '{}': ", each.name), each.loads,
                        own(each.constraints), each.enter, each.alone});
  share_ = combined_ && acts(this->equations(), *own(loads.common));
  if (share_) columns_.push_back({"without any load case: ", {}, own(loads.common), {}});
}

const Constraints* StaticColumns::own(const Constraints* whole) {
  if (part_ == nullptr) return whole;
  std::unique_ptr<const Constraints>& mine = of_part_[whole];
  if (mine == nullptr) mine = std::make_unique<const Constraints>(part_->own(*whole));
  return mine.get();
}

std::vector<double> StaticColumns::sums(const std::vector<double>& values) const {
  std::vector<double> result(static_cast<std::size_t>(space_.components()), 0.0);
  for (std::size_t i = 0; i < values.size(); ++i) result[i % result.size()] += values[i];
  const Communicator all(equations().device());
  for (double& sum : result) sum = all.sum_of(sum);
  return result;
}

void StaticColumns::assemble() {
  Vector u = equations().zeros(),
         shared = equations().zeros();  // prescribed values, and the residual of the equations alone
  const Constraints* before = nullptr;
  for (StaticColumn& column : columns_) {
    column.constraints->set_values(u);
    if (column.enter) column.enter();
    if (column.constraints != before || column.enter) equations().residual(u, shared);
    before = column.constraints;
    column.b = equations().zeros();
    if (!column.alone) copy(shared, column.b);
    if (!column.loads.empty()) {
      column.own = equations().zeros();
      const Operator own(space_, {column.loads.begin(), column.loads.end()});
      (part_ != nullptr ? part_->own(own) : own).residual(u, column.own);
      axpy(1.0, column.own, column.b);
    }
    check_finite(column);
    cool(column);
  }
}

void StaticColumns::eliminate() {
  for (StaticColumn& column : columns_) {
    bring_back(column);
    std::vector<double> loads = column.b.host();
    column.applied = sums(loads);
    for (double& value : column.applied) value = 0 - value;  // not -0
    for (double& value : loads) value = std::abs(value);
    column.load_size = std::ranges::max(sums(loads));
    column.constraints->gather(column.b);
    column.constraints->set_zero(column.b);
    axpby(0.0, column.b, -1.0, column.b);
    column.load = norm2(column.b);
    cool(column);
  }
}

void StaticColumns::cool(StaticColumn& column) const {
  if (!keeps_cold_) return;
  column.cold_b.put_away(column.b, &traffic_);
  column.cold_own.put_away(column.own, &traffic_);
}

void StaticColumns::forget(StaticColumn& column) const {
  if (combined_) return;
  column.b = {};
  column.own = {};
}

Vector StaticColumns::residual(StaticColumn& column, const Vector& u) {
  if (column.enter) column.enter();
  Vector r = equations().zeros();
  equations().residual(u, r);
  add_own(1, column, r);
  return r;
}

Vector StaticColumns::residual(const std::vector<double>& weights, const Vector& u) {
  Vector r = equations().zeros();
  equations().residual(u, r);  // what is shared counts once: the weights sum to one where it is not zero
  for (std::size_t j = 0; j < columns_.size(); ++j) add_own(weights[j], columns_[j], r);
  return r;
}

bool StaticColumns::split_residual(const Constraints& constraints, double load, Vector& residual,
                                   StaticSolution& s) const {
  Vector free(residual.device(), residual.size(), "vectors");
  copy(residual, free);
  constraints.gather(free);
  constraints.set_zero(free);
  const double left = norm2(free);
  s.residual = load > 0 ? left / load : left;
  free = {};
  constraints.keep_constrained(residual);
  const bool rounding = left <= 1e-12 * norm2(residual);
  s.reaction = equations_.forces_for_results(part_ != nullptr ? part_->gathered(residual) : std::move(residual));
  return rounding;
}

void StaticColumns::add_own(double factor, StaticColumn& column, Vector& r) const {
  if (factor == 0) return;
  column.cold_own.bring_back(column.own, "vectors", &traffic_);
  if (!column.own.empty()) axpy(factor, column.own, r);
  cool(column);
}

void StaticColumns::check_finite(const StaticColumn& column) const {
  const std::string place = place_of_unknown(space_, first_not_finite(column.b), part_);
  if (place.empty()) return;
  throw Error(ErrorKind::not_finite, fmt::format("{}the loads at {} are not finite", column.title, place),
              "a load, a coefficient or a prescribed value overflows there", "check the values of the case file");
}

}  // namespace ritz
