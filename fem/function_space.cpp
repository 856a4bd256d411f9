#include "fem/function_space.hpp"

#include "device/error.hpp"
#include "fem/node_graph.hpp"
#include "mesh/curve_order.hpp"

#include <fmt/format.h>

namespace ritz {

FunctionSpace::FunctionSpace(const Mesh& mesh, int components, const Device& device)
    : mesh_(&mesh), device_(device), components_(components), cell_order_(curve_order(mesh)) {
  if (components < 1 || components > 3)
    throw Error(Exit::internal, fmt::format("a space with {} components", components));
  node_.assign(static_cast<std::size_t>(mesh.node_count()), -1);
  for (const Index cell : cell_order_)
    for (const Node mesh_node : mesh.nodes_of(cell)) {
      Node& node = node_[static_cast<std::size_t>(mesh_node)];
      if (node >= 0) continue;
      node = static_cast<Node>(mesh_node_.size());
      mesh_node_.push_back(mesh_node);
    }
  const auto dimension = static_cast<std::size_t>(mesh.dimension());
  std::vector<double> coordinates(mesh_node_.size() * dimension);
  for (std::size_t n = 0; n < mesh_node_.size(); ++n)
    for (std::size_t d = 0; d < dimension; ++d) coordinates[n * dimension + d] = mesh.point(mesh_node_[n])[d];
  coordinates_ = Vector(device, std::span<const double>(coordinates), "space");
}

Vector FunctionSpace::zeros(const char* tag) const {
  Vector u(device_, unknown_count(), tag);
  u.fill_zero();
  return u;
}

std::vector<double> FunctionSpace::to_mesh(const Vector& u) const {
  const std::vector<double> values = u.host();
  const auto c = static_cast<std::size_t>(components_);
  std::vector<double> result(node_.size() * c, 0.0);
  for (std::size_t n = 0; n < mesh_node_.size(); ++n)
    for (std::size_t i = 0; i < c; ++i) result[static_cast<std::size_t>(mesh_node_[n]) * c + i] = values[n * c + i];
  return result;
}

Vector FunctionSpace::from_mesh(std::span<const double> values, const char* tag) const {
  const auto c = static_cast<std::size_t>(components_);
  if (values.size() != node_.size() * c) throw_size_mismatch(static_cast<Index>(node_.size() * c), Index(values.size()));
  std::vector<double> ordered(mesh_node_.size() * c);
  for (std::size_t n = 0; n < mesh_node_.size(); ++n)
    for (std::size_t i = 0; i < c; ++i) ordered[n * c + i] = values[static_cast<std::size_t>(mesh_node_[n]) * c + i];
  return Vector(device_, std::span<const double>(ordered), tag);
}

const FunctionSpace::HostPattern& FunctionSpace::host_pattern() const {
  if (host_pattern_.offsets.empty()) {
    NodeGraph graph = node_graph(*mesh_, cell_order_, node_, node_count(), device_.threads());
    host_pattern_ = {std::move(graph.offsets), std::move(graph.columns)};
  }
  return host_pattern_;
}

std::shared_ptr<const SparsityPattern> FunctionSpace::pattern() const {
  if (!pattern_) {
    const HostPattern& host = host_pattern();
    pattern_ = std::make_shared<SparsityPattern>(device_, host.offsets, host.columns);
  }
  return pattern_;
}

}  // namespace ritz
