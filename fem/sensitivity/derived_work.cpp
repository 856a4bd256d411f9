#include "fem/sensitivity/derived_work.hpp"

#include "fem/operator/evaluate.hpp"
#include "fem/sensitivity/array_derivative.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace ritz {
namespace {

bool derives(const Integral& integral, const std::string& form) {
  return integral.form.derived > 0 && integral.nodes.empty() &&
         (form.empty() ? integral.form.codimension == 0 : integral.form.name == form);
}

std::vector<Integral> deriving(const std::vector<Integral>& integrals, const std::string& form) {
  std::vector<Integral> result;
  for (const Integral& each : integrals)
    if (derives(each, form)) result.push_back(each);
  return result;
}

// How many cells around each node of the space these integrals act on.
std::vector<int> cells_at_nodes(const FunctionSpace& space, const std::vector<Integral>& integrals) {
  std::vector<char> acts(static_cast<std::size_t>(space.mesh().cell_count()), 0);
  for (const Integral& each : integrals) {
    if (each.everywhere) std::ranges::fill(acts, 1);
    for (const Index cell : each.cells) acts[static_cast<std::size_t>(cell)] = 1;
  }
  std::vector<int> count(static_cast<std::size_t>(space.node_count()), 0);
  std::vector<Node> nodes;
  for (Index cell = 0; cell < space.mesh().cell_count(); ++cell) {
    if (acts[static_cast<std::size_t>(cell)] == 0) continue;
    space.nodes_of(cell, nodes);
    for (const Node node : nodes) ++count[static_cast<std::size_t>(node)];
  }
  return count;
}

bool has_any(std::span<const double> weights) {
  return std::ranges::any_of(weights, [](double w) { return w != 0; });
}

std::span<const double> entries_of(const std::vector<double>& values, Index place, int components) {
  return std::span(values).subspan(static_cast<std::size_t>(place * components), static_cast<std::size_t>(components));
}

std::vector<Index> cells_with_weights(const FunctionSpace& space, const DerivedWeights& weights) {
  std::vector<Index> cells;
  std::vector<Node> nodes;
  for (Index cell = 0; cell < space.mesh().cell_count(); ++cell) {
    bool takes_part = !weights.in_cells.empty() && has_any(entries_of(weights.in_cells, cell, weights.components));
    space.nodes_of(cell, nodes);
    for (std::size_t a = 0; a < nodes.size() && !takes_part && !weights.at_nodes.empty(); ++a)
      takes_part = has_any(entries_of(weights.at_nodes, nodes[a], weights.components));
    if (takes_part) cells.push_back(cell);
  }
  return cells;
}

// [node of the space][component] of what an operator derives at nodes.
std::vector<double> at_space_nodes(const FunctionSpace& space, DerivedFields& derived) {
  if (!space.isoparametric()) return std::move(derived.at_space_nodes);
  const auto k = static_cast<std::size_t>(derived.components);
  std::vector<double> result(static_cast<std::size_t>(space.node_count()) * k);
  for (Node n = 0; n < space.node_count(); ++n)
    std::copy_n(
        derived.at_nodes.begin() + static_cast<std::ptrdiff_t>(static_cast<std::size_t>(space.mesh_node_of(n)) * k), k,
        result.begin() + static_cast<std::ptrdiff_t>(static_cast<std::size_t>(n) * k));
  return result;
}

void add(double factor, const std::vector<double>& values, std::vector<double>& sum) {
  sum.resize(values.size(), 0.0);
  for (std::size_t i = 0; i < values.size(); ++i) sum[i] += factor * values[i];
}

}  // namespace

DerivedValues derived_values(const FunctionSpace& space, std::span<const DerivedPart> parts, const std::string& form,
                             const Time& time, const Vector& u) {
  DerivedValues result;
  for (const DerivedPart& part : parts) {
    std::vector<Integral> integrals = deriving(part.integrals, form);
    if (integrals.empty()) continue;
    Operator equations(space, std::move(integrals));
    equations.inputs().set_time(time);
    DerivedFields derived = evaluate(equations, u, form);
    result.components = derived.components;
    add(part.factor, derived.at_cells, result.in_cells);
    add(part.factor, at_space_nodes(space, derived), result.at_nodes);
  }
  return result;
}

DerivedWork::DerivedWork(const FunctionSpace& space, std::span<const DerivedPart> parts, std::string form,
                         const DerivedWeights& weights)
    : space_(space), form_(std::move(form)), components_(weights.components) {
  std::vector<Index> cells = cells_with_weights(space, weights);
  if (cells.empty()) return;
  apart_ = std::make_unique<CellsApart>(space, std::move(cells));
  if (!weights.in_cells.empty())
    for (const Index cell : apart_->cells())
      for (const double w : entries_of(weights.in_cells, cell, components_)) weight_in_cells_.push_back(w);
  for (const DerivedPart& part : parts) add_part(part, weights);
}

void DerivedWork::add_part(const DerivedPart& from, const DerivedWeights& weights) {
  const std::vector<Integral> all = deriving(from.integrals, form_);
  std::vector<Integral> own = apart_->of(all);
  if (own.empty() || from.factor == 0) return;
  Part& part = parts_.emplace_back(Part{std::move(own), from.factor, {}, nullptr});
  part.equations = std::make_unique<Operator>(apart_->space(), part.integrals);
  if (weights.at_nodes.empty()) return;
  const std::vector<int> count = cells_at_nodes(space_, all);
  for (std::size_t n = 0; n < apart_->node_count(); ++n)
    for (const double w : entries_of(weights.at_nodes, apart_->node(n), components_))
      part.at_nodes.push_back(w / std::max(1, count[static_cast<std::size_t>(apart_->node(n))]));
}

void DerivedWork::numbers_changed() {
  for (Part& part : parts_) part.equations->inputs().set_numbers(part.integrals);
}

void DerivedWork::replace_numbers(std::span<const DerivedPart> parts) {
  auto next = parts_.begin();
  for (const DerivedPart& from : parts) {
    if (!apart_) return;
    std::vector<Integral> own = apart_->of(deriving(from.integrals, form_));
    if (own.empty() || from.factor == 0) continue;
    if (next == parts_.end() || !next->equations->inputs().set_numbers(own)) throw other_equations();
    next++->integrals = std::move(own);
  }
  if (next != parts_.end()) throw other_equations();
}

void DerivedWork::set_time(const Time& time) {
  for (Part& part : parts_) part.equations->inputs().set_time(time);
}

// [cell apart]
std::vector<double> DerivedWork::in_cells_at(const Vector& apart) const {
  std::vector<double> result(apart_->cells().size(), 0.0);
  const auto k = static_cast<std::size_t>(components_);
  for (const Part& part : parts_) {
    DerivedFields derived = evaluate(*part.equations, apart, form_);
    for (std::size_t i = 0; i < weight_in_cells_.size(); ++i)
      result[i / k] += part.factor * weight_in_cells_[i] * derived.at_cells[i];
    if (part.at_nodes.empty()) continue;
    const std::vector<double> at_nodes = at_space_nodes(apart_->space(), derived);
    std::vector<Node> nodes;
    for (std::size_t cell = 0; cell < result.size(); ++cell) {
      apart_->space().nodes_of(static_cast<Index>(cell), nodes);
      for (const Node node : nodes)
        for (std::size_t i = static_cast<std::size_t>(node) * k; i < (static_cast<std::size_t>(node) + 1) * k; ++i)
          if (part.at_nodes[i] != 0) result[cell] += part.factor * part.at_nodes[i] * at_nodes[i];
    }
  }
  return result;
}

std::vector<double> DerivedWork::in_cells(const std::vector<double>& u) const {
  std::vector<double> result(static_cast<std::size_t>(space_.mesh().cell_count()), 0.0);
  if (!apart_) return result;
  const std::vector<double> own = in_cells_at(apart_->spread(u));
  for (std::size_t i = 0; i < own.size(); ++i) result[static_cast<std::size_t>(apart_->cells()[i])] = own[i];
  return result;
}

double DerivedWork::value(const std::vector<double>& u) const {
  double sum = 0;
  if (apart_)
    for (const double each : in_cells_at(apart_->spread(u))) sum += each;
  return sum;
}

std::vector<double> DerivedWork::by_unknowns(const std::vector<double>& u) const {
  std::vector<double> result(u.size(), 0.0);
  if (!apart_) return result;
  constexpr std::array<std::pair<double, double>, 4> formula{
      {{1, 2.0 / 3}, {-1, -2.0 / 3}, {2, -1.0 / 12}, {-2, 1.0 / 12}}};
  constexpr double part_of_change = 1e-3, part_of_size = 1e-5;  // of the unknown within a cell, and of its largest
  const FunctionSpace& space = apart_->space();
  const auto c = static_cast<std::size_t>(space.components());
  const std::vector<double> base = apart_->spread(u).host();
  double largest = 0;
  for (const double each : base) largest = std::max(largest, std::abs(each));
  if (largest == 0) largest = 1;
  std::vector<std::vector<Node>> nodes(apart_->cells().size());
  std::vector<double> step(nodes.size());
  std::size_t most = 0;
  for (std::size_t cell = 0; cell < nodes.size(); ++cell) {
    space.nodes_of(static_cast<Index>(cell), nodes[cell]);
    most = std::max(most, nodes[cell].size());
    double change = 0;
    for (const Node node : nodes[cell])
      for (std::size_t k = 0; k < c; ++k)
        change = std::max(change, std::abs(base[static_cast<std::size_t>(node) * c + k] -
                                           base[static_cast<std::size_t>(nodes[cell].front()) * c + k]));
    step[cell] = std::max(part_of_change * change, part_of_size * largest);
  }
  for (std::size_t entry = 0; entry < most * c; ++entry) {
    const auto unknown = [&](std::size_t cell) {
      return static_cast<std::size_t>(nodes[cell][entry / c]) * c + entry % c;
    };
    for (const auto& [steps, weight] : formula) {
      std::vector<double> moved = base;
      for (std::size_t cell = 0; cell < nodes.size(); ++cell)
        if (entry / c < nodes[cell].size()) moved[unknown(cell)] += steps * step[cell];
      const std::vector<double> values = in_cells_at(Vector(space.device(), std::span<const double>(moved), "vectors"));
      for (std::size_t cell = 0; cell < nodes.size(); ++cell)
        if (entry / c < nodes[cell].size())
          result[static_cast<std::size_t>(apart_->node(static_cast<std::size_t>(nodes[cell][entry / c]))) * c +
                 entry % c] += weight * values[cell] / step[cell];
    }
  }
  return result;
}

void add_by_array(DerivedWork& work, MeshField& array, const std::vector<double>& u, std::vector<double>& result) {
  subtract_by_work(work.space().mesh(), array,
                   {[&] { work.numbers_changed(); },
                    [&] {
                      std::vector<double> cells = work.in_cells(u);
                      for (double& each : cells) each = -each;
                      return cells;
                    }},
                   result);
}

void add_by_number(DerivedWork& work, const ModelNumber& number,
                   FunctionRef<std::vector<DerivedPart>(const Model&)> parts_of, std::span<const DerivedPart> parts,
                   const std::vector<double>& u, std::vector<double>& result) {
  subtract_by_work(
      number,
      [&](const Model& model) {
        work.replace_numbers(parts_of(model));
        std::vector<double> cells = work.in_cells(u);
        for (double& each : cells) each = -each;
        return cells;
      },
      result);
  work.replace_numbers(parts);
}

}  // namespace ritz
