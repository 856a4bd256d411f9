// Values at the nodes of the caller: those of the mesh where the field stands on them, else those of the field.
#pragma once

#include "fem/space/function_space.hpp"
#include "python/bind/guest.hpp"
#include "solvers/algebra/sparse_matrix.hpp"

#include <span>
#include <vector>

namespace ritz::python {

class CallerNumbering {
 public:
  explicit CallerNumbering(const FunctionSpace& space);

  std::size_t size() const { return node_.size(); }    // nodes of the caller
  Node node(std::size_t i) const { return node_[i]; }  // of the space; -1: no cell has it
  Vector in(std::span<const double> values) const;     // [node of the caller][component]
  std::vector<double> out(const Vector& x) const;      // 0 at nodes without cells
  // [node][component] of another field at the nodes.
  std::vector<double> nodal_in(std::span<const double> values, int components) const;
  std::vector<double> nodal_out(std::span<const double> values, int components) const;

  // offsets [row], columns [block], values [block][b][b]. Nodes without cells have `pivot` on their diagonal; 0:
  // nothing.
  void export_matrix(const SparseMatrix& K, double pivot, std::vector<Index>& offsets,
                     std::vector<std::int32_t>& columns, std::vector<double>& values) const;

 private:
  const FunctionSpace& space_;
  std::vector<Node> node_;
};

}  // namespace ritz::python
