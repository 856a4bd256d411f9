#include "fem/space/constraints.hpp"

#include "device/kernels.hpp"
#include "fem/launch/constraint_kernels.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <utility>

namespace ritz {
namespace {

const ConstraintKernels& table(const Device& device) {
  return kernels<ConstraintKernels>(device, "ritz_fem_kernels", "constraints");
}

// Tolerance for values of a formula: two formulas that meet may be written in different ways.
double rounding_of(std::span<const double> values) {
  double largest = 0;
  for (const double value : values) largest = std::max(largest, std::abs(value));
  return 1e-12 * largest;
}

}  // namespace

Constraints::Constraints(const FunctionSpace& space)
    : space_(&space),
      host_mask_(static_cast<std::size_t>(space.unknown_count()), 0),
      host_values_(static_cast<std::size_t>(space.unknown_count()), 0.0),
      source_of_(static_cast<std::size_t>(space.unknown_count()), -1) {}

void Constraints::prescribe(const Region& region, int component, double value, const std::string& source) {
  prescribe_nodes(space_->nodes_in(region), component, value, source);
}

void Constraints::prescribe(std::span<const Node> mesh_nodes, int component, double value, const std::string& source) {
  if (!space_->isoparametric())
    throw Error(Exit::internal, "nodes of the mesh were prescribed in a space with nodes of its own",
                "the nodes between them would stay free", "prescribe a region");
  std::vector<Node> nodes;
  for (const Node mesh_node : mesh_nodes)
    if (space_->node_of(mesh_node) >= 0) nodes.push_back(space_->node_of(mesh_node));
  prescribe_nodes(nodes, component, value, source);
}

void Constraints::prescribe_nodes(std::span<const Node> nodes, int component, double value, const std::string& source) {
  add(nodes, component, [value](std::size_t) { return value; }, {source});
}

void Constraints::prescribe_nodes(std::span<const Node> nodes, int component, std::span<const double> values,
                                  const std::string& source) {
  add(nodes, component, [values](std::size_t i) { return values[i]; }, {source, rounding_of(values)});
}

void Constraints::prescribe(const Region& region, int component, const PointFunction& value,
                            const std::string& source) {
  std::vector<Node> nodes = space_->nodes_in(region);
  std::vector<double> points, values(nodes.size());
  for (const Node node : nodes)
    for (const double x : space_->point(node)) points.push_back(x);
  value(points, 0, values);
  add(nodes, component, [&values](std::size_t i) { return values[i]; },
      {source, rounding_of(values), value.varies_in_time()});
  if (value.varies_in_time())
    varying_.push_back({static_cast<int>(sources_.size()) - 1, component, std::move(nodes), std::move(points), value});
}

void Constraints::add(std::span<const Node> nodes, int component, const std::function<double(std::size_t)>& value_of,
                      Source source) {
  const int number = static_cast<int>(sources_.size());
  const bool varies = source.varies;
  sources_.push_back(std::move(source));
  for (std::size_t n = 0; n < nodes.size(); ++n) {
    const Node node = nodes[n];
    const double value = value_of(n);
    const std::size_t i = index(node, component);
    if (host_mask_[i] == 0) {
      host_mask_[i] = 1;
      host_values_[i] = value;
      source_of_[i] = number;
      ++count_;
      continue;
    }
    if (!varies && source_at(i).varies) contests_.push_back({node, component, number, value});
    if (agrees(node, component, value, number)) continue;
    if (conflict_count_++ >= 10) continue;  // the first ten suffice
    conflicts_.add(conflict(node, component, value, number, ""));
  }
}

bool Constraints::agrees(Node node, int component, double value, int source) const {
  const std::size_t i = index(node, component);
  const double rounding = std::max(sources_[static_cast<std::size_t>(source)].rounding, source_at(i).rounding);
  return std::abs(host_values_[i] - value) <= rounding;
}

Error Constraints::conflict(Node node, int component, double value, int source, const std::string& when) const {
  const std::size_t i = index(node, component);
  return {Exit::model,
          fmt::format("conflicting values {} and {} for component {} at {}{}", host_values_[i], value,
                      space_->component_name(component), space_->name_of(node), when),
          fmt::format("{} and {} both act there", source_at(i).text, sources_[static_cast<std::size_t>(source)].text),
          "give both the same value, or take the common nodes out of one of the regions"};
}

void Constraints::set_time(double t) {
  if (varying_.empty()) return;
  const auto demand_agreement = [&](Node node, int component, double value, int source) {
    if (!agrees(node, component, value, source))
      throw conflict(node, component, value, source, fmt::format(" when t = {:g}", t));
  };
  std::vector<double> values;
  for (const Varying& each : varying_) {
    values.resize(each.nodes.size());
    each.value(each.points, t, values);
    sources_[static_cast<std::size_t>(each.source)].rounding = rounding_of(values);
    for (std::size_t n = 0; n < values.size(); ++n) {
      const std::size_t i = index(each.nodes[n], each.component);
      if (source_of_[i] == each.source) host_values_[i] = values[n];
      else demand_agreement(each.nodes[n], each.component, values[n], each.source);  // with an earlier source
    }
  }
  for (const Contest& c : contests_) demand_agreement(c.node, c.component, c.value, c.source);
  if (!values_.empty()) values_.upload(host_values_);
}

bool Constraints::all_zero() const {
  return varying_.empty() && std::ranges::all_of(host_values_, [](double value) { return value == 0; });
}

void Constraints::finish() {
  conflicts_.throw_if_any();
  mask_ = Array<std::uint8_t>(space_->device(), std::span<const std::uint8_t>(host_mask_), "constraints");
  std::vector<std::int32_t> list;
  for (std::size_t i = 0; i < host_mask_.size(); ++i)
    if (host_mask_[i] != 0) list.push_back(static_cast<std::int32_t>(i));
  list_ = Array<std::int32_t>(space_->device(), std::span<const std::int32_t>(list), "constraints");
  values_ = Vector(space_->device(), std::span<const double>(host_values_), "constraints");
}

void Constraints::set_values(Vector& u) const {
  u.device().profile().count(mask_.bytes() + 2 * u.bytes());
  table(u.device()).set_values(u.device(), u.size(), mask_.data(), values_.data(), u.data());
}

void Constraints::set_zero(Vector& r) const {
  r.device().profile().count(mask_.bytes() + 2 * r.bytes());
  table(r.device()).set_zero(r.device(), r.size(), mask_.data(), 1, r.data());
}

void Constraints::apply_pivot(double pivot, const Vector& x, Vector& y) const {
  table(x.device()).apply_pivot(x.device(), list_.size(), list_.data(), pivot, x.data(), y.data());
}

void Constraints::keep_prescribed(Vector& r) const {
  r.device().profile().count(mask_.bytes() + 2 * r.bytes());
  table(r.device()).set_zero(r.device(), r.size(), mask_.data(), 0, r.data());
}

}  // namespace ritz
