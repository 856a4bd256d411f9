#include "fem/constraints.hpp"

#include "device/kernels.hpp"
#include "fem/launch/constraint_kernels.hpp"

#include <cmath>
#include <fmt/format.h>

namespace ritz {
namespace {

const ConstraintKernels& table(const Device& device) {
  return kernels<ConstraintKernels>(device, "ritz_fem_kernels", "constraints");
}

}  // namespace

Constraints::Constraints(const FunctionSpace& space)
    : space_(&space),
      host_mask_(static_cast<std::size_t>(space.unknown_count()), 0),
      host_values_(static_cast<std::size_t>(space.unknown_count()), 0.0),
      source_of_(static_cast<std::size_t>(space.unknown_count()), -1) {}

void Constraints::prescribe(std::span<const Node> mesh_nodes, int component, double value, const std::string& source) {
  const int source_number = static_cast<int>(sources_.size());
  sources_.push_back(source);
  for (const Node mesh_node : mesh_nodes) {
    const Node node = space_->node_of(mesh_node);
    if (node < 0) continue;
    const std::size_t i = index(node, component);
    if (host_mask_[i] == 0) {
      host_mask_[i] = 1;
      host_values_[i] = value;
      source_of_[i] = source_number;
      ++count_;
    } else if (host_values_[i] != value) {
      if (conflict_count_++ >= 10) continue;  // the first ten tell enough
      const auto x = space_->mesh().point(mesh_node);
      conflicts_.add(Error(Exit::model,
                           fmt::format("conflicting values {} and {} for component {} at node {} ({:g}, {:g}, {:g})",
                                       host_values_[i], value, "xyz"[component], mesh_node, x[0], x[1], x[2]),
                           fmt::format("{} and {} both act there", sources_[static_cast<std::size_t>(source_of_[i])], source),
                           "give both the same value, or take the common nodes out of one of the regions"));
    }
  }
}

void Constraints::finish() {
  conflicts_.throw_if_any();
  mask_ = Array<std::uint8_t>(space_->device(), std::span<const std::uint8_t>(host_mask_), "constraints");
  values_ = Vector(space_->device(), std::span<const double>(host_values_), "constraints");
}

void Constraints::set_values(Vector& u) const {
  table(u.device()).set_values(u.device(), u.size(), mask_.data(), values_.data(), u.data());
}

void Constraints::set_zero(Vector& r) const { table(r.device()).set_zero(r.device(), r.size(), mask_.data(), 1, r.data()); }

void Constraints::keep_prescribed(Vector& r) const {
  table(r.device()).set_zero(r.device(), r.size(), mask_.data(), 0, r.data());
}

}  // namespace ritz
