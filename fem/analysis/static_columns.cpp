#include "fem/analysis/static_columns.hpp"

#include "device/communicator.hpp"
#include "device/error.hpp"
#include "device/ranks/packed.hpp"
#include "fem/analysis/gauge.hpp"
#include "fem/analysis/mean_supports.hpp"
#include "fem/operator/fields_operator.hpp"
#include "fem/operator/operator.hpp"
#include "solvers/algebra/vectors.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <optional>
#include <utility>

namespace ritz {
std::string place_of_unknown(const Equations& equations, Index unknown) {
  std::vector<std::string> regions;
  if (const auto* const one = dynamic_cast<const Operator*>(&equations)) {
    const auto node = static_cast<Node>(unknown / one->space().components());
    for (const Region& region : one->space().mesh().regions())
      if (region.kind == RegionKind::cells && std::ranges::binary_search(one->space().nodes_in(region), node))
        regions.push_back(region.name);
  }
  return equations.name_of(unknown) + (regions.empty() ? "" : " in " + quoted_list(regions));
}

std::string place_of_unknown(const Equations& equations, Index unknown, const PartOfModel* part) {
  if (part == nullptr) return unknown < 0 ? "" : place_of_unknown(equations, unknown);
  const Layout& layout = part->equations().layout();
  std::string mine, first;
  if (unknown >= 0) {
    const int field = layout.field_at(unknown);
    const Index in_field = layout.rows(field).begin() + unknown - layout.first(field);
    mine = place_of_unknown(equations, equations.layout().first(field) + in_field);
  }
  each_text(layout.ranks(), mine, Receivers::all, [&](int, std::string_view text) {
    if (first.empty()) first = text;
  });
  return first;
}

void check_same_unknowns(std::span<const LoadVector> cases) {
  ErrorList errors;
  for (std::size_t i = 1; i < cases.size(); ++i) {
    const Supports &first = *cases[0].supports, &other = *cases[i].supports;
    if (&first == &other) continue;
    const auto [one, differs] = std::ranges::mismatch(first.host_mask(), other.host_mask());
    if (one == first.host_mask().end()) continue;
    const bool in_first = *one != 0;
    errors.add(Error(ErrorKind::conflicting_conditions,
                     fmt::format("{} is prescribed in load case '{}' and free in load case '{}'",
                                 first.name_of(one - first.host_mask().begin()), cases[in_first ? 0 : i].name,
                                 cases[in_first ? i : 0].name),
                     "load cases share one matrix, so the same unknowns are prescribed in all of them",
                     "prescribe it outside the load cases, where one of them may still give the same region another "
                     "value; or run them apart"));
  }
  errors.throw_if_any();
}

namespace {

// The size of forces on free unknowns, those along means that are held among them.
double norm_with_means(const Supports& held, const Vector& gathered) {
  Vector free(gathered.device(), gathered.size(), "vectors");
  copy(gathered, free);
  held.eliminating().set_zero(free);
  return norm2(free);
}

std::size_t components_of(const Equations& equations) {
  const auto* const one = dynamic_cast<const Operator*>(&equations);
  return one != nullptr ? static_cast<std::size_t>(one->space().components()) : 0;
}

std::shared_ptr<const Equations> equations_of(const StaticColumn& column, const Equations& like) {
  std::vector<Integral> loads(column.loads.begin(), column.loads.end());
  if (const auto* const one = dynamic_cast<const Operator*>(&like))
    return std::make_shared<const Operator>(one->space(), std::move(loads));
  return std::make_shared<const FieldsOperator>(
      dynamic_cast<const FieldsOperator&>(like).spaces(),
      std::vector<MixedIntegral>(column.loads_of_fields.begin(), column.loads_of_fields.end()), std::move(loads));
}

}  // namespace

StaticColumns::StaticColumns(const Equations& equations, const LoadVectors& loads, bool keeps_cold, PartOfModel* part,
                             std::shared_ptr<MeanSupports> means)
    : equations_(equations),
      part_(part),
      means_(std::move(means)),
      components_(components_of(equations)),
      combined_(!loads.combinations.empty()),
      keeps_cold_(keeps_cold) {
  for (const LoadVector& each : loads.cases)
    columns_.push_back({each.name.empty() ? "" : fmt::format("load case '{}': ", each.name), each.loads,
                        each.loads_of_fields, each.supports, each.enter});
  if (!combined_) return;
  columns_.push_back({"without any load case: ", {}, {}, loads.common, {}});
  Vector u = this->equations().zeros();
  supports(columns_.back()).set_values(u);
  share_ = max_abs(u) > 0 || max_abs(residual_of_all(u)) > 0;
  if (!share_) columns_.pop_back();
}

const Supports& StaticColumns::supports(const StaticColumn& column) const {
  const Supports& own = part_ != nullptr ? part_->with_values_of(*column.supports) : *column.supports;
  if (means_ == nullptr) return own;
  means_->hold(own);
  return *means_;
}

Vector StaticColumns::residual_of_all(const Vector& u) const {
  Vector r = equations().zeros();
  equations().residual(u, r);
  if (means_ != nullptr) means_->add_springs(u, r);
  return r;
}

std::shared_ptr<const Equations> StaticColumns::own_loads(const StaticColumn& column) const {
  if (column.loads.empty() && column.loads_of_fields.empty()) return nullptr;
  const std::shared_ptr<const Equations> loads = equations_of(column, equations_);
  return part_ != nullptr ? part_->own_equations(*loads) : loads;
}

std::vector<double> StaticColumns::sums(const std::vector<double>& values) const {
  std::vector<double> result(components_, 0.0);
  for (std::size_t i = 0; i < values.size(); ++i) result[i % components_] += values[i];
  const Communicator all(equations().device());
  for (double& sum : result) sum = all.sum_of(sum);
  return result;
}

void StaticColumns::sum_loads(StaticColumn& column) const {
  if (components_ == 0) return;
  std::vector<double> loads = column.b.host();
  column.applied = sums(loads);
  for (double& value : column.applied) value = 0 - value;  // not -0
  for (double& value : loads) value = std::abs(value);
  column.load_size = std::ranges::max(sums(loads));
}

void StaticColumns::add_loads(const Equations* own, const Vector& u, StaticColumn& column) {
  if (own == nullptr) return;
  own->residual(u, column.own);
  axpy(1.0, column.own, column.b);
}

void StaticColumns::assemble() {
  Vector u = equations().zeros(),
         shared = equations().zeros();  // prescribed values, and the residual of the equations alone
  const Supports* before = nullptr;
  for (StaticColumn& column : columns_) {
    const Supports& held = supports(column);
    const std::shared_ptr<const Equations> own = own_loads(column);
    column.b = equations().zeros();
    column.own = own != nullptr ? equations().zeros() : Vector();
    if (column.enter) column.enter();
    if (means_ != nullptr) {  // motions along means move springs to the ground, too: their forces are no loads
      u.fill_zero();
      means_->eliminating().set_values(u);
      equations().residual(u, column.b);
      add_loads(own.get(), u, column);
      sum_loads(column);
    }
    u.fill_zero();
    held.set_values(u);
    if (column.supports != before || column.enter) equations().residual(u, shared);
    before = column.supports;
    copy(shared, column.b);
    add_loads(own.get(), u, column);
    check_finite(column);
    if (means_ == nullptr) sum_loads(column);
    else means_->add_springs(u, column.b);
    cool(column);
  }
}

void StaticColumns::eliminate() {
  for (StaticColumn& column : columns_) {
    bring_back(column);
    const Supports& held = supports(column);
    held.gather(column.b);
    const double with_means = means_ != nullptr ? norm_with_means(held, column.b) : 0;
    held.set_zero(column.b);
    axpby(0.0, column.b, -1.0, column.b);
    column.load = std::max(norm2(column.b), cancelled * with_means);
    leave_out_gauge(column);
    cool(column);
  }
}

void StaticColumns::leave_out_gauge(StaticColumn& column) {
  if (!may_need_gauge(equations_)) return;
  Vector of_all;
  if (part_ != nullptr) of_all = part_->gathered(column.b);
  Gauge gauge = gauge_of(equations_, *column.supports, part_ != nullptr ? of_all : column.b);
  singular_ = singular_ || gauge.is_free;
  column.notice = std::move(gauge.notice);
  if (gauge.left_out.empty()) return;
  column.left_out = part_ != nullptr ? part_->own(gauge.left_out) : std::move(gauge.left_out);
  axpy(-1.0, column.left_out, column.b);
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
  Vector r = residual_of_all(u);
  add_own(1, column, r);
  return r;
}

Vector StaticColumns::residual(const std::vector<double>& weights, const Vector& u) {
  Vector r = residual_of_all(u);  // what is shared counts once: the weights sum to one where it is not zero
  for (std::size_t j = 0; j < columns_.size(); ++j) add_own(weights[j], columns_[j], r);
  return r;
}

std::vector<double> StaticColumns::only(const StaticColumn& column) const {
  std::vector<double> weights(columns_.size(), 0.0);
  weights[static_cast<std::size_t>(&column - columns_.data())] = 1;
  return weights;
}

Vector StaticColumns::free_part(const std::vector<double>& weights, const Vector& residual) const {
  Vector free(residual.device(), residual.size(), "vectors");
  copy(residual, free);
  const Supports& held = supports(columns_.front());
  held.gather(free);
  held.set_zero(free);
  for (std::size_t j = 0; j < columns_.size(); ++j)
    if (weights[j] != 0 && !columns_[j].left_out.empty()) axpy(weights[j], columns_[j].left_out, free);
  return free;
}

bool StaticColumns::split_residual(const std::vector<double>& weights, double load, Vector& residual,
                                   StaticSolution& s) const {
  const double left = norm2(free_part(weights, residual));
  s.residual = load > 0 ? left / load : left;
  if (means_ != nullptr) s.mean_loads = means_->loads(s.u, residual);
  sum_applied(weights, s);
  supports(columns_.front()).keep_constrained(residual);
  const bool rounding = left <= 1e-12 * norm2(residual);
  if (means_ != nullptr) means_->remove_loads(s.mean_loads, residual);
  s.reaction = equations_.forces_for_results(part_ != nullptr ? part_->gathered(residual) : std::move(residual));
  return rounding;
}

void StaticColumns::sum_applied(const std::vector<double>& weights, StaticSolution& s) const {
  s.applied.assign(components_, 0.0);
  s.load_size = 0;
  const auto add = [&](double weight, const std::vector<double>& applied, double size) {
    for (std::size_t c = 0; c < components_; ++c) s.applied[c] += weight * applied[c];
    s.load_size += std::abs(weight) * size;
  };
  for (std::size_t j = 0; j < columns_.size(); ++j)
    if (weights[j] != 0) add(weights[j], columns_[j].applied, columns_[j].load_size);
  for (std::size_t i = 0; components_ > 0 && i < s.mean_loads.size(); ++i) {
    std::vector<double> of_mean = means_->attached()->whole[i].host();
    const std::vector<double> applied = sums(of_mean);
    for (double& value : of_mean) value = std::abs(value);
    add(s.mean_loads[i], applied, std::ranges::max(sums(of_mean)));
  }
}

void StaticColumns::add_own(double factor, StaticColumn& column, Vector& r) const {
  if (factor == 0) return;
  column.cold_own.bring_back(column.own, "vectors", &traffic_);
  if (!column.own.empty()) axpy(factor, column.own, r);
  cool(column);
}

void StaticColumns::check_finite(const StaticColumn& column) const {
  const std::string place = place_of_unknown(equations_, first_not_finite(column.b), part_);
  if (place.empty()) return;
  throw Error(ErrorKind::not_finite, fmt::format("{}the loads at {} are not finite", column.title, place),
              "a load, a coefficient or a prescribed value overflows there", "check the values of the case file");
}

}  // namespace ritz
