// The numbering of the unknowns of one continuous field on a mesh: nodes in the order in which a space-filling curve
// first meets them, `components` unknowns each. It owns what all operators of the space share: the numbering, the
// coordinates on the device, and the sparsity pattern.
//
//   FunctionSpace space(mesh, 3, device);   Vector u = space.zeros();   std::vector<double> values = space.to_mesh(u);
//
// Unknown of node n, component c: n * components + c. Points of the mesh that no cell uses have no node here.
#pragma once

#include "device/array.hpp"
#include "mesh/mesh.hpp"
#include "solvers/sparse_matrix.hpp"

#include <memory>
#include <span>
#include <vector>

namespace ritz {

class FunctionSpace {
 public:
  // The mesh must outlive the space.
  FunctionSpace(const Mesh& mesh, int components, const Device& device);

  const Mesh& mesh() const { return *mesh_; }
  const Device& device() const { return device_; }
  int components() const { return components_; }
  Index node_count() const { return static_cast<Index>(mesh_node_.size()); }
  Index unknown_count() const { return node_count() * components_; }

  Node node_of(Node mesh_node) const { return node_[static_cast<std::size_t>(mesh_node)]; }  // -1: no unknowns there
  Node mesh_node_of(Node node) const { return mesh_node_[static_cast<std::size_t>(node)]; }
  std::span<const Index> cell_order() const { return cell_order_; }     // all cells along the curve
  const Vector& coordinates() const { return coordinates_; }            // [node][dimension of the mesh]

  Vector zeros(const char* tag = "vectors") const;
  // [mesh node][component]; 0 at points without unknowns. A transfer.
  std::vector<double> to_mesh(const Vector& u) const;
  Vector from_mesh(std::span<const double> values, const char* tag = "vectors") const;

  // Nodes that share a cell, in block CSR (one block per pair of nodes). Made at the first call, then shared.
  std::shared_ptr<const SparsityPattern> pattern() const;
  // The same on the host, for those who build lists of positions.
  struct HostPattern {
    std::vector<Index> offsets;
    std::vector<std::int32_t> columns;
  };
  const HostPattern& host_pattern() const;

 private:
  const Mesh* mesh_;
  Device device_;
  int components_;
  std::vector<Index> cell_order_;
  std::vector<Node> node_, mesh_node_;
  Vector coordinates_;
  mutable HostPattern host_pattern_;
  mutable std::shared_ptr<const SparsityPattern> pattern_;
};

}  // namespace ritz
